"""IRIs, literals and descriptions: what the RDF exports are made of."""

from __future__ import annotations

import datetime
import math
import re
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote

from rdflib import XSD, Literal, URIRef

from kg.errors import InputError
from kg.project.characters import carriable
from kg.schema import ID_BASE

__all__ = [
    "Description",
    "Pair",
    "any_uri",
    "boolean",
    "checked_base",
    "date",
    "decimal",
    "doi_link",
    "integer",
    "iri",
    "offset",
    "text",
]

Pair = tuple[URIRef, URIRef | Literal]
"""A predicate and an object."""


class Description(NamedTuple):
    """A subject with its predicates and objects, in the order to write them; no pair twice."""

    subject: URIRef
    pairs: list[Pair]


_CHARACTERS: Final = r"(?:[!$&-;=?-\[\]_a-z~]|%[0-9A-Fa-f]{2})"
_BASE: Final = re.compile(
    rf"(?:https?://[A-Za-z0-9._~%\[\]-]+(?::\d+)?/|urn:[A-Za-z0-9-]+:){_CHARACTERS}*#?{_CHARACTERS}*(?<=[/#:])"
)
_DOT_SEGMENT: Final = re.compile(r"(?<![^/])\.{1,2}(?![^/])")
_DOI: Final = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9.]+/\S+)", re.IGNORECASE | re.ASCII
)
_WEB_ADDRESS: Final = re.compile(
    r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]{1,5})?"
    r"(?:[/?](?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
_DATE: Final = re.compile(r"\d{4}(?:-\d\d){0,2}", re.ASCII)


def checked_base(base: str) -> str:
    """Return ``base`` if every IRI that begins with it is one.

    Raises
    ------
    InputError
        If it is not an absolute ``http``, ``https`` or ``urn`` IRI that ends in ``/``, ``#`` or
        ``:``.
    """
    if not base.isascii() or not _BASE.fullmatch(base):
        raise InputError(
            f"base {base!r} is not an http, https or urn IRI that ends in '/', '#' or ':'; "
            f"give one such as {ID_BASE}"
        )
    return base


def iri(key: str, base: str = ID_BASE) -> URIRef:
    """Return the IRI of the entity with the key, or of the paper with the ``paper_key``.

    Everything but unreserved characters and ``/`` is percent-encoded, and so are the dots of a
    segment ``.`` or ``..``, which a reader would resolve. Different keys give different IRIs, also
    where a key is no valid Unicode.

    Examples
    --------
    >>> iri("data/ms marco", "https://example.org/")
    rdflib.term.URIRef('https://example.org/data/ms%20marco')
    """
    path = quote(key.encode("utf-8", "surrogatepass"), safe="/")
    return URIRef(base + _DOT_SEGMENT.sub(lambda m: m[0].replace(".", "%2E"), path))


def doi_link(doi: str) -> URIRef | None:
    """Return the IRI that resolves ``doi``, with or without a prefix; None if it is no DOI."""
    match = _DOI.fullmatch(doi)
    return iri(match[1], "https://doi.org/") if match else None


def text(value: str) -> Literal:
    """Return a plain literal, without the characters that no format can carry."""
    return Literal(carriable(value))


def any_uri(value: str) -> Literal:
    """Return an ``xsd:anyURI`` literal if ``value`` is a web address, else plain text."""
    if _WEB_ADDRESS.fullmatch(value):
        return Literal(value, datatype=XSD.anyURI)
    return text(value)


@lru_cache(maxsize=4096)
def decimal(value: float) -> Literal:
    """Return an ``xsd:decimal`` of at most six places, with a point and without exponent.

    What is not finite becomes an ``xsd:double``, which the shapes then report.
    """
    if not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
        return Literal(word, datatype=XSD.double, normalize=False)
    digits = f"{round(value, 6) + 0.0:.6f}".rstrip("0")
    return Literal(digits + "0" if digits.endswith(".") else digits, datatype=XSD.decimal)


@lru_cache(maxsize=4096)
def integer(value: int) -> Literal:
    """Return an ``xsd:integer``."""
    return Literal(str(value), datatype=XSD.integer)


@lru_cache(maxsize=4096)
def offset(value: int) -> Literal:
    """Return an ``xsd:nonNegativeInteger``, as Web Annotation has it for offsets."""
    return Literal(str(value), datatype=XSD.nonNegativeInteger)


_TRUTH: Final = {b: Literal(str(b).lower(), datatype=XSD.boolean) for b in (False, True)}


def boolean(value: bool) -> Literal:
    """Return an ``xsd:boolean``."""
    return _TRUTH[value]


def date(value: str) -> Literal:
    """Return a year, month or day as such if it exists, else plain text."""
    if _DATE.fullmatch(value):
        parts = [int(part) for part in value.split("-")]
        try:
            datetime.date(*[*parts, 1, 1][:3])
        except ValueError:
            return text(value)
        datatype = (XSD.gYear, XSD.gYearMonth, XSD.date)[len(parts) - 1]
        return Literal(value, datatype=datatype, normalize=False)
    return text(value)
