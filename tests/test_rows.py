"""The rows of the property graph: what they hold, and that nothing is lost, doubled or made up."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import pytest
from field import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.graph import Graph
from kg.project.cypher_schema import browser_style, constraints, statements
from kg.project.layout import ENTITY_NODE, NODES, PAPER_NODE, RELATIONSHIPS, STATEMENT_NODE
from kg.project.rows import NodeRow, RelationshipRow, node_rows, relationship_rows
from kg.records import Entity, Evidence, Mention, Paper, Result, Statement, paper_key
from kg.schema import ENTITY_TYPES, PREDICATES


def nodes(graph: Graph) -> dict[str, dict[str, NodeRow]]:
    return {k.label: {r.key: r for r in node_rows(graph, k)} for k in NODES}


def ties(graph: Graph) -> dict[str, list[RelationshipRow]]:
    found: dict[str, list[RelationshipRow]] = {}
    for kind in RELATIONSHIPS:
        found.setdefault(kind.type, []).extend(relationship_rows(graph, kind))
    return found


def ends(rows: list[RelationshipRow]) -> list[tuple[str, str]]:
    return [(row.start, row.end) for row in rows]


def test_nodes_of_the_sample(sample: Graph) -> None:
    found = nodes(sample)
    assert found["Paper"]["2101.00001"].properties == {
        "id": "2101.00001",
        "name": "AlphaNet: a parser",
        "title": "AlphaNet: a parser",
        "text": sample.papers["2101.00001"].text,
        "date": "2021-01-05",
        "year": 2021,
        "venue": "ACL",
        "authors": ["Ada A.", 'Bob "B" B.'],
        "url": "https://example.org/1",
        "doi": "10.1/1",
        "file": "a.jsonl",
        "position": 1,
    }
    assert found["Paper"]["text:empty"].properties == {
        "id": "text:empty",
        "name": "Nothing is named here.",
        "title": "",
        "text": "Nothing is named here.",
        "file": "b.txt",
        "position": 2,
    }
    bert = found["Entity"]["method/bert"]
    assert bert.labels == ("Entity", "Model")
    assert bert.properties == {
        "key": "method/bert",
        "name": "BERT",
        "names": ["BERT"],
        "type": "Model",
        "family": "method",
        "types": ["Model", "Method"],
        "confidence": 1.0,
        "papers": 3,
        "mentions": 4,
        "introduced": 0,
    }
    (result,) = found["Result"].values()
    assert result.properties["name"] == "91.5 %"
    assert "baseline_value" not in result.properties
    denied = next(s for s in sample.statements.values() if not s.asserted)
    assert found["Statement"][denied.id].properties == {
        "id": denied.id,
        "name": "BetaNet improves over BERT",
        "predicate": "improves-over",
        "belief": 0.0,
        "papers": 0,
        "asserted": False,
        "evidence": 1,
        "negated": 1,
        "hedged": 0,
    }


def test_relationships_of_the_sample(sample: Graph) -> None:
    found = ties(sample)
    assert ends(found["IMPROVES_OVER"]) == [("method/alphanet", "method/bert")]
    assert ends(found["APPLIES_TO"]) == [("doi:10.1/a b<c>", "task/parsing")]
    assert ends(found["INTRODUCES"]) == [
        ("2101.00001", "method/alphanet"),
        ("2102.00002", "method/betanet"),
    ]
    assert len(found["STATES"]) == 9
    denied = [r for r in found["STATES"] if r.properties["negated"]]
    assert [r.properties["sentence"] for r in denied] == ["BetaNet does not outperform BERT."]
    counts = {(r.start, r.end): r.properties["count"] for r in found["MENTIONS"]}
    assert counts["2101.00001", "method/alphanet"] == 2
    assert len(found["SUBJECT"]) == len(found["OBJECT"]) == len(sample.statements)
    for name in ("REPORTS", "OF", "ON", "MEASURED_BY", "AGAINST"):
        assert len(found[name]) == 1
    assert found["COMPARED_WITH"] == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_rows_keep_to_the_layout(seed: int) -> None:
    graph = random_graph(seed, 12)
    keys: dict[str, set[str]] = {}
    for kind in NODES:
        rows = list(node_rows(graph, kind))
        assert [r.key for r in rows] == sorted({r.key for r in rows})
        keys[kind.label] = {r.key for r in rows}
        for row in rows:
            assert row.properties.keys() <= set(kind.properties)
            assert row.properties[kind.key] == row.key
            assert row.properties["name"]
            assert row.labels[0] == kind.label
            assert row.labels[1:] == () or row.labels[1] in kind.subtypes
            check_values(row.properties)
    seen = set()
    for relationship in RELATIONSHIPS:
        rows = list(relationship_rows(graph, relationship))
        places = [(r.start, r.end, r.id) for r in rows]
        assert places == sorted(set(places))
        for row in rows:
            assert row.start in keys[relationship.start.label]
            assert row.end in keys[relationship.end.label]
            assert row.properties.keys() <= set(relationship.properties)
            assert row.properties["id"] == row.id
            assert (relationship.type, row.id) not in seen
            seen.add((relationship.type, row.id))
            check_values(row.properties)


def check_values(properties: dict[str, Any]) -> None:
    for value in properties.values():
        if isinstance(value, list):
            assert value
            assert {type(v) for v in value} == {str}
        else:
            assert type(value) in (str, int, float, bool)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_every_record_has_its_rows(seed: int) -> None:
    graph = random_graph(seed, 12)
    found, tied = nodes(graph), ties(graph)
    assert found["Paper"].keys() == graph.papers.keys()
    assert found["Entity"].keys() == graph.entities.keys()
    assert found["Statement"].keys() == graph.statements.keys()
    assert found["Result"].keys() == graph.results.keys()
    passages = {s.evidence_id(e) for s in graph.statements.values() for e in s.evidence}
    assert {r.id for r in tied["STATES"]} == passages
    for predicate in PREDICATES.values():
        asserted = {
            s.id for s in graph.statements.values() if s.predicate == predicate.name and s.asserted
        }
        assert {r.id for r in tied[predicate.relationship]} == asserted
    assert sum(r.properties["count"] for r in tied["MENTIONS"]) == len(graph.mentions)  # type: ignore[misc]
    for name, field in [
        ("OF", "subject"),
        ("ON", "benchmark"),
        ("MEASURED_BY", "metric"),
        ("AGAINST", "baseline"),
    ]:
        told = {(r.id, getattr(r, field)) for r in graph.results.values() if getattr(r, field)}
        assert {
            (r.start, r.end if r.end in graph.entities else paper_key(r.end)) for r in tied[name]
        } == told


def test_hash_is_of_all_that_a_row_holds(sample: Graph) -> None:
    row = nodes(sample)["Entity"]["method/bert"]
    assert row.hash == nodes(sample)["Entity"]["method/bert"].hash
    others = [
        dataclasses.replace(row, labels=("Entity", "Method")),
        *(
            dataclasses.replace(row, properties={k: v for k, v in row.properties.items() if k != n})
            for n in row.properties
        ),
        dataclasses.replace(row, properties={**row.properties, "papers": "3"}),
    ]
    assert len({row.hash, *(o.hash for o in others)}) == len(others) + 1


def test_values_are_plain_whatever_the_records_hold() -> None:
    class Odd(str):
        __slots__ = ()

    paper = Paper(Odd("p"), Odd("BERT \ud800 and \x0c too"), date="soon")
    evidence = Evidence("p", "text", 0, 4, Odd("BERT"), Decimal("0.1"), "rule:x@1")  # type: ignore[arg-type]
    entities = [Entity("method/a", "A", "Method"), Entity("method/b", "B \udfff", "Method")]
    statement = Statement("method/a", "builds-on", "method/b", (evidence,), Decimal("0.3"))  # type: ignore[arg-type]
    graph = Graph([paper], entities, (), [statement])
    for row in (r for k in nodes(graph).values() for r in k.values()):
        check_values(row.properties)
        str(row.properties).encode()
    (row,) = ties(graph)["STATES"]
    check_values(row.properties)
    assert nodes(graph)["Paper"]["p"].properties["text"] == "BERT \ufffd and \ufffd too"
    assert "year" not in nodes(graph)["Paper"]["p"].properties


def test_one_passage_found_twice_is_one_relationship() -> None:
    text = "A builds on B."
    found = [
        Evidence("p", "text", 0, len(text), text, confidence, extractor)
        for confidence, extractor in [(0.5, "rule:x@1"), (0.9, "model:y@1"), (0.7, "rule:z@1")]
    ]
    entities = [Entity("method/a", "A", "Method"), Entity("method/b", "B", "Method")]
    statement = Statement("method/a", "builds-on", "method/b", tuple(found))
    (row,) = ties(Graph([Paper("p", text)], entities, (), [statement]))["STATES"]
    assert row.properties["extractor"] == "model:y@1"


def test_variants_and_decisions() -> None:
    big = Entity("method/a-2", "A-2", "Model", variant_of="method/a", decisions=("retype",))
    graph = Graph(entities=[Entity("method/a", "A", "Model"), big])
    assert ends(ties(graph)["VARIANT_OF"]) == [("method/a-2", "method/a")]
    assert nodes(graph)["Entity"]["method/a-2"].properties["decisions"] == ["retype"]
    assert "decisions" not in nodes(graph)["Entity"]["method/a"].properties


def test_figures_for_people() -> None:
    def name(**figures: Any) -> Any:
        result = Result("p", "text", 0, 1, "x", **figures)
        return nodes(Graph([Paper("p", "x")], results=[result]))["Result"][result.id].properties[
            "name"
        ]

    assert name(value=0.0, unit="%", delta=1.0) == "0 %"
    assert name(delta=2.5, unit="points", direction="up") == "up 2.5 points"
    assert name(delta=2.0, unit="x") == "2 x"
    assert name(baseline_value=88.0) == "from 88"


def test_mentions_of_the_unnamed_contribution_are_no_entity() -> None:
    mentions = [
        Mention("p", "text", 0, 10, "Our method", "Method", entity)
        for entity in ("PAPER", "paper/p")
    ]
    assert ties(Graph([Paper("p", "Our method works.")], mentions=mentions))["MENTIONS"] == []


@pytest.mark.parametrize("missing", ["papers", "entities"])
def test_records_that_name_what_is_not_there(sample: Graph, missing: str) -> None:
    records: dict[str, Any] = {
        "papers": sample.papers.values(),
        "entities": sample.entities.values(),
        "statements": sample.statements.values(),
    }
    del records[missing]
    with pytest.raises(ValueError, match="does not have it"):
        ties(Graph(**records))


def test_constraints_text() -> None:
    text = constraints()
    assert text.startswith("// ")
    for kind in NODES:
        assert f"FOR (n:{kind.label}) REQUIRE n.{kind.key} IS UNIQUE;" in text
    assert text.count(";\n") == len(statements())
    assert all("IF NOT EXISTS" in statement for statement in statements())
    assert "NODE KEY" not in text
    assert "NOT NULL" not in text


def test_browser_style_has_what_grass_reads() -> None:
    text = browser_style()
    assert "/*" not in text
    assert "//" not in text
    assert "'" not in text
    for label in (*ENTITY_TYPES, "Paper", "Statement", "Result"):
        assert f"node.{label} {{" in text
    assert f"node.{ENTITY_NODE.label} {{" not in text
    for predicate in PREDICATES.values():
        assert f"relationship.{predicate.relationship} {{" in text
    for rule in text.split("}\n")[:-1]:
        selector, _, body = rule.partition("{\n")
        assert "," not in selector
        for line in body.splitlines():
            assert line.startswith("  ")
            assert line.endswith(";")
            assert line.count(":") == 1
    assert PAPER_NODE.label == "Paper"


def test_statements_carry_the_date_of_the_first_paper_and_what_people_say(sample: Graph) -> None:
    (said,) = (s for s in sample.statements.values() if len(s.papers) == 2)
    rejected = dataclasses.replace(said, decision="rejected", belief=0.0)
    for statement, edges in ((said, 1), (rejected, 0)):
        graph = Graph(
            sample.papers.values(), sample.entities.values(), sample.mentions, [statement]
        )
        (node,) = node_rows(graph, STATEMENT_NODE)
        assert node.properties["since"] == "2021-01-05"
        assert node.properties.get("decision", "") == statement.decision
        found = [
            row
            for kind in RELATIONSHIPS
            if kind.type == "IMPROVES_OVER"
            for row in relationship_rows(graph, kind)
        ]
        assert [row.properties["since"] for row in found] == ["2021-01-05"] * edges
