"""The whole graph as JSON lines, and back: one record a line, sorted, nothing lost.

Each line is the JSON object of a record (:func:`kg.json_form.to_json`), the kind of record first:
``{"record": "paper", "id": …}``. ``schemas/records.schema.json`` describes it. A lone surrogate is
written as an escape, so that every text comes back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, BinaryIO, Final

from kg.errors import InputError
from kg.graph import Graph
from kg.json_form import from_json, to_json
from kg.records import Entity, Mention, Paper, Result, Statement

__all__ = ["read_json", "write_json"]

_KINDS: Final[dict[str, type]] = {
    "paper": Paper,
    "entity": Entity,
    "mention": Mention,
    "statement": Statement,
    "result": Result,
}


def write_json(graph: Graph, out: BinaryIO) -> None:
    """Write every record of ``graph`` as a line of JSON in UTF-8.

    Papers come first, then entities, mentions, statements with their evidence, and results, each in
    the order of the graph; equal graphs give equal bytes.
    """
    records: tuple[tuple[str, Iterable[Any]], ...] = (
        ("paper", graph.papers.values()),
        ("entity", graph.entities.values()),
        ("mention", graph.mentions),
        ("statement", graph.statements.values()),
        ("result", graph.results.values()),
    )
    for kind, members in records:
        for record in members:
            out.write(_line({"record": kind, **to_json(record)}))


def _line(data: dict[str, Any]) -> bytes:
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def read_json(lines: Iterable[bytes]) -> Graph:
    """Return the graph that :func:`write_json` wrote; empty lines are passed over.

    Parameters
    ----------
    lines : the lines, such as a file that is open for reading bytes.

    Raises
    ------
    InputError
        If a line is no record of a graph; the message gives its number and what is wrong.
    """
    found: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            kind = data.pop("record")
            found[kind].append(from_json(_KINDS[kind], data))
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise InputError(
                f"line {number} is no record of a graph ({type(error).__name__}: {error}); "
                "write the file anew with kg export jsonl"
            ) from error
    return Graph(*found.values())
