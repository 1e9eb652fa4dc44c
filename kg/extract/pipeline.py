"""The extractor: from a paper to all records that its text yields.

    >>> from kg.extract.pipeline import load
    >>> from kg.records import Paper
    >>> extractor = load()
    >>> text = "We introduce FooNet, which outperforms BERT on GLUE."
    >>> found = extractor.extract(Paper("1", text))
    >>> [e.name for e in found.entities]
    ['FooNet', 'BERT', 'GLUE']

A spaCy pipeline (:mod:`kg.extract.components`) reads the clean text (:mod:`kg.extract.clean`) of
title and abstract, joined by a blank line; every offset of a record counts in the original field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kg.errors import InputError
from kg.extract.clean import Clean, clean
from kg.extract.document import Document
from kg.extract.model.folder import SHIPPED, described
from kg.extract.patterns.stages import extractor_of, version
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Part, Result, Statement
from kg.schema import PAPER

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["LONGEST", "Extractor", "load"]

LONGEST: Final = 200_000
"""Characters of the longest text that is read; longer ones give an empty extraction, and say so."""

_BATCH: Final = 256
"""Papers after which spaCy may forget the words that it has seen."""


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
    load : called when the first text is read; returns the spaCy pipeline.
    version : what identifies the rules or the model, with their data.
    """

    def __init__(self, load: Callable[[], Language], version: str) -> None:
        self._load = load
        self.version = version

    @cached_property
    def nlp(self) -> Language:
        """The spaCy pipeline that reads a text."""
        return self._load()

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
        from kg.extract.components import read_doc  # here, as it imports spaCy

        doc = self.nlp.make_doc(text.text)
        doc._.kg_border = text.border
        return _records(text, read_doc(self.nlp(doc)))


def load(extractor: str = "model") -> Extractor:
    """Return the extractor called ``extractor``; its pipeline is loaded when it is needed.

    Parameters
    ----------
    extractor : ``model``, the trained model that ships with the package; ``patterns``, the rules
        and the gazetteer alone, faster and without a network; or the folder of a model of your own.

    Raises
    ------
    InputError
        If there is none of that name, or the folder holds no model. A network that is damaged is
        found when the first text is read.
    """
    if extractor == "patterns":
        return Extractor(_patterns, f"patterns@{version()}")
    if extractor != "model" and not Path(extractor).is_dir():
        raise InputError(
            f"no extractor {extractor!r}; there are model, patterns, and the folders of models"
        )
    folder = SHIPPED if extractor == "model" else Path(extractor)
    name = f"model@{described(folder)['version']}+rules@{version()}"
    return Extractor(partial(_trained, folder), name)


def _patterns() -> Language:
    from kg.extract.components import PATTERNS, pipeline

    return pipeline(PATTERNS)


def _trained(folder: Path) -> Language:
    from kg.extract.components import TRAINED, pipeline

    return pipeline(TRAINED, {"kg_model": {"path": str(folder)}})


def _records(text: _Text, document: Document) -> Extraction:
    """Turn what ``document`` holds into records with offsets of the original fields."""
    paper = text.paper
    mentions: list[Mention] = []
    entities: list[Entity] = []
    for index, entity in enumerate(document.entities):
        name, kind = entity.name, entity.type
        names = set()
        for m in entity.mentions:
            place = text.original(m.start, m.end)
            if place is None:
                continue
            part, start, end = place
            surface = paper.part(part)[start:end]
            source = extractor_of(m.rule)
            mentions.append(
                Mention(paper.id, part, start, end, surface, kind, name, m.confidence, source)
            )
            names.add(text.text[m.start : m.end])
        if names:
            spellings = tuple(sorted(names | {name}))
            new = (paper.id,) if index in document.introduced else ()
            entities.append(
                Entity(name, name, kind, spellings, new, ((kind, 1),), entity.confidence)
            )
    keys = {e.key for e in entities} | {PAPER}
    return Extraction(
        paper.id,
        tuple(entities),
        tuple(sorted(mentions)),
        tuple(sorted(_statements(text, document, keys))),
        _distinct(_results(text, document, keys)),
    )


def _statements(text: _Text, document: Document, keys: set[str]) -> Iterator[Statement]:
    for row in document.relations:
        place = text.original(row.start, row.end)
        if place is None or row.head not in keys or row.tail not in keys:
            continue
        part, start, end = place
        evidence = Evidence(
            text.paper.id,
            part,
            start,
            end,
            text.paper.part(part)[start:end],
            row.confidence,
            row.extractor,
            row.negated,
            row.hedged,
        )
        yield Statement(row.head, row.predicate, row.tail, (evidence,))


def _results(text: _Text, document: Document, keys: set[str]) -> Iterator[Result]:
    for row in document.results:
        place = text.original(row.start, row.end)
        if place is None:
            continue
        part, start, end = place
        yield Result(
            text.paper.id,
            part,
            start,
            end,
            text.paper.part(part)[start:end],
            row.subject if row.subject in keys else "",
            row.benchmark if row.benchmark in keys else "",
            row.metric if row.metric in keys else "",
            row.value,
            row.unit,
            row.baseline if row.baseline in keys else "",
            row.baseline_value,
            row.delta,
            row.direction,
            row.confidence,
            row.extractor,
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
