"""Read RIS: lines of a two-letter tag and a value, records ended by ``ER``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kg.read.identity import person
from kg.read.items import MAX_RECORD, Fields, Flaw
from kg.read.streams import lines
from kg.read.text import decode

__all__ = ["TAG", "read_ris"]

TAG: Final = re.compile(rb"([A-Z][A-Z0-9])  ?-(?: (.*)|\s*)$", re.DOTALL)
"""A line with a tag."""

_IDS: Final = ("AN", "C7", "M1", "M3", "DO", "UR", "L1", "L2", "LK", "ID")


def read_ris(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield each record; one without its start or its end counts, too.

    A line without a tag goes on with the value before it. Such lines before a record are passed
    over, as the heads that services put there are.
    """
    values: dict[str, list[list[str]]] = {}
    notes: set[str] = set()
    last, size, start = "", 0, 0
    for number, (raw, whole) in enumerate(lines(chunks), start=1):
        size += 0 if whole else MAX_RECORD
        match = TAG.match(raw)
        if match is None:
            if last and raw.strip():
                text, note = decode(raw.strip())
                size += len(raw)
                if size <= MAX_RECORD:
                    values[last][-1].append(text)
                    notes |= {note} - {""}
            continue
        tag = match[1].decode()
        if tag in ("TY", "ER"):
            if start:
                yield _item(values, notes, size, start)
            values, notes, last, size, start = {}, set(), "", 0, number if tag == "TY" else 0
        else:
            if not start:
                start = number
                notes.add("its first line, TY, is missing")
            text, note = decode((match[2] or b"").strip())
            size += len(raw)
            if size <= MAX_RECORD:
                values.setdefault(tag, []).append([text])
                notes |= {note} - {""}
                last = tag
    if start:
        yield _item(values, notes, size, start)


def _item(
    record: dict[str, list[list[str]]], notes: set[str], size: int, start: int
) -> Fields | Flaw:
    if size > MAX_RECORD:
        return Flaw("too-long", f"line {start}: a record of more than {MAX_RECORD:,} bytes")

    def every(*tags: str) -> list[str]:
        joined = ("\n".join(v) for tag in tags for v in record.get(tag, []))
        return [v for v in joined if v.strip()]

    def first(*tags: str) -> str:
        return next(iter(every(*tags)), "")

    return Fields(
        text=first("AB", "N2"),
        title=first("TI", "T1", "CT"),
        venue=first("T2", "JO", "JF", "JA", "BT", "C3"),
        url=first("UR", "LK"),
        doi=first("DO"),
        ids=every(*_IDS),
        dates=[v.strip("/") for v in every("DA", "PY", "Y1")],
        authors=[person(v) for v in every("AU", "A1")],
        notes=sorted(notes),
        has_text=True,
    )
