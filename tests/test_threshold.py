"""The least confidence: what is less sure is left out of the graph, and of nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_assemble import entity
from test_assemble import paper as plain
from test_incremental import NAMES, decided, paper

import kg
from kg.assemble.assemble import assemble
from kg.assemble.belief import belief
from kg.assemble.threshold import extraction_at_least
from kg.graph import Graph
from kg.records import Extraction, Paper, Result

LEVELS = (0.2, 0.5, 0.7, 0.8, 0.95)
levels = st.sampled_from([0.0, *LEVELS, 1.0])
pairs = st.lists(
    st.tuples(st.lists(st.integers(0, len(NAMES) - 1), max_size=6), st.integers(0, 5)), max_size=6
)


def doubted(id: str, choice: list[int], seed: int) -> tuple[Paper, Extraction]:
    """Return the paper of the incremental tests, with mentions and results of many confidences."""
    written, x = paper(id, choice, seed)
    mentions = [
        replace(m, confidence=LEVELS[(seed + i) % len(LEVELS)]) for i, m in enumerate(x.mentions)
    ]
    results = [replace(r, confidence=LEVELS[seed % len(LEVELS)]) for r in x.results]
    return written, replace(x, mentions=tuple(sorted(mentions)), results=tuple(results))


def assembled(chosen: list[tuple[list[int], int]]) -> Graph:
    found = [doubted(f"p{n}", choice, seed) for n, (choice, seed) in enumerate(chosen)]
    return assemble([p for p, _ in found], [x for _, x in found])


@settings(max_examples=80, deadline=None)
@given(chosen=pairs, least=levels)
def test_what_is_surer_stays_and_nothing_else(
    chosen: list[tuple[list[int], int]], least: float
) -> None:
    whole = assembled(chosen)
    part = whole.at_least(least)
    assert part.papers == whole.papers
    for s in whole.statements.values():
        left = tuple(e for e in s.evidence if e.confidence >= least)
        assert (s.id in part.statements) == bool(left)
        if left:
            expected = replace(s, evidence=left, belief=belief(left))
            assert part.statements[s.id] == expected
    sure = {id: r for id, r in whole.results.items() if r.confidence >= least}
    assert part.results == sure
    named = {(e.paper, k) for s in part.statements.values() for e in s.evidence
             for k in (s.subject, s.object)}  # fmt: skip
    named |= {(r.paper, k) for r in sure.values() for k in (r.subject, r.benchmark)}
    assert part.mentions == tuple(
        m for m in whole.mentions if m.confidence >= least or (m.paper, m.entity) in named
    )
    assert set(part.entities) == {m.entity for m in part.mentions}
    for key, e in part.entities.items():
        assert (e.name, e.names, e.type) == (whole.entities[key].name, whole.entities[key].names,
                                             whole.entities[key].type)  # fmt: skip
        assert set(e.introduced_in) <= set(part.papers_of[key])
        assert not e.variant_of or e.variant_of in part.entities


@settings(max_examples=60, deadline=None)
@given(chosen=pairs, one=levels, two=levels)
def test_two_thresholds_are_the_higher_one(
    chosen: list[tuple[list[int], int]], one: float, two: float
) -> None:
    whole = assembled(chosen)
    assert whole.at_least(one).at_least(two) == whole.at_least(max(one, two))
    assert whole.at_least(0) is whole
    assert whole.at_least(0.01) == whole


def test_mention_that_a_sure_fact_needs_stays() -> None:
    ends = entity("AlphaNet", "Model"), entity("GLUE", "Benchmark"), entity("BetaNet", "Model")
    written, x = plain("a", *ends, say=[("AlphaNet", "evaluates-on", "GLUE")])
    x = replace(x, mentions=tuple(replace(m, confidence=0.3) for m in x.mentions))
    part = assemble([written], [x]).at_least(0.5)  # the evidence has 0.8
    assert [m.surface for m in part.mentions] == ["AlphaNet", "GLUE"]
    assert list(part.entities) == ["data/glue", "method/alphanet"]
    assert not assemble([written], [x]).at_least(0.9).entities


def test_paper_introduces_only_what_it_still_names() -> None:
    one, x = plain("a", entity("AlphaNet", "Model", new=True, paper="a"))
    two, y = plain("b", entity("AlphaNet", "Method"))
    x = replace(x, mentions=tuple(replace(m, confidence=0.3) for m in x.mentions))
    whole = assemble([one, two], [x, y])
    assert whole.entities["method/alphanet"].introduced_in == ("a",)
    (left,) = whole.at_least(0.5).entities.values()
    assert (left.introduced_in, left.types) == ((), (("Method", 1),))


def test_what_a_person_accepted_stays() -> None:
    ends = entity("AlphaNet", "Model"), entity("BetaNet", "Model")
    written, x = plain("a", *ends, say=[("AlphaNet", "improves-over", "BetaNet")])
    decisions = decided("- accept: method/alphanet improves-over method/betanet")
    (kept,) = assemble([written], [x], decisions).at_least(0.95).statements.values()
    assert (kept.belief, len(kept.evidence)) == (1.0, 1)
    assert not assemble([written], [x]).at_least(0.95).statements


def test_extraction_is_cut_by_the_same_rules() -> None:
    ends = entity("AlphaNet", "Model"), entity("GLUE", "Benchmark"), entity("BetaNet", "Model")
    written, x = plain("a", *ends, say=[("AlphaNet", "evaluates-on", "GLUE")])
    figure = Result("a", "text", 0, 3, written.text[:3], "BetaNet", value=1.0, confidence=0.4)
    x = replace(
        x, results=(figure,), mentions=tuple(replace(m, confidence=0.3) for m in x.mentions)
    )
    assert extraction_at_least(x, 0.0) is x
    assert extraction_at_least(x, 0.3) == x
    cut = extraction_at_least(x, 0.5)
    assert ([e.key for e in cut.entities], cut.results) == (["AlphaNet", "GLUE"], ())
    whole = assemble([written], [x])
    assert assemble([written], [cut]) == whole.at_least(0.5)
    assert extraction_at_least(x, 0.9).empty


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), 70])
def test_what_is_no_confidence_is_refused(least: float) -> None:
    with pytest.raises(kg.InputError, match="between 0 and 1"):
        Graph().at_least(least)
