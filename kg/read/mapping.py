"""Find the fields of a paper in an object or a table row, by the names that sources give them.

Names are compared without case, hyphens, underscores and spaces: ``publicationDate``,
``publication_date`` and ``Publication Date`` are one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kg.read.field_names import (
    ANSWERS,
    AUTHORS,
    COMMENT,
    DATES,
    DOI,
    IDS,
    INDEX,
    INNER,
    LISTS,
    NESTS,
    OWN_ID,
    TEXT,
    TITLE,
    URL,
    VENUE,
    WITHDRAWN,
    simple,
)
from kg.read.identity import names, person, whole_arxiv_id
from kg.read.items import MAX_ABSTRACT, MAX_NESTED, Fields
from kg.read.json_text import restore
from kg.read.text import counted

__all__ = ["expand", "fields_of"]

_MAX_NAMES: Final = 10_000


def _simple(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``record`` by simple names; the content of OpenReview notes is lifted out."""
    out: dict[str, Any] = {}
    for key, value in record.items():
        name = simple(key)
        if name == "content" and isinstance(value, dict):
            for inner, wrapped in value.items():
                plain = wrapped.get("value") if isinstance(wrapped, dict) else wrapped
                out.setdefault(simple(inner), plain)
        elif name not in out or out[name] in (None, ""):
            out[name] = value
    return out


def expand(value: Any, depth: int = 0) -> Iterator[dict[str, Any] | None]:
    """Yield each record in a JSON value, by simple names; None for what is no record.

    Unwraps lists, answers of services, objects such as ``{"paper": {…}}``, and objects that have
    papers under their ids.
    """
    if isinstance(value, list) and depth < 4:
        for inner in value:
            yield from expand(inner, depth + 1)
        return
    if not isinstance(value, dict):
        yield None
        return
    if _by_id(value):
        for key, inner in value.items():
            yield {"id": key, **_simple(inner)}
        return
    record = _simple(value)
    if depth < 4 and not any(record.get(name) for name in (*TEXT, *INDEX)):
        titled = any(record.get(name) for name in TITLE)
        for name in () if titled else (*ANSWERS, *LISTS):
            inner = record.get(name)
            if (isinstance(inner, list) and inner and all(isinstance(i, dict) for i in inner)) or (
                isinstance(inner, dict) and name in ANSWERS
            ):
                yield from expand(inner, depth + 1)
                return
        for name in NESTS:
            if isinstance(inner := record.get(name), dict):
                lifted = _simple(inner)
                if name in ("citingpaper", "citedpaper") or any(n in lifted for n in TEXT):
                    yield {**record, **lifted}
                    return
    yield record


def _by_id(value: dict[str, Any]) -> bool:
    """Return whether ``value`` has papers under their ids."""
    return bool(value) and all(
        simple(key) not in NESTS
        and isinstance(inner, dict)
        and any(simple(name) in (*TEXT, *INDEX) for name in inner)
        for key, inner in value.items()
    )


def fields_of(record: Mapping[str, Any]) -> Fields:
    """Return the fields of a paper in ``record``, whose names are simple."""
    fields = Fields()
    fields.has_text = any(name in record for name in (*TEXT, *INDEX))
    fields.text = _text(record, fields)
    fields.title = _restored(_first(record, TITLE), fields)
    numbered = [whole_arxiv_id(_plain(record.get(name))) for name in ("arxivid", "arxiv")]
    found = [i for name in IDS for i in _identifiers(record.get(name))]
    fields.ids = [i for i in (*numbered, *found) if i]
    fields.own_id = _own_id(record)
    fields.dates = [record[name] for name in DATES if record.get(name) not in (None, "", [])]
    fields.venue = _venue(record)
    fields.authors = next((a for name in AUTHORS if (a := _authors(record.get(name)))), [])
    fields.url = _url(record)
    fields.doi = next((d for name in DOI if (d := _doi(record.get(name)))), "")
    fields.comment = _first(record, COMMENT)
    fields.withdrawn = any(record.get(name) in (True, "true", "True", 1) for name in WITHDRAWN)
    return fields


def _restored(text: str, fields: Fields) -> str:
    text, count = restore(text)
    if count:
        fields.notes.append(f"{counted(count, 'LaTeX command')} taken for an escape, restored")
    return text


def _text(record: Mapping[str, Any], fields: Fields) -> str:
    text = _first(record, TEXT if _first(record, TITLE) else TEXT[:-1], " ")
    if text.strip():
        return _restored(text, fields)
    for name in INDEX:
        index = record.get(name)
        if isinstance(index, dict):
            return _from_index(index.get("InvertedIndex", index), fields)
    return ""


