"""The trained extractor as a spaCy component: ``kg_model``.

It sets the attributes that the pattern components set (:mod:`kg.extract.attributes`), so it stands
for ``kg_entities``, ``kg_contribution``, ``kg_relations`` and ``kg_results``. Where the text says
something in plain words ("A is outperformed by B", "A extends B"), or denies it, or only holds it
possible, patterns see it best: what they say so is kept, and what the model says against it is
dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from spacy.language import Language
from spacy.tokens import Doc

from kg.extract.attributes import register
from kg.extract.model.extractor import Extractor as Model
from kg.extract.patterns.components import RelationPatterns, create_relations, write_entities
from kg.extract.patterns.entities import Entity, Finding
from kg.extract.patterns.relations import PLAIN

__all__ = ["NAME", "TrainedModel", "create_model", "merged"]

NAME: Final = "kg_model"

Row = tuple[Any, ...]
"""A row of ``doc._.kg_relations``."""


class TrainedModel:
    """The component ``kg_model``.

    Parameters
    ----------
    model : the network with its thresholds.
    patterns : find what the text says in plain words, and what it denies.
    results : whether to set ``doc._.kg_results``, too.
    """

    def __init__(self, model: Model, patterns: RelationPatterns, results: bool) -> None:
        self.model = model
        self.patterns = patterns
        self.results = results
        self.version = model.version
        self.source = f"model:joint@{model.version}"

    def __call__(self, doc: Doc) -> Doc:
        """Set mentions, entities, what is introduced, relations, and results."""
        found = self.model.predict(doc.text)
        entities = [self._entity(e) for e in found["entities"]]
        write_entities(doc, entities)
        new = {e["name"]: e["confidence"] for e in found["entities"] if e["introduced"]}
        doc._.kg_entities = tuple(
            (name, kind, name in new, confidence, extractor)
            for name, kind, _, confidence, extractor in doc._.kg_entities
        )
        doc._.kg_introduced = tuple(sorted(new.items(), key=lambda row: (-row[1], row[0])))
        self.patterns(doc)
        stated = [self._relation(r) for r in found["relations"]]
        doc._.kg_relations = merged(stated, doc._.kg_relations)
        if self.results:
            doc._.kg_results = tuple(self._result(r) for r in found["results"])
        return doc

    def _entity(self, found: dict[str, Any]) -> Entity:
        entity = Entity(found["name"], found["type"], found["confidence"], self.source)
        entity.mentions.extend(
            Finding(m["start"], m["end"], self.source, m["confidence"]) for m in found["mentions"]
        )
        return entity

    def _relation(self, r: dict[str, Any]) -> tuple[Any, ...]:
        start, end = r["evidence"]["start"], r["evidence"]["end"]
        place = (start, end, r["confidence"], self.source, False, False)
        return (r["head"], r["type"], r["tail"], *place)

    def _result(self, r: dict[str, Any]) -> tuple[Any, ...]:
        return (
            r["evidence"]["start"],
            r["evidence"]["end"],
            r["head"] or "",
            r["benchmark"] or "",
            r["metric"] or "",
            r["value"],
            r["unit"] or "",
            r["baseline"] or "",
            r["baseline_value"],
            r["delta"],
            r["direction"] or "",
            r["confidence"],
            self.source,
        )


def merged(stated: Iterable[Row], patterns: Iterable[Row]) -> tuple[Row, ...]:
    """Return the model's relations and those of the patterns as one, sorted.

    Parameters
    ----------
    stated, patterns : rows of ``doc._.kg_relations``, by the model and by patterns.

    Returns
    -------
    tuple
        Of the patterns: what is denied or hedged, and what is said in plain words. Of the model:
        all that is not denied, and that no plain words contradict. A relation that both have is
        the model's.
    """
    denied = {row[:3]: row for row in patterns if row[7] or row[8]}
    plain = {
        row[:3]: row
        for row in patterns
        if row[:3] not in denied and row[6].split(":")[2:3] and row[6].split(":")[2] in PLAIN
    }
    out = dict(plain)
    for row in stated:
        head, predicate, tail = triple = row[:3]
        against = {(tail, "improves-over", head), (head, "compared-with", tail)}
        contradicted = predicate == "improves-over" and against & plain.keys()
        settled = predicate == "compared-with" and (head, "improves-over", tail) in plain
        if triple not in denied and not settled and (triple in plain or not contradicted):
            out[triple] = row
    return tuple(sorted([*out.values(), *denied.values()]))


def create_model(nlp: Language, name: str, path: str, results: bool) -> TrainedModel:
    """Make ``kg_model``; ``path`` is the folder of a model of your own, or "" for ours."""
    model = Model.load(path or None)
    return TrainedModel(model, create_relations(nlp, name, 0.25, {}), results)


register()
Language.factory(
    NAME,
    assigns=["doc.spans", "doc._.kg_entities", "doc._.kg_mentions", "doc._.kg_introduced",
             "doc._.kg_relations"],
    requires=["doc.sents", "doc._.kg_abbreviations"],
    default_config={"path": "", "results": True},
    func=create_model,
)  # fmt: skip
