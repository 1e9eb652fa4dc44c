"""Small parts that SHACL shapes are put together from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import rdflib
from rdflib import RDF, SH, XSD, BNode, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from kg.project.vocabulary import PREFIXES, class_iri

__all__ = ["SHAPES", "ShapesGraph"]

SHAPES: Final = Namespace("https://w3id.org/sotagraph/shapes#")


class ShapesGraph:
    """Builds a graph of node shapes, one for each class, and named property shapes."""

    def __init__(self) -> None:
        self.graph = rdflib.Graph(bind_namespaces="none")
        for prefix, namespace in PREFIXES.items():
            self.graph.bind(prefix, namespace)
        self.graph.bind("shapes", SHAPES)

    def add(self, subject: Node, **constraints: Node | Iterable[Node]) -> Node:
        """Add SHACL constraints to a shape; several values become an RDF list."""
        for name, value in sorted(constraints.items()):
            object_ = value if isinstance(value, Node) else self.sequence(value)
            self.graph.add((subject, SH[name.rstrip("_")], object_))
        return subject

    def sequence(self, members: Iterable[Node]) -> Node:
        """Return the head of an RDF list."""
        head = BNode()
        Collection(self.graph, head, list(members))
        return head

    def node(
        self,
        name: str,
        target: URIRef,
        properties: Iterable[Node],
        *,
        by: str = "targetClass",
        closed: bool = True,
    ) -> URIRef:
        """Add a node shape for the class ``target``, or what another kind of target finds."""
        shape = SHAPES[name]
        self.graph.add((shape, RDF.type, SH.NodeShape))
        self.add(shape, **{by: target})
        if closed:
            self.add(shape, closed=Literal(True), ignoredProperties=[RDF.type])
        for property_ in properties:
            self.graph.add((shape, SH.property, property_))
        return shape

    def property(
        self,
        name: str,
        path: Node,
        least: int = 0,
        most: int | None = None,
        **constraints: Node | Iterable[Node],
    ) -> URIRef:
        """Add a named property shape for ``least`` to ``most`` values at ``path``."""
        shape = SHAPES[name]
        self.graph.add((shape, RDF.type, SH.PropertyShape))
        self.add(shape, path=path, **constraints)
        if least:
            self.add(shape, minCount=Literal(least))
        if most is not None:
            self.add(shape, maxCount=Literal(most))
        return shape

    def one_of(self, classes: Iterable[str]) -> dict[str, Any]:
        """Return the constraint that a value is of one of the classes."""
        iris = [class_iri(c) for c in classes]
        if len(iris) == 1:
            return {"class_": iris[0], "nodeKind": SH.IRI}
        return {"or_": [self.add(BNode(), class_=i) for i in iris], "nodeKind": SH.IRI}

    def string(self, name: str, path: URIRef, least: int = 0, most: int | None = 1) -> URIRef:
        """Add a property shape for plain text that is not empty."""
        return self.property(
            name, path, least, most, datatype=XSD.string, minLength=Literal(1), nodeKind=SH.Literal
        )

    def probability(self, name: str, path: URIRef) -> URIRef:
        """Add a property shape for one decimal, 0 to 1."""
        return self.property(
            name,
            path,
            1,
            1,
            datatype=XSD.decimal,
            minInclusive=Literal("0.0", datatype=XSD.decimal),
            maxInclusive=Literal("1.0", datatype=XSD.decimal),
        )

    def count(self, name: str, path: URIRef, least: int, smallest: int) -> URIRef:
        """Add a property shape for at most one whole number, ``smallest`` or more."""
        return self.property(
            name, path, least, 1, datatype=XSD.integer, minInclusive=Literal(smallest)
        )

    def link(
        self, name: str, path: URIRef, target: URIRef, least: int = 0, most: int | None = None
    ) -> URIRef:
        """Add a property shape for resources of the class ``target``."""
        return self.property(name, path, least, most, class_=target, nodeKind=SH.IRI)
