"""Assemble the extractions of all papers into one graph.

Names that mean one thing become one entity (:mod:`kg.assemble.resolve`), equal statements become
one with all their evidence, and each statement gets its belief (:mod:`kg.assemble.belief`). The
graph is a function of the set of papers and extractions: their order does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from kg.assemble.belief import belief
from kg.assemble.names import fold, slug, spaced
from kg.assemble.resolve import Local, Node, Resolution, resolve
from kg.graph import Graph
from kg.records import (
    Entity,
    Evidence,
    Extraction,
    Mention,
    Paper,
    Result,
    Statement,
    paper_key,
)
from kg.schema import ENTITY_TYPES, PAPER

__all__ = ["VERSION", "assemble"]

VERSION: Final = 1
"""Raised whenever assembly gives another graph of the same extractions."""

_TYPE_ORDER = {name: i for i, name in enumerate(ENTITY_TYPES)}


def assemble(papers: Iterable[Paper], extractions: Iterable[Extraction]) -> Graph:
    """Return the graph of ``papers`` and what was extracted from them.

    Parameters
    ----------
    papers : each id once.
    extractions : at most one for each of ``papers``.

    Returns
    -------
    Graph
        A statement or result about one entity and itself (its names turned out to be one) says
        nothing and is left out; everything else is kept.

    Notes
    -----
    Time and memory grow linearly with the number of records.
    """
    extracted = sorted(extractions, key=lambda x: x.paper)
    resolution = resolve(extracted)
    entities = _entities(extracted, resolution)
    key_of = {local: entities[node].key for local, node in resolution.group.items()}
    mentions: list[Mention] = []
    evidence: dict[tuple[str, str, str], dict[tuple[object, ...], Evidence]] = defaultdict(dict)
    results: list[Result] = []
    for x in extracted:
        keys = {e.key: key_of[x.paper, e.key] for e in x.entities}
        keys |= {PAPER: paper_key(x.paper), "": ""}
        mentions += [replace(m, entity=keys[m.entity]) for m in x.mentions]
        for s in x.statements:
            claim = keys[s.subject], s.predicate, keys[s.object]
            if claim[0] == claim[2]:
                continue
            for e in s.evidence:
                span = (e.paper, e.part, e.start, e.end)
                kept = evidence[claim].get(span)
                if kept is None or _strength(e) > _strength(kept):
                    evidence[claim][span] = e
        for r in x.results:
            moved = replace(
                r,
                subject=keys[r.subject],
                benchmark=keys[r.benchmark],
                metric=keys[r.metric],
                baseline=keys[r.baseline] if keys[r.baseline] != keys[r.subject] else "",
            )
            results.append(moved)
    statements = []
    for (subject, predicate, obj), found in evidence.items():
        passages = tuple(sorted(found.values()))
        statements.append(Statement(subject, predicate, obj, passages, belief(passages)))
    return Graph(papers, entities.values(), mentions, statements, results)


def _strength(e: Evidence) -> tuple[bool, float, str]:
    return e.asserts, e.confidence, e.extractor


def _entities(extracted: list[Extraction], resolution: Resolution) -> dict[Node, Entity]:
    """Return node to the entity of the graph that its group becomes."""
    local: dict[Local, Entity] = {(x.paper, e.key): e for x in extracted for e in x.entities}
    groups: dict[Node, list[tuple[str, Entity]]] = {
        node: [(paper, local[paper, key]) for paper, key in members]
        for node, members in sorted(resolution.members.items())
    }
    keys = _keys(groups)
    return {
        node: _entity(keys[node], group, resolution.reasons[node]) for node, group in groups.items()
    }


def _entity(key: str, group: list[tuple[str, Entity]], reasons: Mapping[str, str]) -> Entity:
    """Return the entity that ``group`` ((paper id, entity in that paper), …) becomes."""
    types = Counter(e.type for _, e in group)
    preferred = Counter(e.name for _, e in group)
    names = {n for n, rule in reasons.items() if rule != "paper"}
    doubt = 1.0
    for _, e in group:
        doubt *= 1.0 - e.confidence
    ranked = sorted(types.items(), key=lambda t: (-t[1], _TYPE_ORDER[t[0]]))
    return Entity(
        key=key,
        name=min(names, key=lambda n: (-preferred[n], -sum(c.isupper() for c in n), len(n), n)),
        type=ranked[0][0],
        names=tuple(sorted(names)),
        introduced_in=tuple(sorted({p for p, e in group if e.introduced_in})),
        types=tuple(ranked),
        confidence=round(1.0 - doubt, 6),
        merges=tuple(sorted(reasons.items())),
    )


def _keys(groups: Mapping[Node, list[tuple[str, Entity]]]) -> dict[Node, str]:
    """Return node to a readable key, made from the node's name alone, so it is stable."""
    keys: dict[Node, str] = {}
    for (family, form), group in groups.items():
        spellings = {spaced(n) for _, e in group for n in (e.name, *e.names) if fold(n) == form}
        best = min(spellings, key=lambda s: (-s.count("-"), s), default=form)
        keys[family, form] = f"{family}/{slug(best)}"
    return keys
