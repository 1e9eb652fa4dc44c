"""The ontology says what every term means; the shapes accept every export and nothing worse."""

from __future__ import annotations

import json
from typing import Any

import pyshacl
import pytest
import rdflib
from rdflib import DCTERMS, OWL, RDF, RDFS, SH, SKOS, XSD, BNode, Literal, Namespace, URIRef

from kg.graph import Graph
from kg.project.ontology import context, ontology
from kg.project.rdf import to_rdflib
from kg.project.shacl import SHAPES
from kg.project.shapes import shapes
from kg.project.terms import TERMS
from kg.project.vocabulary import OA, PREFIXES, SOTA, VERSION
from kg.records import Paper
from kg.schema import ENTITY_TYPES, NS, PREDICATES

BAD = Namespace("https://example.org/bad/")
ONTOLOGY = ontology()
SHAPE_GRAPH = shapes()
OUTSIDE = (RDF, RDFS, OWL, SKOS, OA)


def validate(data: rdflib.Graph) -> rdflib.Graph:
    _, report, _ = pyshacl.validate(data, shacl_graph=SHAPE_GRAPH)
    assert isinstance(report, rdflib.Graph)
    return report


def violations(report: rdflib.Graph) -> set[tuple[Any, Any, Any]]:
    return {
        (
            report.value(result, SH.focusNode),
            report.value(result, SH.sourceShape),
            report.value(result, SH.sourceConstraintComponent),
        )
        for result in report.subjects(RDF.type, SH.ValidationResult)
    }


def own_terms(graph: rdflib.Graph) -> set[URIRef]:
    return {t for triple in graph for t in triple if isinstance(t, URIRef) and t.startswith(NS)}


def test_every_term_has_a_label_a_comment_and_properties_a_domain_and_range() -> None:
    assert {t.iri for t in TERMS.values()} == own_terms(ONTOLOGY)
    for term in TERMS.values():
        for what in (RDFS.label, RDFS.comment):
            (text,) = ONTOLOGY.objects(term.iri, what)
            assert isinstance(text, Literal)
            assert str(text).strip()
            assert text.language == "en"
        if term.kind != "class":
            assert len(list(ONTOLOGY.objects(term.iri, RDFS.domain))) == 1
            assert len(list(ONTOLOGY.objects(term.iri, RDFS.range))) == 1


def test_domains_and_ranges_are_classes_of_the_ontology() -> None:
    for end in (RDFS.domain, RDFS.range):
        for what in ONTOLOGY.objects(None, end):
            union = ONTOLOGY.value(what, OWL.unionOf)
            for member in ONTOLOGY.items(union) if union else [what]:
                in_ontology = (member, RDF.type, OWL.Class) in ONTOLOGY
                assert in_ontology or str(member).startswith(str(XSD))


def test_the_schema_is_in_the_ontology() -> None:
    for name in ENTITY_TYPES:
        assert (SOTA[name], RDFS.subClassOf, SOTA.Entity) in ONTOLOGY
    for predicate in PREDICATES.values():
        assert (SOTA[predicate.term], RDF.type, OWL.ObjectProperty) in ONTOLOGY
        domain = ONTOLOGY.value(SOTA[predicate.term], RDFS.domain)
        classes = set(ONTOLOGY.items(ONTOLOGY.value(domain, OWL.unionOf)))
        assert classes == {
            SOTA[t.replace("PAPER", "Paper")] for s, _ in predicate.in_graph for t in s
        }


def test_one_ontology_with_a_version_and_links() -> None:
    (iri,) = ONTOLOGY.subjects(RDF.type, OWL.Ontology)
    assert str(iri) == NS.removesuffix("#")
    assert ONTOLOGY.value(iri, OWL.versionInfo) == Literal(VERSION)
    linked = {str(o) for o in ONTOLOGY.objects()}
    for prefix in ("schema", "fabio", "cito", "skos", "prov", "oa"):
        assert any(iri.startswith(PREFIXES[prefix]) for iri in linked), prefix


