"""Figures: the numbers of a text that could be a reported result."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+|\.\d+)(?=(?:[^\d\w.,]|[.,](?!\d)|$|[A-Za-zµμ]{1,9}(?!\w)|_|pm\d))"
)
_SPELLED = {
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "seven": 7.0,
    "eight": 8.0,
    "nine": 9.0,
    "ten": 10.0,
    "twenty": 20.0,
    "hundred": 100.0,
    "twice": 2.0,
    "double": 2.0,
    "doubles": 2.0,
    "doubling": 2.0,
    "doubled": 2.0,
    "triple": 3.0,
    "triples": 3.0,
    "tripling": 3.0,
    "thrice": 3.0,
    "half": 0.5,
    "halves": 0.5,
    "halving": 0.5,
    "twofold": 2.0,
    "threefold": 3.0,
    "fourfold": 4.0,
    "fivefold": 5.0,
    "tenfold": 10.0,
}
_WORD_NUMBER = re.compile(
    r"(?<![\w])(" + "|".join(sorted(_SPELLED, key=len, reverse=True)) + r")(?!\w)", re.I
)
_NAME_BEFORE = re.compile(r"[A-Za-z]\w*[-–_@/.:^~]$|\w\^\{?$|\w_\{?$")
_SPREAD_BEFORE = re.compile(r"(?:±|\+/[-−])\s?$")


@dataclass(frozen=True)
class Figure:
    """A number: `text[start:end]` is how it is written, `value` (finite, no unit) what it says."""

    start: int
    end: int
    value: float


def figures(text: str) -> list[Figure]:
    """Return the numbers of `text` that could be results, in order.

    Digits inside names and the spread of a figure (the 0.3 of ``88.2 ± 0.3``) are none.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    list of Figure
        Offsets are into `text`; values are finite and not negative.
    """
    found: list[Figure] = []
    for hit in _NUMBER.finditer(text):
        before = text[max(0, hit.start() - 30) : hit.start()]
        if _NAME_BEFORE.search(before) or _SPREAD_BEFORE.search(before):
            continue
        value = float(hit.group().replace(",", ""))
        if value < 1e15:
            found.append(Figure(hit.start(), hit.end(), value))
    for hit in _WORD_NUMBER.finditer(text):
        found.append(Figure(hit.start(), hit.end(), _SPELLED[hit.group().lower()]))
    return sorted(found, key=lambda f: (f.start, f.end))