def _from_index(index: Any, fields: Fields) -> str:
    """Return the text of an inverted index: each word at each of its positions.

    A position without a word leaves its two spaces.

    >>> _from_index({"a": [1, 3], "not": [2], "rose": [0]}, Fields())
    'rose a not a'
    """
    words: dict[int, str] = {}
    bad = 0
    for word, positions in index.items() if isinstance(index, dict) else ():
        for position in positions if isinstance(positions, list) else (positions,):
            fits = isinstance(position, int) and 0 <= position < 10 * MAX_ABSTRACT
            if fits and position not in words:
                words[position] = word
            else:
                bad += 1
    if bad:
        fields.notes.append(f"{counted(bad, 'position')} of the inverted index left out")
    end = max(words, default=-1) + 1
    if end > 2 * len(words):  # positions that cannot be meant
        return " ".join(words[position] for position in sorted(words))
    return " ".join(words.get(position, "") for position in range(end))


def _plain(value: Any, glue: str = "", depth: int = 0) -> str:
    """Return the text in ``value``: itself, of the first of a list (all, with ``glue``), inside."""
    if isinstance(value, str):
        return value
    if depth > MAX_NESTED:
        return ""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        if glue and value and all(isinstance(v, str) for v in value):
            return glue.join(value)
        return next((t for v in value if (t := _plain(v, "", depth + 1)).strip()), "")
    if isinstance(value, dict):
        inner = {simple(str(k)): v for k, v in value.items()}
        return next((t for k in INNER if (t := _plain(inner.get(k), "", depth + 1)).strip()), "")
    return ""


def _first(record: Mapping[str, Any], keys: tuple[str, ...], glue: str = "") -> str:
    return next((t for k in keys if (t := _plain(record.get(k), glue)).strip()), "")


def _identifiers(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > MAX_NESTED:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if simple(str(key)) in ("arxiv", "acl", "doi"):
                yield from _identifiers(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value[:20]:
            plain = inner.get("value") if isinstance(inner, dict) else inner
            yield from _identifiers(plain, depth + 1)
    elif isinstance(value, str):
        yield value


def _own_id(record: Mapping[str, Any]) -> str:
    if "containertitle" in record or "citationkey" in record:
        return ""  # CSL-JSON: the id is a key that is unique in one library only
    for name in OWN_ID:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            value = re.sub(r"^https?://openalex\.org/", "openalex:", value.strip())
            return {"corpusid": "corpusid:", "pmid": "pmid:"}.get(name, "") + value
    return ""


def _venue(record: Mapping[str, Any]) -> str:
    for name in VENUE:
        value = record.get(name)
        if isinstance(value, dict) and isinstance(value.get("source"), dict):
            value = value["source"]
        elif isinstance(value, dict) and name == "primarylocation":
            continue
        if (text := _plain(value)).strip():
            return text
    return ""


def _url(record: Mapping[str, Any]) -> str:
    for name in URL:
        value = record.get(name)
        if isinstance(value, dict):
            value = value.get("landing_page_url") or value.get("href")
        text = _plain(value)
        if text.startswith(("http://", "https://")):
            return text
    own = record.get("id")
    return own if isinstance(own, str) and own.startswith(("http://", "https://")) else ""


def _doi(value: Any) -> str:
    if isinstance(value, dict):
        return next((_plain(v) for k, v in value.items() if simple(str(k)) == "doi"), "")
    return _plain(value)


def _authors(value: Any) -> list[str]:
    if isinstance(value, str):
        if value.startswith("[") and value.endswith("]") and len(value) < MAX_ABSTRACT:
            try:  # how pandas writes a list into a table
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return []
        else:
            return names(value)
    if isinstance(value, dict):
        return [a for a in [_author(value)] if a]
    if isinstance(value, list):
        return [a for v in value[:_MAX_NAMES] if (a := _author(v))]
    return []


def _author(value: Any, depth: int = 0) -> str:
    if isinstance(value, str):
        return person(value)
    if isinstance(value, list):  # authors_parsed: last, first, suffix
        parts = [_plain(p).strip() for p in value[:3]] + ["", "", ""]
        return " ".join(p for p in (parts[1], parts[0], parts[2]) if p)
    if not isinstance(value, dict) or depth > MAX_NESTED:
        return ""
    inner = {simple(str(k)): v for k, v in value.items()}
    if isinstance(inner.get("author"), dict):  # OpenAlex
        return _author(inner["author"], depth + 1)
    first = (
        _plain(inner.get("given")) or _plain(inner.get("first")) or _plain(inner.get("firstname"))
    )
    last = _plain(inner.get("family")) or _plain(inner.get("last")) or _plain(inner.get("lastname"))
    if last:
        dropped = _plain(inner.get("nondroppingparticle"))
        return " ".join(p for p in (first, dropped, last) if p)
    for name in ("name", "displayname", "fullname", "literal"):
        if text := _plain(inner.get(name)):
            return person(text)
    return ""
