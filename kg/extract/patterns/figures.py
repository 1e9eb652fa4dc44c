"""Figures: the numbers of a text that may be results, with their units.

Sizes ("7B", "2,800 dialogues"), years, versions and the numbers inside names are not figures. A
range and a value with its spread ("88.2 ± 0.3") are one figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Figure", "figures"]

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_SPREAD: Final = rf"(?:\s?(?:±|\+/[-−]|\+[-−]|pm)\s?{_NUMBER})"
_PERCENT: Final = r"(?:\s?%|\s?\\%|\s?percent\b(?!age)|\s?per cent\b)"
_UNIT: Final = (
    r"(?P<pp>\s?%?[ -]?(?:percentage[ -]points?|pp\b|p\.p\.|\bppts?\b|%[ -]points?)|%p\b)"
    r"|(?P<points>[ -]?(?:absolute |average |mean |BLEU |F1 |accuracy |ROUGE |AP )?"
    r"(?:points?|pts?)\b)"
    rf"|(?P<percent>{_PERCENT})"
    r"|(?P<x>\s?(?:[x×X](?![\w])|[-‐ ]?fold\b|times\b))"
)
_RANGE: Final = r"\s?(?:-{1,3}|–|—|to|~)\s?"
_FIGURE: Final = re.compile(
    rf"(?<![A-Za-z_)\]]/)(?<![\w.,\\^_@#:])(?<![\w][-‐‑–])(?P<sign>[+\-−–±≈~]?\s?)"
    rf"(?P<a>{_NUMBER}){_SPREAD}?(?:(?P<sep>{_PERCENT}?{_RANGE})(?P<b>{_NUMBER}){_SPREAD}?)?"
    rf"(?:{_UNIT})?(?![\w]*[-‐]?[\w]*\.\d)(?!\d)"
)
_TWICE: Final = re.compile(
    r"\b(?:(?P<twice>twice|twofold|two-fold|two times)|(?P<thrice>three times|threefold|three-fold)"
    r"|(?P<four>four times|fourfold|four-fold)|(?P<half>halv(?:es|ed|ing)|by half)"
    r"|(?P<double>doubl(?:es|ed|ing))|(?P<ten>ten times|tenfold))\b",
    re.IGNORECASE,
)
_WORDED: Final = {"twice": 2.0, "thrice": 3.0, "four": 4.0, "half": 2.0, "double": 2.0, "ten": 10.0}
_SIZE: Final = re.compile(
    r"(?:\s?(?:[KkMBTG]b?|bn|billion|million|thousand|trillion|GB|MB|KB|TB|ms|kHz|Hz|GHz)\b|-(?:shot|way|hop|bit|layer|"
    r"step|class|dimensional|gram|best|fold cross|year|day|hour|stage|word|token|turn|point scale|"
    r"grams?|billion|million|parameter|sized?|scale|D\b|d\b)|[a-zA-Z])"
)
_LABEL: Final = re.compile(
    r"\b(?:Sections?|Sec\.|Tables?|Tab\.|Figures?|Fig\.|Equations?|Eq\.|Chapter|Appendix|Theorem|"
    r"Lemma|Algorithm|[Vv]ersion|Python|CUDA|PyTorch|Step|Stage|Phase|Part|Level)\s?$"
)
_YEAR: Final = re.compile(r"(?:19[5-9]|20[0-4])\d")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number at ``text[start:end]``.

    Attributes
    ----------
    value : the number; of a range, its higher end.
    low : the lower end of a range, or None.
    unit : ``%``, ``pp``, ``points``, ``x`` or "".
    signed : whether "+" stands before it.
    written : the digits as they stand.
    """

    start: int
    end: int
    value: float
    low: float | None
    unit: str
    signed: bool
    written: str


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def figures(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[Figure]:
    """Return the figures of ``text`` in order; numbers inside the spans ``taken`` are skipped.

    Examples
    --------
    >>> found = figures("from 72.0% to 80.2%, 2x faster, a 7B model, 88.2pm0.3")
    >>> [(f.value, f.unit) for f in found]
    [(72.0, '%'), (80.2, '%'), (2.0, 'x'), (88.2, '')]
    """
    spans = sorted(taken)
    out: list[Figure] = []
    for match in _FIGURE.finditer(text):
        out += _figures(text, match)
    for match in _TWICE.finditer(text):
        word = match.lastgroup or "twice"
        out.append(Figure(match.start(), match.end(), _WORDED[word], None, "x", False, match[0]))
    return sorted(
        (f for f in out if not any(a < f.end and f.start < b for a, b in spans)),
        key=lambda f: f.start,
    )


def _figures(text: str, match: re.Match[str]) -> list[Figure]:
    unit = next((u for u in ("pp", "points", "percent", "x") if match[u]), "")
    end = match.end()
    second = match["b"]
    if not unit and (_SIZE.match(text, end) or _LABEL.search(text[: match.start()][-16:])):
        return []
    unit = "%" if unit == "percent" else unit
    first = _number(match["a"])
    start = match.start("a")
    signed = "+" in match["sign"]
    if second is None:
        if not unit and (_YEAR.fullmatch(match["a"]) or len(match["a"]) > 12):
            return []
        return [Figure(start, end, first, None, unit, signed, match["a"])]
    last = _number(second)
    sep = match["sep"]
    if "to" in sep and re.search(r"\b[Ff]rom\s?[~≈]?$", text[max(0, match.start() - 8) : start]):
        # "from 72.0% to 80.2%": two figures
        percent = "%" if re.match(_PERCENT, sep) else ""
        stop = match.start("sep") + (len(sep) - len(re.sub(_PERCENT, "", sep)) if percent else 0)
        cut = match.start("b")
        return [
            Figure(start, stop, first, None, unit or percent, signed, match["a"]),
            Figure(cut, end, last, None, unit or percent, False, second),
        ]
    if not unit and (_YEAR.fullmatch(match["a"]) or _YEAR.fullmatch(second)):
        return []
    if last < first and "to" not in sep and "-" in sep:
        return [Figure(start, end, first, last, unit, signed, match["a"])]
    return [Figure(start, end, max(first, last), min(first, last), unit, signed, match[0].strip())]
