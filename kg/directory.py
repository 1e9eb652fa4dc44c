"""A graph directory: build it, and load what is in it.

``ledger.sqlite`` is the system of record (:mod:`kg.ledger`), and ``decisions.yaml``, if there is
one, holds what people decided (:mod:`kg.assemble.decisions`). ``assembled.sqlite``, the assembled
graph (:mod:`kg.assemble.incremental`), and ``cypher-….kgl``, the file of the embedded engine, are
derived from these two and are brought up to date whenever somebody asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from kg import extract
from kg.assemble.decision_file import read_decisions
from kg.assemble.decisions import FILE as DECISIONS
from kg.assemble.decisions import Decisions
from kg.assemble.incremental import Assembly
from kg.assemble.threshold import checked, least_of, set_least
from kg.extract.parallel import extract_chunks
from kg.graph import Graph
from kg.ledger import Ledger
from kg.ledger_rows import source_of
from kg.read import Read, Rejected, read
from kg.read.identity import identify
from kg.read.places import Paths, each, name_of
from kg.records import Source, digest
from kg.resources import CORPUS

if TYPE_CHECKING:
    from kg.project.embedded import EmbeddedStore

__all__ = [
    "BuildReport",
    "Plan",
    "Progress",
    "build",
    "load",
    "remove",
    "set_min_confidence",
    "store",
    "unmatched",
]

_TOGETHER: Final = 1.0
"""Seconds of reading after which a file is the last one of its transaction."""

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``read``, ``extract``, ``assemble``), how much is done, and the total."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build is about to extract.

    Attributes
    ----------
    extractor : version of the extractor.
    new : number of papers that are new or have another text.
    outdated : version of an earlier extractor to the number of its papers that are done again.
    given : number of papers that came with their extraction by this extractor (Parquet).
    """

    extractor: str
    new: int
    outdated: dict[str, int]
    given: int = 0

    @property
    def total(self) -> int:
        """Number of papers."""
        return self.new + sum(self.outdated.values())

    def __str__(self) -> str:
        parts = [f"{self.new} new or changed"] if self.new else []
        parts += [f"{n} again that were done by {was}" for was, n in self.outdated.items()]
        said = [f"papers that came extracted by {self.extractor}: {self.given}"] * bool(self.given)
        if parts:
            said.append(f"papers to extract by {self.extractor}: {', '.join(parts)}")
        return "; ".join(said) or "nothing to extract"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes
    ----------
    directory : the graph directory.
    min_confidence : facts of less are left out of the graph (:mod:`kg.assemble.threshold`).
    records_changed : input records that are new, changed or gone since the last build.
    extracted : papers that were extracted in this build.
    given : papers that came with their extraction, and so were not.
    changed : whether the graph differs from what it was.
    outcomes : outcome to number of records of the whole ledger.
    counts : number of papers, mentions, entities, statements and results of the graph.
    clashes : (file, position, reason) of the records that have the id of another with another text,
        and so are left out; empty if no record has changed.
    gone : papers of earlier builds that no file has any more, since files were read again without
        them.
    problems : (file, position, reason) of the records that this build rejected, and of files and
        paths that could not be read, in the order of reading.
    unmatched : decisions of people that match nothing in the graph, each with what is not there.
    """

    directory: Path
    records_changed: int
    extracted: int
    changed: bool
    outcomes: dict[str, int]
    counts: dict[str, int]
    problems: tuple[tuple[str, int, str], ...] = field(default=())
    unmatched: tuple[str, ...] = ()
    given: int = 0
    min_confidence: float = 0.0
    clashes: tuple[tuple[str, int, str], ...] = ()
    gone: int = 0

    @property
    def graph(self) -> Graph:
        """The graph, loaded when it is asked for."""
        return load(self.directory)


def build(
    paths: Paths,
    directory: str | Path = "graph",
    *,
    extractor: str = extract.DEFAULT,
    workers: int = 1,
    stdin: IO[bytes] | None = None,
    format: str | None = None,
    min_confidence: float | None = None,
    progress: Progress | None = None,
    before: Callable[[Plan], None] | None = None,
) -> BuildReport:
    """Read ``paths``, extract what is new, and assemble the graph in ``directory``.

    Papers of earlier builds stay; a file that is read again replaces what it held before. The graph
    is a function of the records in the ledger and of the decisions, whatever the order of the paths
    and the number of workers. A build that was killed goes on where it stopped when it is run
    again. Extractions that are read (the Parquet of ``kg extract --engine ray``) are taken as they
    are if the extractor that made them has the version of this build's, else made anew.

    Parameters
    ----------
    paths : one or several: files, directories, globs, or ``-`` for ``stdin``.
    format : one of :data:`kg.read.FORMATS` for every file, instead of what its content tells.
    directory : the graph directory; made if it is not there.
    extractor : name of the extractor, or path of a trained model.
    workers : number of processes for extraction; 1 extracts in this one.
    min_confidence : facts of less (0 to 1) are left out of the graph, now and in all later builds
        until another one is given (:func:`set_min_confidence`); None: as it is, 0 at first.
    progress : called as work goes on.
    before : called with what is going to be extracted, before it is.

    Raises
    ------
    InputError
        If the extractor is not known, the decision file is wrong, or ``min_confidence`` is not
        between 0 and 1.
    StoreError
        If the ledger cannot be used.
    """
    from kg import __version__

    tell = progress or (lambda stage, done, total: None)
    if min_confidence is not None:
        checked(min_confidence)
    decisions = read_decisions(Path(directory) / DECISIONS)
    engine = extract.load(extractor)
    with Ledger(directory, create=True) as ledger:
        coming = ledger.next_build()
        items = read(paths, stdin=stdin, format=format)
        changed, problems = _read(ledger, items, tell, engine.version, coming)
        gone = ledger.settle()
        given = ledger.given(engine.version, coming)
        outdated = ledger.outdated(engine.version)
        plan = Plan(engine.version, outdated.pop("", 0), outdated, given)
        if before is not None:
            before(plan)
        number = 0
        if changed or plan.total or given:
            number = ledger.begin_build(__version__, engine.version)
        if plan.total:
            pending = ledger.pending(engine.version)
            done = 0
            for pairs in extract_chunks(pending, engine, extractor, workers):
                ledger.add_extractions(pairs, engine.version, number)
                done += len(pairs)
                tell("extract", done, plan.total)
        tell("assemble", 0, None)
        assembly = Assembly(ledger)
        differs = assembly.update(decisions)
        if min_confidence is not None and set_least(ledger, min_confidence):
            differs = True
        if differs and not number:
            number = ledger.begin_build(__version__, engine.version)
        if number:
            ledger.end_build(number, plan.total, decisions.digest if decisions else "")
        return BuildReport(
            Path(directory),
            changed,
            plan.total,
            differs,
            ledger.outcomes(),
            _counts(ledger, assembly),
            tuple(dict.fromkeys(problems)),
            _unmatched(assembly, decisions),
            given=given,
            min_confidence=least_of(ledger),
            clashes=_clashes(ledger) if changed else (),
            gone=gone,
        )


def _read(
    ledger: Ledger, items: Iterable[Read | Rejected], tell: Progress, extractor: str, build: int
) -> tuple[int, list[tuple[str, int, str]]]:
    """Put ``items`` into the ledger.

    Returns
    -------
    changed, problems
        The number of changed records; and (file, position, reason) of what could not be read. A
        misspelt path is no record: it is told, and the ledger keeps nothing of it.
    """
    changed, count = 0, 0
    problems: list[tuple[str, int, str]] = []

    def there(items: Iterable[Read | Rejected]) -> Iterator[Read | Rejected]:
        for item in map(_from_corpus, items):
            if isinstance(item, Rejected) and item.kind != "empty":
                problems.append((item.source.file, item.source.position, item.reason))
                if item.kind == "missing":
                    continue
            yield item

    def counted(items: Iterator[Read | Rejected]) -> Iterator[Read | Rejected]:
        nonlocal count
        for item in items:
            count += 1
            tell("read", count, None)
            yield item

    groups = groupby(there(items), key=lambda item: source_of(item).file)
    for first in groups:
        with ledger.transaction():  # small files share one: each costs the disk some milliseconds
            end = time.monotonic() + _TOGETHER
            for file, found in chain([first], groups):
                changed += ledger.replace_file(file, counted(found), extractor, build)
                if time.monotonic() > end:
                    break
    return changed, problems


def remove(
    papers: str | Iterable[str] = (),
    directory: str | Path = "graph",
    *,
    files: str | Path | Iterable[str | Path] = (),
) -> BuildReport:
    """Remove papers, and exactly what only they said, from the graph in ``directory``.

    They come back if a file that has them is built again. A paper of ``files`` that another file
    has, too, stays.

    Parameters
    ----------
    papers : one id, or several; arXiv identifiers, DOIs and their addresses in any writing.
    files : one file, or several, as they were given to :func:`build`; of a directory or an archive,
        all that is in it.

    Raises
    ------
    NotFoundError
        If there is no such graph, paper or file; then nothing is removed.
    StoreError
        If the ledger cannot be used.
    """
    ids = [identify([p]) or p for p in ([papers] if isinstance(papers, str) else papers)]
    with _open(directory) as (ledger, decisions):
        changed = ledger.remove(ids, [name_of(Path(file)) for file in each(files)])
        assembly = Assembly(ledger)
        differs = assembly.update(decisions)
        return BuildReport(
            Path(directory),
            changed,
            0,
            differs,
            ledger.outcomes(),
            _counts(ledger, assembly),
            unmatched=_unmatched(assembly, decisions),
            min_confidence=least_of(ledger),
        )


def set_min_confidence(least: float, directory: str | Path = "graph") -> BuildReport:
    """Leave facts of less confidence than ``least`` out of the graph in ``directory``.

    The ledger keeps them: a lower value brings them back. Nothing is read or extracted.

    Parameters
    ----------
    least : 0 (nothing is left out) to 1; see :meth:`kg.graph.Graph.at_least`.

    Raises
    ------
    NotFoundError
        If there is no graph.
    InputError
        If ``least`` is not between 0 and 1, or the decision file is wrong.
    StoreError
        If the ledger cannot be used.
    """
    with _open(directory) as (ledger, decisions):
        assembly = Assembly(ledger)
        differs = assembly.update(decisions)
        differs = set_least(ledger, least) or differs
        return BuildReport(
            Path(directory),
            0,
            0,
            differs,
            ledger.outcomes(),
            _counts(ledger, assembly),
            unmatched=_unmatched(assembly, decisions),
            min_confidence=least_of(ledger),
        )


def load(
    directory: str | Path = "graph", *, as_of: str = "", min_confidence: float | None = None
) -> Graph:
    """Return the graph in ``directory``; assemble first what has changed.

    Parameters
    ----------
    as_of : a date; what papers after it say is left out, see :meth:`kg.graph.Graph.as_of`.
    min_confidence : facts of less are left out, see :meth:`kg.graph.Graph.at_least`; None: what
        the graph was built with.

    Raises
    ------
    NotFoundError
        If there is no graph.
    InputError
        If ``as_of`` is no date, ``min_confidence`` is not between 0 and 1, or the decision file is
        wrong.
    StoreError
        If the ledger cannot be used.
    """
    with _open(directory) as (ledger, decisions):
        assembly = Assembly(ledger)
        assembly.update(decisions)
        least = least_of(ledger) if min_confidence is None else min_confidence
        graph = assembly.graph().at_least(least)
    return graph.as_of(as_of) if as_of else graph


def store(directory: str | Path = "graph", *, as_of: str = "") -> EmbeddedStore:
    """Return the embedded store of the graph in ``directory``, made anew if it is out of date.

    Parameters
    ----------
    as_of : as in :func:`load`; the store is then made in memory.

    Raises
    ------
    NotFoundError
        If there is no graph.
    InputError
        If ``as_of`` is no date, or the decision file is wrong.
    StoreError
        If the ledger or the engine cannot be used.
    """
    from kg.project.embedded import EmbeddedStore, open_store

    if as_of:
        return EmbeddedStore.build(load(directory, as_of=as_of))
    with _open(directory) as (ledger, decisions):
        assembly = Assembly(ledger)
        assembly.update(decisions)
        state, least = assembly.state(decisions), least_of(ledger)
        if least:
            state = digest(state, least)
        return open_store(ledger.directory, state, lambda: assembly.graph().at_least(least))


def unmatched(directory: str | Path = "graph") -> tuple[str, ...]:
    """Return the decisions that match nothing in the graph in ``directory``, a line each.

    Raises
    ------
    NotFoundError
        If there is no graph.
    InputError
        If the decision file is wrong.
    StoreError
        If the ledger cannot be used.
    """
    with _open(directory) as (ledger, decisions):
        assembly = Assembly(ledger)
        assembly.update(decisions)
        return _unmatched(assembly, decisions)


def _clashes(ledger: Ledger) -> tuple[tuple[str, int, str], ...]:
    return tuple((at.file, at.position, reason) for at, reason in ledger.clashes())


@contextmanager
def _open(directory: str | Path) -> Iterator[tuple[Ledger, Decisions]]:
    with Ledger(directory) as ledger:
        ledger.settle()
        yield ledger, read_decisions(ledger.directory / DECISIONS)


def _counts(ledger: Ledger, assembly: Assembly) -> dict[str, int]:
    """Return the counts of the graph, without what is left out of it."""
    least = least_of(ledger)
    return assembly.graph().at_least(least).counts() if least else assembly.counts()


def _unmatched(assembly: Assembly, decisions: Decisions) -> tuple[str, ...]:
    return tuple(
        f"{decisions.source}:{d.line}: {d}: not in the graph: {missing}"
        for d, missing in assembly.unmatched(decisions)
    )


def _from_corpus(item: Read | Rejected) -> Read | Rejected:
    """Name the shipped corpus alike on every machine, wherever it is installed."""
    source = source_of(item)
    if source.file != CORPUS.as_posix():
        return item
    named = Source(f"corpus/{CORPUS.name}", source.position)
    if isinstance(item, Rejected):
        return replace(item, source=named)
    return replace(item, paper=replace(item.paper, source=named))
