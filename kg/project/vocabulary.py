"""The vocabularies of the exports: namespaces, prefixes, and what a term of our own is.

schema.org is written with ``https``: its own release files use that form, and rdflib's ``SDO``
namespace does, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rdflib import (
    DCAT,
    DCTERMS,
    OWL,
    PROV,
    RDF,
    RDFS,
    SDO,
    SH,
    SKOS,
    VOID,
    XSD,
    Namespace,
    URIRef,
)

from kg.schema import NS, PAPER

__all__ = [
    "BIBO",
    "CITO",
    "DATA_PREFIXES",
    "FABIO",
    "OA",
    "ONTOLOGY",
    "PREFIXES",
    "SOTA",
    "VERSION",
    "Term",
    "class_iri",
]

VERSION: Final = "0.2.0"
"""Version of the ontology: raised when a term is added (minor) or changes its meaning (major)."""

SOTA: Final = Namespace(NS)
ONTOLOGY: Final = URIRef(NS.removesuffix("#"))
"""IRI of the ontology itself."""

OA: Final = Namespace("http://www.w3.org/ns/oa#")
BIBO: Final = Namespace("http://purl.org/ontology/bibo/")
CITO: Final = Namespace("http://purl.org/spar/cito/")
FABIO: Final = Namespace("http://purl.org/spar/fabio/")

PREFIXES: Final[dict[str, str]] = {
    "sota": NS,
    "bibo": str(BIBO),
    "cito": str(CITO),
    "dcat": str(DCAT),
    "dcterms": str(DCTERMS),
    "fabio": str(FABIO),
    "oa": str(OA),
    "owl": str(OWL),
    "prov": str(PROV),
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "schema": str(SDO),
    "sh": str(SH),
    "skos": str(SKOS),
    "void": str(VOID),
    "xsd": str(XSD),
}
"""Prefix to namespace, as the generated files declare them."""

DATA_PREFIXES: Final = {p: n for p, n in PREFIXES.items() if p not in ("cito", "owl", "sh")}
"""Those of the prefixes that an export uses and declares."""


@dataclass(frozen=True, slots=True)
class Term:
    """A class or property of the ontology.

    Attributes
    ----------
    name : local name in :data:`kg.schema.NS`.
    kind : ``class``, ``object`` (a property between resources) or ``data`` (to a literal).
    label, comment : for people, in English.
    domain : names of the classes that have it; more than one means any of them.
    range : names of classes, or the one datatype.
    parents : broader classes or properties.
    close : terms of other vocabularies that mean nearly the same.
    """

    name: str
    kind: Literal["class", "object", "data"]
    label: str
    comment: str
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] | URIRef = ()
    parents: tuple[URIRef, ...] = ()
    close: tuple[URIRef, ...] = ()

    @property
    def iri(self) -> URIRef:
        """The term's IRI."""
        return SOTA[self.name]


def class_iri(name: str) -> URIRef:
    """Return the IRI of the class for an entity type or for :data:`~kg.schema.PAPER`."""
    return SOTA["Paper" if name == PAPER else name]
