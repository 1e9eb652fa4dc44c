"""The SHACL shapes that every export conforms to. Core constraints only: no SPARQL, no rules."""

from __future__ import annotations

from typing import Any, Final

import rdflib
from rdflib import DCTERMS, PROV, RDF, RDFS, SDO, SH, SKOS, VOID, XSD, BNode, Literal, URIRef
from rdflib.term import Node

from kg.project.shacl import SHAPES, ShapesGraph
from kg.project.terms import TERMS
from kg.project.vocabulary import BIBO, OA, SOTA, class_iri
from kg.schema import ENTITY_TYPES, PAPER, PREDICATES, Predicate

__all__ = ["shapes"]

_UNITS: Final = ("%", "points", "pp", "x")


def shapes() -> rdflib.Graph:
    """Return the shapes.

    Each class has a closed shape, so a property that does not belong is reported; but to the
    description of the graph its publisher may add a licence, a date and more. The allowed types of
    subject and object are checked on the plain triples and on the statements.
    """
    return _Shapes().graph


class _Shapes(ShapesGraph):
    """A node shape for each class of the exports."""

    def __init__(self) -> None:
        super().__init__()
        self._paper()
        self._author()
        self._entities()
        self._statement()
        self._passages()
        self._selectors()
        self._extractor()
        self._graph()

    def plain(self, subject_type: str) -> list[URIRef]:
        """Return property shapes for the plain triples that a subject of the type may have."""
        out = []
        for p in PREDICATES.values():
            objects = [o for s, types in p.in_graph if subject_type in s for o in types]
            if objects:
                name = f"{class_iri(subject_type).removeprefix(SOTA)}-{p.term}"
                out.append(self.property(name, SOTA[p.term], **self.one_of(objects)))
        return out

    def _paper(self) -> None:
        dates = (XSD.date, XSD.gYearMonth, XSD.gYear, XSD.string)
        self.node(
            "Paper",
            SOTA.Paper,
            [
                self.string("Paper-identifier", DCTERMS.identifier, 1),
                self.string("Paper-label", RDFS.label, 1),
                self.string("Paper-title", DCTERMS.title),
                self.string("Paper-abstract", DCTERMS.abstract),
                self.string("Paper-venue", SOTA.venue),
                self.string("Paper-doi", BIBO.doi),
                self.property(
                    "Paper-date",
                    DCTERMS.date,
                    0,
                    1,
                    or_=[self.add(BNode(), datatype=d) for d in dates],
                ),
                self.property(
                    "Paper-url",
                    SDO.url,
                    0,
                    1,
                    or_=[self.add(BNode(), datatype=d) for d in (XSD.anyURI, XSD.string)],
                ),
                self.property("Paper-sameAs", SDO.sameAs, 0, 1, nodeKind=SH.IRI),
                self.string("Paper-sourceFile", SOTA.sourceFile),
                self.count("Paper-sourcePosition", SOTA.sourcePosition, 0, 0),
                self.link("Paper-creator", DCTERMS.creator, SOTA.Author),
                self.link("Paper-mentions", SOTA.mentions, SOTA.Entity),
                self.link("Paper-introduces", SOTA.introduces, SOTA.Entity),
                self.link("Paper-states", SOTA.states, SOTA.Statement),
                self.link("Paper-reports", SOTA.reports, SOTA.Result),
                *self.plain(PAPER),
            ],
        )

    def _author(self) -> None:
        self.node(
            "Author",
            SOTA.Author,
            [
                self.string("Author-name", SDO.name, 1),
                self.count("Author-position", SOTA.position, 1, 1),
            ],
        )

    def _entities(self) -> None:
        common = [
            self.string("Entity-identifier", DCTERMS.identifier, 1),
            self.string("Entity-label", RDFS.label, 1),
            self.string("Entity-prefLabel", SKOS.prefLabel, 1),
            self.string("Entity-altLabel", SKOS.altLabel, most=None),
            self.probability("Entity-confidence", SOTA.confidence),
            self.link("Entity-variantOf", SOTA.variantOf, SOTA.Entity, 0, 1),
            self.string("Entity-decision", SOTA.decision, most=None),
        ]
        for name in ENTITY_TYPES:
            self.node(name, class_iri(name), [*common, *self.plain(name)])
        a_type = self.add(BNode(), in_=[class_iri(t) for t in ENTITY_TYPES])
        shape = SHAPES.Entity
        self.graph.add((shape, RDF.type, SH.NodeShape))
        one = self.property(
            "Entity-type",
            RDF.type,
            qualifiedValueShape=a_type,
            qualifiedMinCount=Literal(1),
            qualifiedMaxCount=Literal(1),
            message=Literal("An entity has exactly one of the entity types.", lang="en"),
        )
        self.add(shape, targetClass=SOTA.Entity, property=one)

    def _statement(self) -> None:
        evidence = self.add(BNode(), inversePath=SOTA.evidenceFor)
        terms = [SOTA[p.term] for p in PREDICATES.values()]
        shape = self.node(
            "Statement",
            SOTA.Statement,
            [
                self.string("Statement-label", RDFS.label, 1),
                self.property(
                    "Statement-subject", RDF.subject, 1, 1, **self.one_of(("Entity", PAPER))
                ),
                self.property("Statement-predicate", RDF.predicate, 1, 1, in_=terms),
                self.property("Statement-object", RDF.object, 1, 1, **self.one_of(("Entity",))),
                self.probability("Statement-belief", SOTA.belief),
                self.count("Statement-paperCount", SOTA.paperCount, 1, 0),
                self.property(
                    "Statement-decision",
                    SOTA.decision,
                    0,
                    1,
                    in_=map(Literal, ("accepted", "rejected")),
                ),
                self.property(
                    "Statement-evidence",
                    evidence,
                    1,
                    message=Literal("A statement has at least one piece of evidence.", lang="en"),
                ),
            ],
        )
        signatures = [
            self._signature(p, i) for p in PREDICATES.values() for i, _ in enumerate(p.in_graph, 1)
        ]
        self.add(
            shape,
            or_=signatures,
            message=Literal("The types of subject and object fit the predicate.", lang="en"),
        )

    def _signature(self, predicate: Predicate, number: int) -> URIRef:
        subjects, objects = predicate.in_graph[number - 1]
        name = predicate.term if len(predicate.signatures) == 1 else f"{predicate.term}-{number}"
        shape = SHAPES[name]
        self.graph.add((shape, RDF.type, SH.NodeShape))
        for property_ in (
            self.property(f"{name}-predicate", RDF.predicate, hasValue=SOTA[predicate.term]),
            self.property(f"{name}-subject", RDF.subject, **self.one_of(subjects)),
            self.property(f"{name}-object", RDF.object, **self.one_of(objects)),
        ):
            self.graph.add((shape, SH.property, property_))
        return shape

    def _passages(self) -> None:
        common: list[Node] = [
            self.probability("Passage-confidence", SOTA.confidence),
            self.property("Passage-part", SOTA.part, 1, 1, in_=[Literal("text"), Literal("title")]),
            self.link("Passage-extractor", PROV.wasAttributedTo, SOTA.Extractor, 1),
            self.link("Passage-paper", PROV.wasQuotedFrom, SOTA.Paper, 1, 1),
            self.property("Passage-source", OA.hasSource, 1, 1, equals=PROV.wasQuotedFrom),
            *(
                self.property(
                    f"Passage-{kind}",
                    OA.hasSelector,
                    0,
                    2,
                    qualifiedValueShape=self.add(BNode(), class_=OA[kind]),
                    qualifiedMinCount=Literal(1),
                    qualifiedMaxCount=Literal(1),
                )
                for kind in ("TextPositionSelector", "TextQuoteSelector")
            ),
        ]
        truth: dict[str, Any] = {"datatype": XSD.boolean}
        self.node(
            "Evidence",
            SOTA.Evidence,
            [
                *common,
                self.link("Evidence-evidenceFor", SOTA.evidenceFor, SOTA.Statement, 1, 1),
                self.property("Evidence-negated", SOTA.negated, 1, 1, **truth),
                self.property("Evidence-hedged", SOTA.hedged, 1, 1, **truth),
            ],
        )
        figures = {n: SOTA[n] for n in ("value", "baselineValue", "delta")}
        shape = self.node(
            "Result",
            SOTA.Result,
            [
                *common,
                self.property("Result-of", SOTA.of, 0, 1, **self.one_of(("Entity", PAPER))),
                self.link("Result-on", SOTA.on, SOTA.Entity, 0, 1),
                self.link("Result-measuredBy", SOTA.measuredBy, SOTA.Metric, 0, 1),
                self.link("Result-against", SOTA.against, SOTA.Entity, 0, 1),
                *(
                    self.property(f"Result-{name}", path, 0, 1, datatype=XSD.decimal)
                    for name, path in figures.items()
                ),
                self.property("Result-unit", SOTA.unit, 0, 1, in_=map(Literal, _UNITS)),
                self.property(
                    "Result-direction", SOTA.direction, 0, 1, in_=map(Literal, ("up", "down"))
                ),
            ],
        )
        self.add(
            shape,
            or_=[self.add(BNode(), path=p, minCount=Literal(1)) for p in figures.values()],
            message=Literal("A result has at least one figure.", lang="en"),
        )

    def _selectors(self) -> None:
        offset: dict[str, Any] = {"datatype": XSD.nonNegativeInteger}
        self.node(
            "TextPositionSelector",
            OA.TextPositionSelector,
            [
                self.property("Selector-start", OA.start, 1, 1, lessThan=OA.end, **offset),
                self.property("Selector-end", OA.end, 1, 1, **offset),
            ],
        )
        self.node(
            "TextQuoteSelector",
            OA.TextQuoteSelector,
            [self.string("Selector-exact", OA.exact, 1)],
        )

    def _extractor(self) -> None:
        self.node("Extractor", SOTA.Extractor, [self.string("Extractor-label", RDFS.label, 1)])

    def _graph(self) -> None:
        self.node(
            "KnowledgeGraph",
            SOTA.KnowledgeGraph,
            [
                self.string("KnowledgeGraph-title", DCTERMS.title, 1),
                self.string("KnowledgeGraph-description", DCTERMS.description, 1),
                self.string("KnowledgeGraph-uriSpace", VOID.uriSpace, 1),
                self.property(
                    "KnowledgeGraph-conformsTo", DCTERMS.conformsTo, 1, 1, nodeKind=SH.IRI
                ),
                self.property("KnowledgeGraph-vocabulary", VOID.vocabulary, 1, nodeKind=SH.IRI),
                self.property("KnowledgeGraph-partition", VOID.classPartition, nodeKind=SH.IRI),
                self.link("KnowledgeGraph-software", PROV.wasAttributedTo, SOTA.Software, 1, 1),
            ],
            closed=False,
        )
        classes = [t.iri for t in TERMS.values() if t.kind == "class"]
        self.node(
            "Partition",
            VOID.classPartition,
            [
                self.property("Partition-class", VOID["class"], 1, 1, in_=classes),
                self.count("Partition-entities", VOID.entities, 1, 1),
            ],
            by="targetObjectsOf",
        )
        self.node(
            "Software",
            SOTA.Software,
            [
                self.string("Software-label", RDFS.label, 1),
                self.string("Software-version", SDO.softwareVersion, 1),
            ],
        )
