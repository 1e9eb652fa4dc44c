"""The SPARQL queries give the answers of their Cypher twins."""

from __future__ import annotations

import io
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
import rdflib
from field import field_graph, random_graph
from rdflib import OWL, RDF, RDFS, XSD

from kg.errors import QueryError
from kg.graph import Graph
from kg.project.embedded import EmbeddedStore
from kg.project.ontology import ontology as make_ontology
from kg.project.rdf import to_rdflib
from kg.project.rdf_files import write
from kg.project.sparql import _parse, find_query, run, shipped, unknown_names
from kg.queries import Query, bind
from kg.queries import shipped as shipped_cypher
from kg.resources import share

SPARQL = shipped()
CYPHER = shipped_cypher()


def cypher(store: EmbeddedStore, query: str, **parameters: Any) -> list[dict[str, Any]]:
    limited = {**parameters, "limit": 10_000}
    return store.cypher(CYPHER[query].text, bind(CYPHER[query], limited))


def graphs() -> list[Graph]:
    return [field_graph(), *(random_graph(seed, 20) for seed in (1, 2))]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Graph, rdflib.Graph, EmbeddedStore]]:
    return [(g, to_rdflib(g), EmbeddedStore.build(g)) for g in graphs()]


def names(graph: Graph, *types: str) -> list[str]:
    """The first and the last of the names of each entity of the types, and one of none."""
    some = [e.names for e in graph.entities.values() if e.type in types]
    return [*dict.fromkeys(n for all_ in some for n in (all_[0], all_[-1])), "nothing of the kind"]


Pairs = list[tuple[Graph, rdflib.Graph, EmbeddedStore]]


def test_at_least_three_queries_have_a_twin() -> None:
    assert len(SPARQL) >= 5
    assert SPARQL.keys() <= CYPHER.keys()


@pytest.mark.parametrize("name", SPARQL)
def test_twins_take_the_same_parameters(name: str) -> None:
    def taken(query: Query) -> list[tuple[str, str, bool, str]]:
        return [(p.name, p.type, p.optional, p.description) for p in query.parameters]

    assert taken(SPARQL[name]) == taken(CYPHER[name])


def test_a_limit_is_taken(sample: Graph) -> None:
    all_rows = sample.sparql("improves-over", name="BERT")
    assert len(all_rows) == 2
    for limit in (0, 1, "1", 5, None):
        rows = sample.sparql("improves-over", name="BERT", limit=limit)
        assert rows == all_rows[: None if limit is None else int(limit)]
    query = SPARQL["improves-over"]
    data = to_rdflib(sample)
    assert len(run(data, query, {"name": "BERT", "limit": 2}, limit=1)) == 1
    with pytest.raises(QueryError, match="limit of 0 or more"):
        sample.sparql("improves-over", name="BERT", limit=-1)
    # In a query of one's own it is a variable like another.
    assert sample.sparql("SELECT ?limit { ?e skos:prefLabel ?limit }", limit="BERT") == [
        {"limit": "BERT"}
    ]


@pytest.mark.parametrize("name", ["benchmarks", "without-evaluation"])
def test_the_same_rows_as_cypher(pairs: Pairs, name: str) -> None:
    for _, data, store in pairs:
        rows = run(data, SPARQL[name])
        assert rows == cypher(store, name)
    assert run(pairs[0][1], SPARQL[name])


def test_leaderboards_are_those_of_cypher(pairs: Pairs) -> None:
    found = 0
    for graph, data, store in pairs:
        for name in names(graph, "Benchmark", "Dataset"):
            rows = run(data, SPARQL["leaderboard"], {"benchmark": name})
            assert rows == cypher(store, "leaderboard", benchmark=name)
            found += len(rows)
            for metric in {row["metric"] for row in rows} - {None}:
                some = {"benchmark": name.swapcase(), "metric": metric.upper()}
                rows = run(data, SPARQL["leaderboard"], some)
                assert rows == cypher(store, "leaderboard", benchmark=name, metric=metric)
                assert rows
    assert found > 5


def test_improvements_are_those_of_cypher(pairs: Pairs) -> None:
    found = 0
    for graph, data, store in pairs:
        for name in names(graph, "Method", "Model"):
            rows = run(data, SPARQL["improves-over"], {"name": name})
            for row in rows:
                row["benchmarks"] = sorted(filter(None, row["benchmarks"].split(" | ")))
            assert rows == cypher(store, "improves-over", name=name)
            found += len(rows)
    assert found > 5


