"""Cues: patterns over the skeleton of a sentence, in files that a person edits.

``relations.tsv`` has the cues of relations, ``introductions.tsv`` those of what a paper puts
forward; their first lines say how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kg.errors import InputError
from kg.extract.patterns.skeleton import rule
from kg.schema import PREDICATES

__all__ = ["Cue", "read_introductions", "read_relations"]

FOLDER: Final = Path(__file__).parent
_VERB: Final = (
    r"(?:propos|introduc|present|develop|releas|construct|creat|design|devis|contribut|build|built|"
    r"unveil|describ|formulat|curat|collect|suggest|offer|provid|establish|implement|put forward|"
    r"compil|publish|open-?sourc|annotat|train|call|name|dub|term|report on|make available)"
    r"(?:e[sd]?|ing|s|ed)?"
)
_WE: Final = (
    r"(?:we|this paper|this work|this article|this study|the paper|our work|our paper|the authors|"
    r"this thesis|this demo|this report|here|paper)"
)
_SKIP: Final = (
    r"(?:(?!\b(?:based|using|for|by|on|from|to|with|that|which|where|of|in|via|through)\b)"
    r"[^.;:\ue000-\uf8ff]){0,60}?"
)
_ADVERB: Final = (
    r"(?:also|further|then|significantly|substantially|consistently|greatly|even|clearly|slightly|"
    r"directly|thus|can|that|which|is|are|was|has been|been|have been)"
)
_DETERMINER: Final = r"(?:(?:the|a|an|its|our|their|both|all)\s)?"
_MACROS: Final = {
    "{mods}": _DETERMINER + r"(?:[\w’'\-,]+\s){0,4}?",
    "{few}": _DETERMINER + r"(?:[\w’'\-]+\s){0,2}?",
    "{gap}": r"[^.;\ue000-\uf1ff]{0,70}?",
    "{adverb}": _ADVERB,
    "{verb}": _VERB,
    "{we}": _WE,
    "{skip}": _SKIP,
}
_FAMILY: Final = {"M": "method", "H": "head", "D": "data", "T": "task"}


class Cue(NamedTuple):
    """A named pattern.

    Attributes
    ----------
    question : the predicate, or ``introduced``.
    name : name of the cue; several patterns may share one.
    family : family of types without which the pattern cannot match, or ""; ``head`` is a method or
        an anaphor.
    pattern : over the skeleton of a sentence.
    """

    question: str
    name: str
    family: str
    pattern: re.Pattern[str]


def read_relations(path: Path = FOLDER / "relations.tsv") -> tuple[Cue, ...]:
    """Read the cues of relations: predicate, name, pattern.

    Raises
    ------
    InputError
        If a row is malformed, with file, line and reason.
    """
    cues = []
    for place, cells in _rows(path, 3):
        predicate, name, pattern = cells
        if predicate not in PREDICATES:
            raise InputError(f"{place}: no predicate {predicate!r}")
        found = re.search(r"\(\?P<t>\{(\w+?)s?\}", pattern)
        family = _FAMILY.get(found[1], "") if found else ""
        cues.append(Cue(predicate, name, family, _compile(place, pattern, "t")))
    return tuple(cues)


def read_introductions(path: Path = FOLDER / "introductions.tsv") -> tuple[Cue, ...]:
    """Read the cues of what a paper puts forward: name, pattern.

    Raises
    ------
    InputError
        If a row is malformed, with file, line and reason.
    """
    return tuple(
        Cue("introduced", name, "", _compile(place, pattern, "x"))
        for place, (name, pattern) in _rows(path, 2)
    )


def _rows(path: Path, count: int) -> Iterator[tuple[str, list[str]]]:
    head = True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if head:
            head = False
            continue
        cells = line.split("\t")
        if len(cells) != count:
            raise InputError(f"{path}:{number}: need {count} cells, found {len(cells)}")
        yield f"{path}:{number}", cells


def _compile(place: str, pattern: str, group: str) -> re.Pattern[str]:
    for macro, value in _MACROS.items():
        pattern = pattern.replace(macro, value)
    try:
        compiled = rule(pattern)
    except re.error as error:
        raise InputError(f"{place}: not a regular expression: {error}") from None
    if group not in compiled.groupindex:
        raise InputError(f"{place}: the pattern has no group (?P<{group}>…)")
    return compiled
