"""The extractor: from a paper to all records that its text yields.

    >>> from kg.extract.pipeline import load
    >>> from kg.records import Paper
    >>> extractor = load()
    >>> text = "We introduce FooNet, which outperforms BERT on GLUE."
    >>> found = extractor.extract(Paper("1", text))
    >>> [e.name for e in found.entities]
    ['FooNet', 'BERT', 'GLUE']

The pipeline sees the clean text (:mod:`kg.extract.clean`) of title and abstract, joined by a blank
line; every offset of a record counts in the original field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from kg.errors import InputError
from kg.extract import abbreviations as _abbreviations
from kg.extract import sentences as _sentences
from kg.extract import trained as _trained
from kg.extract.attributes import MENTIONS
from kg.extract.clean import Clean, clean
from kg.extract.patterns import components as _components
from kg.extract.trained import TrainedModel
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Part, Result, Statement

__all__ = ["LONGEST", "PATTERNS", "TRAINED", "Extractor", "load", "pipeline"]

PATTERNS: Final = (
    _sentences.NAME,
    _abbreviations.NAME,
    "kg_entities",
    "kg_contribution",
    "kg_relations",
    "kg_results",
)
"""Names of the components of the pattern pipeline, in order."""

TRAINED: Final = (_sentences.NAME, _abbreviations.NAME, _trained.NAME)
"""Names of the components of the pipeline with the trained model, in order."""

LONGEST: Final = 200_000
"""Characters of the longest text that is read; longer ones give an empty extraction, and say so."""

_BATCH: Final = 256


def pipeline(
    components: Iterable[str] = PATTERNS, configs: Mapping[str, dict[str, Any]] | None = None
) -> Language:
    """Return a spaCy pipeline with this package's tokenizer and the components.

    Parameters
    ----------
    components : their names, in order.
    configs : name of a component to its options, where they are not the default.
    """
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": "kg_words"}}})
    for name in components:
        nlp.add_pipe(name, config=(configs or {}).get(name, {}))
    return nlp


@dataclass(frozen=True, slots=True)
class _Text:
    """What the pipeline reads of a paper, and the way back to its fields."""

    paper: Paper
    title: Clean
    body: Clean
    text: str
    border: int | None

    @classmethod
    def of(cls, paper: Paper) -> _Text:
        title, body = clean(paper.title), clean(paper.text)
        if not title.text.strip():
            return cls(paper, title, body, body.text, None)
        text = title.text + "\n\n" + body.text
        return cls(paper, title, body, text, len(title.text) + 2)

    def original(self, start: int, end: int) -> tuple[Part, int, int] | None:
        """Return the field and the span there, or None if it is in neither field alone."""
        border = self.border or 0
        if start >= border:
            return ("text", *self.body.original(start - border, end - border))
        if end <= border - 2:
            return ("title", *self.title.original(start, end))
        return None


class Extractor:
    """Extracts the records of papers: a pure function of a paper's text and :attr:`version`.

    Parameters
    ----------
    nlp : a pipeline whose components set the attributes of :mod:`kg.extract.attributes`.
    version : what identifies the rules or the model, with their data.
    """

    def __init__(self, nlp: Language, version: str) -> None:
        self.nlp = nlp
        self.version = version

    def extract(self, paper: Paper) -> Extraction:
        """Return what the text of ``paper`` yields."""
        return next(self.pipe([paper]))

    def pipe(self, papers: Iterable[Paper]) -> Iterator[Extraction]:
        """Yield what each paper yields, in order; memory does not grow with their number."""
        stream = iter(papers)
        while batch := list(islice(stream, _BATCH)):
            with self.nlp.memory_zone():
                found = [self._read(_Text.of(paper)) for paper in batch]
            yield from found

    def _read(self, text: _Text) -> Extraction:
        if len(text.text) > LONGEST:
            found = f"{len(text.text)} characters were not read: the longest text has {LONGEST}"
            return Extraction(text.paper.id, warnings=(found,))
        if not text.text.strip():
            return Extraction(text.paper.id)
        doc = self.nlp.make_doc(text.text)
        doc._.kg_border = text.border
        return _records(text, self.nlp(doc))


def load(extractor: str = "model") -> Extractor:
    """Return the extractor called ``extractor``.

    Parameters
    ----------
    extractor : ``model``, the trained model that ships with the package; ``patterns``, the rules
        and the gazetteer alone, faster and without a network; or the folder of a model of your own.

    Raises
    ------
    InputError
        If there is none of that name, or the folder holds no model.
    """
    rules = _components.version()
    if extractor == "patterns":
        return Extractor(pipeline(), f"patterns@{rules}")
    if extractor != "model" and not Path(extractor).is_dir():
        raise InputError(
            f"no extractor {extractor!r}; there are model, patterns, and the folders of models"
        )
    nlp = pipeline(TRAINED, {"kg_model": {"path": "" if extractor == "model" else extractor}})
    model = cast(TrainedModel, nlp.get_pipe("kg_model"))
    return Extractor(nlp, f"model@{model.version}+rules@{rules}")


def _records(text: _Text, doc: Doc) -> Extraction:
    """Turn the attributes of ``doc`` into records with offsets of the original fields."""
    paper = text.paper
    sure = {(m[0], m[1]): (m[2], m[3]) for m in doc._.kg_mentions}
    mentions: list[Mention] = []
    names: dict[str, set[str]] = {}
    for span in doc.spans.get(MENTIONS, ()):
        place = text.original(span.start_char, span.end_char)
        if place is None:
            continue
        part, start, end = place
        confidence, extractor = sure.get((span.start_char, span.end_char), (1.0, ""))
        mentions.append(
            Mention(
                paper.id,
                part,
                start,
                end,
                paper.part(part)[start:end],
                span.label_,
                span.kb_id_,
                confidence,
                extractor,
            )
        )
        names.setdefault(span.kb_id_, {span.kb_id_}).add(span.text)
    entities = tuple(
        Entity(
            name,
            name,
            kind,
            tuple(sorted(names[name])),
            (paper.id,) if introduced else (),
            ((kind, 1),),
            confidence,
        )
        for name, kind, introduced, confidence, _ in doc._.kg_entities
        if name in names
    )
    return Extraction(
        paper.id,
        entities,
        tuple(sorted(mentions)),
        tuple(sorted(_statements(text, doc, names.keys()))),
        _distinct(_results(text, doc, names.keys())),
    )


def _statements(text: _Text, doc: Doc, known: Iterable[str]) -> Iterator[Statement]:
    keys = {*known, "PAPER"}
    for row in doc._.kg_relations:
        head, predicate, tail, start, end, confidence, extractor, negated, hedged = row
        place = text.original(start, end)
        if place is None or head not in keys or tail not in keys:
            continue
        part, start, end = place
        evidence = Evidence(
            text.paper.id,
            part,
            start,
            end,
            text.paper.part(part)[start:end],
            confidence,
            extractor,
            negated,
            hedged,
        )
        yield Statement(head, predicate, tail, (evidence,))


def _results(text: _Text, doc: Doc, known: Iterable[str]) -> Iterator[Result]:
    keys = {*known, "PAPER", ""}
    for row in doc._.kg_results:
        start, end, subject, benchmark, metric, value, unit = row[:7]
        baseline, baseline_value, delta, direction, confidence, extractor = row[7:]
        place = text.original(start, end)
        if place is None:
            continue
        part, start, end = place
        yield Result(
            text.paper.id,
            part,
            start,
            end,
            text.paper.part(part)[start:end],
            subject if subject in keys else "",
            benchmark if benchmark in keys else "",
            metric if metric in keys else "",
            value,
            unit,
            baseline if baseline in keys else "",
            baseline_value,
            delta,
            direction,
            confidence,
            extractor,
        )


def _distinct(results: Iterable[Result]) -> tuple[Result, ...]:
    """Return ``results`` sorted, each once; of those that are one, the surest."""
    best: dict[str, Result] = {}
    for result in results:
        if result.id not in best or result.confidence > best[result.id].confidence:
            best[result.id] = result
    return tuple(sorted(best.values(), key=_order))


def _order(result: Result) -> tuple[str, int, int, str]:
    return (result.part, result.start, result.end, result.id)
