"""Belief: how sure the graph is of a statement.

A statement that ``n`` papers plainly state is wrong only if something is wrong with all of it (a
share :data:`SYSTEMATIC` of statements, however often they are repeated) or if each paper's
evidence is wrong by chance::

    belief = (1 - SYSTEMATIC) * (1 - Π over papers (1 - confidence of the paper's best evidence))

The confidence of evidence is the measured precision of what extracted it (a rule's share of right
hits, a model's calibrated probability). A paper counts once, however often it says it. Evidence
that is negated or hedged adds nothing. The form follows the belief function of INDRA (random and
systematic error), with papers in the place of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kg.records import Evidence

__all__ = ["SYSTEMATIC", "belief", "best_by_paper", "explain"]

SYSTEMATIC: Final = 0.01
"""Share of statements that are wrong however many papers seem to state them."""


def best_by_paper(evidence: Iterable[Evidence]) -> dict[str, float]:
    """Return paper id to the highest confidence of its asserting evidence, sorted by paper."""
    best: dict[str, float] = {}
    for e in evidence:
        if e.asserts:
            best[e.paper] = max(best.get(e.paper, 0.0), e.confidence)
    return dict(sorted(best.items()))


def belief(evidence: Iterable[Evidence], decision: str = "") -> float:
    """Return the belief in a statement with this ``evidence``: 0 (none asserts) to below 1.

    What a person ``accepted`` has belief 1, what a person ``rejected`` 0.
    """
    if decision:
        return 1.0 if decision == "accepted" else 0.0
    best = best_by_paper(evidence)
    if not best:
        return 0.0
    wrong = 1.0
    for confidence in sorted(best.values()):
        wrong *= 1.0 - confidence
    return round((1.0 - SYSTEMATIC) * (1.0 - wrong), 6)


def explain(evidence: Iterable[Evidence], decision: str = "") -> str:
    """Return the arithmetic of :func:`belief` as one line of text."""
    evidence = tuple(evidence)
    if decision:
        return (
            f"a person {decision} it: belief {belief(evidence, decision):.0f}; without that, "
            + (explain(evidence))
        )
    best = best_by_paper(evidence)
    if not best:
        return "no paper plainly states it: belief 0"
    factors = " × ".join(f"(1 − {c:.2f})" for c in sorted(best.values()))
    return (
        f"belief {belief(evidence):.3f} = {1 - SYSTEMATIC:.2f} × (1 − {factors}), "
        f"{len(best)} paper{'s' if len(best) != 1 else ''}"
    )