def test_ancestors_are_those_of_cypher(pairs: Pairs) -> None:
    found = 0
    for graph, data, store in pairs:
        for name in names(graph, "Method", "Model"):
            rows = run(data, SPARQL["lineage"], {"name": name})
            want = {(r["ancestor"], r["type"]) for r in cypher(store, "lineage", name=name)}
            assert {(r["ancestor"], r["type"]) for r in rows} >= want
            assert bool(rows) == bool(want)
            found += len(rows)
    assert found > 5


@pytest.mark.parametrize("name", ["benchmarks", "lineage", "without-evaluation"])
def test_types_that_a_reasoner_adds_change_no_answer(pairs: Pairs, name: str) -> None:
    """Some stores infer as they load: GraphDB does unless it is told not to."""
    _, data, _ = pairs[0]
    ontology = make_ontology()
    inferred = rdflib.Graph()
    for s, o in data.subject_objects(RDF.type):
        for broader in (*ontology.transitive_objects(o, RDFS.subClassOf), OWL.Thing):
            inferred.add((s, RDF.type, broader))
    parameters = {"name": "Gamma"} if name == "lineage" else {}
    rows = run(data + inferred, SPARQL[name], parameters)
    assert rows == run(data, SPARQL[name], parameters)
    assert rows


def test_the_example_of_the_sample(sample: Graph) -> None:
    data = to_rdflib(sample)
    (one, two) = run(data, SPARQL["improves-over"], {"name": "bert"})
    assert (one["better"], one["than"], one["belief"], one["papers"]) == (
        "AlphaNet",
        "BERT",
        0.98,
        2,
    )
    assert one["benchmarks"] == "GLUE"
    assert two["paper"] == "doi:10.1/a b<c>"
    assert [r["ancestor"] for r in run(data, SPARQL["lineage"], {"name": "BetaNet"})] == [
        "AlphaNet",
        "BERT",
    ]
    assert run(data, SPARQL["benchmarks"], limit=0) == []


@pytest.mark.parametrize("format", ["nt", "nquads"])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("benchmarks", {}),
        ("without-evaluation", {}),
        ("improves-over", {"name": "BERT"}),
        ("lineage", {"name": "BetaNet"}),
        ("leaderboard", {"benchmark": "glue"}),
        ("leaderboard", {"benchmark": "glue", "metric": "ACCURACY"}),
        ("leaderboard", {"benchmark": "glue", "metric": "F1"}),
    ],
)
def test_another_engine_gives_the_same_rows(
    sample: Graph, name: str, parameters: dict[str, str], format: str
) -> None:
    """pyoxigraph binds no variable that is not selected, so here the text is filled in.

    In the union of named graphs a triple that two of them have can be found twice.
    """
    out = io.BytesIO()
    write(sample, format, out)
    store = pyoxigraph.Store()
    formats = {"nt": pyoxigraph.RdfFormat.N_TRIPLES, "nquads": pyoxigraph.RdfFormat.N_QUADS}
    store.load(out.getvalue(), format=formats[format])
    text = SPARQL[name].text
    variables = {"benchmark": "benchmark_name", "metric": "metric_name"}
    for parameter, value in parameters.items():
        text = text.replace(f"${variables.get(parameter, parameter)}", f'"{value}"')
    found = store.query(text, use_default_graph_as_union=True)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    columns = [variable.value for variable in found.variables]
    rows = [dict(zip(columns, (t and t.value for t in row), strict=True)) for row in found]
    wanted = run(to_rdflib(sample), SPARQL[name], parameters)
    assert len(rows) == len(wanted)
    for row, want in zip(rows, wanted, strict=True):
        assert row.keys() == want.keys()
        for column, value in want.items():
            got = row[column]
            assert got == value or float(str(got)) == float(str(value))


def test_a_value_is_bound_and_never_part_of_the_text(sample: Graph) -> None:
    data = to_rdflib(sample)
    for value in ('"} . ?s ?p ?o . {"', "C^3|{x}", "'", "\\", "\ud800"):
        assert run(data, SPARQL["improves-over"], {"name": value}) == []
    before = len(data)
    run(data, SPARQL["lineage"], {"name": '"); DELETE WHERE { ?s ?p ?o } #'})
    assert len(data) == before


def test_missing_and_unknown_parameters_are_named(sample: Graph) -> None:
    data = to_rdflib(sample)
    with pytest.raises(QueryError, match="name"):
        run(data, SPARQL["lineage"])
    with pytest.raises(QueryError, match="colour"):
        run(data, SPARQL["lineage"], {"name": "BERT", "colour": "red"})


def test_a_file_declares_what_it_uses() -> None:
    for text in (
        "SELECT * {}",
        "# T\nSELECT * { ?s ?p $x }",
        "# T\n# x (string): y\nSELECT * {}",
        "# T\n# x as $y (string): y\nSELECT * { ?s ?p $x }",
        "# T\n# limit (integer): y\nSELECT * { ?s ?p $limit }",
    ):
        with pytest.raises(QueryError, match=r"odd\.rq"):
            _parse("odd", text)


