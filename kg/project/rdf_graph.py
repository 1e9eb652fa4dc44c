"""RDF description of the graph itself, and of what made it.

The graph is a ``void:Dataset`` with what catalogues and query tools ask for: a title, the ontology
that it conforms to, the vocabularies that it uses, the program that made it, and for each class how
many resources it has (VoID class partitions). Nothing in it depends on when or where it is written.

Its IRI is made from what the graph holds. Where two graphs of one ``base`` meet in a store, each
keeps its own description; a graph that is loaded twice has one.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from rdflib import DCAT, DCTERMS, PROV, RDF, RDFS, SDO, VOID, URIRef

from kg import __version__
from kg.graph import Graph
from kg.json_form import to_json
from kg.project.rdf_terms import Description, Pair, integer, iri, text
from kg.project.vocabulary import DATA_PREFIXES, ONTOLOGY, SOTA, VERSION, class_iri
from kg.read.text import counted
from kg.schema import ENTITY_TYPES, PAPER

__all__ = ["describe_extractors", "describe_graph"]

_NO_VOCABULARIES: Final = ("rdf", "rdfs", "sota", "void", "xsd")


def describe_graph(graph: Graph, papers: int, base: str) -> Iterator[Description]:
    """Yield the description of ``graph``, of the program that made it, and of its classes.

    Parameters
    ----------
    graph : the assembled graph.
    papers : how many papers are described, those included of which only the id is known.
    base : what the IRIs of the graph's resources begin with.
    """
    key = f"graph/{_content(graph)}"
    software = iri(f"software/sotagraph-{__version__}", base)
    vocabularies = [n for p, n in DATA_PREFIXES.items() if p not in _NO_VOCABULARIES]
    counts = _counts(graph, papers)
    many = counted(papers, "paper")
    pairs: list[Pair] = [
        (RDF.type, SOTA.KnowledgeGraph),
        (RDF.type, VOID.Dataset),
        (RDF.type, DCAT.Dataset),
        (DCTERMS.title, text(f"Knowledge graph of {many}")),
        (
            DCTERMS.description,
            text(
                f"What the abstracts of {many} on machine learning state about methods, models, "
                "datasets, benchmarks, tasks and metrics, with the passages that say so."
            ),
        ),
        (DCTERMS.conformsTo, URIRef(f"{ONTOLOGY}/{VERSION}")),
        (PROV.wasAttributedTo, software),
        (VOID.uriSpace, text(base)),
        (VOID.vocabulary, ONTOLOGY),
        *((VOID.vocabulary, URIRef(namespace)) for namespace in vocabularies),
        *((VOID.classPartition, iri(f"{key}/{name}", base)) for name in counts),
    ]
    yield Description(iri(key, base), pairs)
    yield Description(
        software,
        [
            (RDF.type, SOTA.Software),
            (RDF.type, PROV.SoftwareAgent),
            (RDFS.label, text(f"sotagraph {__version__}")),
            (SDO.softwareVersion, text(__version__)),
        ],
    )
    for name, count in counts.items():
        yield Description(
            iri(f"{key}/{name}", base),
            [
                (RDF.type, VOID.Dataset),
                (VOID["class"], SOTA[name]),
                (VOID.entities, integer(count)),
            ],
        )


def describe_extractors(graph: Graph, base: str) -> Iterator[Description]:
    """Yield the description of each rule and model that found something, sorted."""
    extractors = {e.extractor for s in graph.statements.values() for e in s.evidence}
    extractors.update(r.extractor for r in graph.results.values())
    for extractor in sorted(extractors - {""}):
        yield Description(
            iri(f"extractor/{extractor}", base),
            [
                (RDF.type, SOTA.Extractor),
                (RDF.type, PROV.SoftwareAgent),
                (RDFS.label, text(extractor)),
            ],
        )


def _counts(graph: Graph, papers: int) -> dict[str, int]:
    """Return the local name of each class that has members to how many it has."""
    types = Counter(entity.type for entity in graph.entities.values())
    counts = {
        class_iri(PAPER).removeprefix(SOTA): papers,
        "Entity": len(graph.entities),
        **{name: types[name] for name in ENTITY_TYPES},
        "Statement": len(graph.statements),
        "Evidence": sum(
            len({(e.paper, e.part, e.start, e.end) for e in statement.evidence})
            for statement in graph.statements.values()
        ),
        "Result": len(graph.results),
    }
    return {name: count for name, count in counts.items() if count}


def _content(graph: Graph) -> str:
    """Return 16 hex digits made from all records of the graph, and from what made it."""
    hashed = hashlib.sha256(f"{__version__} {VERSION}".encode())
    records = (graph.papers, graph.entities, graph.statements, graph.results)
    parts: tuple[Iterable[object], ...] = (
        graph.mention_counts,
        *(map(to_json, part.values()) for part in records),
    )
    for part in parts:
        hashed.update(b"\n")
        for content in part:
            hashed.update(json.dumps(content).encode())
    return hashed.hexdigest()[:16]
