from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from rdflib import RDFS

from kg.errors import InputError, NotFoundError, QueryError
from kg.graph import Graph


def test_an_entity_is_found_by_key_and_by_any_spelling(sample: Graph) -> None:
    assert sample.entity("method/bert").name == "BERT"
    assert sample.entity("ALPHANET").key == "method/alphanet"
    assert sample.find("no such thing") == []
    with pytest.raises(NotFoundError, match="did you mean AlphaNet"):
        sample.entity("AlphaNett")


def test_statements_by_predicate_and_role(sample: Graph) -> None:
    about = sample.statements_of("BERT")
    assert {s.predicate for s in about} == {"builds-on", "improves-over"}
    assert all(s.object == "method/bert" for s in about)
    assert sample.statements_of("BERT", role="subject") == []
    (one,) = sample.statements_of("AlphaNet", "evaluates-on")
    assert one.object == "data/glue"


def test_a_predicate_or_role_that_there_is_not_is_told(sample: Graph) -> None:
    with pytest.raises(InputError, match="no predicate 'improves_over': one of evaluates-on"):
        sample.statements_of("BERT", "improves_over")
    with pytest.raises(InputError, match="no role 'head': subject or object"):
        sample.statements_of("BERT", role="head")


def test_what_is_only_denied_improves_over_nothing(sample: Graph) -> None:
    (s,) = sample.improves_over("BERT")
    assert s.subject == "method/alphanet"
    assert [e.paper for e in s.evidence] == ["2101.00001", "doi:10.1/a b<c>"]


def test_lineage_goes_on_step_by_step(sample: Graph) -> None:
    assert [(n, s.object) for n, s in sample.lineage("BetaNet")] == [
        (1, "method/alphanet"),
        (2, "method/bert"),
    ]
    assert len(sample.lineage("BetaNet", depth=1)) == 1


def test_leaderboard_has_scores_of_the_metric_and_no_factors(sample: Graph) -> None:
    (score,) = sample.leaderboard("GLUE")
    factor = replace(score, value=2.0, unit="x")
    higher = replace(score, value=95.0)
    graph = Graph(
        sample.papers.values(),
        sample.entities.values(),
        sample.mentions,
        sample.statements.values(),
        [score, factor, higher],
    )
    assert graph.leaderboard("glue", "accuracy") == [higher, score]
    rows = graph.query("leaderboard", benchmark="GLUE")
    assert [row["value"] for row in rows] == [95.0, 91.5]
    with pytest.raises(NotFoundError):
        graph.leaderboard("GLUE", "no such metric")


def test_results_and_names(sample: Graph) -> None:
    assert [r.delta for r in sample.results_of("AlphaNet")] == [2.5]
    assert sample.name("method/bert") == "BERT"
    assert sample.name("paper/2101.00001") == "AlphaNet: a parser"
    assert sample.mention_counts["2101.00001", "method/bert"] == 2
    assert sample.papers_of["task/parsing"] == ("doi:10.1/a b<c>",)
    assert sample.name("neither/of-them") == "neither/of-them"


def test_paper_without_title_has_one_name_in_every_form(sample: Graph) -> None:
    id = "doi:10.1/a b<c>"
    name = sample.name(f"paper/{id}")
    assert name == sample.papers[id].name
    assert name.startswith("A study of parsing on GLUE. ")
    assert name.endswith(" …")
    (stated,) = (r for r in sample.to_tables()["statements"] if r["subject"] == f"paper/{id}")
    assert stated["subject_name"] == name
    assert name in {label for _, label in sample.to_networkx().nodes(data="label")}
    assert name in set(map(str, sample.to_rdflib().objects(predicate=RDFS.label)))
    text = "MATCH (p:Paper) WHERE p.id = $id RETURN p.name AS name"
    assert sample.cypher(text, id=id) == [{"name": name}]


def test_contradictions_are_pairs_and_what_is_both_said_and_denied(sample: Graph) -> None:
    assert list(sample.contradictions()) == []
    (improves,) = sample.improves_over("BERT")
    reverse = replace(improves, subject=improves.object, object=improves.subject)
    denied = replace(improves, evidence=(replace(improves.evidence[0], negated=True),
                                         improves.evidence[1]))  # fmt: skip
    pairs = list(Graph(statements=[improves, reverse]).contradictions())
    assert {frozenset((a.id, b.id if b else "")) for a, b in pairs} == {
        frozenset((improves.id, reverse.id))
    }
    assert list(Graph(statements=[denied]).contradictions()) == [(denied, None)]


def test_cypher_reads_only(sample: Graph) -> None:
    assert sample.cypher("MATCH (p:Paper) RETURN count(p) AS n") == [{"n": 4}]
    with pytest.raises(QueryError, match="writes"):
        sample.cypher("CREATE (n:Paper)")


def test_parameters_of_a_query_have_any_name(sample: Graph) -> None:
    (row,) = sample.query("improves-over", name="BERT", limit=1)
    assert row["than"] == "BERT"
    assert sample.cypher("RETURN $text + $self AS said", text="a", self="b") == [{"said": "ab"}]
    text = "SELECT ?query { ?e skos:prefLabel ?query }"
    assert sample.sparql(text, query="GLUE") == [{"query": "GLUE"}]


def test_a_graph_that_was_asked_can_be_copied(sample: Graph) -> None:
    graph = sample.at_least(0)
    graph.query("benchmarks")
    graph.sparql("benchmarks")
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    assert again.query("benchmarks") == graph.query("benchmarks")


def test_equal_graphs_are_equal(sample: Graph) -> None:
    again = Graph(
        reversed(sample.papers.values()),
        reversed(sample.entities.values()),
        reversed(sample.mentions),
        reversed(sample.statements.values()),
        reversed(sample.results.values()),
    )
    assert again == sample
    assert again != Graph()
    assert repr(sample) == "<Graph: 4 papers, 9 entities, 8 statements, 1 results>"
    assert len(sample) == 8
