r"""Write a graph as Turtle, N-Triples, JSON-LD, TriG or N-Quads.

The writers here stream: one resource after the other, in the order of the graph, so that the same
graph gives the same bytes, two exports can be diffed line by line, and memory does not grow with
the output. rdflib's own serializers hold all triples in memory, and their N-Triples and N-Quads
come in the order of hash values. What is written is read back by rdflib to the same triples.

JSON-LD carries its context inline, so no reader needs the network. In every format a text is one
line: line ends are escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from rdflib import RDF, XSD, Literal, URIRef

from kg.errors import InputError
from kg.graph import Graph
from kg.project.ontology import context
from kg.project.rdf import Projection
from kg.project.rdf_terms import Description
from kg.project.vocabulary import DATA_PREFIXES, PREFIXES
from kg.schema import FAMILY, ID_BASE

__all__ = ["FORMATS", "write"]

_ESCAPED: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLX: Final = "%[0-9A-F]{2}"
_LOCAL: Final = re.compile(
    rf"(?:[A-Za-z0-9_]|{_PLX})(?:(?:[A-Za-z0-9_.-]|{_PLX})*(?:[A-Za-z0-9_-]|{_PLX}))?"
)
_FOLDERS: Final = (
    *("paper", "statement", "evidence", "result", "position", "quote", "extractor"),
    *("graph", "software"),
)
_BARE: Final = frozenset({XSD.integer, XSD.decimal, XSD.boolean})


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04X}"


def _quoted(value: str) -> str:
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _nt(term: URIRef | Literal) -> str:
    if isinstance(term, URIRef):
        return f"<{term}>"
    datatype = f"^^<{term.datatype}>" if term.datatype else ""
    return _quoted(term) + datatype


class _Turtle:
    """Terms and blocks in Turtle, shortened by the prefixes of vocabularies and of ``base``."""

    def __init__(self, base: str) -> None:
        folders = dict.fromkeys([*FAMILY.values(), *_FOLDERS])
        self.prefixes = DATA_PREFIXES | {f: f"{base}{f}/" for f in folders}
        self._namespaces = {namespace: prefix for prefix, namespace in self.prefixes.items()}
        self._known: dict[URIRef, str] = {RDF.type: "a"}

    def header(self) -> str:
        return "".join(f"@prefix {p}: <{n}> .\n" for p, n in self.prefixes.items())

    def term(self, term: URIRef | Literal) -> str:
        if isinstance(term, URIRef):
            cut = max(term.rfind("/"), term.rfind("#")) + 1
            prefix = self._namespaces.get(term[:cut])
            if prefix is not None and _LOCAL.fullmatch(term, cut):
                return f"{prefix}:{term[cut:]}"
            return f"<{term}>"
        if term.datatype in _BARE:
            return str(term)
        return _quoted(term) + (f"^^{self.term(term.datatype)}" if term.datatype else "")

    def verb(self, term: URIRef) -> str:
        if term not in self._known:
            self._known[term] = self.term(term)
        return self._known[term]

    def block(self, description: Description, indent: str = "") -> str:
        lines: list[str] = []
        last = None
        for predicate, value in description.pairs:
            if predicate == last:
                lines[-1] += f", {self.term(value)}"
            else:
                lines.append(f"{indent}    {self.verb(predicate)} {self.term(value)}")
                last = predicate
        body = " ;\n".join(lines)
        return f"\n{indent}{self.term(description.subject)}\n{body} .\n"


def _turtle(projection: Projection) -> Iterator[str]:
    turtle = _Turtle(projection.base)
    yield turtle.header()
    yield from map(turtle.block, projection.resources())


def _trig(projection: Projection) -> Iterator[str]:
    turtle = _Turtle(projection.base)
    yield turtle.header()
    yield from map(turtle.block, projection.of_all())
    for name, descriptions in projection.of_papers():
        yield f"\n{turtle.term(name)} {{\n"
        for description in descriptions:
            yield turtle.block(description, "    ")
        yield "}\n"


def _lines(description: Description, end: str = " .\n") -> str:
    subject = _nt(description.subject)
    return "".join(sorted(f"{subject} {_nt(p)} {_nt(o)}{end}" for p, o in description.pairs))


def _ntriples(projection: Projection) -> Iterator[str]:
    yield from map(_lines, projection.resources())


def _nquads(projection: Projection) -> Iterator[str]:
    yield from map(_lines, projection.of_all())
    for name, descriptions in projection.of_papers():
        end = f" {_nt(name)} .\n"
        for description in descriptions:
            yield _lines(description, end)


class _JsonLd:
    """Resources as JSON-LD node objects, shortened by the context."""

    def __init__(self) -> None:
        self.context = context()
        self._terms: dict[URIRef, tuple[str, str | None]] = {}
        for name, definition in self.context.items():
            if isinstance(definition, dict):
                self._terms[URIRef(self._expand(definition["@id"]))] = (
                    name,
                    definition.get("@type"),
                )

    def _expand(self, compact: str) -> str:
        prefix, _, local = compact.partition(":")
        return PREFIXES[prefix] + local

    def _compact(self, iri: URIRef) -> str:
        for prefix, namespace in PREFIXES.items():
            if iri.startswith(namespace):
                return f"{prefix}:{iri[len(namespace) :]}"
        return str(iri)

    def node(self, description: Description) -> str:
        node: dict[str, object] = {"id": str(description.subject)}
        values: dict[str, list[object]] = {}
        for predicate, value in description.pairs:
            if predicate == RDF.type:
                values.setdefault("type", []).append(self._compact(URIRef(value)))
                continue
            name, coercion = self._terms[predicate]
            values.setdefault(name, []).append(self._value(value, coercion))
        node |= {name: v[0] if len(v) == 1 else v for name, v in values.items()}
        return json.dumps(node, ensure_ascii=False, separators=(", ", ": "))

    def _value(self, value: URIRef | Literal, coercion: str | None) -> object:
        if isinstance(value, URIRef):
            return self._compact(value) if value in self._terms else str(value)
        datatype = self._compact(value.datatype) if value.datatype else None
        if datatype == coercion:
            return str(value)
        return {"@value": str(value)} | ({"@type": datatype} if datatype else {})


def _jsonld(projection: Projection) -> Iterator[str]:
    jsonld = _JsonLd()
    yield '{"@context": ' + json.dumps(jsonld.context, indent=1) + ',\n"@graph": ['
    separator = "\n"
    for description in projection.resources():
        yield separator + jsonld.node(description)
        separator = ",\n"
    yield "\n]}\n"


FORMATS: Final[dict[str, Callable[[Projection], Iterator[str]]]] = {
    "turtle": _turtle,
    "nt": _ntriples,
    "jsonld": _jsonld,
    "trig": _trig,
    "nquads": _nquads,
}
"""Name of each format to its writer. TriG and N-Quads keep apart what each paper says."""


def write(graph: Graph, format: str, out: BinaryIO, base: str = ID_BASE) -> None:
    """Write ``graph`` as RDF in UTF-8.

    Parameters
    ----------
    graph : the assembled graph.
    format : one of :data:`FORMATS`.
    out : a stream of bytes; it stays open.
    base : what the IRIs of the graph's resources begin with.

    Raises
    ------
    InputError
        If there is no such format, or ``base`` is not an absolute IRI.
    """
    if format not in FORMATS:
        raise InputError(f"unknown RDF format {format!r}; give one of {', '.join(FORMATS)}")
    for piece in FORMATS[format](Projection(graph, base)):
        out.write(piece.encode("utf-8"))
