"""The graph as flat tables: plain rows, pandas data frames, CSV and TSV.

The tables are papers, entities, mentions, statements, evidence and results. They join on ``paper``
(a paper's id), ``statement`` (a statement's id), and ``entity``, ``subject``, ``object``,
``benchmark``, ``metric`` and ``baseline`` (keys of entities).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from kg.errors import InputError
from kg.graph import Graph
from kg.project.characters import carriable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "to_pandas", "to_tables", "write_rows", "write_table", "write_tables"]

Row = dict[str, Any]

_SPAN: Final = ("paper", "part", "start", "end")
_FOUND: Final = ("confidence", "extractor")

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "papers": ("id", "title", "date", "venue", "authors", "url", "doi", "text", "file", "position"),
    "entities": (
        *("key", "name", "type", "names", "introduced_in", "papers", "mentions"),
        *("confidence", "variant_of", "decisions"),
    ),
    "mentions": (*_SPAN, "surface", "type", "entity", *_FOUND),
    "statements": (
        *("id", "subject", "subject_name", "predicate", "object", "object_name"),
        *("papers", "asserted", "belief", "decision"),
    ),
    "evidence": ("id", "statement", *_SPAN, "sentence", "negated", "hedged", *_FOUND),
    "results": (
        *("id", *_SPAN, "sentence", "subject", "benchmark", "metric", "value", "unit"),
        *("baseline", "baseline_value", "delta", "direction", *_FOUND),
    ),
}
"""Table to its columns. ``authors``, ``names``, ``introduced_in`` and ``decisions`` are lists of
str; a figure that is not told is None."""


def to_tables(graph: Graph) -> dict[str, list[Row]]:
    """Return the rows of each table of :data:`COLUMNS`, in the order of the graph.

    Returns
    -------
    dict
        Table to its rows; a row maps every column of the table to a str, int, float, bool, list of
        str, or None.
    """
    return {name: list(rows(graph)) for name, rows in _ROWS.items()}


def to_pandas(graph: Graph) -> dict[str, pd.DataFrame]:
    """Return each table of :data:`COLUMNS` as a data frame.

    Raises
    ------
    InputError
        If pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise InputError(
            "pandas is not installed; pip install 'sotagraph[pandas]' installs it"
        ) from error
    return {
        name: pandas.DataFrame.from_records(list(rows(graph)), columns=list(COLUMNS[name]))
        for name, rows in _ROWS.items()
    }


def write_table(graph: Graph, name: str, out: BinaryIO, *, delimiter: str = ",") -> None:
    r"""Write one table in UTF-8, a header line first, quoted as :mod:`csv` reads it back.

    Parameters
    ----------
    graph : the assembled graph.
    name : one of :data:`COLUMNS`.
    out : a stream of bytes; it stays open.
    delimiter : ``","`` for CSV, ``"\t"`` for TSV.

    Raises
    ------
    InputError
        If there is no such table.
    """
    if name not in COLUMNS:
        raise InputError(f"no table {name!r}; give one of {', '.join(COLUMNS)}")
    write_rows(COLUMNS[name], _ROWS[name](graph), out, delimiter=delimiter)


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    out: BinaryIO,
    *,
    delimiter: str = ",",
) -> None:
    """Write ``rows`` as :func:`write_table` does, a header line first.

    Parameters
    ----------
    columns : the keys of every row that are written, in their order.
    out : a stream of bytes; it stays open.

    Notes
    -----
    A list is written as a JSON array, so that a name with any separator in it stays one name. None
    is an empty cell. A text goes out as it is but for the characters that UTF-8 or XML cannot
    carry, which become U+FFFD.
    """
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        # The csv module quotes a lone carriage return only if it is in the line terminator.
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(row[column]) for column in columns])
    finally:
        text.detach()


def write_tables(graph: Graph, folder: Path, format: str = "csv") -> list[Path]:
    """Write every table to ``folder``, as ``papers.csv`` and so on, and return the paths.

    Parameters
    ----------
    graph : the assembled graph.
    folder : is made if it is not there; files of the same names are replaced.
    format : ``csv`` or ``tsv``.

    Raises
    ------
    InputError
        If the format is neither.
    """
    delimiter = {"csv": ",", "tsv": "\t"}.get(format)
    if delimiter is None:
        raise InputError(f"unknown format of tables {format!r}; give csv or tsv")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{format}" for name in COLUMNS]
    for path in paths:
        with path.open("wb") as out:
            write_table(graph, path.stem, out, delimiter=delimiter)
    return paths


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(_carried(value), ensure_ascii=False)
    if isinstance(value, bool):
        return str(value).lower()
    return _carried(value)


def _carried(value: Any) -> Any:
    if isinstance(value, str):
        return carriable(value)
    if isinstance(value, list):
        return [_carried(v) for v in value]
    if isinstance(value, dict):
        return {_carried(name): _carried(v) for name, v in value.items()}
    return value


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def _papers(graph: Graph) -> Iterator[Row]:
    for p in graph.papers.values():
        yield {
            "id": p.id,
            "title": p.title,
            "date": p.date,
            "venue": p.venue,
            "authors": list(p.authors),
            "url": p.url,
            "doi": p.doi,
            "text": p.text,
            "file": p.source.file if p.source else "",
            "position": p.source.position if p.source else None,
        }


def _entities(graph: Graph) -> Iterator[Row]:
    papers: dict[str, int] = {}
    mentions: dict[str, int] = {}
    for (_, key), count in graph.mention_counts.items():
        papers[key] = papers.get(key, 0) + 1
        mentions[key] = mentions.get(key, 0) + count
    for e in graph.entities.values():
        yield {
            "key": e.key,
            "name": e.name,
            "type": e.type,
            "names": list(e.names),
            "introduced_in": list(e.introduced_in),
            "papers": papers.get(e.key, 0),
            "mentions": mentions.get(e.key, 0),
            "confidence": _number(e.confidence),
            "variant_of": e.variant_of,
            "decisions": list(e.decisions),
        }


def _mentions(graph: Graph) -> Iterator[Row]:
    for m in graph.mentions:
        row = {column: getattr(m, column) for column in COLUMNS["mentions"]}
        yield row | {"confidence": _number(m.confidence)}


def _statements(graph: Graph) -> Iterator[Row]:
    for s in graph.statements.values():
        yield {
            "id": s.id,
            "subject": s.subject,
            "subject_name": graph.name(s.subject),
            "predicate": s.predicate,
            "object": s.object,
            "object_name": graph.name(s.object),
            "papers": len(s.papers),
            "asserted": s.asserted,
            "belief": _number(s.belief),
            "decision": s.decision,
        }


def _evidence(graph: Graph) -> Iterator[Row]:
    for s in graph.statements.values():
        for e in s.evidence:
            row = {column: getattr(e, column, None) for column in COLUMNS["evidence"]}
            yield row | {
                "id": s.evidence_id(e),
                "statement": s.id,
                "confidence": _number(e.confidence),
            }


def _results(graph: Graph) -> Iterator[Row]:
    for r in graph.results.values():
        row = {column: getattr(r, column) for column in COLUMNS["results"]}
        yield row | {
            column: _number(row[column])
            for column in ("value", "baseline_value", "delta", "confidence")
        }


_ROWS: Final[dict[str, Callable[[Graph], Iterator[Row]]]] = {
    "papers": _papers,
    "entities": _entities,
    "mentions": _mentions,
    "statements": _statements,
    "evidence": _evidence,
    "results": _results,
}
