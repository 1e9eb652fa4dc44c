"""The graph as a networkx ``MultiDiGraph``, and as GraphML.

Nodes are entities, by their key, and papers, by ``paper/<id>``. Edges are the statements that at
least one passage plainly states, keyed by the statement's id; which entity is a variant of which;
and, if wanted, which paper mentions or introduces which entity. Every attribute is a str, int or
float, and lists are joined, so that the graph goes as it is through GraphML, GEXF and node-link
JSON.
"""

from __future__ import annotations

from typing import BinaryIO, Final

import networkx as nx

from kg.graph import Graph
from kg.project.characters import carriable
from kg.records import digest, paper_key
from kg.schema import PREDICATES

__all__ = ["to_networkx", "write_graphml"]

_SEPARATOR: Final = " | "
"""Between the names of an entity and the authors of a paper."""

Attributes = dict[str, str | int | float]


def to_networkx(graph: Graph, *, papers: bool = True) -> nx.MultiDiGraph[str]:
    """Return ``graph`` as a plain networkx graph.

    Parameters
    ----------
    graph : the assembled graph.
    papers : whether all papers are nodes, with edges to what they mention and introduce. If not,
        only those papers are nodes that are themselves the subject of a statement.

    Returns
    -------
    MultiDiGraph
        Node attributes: ``kind`` (``entity`` or ``paper``) and ``label``; of an entity ``type``,
        ``names``, ``confidence`` (0 to 1) and ``papers`` (number that mention it); of a paper
        ``title``, ``date``, ``venue``, ``authors``, ``url`` and ``doi``. Edge attributes:
        ``relation`` (``IMPROVES_OVER``, ``MENTIONS``, … as in Neo4j); of a statement ``id``,
        ``predicate``, ``papers`` (number that plainly state it) and ``belief`` (0 to 1); of a
        mention ``count``. Nodes and edges come in the order of the graph.

    Examples
    --------
    >>> from kg.records import Entity
    >>> g = to_networkx(Graph(entities=[Entity("method/bert", "BERT", "Model", ("BERT",))]))
    >>> g.nodes["method/bert"]["type"]
    'Model'
    """
    out: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    asserted = [s for s in graph.statements.values() if s.asserted]
    subjects = {s.subject for s in asserted}
    mentioned: dict[str, int] = {}
    for _, key in graph.mention_counts:
        mentioned[key] = mentioned.get(key, 0) + 1
    for entity in graph.entities.values():
        out.add_node(
            entity.key,
            kind="entity",
            label=entity.name,
            type=entity.type,
            names=_SEPARATOR.join(entity.names),
            confidence=round(float(entity.confidence), 6),
            papers=mentioned.get(entity.key, 0),
        )
    for paper in graph.papers.values():
        key = paper_key(paper.id)
        if papers or key in subjects:
            out.add_node(
                key,
                kind="paper",
                label=paper.name,
                title=paper.title,
                date=paper.date,
                venue=paper.venue,
                authors=_SEPARATOR.join(paper.authors),
                url=paper.url,
                doi=paper.doi,
            )
    for s in asserted:
        out.add_edge(
            s.subject,
            s.object,
            s.id,
            id=s.id,
            relation=PREDICATES[s.predicate].relationship,
            predicate=s.predicate,
            papers=len(s.papers),
            belief=round(float(s.belief), 6),
        )
    for entity in graph.entities.values():
        if entity.variant_of:
            key = digest("variant of", entity.key, entity.variant_of)
            out.add_edge(entity.key, entity.variant_of, key, relation="VARIANT_OF")
    if papers:
        _link_papers(graph, out)
    return out


def _link_papers(graph: Graph, out: nx.MultiDiGraph[str]) -> None:
    for (paper, key), count in graph.mention_counts.items():
        source = paper_key(paper)
        out.add_edge(source, key, digest("mentions", source, key), relation="MENTIONS", count=count)
    for entity in graph.entities.values():
        for paper in entity.introduced_in:
            source = paper_key(paper)
            out.add_edge(
                source, entity.key, digest("introduces", source, entity.key), relation="INTRODUCES"
            )


def write_graphml(graph: Graph, out: BinaryIO, *, papers: bool = True) -> None:
    """Write ``graph`` as GraphML in UTF-8, as Gephi, yEd, Cytoscape and networkx read it.

    Parameters
    ----------
    graph : the assembled graph.
    out : a stream of bytes; it stays open.
    papers : as in :func:`to_networkx`.

    Notes
    -----
    Characters that XML cannot carry become U+FFFD. XML reads a carriage return as a line feed, so
    line ends in names and titles are written as line feeds. Should two ids then be one, the second
    gets its digest appended.
    """
    clean: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    source = to_networkx(graph, papers=papers)
    names: dict[str, str] = {}
    for node, attributes in source.nodes(data=True):
        name = _clean(node)
        names[node] = f"{name}#{digest(node)}" if name in clean else name
        clean.add_node(names[node], **_cleaned(attributes))
    for start, end, key, attributes in source.edges(keys=True, data=True):
        clean.add_edge(names[start], names[end], key, **_cleaned(attributes))
    # Not write_graphml: its bytes depend on whether lxml is installed.
    nx.write_graphml_xml(clean, out, encoding="utf-8")


def _clean(text: str) -> str:
    return carriable(text).replace("\r\n", "\n").replace("\r", "\n")


def _cleaned(attributes: Attributes) -> Attributes:
    return {k: _clean(v) if isinstance(v, str) else v for k, v in attributes.items()}
