"""Make a paper of a record's raw fields: repair, identify, refuse what is no abstract."""

from __future__ import annotations

import re
from typing import Final

from kg.read.identity import doi, identify, iso_date
from kg.read.items import MAX_ABSTRACT, WITHDRAWN, Fields, Flaw, Read, Rejected
from kg.read.text import flatten, one_line, repair
from kg.records import Paper, Source, content_id

__all__ = ["finish"]

_PLACEHOLDER: Final = re.compile(
    r"[\W_]*(?:n/?a|none|null|nan|tba|abstract|(?:no|without) abstract(?: (?:is )?available)?"
    r"|abstract (?:is )?not available)[\W_]*",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_WITHDRAWN_TEXT: Final = re.compile(
    r"\b(?:paper|article|manuscript|submission|preprint|work|it)\b[^.]{0,60}"
    r"\b(?:been|was|is|are)\b[^.]{0,30}\b(?:withdrawn|retracted)\b"
    r"|^\W*(?:withdrawn|retracted)\b",
    re.IGNORECASE,
)
_WITHDRAWN_COMMENT: Final = re.compile(
    r"^(?!.*\b(?:replac|supersed|previous|earlier)).*\b(?:withdrawn|retracted)\b",
    re.IGNORECASE | re.DOTALL,
)
_NOT_ABOUT_ITSELF: Final = 600  # a longer abstract that has these words has its own content
_MAX_LINE: Final = 2_000  # characters of a title, a venue, a name, an address
_MAX_AUTHORS: Final = 10_000
_MAX_IDS: Final = 100


def finish(item: Fields | Flaw, source: Source) -> Read | Rejected:
    """Return the paper that the fields describe, or why they describe none.

    Parameters
    ----------
    item
        What the reader of the format gave.
    source
        File and position of the record.
    """
    if isinstance(item, Flaw):
        return Rejected(source, _line(item.reason), item.kind)
    if len(item.text) > MAX_ABSTRACT:
        return Rejected(
            source,
            f"the abstract has {len(item.text):,} characters, more than {MAX_ABSTRACT:,}: "
            "give the abstract, not the whole paper",
            "too-long",
        )
    text, notes = repair(flatten(item.text))
    title = _line(item.title)
    if _LETTER.search(text) is None or (len(text) < 60 and _PLACEHOLDER.fullmatch(text)):
        return _without_text(item, title, source)
    notes = [*item.notes, *notes]
    date, dropped = _date(item.dates)
    if dropped:
        notes.append(f"date not understood: {dropped}")
    own_id, own_doi, url = _line(item.own_id), _line(item.doi), _url(item.url)
    ids = [_line(i) for i in item.ids[:_MAX_IDS]]
    found_doi = next((d for value in (own_doi, *ids) if (d := doi(value))), "")
    key = identify([*ids, own_id, own_doi, url]) or own_id or content_id(text)
    if item.withdrawn or _is_withdrawn(text, item.comment):
        notes.append(WITHDRAWN)
    paper = Paper(
        id=key,
        text=text,
        title=title,
        date=date,
        venue=_line(item.venue),
        authors=tuple(a for name in item.authors[:_MAX_AUTHORS] if (a := _line(name))),
        url=url,
        doi=found_doi,
        source=source,
    )
    return Read(paper, tuple(notes))


def _without_text(item: Fields, title: str, source: Source) -> Rejected:
    if not (item.has_text or title or item.ids or item.own_id):
        return Rejected(
            source, "no field that could hold an abstract, such as abstract or text", "no-text"
        )
    ids = [_line(i) for i in (*item.ids[:_MAX_IDS], item.own_id, item.doi)]
    name = identify(ids) or _line(item.own_id) or title[:80]
    return Rejected(source, f"no abstract ({name})" if name else "no abstract", "empty")


def _line(value: str) -> str:
    line = one_line(repair(flatten(value[: 4 * _MAX_LINE]))[0])
    return line if len(line) <= _MAX_LINE else ""


def _url(value: str) -> str:
    line = _line(value)
    return line if re.match(r"(?:https?|ftp)://", line, re.IGNORECASE) else ""


def _date(values: list[object]) -> tuple[str, str]:
    found = [d for v in values if (d := iso_date(v))]
    if found:
        # A bare year gives way to the day of the same year, told in a later field.
        return next((d for d in found if d.startswith(found[0]) and len(d) == 10), found[0]), ""
    told = (v for v in values if v not in (None, "", [], {}, 0))
    try:
        bad = next(map(str, told), "")
    except RecursionError:
        bad = "lists in lists"
    return "", repr(one_line(bad)[:40]) if bad.strip() else ""


def _is_withdrawn(text: str, comment: str) -> bool:
    if len(text) < _NOT_ABOUT_ITSELF and _WITHDRAWN_TEXT.search(text):
        return True
    return _WITHDRAWN_COMMENT.match(comment[:_MAX_LINE]) is not None
