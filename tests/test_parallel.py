from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kg import extract
from kg.errors import InputError
from kg.extract import parallel
from kg.extract.model.folder import FILES, SHIPPED
from kg.extract.parallel import available, extract_chunks
from kg.records import Paper
from kg.resources import CORPUS


def papers() -> list[Paper]:
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    corpus = [Paper(str(n), json.loads(line)["text"]) for n, line in enumerate(lines)]
    return corpus + [replace(p, id=p.id + "b") for p in corpus]


def test_the_number_of_processes_does_not_change_what_is_found() -> None:
    engine = extract.load("patterns")
    found = papers()
    one = [pair for pairs in extract_chunks(found, engine, "patterns", 1) for pair in pairs]
    two = [pair for pairs in extract_chunks(found, engine, "patterns", 2) for pair in pairs]
    assert [p.id for p, _ in two] == [p.id for p in found]
    assert two == one


def test_papers_are_taken_as_they_are_needed() -> None:
    taken = 0

    def stream():  # type: ignore[no-untyped-def]
        nonlocal taken
        for paper in papers() * 3:
            taken += 1
            yield paper

    chunks = extract_chunks(stream(), extract.load("patterns"), "patterns", 1)
    next(chunks)
    assert taken < 300


def test_stopping_early_stops_the_processes() -> None:
    chunks = extract_chunks(papers(), extract.load("patterns"), "patterns", 2)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]


def test_a_process_that_is_told_to_stop_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = multiprocessing.get_context("spawn").Event()

    class Engine:
        def pipe(self, found: list[Paper]) -> Iterator[str]:
            for number, paper in enumerate(found):
                if number == 2:
                    stop.set()
                yield paper.id

    monkeypatch.setattr(parallel, "_engine", lambda _: Engine())
    monkeypatch.setattr(parallel, "_told", [stop])
    assert parallel._work("engine", papers()[:5]) == ["0", "1"]


def test_wrong_number_of_processes() -> None:
    assert available() >= 1
    with pytest.raises(InputError, match="at least 1"):
        next(extract_chunks([], extract.load("patterns"), "patterns", 0))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_network_that_is_damaged(workers: int, tmp_path: Path) -> None:
    for name in FILES:
        shutil.copyfile(SHIPPED / name, tmp_path / name)
    (tmp_path / "heads.onnx").write_bytes(b"nonsense")
    engine = extract.load(str(tmp_path))
    with pytest.raises(InputError, match="cannot be read"):
        next(extract_chunks(papers(), engine, str(tmp_path), workers))
