from __future__ import annotations

from dataclasses import replace

import pytest
from test_assemble import entity, paper

from kg.assemble.assemble import assemble
from kg.assemble.past import last_day
from kg.difference import diff
from kg.errors import InputError
from kg.graph import Graph
from kg.records import Result

ENDS = (entity("AlphaNet", "Model", new=True), entity("BetaNet", "Model"))
SAY = [("AlphaNet", "improves-over", "BetaNet")]


def history() -> Graph:
    pairs = [
        paper("a", *ENDS, say=SAY),
        paper("b", entity("AlphaNet", "Method"), entity("BetaNet", "Model"), say=SAY),
        paper("c", entity("GammaNet 2", "Model"), entity("GammaNet", "Model")),
        paper("undated", *ENDS, say=SAY),
    ]
    dates = {"a": "2019", "b": "2020-03", "c": "2021-05-17", "undated": ""}
    papers = [replace(p, date=dates[p.id]) for p, _ in pairs]
    figure = Result("b", "text", 0, 3, papers[1].text[:3], "AlphaNet", value=1.0)
    found = [x for _, x in pairs]
    found[1] = replace(found[1], results=(figure,))
    return assemble(papers, found)


def test_only_papers_that_were_out_count() -> None:
    g = history()
    (now,) = g.statements.values()
    assert now.papers == ("a", "b", "undated")
    past = g.as_of("2019")
    (then,) = past.statements.values()
    assert (list(past.papers), then.papers, then.id) == (["a"], ("a",), now.id)
    assert 0 < then.belief < now.belief
    assert list(past.entities) == ["method/alphanet", "method/betanet"]
    assert past.entities["method/alphanet"].types == (("Model", 1),)
    assert not past.results
    assert len(g.as_of("2020-03").results) == 1


def test_a_paper_counts_from_the_last_day_that_its_date_may_mean() -> None:
    g = history()
    assert list(g.as_of("2019-12-30").papers) == []
    assert list(g.as_of("2020-03-30").papers) == ["a"]
    assert list(g.as_of("2020-03-31").papers) == ["a", "b"]
    assert list(g.as_of("2021-05-17").papers) == ["a", "b", "c"]


def test_the_past_of_the_past_is_the_past() -> None:
    g = history()
    assert g.as_of("2021").as_of("2019") == g.as_of("2019")
    assert list(g.as_of("1900").entities) == []


def test_variant_is_kept_while_both_are_there() -> None:
    assert history().as_of("2022").entities["method/gammanet2"].variant_of == "method/gammanet"


@pytest.mark.parametrize("date", ["", "last year", "2020-13", "2020-02-30", "20200101", "0000"])
def test_what_is_no_date_is_refused(date: str) -> None:
    assert last_day(date) is None
    with pytest.raises(InputError, match="no date"):
        history().as_of(date)


def test_diff_of_two_dates() -> None:
    g = history()
    found = diff(g.as_of("2019"), g.as_of("2021"))
    assert found.papers_new == ("b", "c")
    assert [e.name for e in found.entities_new] == ["GammaNet", "GammaNet 2"]
    ((before, after),) = found.statements_changed
    assert before.belief < after.belief
    assert len(found.results_new) == 1
    assert not found.papers_gone + found.entities_gone + found.statements_gone
    assert repr(diff(g, g)) == "<Difference: none>"
    assert repr(found).startswith(f"<Difference: {len(found.papers_new)} papers new, ")
    assert len(repr(found)) < 300
    back = diff(g.as_of("2021"), g.as_of("2019"))
    assert back.entities_gone == found.entities_new
    data = found.to_json()
    assert data["statements_changed"][0]["before"]["belief"] == before.belief
    assert data["results_new"][0]["id"]


def test_equal_graphs_do_not_differ(sample: Graph) -> None:
    assert not diff(sample, sample)
    assert not diff(history(), history())
    assert diff(sample, history())
