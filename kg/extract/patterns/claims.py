"""Claims: what all passages together say of one (subject, predicate, object), and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kg.extract.document import Entity
from kg.extract.patterns.measured import Rules
from kg.extract.patterns.relations import PLAIN, Relation
from kg.schema import PAPER

__all__ = ["FLOOR", "Claim", "claims", "grouped"]

FLOOR: Final = 0.6
"""Confidence of what is said in plain words, given that its entities are right."""


class Claim(NamedTuple):
    """All that is said of one (subject, predicate, object), by its best passage."""

    subject: int | None
    predicate: str
    object: int
    start: int
    end: int
    confidence: float
    rule: str
    negated: bool
    hedged: bool


def grouped(
    found: Sequence[Relation], entities: Sequence[Entity]
) -> dict[tuple[int | None, str, int], tuple[set[str], list[Relation]]]:
    """Return for each claim the signs that speak for it, and what was found.

    Passages that deny or only suppose it are signs of their own.
    """
    out: dict[tuple[int | None, str, int], tuple[set[str], list[Relation]]] = {}
    for relation in found:
        subject, predicate, object_ = relation[:3]
        signs, rows = out.setdefault((subject, predicate, object_), (set(), []))
        rows.append(relation)
        if relation.negated or relation.hedged:
            signs.add(f"{predicate}:{'negated' if relation.negated else 'hedged'}")
        else:
            signs.add(relation.rule)
    plain = {
        key[1:]
        for key, (signs, _) in out.items()
        if key[0] is not None and any(s.split(":")[1] in PLAIN for s in signs)
    }
    for (subject, predicate, object_), (signs, rows) in out.items():
        tail = entities[object_]
        if (predicate, object_) in plain and not any(s.split(":")[1] in PLAIN for s in signs):
            signs.add(f"{predicate}:rival:{'paper' if subject is None else 'named'}")
        head = PAPER if subject is None else entities[subject].type
        signs.add(f"{predicate}:types:{head}:{tail.type}")
        known = "known" if tail.rule.startswith("entity:gazetteer") else "new"
        signs.add(f"{predicate}:tail:{known}:{min(3, len(tail.mentions))}")
        signs.add(f"{predicate}:sure:{int(tail.confidence * 4)}")
        passages = len({r.start for r in rows if ":any:" not in r.rule})
        signs.add(f"{predicate}:passages:{min(3, passages)}")
    return out


def claims(
    found: Sequence[Relation],
    entities: Sequence[Entity],
    rules: Rules,
    threshold: float,
    least: Mapping[str, float] | None = None,
) -> list[Claim]:
    """Return each claim once, with its confidence and the passage that states it best.

    A claim that its passages only deny or suppose is returned as such, if the words are plain.
    ``least`` gives predicates a threshold of their own.
    """
    out: list[Claim] = []
    for (subject, predicate, object_), (signs, rows) in grouped(found, entities).items():
        plain = [r for r in rows if not r.negated and not r.hedged]
        cued = [r for r in rows if ":any:" not in r.rule]
        pool = [r for r in plain if ":any:" not in r.rule] or plain or cued or rows
        best = max(pool, key=lambda r: (rules.weight(r.rule), -r.start, r.rule))
        denied = bool(cued) and not any(r in plain for r in cued)
        if denied:
            best = max(cued, key=lambda r: (rules.weight(r.rule), -r.start, r.rule))
            signs = {s for s in signs if not s.endswith((":negated", ":hedged"))}
            signs |= {r.rule for r in cued}
        confidence = rules(predicate, signs)
        if any(r.rule.split(":")[1] in PLAIN and "too" not in r.rule for r in cued):
            # said in so many words: too rare in the annotated abstracts to be measured well
            sure = entities[object_].confidence * (
                1.0 if subject is None else entities[subject].confidence
            )
            confidence = max(confidence, FLOOR * sure)
        if confidence >= (least or {}).get(predicate, threshold):
            out.append(
                Claim(subject, predicate, object_, best.start, best.end, confidence, best.rule,
                      denied and best.negated, denied and best.hedged)
            )  # fmt: skip
    return out
