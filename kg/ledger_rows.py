"""Rows of the ledger: how records and outcomes are written into its tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kg.json_form import to_json
from kg.read.items import Read, Rejected
from kg.records import Extraction, Paper, Source, content_id, digest

__all__ = ["extraction_row", "outcome_of", "record_row", "settled", "source_of"]


def source_of(item: Read | Rejected) -> Source:
    """Return where ``item`` was read."""
    if isinstance(item, Rejected):
        return item.source
    return item.paper.source or Source("-", 0)


def record_row(item: Read | Rejected) -> tuple[Any, ...]:
    """Return the row of table ``record`` for ``item``."""
    source = source_of(item)
    place = source.file, source.position
    if isinstance(item, Rejected):
        outcome = "empty" if item.kind == "empty" else "rejected"
        return (*place, outcome, item.reason, "[]", False, None, None, None, None, None)
    notes = json.dumps(item.notes, ensure_ascii=False)
    paper, text = item.paper, _dump(item.paper)
    known = paper.id, content_id(paper.text), _input_digest(paper), digest(text), text
    return (*place, "read", "", notes, item.withdrawn, *known)


def extraction_row(paper: Paper, x: Extraction, extractor: str, build: int) -> tuple[Any, ...]:
    """Return the row of table ``extraction`` for ``x``."""
    text = _dump(x)
    return paper.id, _input_digest(paper), extractor, build, x.empty, digest(text), text


def settled(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """Yield each row (file, position, paper, content, …) with its outcome and the reason."""
    by_id: dict[str, tuple[Any, ...]] = {}
    by_content: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        file, position, paper, content, *_ = row
        first = by_id.get(paper) or by_content.get(content)
        if first is None:
            by_id[paper] = by_content[content] = file, position, content
            yield row, "read", ""
        else:
            same = "same text" if first[2] == content else "same id, another text,"
            yield row, "duplicate", f"{same} as {first[0]}:{first[1]}"


def outcome_of(empty: bool) -> tuple[str, str]:
    """Return the outcome of an extracted record, and the reason."""
    return ("empty", "nothing was found in it") if empty else ("extracted", "")


def _input_digest(paper: Paper) -> str:
    """Return the digest of what extraction sees of ``paper``: its id, title and text."""
    return digest(paper.id, paper.title, paper.text)


def _dump(record: Any) -> str:
    return json.dumps(to_json(record), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
