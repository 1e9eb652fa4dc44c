"""The graph as plain rows: one for each node and relationship, as both stores hold them.

The stores load these rows and add nothing. :mod:`kg.project.layout` says what they look like.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from kg.graph import Graph
from kg.project.characters import carriable
from kg.project.layout import (
    ENTITY_NODE,
    PAPER_NODE,
    PASSAGE,
    RESULT_NODE,
    STATEMENT_NODE,
    NodeKind,
    RelationshipKind,
)
from kg.records import Entity, Paper, Result, Statement, digest, paper_key
from kg.schema import FAMILY, PAPER, PREDICATES

__all__ = ["NodeRow", "RelationshipRow", "Value", "node_rows", "relationship_rows"]

Value: TypeAlias = str | int | float | bool | list[str]
"""What a property may hold."""


_DANGLING: Final = "{0!r} is named by a record, and the graph does not have it"
_PREDICATE_OF: Final = {p.relationship: p.name for p in PREDICATES.values()}
_RESULT_ENDS: Final = {
    "OF": "subject",
    "ON": "benchmark",
    "MEASURED_BY": "metric",
    "AGAINST": "baseline",
}


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node: its identity, its labels and all its properties, the identifying one included."""

    key: str
    labels: tuple[str, ...]
    properties: dict[str, Value]

    @property
    def hash(self) -> str:
        """Sixteen hex digits of what the node holds."""
        return digest(json.dumps([self.labels, self.properties], sort_keys=True))


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """A relationship: its ``id``, the identities of its ends, and its properties, with ``id``."""

    id: str
    start: str
    end: str
    properties: dict[str, Value]

    @property
    def hash(self) -> str:
        """Sixteen hex digits of what the relationship holds."""
        return digest(json.dumps([self.start, self.end, self.properties], sort_keys=True))


def node_rows(graph: Graph, kind: NodeKind) -> Iterator[NodeRow]:
    """Yield the nodes of ``kind``, sorted by identity."""
    if kind is PAPER_NODE:
        for paper in graph.papers.values():
            yield NodeRow(paper.id, (kind.label,), _paper(paper))
    elif kind is ENTITY_NODE:
        papers: Counter[str] = Counter()
        mentions: Counter[str] = Counter()
        for (_, entity), count in graph.mention_counts.items():
            papers[entity] += 1
            mentions[entity] += count
        for key, entity_record in graph.entities.items():
            properties = _entity(entity_record, papers[key], mentions[key])
            yield NodeRow(key, (kind.label, entity_record.type), properties)
    elif kind is STATEMENT_NODE:
        for key in sorted(graph.statements):
            yield NodeRow(key, (kind.label,), _statement(graph, graph.statements[key]))
    else:
        for key in sorted(graph.results):
            yield NodeRow(key, (kind.label,), _result(graph.results[key]))


def relationship_rows(graph: Graph, kind: RelationshipKind) -> Iterator[RelationshipRow]:
    """Yield the relationships of ``kind``, sorted by the ends and the id.

    Raises
    ------
    ValueError
        If a record names a paper or an entity that the graph does not have.
    """
    if kind.type in _PREDICATE_OF:
        pairs = _browsing(graph, kind)
    elif kind.type == "STATES":
        pairs = _states(graph)
    else:
        pairs = _ties(graph, kind)
    rows = sorted(pairs, key=lambda row: (row.start, row.end, row.id))
    for (_, _, identity), same in groupby(rows, key=lambda row: (row.start, row.end, row.id)):
        first, *others = same
        if others:
            raise ValueError(f"two relationships {kind.type} with the id {identity}")
        yield first


def _paper(paper: Paper) -> dict[str, Value]:
    properties: dict[str, Value] = {
        "id": _text(paper.id),
        "name": _text(paper.name),
        "title": _text(paper.title),
    }
    if paper.text:
        properties["text"] = _text(paper.text)
    for name in ("date", "venue", "url", "doi"):
        if value := getattr(paper, name):
            properties[name] = _text(value)
    if paper.date[:4].isdecimal() and len(paper.date) >= 4:
        properties["year"] = int(paper.date[:4])
    if paper.authors:
        properties["authors"] = [_text(a) for a in paper.authors]
    if paper.source is not None:
        properties["file"] = _text(paper.source.file)
        properties["position"] = int(paper.source.position)
    return properties


def _entity(entity: Entity, papers: int, mentions: int) -> dict[str, Value]:
    properties: dict[str, Value] = {
        "key": _text(entity.key),
        "name": _text(entity.name),
        "names": [_text(n) for n in sorted({entity.name, *entity.names})],
        "type": entity.type,
        "family": FAMILY[entity.type],
        "types": [t for t, _ in entity.types] or [entity.type],
        "confidence": _number(entity.confidence),
        "papers": papers,
        "mentions": mentions,
        "introduced": len(entity.introduced_in),
    }
    if entity.decisions:
        properties["decisions"] = [_text(d) for d in entity.decisions]
    return properties


def _statement(graph: Graph, statement: Statement) -> dict[str, Value]:
    label = PREDICATES[statement.predicate].label
    subject, obj = (_name(graph, key) for key in (statement.subject, statement.object))
    properties: dict[str, Value] = {
        "id": statement.id,
        "name": f"{subject} {label} {obj}",
        "predicate": statement.predicate,
        "belief": _number(statement.belief),
        "papers": len(statement.papers),
        "asserted": statement.asserted,
        "evidence": len(statement.evidence),
        "negated": sum(e.negated for e in statement.evidence),
        "hedged": sum(e.hedged for e in statement.evidence),
    }
    if statement.decision:
        properties["decision"] = statement.decision
    return properties | _since(graph, statement)


