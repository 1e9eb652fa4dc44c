"""Extractions as Parquet, and back: one row a record of the input, nothing lost.

A row is a paper with what was read, repaired and extracted, or a record that gave no paper with the
reason. :func:`columns` tells the columns; they are those of the records (:mod:`kg.records`). The
rows of one input file stand together, in order. ``docs/scale.md`` shows how to use the files.

pyarrow (``pip install 'sotagraph[parquet]'``) is imported where it is used.
"""

from __future__ import annotations

import dataclasses
import os
import types
import typing
import uuid
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from kg.errors import InputError
from kg.json_form import from_json
from kg.read.items import Read, Rejected
from kg.records import Evidence, Extraction, Mention, Paper, Result, Source

if TYPE_CHECKING:
    import pyarrow

__all__ = ["LAYOUT", "columns", "item_of", "metadata", "rejections", "require", "write"]

LAYOUT: Final = "1"
"""Version of the columns."""

_PREFIX: Final = "sotagraph."
_GROUP: Final = 1024  # rows that are held in memory, and written as one row group


def require() -> Any:
    """Return pyarrow.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "Parquet needs pyarrow, which is not installed: pip install 'sotagraph[parquet]'"
        ) from None
    return pyarrow


@cache
def columns() -> pyarrow.Schema:
    """Return the columns.

    =============== ============================================================================
    file, position  the source of the record: file, and 1-based number in it (0: the whole file)
    id … doi        the fields of :class:`kg.records.Paper`; null if there is no paper
    notes           repairs of the reader, and ``withdrawn``
    problem, reason why there is no paper (:data:`kg.read.Kind`, and in words); else null
    extractor       version of what extracted it; null if nothing did
    entities … warnings
                    the fields of :class:`kg.records.Extraction`; lists, empty if there are none
    =============== ============================================================================

    Raises
    ------
    InputError
        If pyarrow is not installed.
    """
    pa = require()
    text = pa.string()
    paper, found = (_fields(pa, cls) for cls in (Paper, Extraction))
    return pa.schema(
        [
            pa.field("file", text, nullable=False),
            pa.field("position", pa.int64(), nullable=False),
            *(f for f in paper if f.name != "source"),
            pa.field("notes", pa.list_(text)),
            pa.field("problem", text),
            pa.field("reason", text),
            pa.field("extractor", text),
            *(f for f in found if f.name != "paper"),
        ]
    )


def write(path: Path, items: Iterable[Read | Rejected], about: Mapping[str, str]) -> None:
    """Write ``items`` to ``path``: whole, or not at all. Memory does not grow with their number.

    Parameters
    ----------
    path : the file; one that is there is replaced.
    items : those of one input file stand together, in order.
    about : told again by :func:`metadata`.

    Raises
    ------
    InputError
        If pyarrow is not installed.
    """
    pa = require()
    told = {"layout": LAYOUT, **about}
    schema = columns().with_metadata({_PREFIX + name: value for name, value in told.items()})
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")  # hidden: kg does not read it
    try:
        with pa.parquet.ParquetWriter(part, schema, compression="zstd") as writer:
            stream, rows = iter(items), 0
            while group := [_row(item) for item in islice(stream, _GROUP)]:
                writer.write_table(pa.Table.from_pylist(group, schema))
                rows += len(group)
            writer.add_key_value_metadata({_PREFIX + "rows": str(rows)})
        os.replace(part, path)  # noqa: PTH105
    finally:
        part.unlink(missing_ok=True)


def metadata(file: IO[bytes] | Path) -> dict[str, str]:
    """Return what :func:`write` was told about a file, its ``layout``, and the number of ``rows``.

    It is empty if another program wrote the file.

    Raises
    ------
    InputError
        If pyarrow is not installed.
    ValueError, OSError
        If it is no Parquet file, or cannot be read.
    """
    found = require().parquet.read_metadata(file).metadata or {}
    return {
        name.decode()[len(_PREFIX) :]: value.decode()
        for name, value in found.items()
        if name.startswith(_PREFIX.encode())
    }


def rejections(path: Path) -> Iterator[Rejected | None]:
    """Yield for each row of a file why there is no paper, or None if there is one."""
    with require().parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=["file", "position", "problem", "reason"]):
            for where, position, problem, reason in zip(*batch.to_pydict().values(), strict=True):
                rejected = Rejected(Source(where, position), reason, problem)
                yield rejected if problem is not None else None


def item_of(row: Mapping[str, Any]) -> Read | Rejected:
    """Return the item that was written as ``row``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If there is none, or an offset does not fit the text.
    """
    source = Source(row["file"], row["position"])
    if row["problem"] is not None:
        return Rejected(source, row["reason"], row["problem"])
    told = {name: row[name] for name in _names(Paper) if name != "source"}
    paper = dataclasses.replace(from_json(Paper, told), source=source)
    notes = tuple(row["notes"])
    if row["extractor"] is None:
        return Read(paper, notes)
    told = {name: row[name] for name in _names(Extraction) if name != "paper"}
    extraction = from_json(Extraction, {"paper": paper.id, **told})
    _check(paper, extraction)
    return Read(paper, notes, extraction, row["extractor"])


def _check(paper: Paper, found: Extraction) -> None:
    spans: list[tuple[Mention | Evidence | Result, str]] = []
    spans += [(m, m.surface) for m in found.mentions]
    spans += [(e, e.sentence) for s in found.statements for e in s.evidence]
    spans += [(r, r.sentence) for r in found.results]
    for span, text in spans:
        if span.paper != paper.id or paper.part(span.part)[span.start : span.end] != text:
            raise ValueError(f"{span.part} {span.start}:{span.end} of {span.paper} is not {text!r}")


def _row(item: Read | Rejected) -> dict[str, Any]:
    if isinstance(item, Rejected):
        source = item.source
        row: dict[str, Any] = {"problem": item.kind, "reason": item.reason}
    else:
        source = item.paper.source or Source("-", 0)
        row = {**_plain(item.extraction or Extraction(item.paper.id)), **_plain(item.paper)}
        row["notes"] = item.notes
        row["extractor"] = item.extractor if item.extraction is not None else None
    return {**row, "file": source.file, "position": source.position}


def _plain(record: Any) -> dict[str, Any]:
    """Return a record, and the records in it, as dicts that have every field."""
    cls: Any = type(record)
    return {name: _value(getattr(record, name)) for name in _names(cls)}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_value, value))
    return _plain(value) if dataclasses.is_dataclass(value) else value


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls))


def _fields(pa: Any, cls: Any) -> Iterator[Any]:
    for name, hint in typing.get_type_hints(cls).items():
        yield pa.field(name, _type(pa, hint))


def _type(pa: Any, hint: Any) -> Any:
    """Return the type of the column that holds values of the type ``hint``."""
    simple = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in simple:
        return simple[hint]
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return pa.string()
    if get_origin(hint) in (types.UnionType, typing.Union):
        return _type(pa, next(a for a in arguments if a is not types.NoneType))
    if get_origin(hint) is tuple:
        inner = get_args(arguments[0])
        if get_origin(arguments[0]) is tuple:
            return pa.map_(*(_type(pa, a) for a in inner))
        return pa.list_(_type(pa, arguments[0]))
    return pa.struct(list(_fields(pa, hint)))
