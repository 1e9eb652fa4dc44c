"""Errors by kind, and how far confidence can be trusted."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kg.evaluate.score import (
    Document,
    align,
    ends_of,
    mention_spans,
    relations_of,
    right_results,
)

__all__ = ["Bin", "error_kinds", "reliability"]

BORDERS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Borders of the bins of confidence."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The facts of one kind whose confidence lies in ``low <= confidence < high``.

    Attributes
    ----------
    kind : ``entities``, ``relations`` or ``results``.
    count : how many facts.
    confidence : their mean confidence, 0 to 1.
    precision : the share of them that is right, 0 to 1.
    """

    kind: str
    low: float
    high: float
    count: int
    confidence: float
    precision: float


def error_kinds(gold: Iterable[Document], predicted: Iterable[Document]) -> dict[str, int]:
    """Count the errors of mentions, entities and relations by kind, sorted by kind.

    A mention is right, or has a wrong type (same span), a wrong border (overlap with a gold
    mention), is spurious (no overlap) or missed. A relation is right, or wrong, for the first of
    these reasons that applies: an end is no gold entity, it is of another type between the same
    ends, it is reversed, its head is wrong, or it is not stated (``spurious``); or it is missed.
    """
    by_id = {d["id"]: d for d in predicted}
    kinds: Counter[str] = Counter()
    for g in gold:
        p = by_id.get(g["id"], {"entities": [], "relations": [], "results": []})
        text = g.get("text") or p.get("text") or ""
        _mention_errors(mention_spans(g, text), mention_spans(p, text), kinds)
        found = list(p["entities"])
        pairs = align(list(g["entities"]), found)
        a = relations_of(g, ends_of(list(g["entities"])))
        b = relations_of(p, ends_of(found, pairs))
        linked = {(h, t): r for h, r, t in sorted(a, key=str)}
        for head, relation, tail in b:
            if (head, relation, tail) in a:
                kind = "right"
            elif "predicted" in (head[0], tail[0]):
                kind = "end is no entity"
            elif (head, tail) in linked:
                kind = f"type {relation} for {linked[head, tail]}"
            elif (tail, head) in linked:
                kind = "reversed"
            elif any(r == relation and t == tail for _, r, t in a):
                kind = "wrong head"
            else:
                kind = f"spurious {relation}"
            kinds[f"relation: {kind}"] += 1
        for _, relation, _ in a - b:
            kinds[f"relation: missed {relation}"] += 1
    return dict(sorted(kinds.items()))


def _mention_errors(
    gold: set[tuple[int, int, str]], found: set[tuple[int, int, str]], kinds: Counter[str]
) -> None:
    spans = {(s, e): t for s, e, t in sorted(gold)}
    for start, end, kind in found:
        if (start, end, kind) in gold:
            kinds["mention: right"] += 1
        elif (start, end) in spans:
            kinds[f"mention: type {kind} for {spans[start, end]}"] += 1
        elif any(start < e and s < end for s, e in spans):
            kinds["mention: wrong border"] += 1
        else:
            kinds[f"mention: spurious {kind}"] += 1
    for start, end, kind in gold - found:
        if not any(start < e and s < end for s, e, _ in found):
            kinds[f"mention: missed {kind}"] += 1


def reliability(gold: Iterable[Document], predicted: Iterable[Document]) -> list[Bin]:
    """Return how often facts of each bin of confidence are right, by kind.

    Facts without a ``confidence`` are left out. If confidence is calibrated, ``precision`` is
    close to ``confidence`` in each bin.
    """
    by_id = {d["id"]: d for d in predicted}
    seen: dict[str, list[tuple[float, bool]]] = {"entities": [], "relations": [], "results": []}
    for g in gold:
        p = by_id.get(g["id"])
        if p is None:
            continue
        found, golden = list(p["entities"]), list(g["entities"])
        pairs = align(golden, found)
        for i, e in enumerate(found):
            if "confidence" in e:
                seen["entities"].append((e["confidence"], i in pairs))
        gold_ends, ends = ends_of(golden), ends_of(found, pairs)
        right = relations_of(g, gold_ends)
        for r in p.get("relations", ()):
            if "confidence" in r:
                one = relations_of({"relations": [r]}, ends)
                seen["relations"].append((r["confidence"], one <= right))
        hits = {i for i, _ in right_results(g, p, gold_ends, ends)}
        for i, r in enumerate(p.get("results", ())):
            if "confidence" in r:
                seen["results"].append((r["confidence"], i in hits))
    return [b for kind, facts in seen.items() for b in _bins(kind, facts)]


def _bins(kind: str, facts: Sequence[tuple[float, bool]]) -> list[Bin]:
    edges = (0.0, *BORDERS, 1.0)
    groups: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in facts:
        groups.setdefault(bisect.bisect_right(BORDERS, confidence), []).append((confidence, right))
    return [
        Bin(
            kind,
            edges[i],
            edges[i + 1],
            len(group),
            round(sum(c for c, _ in group) / len(group), 4),
            round(sum(r for _, r in group) / len(group), 4),
        )
        for i, group in sorted(groups.items())
    ]