def _since(graph: Graph, statement: Statement) -> dict[str, Value]:
    """Return the date of the first paper that states it; nothing if none of them has a date."""
    papers = (graph.papers[id] for id in statement.papers if id in graph.papers)
    dates = sorted(_text(p.date) for p in papers if p.date)
    return {"since": dates[0]} if dates else {}


def _result(result: Result) -> dict[str, Value]:
    properties: dict[str, Value] = {"id": result.id, "name": _figure(result)}
    for name in ("value", "delta", "baseline_value"):
        number: float | None = getattr(result, name)
        if number is not None:
            properties[name] = _number(number)
    for name in ("unit", "direction"):
        if value := getattr(result, name):
            properties[name] = _text(value)
    return properties | _passage(result)


def _passage(record: object) -> dict[str, Value]:
    """Return what an evidence and a result have in common: the passage and who found it."""
    properties: dict[str, Value] = {}
    for name in PASSAGE:
        value = getattr(record, name)
        if isinstance(value, str):
            if value:
                properties[name] = _text(value)
        else:
            properties[name] = _number(value) if name == "confidence" else int(value)
    return properties


def _browsing(graph: Graph, kind: RelationshipKind) -> Iterator[RelationshipRow]:
    wanted = _PREDICATE_OF[kind.type]
    for statement in graph.statements.values():
        if statement.predicate != wanted or not statement.asserted:
            continue
        end_kind, start = _end(graph, statement.subject)
        if end_kind is kind.start:
            properties: dict[str, Value] = {
                "id": statement.id,
                "papers": len(statement.papers),
                "belief": _number(statement.belief),
                **_since(graph, statement),
            }
            _, end = _end(graph, statement.object)
            yield RelationshipRow(statement.id, start, end, properties)


def _states(graph: Graph) -> Iterator[RelationshipRow]:
    for key, statement in graph.statements.items():
        best: dict[str, RelationshipRow] = {}
        for evidence in statement.evidence:
            identity = statement.evidence_id(evidence)
            _, paper = _end(graph, paper_key(evidence.paper))
            properties: dict[str, Value] = {"id": identity, **_passage(evidence)}
            properties["negated"] = bool(evidence.negated)
            properties["hedged"] = bool(evidence.hedged)
            row = RelationshipRow(identity, paper, key, properties)
            # One passage found by several extractors is one relationship, the surest one's.
            if identity not in best or _sureness(best[identity]) < _sureness(row):
                best[identity] = row
        yield from best.values()


def _sureness(row: RelationshipRow) -> tuple[float, str]:
    confidence = row.properties["confidence"]
    assert isinstance(confidence, float)
    return confidence, json.dumps(row.properties, sort_keys=True)


def _ties(graph: Graph, kind: RelationshipKind) -> Iterator[RelationshipRow]:
    """Yield the relationships that hold nothing but their ends (and a count)."""
    for start, end, properties in _ends(graph, kind):
        end_kind, key = _end(graph, end)
        if end_kind is kind.end:
            identity = digest(kind.type, start, key)
            yield RelationshipRow(identity, start, key, {"id": identity, **properties})


def _ends(graph: Graph, kind: RelationshipKind) -> Iterator[tuple[str, str, dict[str, Value]]]:
    if kind.type == "MENTIONS":
        for (paper, entity), count in graph.mention_counts.items():
            if entity != PAPER and entity != paper_key(paper):
                yield _end(graph, paper_key(paper))[1], entity, {"count": count}
    elif kind.type == "INTRODUCES":
        for entity, record in graph.entities.items():
            for paper in sorted(set(record.introduced_in)):
                yield _end(graph, paper_key(paper))[1], entity, {}
    elif kind.type == "VARIANT_OF":
        for entity, record in graph.entities.items():
            if record.variant_of:
                yield _text(entity), record.variant_of, {}
    elif kind.type in ("SUBJECT", "OBJECT"):
        for key, statement in graph.statements.items():
            yield key, statement.subject if kind.type == "SUBJECT" else statement.object, {}
    elif kind.type == "REPORTS":
        yield from _reports(graph)
    else:
        for key, result in graph.results.items():
            if end := getattr(result, _RESULT_ENDS[kind.type]):
                yield key, paper_key(result.paper) if end == PAPER else end, {}


def _reports(graph: Graph) -> Iterator[tuple[str, str, dict[str, Value]]]:
    for key, result in graph.results.items():
        yield _end(graph, paper_key(result.paper))[1], key, {}


def _end(graph: Graph, key: str) -> tuple[NodeKind, str]:
    """Return the kind and the identity of the node that the records call ``key``."""
    if key in graph.entities:
        return ENTITY_NODE, _text(key)
    prefix = paper_key("")
    if key.startswith(prefix) and (paper := key.removeprefix(prefix)) in graph.papers:
        return PAPER_NODE, _text(paper)
    if key in graph.results:
        return RESULT_NODE, key
    raise ValueError(_DANGLING.format(key))


def _name(graph: Graph, key: str) -> str:
    _end(graph, key)  # a key that leads nowhere is an error here
    return _text(graph.name(key))


def _figure(result: Result) -> str:
    """Return the figure for people: ``91.5 %``, ``up 2.5 points``, ``from 88``."""
    unit = f" {result.unit}" if result.unit else ""
    if result.value is not None:
        return f"{result.value:g}{unit}"
    if result.delta is not None:
        return f"{result.direction} {result.delta:g}{unit}".strip()
    return f"from {result.baseline_value:g}{unit}"


def _number(value: float) -> float:
    """Return a plain float, rounded like the ledger rounds it, whatever kind of number it was."""
    return round(float(value), 6)


def _text(value: str) -> str:
    """Return a plain string that every store and format carries, as long as it was."""
    return carriable(str(value))