MENTIONING = "SELECT ?id { ?p sota:mentions/skos:prefLabel ?name ; dcterms:identifier ?id }"


def test_own_query_needs_no_prefix_and_takes_values(sample: Graph) -> None:
    rows = sample.sparql(MENTIONING + " ORDER BY ?id", name="BetaNet")
    assert rows == [{"id": "2102.00002"}]
    assert len(sample.sparql(MENTIONING)) > 5
    assert sample.sparql("ASK { ?x skos:prefLabel ?name }", name="BERT") == [{"ask": True}]
    assert sample.sparql("ASK { ?x skos:prefLabel ?name }", name='BERT" }') == [{"ask": False}]
    same = sample.sparql("improves-over", name="bert")
    assert same == run(to_rdflib(sample), SPARQL["improves-over"], {"name": "bert"})
    bert = sample.sparql("SELECT ?e { ?e skos:prefLabel 'BERT' }")[0]["e"]
    (name,) = sample.sparql("SELECT ?n { ?e skos:prefLabel ?n }", e=rdflib.URIRef(bert))
    assert name == {"n": "BERT"}
    assert sample.sparql("SELECT ?n { ?e skos:prefLabel ?n }", e=bert) == []
    value = rdflib.Literal("91.5", datatype=XSD.decimal)
    assert sample.sparql("ASK { ?r sota:value ?v }", v=value) == [{"ask": True}]
    (counted,) = sample.sparql("SELECT (count(?e) AS ?n) { ?e a sota:Entity }")
    assert counted == {"n": len(sample.entities)}


def test_query_in_a_file(sample: Graph, tmp_path: Path) -> None:
    path = tmp_path / "own.rq"
    path.write_text(f"# Mine\n{MENTIONING}", encoding="utf-8")
    assert len(sample.sparql(str(path), name="BetaNet")) == 1
    declared = MENTIONING.replace("?name", "$name")
    path.write_text(f"# Mine\n# name (string): a name\n{declared}", encoding="utf-8")
    assert len(sample.sparql(str(path), name="BetaNet")) == 1
    with pytest.raises(QueryError, match="needs a value for name"):
        sample.sparql(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no-such-query", "there are benchmarks, "),
        ("nowhere.rq", "No such file"),
        ("SELECT * { ?s ?p ?o", "no SPARQL query: Expected"),
        ("SELECT * { ?s foo:x ?o }", "prefix : foo"),
        ("DELETE WHERE { ?s ?p ?o }", "a query may only read"),
        ("INSERT DATA { <http://a> <http://b> <http://c> }", "a query may only read"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "kg export"),
        ("DESCRIBE ?s { ?s a sota:Paper }", "kg export"),
        ("SELECT * FROM <http://127.0.0.1:1/> { ?s ?p ?o }", "FROM is not taken"),
        ("SELECT * FROM NAMED <http://127.0.0.1:1/> { ?s ?p ?o }", "FROM is not taken"),
        ("SELECT * { OPTIONAL { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } } }", "SERVICE"),
        ("ASK { ?s ?p ?o FILTER EXISTS { SERVICE ?x { ?s ?p ?o } } }", "SERVICE"),
    ],
)
def test_what_is_refused_is_told_in_one_line(sample: Graph, text: str, said: str) -> None:
    with pytest.raises(QueryError) as raised:
        sample.sparql(text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_several_threads_ask_at_once(sample: Graph) -> None:
    def names(n: int) -> list[str]:
        rows = sample.sparql(f"SELECT ?name {{ ?{'e' * (n + 1)} skos:prefLabel ?name }}")
        return sorted(row["name"] for row in rows)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(names, range(24)))
    assert answers == [sorted(e.name for e in sample.entities.values())] * 24


def test_value_of_no_variable_is_refused(sample: Graph) -> None:
    with pytest.raises(QueryError, match="has no parameter colour"):
        sample.sparql(MENTIONING, colour="red")


def test_name_that_no_entity_has_is_told(sample: Graph) -> None:
    query = find_query("leaderboard")
    values = bind(query, {"benchmark": "GLEU", "metric": "ACCURACY"})
    assert unknown_names(sample, query, values) == [
        "no entity is called 'GLEU'; did you mean GLUE?"
    ]


def test_files_use_the_namespaces_of_the_export() -> None:
    from kg.project.vocabulary import PREFIXES

    for path in (share("schemas") / "queries").glob("*.rq"):
        for prefix, iri in re.findall(r"PREFIX (\w+): <(.+)>", path.read_text("utf-8")):
            assert PREFIXES[prefix] == iri
