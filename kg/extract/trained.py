"""The trained extractor as a stage.

It fills in all that the pattern stages fill in, so it stands for all of them. Where the text says
something in plain words ("A is outperformed by B", "A extends B"), or denies it, or only holds it
possible, patterns see it best: what they say so is kept, and what the model says against it is
dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kg.extract.document import Document, Entity, Finding, RelationRow, ResultRow, Stage
from kg.extract.model.extractor import Extractor as Model
from kg.extract.model.folder import SHIPPED
from kg.extract.patterns.relations import PLAIN
from kg.extract.patterns.stages import RelationPatterns

__all__ = ["TrainedModel", "merged"]


class TrainedModel:
    """Sets entities, what is introduced, relations, and results.

    Parameters
    ----------
    model : the network with its thresholds.
    patterns : find what the text says in plain words, and what it denies.
    results : whether to set the results, too.
    """

    def __init__(self, model: Model, patterns: Stage, results: bool = True) -> None:
        self.model = model
        self.patterns = patterns
        self.results = results
        self.source = f"model:joint@{model.version}"

    @classmethod
    def load(cls, folder: Path = SHIPPED, results: bool = True) -> TrainedModel:
        """Load the model in ``folder``.

        Raises
        ------
        InputError
            If the folder holds no model.
        """
        return cls(Model.load(folder), RelationPatterns(), results)

    def __call__(self, document: Document) -> None:
        """Set them."""
        found = self.model.predict(document.text)
        document.entities = [self._entity(e) for e in found["entities"]]
        document.introduced = {
            i: e["confidence"] for i, e in enumerate(found["entities"]) if e["introduced"]
        }
        self.patterns(document)
        stated = [self._relation(r) for r in found["relations"]]
        document.relations = merged(stated, document.relations)
        if self.results:
            document.results = tuple(self._result(r) for r in found["results"])

    def _entity(self, found: dict[str, Any]) -> Entity:
        mentions = sorted((m["start"], m["end"], m["confidence"]) for m in found["mentions"])
        return Entity(
            found["name"],
            found["type"],
            found["confidence"],
            self.source,
            [Finding(start, end, self.source, sure) for start, end, sure in mentions],
        )

    def _relation(self, r: dict[str, Any]) -> RelationRow:
        start, end = r["evidence"]["start"], r["evidence"]["end"]
        place = (start, end, r["confidence"], self.source, False, False)
        return RelationRow(r["head"], r["type"], r["tail"], *place)

    def _result(self, r: dict[str, Any]) -> ResultRow:
        return ResultRow(
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


def merged(
    stated: Iterable[RelationRow], patterns: Iterable[RelationRow]
) -> tuple[RelationRow, ...]:
    """Return the model's relations and those of the patterns as one, sorted.

    Parameters
    ----------
    stated, patterns : :class:`~kg.extract.document.RelationRow`, by the model and by patterns.

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
