"""The pattern stage as spaCy components; what they do stands in the pure modules beside this one.

``kg_entities`` → ``kg_contribution`` → ``kg_relations`` and ``kg_results``; each reads only the
attributes of :mod:`kg.extract.attributes`, so that a trained component can stand for any of them.
"""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from spacy.language import Language
from spacy.tokens import Doc, Span

from kg.errors import InputError
from kg.extract.attributes import MENTIONS, border, register
from kg.extract.gazetteer import GAZETTEER, Gazetteer
from kg.extract.patterns import RULES
from kg.extract.patterns.claims import claims
from kg.extract.patterns.contribution import Contribution, chief_of, contribution
from kg.extract.patterns.cues import Cue, read_introductions, read_relations
from kg.extract.patterns.entities import Entity, EntityFinder, Finding
from kg.extract.patterns.measured import FOLDER, Kinds, Rules
from kg.extract.patterns.phrases import Phrases
from kg.extract.patterns.relations import relations
from kg.extract.patterns.results import results
from kg.extract.patterns.wordlists import read_words
from kg.schema import PAPER, PREDICATES

__all__ = [
    "ContributionFinder",
    "EntityPatterns",
    "RelationPatterns",
    "ResultPatterns",
    "create_contribution",
    "create_entities",
    "create_relations",
    "create_results",
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


def _extractor(rule: str) -> str:
    return rule if rule.startswith("model:") else f"rule:{rule.replace('@', '_')}@{version()}"


def _rule(extractor: str) -> str:
    """Return what :func:`_extractor` was given."""
    if extractor.startswith("model:"):
        return extractor
    return extractor.removeprefix("rule:").rpartition("@")[0] or extractor


def _border(doc: Doc, text: str) -> int:
    """Return where the abstract starts: as the document says, else by a blank line."""
    known = doc._.kg_border
    return border(text) if known is None else int(known)


def _sentences(doc: Doc, text: str) -> list[tuple[int, int]]:
    """Return the sentences of ``doc`` in characters, without white space about them.

    Faster than ``doc.sents``, which looks at every token several times.
    """
    firsts = [i for i, mark in enumerate(doc.to_array("SENT_START")) if mark == 1 or i == 0]
    cuts = [*(doc[i].idx for i in firsts), len(text)]
    spans = []
    for start, stop in pairwise(cuts):
        piece = text[start:stop]
        start += len(piece) - len(piece.lstrip())
        stop = start + len(piece.strip())
        if start < stop:
            spans.append((start, stop))
    return spans


def read_entities(doc: Doc) -> list[Entity]:
    """Return the entities that a component has set on ``doc``, with their mentions."""
    sure = {(m[0], m[1]): (m[2], m[3]) for m in doc._.kg_mentions}
    entities = {
        name: Entity(name, kind, confidence, _rule(extractor))
        for name, kind, _, confidence, extractor in doc._.kg_entities
    }
    for span in doc.spans.get(MENTIONS, ()):
        confidence, extractor = sure.get((span.start_char, span.end_char), (1.0, ""))
        entities[span.kb_id_].mentions.append(
            Finding(span.start_char, span.end_char, _rule(extractor), confidence)
        )
    return list(entities.values())


def read_contribution(doc: Doc, entities: list[Entity]) -> Contribution:
    """Return what the paper introduces, as a component has set it on ``doc``."""
    sure: dict[str, float] = dict(doc._.kg_introduced)
    introduced = {i: sure.get(row[0], row[3]) for i, row in enumerate(doc._.kg_entities) if row[2]}
    return chief_of(introduced, entities)


def write_entities(doc: Doc, entities: list[Entity]) -> None:
    """Set the entities and their mentions on ``doc``."""
    spans, mentions = [], []
    for entity in entities:
        for m in entity.mentions:
            span: Span | None = doc.char_span(
                m.start, m.end, label=entity.type, kb_id=entity.name, alignment_mode="strict"
            )
            if span is None:
                continue
            spans.append(span)
            mentions.append((m.start, m.end, round(m.confidence, 4), _extractor(m.rule)))
    named = {span.kb_id_ for span in spans}
    doc.spans[MENTIONS] = sorted(spans, key=lambda s: (s.start, s.end))
    doc._.kg_mentions = tuple(sorted(mentions))
    doc._.kg_entities = tuple(
        (e.name, e.type, False, round(e.confidence, 4), _extractor(e.rule))
        for e in entities
        if e.name in named
    )


class EntityPatterns:
    """The component ``kg_entities``."""

    def __init__(self, finder: EntityFinder) -> None:
        self.finder = finder

    def __call__(self, doc: Doc) -> Doc:
        """Set mentions and entities."""
        pairs = [(a, b, c, d) for a, b, c, d in doc._.kg_abbreviations]
        text = doc.text
        found = self.finder.find(text, _sentences(doc, text), pairs, _border(doc, text))
        write_entities(doc, found)
        return doc


class ContributionFinder:
    """The component ``kg_contribution``: which entities the paper introduces."""

    def __init__(self, rules: Rules, cues: tuple[Cue, ...], threshold: float) -> None:
        self.rules = rules
        self.cues = cues
        self.threshold = threshold

    def __call__(self, doc: Doc) -> Doc:
        """Set the flags of the entities, and ``doc._.kg_introduced``."""
        entities, text = read_entities(doc), doc.text
        found = contribution(
            text,
            _sentences(doc, text),
            entities,
            _border(doc, text),
            self.rules,
            self.cues,
            self.threshold,
        )
        doc._.kg_entities = tuple(
            (name, kind, i in found.introduced, confidence, extractor)
            for i, (name, kind, _, confidence, extractor) in enumerate(doc._.kg_entities)
        )
        ranked = sorted(found.introduced.items(), key=lambda row: (-row[1], row[0]))
        doc._.kg_introduced = tuple((entities[i].name, round(c, 4)) for i, c in ranked)
        return doc


class RelationPatterns:
    """The component ``kg_relations``."""

    def __init__(
        self,
        rules: Rules,
        cues: tuple[Cue, ...],
        threshold: float,
        thresholds: dict[str, float],
    ) -> None:
        self.rules = rules
        self.cues = cues
        self.threshold = threshold
        self.thresholds = thresholds

    def __call__(self, doc: Doc) -> Doc:
        """Set ``doc._.kg_relations``: one for each claim, with its best passage."""
        entities, text = read_entities(doc), doc.text
        chief = read_contribution(doc, entities)
        found = relations(
            text, _sentences(doc, text), entities, chief, _border(doc, text), self.cues
        )
        rows = []
        for claim in claims(found, entities, self.rules, self.threshold, self.thresholds):
            rows.append(
                (
                    PAPER if claim.subject is None else entities[claim.subject].name,
                    claim.predicate,
                    entities[claim.object].name,
                    claim.start,
                    claim.end,
                    round(claim.confidence, 4),
                    _extractor(claim.rule),
                    claim.negated,
                    claim.hedged,
                )
            )
        doc._.kg_relations = tuple(sorted(rows))
        return doc


class ResultPatterns:
    """The component ``kg_results``."""

    def __init__(self, rules: Rules, threshold: float) -> None:
        self.rules = rules
        self.threshold = threshold

    def __call__(self, doc: Doc) -> Doc:
        """Set ``doc._.kg_results``."""
        entities, text = read_entities(doc), doc.text
        chief = read_contribution(doc, entities)

        def name(index: int | None) -> str:
            return "" if index is None else PAPER if index < 0 else entities[index].name

        doc._.kg_results = tuple(
            (
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
                _extractor(r.rule),
            )
            for r in results(
                text,
                _sentences(doc, text),
                entities,
                chief,
                _border(doc, text),
                self.rules,
                self.threshold,
            )
        )
        return doc


def _share(name: str, option: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise InputError(f"{name}: {option} must lie between 0 and 1, found {value!r}")
    return value


def create_entities(nlp: Language, name: str, gazetteer: str, threshold: float) -> EntityPatterns:
    """Make ``kg_entities``; ``gazetteer`` is the path of a file of your own, or "" for ours."""
    path = Path(gazetteer) if gazetteer else GAZETTEER
    if not path.is_file():
        raise InputError(f"{name}: no gazetteer at {path}")
    finder = EntityFinder(
        Gazetteer.read(path),
        Phrases.read(),
        Rules.read(),
        Kinds.read(),
        read_words(FOLDER / "refused.txt") | read_words(FOLDER / "unnamed.txt"),
        _share(name, "threshold", threshold),
    )
    return EntityPatterns(finder)


def create_contribution(nlp: Language, name: str, threshold: float) -> ContributionFinder:
    """Make ``kg_contribution``."""
    return ContributionFinder(
        Rules.read(), read_introductions(), _share(name, "threshold", threshold)
    )


def create_relations(
    nlp: Language, name: str, threshold: float, thresholds: dict[str, float]
) -> RelationPatterns:
    """Make ``kg_relations``; ``thresholds`` gives predicates a threshold of their own."""
    for predicate, value in thresholds.items():
        if predicate not in PREDICATES:
            raise InputError(
                f"{name}: no predicate {predicate!r}; there are {', '.join(PREDICATES)}"
            )
        _share(name, predicate, value)
    return RelationPatterns(
        Rules.read(), read_relations(), _share(name, "threshold", threshold), dict(thresholds)
    )


def create_results(nlp: Language, name: str, threshold: float) -> ResultPatterns:
    """Make ``kg_results``."""
    return ResultPatterns(Rules.read(), _share(name, "threshold", threshold))


register()
Language.factory(
    "kg_entities",
    assigns=["doc.spans", "doc._.kg_entities", "doc._.kg_mentions"],
    requires=["doc.sents", "doc._.kg_abbreviations"],
    default_config={"gazetteer": "", "threshold": 0.35},
    func=create_entities,
)
Language.factory(
    "kg_contribution",
    assigns=["doc._.kg_introduced"],
    requires=["doc.sents", "doc.spans", "doc._.kg_entities"],
    default_config={"threshold": 0.4},
    func=create_contribution,
)
Language.factory(
    "kg_relations",
    assigns=["doc._.kg_relations"],
    requires=["doc.sents", "doc.spans", "doc._.kg_entities", "doc._.kg_introduced"],
    default_config={"threshold": 0.25, "thresholds": {}},
    func=create_relations,
)
Language.factory(
    "kg_results",
    assigns=["doc._.kg_results"],
    requires=["doc.sents", "doc.spans", "doc._.kg_entities", "doc._.kg_introduced"],
    default_config={"threshold": 0.5},
    func=create_results,
)
