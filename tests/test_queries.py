"""The query files: their form, and their answers from both engines."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import neo4j
import pytest
from field import TYPES, Claim, Figure, Written, decided, field_graph, make_graph, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j_server import RELEASES

from kg.errors import QueryError
from kg.graph import Graph
from kg.project.embedded import EmbeddedStore
from kg.project.neo4j import read
from kg.project.neo4j_load import load
from kg.queries import (
    Query,
    bind,
    find_query,
    parse_query,
    read_query,
    shipped,
    unknown_names,
)
from kg.resources import share
from kg.schema import PAPER

ANSWERS = Path(__file__).with_name("answers")
SHIPPED = shipped()
CASES = [
    (path.stem, case["parameters"], case["rows"])
    for path in sorted(ANSWERS.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def field_store() -> EmbeddedStore:
    return EmbeddedStore.build(field_graph())


def test_every_query_has_a_tested_answer() -> None:
    assert len(SHIPPED) >= 14
    assert {name for name, _, rows in CASES if rows} == set(SHIPPED)


@pytest.mark.parametrize(("name", "parameters", "rows"), CASES)
def test_answer_from_the_embedded_store(
    field_store: EmbeddedStore, name: str, parameters: dict[str, Any], rows: list[dict[str, Any]]
) -> None:
    query = SHIPPED[name]
    found = field_store.cypher(query.text, bind(query, parameters))
    assert found == rows
    assert [list(row) for row in found] == [list(row) for row in rows]


def test_answers_from_neo4j(neo4j_driver: neo4j.Driver) -> None:
    load(field_graph(), neo4j_driver)
    for name, parameters, rows in CASES:
        query = SHIPPED[name]
        found = read(neo4j_driver, query.text, bind(query, parameters))
        assert found == rows, name
        assert [list(row) for row in found] == [list(row) for row in rows]


def test_pictures_in_neo4j(neo4j_driver: neo4j.Driver) -> None:
    load(field_graph(), neo4j_driver)
    values = {"name": "alpha", "benchmark": "glue"}
    for path in sorted((share("cypher") / "pictures").glob("*.cypher")):
        picture = read_query(path)
        assert picture.title.startswith("Picture: ")
        given = {p.name: values[p.name] for p in picture.parameters if not p.optional}
        records, _, _ = neo4j_driver.execute_query(picture.text, bind(picture, given))
        assert records, path
        assert isinstance(records[0][0], neo4j.graph.Path)


@pytest.mark.parametrize("seed", [1, 2])
def test_both_engines_agree_on_a_larger_graph(neo4j_driver: neo4j.Driver, seed: int) -> None:
    graph = random_graph(seed, 150)
    agree(graph, neo4j_driver, random.Random(seed))


def test_both_engines_agree_on_the_sample(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    agree(sample, neo4j_driver, random.Random(0))


def agree(graph: Graph, driver: neo4j.Driver, dice: random.Random) -> None:
    """Run every query with several parameters on both engines and hold the rows together."""
    load(graph, driver)
    store = EmbeddedStore.build(graph)
    names = [n for e in graph.entities.values() for n in (e.name.upper(), *e.names)]
    by_type: dict[str, list[str]] = {}
    for entity in graph.entities.values():
        by_type.setdefault(entity.type, []).append(entity.name)
    values: dict[str, list[Any]] = {
        "name": names,
        "first": names,
        "second": names,
        "benchmark": by_type["Benchmark"],
        "task": by_type["Task"],
        "metric": [None, *by_type["Metric"]],
        "paper": [p for paper in graph.papers.values() for p in (paper.id, paper.title.upper())],
        "type": [None, "Method"],
        "since": [None, 2020],
        "predicate": [None, "builds-on"],
        "limit": [7, 10_000],
    }
    answered = set()
    for query in SHIPPED.values():
        for _ in range(4 if query.parameters[0].name != "limit" else 2):
            given = {p.name: dice.choice(values[p.name]) for p in query.parameters}
            bound = bind(query, given)
            here, there = store.cypher(query.text, bound), read(driver, query.text, bound)
            assert here == there, (query.name, bound)
            if here:
                answered.add(query.name)
    assert len(answered) >= len(SHIPPED) // 2


def ask(graph: Graph, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
    query = SHIPPED[name]
    return EmbeddedStore.build(graph).cypher(query.text, bind(query, parameters))


def test_what_a_person_rejected_is_no_improvement_and_what_was_accepted_is_one() -> None:
    only_denied = Written("1", "", (Claim("Alpha", "improves-over", "Gamma", "negated"),))
    denied_too = Written("2", "", (Claim("Beta", "improves-over", "Gamma", "negated"),))
    stated = Written("3", "", (Claim("Beta", "improves-over", "Gamma"),))
    graph = make_graph((only_denied, denied_too, stated), TYPES, {})

    def found(graph: Graph) -> list[tuple[str, str]]:
        return [(r["better"], r["paper"]) for r in ask(graph, "improves-over", name="Gamma")]

    assert found(graph) == [("Beta", "3")]
    assert found(decided(graph, lambda s: "rejected")) == []
    assert found(decided(graph, lambda s: "accepted")) == [("Alpha", "1"), ("Beta", "3")]


def test_between_two_is_not_between_two_of_one_name() -> None:
    said = (Claim("Alpha", "evaluates-on", "Alfa"), Claim("Alpha", "evaluates-on", "GLUE"))
    types = {"Alpha": "Model", "Alfa": "Dataset", "GLUE": "Benchmark"}
    graph = make_graph((Written("1", "", said),), types, {"Alfa": ("ALPHA",)})
    for pair in ({"first": "alpha", "second": "glue"}, {"first": "glue", "second": "alpha"}):
        assert [r["object"] for r in ask(graph, "between", **pair)] == ["GLUE"]
    both = ask(graph, "between", first="alpha", second="Alfa")
    assert [(r["subject"], r["object"]) for r in both] == [("Alpha", "Alfa")]


def test_two_works_of_one_title_are_two() -> None:
    said = tuple(Claim(PAPER, "evaluates-on", name) for name in ("GLUE", "SQuAD"))
    graph = make_graph([Written(id, "", said, title="One") for id in "12"], TYPES, {})
    assert ask(graph, "co-evaluated", benchmark="GLUE") == [
        {"benchmark": "GLUE", "together": "SQuAD", "times": 2, "subjects": ["One", "One"]}
    ]


def test_what_has_a_figure_on_a_benchmark_is_evaluated() -> None:
    said = (Figure("Alpha", "GLUE", "F1", 80.0), Figure("Beta", "", "F1", 80.0))
    introduced = ("Alpha", "Beta")
    graph = make_graph([Written("1", "", said, introduced)], TYPES, {})
    assert [r["name"] for r in ask(graph, "without-evaluation")] == ["Beta"]


def test_types_and_predicates_in_any_writing() -> None:
    graph = field_graph()
    few = ask(graph, "introductions", type="Model")
    assert few == ask(graph, "introductions", type="model")
    assert few
    strong = ask(graph, "strongest-claims", predicate="improves-over")
    assert strong == ask(graph, "strongest-claims", predicate="IMPROVES_OVER")
    assert strong


@pytest.mark.parametrize("query", SHIPPED.values(), ids=list(SHIPPED))
def test_form_of_a_shipped_query(query: Query) -> None:
    assert 5 < len(query.title) < 60
    assert not query.title.endswith(".")
    assert query.description.endswith(".")
    assert "ORDER BY" in query.text
    assert not query.text.endswith(";")
    assert all(p.description for p in query.parameters)
    limits = [p for p in query.parameters if p.name == "limit"]
    assert bool(limits) == ("LIMIT $limit" in query.text)
    for words in ("CREATE", "MERGE", "DELETE", "apoc.", "/*", "keys(", "properties("):
        assert words not in query.text


def test_files_suit_neo4j_browser() -> None:
    paths = sorted(share("cypher").glob("*/*.cypher"))
    assert {p.parent.name for p in paths} == {"queries", "pictures"}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"// {read_query(path).title}\n")
        assert text.endswith(";\n")
        assert all(len(line) <= 110 for line in text.splitlines())


def test_parse() -> None:
    query = parse_query(
        "q",
        "\n// A title\r\n// Two lines\r\n// of prose (with a bracket): yes.\r\n"
        '// x (string): the x\r\n// :param x => "y z"\r\n'
        "// n (integer, optional): the n\r\n// :param n => 3\r\n"
        "MATCH (a) WHERE a.name = $x // not $y\r\n"
        "  AND a.t <> '$z; \\' $z' AND a.u <> \"$w\"\r\nRETURN a.n LIMIT $n;  \r\n// end\r\n",
    )
    assert (query.name, query.title) == ("q", "A title")
    assert query.description == "Two lines of prose (with a bracket): yes."
    assert [(p.name, p.type, p.optional, p.value) for p in query.parameters] == [
        ("x", "string", False, "y z"),
        ("n", "integer", True, 3),
    ]
    assert query.text.startswith("MATCH (a)")
    assert query.text.endswith("LIMIT $n")
    assert query.usage == "x=…, n=3"


def test_parse_without_front_matter() -> None:
    query = parse_query("q", "MATCH (a {name: $x}) RETURN a.name AS `$odd`")
    assert query.title == "q"
    assert [(p.name, p.type, p.optional) for p in query.parameters] == [("x", "any", False)]
    assert bind(query, {"x": "1"}) == {"x": "1"}
    assert bind(query, {"x": 1}) == {"x": 1}


def test_parse_passes_over_comments() -> None:
    query = parse_query("q", "RETURN 1 /* it's $x; not\n2 */ + $y AS 'z' // $a; b")
    assert [p.name for p in query.parameters] == ["y"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no statement"),
        ("// only a title", "no statement"),
        ("// t\n;", "no statement"),
        ("RETURN 1; RETURN 2", "several statements"),
        ('// t\n// x (string): an x\n// :param x => ""\nRETURN $x, $y', "same parameters: y"),
        ('// t\n// x (string): an x\n// :param x => ""\nRETURN 1', "same parameters: x"),
        ("// t\n// x (string): an x\nRETURN $x", "describe and give"),
        ("// t\n// :param x => 1\nRETURN $x", "describe and give"),
        ("// t\n// x (string): an x\n// :param x => one\nRETURN $x", "not JSON"),
    ],
)
def test_parse_refuses(text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        parse_query("q", text)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab$;'\"`/\\\n \u00e9", max_size=40))
def test_parse_never_crashes(text: str) -> None:
    try:
        query = parse_query("q", text)
    except QueryError:
        return
    assert query.text
    assert all(f"${p.name}" in query.text for p in query.parameters)


def test_bind() -> None:
    query = SHIPPED["introductions"]
    assert bind(query, {}) == {"type": None, "since": None, "limit": 50}
    assert bind(query, {"since": " 2020 ", "limit": "3"}) == {
        "type": None,
        "since": 2020,
        "limit": 3,
    }
    assert bind(query, {"type": "2020", "since": None})["type"] == "2020"
    typed = parse_query(
        "q",
        "// t\n// f (float): f\n// :param f => 1.5\n// b (boolean): b\n// :param b => true\n"
        "RETURN $f, $b",
    )
    assert bind(typed, {"f": 1, "b": "False"}) == {"f": 1.0, "b": False}
    assert bind(typed, {"f": "0.5", "b": True}) == {"f": 0.5, "b": True}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "needs a value for benchmark; it takes benchmark=…, metric=null, limit=25"),
        ({"bench": "x"}, "no parameter bench; it takes benchmark=…"),
        ({"benchmark": "x", "limit": "many"}, "type integer for limit, and 'many'"),
        ({"benchmark": "x", "limit": 1.5}, "type integer for limit"),
        ({"benchmark": "x", "limit": True}, "type integer for limit"),
        ({"benchmark": "x", "limit": None, "metric": 1}, "type string for metric"),
        ({"benchmark": "x", "limit": -1}, "limit of 0 or more"),
        ({"benchmark": None}, "type string for benchmark"),
    ],
)
def test_bind_refuses(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(QueryError, match=said) as caught:
        bind(SHIPPED["leaderboard"], parameters)
    assert "leaderboard" in str(caught.value)


@pytest.mark.parametrize("query", SHIPPED.values(), ids=SHIPPED)
def test_name_that_no_entity_has_is_told(field_store: EmbeddedStore, query: Query) -> None:
    others = {"type", "predicate", "paper"}
    names = [p.name for p in query.parameters if p.type == "string" and p.name not in others]
    rest = {p.name: "2021.1" for p in query.parameters if p.name == "paper"}
    for name, said in [
        ("Omga", "no entity is called 'Omga'; did you mean Omega?"),
        ("stanford q-a", "no entity is called 'stanford q-a'; did you mean SQuAD?"),
        ("☃", "no entity is called '☃'"),
        ("Γ-nEt", None),
    ]:
        values = bind(query, dict.fromkeys(names, name) | rest)
        lines = unknown_names(query, values, field_store.cypher)
        assert lines == ([said] * len(names) if said else [])


def test_paper_that_is_not_there_is_told(field_store: EmbeddedStore) -> None:
    query = SHIPPED["paper-statements"]
    for paper, said in [("2021.9", ["no paper has the id or the title '2021.9'"]), ("silent", [])]:
        values = bind(query, {"paper": paper})
        assert unknown_names(query, values, field_store.cypher) == said


def test_query_in_the_guide_runs(field_store: EmbeddedStore) -> None:
    guide = (share("cypher") / "README.md").read_text(encoding="utf-8")
    own = parse_query("own", guide.split("```cypher\n")[-1].split("```")[0])
    assert [r["paper"] for r in field_store.cypher(own.text, bind(own, {"year": "2021"}))] == [
        "silent",
        "2021.1",
        "2021.2",
    ]


def test_compose_file() -> None:
    yaml = pytest.importorskip("yaml")
    path = Path(__file__).parents[1] / "docker-compose.yml"
    server = yaml.safe_load(path.read_text(encoding="utf-8"))["services"]["neo4j"]
    assert server["image"] == RELEASES["long-term"].image
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    assert server["healthcheck"]["test"]
    assert "apoc" not in path.read_text(encoding="utf-8").lower()


def test_find(tmp_path: Path) -> None:
    assert find_query("leaderboard") == SHIPPED["leaderboard"]
    own = tmp_path / "own.cypher"
    own.write_text("\ufeff// Mine\nRETURN 1 AS one;\n", encoding="utf-8")
    assert find_query(str(own)).title == "Mine"
    with pytest.raises(QueryError, match=r"no query 'leaders': did you mean leaderboard\?"):
        find_query("leaders")
    with pytest.raises(QueryError, match=r"cannot read the query .*absent.cypher"):
        find_query(str(tmp_path / "absent.cypher"))
    with pytest.raises(QueryError, match="`kg cypher` runs the text of a query"):
        find_query("MATCH (n) RETURN n " * 200)  # longer than any name of a file
    own.write_bytes(b"// \xff")
    with pytest.raises(QueryError, match="not UTF-8"):
        read_query(own)
