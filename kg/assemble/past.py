"""The graph as it was: what only papers after a date say is left out."""

from __future__ import annotations

import calendar
import datetime
import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Final

from kg.assemble.belief import belief
from kg.errors import InputError
from kg.graph import Graph
from kg.records import Entity
from kg.schema import ENTITY_TYPES

__all__ = ["as_of", "last_day"]

_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_TYPE_ORDER: Final = {name: i for i, name in enumerate(ENTITY_TYPES)}


def last_day(date: str) -> str | None:
    """Return the last day of a year, month or day as ``YYYY-MM-DD``; None if it is no date.

    Examples
    --------
    >>> last_day("2024-02")
    '2024-02-29'
    """
    found = _DATE.fullmatch(date)
    if found is None:
        return None
    year, month = int(found[1]), int(found[2] or 12)
    try:
        day = int(found[3]) if found[3] else calendar.monthrange(year, month)[1]
        return datetime.date(year, month, day).isoformat()
    except ValueError:  # calendar.IllegalMonthError is one
        return None


def as_of(graph: Graph, date: str) -> Graph:
    """Return ``graph`` without what papers say that were not out by the end of ``date``.

    See :meth:`kg.graph.Graph.as_of`.
    """
    end = last_day(date)
    if end is None:
        raise InputError(f"{date!r} is no date: give YYYY, YYYY-MM or YYYY-MM-DD")
    papers = {id: p for id, p in graph.papers.items() if (last_day(p.date) or "~") <= end}
    mentions = [m for m in graph.mentions if m.paper in papers]
    results = [r for r in graph.results.values() if r.paper in papers]
    statements = []
    for s in graph.statements.values():
        evidence = tuple(e for e in s.evidence if e.paper in papers)
        if evidence:
            made = replace(s, evidence=evidence, belief=belief(evidence, s.decision))
            statements.append(made)
    used = {m.entity for m in mentions}
    used |= {k for s in statements for k in (s.subject, s.object)}
    used |= {k for r in results for k in (r.subject, r.benchmark, r.metric, r.baseline)}
    types: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for m in mentions:
        types[m.entity][m.paper][m.type] += 1
    entities = []
    for key, e in graph.entities.items():
        introduced = tuple(p for p in e.introduced_in if p in papers)
        if key in used or introduced:
            counts = Counter(_first(c)[0] for c in types[key].values())
            ranked = tuple(sorted(counts.items(), key=lambda t: (-t[1], _TYPE_ORDER[t[0]])))
            entities.append(replace(e, introduced_in=introduced, types=ranked))
    kept = {e.key for e in entities}
    return Graph(
        papers.values(),
        (e if e.variant_of in kept else _without_base(e) for e in entities),
        mentions,
        statements,
        results,
    )


def _first(counts: Counter[str]) -> tuple[str, int]:
    return min(counts.items(), key=lambda t: (-t[1], _TYPE_ORDER[t[0]]))


def _without_base(entity: Entity) -> Entity:
    return replace(entity, variant_of="") if entity.variant_of else entity
