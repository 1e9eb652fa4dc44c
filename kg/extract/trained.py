"""The trained extractor as a spaCy component: ``kg_model``.

It sets the attributes that the pattern components set (:mod:`kg.extract.attributes`), so it stands
for ``kg_entities``, ``kg_contribution`` and ``kg_relations``, and, if it is told to,
``kg_results``. What the text denies or only holds possible is what patterns see best: their
negated and hedged claims are kept, and the model's claim of the same is dropped.
"""

from __future__ import annotations

from typing import Any, Final

from spacy.language import Language
from spacy.tokens import Doc

from kg.extract.attributes import register
from kg.extract.model.extractor import Extractor as Model
from kg.extract.patterns.components import RelationPatterns, create_relations, write_entities
from kg.extract.patterns.entities import Entity, Finding

__all__ = ["NAME", "TrainedModel", "create_model"]

NAME: Final = "kg_model"


class TrainedModel:
    """The component ``kg_model``.

    Parameters
    ----------
    model : the network with its thresholds.
    denials : finds what the text denies.
    results : whether to set ``doc._.kg_results``, too.
    """

    def __init__(self, model: Model, denials: RelationPatterns, results: bool) -> None:
        self.model = model
        self.denials = denials
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
        self.denials(doc)
        denied = [row for row in doc._.kg_relations if row[7] or row[8]]
        triples = {row[:3] for row in denied}
        stated = [row for row in map(self._relation, found["relations"]) if row[:3] not in triples]
        doc._.kg_relations = tuple(sorted([*stated, *denied]))
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
