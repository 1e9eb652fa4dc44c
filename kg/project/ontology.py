"""The OWL ontology of the exports and their JSON-LD context, made from the table of terms."""

from __future__ import annotations

from typing import Any, Final

import rdflib
from rdflib import (
    DCTERMS,
    OWL,
    PROV,
    RDF,
    RDFS,
    SDO,
    SKOS,
    VOID,
    XSD,
    BNode,
    Literal,
    Namespace,
    URIRef,
)
from rdflib.collection import Collection

from kg.project.terms import TERMS
from kg.project.vocabulary import (
    BIBO,
    DATA_PREFIXES,
    OA,
    ONTOLOGY,
    PREFIXES,
    VERSION,
    Term,
    class_iri,
)
from kg.schema import NS

__all__ = ["context", "ontology"]

_VANN: Final = Namespace("http://purl.org/vocab/vann/")
_KIND: Final = {"class": OWL.Class, "object": OWL.ObjectProperty, "data": OWL.DatatypeProperty}
_NOTES: Final = (
    *(DCTERMS.title, DCTERMS.description, DCTERMS.license, SKOS.closeMatch),
    *(_VANN.preferredNamespacePrefix, _VANN.preferredNamespaceUri),
)
"""Annotation properties that the ontology uses and OWL does not have."""


def ontology() -> rdflib.Graph:
    """Return the ontology.

    Each term has a label, a comment, and each property a domain and a range. Where several classes
    may have a property, its domain is their union. Broader terms of other vocabularies are
    ``rdfs:subClassOf`` and ``rdfs:subPropertyOf``, near ones ``skos:closeMatch``. It is OWL 2 DL,
    which wants every term declared that is used, also those of other vocabularies.
    """
    graph = rdflib.Graph(bind_namespaces="none")
    for prefix, namespace in PREFIXES.items():
        graph.bind(prefix, namespace)
    graph.bind("vann", _VANN)
    _header(graph)
    for term in TERMS.values():
        _add(graph, term)
    return graph


def _header(graph: rdflib.Graph) -> None:
    iri = ONTOLOGY
    graph.add((iri, RDF.type, OWL.Ontology))
    graph.add((iri, OWL.versionIRI, URIRef(f"{iri}/{VERSION}")))
    graph.add((iri, OWL.versionInfo, Literal(VERSION)))
    graph.add((iri, DCTERMS.title, Literal("Sotagraph ontology", lang="en")))
    graph.add(
        (
            iri,
            DCTERMS.description,
            Literal(
                "What the abstracts of machine-learning papers state: methods, models, datasets, "
                "benchmarks, tasks and metrics, the statements about them, the figures, and the "
                "passages that say so.",
                lang="en",
            ),
        )
    )
    graph.add((iri, DCTERMS.license, URIRef("http://www.apache.org/licenses/LICENSE-2.0")))
    graph.add((iri, _VANN.preferredNamespacePrefix, Literal("sota")))
    graph.add((iri, _VANN.preferredNamespaceUri, Literal(NS)))
    for note in _NOTES:
        graph.add((note, RDF.type, OWL.AnnotationProperty))


def _add(graph: rdflib.Graph, term: Term) -> None:
    iri = term.iri
    parent = RDFS.subClassOf if term.kind == "class" else RDFS.subPropertyOf
    graph.add((iri, RDF.type, _KIND[term.kind]))
    graph.add((iri, RDFS.label, Literal(term.label, lang="en")))
    graph.add((iri, RDFS.comment, Literal(term.comment, lang="en")))
    graph.add((iri, RDFS.isDefinedBy, ONTOLOGY))
    for broader in term.parents:
        graph.add((iri, parent, broader))
        graph.add((broader, RDF.type, _KIND[term.kind]))
    for close in term.close:
        graph.add((iri, SKOS.closeMatch, close))
    if term.kind != "class":
        graph.add((iri, RDFS.domain, _any_of(graph, term.domain)))
        range_ = term.range if isinstance(term.range, URIRef) else _any_of(graph, term.range)
        graph.add((iri, RDFS.range, range_))


def _any_of(graph: rdflib.Graph, classes: tuple[str, ...]) -> URIRef | BNode:
    """Return the class, or a class expression for the union of several."""
    if len(classes) == 1:
        return class_iri(classes[0])
    union, members = BNode(), BNode()
    Collection(graph, members, [class_iri(c) for c in classes])
    graph.add((union, RDF.type, OWL.Class))
    graph.add((union, OWL.unionOf, members))
    return union


_BORROWED: Final[dict[str, tuple[URIRef, URIRef | str | None]]] = {
    "label": (RDFS.label, None),
    "subject": (RDF.subject, "@id"),
    "predicate": (RDF.predicate, "@id"),
    "object": (RDF.object, "@id"),
    "identifier": (DCTERMS.identifier, None),
    "title": (DCTERMS.title, None),
    "abstract": (DCTERMS.abstract, None),
    "date": (DCTERMS.date, None),
    "creator": (DCTERMS.creator, "@id"),
    "description": (DCTERMS.description, None),
    "conformsTo": (DCTERMS.conformsTo, "@id"),
    "prefLabel": (SKOS.prefLabel, None),
    "altLabel": (SKOS.altLabel, None),
    "name": (SDO.name, None),
    "url": (SDO.url, XSD.anyURI),
    "sameAs": (SDO.sameAs, "@id"),
    "softwareVersion": (SDO.softwareVersion, None),
    "doi": (BIBO.doi, None),
    "wasAttributedTo": (PROV.wasAttributedTo, "@id"),
    "wasQuotedFrom": (PROV.wasQuotedFrom, "@id"),
    "hasSource": (OA.hasSource, "@id"),
    "hasSelector": (OA.hasSelector, "@id"),
    "start": (OA.start, XSD.nonNegativeInteger),
    "end": (OA.end, XSD.nonNegativeInteger),
    "exact": (OA.exact, None),
    "vocabulary": (VOID.vocabulary, "@id"),
    "uriSpace": (VOID.uriSpace, None),
    "classPartition": (VOID.classPartition, "@id"),
    "class": (VOID["class"], "@id"),
    "entities": (VOID.entities, XSD.integer),
}
"""Properties of other vocabularies in the exports: short name to IRI and type of its values."""


def context() -> dict[str, Any]:
    """Return the JSON-LD context: prefixes, and each property's short name with its type.

    Values of a typed property are plain strings (``"belief": "0.95"``), which keeps a decimal a
    decimal.
    """
    terms = {
        t.name: (t.iri, "@id" if t.kind == "object" else t.range)
        for t in TERMS.values()
        if t.kind != "class"
    }
    out: dict[str, Any] = {"@version": 1.1, "id": "@id", "type": "@type", **DATA_PREFIXES}
    for name, (iri, kind) in sorted((_BORROWED | terms).items()):
        out[name] = {"@id": _compact(iri)}
        if isinstance(kind, URIRef) and kind != XSD.string:
            out[name]["@type"] = _compact(kind)
        elif kind == "@id":
            out[name]["@type"] = kind
    return out


def _compact(iri: URIRef) -> str:
    prefix, namespace = next((p, n) for p, n in PREFIXES.items() if iri.startswith(n))
    return f"{prefix}:{iri[len(namespace) :]}"
