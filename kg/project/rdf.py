"""RDF of a graph: the plain triples, and each statement as a resource with its evidence.

Who says what is told twice, for two kinds of reader:

- ``<entity> sota:improvesOver <entity>``, for easy SPARQL, if a passage plainly states it;
- ``<statement>`` with ``rdf:subject``, ``rdf:predicate``, ``rdf:object`` and its belief, and each
  ``<evidence>`` for it: the paper that it is quoted from (PROV), the offsets and the exact text
  (Web Annotation selectors), the extractor, and whether the passage denies or hedges.

In a dataset (TriG, N-Quads) the default graph holds what is of all papers: their metadata, the
entities, the statements, the plain triples, and the description of the whole. One named graph a
paper, which bears the paper's IRI, holds what that paper says: its evidence and figures, what it
mentions and introduces, and the plain triples that it states itself. In the formats with triples
only, all of it is one graph.

There are no blank nodes. IRIs are ``base`` plus the key with everything but unreserved characters
and ``/`` percent-encoded, so different keys never share an IRI. Text is written as it is but for
the characters that no format can carry (:func:`~kg.project.characters.carriable`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

import rdflib
from rdflib import DCTERMS, PROV, RDF, RDFS, SKOS, URIRef

from kg.graph import Graph
from kg.project.rdf_graph import describe_extractors, describe_graph
from kg.project.rdf_papers import describe_paper
from kg.project.rdf_terms import (
    Description,
    Pair,
    boolean,
    checked_base,
    decimal,
    integer,
    iri,
    offset,
    text,
)
from kg.project.vocabulary import OA, PREFIXES, SOTA
from kg.records import Evidence, Paper, Result, Statement, paper_key
from kg.schema import ID_BASE, PREDICATES

__all__ = ["Projection", "to_dataset", "to_rdflib"]

_PROPERTY: Final[dict[str, URIRef]] = {p.name: SOTA[p.term] for p in PREDICATES.values()}


class Projection:
    """The descriptions of the resources of one graph.

    Parameters
    ----------
    graph : the assembled graph.
    base : what the IRIs of papers, entities, statements, evidence and results begin with; an
        absolute IRI that ends in ``/``, ``#`` or ``:``.

    Raises
    ------
    InputError
        If ``base`` is not such an IRI.
    """

    def __init__(self, graph: Graph, base: str = ID_BASE) -> None:
        self.graph = graph
        self.base = checked_base(base)
        self._mentions: dict[str, list[str]] = defaultdict(list)
        self._introduces: dict[str, list[str]] = defaultdict(list)
        self._evidence: dict[str, list[tuple[Statement, str]]] = defaultdict(list)
        self._results: dict[str, list[Result]] = defaultdict(list)
        self._asserted: dict[str, list[Statement]] = defaultdict(list)
        for paper, key in graph.mention_counts:
            self._mentions[paper].append(key)
        for entity in graph.entities.values():
            for paper in entity.introduced_in:
                self._introduces[paper].append(entity.key)
        for statement in graph.statements.values():
            if statement.asserted:
                self._asserted[statement.subject].append(statement)
            for paper in sorted({e.paper for e in statement.evidence}):
                self._evidence[paper].append((statement, statement.id))
        for result in graph.results.values():
            self._results[result.paper].append(result)
        said = (self._mentions, self._introduces, self._evidence, self._results)
        self._saying: set[str] = set().union(*said)
        self.papers = sorted(self._saying.union(graph.papers))

    def resources(self) -> Iterator[Description]:
        """Yield each resource once, with all that is known of it."""
        yield from describe_graph(self.graph, len(self.papers), self.base)
        for paper in self.papers:
            plain = self._plain(self._asserted.get(paper_key(paper), ()))
            about, *authors = self._paper(paper)
            yield Description(about.subject, about.pairs + self._says(paper) + plain)
            yield from authors
            yield from self._passages(paper)
        yield from self._entities()
        yield from self._statements()
        yield from describe_extractors(self.graph, self.base)

    def of_all(self) -> Iterator[Description]:
        """Yield what the default graph of a dataset holds."""
        yield from describe_graph(self.graph, len(self.papers), self.base)
        for paper in self.papers:
            plain = self._plain(self._asserted.get(paper_key(paper), ()))
            about, *authors = self._paper(paper)
            yield Description(about.subject, about.pairs + plain)
            yield from authors
        yield from self._entities()
        yield from self._statements()
        yield from describe_extractors(self.graph, self.base)

    def of_papers(self) -> Iterator[tuple[URIRef, Iterator[Description]]]:
        """Yield the name of each named graph (the paper's IRI) and what that paper says."""
        for paper in self.papers:
            if paper in self._saying:
                yield self._iri(paper_key(paper)), self._said(paper)

    def _said(self, paper: str) -> Iterator[Description]:
        stated: dict[str, list[Statement]] = defaultdict(list)
        for statement, _ in self._evidence.get(paper, ()):
            if statement.asserted and paper in statement.papers:
                stated[statement.subject].append(statement)
        own = paper_key(paper)
        pairs = self._says(paper) + self._plain(stated.pop(own, ()))
        if pairs:
            yield Description(self._iri(own), pairs)
        for subject, statements in sorted(stated.items()):
            yield Description(self._iri(subject), self._plain(statements))
        yield from self._passages(paper)

    def _iri(self, key: str) -> URIRef:
        return iri(key, self.base)

    def _paper(self, key: str) -> list[Description]:
        return describe_paper(self.graph.papers.get(key) or Paper(key, ""), self.base)

    def _says(self, paper: str) -> list[Pair]:
        pairs: list[Pair] = []
        pairs += [
            (SOTA.introduces, self._iri(k)) for k in sorted(set(self._introduces.get(paper, ())))
        ]
        pairs += [(SOTA.mentions, self._iri(k)) for k in self._mentions.get(paper, ())]
        pairs += [
            (SOTA.states, self._iri(f"statement/{id_}"))
            for statement, id_ in self._evidence.get(paper, ())
            if paper in statement.papers
        ]
        pairs += [(SOTA.reports, self._iri(f"result/{r.id}")) for r in self._results.get(paper, ())]
        return pairs

    def _plain(self, statements: Iterable[Statement]) -> list[Pair]:
        return [(_PROPERTY[s.predicate], self._iri(s.object)) for s in statements]

    def _entities(self) -> Iterator[Description]:
        for entity in self.graph.entities.values():
            name = text(entity.name)
            others = sorted({text(n) for n in entity.names} - {name})
            pairs: list[Pair] = [
                (RDF.type, SOTA.Entity),
                (RDF.type, SOTA[entity.type]),
                (DCTERMS.identifier, text(entity.key)),
                (RDFS.label, name),
                (SKOS.prefLabel, name),
                *((SKOS.altLabel, other) for other in others),
                (SOTA.confidence, decimal(entity.confidence)),
                *((SOTA.decision, text(d)) for d in entity.decisions),
                *self._plain(self._asserted.get(entity.key, ())),
            ]
            if entity.variant_of:
                pairs.append((SOTA.variantOf, self._iri(entity.variant_of)))
            yield Description(self._iri(entity.key), pairs)

    def _statements(self) -> Iterator[Description]:
        name = self.graph.name
        for id_, s in self.graph.statements.items():
            predicate = PREDICATES[s.predicate]
            label = f"{name(s.subject)} {predicate.label} {name(s.object)}"
            pairs: list[Pair] = [
                (RDF.type, SOTA.Statement),
                (RDF.type, RDF.Statement),
                (RDFS.label, text(label)),
                (RDF.subject, self._iri(s.subject)),
                (RDF.predicate, _PROPERTY[s.predicate]),
                (RDF.object, self._iri(s.object)),
                (SOTA.belief, decimal(s.belief)),
                (SOTA.paperCount, integer(len(s.papers))),
            ]
            if s.decision:
                pairs.append((SOTA.decision, text(s.decision)))
            yield Description(self._iri(f"statement/{id_}"), pairs)

    def _passages(self, paper: str) -> Iterator[Description]:
        for statement, id_ in self._evidence.get(paper, ()):
            same: dict[str, list[Evidence]] = defaultdict(list)
            for evidence in statement.evidence:
                if evidence.paper == paper:
                    same[statement.evidence_id(evidence)].append(evidence)
            for evidence_id, group in sorted(same.items()):
                best = max(group, key=lambda e: (e.confidence, e))
                pairs: list[Pair] = [
                    (RDF.type, SOTA.Evidence),
                    (SOTA.evidenceFor, self._iri(f"statement/{id_}")),
                    (SOTA.negated, boolean(best.negated)),
                    (SOTA.hedged, boolean(best.hedged)),
                ]
                yield from self._passage(
                    "evidence", evidence_id, pairs, best, {e.extractor for e in group}
                )
        for result in self._results.get(paper, ()):
            pairs = [(RDF.type, SOTA.Result)]
            for term, key in (
                (SOTA.of, result.subject),
                (SOTA.on, result.benchmark),
                (SOTA.measuredBy, result.metric),
                (SOTA.against, result.baseline),
            ):
                if key:
                    pairs.append((term, self._iri(key)))
            for term, figure in (
                (SOTA.value, result.value),
                (SOTA.baselineValue, result.baseline_value),
                (SOTA.delta, result.delta),
            ):
                if figure is not None:
                    pairs.append((term, decimal(figure)))
            for term, word in ((SOTA.unit, result.unit), (SOTA.direction, result.direction)):
                if word:
                    pairs.append((term, text(word)))
            yield from self._passage("result", result.id, pairs, result, {result.extractor})

    def _passage(
        self,
        kind: str,
        id_: str,
        pairs: list[Pair],
        span: Evidence | Result,
        extractors: set[str],
    ) -> Iterator[Description]:
        """Yield the passage and its two selectors."""
        paper = self._iri(paper_key(span.paper))
        subject = self._iri(f"{kind}/{id_}")
        position, exact = self._iri(f"position/{id_}"), self._iri(f"quote/{id_}")
        pairs += [
            (SOTA.confidence, decimal(span.confidence)),
            *((PROV.wasAttributedTo, self._iri(f"extractor/{e}")) for e in sorted(extractors) if e),
            (PROV.wasQuotedFrom, paper),
            (SOTA.part, text(span.part)),
            (OA.hasSource, paper),
            (OA.hasSelector, position),
            (OA.hasSelector, exact),
        ]
        yield Description(subject, pairs)
        yield Description(
            position,
            [
                (RDF.type, OA.TextPositionSelector),
                (OA.start, offset(span.start)),
                (OA.end, offset(span.end)),
            ],
        )
        yield Description(
            exact, [(RDF.type, OA.TextQuoteSelector), (OA.exact, text(span.sentence))]
        )


def _bind(graph: rdflib.Graph) -> None:
    for prefix, namespace in PREFIXES.items():
        graph.bind(prefix, namespace)


def _fill(graph: rdflib.Graph, descriptions: Iterable[Description]) -> None:
    for subject, pairs in descriptions:
        for predicate, value in pairs:
            graph.add((subject, predicate, value))


def to_rdflib(graph: Graph, base: str = ID_BASE) -> rdflib.Graph:
    """Return all triples in one rdflib graph, held in memory.

    Parameters
    ----------
    graph : the assembled graph.
    base : what the IRIs of its resources begin with.

    Raises
    ------
    InputError
        If ``base`` is not an absolute IRI that ends in ``/``, ``#`` or ``:``.
    """
    out = rdflib.Graph(bind_namespaces="none")
    _bind(out)
    _fill(out, Projection(graph, base).resources())
    return out


def to_dataset(graph: Graph, base: str = ID_BASE) -> rdflib.Dataset:
    """Return an rdflib dataset with one named graph a paper; else as :func:`to_rdflib`."""
    out = rdflib.Dataset()
    _bind(out)
    projection = Projection(graph, base)
    _fill(out, projection.of_all())
    for name, descriptions in projection.of_papers():
        _fill(out.graph(name), descriptions)
    return out
