"""Peak memory of `kg extract` and `kg build`, by the number of abstracts.

    python benchmarks/memory.py FILE 1000 14000 [--extractor model] [--workers 2]

FILE is in any format that `kg` reads; of it the first so many abstracts are taken. Prints a
Markdown table: the peak of the main process and of the largest worker, each in a run of its own,
and their ratio to the first row's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path

from kg.read import Rejected, read


def take(source: str, number: int, target: Path) -> int:
    """Write the first so many papers of `source` as JSON lines; return how many there were."""
    papers = (item.paper for item in read([source]) if not isinstance(item, Rejected))
    count = 0
    with target.open("w", encoding="utf-8") as out:
        for paper in islice(papers, number):
            row = {"id": paper.id, "title": paper.title, "abstract": paper.text}
            out.write(json.dumps(row) + "\n")
            count += 1
    return count


def child(arguments: list[str]) -> None:
    """Run `kg` in this process, then print the peaks (in MB)."""
    from kg.cli import cli

    begun = time.perf_counter()
    code = 0
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        try:
            cli.main(arguments, standalone_mode=False)
        except SystemExit as stop:
            code = int(stop.code or 0)
    peaks = [
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    print(json.dumps({"seconds": time.perf_counter() - begun, "peaks": peaks, "code": code}))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("numbers", type=int, nargs="*")
    parser.add_argument("--extractor", default="model")
    parser.add_argument("--workers", default="2")
    options = parser.parse_args()
    print(
        "| command | abstracts | seconds | main process, MB | ratio | largest worker, MB | ratio |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for command in ("extract", "build"):
            first: list[float] = []
            for number in options.numbers:
                papers = Path(folder) / f"{number}.jsonl"
                count = take(options.file, number, papers)
                arguments = [command, str(papers), "--extractor", options.extractor]
                arguments += ["--workers", options.workers]
                if command == "build":
                    arguments += ["-o", str(Path(folder) / f"graph-{number}")]
                code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
                code += f"import memory; memory.child({arguments!r})"
                done = subprocess.run(
                    [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True
                )
                got = json.loads(done.stdout.splitlines()[-1])
                peaks = got["peaks"]
                first = first or peaks
                cells = " | ".join(
                    f"{peak:.0f} | {peak / max(before, 1):.2f}"
                    for peak, before in zip(peaks, first, strict=True)
                )
                print(f"| {command} | {count} | {got['seconds']:.0f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
