"""Assemble the extractions of all papers into one graph.

Names that mean one thing become one entity (:mod:`kg.assemble.resolve`), equal statements become
one with all their evidence, and each statement gets its belief (:mod:`kg.assemble.belief`). The
graph is a function of the set of papers, extractions and decisions: their order does not count.

:func:`assemble` does it at once and in memory. :mod:`kg.assemble.incremental` follows what changed
through the same rules and comes to the same graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from kg.assemble.claims import Triple, facts, statement
from kg.assemble.decisions import NONE, Decisions
from kg.assemble.entities import Tally, variants
from kg.assemble.nodes import Node
from kg.assemble.resolve import Local, Placed, resolve
from kg.graph import Graph
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Result

__all__ = ["VERSION", "assemble"]

VERSION: Final = 3
"""Raised whenever assembly gives another graph of the same extractions."""


def assemble(
    papers: Iterable[Paper], extractions: Iterable[Extraction], decisions: Decisions = NONE
) -> Graph:
    """Return the graph of ``papers`` and what was extracted from them.

    Parameters
    ----------
    papers : each id once.
    extractions : at most one for each of ``papers``.
    decisions : of people, about names and statements.

    Returns
    -------
    Graph
        What :func:`kg.assemble.claims.facts` says is left out; everything else is kept.

    Notes
    -----
    Time and memory grow linearly with the number of records.
    """
    extracted = sorted(extractions, key=lambda x: x.paper)
    placed = resolve(extracted, decisions)
    entities = _entities(extracted, placed, decisions)
    mentions: list[Mention] = []
    evidence: dict[Triple, list[Evidence]] = defaultdict(list)
    results: list[Result] = []
    for x in extracted:
        nodes = {e.key: placed[x.paper, e.key].node for e in x.entities}
        keys = {k: entities[node].key if node else None for k, node in nodes.items()}
        said = facts(x, keys, decisions)
        mentions += said.mentions
        results += said.results
        for claim, passages in said.claims.items():
            evidence[claim] += passages
    statements = [statement(claim, found, decisions) for claim, found in evidence.items()]
    return Graph(papers, entities.values(), mentions, statements, results)


def _entities(
    extracted: list[Extraction], placed: dict[Local, Placed], decisions: Decisions
) -> dict[Node, Entity]:
    """Return each node with the entity of the graph that its occurrences become."""
    tallies: dict[Node, Tally] = {}
    for x in extracted:
        for e in x.entities:
            at = placed[x.paper, e.key]
            if at.node is None:
                continue
            tally = tallies.setdefault(at.node, Tally(at.node))
            tally.add(e.type, e.name, at.rules)
            tally.add_paper(x.paper, bool(e.introduced_in), e.confidence)
    entities = {node: tally.entity(decisions) for node, tally in tallies.items()}
    out = {}
    for node, entity in entities.items():
        above = (entities[n].key for n in variants(entity, node) if n in entities)
        out[node] = replace(entity, variant_of=next(above, ""))
    return out
