"""The graph with Cypher and no server: the one module that knows the engine, kglite.

What the store holds is derived. :func:`open_store` makes its file anew whenever it is not of the
graph at hand, and deleting the file loses nothing.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

import kglite

from kg.errors import QueryError, StoreError
from kg.graph import Graph
from kg.project.layout import LAYOUT, NODES, RELATIONSHIPS, NodeKind, RelationshipKind
from kg.project.rows import node_rows, relationship_rows
from kg.records import digest

__all__ = ["EmbeddedStore", "open_store"]

_log: Final = logging.getLogger(__name__)

_BATCH: Final = 5000
_FILE: Final = "cypher-{}.kgl"
# Passes of its optimiser that answer some queries wrongly: the first, a count of rows where one hop
# is undirected; the others, count(DISTINCT …) inside CALL { … }. Held against the engine without
# its optimiser, 18 of 4,500 random queries were wrong with the last two, and 0 of 3,600 without.
_DISABLED: Final = [
    "fuse_match_return_aggregate",
    "fuse_chain_path_count",
    "push_distinct_into_match",
]
_KNOWN: Final = frozenset(
    {k.label for k in NODES}
    | {name for k in NODES for name in (*k.subtypes, *k.properties)}
    | {k.type for k in RELATIONSHIPS}
    | {name for r in RELATIONSHIPS for name in r.properties}
)


class EmbeddedStore:
    """A graph that answers Cypher in this process. It can only be read.

    It has the labels, relationship types and properties that Neo4j gets. Several threads may ask
    at once. Use :meth:`build` or :func:`open_store`.
    """

    def __init__(self, engine: kglite.KnowledgeGraph) -> None:
        # Its warnings would be printed; they are logged here instead.
        kglite.set_query_warning_policy("silent")
        engine.read_only(True)
        self._engine = engine

    @classmethod
    def build(cls, graph: Graph) -> EmbeddedStore:
        """Return a store of ``graph``, in memory.

        Raises
        ------
        ValueError
            If a record names a paper or an entity that the graph does not have.
        """
        engine = kglite.KnowledgeGraph()
        for kind in NODES:
            for text, rows in _node_batches(graph, kind):
                engine.cypher(text, params={"rows": rows})
            engine.cypher(f"CREATE INDEX FOR (n:{kind.label}) ON (n.{kind.key})")
        for relationship in RELATIONSHIPS:
            for rows in _relationship_batches(graph, relationship):
                engine.cypher(_create_relationships(relationship), params={"rows": rows})
        return cls(engine)

    def save(self, path: Path) -> None:
        """Write the store to ``path``; the file is replaced whole or not at all.

        Raises
        ------
        StoreError
            If the file cannot be written.
        """
        try:
            self._engine.save(str(path))
        except (OSError, ValueError, kglite.KgError) as error:
            raise StoreError(f"cannot write {path}: {_line(error)}") from error

    @classmethod
    def load(cls, path: Path) -> EmbeddedStore:
        """Return the store that :meth:`save` wrote to ``path``.

        Raises
        ------
        StoreError
            If the file is absent, damaged, or of another version of the engine.
        """
        try:
            return cls(kglite.load(str(path)))
        except (OSError, ValueError, kglite.KgError) as error:
            raise StoreError(f"cannot read {path}: {_line(error)}; delete it") from error

    def cypher(
        self, text: str, parameters: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of the query ``text``, each as a dict from column to value.

        Parameters
        ----------
        text : one Cypher statement that reads.
        parameters : value of each ``$name`` in the text.

        Raises
        ------
        QueryError
            If the query is malformed, lacks a parameter, fails, or writes.
        """
        try:
            view = self._engine.cypher(
                text, params=dict(parameters or {}), disabled_passes=_DISABLED
            )
            if not isinstance(view, kglite.ResultView):
                raise QueryError("FORMAT CSV is not taken here; leave it out")
            rows: list[dict[str, Any]] = view.to_list()
        except kglite.ReadOnlyError as error:
            raise QueryError(
                "the query writes, and the embedded store is made from the ledger and can only "
                "be read; change what is built, or load the graph into Neo4j"
            ) from error
        except (ValueError, TypeError, kglite.KgError) as error:
            raise QueryError(_said(error)) from error
        for warning in view.warnings:
            named = re.search(r"'([^']+)'", warning)
            if named is None or named[1] not in _KNOWN:
                _log.warning("%s", warning)
        return rows


def open_store(directory: Path, graph_digest: str, graph: Callable[[], Graph]) -> EmbeddedStore:
    """Return the store of a graph, from its file in ``directory`` if that is of the same graph.

    Parameters
    ----------
    directory : the graph directory. The file is called ``cypher-<digest>.kgl``; others of the kind
        are deleted.
    graph_digest : identity of the assembled graph; equal graphs have equal ones.
    graph : called only if the file has to be made. Where it cannot be written, which is logged, the
        store is in memory and the next call makes it again.
    """
    identity = digest(graph_digest, LAYOUT, kglite.__version__)
    path = directory / _FILE.format(identity)
    if path.exists():
        try:
            return EmbeddedStore.load(path)
        except StoreError as error:
            _log.info("%s", error)
    store = EmbeddedStore.build(graph())
    try:
        store.save(path)
    except StoreError as error:
        _log.warning("%s; the next query will take as long as this one", error)
        return store
    for old in directory.glob(_FILE.format("*")):
        if old != path:
            with contextlib.suppress(OSError):
                old.unlink()
    return store


def _node_batches(graph: Graph, kind: NodeKind) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rows = sorted(node_rows(graph, kind), key=lambda row: (row.labels, row.key))
    for labels, same in groupby(rows, key=lambda row: row.labels):
        text = f"UNWIND $rows AS row CREATE (n:{':'.join(labels)} {{{kind.key}: row.key}})"
        while some := [{"key": r.key, "properties": r.properties} for r in islice(same, _BATCH)]:
            yield f"{text} SET n += row.properties", some


def _relationship_batches(graph: Graph, kind: RelationshipKind) -> Iterator[list[dict[str, Any]]]:
    rows = relationship_rows(graph, kind)
    while some := [
        {"start": r.start, "end": r.end, "properties": r.properties} for r in islice(rows, _BATCH)
    ]:
        yield some


def _create_relationships(kind: RelationshipKind) -> str:
    return (
        "UNWIND $rows AS row "
        f"MATCH (a:{kind.start.label} {{{kind.start.key}: row.start}}) "
        f"MATCH (b:{kind.end.label} {{{kind.end.key}: row.`end`}}) "
        f"CREATE (a)-[r:{kind.type}]->(b) SET r += row.properties"
    )


def _said(error: Exception) -> str:
    line = _line(error)
    if missing := re.search(r"[Mm]issing parameter: \$?(\w+)", line):
        return f"the query needs a value for its parameter {missing[1]}"
    return re.sub(r"^Cypher (?:syntax |execution )?error(?: at)?:? ", "", line)


def _line(error: Exception) -> str:
    message = str(error).strip() or type(error).__name__
    return message.splitlines()[0]
