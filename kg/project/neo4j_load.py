"""Bring a graph into Neo4j, and keep what is there equal to it.

:func:`load` compares and then writes the difference. Each node and relationship that it made
carries ``kg_hash``, a hash of all that it holds, set in the same transaction; so

* loading the same graph again reads, and writes nothing;
* a load that was interrupted is completed by the next one;
* what left the graph is taken out: nodes, relationships and properties;
* what carries no ``kg_hash`` is somebody else's, and is left alone; so are labels and properties
  that somebody added to a node of ours, and relationships that they tied to it.

A node that leaves the graph while somebody else's labels, properties or relationships hang on it
cannot simply go. It is *retired*: it keeps what is theirs, loses what is ours, and is labelled
``Retired``; it comes back to life if its entity or paper comes back.

Query texts are made from :mod:`kg.project.layout` alone; what a text said is always a parameter.
The graph's constraints come first, so that two loaders at once cannot double a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final, TypeVar

import neo4j

from kg.graph import Graph
from kg.project.cypher_schema import statements
from kg.project.layout import NODES, RELATIONSHIPS, NodeKind, RelationshipKind
from kg.project.neo4j import speaking
from kg.project.rows import NodeRow, RelationshipRow, node_rows, relationship_rows

__all__ = ["LoadReport", "load"]

T = TypeVar("T")

_HASH: Final = "kg_hash"
_RETIRED: Final = "kg_retired"


@dataclass(slots=True)
class LoadReport:
    """How many nodes and relationships of the graph a load created, changed, removed or kept.

    ``nodes_retired`` counts those of ``nodes_removed`` that stay, labelled ``Retired``, because
    somebody else's data hang on them.
    """

    nodes_created: int = 0
    nodes_changed: int = 0
    nodes_removed: int = 0
    nodes_retired: int = 0
    nodes_kept: int = 0
    relationships_created: int = 0
    relationships_changed: int = 0
    relationships_removed: int = 0
    relationships_kept: int = 0

    @property
    def changes(self) -> int:
        """Number of nodes and relationships that the load wrote."""
        return (
            self.nodes_created
            + self.nodes_changed
            + self.nodes_removed
            + self.relationships_created
            + self.relationships_changed
            + self.relationships_removed
        )


def load(
    graph: Graph,
    driver: neo4j.Driver,
    database: str | None = None,
    *,
    batch: int = 2000,
    progress: Callable[[str, int], None] | None = None,
) -> LoadReport:
    """Make the database hold exactly ``graph``, beside whatever else is in it.

    Parameters
    ----------
    graph : what the database shall hold. A graph that was loaded before is taken out as far as it
        differs.
    driver : of a Neo4j server, 5.26 or newer, any edition, no plug-in.
    database : name of the database, or None for the user's home database.
    batch : rows in a transaction, 1 or more; it bounds the memory that a transaction takes.
    progress : called with what is being loaded (``"Paper"``, ``"STATES"``) and the number of its
        rows that have been compared or written since the last call.

    Returns
    -------
    LoadReport

    Raises
    ------
    StoreError
        If the server cannot be used. What was written until then is whole; load again to go on.

    Notes
    -----
    Reads one hash for each node and relationship of ours, and writes what differs, rows sorted and
    one transaction at a time; transactions that a deadlock or a lost leader ends are tried again.
    Takes memory for the hashes of one kind of relationship at a time.
    """
    if batch < 1:
        raise ValueError("batch must be at least 1")
    with (
        speaking(database, driver=driver),
        driver.session(
            database=database,
            notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
        ) as session,
    ):
        return _Loader(session, batch, progress or (lambda what, rows: None)).run(graph)


class _Loader:
    def __init__(
        self, session: neo4j.Session, batch: int, progress: Callable[[str, int], None]
    ) -> None:
        self.session = session
        self.batch = batch
        self.progress = progress
        self.report = LoadReport()

    def run(self, graph: Graph) -> LoadReport:
        for statement in statements():
            self._write(statement)
        self._write("CALL db.awaitIndexes(300)")
        # Ends before ties; and ties that left before ends that left.
        gone_nodes = [(kind, self._nodes(graph, kind)) for kind in NODES]
        for relationship in RELATIONSHIPS:
            self._relationships(graph, relationship)
        for kind, gone in reversed(gone_nodes):
            self._remove_nodes(kind, gone)
        return self.report

    def _nodes(self, graph: Graph, kind: NodeKind) -> list[str]:
        """Write the nodes that are new or differ; return the keys of those that left the graph."""
        there = dict(self._read(_read_nodes(kind), "key", "hash"))
        retired = {key for (key,) in self._read(_read_retired(kind), "key")}
        for rows in _batches(node_rows(graph, kind), self.batch):
            new = [row for row in rows if row.key not in there]
            changed = [row for row in rows if there.pop(row.key, row.hash) != row.hash]
            if back := [row.key for row in new if row.key in retired]:
                self._write(_revive(kind), keys=back)
            for labels, some in _by_labels([*new, *changed]):
                self._write(_write_nodes(kind, labels), rows=[_node(kind, row) for row in some])
            self.report.nodes_created += len(new)
            self.report.nodes_changed += len(changed)
            self.report.nodes_kept += len(rows) - len(new) - len(changed)
            self.progress(kind.label, len(rows))
        return sorted(there)

    def _relationships(self, graph: Graph, kind: RelationshipKind) -> None:
        there = {
            identity: (start, stored)
            for identity, start, stored in self._read(
                _read_relationships(kind), "id", "start", "hash"
            )
        }
        for rows in _batches(relationship_rows(graph, kind), self.batch):
            new = [row for row in rows if row.id not in there]
            changed = [
                row for row in rows if there.pop(row.id, (row.start, row.hash))[1] != row.hash
            ]
            if new or changed:
                some = [_relationship(kind, row) for row in (*new, *changed)]
                self._write(_write_relationships(kind), rows=some)
            self.report.relationships_created += len(new)
            self.report.relationships_changed += len(changed)
            self.report.relationships_kept += len(rows) - len(new) - len(changed)
            self.progress(kind.type, len(rows))
        gone = sorted((start, identity) for identity, (start, _) in there.items())
        for pairs in _batches(gone, self.batch):
            some = [{"start": start, "id": identity} for start, identity in pairs]
            self._write(_remove_relationships(kind), rows=some)
            self.report.relationships_removed += len(pairs)

    def _remove_nodes(self, kind: NodeKind, gone: list[str]) -> None:
        labels = [kind.label, *kind.subtypes]
        known = [*kind.properties, _HASH]
        for keys in _batches(gone, self.batch):
            deleted = self._write(_remove_free_nodes(kind), keys=keys, labels=labels, known=known)
            self.report.nodes_removed += len(keys)
            if deleted.nodes_deleted < len(keys):
                self._write(_retire(kind), keys=keys)
                self.report.nodes_retired += len(keys) - deleted.nodes_deleted

    def _read(self, text: str, *columns: str) -> list[tuple[Any, ...]]:
        def work(transaction: neo4j.ManagedTransaction) -> list[tuple[Any, ...]]:
            return [tuple(record[c] for c in columns) for record in transaction.run(text)]

        return self.session.execute_read(work)

    def _write(self, text: str, **parameters: Any) -> neo4j.SummaryCounters:
        def work(transaction: neo4j.ManagedTransaction) -> neo4j.SummaryCounters:
            return transaction.run(text, parameters).consume().counters

        return self.session.execute_write(work)


def _node(kind: NodeKind, row: NodeRow) -> dict[str, Any]:
    """Return the row as a parameter: every property of the kind, null where it has none."""
    properties = {name: row.properties.get(name) for name in kind.properties}
    return {"key": row.key, "properties": {**properties, _HASH: row.hash}}


def _relationship(kind: RelationshipKind, row: RelationshipRow) -> dict[str, Any]:
    properties = {name: row.properties.get(name) for name in kind.properties}
    return {
        "id": row.id,
        "start": row.start,
        "end": row.end,
        "properties": {**properties, _HASH: row.hash},
    }


def _by_labels(rows: list[NodeRow]) -> Iterator[tuple[tuple[str, ...], list[NodeRow]]]:
    ordered = sorted(rows, key=lambda row: (row.labels, row.key))
    for labels, some in groupby(ordered, key=lambda row: row.labels):
        yield labels, list(some)


def _batches(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield some


# The query texts. Labels, types and property names come from the layout, and from nowhere else.


def _read_nodes(kind: NodeKind) -> str:
    return (
        f"MATCH (n:{kind.label}) WHERE n.{_HASH} IS NOT NULL "
        f"RETURN n.{kind.key} AS key, n.{_HASH} AS hash"
    )


def _write_nodes(kind: NodeKind, labels: tuple[str, ...]) -> str:
    merge = f"UNWIND $rows AS row MERGE (n:{kind.label} {{{kind.key}: row.key}})"
    own = "".join(f":{label}" for label in labels if label != kind.label)
    others = "".join(f":{label}" for label in kind.subtypes if label not in labels)
    if others:
        merge += f" REMOVE n{others}"
    if own:
        merge += f" SET n{own}"
    return f"{merge} SET n += row.properties"


def _remove_free_nodes(kind: NodeKind) -> str:
    return (
        f"UNWIND $keys AS key MATCH (n:{kind.label} {{{kind.key}: key}}) "
        f"WHERE n.{_HASH} IS NOT NULL AND NOT EXISTS {{ (n)--() }} "
        "AND all(label IN labels(n) WHERE label IN $labels) "
        "AND all(name IN keys(n) WHERE name IN $known) DELETE n"
    )


def _retire(kind: NodeKind) -> str:
    properties = ", ".join(f"n.`{name}`" for name in (*kind.properties, _HASH) if name != "name")
    labels = "".join(f":{label}" for label in (kind.label, *kind.subtypes))
    return (
        f"UNWIND $keys AS key MATCH (n:{kind.label} {{{kind.key}: key}}) "
        f"WHERE n.{_HASH} IS NOT NULL "
        f"SET n:Retired, n.{_RETIRED} = ['{kind.label}', key] REMOVE n{labels}, {properties}"
    )


def _read_retired(kind: NodeKind) -> str:
    return f"MATCH (n:Retired) WHERE n.{_RETIRED}[0] = '{kind.label}' RETURN n.{_RETIRED}[1] AS key"


def _revive(kind: NodeKind) -> str:
    return (
        f"UNWIND $keys AS key MATCH (n:Retired) WHERE n.{_RETIRED} = ['{kind.label}', key] "
        f"SET n:{kind.label}, n.{kind.key} = key REMOVE n:Retired, n.{_RETIRED}"
    )


def _read_relationships(kind: RelationshipKind) -> str:
    return (
        f"MATCH (a:{kind.start.label})-[r:{kind.type}]->(:{kind.end.label}) "
        f"WHERE r.{_HASH} IS NOT NULL "
        f"RETURN r.id AS id, a.{kind.start.key} AS start, r.{_HASH} AS hash"
    )


def _write_relationships(kind: RelationshipKind) -> str:
    return (
        "UNWIND $rows AS row "
        f"MATCH (a:{kind.start.label} {{{kind.start.key}: row.start}}) "
        f"MATCH (b:{kind.end.label} {{{kind.end.key}: row.end}}) "
        f"MERGE (a)-[r:{kind.type} {{id: row.id}}]->(b) SET r += row.properties"
    )


def _remove_relationships(kind: RelationshipKind) -> str:
    return (
        "UNWIND $rows AS row "
        f"MATCH (:{kind.start.label} {{{kind.start.key}: row.start}})"
        f"-[r:{kind.type} {{id: row.id}}]->(:{kind.end.label}) "
        f"WHERE r.{_HASH} IS NOT NULL DELETE r"
    )
