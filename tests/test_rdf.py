"""RDF: the same facts in every format, whatever the names, and read back by two libraries."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given, settings
from nasty import SEEN_TO_BREAK, graphs, texts
from rdflib import DCTERMS, OWL, PROV, RDF, RDFS, SDO, SKOS, VOID, XSD, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from sample import sample_graph

import kg
from kg.errors import InputError
from kg.graph import Graph
from kg.project.characters import carriable
from kg.project.json_lines import read_json, write_json
from kg.project.rdf import to_dataset, to_rdflib
from kg.project.rdf_files import FORMATS, write
from kg.project.rdf_terms import any_uri, date, decimal, doi_link, iri
from kg.project.vocabulary import OA, ONTOLOGY, SOTA, VERSION
from kg.records import Entity, Paper, Result, Statement
from kg.schema import ENTITY_TYPES, ID_BASE, PREDICATES

# rdflib's parsers use what rdflib itself calls deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Dataset.default_context:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning"),
]

RDFLIB = {"turtle": "turtle", "nt": "nt", "jsonld": "json-ld"}
OXIGRAPH = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "jsonld": pyoxigraph.RdfFormat.JSON_LD,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "nquads": pyoxigraph.RdfFormat.N_QUADS,
}
QUADS = ("trig", "nquads")
ID = rdflib.Namespace(ID_BASE)
HERE = Path(__file__).parent


def written(graph: Graph, format: str, base: str = ID_BASE) -> bytes:
    out = io.BytesIO()
    write(graph, format, out, base)
    return out.getvalue()


def term(t: rdflib.term.Node | None) -> tuple[str, str]:
    if isinstance(t, Literal):
        assert t.language is None
        return str(t), str(t.datatype or XSD.string)
    assert t is None or isinstance(t, URIRef)
    return "" if t is None or t == DATASET_DEFAULT_GRAPH_ID else str(t), ""


def oxigraph_term(t: object) -> tuple[str, str]:
    if isinstance(t, pyoxigraph.Literal):
        return t.value, t.datatype.value
    if isinstance(t, pyoxigraph.DefaultGraph):
        return "", ""
    assert isinstance(t, pyoxigraph.NamedNode), t
    return t.value, ""


def expected(graph: Graph, format: str) -> set[tuple[tuple[str, str], ...]]:
    if format in QUADS:
        return {tuple(map(term, quad)) for quad in to_dataset(graph).quads()}
    return {(*map(term, triple), term(None)) for triple in to_rdflib(graph)}


def check_round_trips(graph: Graph, format: str) -> None:
    data = written(graph, format)
    want = expected(graph, format)
    if format in QUADS:
        read = {
            tuple(map(term, q)) for q in rdflib.Dataset().parse(data=data, format=format).quads()
        }
    else:
        triples = rdflib.Graph().parse(data=data, format=RDFLIB[format])
        read = {(*map(term, t), term(None)) for t in triples}
    assert read == want
    quads = pyoxigraph.parse(data, format=OXIGRAPH[format])
    got = {
        tuple(map(oxigraph_term, (q.subject, q.predicate, q.object, q.graph_name))) for q in quads
    }
    assert got == want


@pytest.mark.parametrize("format", FORMATS)
def test_two_libraries_read_the_sample_to_the_same_triples(sample: Graph, format: str) -> None:
    check_round_trips(sample, format)


@pytest.mark.parametrize("format", FORMATS)
@given(graph=graphs())
@settings(max_examples=25, deadline=None)
def test_two_libraries_read_any_graph_to_the_same_triples(graph: Graph, format: str) -> None:
    check_round_trips(graph, format)


@pytest.mark.parametrize("format", FORMATS)
def test_every_name_that_is_known_to_break_tools(format: str) -> None:
    names = list(SEEN_TO_BREAK)
    entities = [Entity(f"method/{n}", n, "Method", (n,)) for n in names]
    papers = [Paper(n, n, n, "", n, (n,), n, n) for n in names]
    graph = Graph(papers, entities)
    check_round_trips(graph, format)
    labels = set(to_rdflib(graph).objects(None, SKOS.prefLabel))
    assert {str(label) for label in labels} == {carriable(n) for n in names}


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_graph_is_a_valid_file(format: str) -> None:
    check_round_trips(Graph(), format)


@given(graph=graphs())
@settings(max_examples=25, deadline=None)
def test_named_graphs_hold_the_same_triples_as_one_graph(graph: Graph) -> None:
    union = {(s, p, o) for s, p, o, _ in to_dataset(graph).quads()}
    assert union == set(to_rdflib(graph))


@pytest.mark.parametrize("format", FORMATS)
def test_bytes_do_not_depend_on_the_order_of_the_records(sample: Graph, format: str) -> None:
    records = [
        list(sample.papers.values()),
        list(sample.entities.values()),
        list(sample.mentions),
        list(sample.statements.values()),
        list(sample.results.values()),
    ]
    for members in records:
        random.Random(3).shuffle(members)
    assert written(Graph(*records), format) == written(sample, format)


def test_bytes_do_not_depend_on_the_hash_seed(sample: Graph) -> None:
    program = (
        "import sys; from kg.project.rdf_files import FORMATS, write; from sample import *\n"
        "for f in FORMATS: write(sample_graph(), f, sys.stdout.buffer)"
    )
    for seed in ("1", "2"):
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE)}
        run = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout == b"".join(written(sample, f) for f in FORMATS)


def test_no_resource_and_no_pair_is_written_twice(sample: Graph) -> None:
    lines = written(sample, "nt").splitlines()
    assert len(lines) == len(set(lines)) == len(to_rdflib(sample))
    subjects = [b.split("\n")[0] for b in written(sample, "turtle").decode().split("\n\n")[1:]]
    assert len(subjects) == len(set(subjects))
    lines = written(sample, "nquads").splitlines()
    assert len(lines) == len(set(lines))


@given(graph=graphs())
@settings(max_examples=25, deadline=None)
def test_the_graph_describes_itself(graph: Graph) -> None:
    triples = to_rdflib(graph)
    (whole,) = triples.subjects(RDF.type, SOTA.KnowledgeGraph)
    assert (whole, RDF.type, VOID.Dataset) in triples
    assert (whole, DCTERMS.conformsTo, URIRef(f"{ONTOLOGY}/{VERSION}")) in triples
    (software,) = triples.objects(whole, PROV.wasAttributedTo)
    assert triples.value(software, SDO.softwareVersion) == Literal(kg.__version__)
    counts = {
        triples.value(part, VOID["class"]): int(str(triples.value(part, VOID.entities)))
        for part in triples.objects(whole, VOID.classPartition)
    }
    told = [SOTA[n] for n in (*ENTITY_TYPES, "Paper", "Entity", "Statement", "Evidence", "Result")]
    there = {c: len(list(triples.subjects(RDF.type, c))) for c in told}
    assert counts == {c: n for c, n in there.items() if n}
    of_all = to_dataset(graph).graph(DATASET_DEFAULT_GRAPH_ID)
    assert set(of_all.predicate_objects(whole)) == set(triples.predicate_objects(whole))


def test_the_vocabularies_that_are_told_are_those_that_are_used(sample: Graph) -> None:
    triples = to_rdflib(sample)
    (whole,) = triples.subjects(RDF.type, SOTA.KnowledgeGraph)
    told = {str(v) for v in triples.objects(whole, VOID.vocabulary)}
    terms = {*triples.predicates(), *triples.objects(None, RDF.type)}
    used = {re.sub(r"[^/#]+$", "", t) for t in terms} - {str(RDF), str(RDFS), str(VOID)}
    assert told == {str(ONTOLOGY) if n == str(SOTA) else n for n in used}


def test_the_iri_of_the_graph_is_made_from_its_content(sample: Graph) -> None:
    def whole(graph: Graph) -> str:
        (found,) = to_rdflib(graph).subjects(RDF.type, SOTA.KnowledgeGraph)
        assert str(found).startswith(f"{ID_BASE}graph/")
        return str(found)

    out = io.BytesIO()
    write_json(sample, out)
    assert whole(read_json(out.getvalue().splitlines())) == whole(sample)
    papers, more = list(sample.papers.values()), sample.statements.values()
    surer = [replace(s, belief=s.belief + 1e-9) for s in more]  # written with six places
    parts = (papers, sample.entities.values(), sample.mentions)
    assert whole(Graph(*parts, surer, sample.results.values())) == whole(sample)
    surer = [replace(s, belief=s.belief / 2) for s in more]
    others = [
        Graph(*parts, surer, sample.results.values()),
        Graph(*parts, more),
        Graph(),
        Graph(papers[:1]),
        Graph(papers),
        Graph([replace(papers[0], title="Another"), *papers[1:]]),
        Graph(papers, mentions=sample.mentions[:1]),
        Graph(papers, mentions=sample.mentions[-1:]),
    ]
    assert len({whole(sample), *map(whole, others)}) == len(others) + 1


def test_only_what_a_passage_plainly_states_is_a_plain_triple(sample: Graph) -> None:
    graph = to_rdflib(sample)
    alpha, beta, bert = ID["method/alphanet"], ID["method/betanet"], ID["method/bert"]
    assert (alpha, SOTA.improvesOver, bert) in graph
    assert (beta, SOTA.improvesOver, bert) not in graph
    denied = next(s for s in sample.statements.values() if not s.asserted)
    statement = ID[f"statement/{denied.id}"]
    assert graph.value(statement, RDF.subject) == beta
    assert graph.value(statement, SOTA.paperCount) == Literal(0)
    assert not list(graph.subjects(SOTA.states, statement))
    (evidence,) = graph.subjects(SOTA.evidenceFor, statement)
    assert graph.value(evidence, SOTA.negated) == Literal(True)


def test_a_named_graph_holds_what_its_paper_says(sample: Graph) -> None:
    dataset = to_dataset(sample)
    paper = iri("paper/doi:10.1/a b<c>")
    said = dataset.graph(paper)
    alpha, bert = ID["method/alphanet"], ID["method/bert"]
    assert (alpha, SOTA.improvesOver, bert) in said
    assert (alpha, SOTA.buildsOn, bert) not in said
    assert (paper, SOTA.appliesTo, ID["task/parsing"]) in said
    assert set(said.objects(None, PROV.wasQuotedFrom)) == {paper}
    assert (paper, DCTERMS.identifier, None) not in said
    of_all = dataset.graph(DATASET_DEFAULT_GRAPH_ID)
    assert (paper, DCTERMS.identifier, Literal("doi:10.1/a b<c>")) in of_all
    denier = dataset.graph(iri("paper/2102.00002"))
    assert (ID["method/betanet"], SOTA.improvesOver, bert) not in denier
    names = {g.identifier for g in dataset.graphs()}
    assert iri("paper/text:empty") not in names


def test_offsets_count_in_the_text_and_select_the_quote(sample: Graph) -> None:
    graph = to_rdflib(sample)
    found = 0
    for passage, paper in graph.subject_objects(PROV.wasQuotedFrom):
        text = str(graph.value(paper, DCTERMS.abstract))
        start, end = (graph.value(predicate=p, subject=s) for s, p in _position(graph, passage))
        quotes = [graph.value(s, OA.exact) for s in graph.objects(passage, OA.hasSelector)]
        assert Literal(text[int(str(start)) : int(str(end))]) in quotes
        found += 1
    assert found == sum(len(s.evidence) for s in sample.statements.values()) + 1


def _position(graph: rdflib.Graph, passage: rdflib.term.Node) -> list[tuple[URIRef, URIRef]]:
    (selector,) = (
        s
        for s in graph.objects(passage, OA.hasSelector)
        if (s, RDF.type, OA.TextPositionSelector) in graph
    )
    return [(selector, OA.start), (selector, OA.end)]


def test_a_figure_is_a_resource(sample: Graph) -> None:
    graph = to_rdflib(sample)
    (result,) = graph.subjects(RDF.type, SOTA.Result)
    assert graph.value(result, SOTA.of) == ID["method/alphanet"]
    assert graph.value(result, SOTA.on) == ID["data/glue"]
    assert graph.value(result, SOTA.measuredBy) == ID["metric/accuracy"]
    assert graph.value(result, SOTA.against) == ID["method/bert"]
    assert graph.value(result, SOTA.value) == Literal("91.5", datatype=XSD.decimal)
    assert graph.value(result, SOTA.delta) == Literal("2.5", datatype=XSD.decimal)
    assert graph.value(result, SOTA.baselineValue) is None
    assert graph.value(None, SOTA.reports, result) == ID["paper/2101.00001"]


def test_zero_and_odd_names_are_kept() -> None:
    paper = Paper("p", "[MASK] scores 0.")
    mask = Entity("method/mask", "[MASK]", "Method", ("[MASK]", "0", "False"))
    result = Result("p", "text", 0, 6, "[MASK]", "method/mask", value=0.0, extractor="rule:x@1")
    graph = to_rdflib(Graph([paper], [mask], results=[result]))
    assert graph.value(ID["method/mask"], SKOS.prefLabel) == Literal("[MASK]")
    assert set(graph.objects(ID["method/mask"], SKOS.altLabel)) == {Literal("0"), Literal("False")}
    assert graph.value(ID[f"result/{result.id}"], SOTA.value) == Literal(
        "0.0", datatype=XSD.decimal
    )


def test_characters_that_no_format_carries_are_replaced_one_for_one() -> None:
    name = "a\x00b\x1b\ud800c\ufffe"
    graph = to_rdflib(Graph(entities=[Entity("method/a", name, "Method", (name,))]))
    assert graph.value(ID["method/a"], RDFS.label) == Literal("a�b��c�")


def test_authors_keep_their_order_and_are_not_merged(sample: Graph) -> None:
    graph = to_rdflib(sample)
    by_place = {
        int(str(graph.value(a, SOTA.position))): str(graph.value(a, SDO.name))
        for a in graph.objects(ID["paper/2101.00001"], DCTERMS.creator)
    }
    assert by_place == {1: "Ada A.", 2: 'Bob "B" B.'}
    assert len(list(graph.subjects(SDO.name, Literal("Ada A.")))) == 2


@given(one=texts(1), two=texts(1))
@settings(max_examples=50, deadline=None)
def test_iris_are_safe_and_differ_where_keys_differ(one: str, two: str) -> None:
    for key in (one, two):
        path = iri(key).removeprefix(ID_BASE)
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})*", path)
        assert not {".", ".."} & set(path.split("/"))
    assert (iri(one) == iri(two)) == (one == two)


def test_paper_and_author_iris_do_not_meet() -> None:
    graph = Graph([Paper("x", "t", authors=("A",)), Paper("x/1", "t", authors=("B",))])
    assert len(set(to_rdflib(graph).subjects(RDF.type, SOTA.Author))) == 2


@pytest.mark.parametrize(
    ("value", "datatype"),
    [
        ("2021", XSD.gYear),
        ("2021-02", XSD.gYearMonth),
        ("2024-02-29", XSD.date),
        ("2023-02-29", None),
        ("2021-13", None),
        ("0000", None),
        ("21", None),
        ("٢٠٢١", None),
        ("2021-02-03-04", None),
        ("May 2021", None),
    ],
)
def test_a_date_is_typed_if_it_exists(value: str, datatype: URIRef | None) -> None:
    assert date(value).datatype == datatype
    assert str(date(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0"), (-0.0, "0.0"), (1, "1.0"), (0.1 + 0.2, "0.3"), (1e20, f"{10**20}.0")],
)
def test_a_decimal_has_a_point_and_no_exponent(value: float, text: str) -> None:
    assert str(decimal(value)) == text
    assert decimal(value).datatype == XSD.decimal


def test_what_is_no_number_does_not_pass_for_a_decimal() -> None:
    assert [str(decimal(float(x))) for x in ("inf", "-inf", "nan")] == ["INF", "-INF", "NaN"]
    assert decimal(float("inf")).datatype == XSD.double


@pytest.mark.parametrize(
    ("doi", "link"),
    [
        ("10.1000/182", "https://doi.org/10.1000/182"),
        ("https://doi.org/10.1000/182", "https://doi.org/10.1000/182"),
        ("doi:10.1000/a<b>", "https://doi.org/10.1000/a%3Cb%3E"),
        ("none", None),
        ("10.1000/a b", None),
    ],
)
def test_a_doi_is_a_link_that_resolves(doi: str, link: str | None) -> None:
    assert doi_link(doi) == (URIRef(link) if link else None)


@pytest.mark.parametrize("base", ["https://example.org/kg/", "http://x.org:80/a#", "urn:kg:"])
def test_the_base_of_all_instances_can_be_chosen(sample: Graph, base: str) -> None:
    graph = to_rdflib(sample, base)
    assert all(str(s).startswith(base) for s in graph.subjects())
    parsed = rdflib.Graph().parse(data=written(sample, "turtle", base), format="turtle")
    assert set(parsed) == set(graph)


@pytest.mark.parametrize(
    "base",
    ["", "no scheme/", "https://", "https:///x/", "https://example.org/kg", "http://a b/", "x:/"],
)
def test_a_base_that_is_no_iri_is_refused(sample: Graph, base: str) -> None:
    with pytest.raises(InputError, match="base"):
        to_rdflib(sample, base)


def test_an_unknown_format_is_refused(sample: Graph) -> None:
    with pytest.raises(InputError, match="turtle"):
        write(sample, "rdfxml", io.BytesIO())


def test_rdflib_can_shorten_every_predicate_for_rdf_xml(sample: Graph) -> None:
    graph = to_rdflib(sample)
    parsed = rdflib.Graph().parse(data=graph.serialize(format="xml"), format="xml")
    assert set(parsed) == set(graph)


def test_every_text_is_one_line(sample: Graph) -> None:
    name = "a\nb\rc\x85d\u2028e"
    graph = Graph(entities=[Entity("method/a", name, "Method", (name,))])
    assert all(line.endswith(" .") for line in written(graph, "nt").decode().splitlines())
    assert len(written(graph, "turtle").decode().splitlines()) == len(
        written(graph, "turtle").decode().split("\n")[:-1]
    )


def test_no_namespace_but_the_canonical_one_is_used() -> None:
    """Namespaces are compared character by character: http and https are two vocabularies."""
    wrong = re.compile(
        r"http://schema\.org|https://(?:www\.)?(?:purl\.org|w3\.org)|http://w3\.org"
        r"|http://w3id\.org|https://xmlns\.com|http://doi\.org|https?://dx\.doi\.org/10"
    )
    places = [*HERE.parent.glob("kg/**/*.py"), *HERE.parent.glob("schemas/**/*")]
    assert len(places) > 10
    for path in places:
        if path.is_file():
            assert not wrong.search(path.read_text("utf-8")), path
    assert str(SDO) == "https://schema.org/"
    assert str(OWL) == "http://www.w3.org/2002/07/owl#"


def test_sample_is_what_the_tests_think(sample: Graph) -> None:
    assert len(sample.papers) == len(sample_graph().papers) == 4


@pytest.mark.parametrize(
    ("url", "datatype"),
    [
        ("https://example.org", XSD.anyURI),
        ("http://example.org:8080/a(b)?q=%20&r=1#x", XSD.anyURI),
        ("https://example.org/a b", None),
        ("https://example.org/%zz", None),
        ("https:///x", None),
        ("example.org", None),
        ("see the web", None),
    ],
)
def test_a_url_is_typed_if_it_is_one(url: str, datatype: URIRef | None) -> None:
    assert any_uri(url).datatype == datatype
    assert str(any_uri(url)) == url


def test_what_a_person_rejected_is_no_plain_triple_and_what_was_accepted_is(
    sample: Graph,
) -> None:
    def decided(statement: Statement) -> Statement:
        return replace(statement, decision="rejected" if statement.asserted else "accepted")

    graph = Graph(
        sample.papers.values(),
        sample.entities.values(),
        sample.mentions,
        map(decided, sample.statements.values()),
        sample.results.values(),
    )
    triples = {(s, p, o) for s, p, o, _ in to_dataset(graph).quads()}
    assert triples == set(to_rdflib(graph))
    plain = {(s, p, o) for s, p, o in triples if p in {SOTA[x.term] for x in PREDICATES.values()}}
    assert plain == {(ID["method/betanet"], SOTA.improvesOver, ID["method/bert"])}
    decisions = [str(o) for _, p, o in triples if p == SOTA.decision]
    assert sorted(decisions) == ["accepted"] + ["rejected"] * 7


def test_a_variant_is_linked_to_what_it_is_a_variant_of() -> None:
    large = Entity("method/bert-large", "BERT-large", "Model", variant_of="method/bert")
    graph = to_rdflib(Graph(entities=[Entity("method/bert", "BERT", "Model"), large]))
    assert graph.value(ID["method/bert-large"], SOTA.variantOf) == ID["method/bert"]
