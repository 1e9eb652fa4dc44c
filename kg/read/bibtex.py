"""Read BibTeX; entries are parsed by pybtex, one at a time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import latexcodec  # noqa: F401  (registers the codec "ulatex")
from pybtex.database.input.bibtex import LowLevelParser, UndefinedMacro, month_names  # type: ignore[import-untyped]
from pybtex.scanner import PybtexSyntaxError  # type: ignore[import-untyped]

from kg.read.field_names import simple
from kg.read.identity import person
from kg.read.items import MAX_RECORD, Fields, Flaw
from kg.read.mapping import fields_of
from kg.read.streams import lines
from kg.read.text import decode, one_line

__all__ = ["START", "read_bibtex"]

START: Final = re.compile(rb"\s*@\s*([A-Za-z]+)\s*[{(]")
"""The first line of an entry."""

_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)
_FORMULA: Final = re.compile(r"(\$[^$]*\$)")
_MAX_LATEX: Final = 20_000  # characters; decoding takes its time
_MAX_NAMES: Final = 10_000
_BRACES: Final = re.compile(r"[{}]")
_PLACE: Final = re.compile(r"syntax error in line \d+: ")
_COMMAND: Final = re.compile(r"@\s*([A-Za-z]+)")
_NEXT: Final = re.compile(r"@\s*(?!comment\b)[A-Za-z]+\s*[{(]\s*[^\s,=(){}]+\s*[,=]", re.IGNORECASE)
"""An entry behind another one on its line; an address in a comment is none."""
_NO_ENTRY: Final = ("comment", "preamble", "string")


def read_bibtex(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield each entry. A broken one is a flaw, and the next line that starts an entry goes on.

    White space is what BibTeX makes of it: one space. The keys of entries are no identifiers,
    since two files use one for different papers. A paper that names no proceedings is of those
    that stand before it in the file, as PMLR writes its volumes.
    """
    volume: Fields | None = None
    macros: dict[str, str] = dict(month_names)
    for number, command, raw, too_long in _blocks(chunks):
        if command == b"comment":
            continue
        if too_long:
            yield Flaw("too-long", f"line {number}: more than {MAX_RECORD:,} bytes")
            continue
        text, note = decode(raw)
        for line, kind, members in _entries(text, macros):
            if isinstance(members, Flaw):
                yield Flaw(members.kind, f"line {number + line}: {members.reason}")
                continue
            fields = _fields(members, note)
            if kind == "proceedings":
                volume = fields
            elif kind == "inproceedings" and volume is not None and not fields.venue:
                fields.venue = volume.venue
                fields.dates = fields.dates or volume.dates
            yield fields


def _entries(
    text: str, macros: dict[str, str]
) -> Iterator[tuple[int, str, list[tuple[str, list[str]]] | Flaw]]:
    """Yield lines before it, type in lower case, and fields of each entry of a block.

    A block has one entry, and others behind it on its last line. What is no paper is passed over.
    """
    at = 0
    while True:
        parser = LowLevelParser(text, macros=macros, handle_error=_stop)
        parser.pos = at
        try:
            parsed = next(iter(parser), None)
            why = "nothing in it"
        except PybtexSyntaxError as error:
            parsed, why = None, _PLACE.sub("", one_line(str(error)))[:100]
        except RecursionError:
            parsed, why = None, "braces are nested too deeply"
        kind = _COMMAND.search(text, at)
        if parsed is not None and parsed[0].lower() not in _NO_ENTRY:
            yield text.count("\n", 0, at), parsed[0].lower(), parsed[1][1]
        elif parsed is None and not (kind and kind[1].lower() in _NO_ENTRY):
            yield text.count("\n", 0, at), "", Flaw("broken", f"broken BibTeX entry ({why})")
            return
        following = _NEXT.search(text, max(parser.pos, at + 1))
        if following is None:
            return
        at = following.start()


def _stop(error: Exception) -> None:
    """Raise ``error``, unless it is only an abbreviation that is not defined."""
    if not isinstance(error, UndefinedMacro):
        raise error


def _blocks(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes, bytes, bool]]:
    """Yield line number, command in lower case, bytes, and "too long" of each entry."""
    start, command, size = 0, b"", 0
    block: list[bytes] = []
    for number, (raw, whole) in enumerate(lines(chunks), start=1):
        if match := START.match(raw):
            if start:
                yield start, command, b"\n".join(block), size > MAX_RECORD
            start, command, size, block = number, match[1].lower(), 0, []
        if start and size <= MAX_RECORD:
            size += len(raw) + 1 if whole else MAX_RECORD + 1
            block.append(raw)
    if start:
        yield start, command, b"\n".join(block), size > MAX_RECORD


def _fields(members: list[tuple[str, list[str]]], note: str) -> Fields:
    record: dict[str, Any] = {}
    for name, parts in members:
        record.setdefault(simple(name), one_line("".join(parts)))
    authors = record.pop("author", "")
    for name in ("title", "booktitle", "journal"):
        if name in record:
            record[name] = _unlatex(record[name])
    record.pop("id", None)
    fields = fields_of(record)
    fields.has_text = True
    names = _AND.split(authors, _MAX_NAMES)[:_MAX_NAMES]
    fields.authors = [person(_unlatex(a)) for a in names if a and a != "others"]
    if month := record.get("month"):
        fields.dates.insert(0, f"{record.get('day', '')} {month} {record.get('year', '')}")
    fields.notes += [note] if note else []
    return fields


def _unlatex(text: str) -> str:
    """Return ``text`` with LaTeX's accents and letters as Unicode, and without grouping braces.

    Formulas stay as they are, and so does what is too long for a title or a name.
    """
    if len(text) > _MAX_LATEX:
        return text
    pieces = _FORMULA.split(text)
    pieces[::2] = [_BRACES.sub("", _letters(p)) for p in pieces[::2]]
    return "".join(pieces)


def _letters(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return str(codecs.decode(text, "ulatex+utf8"))  # type: ignore[call-overload]
    except ValueError:
        return text
