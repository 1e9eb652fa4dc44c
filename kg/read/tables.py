"""Read CSV and TSV with a header line."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from kg.read.field_names import TEXT, simple
from kg.read.items import MAX_RECORD, Fields, Flaw
from kg.read.mapping import fields_of
from kg.read.streams import lines
from kg.read.text import decode

__all__ = ["header", "read_table"]

_DELIMITERS: Final = "\t,;|"
_MAX_LINES: Final = 200  # of one row; a quote that is not closed by then is taken as it stands
_ABSTRACT: Final = frozenset(TEXT) | {"abstractinvertedindex"}


def header(line: str) -> tuple[list[str], str] | None:
    """Return the names of the columns and the delimiter, or None if ``line`` is no header.

    A header names a column that holds abstracts. Names are simple, as in
    :func:`kg.read.mapping.simple`.
    """
    best: tuple[list[str], str] | None = None
    for delimiter in _DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        columns = [simple(c) for c in cells]
        if _ABSTRACT.isdisjoint(columns) or max(map(len, cells)) > 60:
            continue
        if best is None or len(columns) > len(best[0]):
            best = columns, delimiter
    return best


def read_table(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield each row of a table with a header.

    A quote that quotes nothing is taken as it stands. A row that has more or fewer cells than the
    header even so is a flaw, and the next line starts the next row.
    """
    # The limit of the csv module is one for the whole process, and low; lines are bounded here.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    rows = _Rows(chunks)
    first = rows.header()
    if first is None:
        return
    found = header(first)
    if found is None:
        yield Flaw("no-text", "no column is called abstract (or summary, text): name it in line 1")
        return
    columns, delimiter = found
    while (row := rows.read(len(columns), delimiter)) is not None:
        number, cells, notes = row
        if isinstance(cells, Flaw):
            yield cells
        elif len(cells) != len(columns):
            yield Flaw(
                "broken",
                f"line {number}: {len(cells)} cells where the header has {len(columns)}; "
                "is a quote not closed, or a delimiter not quoted?",
            )
        else:
            fields = fields_of(dict(zip(columns, cells, strict=True)))
            fields.notes += notes
            yield fields


class _UnclosedQuoteError(Exception):
    """A quoted cell goes on for too many lines."""


class _Rows:
    """The rows of a table; the lines that a stray quote swallowed are read again."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._lines = lines(chunks)
        self._again: deque[tuple[bytes, bool]] = deque()
        self._taken: list[tuple[bytes, bool]] = []
        self._size = 0
        self._notes: set[str] = set()
        self._patience = 100 * _MAX_LINES  # lines that may be read again, so that time is bounded
        self._number = 0

    def header(self) -> str | None:
        """Return the first line that is not blank, or None."""
        try:
            return next((line for line in self if line.strip()), None)
        except _UnclosedQuoteError:
            return ""

    def read(self, width: int, delimiter: str) -> tuple[int, list[str] | Flaw, list[str]] | None:
        """Return the next row: number of its first line, cells, notes; None at the end."""
        while True:
            self._taken, self._size, self._notes = [], 0, set()
            number = self._number + 1
            try:
                cells = next(csv.reader(self, delimiter=delimiter), None)
            except (csv.Error, _UnclosedQuoteError):
                cells = []
            if cells is None or not self._taken:
                return None
            raw, whole = self._taken[0]
            if not whole:
                flaw = Flaw("too-long", f"line {number}: more than {MAX_RECORD:,} bytes")
                self._give_back()
                return number, flaw, []
            if not raw.strip():
                self._give_back()
                continue
            self._patience += 2
            if len(cells) > width and not any(cells[width:]):
                cells = cells[:width]
            line = decode(raw)[0]
            if len(cells) != width or (len(self._taken) == 1 and not _quotes(line, delimiter)):
                alone = line.split(delimiter)
                if len(alone) == width or len(self._taken) > 1:
                    cells = alone
                    self._give_back()
            return number, cells, sorted(self._notes)

    def _give_back(self) -> None:
        swallowed = self._taken[1:]
        self._again.extendleft(reversed(swallowed))
        self._number -= len(swallowed)
        self._patience -= len(swallowed)

    def __iter__(self) -> _Rows:
        return self

    def __next__(self) -> str:
        limit = _MAX_LINES if self._patience > 0 else 1
        if self._taken and (len(self._taken) >= limit or self._size > MAX_RECORD):
            raise _UnclosedQuoteError
        raw, whole = self._again.popleft() if self._again else next(self._lines)
        self._taken.append((raw, whole))
        self._size += len(raw)
        self._number += 1
        if not whole:
            raise _UnclosedQuoteError
        text, note = decode(raw)
        self._notes |= {note} - {""}
        return text + "\n"


def _quotes(line: str, delimiter: str) -> bool:
    """Whether the quotes in ``line``, if there are any, all quote whole cells."""
    try:
        return '"' not in line or bool(next(csv.reader([line], delimiter=delimiter, strict=True)))
    except csv.Error:
        return False
