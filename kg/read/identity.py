"""Recognise the identifiers, dates and names that sources write in many ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any, Final

from kg.read.items import MAX_NESTED
from kg.read.text import one_line

__all__ = ["acl_id", "arxiv_id", "doi", "identify", "iso_date", "names", "person", "whole_arxiv_id"]

_ARXIV_PREFIX: Final = re.compile(
    r"^(?:oai:arxiv\.org:|arxiv:\s*|(?:https?://)?(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html|format)/"
    r"|(?:https?://)?(?:dx\.)?doi\.org/10\.48550/arxiv\.|(?:doi:\s*)?10\.48550/arxiv\.)",
    re.IGNORECASE,
)
_ARXIV: Final = re.compile(
    r"(?P<new>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?:v\d+)?"
    r"|(?P<archive>[a-z][a-z-]+)(?:\.[A-Za-z]{2})?/(?P<number>\d{7})(?:v\d+)?"
)
_NUMBERED: Final = re.compile(r"(\d{3,4})(\.(?:\d{1,5}|\d{12,17}))")
_ACL_PREFIX: Final = re.compile(
    r"^(?:(?:https?://)?(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)/"
    r"|(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?10\.(?:18653|3115)/v1/)",
    re.IGNORECASE,
)
_ACL: Final = re.compile(r"\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+|[A-Z]\d{2}-\d{4}")
_DOI_PREFIX: Final = re.compile(r"^(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*)", re.I)
_DOI: Final = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")
_NEXT_DOI: Final = re.compile(r"[,;]?\s+|[,;](?=10\.\d{4})")

_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_ISO: Final = re.compile(
    r"(?P<year>\d{4})(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?)?"
    r"(?:[T\s]\d{1,2}:.*|[/-]*)"
)
_DAY: Final = re.compile(r"(\d{4})(\d{2})(\d{2})")
_YEAR: Final = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_NAMED: Final = re.compile(r"(?<![a-z])(" + "|".join(_MONTHS) + r")[a-z]*", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\d:])(\d{1,2})(?:st|nd|rd|th)?(?![\d:])")


def arxiv_id(value: str) -> str:
    """Return the arXiv identifier in ``value`` without its version, or "".

    >>> arxiv_id("https://arxiv.org/abs/2401.01234v2"), arxiv_id("math.GT/0309136")
    ('2401.01234', 'math/0309136')
    """
    rest = _ARXIV_PREFIX.sub("", value.strip()).removesuffix(".pdf").rstrip("/")
    match = _ARXIV.fullmatch(rest)
    if match is None:
        return ""
    return match["new"] or f"{match['archive']}/{match['number']}"


def whole_arxiv_id(value: str) -> str:
    """Return an arXiv identifier that a spreadsheet took for a number, with its zeros again.

    Since 2015 there are five digits after the point, before there were four.

    >>> whole_arxiv_id("1510.031"), whole_arxiv_id("704.12"), whole_arxiv_id("1610.0525599999999")
    ('1510.03100', '0704.1200', '1610.05256')
    """
    match = _NUMBERED.fullmatch(value.strip())
    if match is None:
        return value
    month = match[1].zfill(4)
    number = f"{float('0' + match[2]):.{5 if month >= '1501' else 4}f}"
    return month + number[1:] if number.startswith("0") else value


def acl_id(value: str) -> str:
    """Return the ACL Anthology identifier in ``value``, or "".

    >>> acl_id("10.18653/v1/P18-1001"), acl_id("https://aclanthology.org/2020.acl-main.1/")
    ('P18-1001', '2020.acl-main.1')
    """
    rest = _ACL_PREFIX.sub("", value.strip()).removesuffix(".pdf").rstrip("/")
    return rest if _ACL.fullmatch(rest) else ""


def doi(value: str) -> str:
    """Return the (first) DOI in ``value``, bare and in lower case, or "".

    >>> doi("https://doi.org/10.1103/PhysRevD.93.016005, 10.1103/PhysRevD.98.079901")
    '10.1103/physrevd.93.016005'
    """
    rest = _NEXT_DOI.split(_DOI_PREFIX.sub("", value.strip()), maxsplit=1)[0]
    return rest.lower() if _DOI.fullmatch(rest) else ""


def identify(values: Iterable[str]) -> str:
    """Return the best identifier among ``values``: arXiv, else ACL Anthology, else DOI, else ""."""
    candidates = [v for v in values if v and len(v) < 500]
    for recognise in (arxiv_id, acl_id, doi):
        for value in candidates:
            if found := recognise(value):
                return found
    return ""


def iso_date(value: Any, depth: int = 0) -> str:
    """Return ``value`` as ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; "" if it is no date.

    Takes ISO 8601, ``2 Apr 2007``, ``July 2020``, years, milliseconds since 1970, lists of year,
    month and day, and the objects that JSON formats wrap these in. ``03/04/2020`` is read in two
    ways in the world; only its year is used.
    """
    if depth > MAX_NESTED:
        return ""
    if isinstance(value, dict):
        inner = [value.get(k) for k in ("date-parts", "value", "raw", "literal", "date", "created")]
        return next((d for v in inner if (d := iso_date(v, depth + 1))), "")
    if isinstance(value, list):
        return _from_list(value, depth)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    if isinstance(value, float):
        if not value.is_integer():
            return ""
        value = int(value)
    text = str(value).strip()
    if len(text) > 100:
        return ""
    if re.fullmatch(r"\d{12,13}", text):
        return datetime.fromtimestamp(int(text) / 1000, UTC).date().isoformat()
    text = text.removesuffix(".0")
    if match := _DAY.fullmatch(text):
        return _join(*match.groups())
    if match := _ISO.fullmatch(text):
        return _join(match["year"], match["month"], match["day"])
    return _from_words(text)


def _from_list(value: list[Any], depth: int) -> str:
    if value and isinstance(value[0], (list, dict)):
        return iso_date(value[0], depth + 1)
    parts = [str(v).strip() for v in value[:3] if v is not None and str(v).strip()]
    if not parts or not all(re.fullmatch(r"\d{1,4}", p) for p in parts):
        return iso_date(value[0], depth + 1) if value else ""
    return _join(*parts)


def _from_words(text: str) -> str:
    years = _YEAR.findall(text)
    if not years:
        return ""
    month = _NAMED.search(text)
    if month is None:
        return _join(years[0])
    days = [int(d) for d in _NUMBER.findall(text)]
    number = str(_MONTHS.index(month[1].lower()) + 1)
    return _join(years[0], number, str(days[0]) if days else None)


def _join(year: str, month: str | None = None, day: str | None = None) -> str:
    if not 1500 <= int(year) <= 2100:
        return ""
    if month is None:
        return year
    try:
        whole = date(int(year), int(month), int(day or 1)).isoformat()
    except ValueError:
        return ""
    return whole if day else whole[:7]


def person(name: str) -> str:
    """Return a name as it is spoken: ``Lovelace, Ada`` becomes ``Ada Lovelace``."""
    parts = [p.strip() for p in name.split(",")]
    if len(parts) == 2 and all(parts):
        return f"{parts[1]} {parts[0]}"
    if len(parts) == 3 and all(parts):  # BibTeX: von Last, Jr, First
        return f"{parts[2]} {parts[0]} {parts[1]}"
    return name.strip()


def names(text: str) -> list[str]:
    """Return the names in one string of several, in order.

    Semicolons and ``and`` divide names written in either order; commas divide names written first
    name first.

    >>> names("Ada Lovelace, Alan Turing and Grace Hopper")
    ['Ada Lovelace', 'Alan Turing', 'Grace Hopper']
    >>> names("Lovelace, A.; Turing, A.")
    ['A. Lovelace', 'A. Turing']
    """
    text = one_line(text)
    if ";" in text:
        return [person(p) for p in text.split(";") if p.strip()]
    pieces = [p.strip(" ,") for p in re.split(r"\s+and\s+|\s*&\s*", text)]
    if len(pieces) > 1 and all(p.count(",") == 1 for p in pieces):
        return [person(p) for p in pieces]
    parts = [p.strip() for piece in pieces for p in piece.split(",") if p.strip()]
    if len(pieces) == 1 and len(parts) == 2 and (" " not in parts[0] or len(parts[1]) < 4):
        return [person(text)]
    return parts
