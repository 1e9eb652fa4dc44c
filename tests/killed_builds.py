"""Kill builds at random moments, and see whether the next one comes to the same bytes.

Run as a script (``python killed_builds.py DIRECTORY ROUNDS``): each build is a forked process,
which wants a process without threads. Prints one JSON object.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import kg
from kg import extract
from kg.project.json_lines import write_json
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Statement

NAMES = [f"Alpha{n}Net" for n in range(12)]


class Stub:
    """Finds the made-up names, each of which improves over the next one in the text."""

    version = "stub@1"

    def pipe(self, papers: Iterable[Paper]) -> Iterator[Extraction]:
        for paper in papers:
            found = [w for w in paper.text.split() if w in NAMES]
            entities = tuple(Entity(w, w, "Model", (w,)) for w in sorted(set(found)))
            mentions = tuple(
                Mention(paper.id, "text", at, at + len(w), w, "Model", w)
                for w in sorted(set(found))
                for at in [paper.text.index(w)]
            )
            sentence = Evidence(paper.id, "text", 0, len(paper.text), paper.text, 0.8, self.version)
            pairs = {(a, b) for a, b in itertools.pairwise(found) if a != b}
            said = (Statement(a, "improves-over", b, (sentence,)) for a, b in sorted(pairs))
            yield Extraction(paper.id, entities, mentions, tuple(said))


def sources(directory: Path) -> list[Path]:
    rng = random.Random(1)
    files = []
    for number in range(4):
        lines = [
            json.dumps({"id": f"{number}.{i}", "text": " ".join(rng.choices([*NAMES, "and"], k=9))})
            for i in range(24)
        ]
        files.append(directory / f"{number}.jsonl")
        files[-1].write_text("\n".join(lines), encoding="utf-8")
    return files


def exported(directory: Path) -> bytes:
    out = io.BytesIO()
    write_json(kg.load(directory), out)
    return out.getvalue()


def forked(files: list[Path], directory: Path) -> int:
    child = os.fork()
    if child == 0:
        kg.build(files, directory)
        os._exit(0)
    return child


def main(directory: Path, rounds: int) -> dict[str, object]:
    extract.load = lambda name="": Stub()  # type: ignore[assignment,return-value]
    files = sources(directory)
    start = time.perf_counter()
    os.waitpid(forked(files, directory / "whole"), 0)
    duration = time.perf_counter() - start
    whole = exported(directory / "whole")
    rng = random.Random(2)
    killed = different = 0
    for number in range(rounds):
        graph = directory / str(number)
        child = forked(files, graph)
        time.sleep(duration * (number + rng.random()) / rounds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        kg.build(files, graph)
        different += exported(graph) != whole
    return {"killed": killed, "different": different, "bytes": len(whole)}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
