"""The stages as components of spaCy: the extractor's pipeline, or parts of your own.

    >>> import spacy
    >>> nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": "kg_words"}}})
    >>> for name in ("kg_sentences", "kg_abbreviations", "kg_model"):
    ...     _ = nlp.add_pipe(name)
    >>> doc = nlp("We evaluate BERT on GLUE.")
    >>> [span.text for span in doc.spans["kg_mentions"]]
    ['BERT', 'GLUE']

The components come by entry point, without an import of this package. ``kg_entities``,
``kg_contribution``, ``kg_relations`` and ``kg_results`` are the patterns; ``kg_model``, the trained
model, stands for all four.

They hand on extension attributes of spaCy's ``Doc``. Everything is a plain tuple of strings and
numbers, offsets count characters of ``doc.text``, so that it survives ``nlp.pipe(n_process=2)`` and
``DocBin(store_user_data=True)`` (which give lists for the outer tuples). A component of your own
takes the place of one of these by setting the same.

=====================  ============================================================================
``doc.spans``          ``"kg_mentions"``: a span for each mention; ``label_`` is the entity type,
                       ``kb_id_`` the entity's name in this document
``doc._.kg_border``    where the abstract starts (0: no title; None: found by a blank line)
``kg_abbreviations``   (short_start, short_end, long_start, long_end)
``kg_mentions``        (start, end, confidence, extractor) of each mention
``kg_entities``        (name, type, introduced, confidence, extractor)
``kg_introduced``      (name, confidence) of what the paper puts forward, the chief one first
``kg_relations``       (head, predicate, tail, start, end, confidence, extractor, negated, hedged);
                       head and tail are entity names, or ``PAPER``; start, end is the passage
``kg_results``         (start, end, subject, benchmark, metric, value, unit, baseline,
                       baseline_value, delta, direction, confidence, extractor); names or "",
                       figures or None
=====================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from kg.errors import InputError
from kg.extract.abbreviations import abbreviations
from kg.extract.document import Document, Entity, Finding, RelationRow, ResultRow, Stage, border
from kg.extract.model.folder import SHIPPED
from kg.extract.patterns.stages import (
    ContributionPatterns,
    EntityPatterns,
    RelationPatterns,
    ResultPatterns,
    extractor_of,
)
from kg.extract.sentences import sentences
from kg.extract.trained import TrainedModel

__all__ = ["MENTIONS", "PATTERNS", "TRAINED", "pipeline", "read_doc", "write_doc"]

PATTERNS: Final = (
    "kg_sentences",
    "kg_abbreviations",
    "kg_entities",
    "kg_contribution",
    "kg_relations",
    "kg_results",
)
"""Names of the components of the pattern pipeline, in order."""

TRAINED: Final = ("kg_sentences", "kg_abbreviations", "kg_model")
"""Names of the components of the pipeline with the trained model, in order."""

MENTIONS: Final = "kg_mentions"
"""Key of the mentions in ``doc.spans``."""

_LISTS: Final = (
    "kg_abbreviations",
    "kg_mentions",
    "kg_entities",
    "kg_introduced",
    "kg_relations",
    "kg_results",
)


def _register() -> None:
    if not Doc.has_extension("kg_border"):
        Doc.set_extension("kg_border", default=None)
    for name in _LISTS:
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=())


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


_INSIDE: Final = 2**64 - 1
"""-1 as spaCy's unsigned arrays hold it: starts no sentence."""


def split_sentences(doc: Doc) -> Doc:
    """Set ``token.is_sent_start`` by :func:`kg.extract.sentences.sentences`."""
    starts = {start for start, _ in sentences(doc.text)}
    # setting token.is_sent_start looks at all tokens each time: 20 s on a long text
    marks = [1 if token.idx in starts else _INSIDE for token in doc]
    array: Any = np.array(marks, dtype=np.uint64).reshape(-1, 1)
    doc.from_array(["SENT_START"], array)
    return doc


def find_abbreviations(doc: Doc) -> Doc:
    """Set what :func:`kg.extract.abbreviations.abbreviations` finds."""
    doc._.kg_abbreviations = tuple(abbreviations(doc.text))
    return doc


