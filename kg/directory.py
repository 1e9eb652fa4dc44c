"""A graph directory: build it, and load what is in it.

``ledger.sqlite`` is the system of record (:mod:`kg.ledger`). ``graph.jsonl``, the assembled
graph, and
``cypher-….kgl``, the file of the embedded engine, are derived from it and are made anew whenever
they are out of date or gone.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from kg import extract
from kg.assemble.assemble import VERSION, assemble
from kg.errors import InputError
from kg.graph import Graph
from kg.ledger import Ledger, source_of
from kg.project.json_lines import read_json, write_json
from kg.read import Read, Rejected, read
from kg.records import Extraction, Paper, Source
from kg.resources import CORPUS

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor
    from kg.project.embedded import EmbeddedStore

__all__ = ["GRAPH_FILE", "BuildReport", "Progress", "build", "load"]

GRAPH_FILE: Final = "graph.jsonl"
"""The assembled graph in its directory; derived from the ledger."""

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``read``, ``extract``, ``assemble``), how much is done, and the total."""

_CHUNK: Final = 32
"""Papers per transaction of the ledger."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes
    ----------
    directory : the graph directory.
    records_changed : input records that are new, changed or gone since the last build.
    extracted : papers that were extracted in this build.
    changed : whether the graph differs from what it was.
    outcomes : outcome to number of records of the whole ledger.
    problems : (file, position, reason) of the rejected records of the files of this build.
    graph : the assembled graph.
    """

    directory: Path
    records_changed: int
    extracted: int
    changed: bool
    outcomes: dict[str, int]
    graph: Graph
    problems: tuple[tuple[str, int, str], ...] = field(default=())


def build(
    paths: Iterable[str | Path],
    directory: str | Path = "graph",
    *,
    extractor: str = extract.DEFAULT,
    workers: int = 1,
    stdin: IO[bytes] | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Read ``paths``, extract what is new, and assemble the graph in ``directory``.

    Papers of earlier builds stay; a file that is read again replaces what it held before. The graph
    is a function of the records in the ledger, whatever the order of the paths and the number of
    workers. A build that was killed goes on where it stopped when it is run again.

    Parameters
    ----------
    paths : files, directories, globs, or ``-`` for ``stdin``.
    directory : the graph directory; made if it is not there.
    extractor : name of the extractor, or path of a trained model.
    workers : number of processes for extraction; 1 extracts in this one.
    progress : called as work goes on.

    Raises
    ------
    InputError
        If the extractor is not known.
    StoreError
        If the ledger cannot be used.
    """
    tell = progress or (lambda stage, done, total: None)
    engine = extract.load(extractor)
    version = engine.version
    with Ledger(directory, create=True) as ledger:
        records, files = 0, []
        count = 0

        def counted(items: Iterator[Read | Rejected]) -> Iterator[Read | Rejected]:
            nonlocal count
            for item in items:
                count += 1
                tell("read", count, None)
                yield item

        found = (_from_corpus(item) for item in read(paths, stdin=stdin))
        for file, items in groupby(found, key=lambda item: source_of(item).file):
            records += ledger.replace_file(file, counted(items))
            files.append(file)
        ledger.settle()
        pending = ledger.pending(version)
        for done, pairs in _extract(pending, engine, extractor, workers):
            ledger.add_extractions(pairs, version)
            tell("extract", done, len(pending))
        tell("assemble", 0, None)
        graph, changed = _assembled(ledger)
        problems = tuple(
            (source.file, source.position, reason)
            for source, _, reason, _ in ledger.records("rejected")
            if source.file in files
        )
        return BuildReport(
            Path(directory), records, len(pending), changed, ledger.outcomes(), graph, problems
        )


def load(directory: str | Path = "graph") -> Graph:
    """Return the graph in ``directory``; assemble it first if the ledger has changed.

    Raises
    ------
    NotFoundError
        If there is no graph.
    StoreError
        If the ledger cannot be used.
    """
    with Ledger(directory) as ledger:
        return _assembled(ledger)[0]


def store(directory: str | Path = "graph") -> EmbeddedStore:
    """Return the embedded store of the graph in ``directory``, made anew if it is out of date.

    Raises
    ------
    NotFoundError
        If there is no graph.
    StoreError
        If the ledger or the engine cannot be used.
    """
    from kg.project.embedded import open_store

    with Ledger(directory) as ledger:
        return open_store(ledger.directory, _state(ledger), lambda: _assembled(ledger)[0])


def _state(ledger: Ledger) -> str:
    """Return what the assembled graph of ``ledger`` depends on: equal states, equal graphs."""
    return f"{ledger.state()} {VERSION}"


def _assembled(ledger: Ledger) -> tuple[Graph, bool]:
    """Return the graph of ``ledger``, and whether it had to be made anew."""
    path = ledger.directory / GRAPH_FILE
    state = _state(ledger)
    if ledger.get("assembled") == state and path.is_file():
        with path.open("rb") as lines:
            return read_json(lines), False
    graph = assemble(ledger.papers(), ledger.extractions())
    fresh = path.with_suffix(f".{os.getpid()}.part")
    with fresh.open("wb") as out:
        write_json(graph, out)
    fresh.replace(path)
    ledger.set("assembled", state)
    return graph, True


def _from_corpus(item: Read | Rejected) -> Read | Rejected:
    """Name the shipped corpus alike on every machine, wherever it is installed."""
    source = source_of(item)
    if not source.file.startswith(str(CORPUS)):
        return item
    named = Source("corpus/" + Path(source.file).name, source.position)
    if isinstance(item, Rejected):
        return replace(item, source=named)
    return replace(item, paper=replace(item.paper, source=named))


_worker: Extractor | None = None


def _start(name: str) -> None:
    global _worker
    _worker = extract.load(name)


def _work(papers: list[Paper]) -> list[Extraction]:
    if _worker is None:
        raise RuntimeError("the worker has no extractor")
    return list(_worker.pipe(papers))


def _extract(
    papers: list[Paper], engine: Extractor, name: str, workers: int
) -> Iterator[tuple[int, list[tuple[Paper, Extraction]]]]:
    """Yield (number of papers done so far, pairs of the last chunk), in the order of ``papers``."""
    if workers < 1:
        raise InputError(f"workers must be at least 1, not {workers}")
    chunks = [papers[i : i + _CHUNK] for i in range(0, len(papers), _CHUNK)]
    done = 0
    if workers == 1 or len(chunks) < 2:
        for chunk in chunks:
            done += len(chunk)
            yield done, list(zip(chunk, engine.pipe(chunk), strict=True))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start, (name,)) as pool:
        for chunk, extractions in zip(chunks, pool.map(_work, chunks), strict=True):
            done += len(chunk)
            yield done, list(zip(chunk, extractions, strict=True))
