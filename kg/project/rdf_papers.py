"""RDF description of a paper and of its authors."""

from __future__ import annotations

from rdflib import DCTERMS, RDF, RDFS, SDO

from kg.project.rdf_terms import Description, Pair, any_uri, date, doi_link, integer, iri, text
from kg.project.vocabulary import BIBO, FABIO, SOTA
from kg.records import Paper, paper_key

__all__ = ["describe_paper"]


def describe_paper(paper: Paper, base: str) -> list[Description]:
    """Return the description of the paper, then one of each author in order.

    An author is a resource of this paper only: equal names in two papers may be two people.
    """
    authors = [
        Description(
            iri(f"author/{paper.id}/{number}", base),
            [
                (RDF.type, SOTA.Author),
                (RDF.type, SDO.Person),
                (SDO.name, text(name)),
                (SOTA.position, integer(number)),
            ],
        )
        for number, name in enumerate(paper.authors, 1)
    ]
    pairs: list[Pair] = [
        (RDF.type, SOTA.Paper),
        (RDF.type, FABIO.ResearchPaper),
        (RDF.type, SDO.ScholarlyArticle),
        (RDFS.label, text(paper.name)),
        (DCTERMS.identifier, text(paper.id)),
    ]
    if paper.title:
        pairs.append((DCTERMS.title, text(paper.title)))
    if paper.date:
        pairs.append((DCTERMS.date, date(paper.date)))
    if paper.venue:
        pairs.append((SOTA.venue, text(paper.venue)))
    pairs += [(DCTERMS.creator, author.subject) for author in authors]
    if paper.url:
        pairs.append((SDO.url, any_uri(paper.url)))
    if paper.doi:
        pairs.append((BIBO.doi, text(paper.doi)))
        if link := doi_link(paper.doi):
            pairs.append((SDO.sameAs, link))
    if paper.text:
        pairs.append((DCTERMS.abstract, text(paper.text)))
    if paper.source:
        pairs.append((SOTA.sourceFile, text(paper.source.file)))
        pairs.append((SOTA.sourcePosition, integer(paper.source.position)))
    return [Description(iri(paper_key(paper.id), base), pairs), *authors]
