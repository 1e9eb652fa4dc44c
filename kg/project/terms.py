"""The terms of the ontology: which classes and properties there are, and what they mean.

One table, from which the ontology, the JSON-LD context and the exports are made. The classes of
entities and the properties of statements come from :mod:`kg.schema`; the rest describes papers,
evidence, figures and the graph itself. Terms that a vocabulary in common use already has (SKOS
labels, Dublin Core metadata, PROV provenance, Web Annotation selectors, VoID descriptions, RDF
reification) are used as they are.
"""

from __future__ import annotations

from typing import Final

from rdflib import DCAT, DCTERMS, PROV, RDF, SDO, VOID, XSD, URIRef

from kg.project.vocabulary import FABIO, OA, SOTA, Term
from kg.schema import ENTITY_TYPES, PAPER, PREDICATES

__all__ = ["TERMS"]


def _classes() -> list[Term]:
    def term(
        name: str, comment: str, *parents: URIRef, label: str = "", close: tuple[URIRef, ...] = ()
    ) -> Term:
        return Term(name, "class", label or name.lower(), comment, parents=parents, close=close)

    return [
        term(
            "Paper",
            "A paper, known by its abstract. As the subject of a statement it stands for its own "
            "contribution, to which the abstract gives no name.",
            SDO.ScholarlyArticle,
            FABIO.ResearchPaper,
        ),
        term("Author", "An author as one paper names them; not compared over papers.", SDO.Person),
        term(
            "Entity",
            "A named or established thing of the field that several papers can mention.",
        ),
        *(
            term(
                t.name,
                t.comment,
                SOTA.Entity,
                *map(URIRef, t.broader),
                close=tuple(map(URIRef, t.close)),
            )
            for t in ENTITY_TYPES.values()
        ),
        term(
            "Statement",
            "A claim (subject, predicate, object) that at least one passage states or denies. The "
            "plain triple is in the data only if a passage plainly states it.",
            close=(RDF.Statement,),  # OWL 2 DL takes no class of RDF's own as broader
        ),
        term(
            "Passage",
            "A span of a paper's title or abstract, found by an extractor.",
            OA.SpecificResource,
            PROV.Entity,
        ),
        term("Evidence", "A passage that states or denies a statement.", SOTA.Passage),
        term(
            "Result",
            "A figure that a passage reports: of what, on what, by what measure, how much.",
            SOTA.Passage,
            close=(SDO.Observation,),
        ),
        term(
            "Extractor",
            "A rule or a model, in one version, that finds passages.",
            PROV.SoftwareAgent,
        ),
        term(
            "KnowledgeGraph",
            "All that one export says: what a set of papers states, as triples of this ontology. "
            "Its IRI is made from its content.",
            VOID.Dataset,
            DCAT.Dataset,
            PROV.Entity,
            label="knowledge graph",
        ),
        term(
            "Software",
            "The program, in one version, that made a knowledge graph.",
            PROV.SoftwareAgent,
            SDO.SoftwareApplication,
        ),
    ]


def _statement_properties() -> list[Term]:
    def names(types: tuple[str, ...]) -> tuple[str, ...]:
        return tuple("Paper" if t == PAPER else t for t in types)

    return [
        Term(
            p.term,
            "object",
            p.label,
            p.comment,
            names(tuple(dict.fromkeys(t for s, _ in p.in_graph for t in s))),
            names(tuple(dict.fromkeys(t for _, o in p.in_graph for t in o))),
            close=tuple(map(URIRef, p.close)),
        )
        for p in PREDICATES.values()
    ]


def _link(name: str, label: str, comment: str, domain: str, *range_: str) -> Term:
    return Term(name, "object", label, comment, (domain,), range_)


def _data(
    name: str, label: str, comment: str, domain: str | tuple[str, ...], datatype: URIRef
) -> Term:
    domains = (domain,) if isinstance(domain, str) else domain
    return Term(name, "data", label, comment, domains, datatype)


def _other_properties() -> list[Term]:
    return [
        Term(
            "mentions",
            "object",
            "mentions",
            "The title or abstract of the paper names the entity.",
            ("Paper",),
            ("Entity",),
            (SDO.mentions,),
        ),
        _link(
            "introduces",
            "introduces",
            "The paper puts the entity forward as its own contribution.",
            "Paper",
            "Entity",
        ),
        _link(
            "states",
            "states",
            "A passage of the paper plainly states the statement (neither denied nor hedged).",
            "Paper",
            "Statement",
        ),
        _link("reports", "reports", "The paper reports the figure.", "Paper", "Result"),
        _link(
            "evidenceFor",
            "evidence for",
            "The passage states the statement or, where it is negated, denies it.",
            "Evidence",
            "Statement",
        ),
        _link("of", "of", "What the figure is a figure of.", "Result", "Entity", "Paper"),
        _link(
            "on",
            "on",
            "What the figure was measured on: a benchmark or dataset, rarely something else.",
            "Result",
            "Entity",
        ),
        _link("measuredBy", "measured by", "The figure's measure.", "Result", "Metric"),
        _link("against", "against", "What the figure is compared with.", "Result", "Entity"),
        Term(
            "variantOf",
            "object",
            "variant of",
            "The subject is a version, size or split of the object, as its name plainly says.",
            ("Entity",),
            ("Entity",),
            close=(DCTERMS.isVersionOf,),
        ),
        _data(
            "belief",
            "belief",
            "How sure it is that the statement is true to what the papers say, 0 to 1.",
            "Statement",
            XSD.decimal,
        ),
        _data(
            "paperCount",
            "number of papers",
            "How many papers plainly state the statement.",
            "Statement",
            XSD.integer,
        ),
        _data(
            "confidence",
            "confidence",
            "Probability that what was found is right, 0 to 1.",
            ("Passage", "Entity"),
            XSD.decimal,
        ),
        _data("negated", "negated", "The passage denies the statement.", "Evidence", XSD.boolean),
        _data(
            "hedged",
            "hedged",
            "The passage holds the statement possible, plans it, or quotes it as others' claim.",
            "Evidence",
            XSD.boolean,
        ),
        _data(
            "part",
            "part",
            "The field of the paper that the offsets count in: title or text.",
            "Passage",
            XSD.string,
        ),
        _data("value", "value", "The subject's own figure, in the unit.", "Result", XSD.decimal),
        _data(
            "baselineValue",
            "baseline value",
            "The figure of what the subject is compared with, in the unit.",
            "Result",
            XSD.decimal,
        ),
        _data("delta", "delta", "The reported difference, in the unit.", "Result", XSD.decimal),
        _data("unit", "unit", "Unit of the figures, such as % or points.", "Result", XSD.string),
        _data("direction", "direction", "The way it moved: up or down.", "Result", XSD.string),
        _data(
            "decision",
            "decision",
            "What a person decided about it, such as accepted or rejected of a statement.",
            ("Statement", "Entity"),
            XSD.string,
        ),
        _data("venue", "venue", "Where the paper appeared.", "Paper", XSD.string),
        _data("sourceFile", "source file", "File that it was read from.", "Paper", XSD.string),
        _data(
            "sourcePosition",
            "source position",
            "Position of the record in the source file, from 1.",
            "Paper",
            XSD.integer,
        ),
        _data("position", "position", "Place in the list, from 1.", "Author", XSD.integer),
    ]


TERMS: Final[dict[str, Term]] = {
    t.name: t for t in (*_classes(), *_statement_properties(), *_other_properties())
}
"""Local name to term."""
