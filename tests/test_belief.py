from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg.assemble.belief import SYSTEMATIC, belief, explain
from kg.records import Evidence


def evidence(paper: str, confidence: float, *, negated: bool = False, start: int = 0) -> Evidence:
    return Evidence(paper, "text", start, start + 1, "x", confidence, "rule:test@1", negated)


def test_a_paper_counts_once_however_often_it_says_it() -> None:
    once = belief([evidence("a", 0.8)])
    assert belief([evidence("a", 0.8, start=n) for n in range(5)]) == once
    assert belief([evidence("a", 0.8), evidence("b", 0.8)]) > once


def test_denied_evidence_adds_nothing() -> None:
    assert belief([evidence("a", 0.8, negated=True)]) == 0.0
    assert belief([evidence("a", 0.8), evidence("b", 0.9, negated=True)]) == belief(
        [evidence("a", 0.8)]
    )


def test_arithmetic_is_the_documented_one() -> None:
    both = [evidence("a", 0.8), evidence("b", 0.5)]
    assert belief(both) == round((1 - SYSTEMATIC) * (1 - 0.2 * 0.5), 6)
    assert "0.891 = 0.99 × (1 − (1 − 0.50) × (1 − 0.80)), 2 papers" in explain(both)
    assert explain([evidence("a", 0.8, negated=True)]) == "no paper plainly states it: belief 0"


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1)), max_size=8))
def test_belief_is_a_probability_and_does_not_depend_on_order(
    pairs: list[tuple[str, float]],
) -> None:
    found = [evidence(p, c) for p, c in pairs]
    assert 0.0 <= belief(found) <= 1 - SYSTEMATIC
    assert belief(found) == belief(found[::-1])
    assert belief([*found, evidence("z", 0.5)]) >= belief(found)
