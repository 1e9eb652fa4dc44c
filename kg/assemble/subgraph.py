"""Part of a graph: some of its records, and the entities that they are about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from kg.graph import Graph
from kg.records import Mention, Paper, Result, Statement
from kg.schema import ENTITY_TYPES

__all__ = ["subgraph"]

_TYPE_ORDER: Final = {name: i for i, name in enumerate(ENTITY_TYPES)}


def subgraph(
    graph: Graph,
    papers: Iterable[Paper],
    mentions: list[Mention],
    statements: list[Statement],
    results: list[Result],
    introduces: Callable[[str, str], bool],
) -> Graph:
    """Return the graph of some of the records of ``graph``.

    An entity is in it if a record names it, or a paper still introduces it. It keeps its key,
    name, type and names, so that the part can be compared with the whole; the votes on its type
    are counted anew where it lost mentions.

    Parameters
    ----------
    papers, mentions, statements, results : those that stay.
    introduces : whether a paper (its id) still introduces an entity (its key) that it introduced.
    """
    used = {m.entity for m in mentions}
    used |= {k for s in statements for k in (s.subject, s.object)}
    used |= {k for r in results for k in (r.subject, r.benchmark, r.metric, r.baseline)}
    before = Counter(m.entity for m in graph.mentions)
    after = Counter(m.entity for m in mentions)
    votes = _votes(mentions)
    entities = {}
    for key, e in graph.entities.items():
        introduced = tuple(p for p in e.introduced_in if introduces(p, key))
        if key in used or introduced:
            types = e.types if before[key] == after[key] else _ranked(votes[key].values())
            entities[key] = replace(e, introduced_in=introduced, types=types)
    for key, e in entities.items():
        if e.variant_of and e.variant_of not in entities:
            entities[key] = replace(e, variant_of="")
    return Graph(papers, entities.values(), mentions, statements, results)


def _votes(mentions: Iterable[Mention]) -> dict[str, dict[str, Counter[str]]]:
    """Return entity key to paper id to the types that the paper's mentions have."""
    votes: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for m in mentions:
        votes[m.entity][m.paper][m.type] += 1
    return votes


def _ranked(papers: Iterable[Counter[str]]) -> tuple[tuple[str, int], ...]:
    """Return the types with the number of papers whose mentions mostly have them."""
    counts = Counter(min(c, key=lambda t: (-c[t], _TYPE_ORDER[t])) for c in papers)
    return tuple(sorted(counts.items(), key=lambda t: (-t[1], _TYPE_ORDER[t[0]])))
