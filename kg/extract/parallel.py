"""Extract many papers, in several processes, in the order of the input and with flat memory."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import chain, islice, takewhile
from multiprocessing.synchronize import Event
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
    engine : the extractor of this process; with several others it does nothing.
    name : what :func:`kg.extract.load` takes to make the same extractor in another process.
    workers : number of processes, 1 or more. What is yielded does not depend on it.

    Raises
    ------
    InputError
        If ``workers`` is less than 1, or a network of the extractor is damaged.
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
    stop = context.Event()
    with ProcessPoolExecutor(workers, context, _start, (stop,)) as pool:
        waiting: deque[tuple[list[Paper], Future[list[Extraction]]]] = deque()
        try:
            for chunk in chain(first, chunks):
                waiting.append((chunk, pool.submit(_work, name, chunk)))
                if len(waiting) > 2 * workers:
                    yield _done(waiting)
            while waiting:
                yield _done(waiting)
        finally:
            stop.set()  # who stops early does not wait for the chunks under way
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


_told: list[Event] = []
"""In a process that another one started: what that one sets when it wants no more."""


def _start(stop: Event) -> None:
    """Leave Ctrl-C to the process that started this one, which sets ``stop``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _told[:] = [stop]


@cache
def _engine(name: str) -> Extractor:
    """Return the extractor of this process, loaded."""
    engine = extract.load(name)
    if engine.nlp:
        gc.freeze()  # what has been loaded stays: no need to look for garbage in it, over and over
    return engine


def _work(name: str, papers: list[Paper]) -> list[Extraction]:
    """Return the extractions of ``papers``; too few if nobody wants them any more."""
    found = _engine(name).pipe(papers)
    return list(takewhile(lambda _: not any(stop.is_set() for stop in _told), found))
