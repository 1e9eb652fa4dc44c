"""What assembly makes of valid extractions is valid: also where papers disagree on types."""

from __future__ import annotations

import random

import pyshacl
from test_assemble import entity, paper

from kg.assemble.assemble import assemble
from kg.project.ontology import ontology
from kg.project.rdf import to_rdflib
from kg.project.shapes import shapes
from kg.records import Extraction, Paper
from kg.schema import ENTITY_TYPES, PAPER, PREDICATES

NAMES = ["AlphaNet", "BetaNet", "GammaSet", "parsing", "Delta-2", "Delta", "ABC"]


def written(id: str, rng: random.Random) -> tuple[Paper, Extraction]:
    """Return a paper that gives a few names any types, and states whatever these allow."""
    types = {name: rng.choice(list(ENTITY_TYPES)) for name in rng.sample(NAMES, 4)}
    say = [
        (head, p.name, tail)
        for head in (*types, PAPER)
        for tail in types
        for p in PREDICATES.values()
        if head != tail and p.allows(types.get(head, PAPER), types[tail]) and rng.random() < 0.5
    ]
    return paper(id, *(entity(name, kind) for name, kind in types.items()), say=say)


def test_statements_fit_the_shapes_whatever_types_papers_give() -> None:
    rng = random.Random(7)
    for round_ in range(4):
        pairs = [written(f"p{round_}.{n}", rng) for n in range(12)]
        graph = assemble([p for p, _ in pairs], [x for _, x in pairs])
        assert {s.predicate for s in graph.statements.values()} >= {"part-of", "builds-on"}
        conforms, _, report = pyshacl.validate(
            to_rdflib(graph), shacl_graph=shapes(), ont_graph=ontology()
        )
        assert conforms, report