def test_the_ontology_is_owl_2_dl() -> None:
    """What the OWL API's check of the profile finds wrong: a term that is not declared as what it
    is used as, or that is one of RDF's and OWL's own. That check has been run by hand, too.
    """
    classes = {*ONTOLOGY.objects(None, RDFS.subClassOf), *ONTOLOGY.subjects(RDFS.subClassOf)}
    for end in (RDFS.domain, RDFS.range):
        classes |= {o for o in ONTOLOGY.objects(None, end) if not o.startswith(str(XSD))}
    for head in ONTOLOGY.objects(None, OWL.unionOf):
        members = list(ONTOLOGY.items(head))
        assert len(members) > 1
        classes |= set(members)
    assert classes == set(ONTOLOGY.subjects(RDF.type, OWL.Class))
    kinds = {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty}
    declared = [s for kind in kinds for s in ONTOLOGY.subjects(RDF.type, kind)]
    assert len(declared) == len(set(declared))
    own = tuple(map(str, (RDF, RDFS, OWL, XSD)))
    assert [t for t in declared if str(t).startswith(own)] == []
    for narrow, broad in ONTOLOGY.subject_objects(RDFS.subPropertyOf):
        assert ONTOLOGY.value(narrow, RDF.type) == ONTOLOGY.value(broad, RDF.type)
    used = {p for p in ONTOLOGY.predicates() if not str(p).startswith(own)}
    assert used == set(ONTOLOGY.subjects(RDF.type, OWL.AnnotationProperty))


def test_the_export_uses_only_terms_of_the_ontology(sample: Graph) -> None:
    used = {
        term
        for s, p, o in to_rdflib(sample)
        for term in (p, o)
        if isinstance(term, URIRef) and term.startswith(NS)
    }
    assert used <= {t.iri for t in TERMS.values()}


def test_the_context_has_every_property_and_no_two_names_for_one() -> None:
    terms = {k: v for k, v in context().items() if isinstance(v, dict)}
    iris = [v["@id"] for v in terms.values()]
    assert len(iris) == len(set(iris))
    for term in TERMS.values():
        assert (term.name in terms) == (term.kind != "class")
    assert json.loads(json.dumps(context())) == context()


def test_the_sample_conforms(sample: Graph) -> None:
    report = validate(to_rdflib(sample))
    assert not violations(report), report.serialize()


def test_the_sample_conforms_whatever_the_base(sample: Graph) -> None:
    assert not violations(validate(to_rdflib(sample, "urn:kg:")))


def test_a_publisher_may_add_to_the_description_of_the_graph(sample: Graph) -> None:
    data = to_rdflib(sample)
    (whole,) = data.subjects(RDF.type, SOTA.KnowledgeGraph)
    data.add((whole, DCTERMS.license, BAD.licence))
    assert not violations(validate(data))


def test_descriptions_of_two_graphs_of_one_base_conform_together(sample: Graph) -> None:
    other = Graph([Paper("other", "Nothing is named here.")])
    assert not violations(validate(to_rdflib(sample) + to_rdflib(other)))


def test_the_shapes_are_shacl(sample: Graph) -> None:
    """pySHACL checks the shapes themselves against SHACL's own shapes."""
    conforms, _, text = pyshacl.validate(
        to_rdflib(sample), shacl_graph=SHAPE_GRAPH, meta_shacl=True
    )
    assert conforms, text


def property_shapes() -> list[tuple[URIRef, URIRef]]:
    """(node shape that has it, property shape), each property shape once."""
    seen: dict[Any, Any] = {}
    for how in (SH.targetClass, SH.targetObjectsOf):
        for shape in SHAPE_GRAPH.subjects(how):
            for property_ in SHAPE_GRAPH.objects(shape, SH.property):
                seen.setdefault(property_, shape)
    return [(shape, property_) for property_, shape in sorted(seen.items())]


def aim(data: rdflib.Graph, node: URIRef, shape: Any) -> None:
    """Make ``node`` one that the node shape looks at."""
    if (target := SHAPE_GRAPH.value(shape, SH.targetClass)) is not None:
        data.add((node, RDF.type, target))
    else:
        data.add((BAD.whole, SHAPE_GRAPH.value(shape, SH.targetObjectsOf), node))


def test_every_property_shape_refuses_a_bad_value(sample: Graph) -> None:
    data = to_rdflib(sample)
    broken = []
    for number, (holder, shape) in enumerate(property_shapes()):
        node, path = BAD[str(number)], SHAPE_GRAPH.value(shape, SH.path)
        aim(data, node, holder)
        broken.append((node, shape))
        if not isinstance(path, BNode) and path != RDF.type:
            data.add((node, path, Literal("00", datatype=XSD.hexBinary)))
    found = {(focus, shape) for focus, shape, _ in violations(validate(data))}
    assert len(broken) > 60
    assert [b for b in broken if b not in found] == []


