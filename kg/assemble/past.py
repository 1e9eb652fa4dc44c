"""The graph as it was: what only papers after a date say is left out."""

from __future__ import annotations

import calendar
import datetime
import re
from dataclasses import replace
from typing import Final

from kg.assemble.belief import belief
from kg.assemble.subgraph import subgraph
from kg.errors import InputError
from kg.graph import Graph

__all__ = ["as_of", "last_day"]

_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")


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
    return subgraph(
        graph,
        papers.values(),
        mentions,
        statements,
        results,
        lambda paper, key: paper in papers,
    )
