"""Extract many papers, in several processes, in the order of the input and with flat memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from kg import extract
from kg.errors import InputError
from kg.records import Extraction, Paper

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor

__all__ = ["available", "extract_chunks"]

_PAPERS: Final = 32
_CHARACTERS: Final = 60_000
"""A chunk has at most so many papers, and ends with the paper that brings it to so many
characters."""

_FEW: Final = 4
"""Fewer chunks than this are done in this process: starting others would take longer."""

Pairs = list[tuple[Paper, Extraction]]


def available() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def extract_chunks(
    papers: Iterable[Paper], engine: Extractor, name: str, workers: int = 1
) -> Iterator[Pairs]:
    """Yield the extractions of ``papers``, a chunk at a time, in their order.

    Parameters
    ----------
    papers : in any number; a few chunks of them are held at a time.
    engine : the extractor of this process.
    name : what :func:`kg.extract.load` takes to make the same extractor in another process.
    workers : number of processes, 1 or more. What is yielded does not depend on it.

    Raises
    ------
    InputError
        If ``workers`` is less than 1.
    """
    if workers < 1:
        raise InputError(f"workers must be at least 1, not {workers}")
    chunks = _chunks(papers)
    first = list(islice(chunks, _FEW))
    if workers == 1 or len(first) < _FEW:
        for chunk in chain(first, chunks):
            yield list(zip(chunk, engine.pipe(chunk), strict=True))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start, (name,)) as pool:
        waiting: deque[tuple[list[Paper], Future[list[Extraction]]]] = deque()
        try:
            for chunk in chain(first, chunks):
                waiting.append((chunk, pool.submit(_work, chunk)))
                if len(waiting) > 2 * workers:
                    yield _done(waiting)
            while waiting:
                yield _done(waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _done(waiting: deque[tuple[list[Paper], Future[list[Extraction]]]]) -> Pairs:
    chunk, future = waiting.popleft()
    return list(zip(chunk, future.result(), strict=True))


def _chunks(papers: Iterable[Paper]) -> Iterator[list[Paper]]:
    chunk: list[Paper] = []
    size = 0
    for paper in papers:
        chunk.append(paper)
        size += len(paper.title) + len(paper.text)
        if len(chunk) >= _PAPERS or size >= _CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


_engine: Extractor | None = None


def _start(name: str) -> None:
    """Make this process's extractor. Ctrl-C is for the process that started it."""
    global _engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _engine = extract.load(name)


def _work(papers: list[Paper]) -> list[Extraction]:
    if _engine is None:
        raise RuntimeError("this process was not started as a worker")
    return list(_engine.pipe(papers))
