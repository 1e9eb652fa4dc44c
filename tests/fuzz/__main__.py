"""Run the fuzz: ``python -m tests.fuzz --inputs 10000 [--seed 1] [--only NAME] [--input N]``.

Exit code 1 if anything was found. Each finding is told with the command that repeats it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random

from .run import Report, one, run
from .targets import INPUTS, TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000, help="inputs of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=TARGETS, help="only this one")
    parser.add_argument("--input", type=int, help="only this input, in this process")
    parser.add_argument("--write", type=Path, help="with --input: write its bytes here")
    parser.add_argument("--all", action="store_true", help="all inputs for the slow targets, too")
    options = parser.parse_args()
    names = options.only or list(TARGETS)
    if options.input is not None:
        for name in names:
            if options.write:
                random = Random(f"{options.seed}/{name}/{options.input}")
                options.write.write_bytes(INPUTS[name](random))
            one(name, options.seed, options.input)
        return 0
    reports: list[Report] = []
    for name in names:
        share = 1 if options.all else TARGETS[name][0]
        report = run(name, options.seed, max(options.inputs // share, 1))
        print(report, flush=True)
        reports.append(report)
    found = sum(len(r.findings) for r in reports)
    print(f"{sum(r.inputs for r in reports)} inputs, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
