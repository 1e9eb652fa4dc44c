"""The least confidence that a fact of the graph must have: a dial between few errors and few gaps.

The extractor keeps what is more likely useful than not, and says of each fact how sure it is. Who
wants fewer errors, at the price of more gaps, leaves out what is less sure. The ledger and the
assembled graph keep everything, so the dial can be turned at any time, and nothing is read anew:

- evidence and results of less confidence are left out, and a statement with no evidence left;
- mentions of less confidence are left out, unless a statement or result that stays names what they
  mention, in the same paper;
- entities of which nothing is left are left out. Names are what all papers made of them, as they
  are in :mod:`kg.assemble.past`.

What a person accepted stays with all its evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from kg.assemble.belief import belief
from kg.assemble.subgraph import subgraph
from kg.errors import InputError
from kg.graph import Graph
from kg.ledger import Ledger
from kg.records import Extraction, Mention, Result, Statement

__all__ = ["at_least", "checked", "extraction_at_least", "least_of", "set_least"]

_KEY: Final = "min_confidence"
"""Name under which the ledger has it."""


def at_least(graph: Graph, least: float) -> Graph:
    """Return ``graph`` without the facts of less confidence than ``least``.

    See :meth:`kg.graph.Graph.at_least`.
    """
    if not checked(least):
        return graph
    mentions, kept, results, named = _facts(
        graph.mentions, graph.statements.values(), graph.results.values(), least
    )
    statements = [
        s
        if len(s.evidence) == len(graph.statements[s.id].evidence)
        else replace(s, belief=belief(s.evidence, s.decision))
        for s in kept
    ]
    seen = named | {(m.paper, m.entity) for m in mentions}
    return subgraph(
        graph,
        graph.papers.values(),
        mentions,
        statements,
        results,
        lambda paper, key: (paper, key) in seen,
    )


def extraction_at_least(extraction: Extraction, least: float) -> Extraction:
    """Return ``extraction`` without the facts of less confidence than ``least``, by the same rules.

    Raises
    ------
    InputError
        If ``least`` is not between 0 and 1.
    """
    if not checked(least):
        return extraction
    mentions, statements, results, named = _facts(
        extraction.mentions, extraction.statements, extraction.results, least
    )
    left = {m.entity for m in mentions} | {key for _, key in named}
    return replace(
        extraction,
        entities=tuple(e for e in extraction.entities if e.key in left),
        mentions=tuple(mentions),
        statements=tuple(statements),
        results=tuple(results),
    )


def _facts(
    mentions: Iterable[Mention],
    statements: Iterable[Statement],
    results: Iterable[Result],
    least: float,
) -> tuple[list[Mention], list[Statement], list[Result], set[tuple[str, str]]]:
    """Return what stays, and (paper id, key) of what statements and results that stay name."""
    kept = []
    for s in statements:
        accepted = s.decision == "accepted"
        evidence = tuple(e for e in s.evidence if accepted or e.confidence >= least)
        if evidence:
            kept.append(s if evidence == s.evidence else replace(s, evidence=evidence))
    figures = [r for r in results if r.confidence >= least]
    named = {(e.paper, k) for s in kept for e in s.evidence for k in (s.subject, s.object)}
    named |= {(r.paper, k) for r in figures for k in (r.subject, r.benchmark, r.metric, r.baseline)}
    seen = [m for m in mentions if m.confidence >= least or (m.paper, m.entity) in named]
    return seen, kept, figures, named


def checked(least: float) -> float:
    """Return ``least``.

    Raises
    ------
    InputError
        If it is not between 0 and 1.
    """
    if not 0.0 <= least <= 1.0:
        raise InputError(f"a confidence is between 0 and 1, not {least:g}")
    return least


def least_of(ledger: Ledger) -> float:
    """Return the least confidence of facts of the graph of ``ledger``; 0 leaves nothing out."""
    return float(ledger.get(_KEY) or 0.0)


def set_least(ledger: Ledger, least: float) -> bool:
    """Set the least confidence of facts of the graph of ``ledger``; return whether it changed.

    Raises
    ------
    InputError
        If ``least`` is not between 0 and 1.
    """
    if checked(least) == least_of(ledger):
        return False
    ledger.set(_KEY, repr(float(least)))
    return True
