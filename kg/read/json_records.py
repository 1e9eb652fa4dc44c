"""Read JSON: lines, arrays, and the answers of services that wrap their records in an object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kg.read.field_names import ANSWERS, LISTS, simple
from kg.read.items import MAX_RECORD, Fields, Flaw
from kg.read.json_text import parse
from kg.read.mapping import expand, fields_of
from kg.read.streams import lines
from kg.read.text import decode

__all__ = ["read_json", "read_json_lines"]

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_OUTSIDE: Final = re.compile(rb'["{}\[\]]')
_INSIDE: Final = re.compile(rb'["\\]')
_SCALAR: Final = re.compile(rb"[,\]}\s]")


def read_json_lines(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield the record of each line; a broken line is a flaw and stops nothing."""
    for number, (raw, whole) in enumerate(lines(chunks), start=1):
        if not whole:
            yield Flaw("too-long", f"line {number}: more than {MAX_RECORD:,} bytes")
        elif raw.strip():
            yield from _records(raw, f"line {number}: ")


def read_json(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield the records of one or more JSON documents, without holding a document in memory.

    A record that is broken but keeps its brackets is a flaw, and the others are read.
    """
    scanner = _Scanner(chunks)
    while first := scanner.peek():
        if first in (b"{", b"["):
            yield from _value(scanner, 0)
        elif not scanner.take(b","):
            yield Flaw("broken", "broken JSON: an object or an array is expected")
            scanner.skip_line()


def _records(raw: bytes, where: str = "") -> Iterator[Fields | Flaw]:
    text, note = decode(raw)
    try:
        value, notes = parse(text)
    except ValueError as error:
        yield Flaw("broken", f"{where}broken JSON ({error})")
        return
    for record in expand(value):
        if record is None:
            yield Flaw("broken", f"{where}not a JSON object")
            continue
        item = fields_of(record)
        item.notes += [n for n in (note, *notes) if n]
        yield item


def _value(scanner: _Scanner, depth: int) -> Iterator[Fields | Flaw]:
    first = scanner.peek()
    if first == b"[":
        yield from _array(scanner)
    elif first == b"{" and depth < 4:
        yield from _object(scanner, depth)
    else:
        yield from _raw(scanner)


def _raw(scanner: _Scanner) -> Iterator[Fields | Flaw]:
    raw = scanner.value()
    if raw is None:
        yield Flaw("too-long", f"a record of more than {MAX_RECORD:,} bytes")
    elif not scanner.complete:
        yield Flaw("broken", "the file ends inside this record; fetch it again")
    elif not raw:
        yield Flaw("broken", "broken JSON: a value is expected")
        scanner.skip_line()
    else:
        yield from _records(raw)


def _array(scanner: _Scanner) -> Iterator[Fields | Flaw]:
    scanner.take(b"[")
    while (char := scanner.peek()) and char != b"]":
        if not scanner.take(b","):
            yield from _raw(scanner)
    if not scanner.take(b"]"):
        yield Flaw("broken", "the file ends inside an array; fetch it again")


def _object(scanner: _Scanner, depth: int) -> Iterator[Fields | Flaw]:
    """Yield the records of an object that wraps some, else of the object as a record."""
    scanner.take(b"{")
    members: list[bytes] = []
    size = 0
    wraps = too_long = False
    while (char := scanner.peek()) and char != b"}":
        if scanner.take(b","):
            continue
        key = scanner.value() if char == b'"' else None
        if key is None or not scanner.take(b":"):
            yield Flaw("broken", "broken JSON: a name in quotes and a colon are expected")
            scanner.skip_line()
            return
        name = simple(decode(key)[0])
        first = scanner.peek(2)
        if name in LISTS and first == b"[{":
            wraps = True
            yield from _array(scanner)
        elif name in ANSWERS and first[:1] == b"{":
            wraps = True
            yield from _value(scanner, depth + 1)
        else:
            value = scanner.value()
            size += len(key) + len(value or b"")
            too_long = too_long or value is None or size > MAX_RECORD
            if too_long or value is None:
                members = []
            else:
                members.append(key + b":" + value)
    if not scanner.take(b"}"):
        yield Flaw("broken", "the file ends inside this record; fetch it again")
    elif wraps:
        return
    elif too_long:
        yield Flaw("too-long", f"a record of more than {MAX_RECORD:,} bytes")
    else:
        yield from _records(b"{" + b",".join(members) + b"}")


class _Scanner:
    """Cuts a JSON text into the bytes of its values, from chunks, without parsing them."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._buffer = b""
        self._at = 0
        self.complete = True

    def _more(self) -> bool:
        chunk = next(self._chunks, b"")
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return bool(chunk)

    def peek(self, count: int = 1) -> bytes:
        """Return the next ``count`` bytes that are no white space; fewer at the end."""
        found = b""
        ahead = self._at
        while len(found) < count:
            match = _SPACE.match(self._buffer, ahead)
            ahead = match.end() if match else ahead
            if not found:
                self._at = ahead
            if ahead < len(self._buffer):
                found += self._buffer[ahead : ahead + 1]
                ahead += 1
                continue
            ahead -= self._at
            if not self._more():
                break
        return found

    def take(self, char: bytes) -> bool:
        """Pass over ``char`` if it comes next, and say whether it did."""
        if self.peek() != char:
            return False
        self._at += 1
        return True

    def skip_line(self) -> None:
        """Pass over the rest of the line."""
        while (end := self._buffer.find(b"\n", self._at)) < 0:
            self._at = len(self._buffer)
            if not self._more():
                return
        self._at = end + 1

    def value(self) -> bytes | None:
        """Return the bytes of the next value, or None if it is too long; it is passed over.

        What comes back is empty where no value starts, and not ``complete`` where the text ends.
        """
        pattern = _OUTSIDE if self.peek() in (b'"', b"{", b"[") else _SCALAR
        kept = bytearray()
        depth = 0
        at = self._at
        self.complete = True
        while True:
            match = pattern.search(self._buffer, at)
            if match is None:
                at = max(at - len(self._buffer), 0)  # 1 if the last byte escapes the next one
                self._keep(kept, len(self._buffer))
                if not self._more():
                    self.complete = pattern is _SCALAR
                    break
                continue
            at = match.end()
            char = match.group()
            if pattern is _SCALAR:
                self._keep(kept, match.start())
                break
            if char == b"\\":
                at += 1
                continue
            if char == b'"':
                pattern = _INSIDE if pattern is _OUTSIDE else _OUTSIDE
                closed = pattern is _OUTSIDE and depth == 0
            else:
                depth += 1 if char in b"{[" else -1
                closed = depth == 0
            if closed:
                self._keep(kept, at)
                break
        return bytes(kept) if len(kept) <= MAX_RECORD else None

    def _keep(self, kept: bytearray, end: int) -> None:
        if len(kept) <= MAX_RECORD:
            kept += self._buffer[self._at : end]
        self._at = end
