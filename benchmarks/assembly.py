"""Assembly of many papers, and of one more: time and memory.

Run ``python benchmarks/assembly.py GOLD.jsonl 1000 10000``. The papers are the annotated ones, and
as many copies of them as are needed, in which the names that a paper introduces, and some others,
are changed; each size runs in a process of its own. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

from gold import read_gold

from kg.assemble.decisions import NONE
from kg.assemble.incremental import Assembly
from kg.ledger import Ledger
from kg.read.items import Read
from kg.records import Extraction, Paper, Source

CHUNK = 1000
SHARE_CHANGED = 0.3
"""Share of the names of others that a copy changes."""


def papers(gold: Path) -> Iterator[tuple[Paper, Extraction]]:
    """Yield papers without end."""
    real = list(read_gold(gold))
    position = count(1)
    for copy in count():
        for paper, x in real:
            source = Source(f"{copy}.jsonl", next(position))
            if copy == 0:
                yield replace(paper, source=source), x
            else:
                yield changed(paper, x, copy, source)


def changed(paper: Paper, x: Extraction, copy: int, source: Source) -> tuple[Paper, Extraction]:
    """Return a copy of a paper with other names in the same places."""
    rng = random.Random(f"{copy} {paper.id}")
    id = f"{paper.id}.{copy}"
    names: dict[str, str] = {}
    for e in x.entities:
        other = bool(e.introduced_in) or rng.random() < SHARE_CHANGED
        for name in e.names:
            names.setdefault(name, respelt(name, rng) if other else name)
    key = {e.key: names.get(e.key, e.key) for e in x.entities} | {"PAPER": "PAPER", "": ""}
    entities = {}
    for e in x.entities:
        new = replace(e, key=key[e.key], name=key[e.key], names=tuple(names[n] for n in e.names),
                      introduced_in=(id,) if e.introduced_in else ())  # fmt: skip
        entities[new.key] = new
    mentions = tuple(
        replace(m, paper=id, surface=names[m.surface], entity=key[m.entity]) for m in x.mentions
    )
    statements = {}
    for s in x.statements:
        evidence = tuple(replace(e, paper=id) for e in s.evidence)
        new_s = replace(s, subject=key[s.subject], object=key[s.object], evidence=evidence)
        statements[new_s.id] = new_s
    results = tuple(
        replace(r, paper=id, subject=key[r.subject], benchmark=key[r.benchmark],
                metric=key[r.metric], baseline=key[r.baseline])
        for r in x.results
    )  # fmt: skip
    text = f"{copy} {paper.text}"
    found = Extraction(id, tuple(entities.values()), mentions, tuple(statements.values()), results)
    return replace(paper, id=id, text=text, source=source), found


def respelt(name: str, rng: random.Random) -> str:
    """Return ``name`` with three of its letters replaced, as long as before."""
    letters = [i for i, c in enumerate(name) if c.isalpha()]
    out = list(name)
    for i in rng.sample(letters, min(3, len(letters))):
        out[i] = rng.choice(string.ascii_uppercase if name[i].isupper() else string.ascii_lowercase)
    return "".join(out)


def put(ledger: Ledger, pairs: list[tuple[Paper, Extraction]]) -> None:
    ledger.replace_file(f"{pairs[0][0].source}", [Read(p) for p, _ in pairs])
    ledger.settle()
    ledger.add_extractions(pairs, "gold@1")


def run(gold: Path, size: int) -> dict[str, float]:
    stream = papers(gold)
    figures: dict[str, float] = {"papers": size}
    with tempfile.TemporaryDirectory() as directory, Ledger(directory, create=True) as ledger:
        for start in range(0, size, CHUNK):
            put(ledger, list(islice(stream, min(CHUNK, size - start))))
        assembly = Assembly(ledger)
        start_time, start_cpu = time.perf_counter(), time.process_time()
        assembly.update(NONE)
        figures["all_s"] = time.perf_counter() - start_time
        figures["all_cpu_s"] = time.process_time() - start_cpu
        counts = assembly.counts()
        figures["entities"], figures["statements"] = counts["entities"], counts["statements"]
        times = []
        for pair in islice(stream, 20):
            put(ledger, [pair])
            start_time = time.perf_counter()
            assembly.update(NONE)
            times.append(time.perf_counter() - start_time)
        figures["add_median_s"] = sorted(times)[len(times) // 2]
        figures["add_worst_s"] = max(times)
        start_time = time.perf_counter()
        assembly.update(NONE)
        figures["nothing_s"] = time.perf_counter() - start_time
        ledger.remove(pair[0].id)
        start_time = time.perf_counter()
        assembly.update(NONE)
        figures["remove_s"] = time.perf_counter() - start_time
        figures["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures["file_mb"] = (Path(directory) / "assembled.sqlite").stat().st_size / 2**20
        if size <= 10_000:
            start_time = time.perf_counter()
            assembly.graph()
            figures["load_s"] = time.perf_counter() - start_time
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sizes", type=int, nargs="+")
    arguments = parser.parse_args()
    if len(arguments.sizes) == 1:
        print(json.dumps(run(arguments.gold, arguments.sizes[0])))
        return
    print("| papers | entities | statements | all | a paper (CPU) | one more (median, worst of 20) "
          "| nothing new | one less | memory | load |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for size in arguments.sizes:
        done = subprocess.run(
            [sys.executable, __file__, arguments.gold, str(size)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        f = json.loads(done.stdout)
        load = f"{f['load_s']:.1f} s" if "load_s" in f else ""
        print(
            f"| {size:,} | {f['entities']:,} | {f['statements']:,} | {f['all_s']:.1f} s "
            f"| {1000 * f['all_cpu_s'] / size:.2f} ms | {f['add_median_s']:.2f} s, "
            f"{f['add_worst_s']:.2f} s | {f['nothing_s']:.3f} s | {f['remove_s']:.2f} s "
            f"| {f['memory_mb']:.0f} MB | {load} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
