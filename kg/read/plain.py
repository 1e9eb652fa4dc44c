"""Read plain-text collections: a title line, then abstracts separated by blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kg.read.items import MAX_ABSTRACT, Fields, Flaw
from kg.read.streams import lines
from kg.read.text import decode

__all__ = ["is_title", "read_text"]

_MAX_TITLE: Final = 150
_MAX_BYTES: Final = 4 * MAX_ABSTRACT
_END: Final = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")


def is_title(line: str) -> bool:
    """Return whether the first line of a collection is its title: short, and not a sentence.

    >>> is_title("ACL 2025 Papers"), is_title("We study parsing.")
    (True, False)
    """
    line = line.strip()
    return 0 < len(line) <= _MAX_TITLE and _END.search(line) is None


def read_text(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield each block of lines between blank lines as an abstract.

    The first block is the collection's title, and is passed over, if it is a single line that
    :func:`is_title` and another block follows. A title without a blank line below it is
    recognised, too, if the line after it is at least four times as long.
    """
    first: _Block | None = None
    for number, block in enumerate(_blocks(chunks)):
        if number == 0:
            first = block
            continue
        if first is not None:
            if not (len(first.lines) == 1 and is_title(first.lines[0])):
                yield first.item()
            first = None
        yield block.item()
    if first is not None:
        yield first.item()


class _Block:
    """The lines of one abstract, the number of the first of them, and what was repaired."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lines: list[str] = []
        self.size = 0
        self.notes: set[str] = set()

    def add(self, raw: bytes) -> None:
        self.size += len(raw) + 1
        if self.size <= _MAX_BYTES:
            text, note = decode(raw)
            self.lines.append(text)
            self.notes |= {note} - {""}

    def item(self) -> Fields | Flaw:
        if self.size > _MAX_BYTES:
            return Flaw(
                "too-long",
                f"line {self.number}: an abstract of more than {MAX_ABSTRACT:,} characters; "
                "are there blank lines between the abstracts?",
            )
        return Fields(text="\n".join(self.lines), notes=sorted(self.notes), has_text=True)


def _blocks(chunks: Iterable[bytes]) -> Iterator[_Block]:
    block: _Block | None = None
    first = True
    for number, (raw, _) in enumerate(lines(chunks, _MAX_BYTES), start=1):
        if not raw.strip() or not decode(raw)[0].strip():
            if block is not None:
                yield block
                first = False
            block = None
            continue
        if block is None:
            block = _Block(number)
        elif first and len(raw) >= max(300, 4 * block.size) and is_title(block.lines[0]):
            yield block
            first = False
            block = _Block(number)
        block.add(raw)
    if block is not None:
        yield block