class StageComponent:
    """A stage as a component."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def __call__(self, doc: Doc) -> Doc:
        """Set what the stage finds."""
        document = read_doc(doc)
        self.stage(document)
        write_doc(document, doc)
        return doc


def read_doc(doc: Doc) -> Document:
    """Return what the components have set on ``doc`` so far."""
    text = doc.text
    rows = list(doc._.kg_entities)
    entities = {name: Entity(name, kind, sure, _rule(by)) for name, kind, _, sure, by in rows}
    found = {(m[0], m[1]): (m[2], m[3]) for m in doc._.kg_mentions}
    for span in doc.spans.get(MENTIONS, ()):
        confidence, by = found.get((span.start_char, span.end_char), (1.0, ""))
        entities[span.kb_id_].mentions.append(
            Finding(span.start_char, span.end_char, _rule(by), confidence)
        )
    sure: dict[str, float] = dict(doc._.kg_introduced)
    return Document(
        text,
        border(text) if doc._.kg_border is None else doc._.kg_border,
        _sentences(doc, text),
        [(a, b, c, d) for a, b, c, d in doc._.kg_abbreviations],
        list(entities.values()),
        {i: sure.get(row[0], row[3]) for i, row in enumerate(rows) if row[2]},
        tuple(RelationRow(*row) for row in doc._.kg_relations),
        tuple(ResultRow(*row) for row in doc._.kg_results),
    )


def _sentences(doc: Doc, text: str) -> list[tuple[int, int]]:
    """Return the sentences of ``doc`` in characters, without white space about them.

    Faster than ``doc.sents``, which looks at every token several times.
    """
    firsts = [i for i, mark in enumerate(doc.to_array("SENT_START")) if mark == 1 or i == 0]
    spans = []
    for start, stop in pairwise([*(doc[i].idx for i in firsts), len(text)]):
        piece = text[start:stop]
        start += len(piece) - len(piece.lstrip())
        stop = start + len(piece.strip())
        if start < stop:
            spans.append((start, stop))
    return spans


def write_doc(document: Document, doc: Doc) -> None:
    """Set on ``doc`` what ``document`` holds of it; mentions that cut a token are left out."""
    spans: list[Span] = []
    mentions = []
    for e in document.entities:
        for m in e.mentions:
            span = doc.char_span(m.start, m.end, label=e.type, kb_id=e.name)
            if span is not None:
                spans.append(span)
                mentions.append((m.start, m.end, m.confidence, extractor_of(m.rule)))
    doc.spans[MENTIONS] = sorted(spans, key=lambda s: (s.start, s.end))
    doc._.kg_mentions = tuple(sorted(mentions))
    doc._.kg_entities = tuple(
        (e.name, e.type, i in document.introduced, e.confidence, extractor_of(e.rule))
        for i, e in enumerate(document.entities)
    )
    ranked = sorted(document.introduced.items(), key=lambda row: (-row[1], row[0]))
    doc._.kg_introduced = tuple((document.entities[i].name, sure) for i, sure in ranked)
    doc._.kg_relations = tuple(tuple(row) for row in document.relations)
    doc._.kg_results = tuple(tuple(row) for row in document.results)


def _rule(extractor: str) -> str:
    """Return what :func:`kg.extract.patterns.stages.extractor_of` was given."""
    if extractor.startswith("model:"):
        return extractor
    return extractor.removeprefix("rule:").rpartition("@")[0] or extractor


def create_sentences(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make ``kg_sentences``."""
    return split_sentences


def create_abbreviations(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make ``kg_abbreviations``."""
    return find_abbreviations


def _made(name: str, make: Callable[..., Stage], *options: object) -> StageComponent:
    """Make a component, whose name goes before what is wrong with its options."""
    try:
        return StageComponent(make(*options))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def create_entities(nlp: Language, name: str, gazetteer: str, threshold: float) -> StageComponent:
    """Make ``kg_entities``; ``gazetteer`` is the path of a file of your own, or "" for ours."""
    return _made(name, EntityPatterns, gazetteer, threshold)


def create_contribution(nlp: Language, name: str, threshold: float) -> StageComponent:
    """Make ``kg_contribution``."""
    return _made(name, ContributionPatterns, threshold)


def create_relations(
    nlp: Language, name: str, threshold: float, thresholds: dict[str, float]
) -> StageComponent:
    """Make ``kg_relations``; ``thresholds`` gives predicates a threshold of their own."""
    return _made(name, RelationPatterns, threshold, thresholds)


def create_results(nlp: Language, name: str, threshold: float) -> StageComponent:
    """Make ``kg_results``."""
    return _made(name, ResultPatterns, threshold)


def create_model(nlp: Language, name: str, path: str, results: bool) -> StageComponent:
    """Make ``kg_model``; ``path`` is the folder of a model of your own, or "" for ours."""
    return _made(name, TrainedModel.load, Path(path) if path else SHIPPED, results)


_register()
_FOUND: Final = ["doc.sents", "doc.spans", "doc._.kg_entities"]
Language.factory(
    "kg_sentences", assigns=["token.is_sent_start", "doc.sents"], func=create_sentences
)
Language.factory("kg_abbreviations", assigns=["doc._.kg_abbreviations"], func=create_abbreviations)
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
    requires=_FOUND,
    default_config={"threshold": 0.4},
    func=create_contribution,
)
Language.factory(
    "kg_relations",
    assigns=["doc._.kg_relations"],
    requires=[*_FOUND, "doc._.kg_introduced"],
    default_config={"threshold": 0.25, "thresholds": {}},
    func=create_relations,
)
Language.factory(
    "kg_results",
    assigns=["doc._.kg_results"],
    requires=[*_FOUND, "doc._.kg_introduced"],
    default_config={"threshold": 0.5},
    func=create_results,
)
Language.factory(
    "kg_model",
    assigns=["doc.spans", "doc._.kg_entities", "doc._.kg_mentions", "doc._.kg_introduced",
             "doc._.kg_relations", "doc._.kg_results"],
    requires=["doc.sents", "doc._.kg_abbreviations"],
    default_config={"path": "", "results": True},
    func=create_model,
)  # fmt: skip