def test_every_required_property_is_missed_and_no_second_value_passes(sample: Graph) -> None:
    data = to_rdflib(sample)
    wanted = []
    for number, (holder, shape) in enumerate(property_shapes()):
        node, path = BAD[str(number)], SHAPE_GRAPH.value(shape, SH.path)
        if SHAPE_GRAPH.value(shape, SH.maxCount) and isinstance(path, URIRef):
            aim(data, node, holder)
            for value in range(3):
                data.add((node, path, Literal(f"value {value}")))
            wanted.append((node, shape, SH.MaxCountConstraintComponent))
        if SHAPE_GRAPH.value(shape, SH.minCount):
            bare = BAD[f"bare/{number}"]
            aim(data, bare, holder)
            wanted.append((bare, shape, SH.MinCountConstraintComponent))
    found = violations(validate(data))
    assert len(wanted) > 30
    assert [w for w in wanted if w not in found] == []


def test_a_property_that_does_not_belong_is_reported(sample: Graph) -> None:
    data = to_rdflib(sample)
    wanted = []
    for number, shape in enumerate(SHAPE_GRAPH.subjects(SH.closed)):
        node = BAD[str(number)]
        aim(data, node, shape)
        data.add((node, SOTA.improvesover, BAD.x))
        wanted.append((node, shape, SH.ClosedConstraintComponent))
    found = violations(validate(data))
    assert len(wanted) == 16
    assert [w for w in wanted if w not in found] == []


@pytest.mark.parametrize("predicate", PREDICATES)
def test_types_that_do_not_fit_the_predicate_are_reported(sample: Graph, predicate: str) -> None:
    p = PREDICATES[predicate]
    data = to_rdflib(sample)
    task = next(data.subjects(RDF.type, SOTA.Task))
    metric = next(data.subjects(RDF.type, SOTA.Metric))
    statement = next(data.subjects(RDF.type, SOTA.Statement))
    data.set((statement, RDF.predicate, SOTA[p.term]))
    data.set((statement, RDF.subject, metric))
    data.add((task, SOTA[p.term], metric))
    found = violations(validate(data))
    assert (statement, SHAPES.Statement, SH.OrConstraintComponent) in found
    assert (task, SHAPES.Task, SH.ClosedConstraintComponent) in found


def test_ends_of_two_signatures_are_not_mixed(sample: Graph) -> None:
    """A dataset builds on a dataset, a model on a model, neither on the other."""
    data = to_rdflib(sample)
    statement = next(data.subjects(RDF.predicate, SOTA.buildsOn))
    data.set((statement, RDF.object, next(data.subjects(RDF.type, SOTA.Dataset))))
    found = violations(validate(data))
    assert (statement, SHAPES.Statement, SH.OrConstraintComponent) in found


def test_an_entity_has_one_type(sample: Graph) -> None:
    data = to_rdflib(sample)
    model = next(data.subjects(RDF.type, SOTA.Model))
    data.add((model, RDF.type, SOTA.Task))
    found = {(focus, shape) for focus, shape, _ in violations(validate(data))}
    assert (model, SHAPES["Entity-type"]) in found


def test_a_result_without_a_figure_and_a_statement_without_evidence_are_reported(
    sample: Graph,
) -> None:
    data = to_rdflib(sample)
    (result,) = data.subjects(RDF.type, SOTA.Result)
    for figure in (SOTA.value, SOTA.delta):
        data.remove((result, figure, None))
    statement = next(data.subjects(RDF.type, SOTA.Statement))
    data.remove((None, SOTA.evidenceFor, statement))
    found = violations(validate(data))
    assert (result, SHAPES.Result, SH.OrConstraintComponent) in found
    assert (statement, SHAPES["Statement-evidence"], SH.MinCountConstraintComponent) in found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (SOTA.belief, Literal("1.1", datatype=XSD.decimal)),
        (SOTA.belief, Literal("-0.1", datatype=XSD.decimal)),
        (SOTA.confidence, Literal("2.0", datatype=XSD.decimal)),
        (SOTA.part, Literal("body")),
        (SOTA.decision, Literal("perhaps")),
        (SOTA.unit, Literal("metres")),
        (SOTA.direction, Literal("sideways")),
        (OA.start, Literal("9999", datatype=XSD.nonNegativeInteger)),
        (OA.exact, Literal("")),
        (SOTA.value, Literal("INF", datatype=XSD.double)),
        (OA.hasSource, BAD.elsewhere),
    ],
)
def test_a_value_out_of_range_is_reported(sample: Graph, path: URIRef, value: Literal) -> None:
    data = to_rdflib(sample)
    subject = next(data.subjects(path), next(data.subjects(RDF.type, SOTA.Statement)))
    data.set((subject, path, value))
    assert subject in {focus for focus, _, _ in violations(validate(data))}
