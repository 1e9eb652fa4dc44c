"""The pattern stages: what they do stands in the modules beside this one.

:class:`EntityPatterns` → :class:`ContributionPatterns` → :class:`RelationPatterns` and
:class:`ResultPatterns`; each reads only what :class:`kg.extract.document.Document` holds, so that a
trained stage can stand for any of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from kg.errors import InputError
from kg.extract.document import Document, Entity, Finding, RelationRow, ResultRow
from kg.extract.gazetteer import GAZETTEER, Gazetteer
from kg.extract.patterns import RULES
from kg.extract.patterns.claims import claims
from kg.extract.patterns.contribution import Contribution, chief_of, contribution
from kg.extract.patterns.cues import read_introductions, read_relations
from kg.extract.patterns.measured import FOLDER, Kinds, Rules
from kg.extract.patterns.phrases import Phrases
from kg.extract.patterns.relations import relations
from kg.extract.patterns.wordlists import read_words
from kg.extract.words import cuts_no_word
from kg.schema import PAPER, PREDICATES

__all__ = [
    "ContributionPatterns",
    "EntityPatterns",
    "RelationPatterns",
    "ResultPatterns",
    "extractor_of",
    "version",
]

_DATA: Final = (
    "relations.tsv",
    "introductions.tsv",
    "rules.tsv",
    "kinds.tsv",
    "heads.tsv",
    "borders.txt",
    "refused.txt",
    "unnamed.txt",
)


@cache
def version(gazetteer: str = "") -> str:
    """Return the version of the rules: it changes with the rules and with their data files."""
    hashed = hashlib.sha256(RULES.encode())
    for path in (*(FOLDER / name for name in _DATA), Path(gazetteer) if gazetteer else GAZETTEER):
        hashed.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return f"{RULES}.{hashed.hexdigest()[:8]}"


def extractor_of(rule: str) -> str:
    """Return the name under which the finds of ``rule`` go into the records."""
    return rule if rule.startswith("model:") else f"rule:{rule.replace('@', '_')}@{version()}"


def _chief(document: Document) -> Contribution:
    return chief_of(document.introduced, document.entities)


class EntityPatterns:
    """Sets the entities.

    Parameters
    ----------
    gazetteer : path of a file of your own, or "" for ours.
    threshold : least confidence of what is kept, 0 to 1.

    Raises
    ------
    InputError
        If there is no such file, or the threshold does not lie between 0 and 1.
    """

    def __init__(self, gazetteer: str = "", threshold: float = 0.35) -> None:
        # here, as its expressions take a while to compile, and the trained model needs none of them
        from kg.extract.patterns.entities import EntityFinder

        path = Path(gazetteer) if gazetteer else GAZETTEER
        if not path.is_file():
            raise InputError(f"no gazetteer at {path}")
        self.finder = EntityFinder(
            Gazetteer.read(path),
            Phrases.read(),
            Rules.read(),
            Kinds.read(),
            read_words(FOLDER / "refused.txt") | read_words(FOLDER / "unnamed.txt"),
            _share("threshold", threshold),
        )

    def __call__(self, document: Document) -> None:
        """Find them; mentions that cut a word are left out."""
        text = document.text
        found = self.finder.find(text, document.sentences, document.abbreviations, document.border)
        for e in found:
            mentions = [
                Finding(m.start, m.end, m.rule.replace("@", "_"), round(m.confidence, 4))
                for m in e.mentions
                if cuts_no_word(text, m.start, m.end)
            ]
            if mentions:
                mentions.sort(key=lambda m: m.start)
                rule, confidence = e.rule.replace("@", "_"), round(e.confidence, 4)
                document.entities.append(Entity(e.name, e.type, confidence, rule, mentions))


class ContributionPatterns:
    """Sets which entities the paper introduces.

    Parameters
    ----------
    threshold : least confidence of what is kept, 0 to 1.

    Raises
    ------
    InputError
        If the threshold does not lie between 0 and 1.
    """

    def __init__(self, threshold: float = 0.4) -> None:
        self.threshold = _share("threshold", threshold)
        self.rules = Rules.read()
        self.cues = read_introductions()

    def __call__(self, document: Document) -> None:
        """Set them."""
        found = contribution(
            document.text,
            document.sentences,
            document.entities,
            document.border,
            self.rules,
            self.cues,
            self.threshold,
        )
        document.introduced = {i: round(c, 4) for i, c in found.introduced.items()}


class RelationPatterns:
    """Sets the relations: one for each claim, with its best passage.

    Parameters
    ----------
    threshold : least confidence of what is kept, 0 to 1.
    thresholds : predicates that have one of their own.

    Raises
    ------
    InputError
        If a threshold does not lie between 0 and 1, or a predicate is not known.
    """

    def __init__(
        self, threshold: float = 0.25, thresholds: Mapping[str, float] | None = None
    ) -> None:
        self.threshold = _share("threshold", threshold)
        self.thresholds = dict(thresholds or {})
        for predicate, value in self.thresholds.items():
            if predicate not in PREDICATES:
                raise InputError(f"no predicate {predicate!r}; there are {', '.join(PREDICATES)}")
            _share(predicate, value)
        self.rules = Rules.read()
        self.cues = read_relations()

    def __call__(self, document: Document) -> None:
        """Set them."""
        entities = document.entities
        found = relations(
            document.text,
            document.sentences,
            entities,
            _chief(document),
            document.border,
            self.cues,
        )
        document.relations = tuple(
            sorted(
                RelationRow(
                    PAPER if claim.subject is None else entities[claim.subject].name,
                    claim.predicate,
                    entities[claim.object].name,
                    claim.start,
                    claim.end,
                    round(claim.confidence, 4),
                    extractor_of(claim.rule),
                    claim.negated,
                    claim.hedged,
                )
                for claim in claims(found, entities, self.rules, self.threshold, self.thresholds)
            )
        )


class ResultPatterns:
    """Sets the results.

    Parameters
    ----------
    threshold : least confidence of what is kept, 0 to 1.

    Raises
    ------
    InputError
        If the threshold does not lie between 0 and 1.
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = _share("threshold", threshold)
        self.rules = Rules.read()

    def __call__(self, document: Document) -> None:
        """Set them."""
        from kg.extract.patterns.results import results  # here for the same reason

        entities = document.entities

        def name(index: int | None) -> str:
            return "" if index is None else PAPER if index < 0 else entities[index].name

        document.results = tuple(
            ResultRow(
                r.start,
                r.end,
                name(r.subject),
                name(r.benchmark),
                name(r.metric),
                r.value,
                r.unit,
                name(r.baseline),
                r.baseline_value,
                r.delta,
                r.direction,
                round(r.confidence, 4),
                extractor_of(r.rule),
            )
            for r in results(
                document.text,
                document.sentences,
                entities,
                _chief(document),
                document.border,
                self.rules,
                self.threshold,
            )
        )


def _share(option: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise InputError(f"{option} must lie between 0 and 1, found {value!r}")
    return value
