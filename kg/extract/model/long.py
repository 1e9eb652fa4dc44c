"""Texts that hold much more than an abstract: read in parts, and the answers put together.

The network looks at all pairs of entities with all words, and at all figures with all words, so its
cost grows with the third power of the length; in parts it grows with the length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kg.extract.model.results import LINKS
from kg.extract.sentences import sentences
from kg.schema import PAPER, PREDICATES

__all__ = ["LONG", "PART", "joined", "parts", "too_much"]

LONG: Final = 10_000
"""Characters of the longest text that is read as a whole; abstracts have 1,500, some 5,000."""
PART: Final = 5_000
"""Most characters of a part."""

_PAIRS: Final = 15_000_000  # pairs of entities, times words: 1 GB
_FIGURES: Final = 500_000  # figures, times words: 0.7 GB

Found = dict[str, list[dict[str, Any]]]


def parts(text: str, whole: int = LONG, most: int = PART) -> list[tuple[int, int]]:
    """Cut a text at sentence ends; a sentence that is too long, at white space or anywhere.

    Returns
    -------
    list of (start, end)
        One for a text of at most `whole` characters, else parts of at most `most`, 1 or more, in
        order, that together cover all that is visible.
    """
    if len(text) <= whole:
        return [(0, len(text))]
    pieces: list[tuple[int, int]] = []
    for start, end in sentences(text):
        while end - start > most:
            cut = text.rfind(" ", start + 1, start + most)
            cut = cut if cut > 0 else start + most
            pieces.append((start, cut))
            start = cut
        pieces.append((start, end))
    out: list[tuple[int, int]] = []
    for start, end in pieces:
        if out and end - out[-1][0] <= most:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def too_much(words: int, entities: int, figures: int) -> bool:
    """Return whether a text that holds so many would take more than about a gigabyte."""
    return entities**2 * words > _PAIRS or figures * words > _FIGURES


def joined(answers: Iterable[tuple[int, Found]]) -> Found:
    """Put the answers for parts together.

    Parameters
    ----------
    answers
        Start of each part, and the answer in the form of the annotated files.

    Returns
    -------
    dict
        The same form for the whole. What has one name in several parts is one entity, of the type
        that the surest of them has; what is said of a pair in several parts is kept where it is
        surest, and what does not fit the type goes.
    """
    entities: dict[str, dict[str, Any]] = {}
    relations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for at, found in answers:
        for e in found["entities"]:
            e["mentions"] = [_moved(m, at) for m in e["mentions"]]
            other = entities.setdefault(e["name"], e)
            if other is not e:
                best = max(other, e, key=lambda one: float(one["confidence"]))
                entities[e["name"]] = {
                    **best,
                    "introduced": other["introduced"] or e["introduced"],
                    "introduced_score": max(other["introduced_score"], e["introduced_score"]),
                    "mentions": other["mentions"] + e["mentions"],
                }
        for r in (*found["relations"], *found["results"]):
            r["evidence"] = _moved(r["evidence"], at)
        relations += found["relations"]
        results += found["results"]
    types = {name: str(e["type"]) for name, e in entities.items()} | {PAPER: PAPER}
    best_of: dict[tuple[str, str], dict[str, Any]] = {}
    for r in relations:
        pair = (r["head"], r["tail"])
        fits = PREDICATES[r["type"]].allows(*(types[name] for name in pair))
        if fits and (pair not in best_of or best_of[pair]["confidence"] < r["confidence"]):
            best_of[pair] = r
    for r in results:
        for key, kinds in LINKS.items():
            if r[key] is not None and types[r[key]] not in kinds:
                r[key] = None
    return {
        "entities": list(entities.values()),
        "relations": list(best_of.values()),
        "results": results,
    }


def _moved(place: dict[str, Any], at: int) -> dict[str, Any]:
    return {**place, "start": place["start"] + at, "end": place["end"] + at}
