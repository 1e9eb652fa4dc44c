"""One text under extraction: what each stage of an extractor has found in it.

A stage is a function of a :class:`Document` that fills in its part: the patterns
(:mod:`kg.extract.patterns.stages`), or the trained model (:mod:`kg.extract.trained`). It knows
nothing of spaCy; :mod:`kg.extract.components` makes a component of a pipeline of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kg.extract.abbreviations import Pair

__all__ = ["Document", "Entity", "Finding", "RelationRow", "ResultRow", "Stage", "border"]

_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n\s*")
_LONGEST_TITLE: Final = 400


@dataclass(frozen=True, slots=True)
class Finding:
    """A mention at ``text[start:end]`` found by ``rule``."""

    start: int
    end: int
    rule: str
    confidence: float


@dataclass(slots=True)
class Entity:
    """An entity of one abstract: its name, type and mentions."""

    name: str
    type: str
    confidence: float
    rule: str
    mentions: list[Finding] = field(default_factory=list)


class RelationRow(NamedTuple):
    """What ``text[start:end]`` states; ``head`` and ``tail`` are entity names, or ``PAPER``."""

    head: str
    predicate: str
    tail: str
    start: int
    end: int
    confidence: float
    extractor: str
    negated: bool
    hedged: bool


class ResultRow(NamedTuple):
    """The figures that ``text[start:end]`` reports; entity names, ``PAPER`` or "", else None."""

    start: int
    end: int
    subject: str
    benchmark: str
    metric: str
    value: float | None
    unit: str
    baseline: str
    baseline_value: float | None
    delta: float | None
    direction: str
    confidence: float
    extractor: str


@dataclass(slots=True)
class Document:
    """A text, and what is known of it; all offsets count in ``text``.

    Attributes
    ----------
    text : clean; it may begin with a title and a blank line.
    border : where the abstract starts (0: no title).
    sentences : their offsets, in order.
    abbreviations : those that the text defines.
    entities : their names are unique; no two mentions overlap.
    introduced : index of each entity that the paper puts forward, to its confidence.
    relations, results : what is stated, sorted.
    """

    text: str
    border: int
    sentences: list[tuple[int, int]]
    abbreviations: list[Pair]
    entities: list[Entity] = field(default_factory=list)
    introduced: dict[int, float] = field(default_factory=dict)
    relations: tuple[RelationRow, ...] = ()
    results: tuple[ResultRow, ...] = ()


Stage = Callable[[Document], None]
"""Fills in its part of a document."""


def border(text: str) -> int:
    r"""Return the offset at which the abstract starts in a text that may begin with a title.

    What stands before a first blank line is the title, if it is short and something follows.

    Examples
    --------
    >>> border("A title\n\nAn abstract.")
    9
    """
    match = _BLANK_LINE.search(text, 0, _LONGEST_TITLE)
    return match.end() if match and match.start() and match.end() < len(text) else 0
