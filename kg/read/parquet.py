"""Read Parquet: the extractions that ``kg extract --engine ray`` wrote, and papers of others.

pyarrow (``pip install 'sotagraph[parquet]'``) is imported when a Parquet file is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import IO, Any, Final

from kg.errors import InputError
from kg.parquet import LAYOUT, item_of, metadata, require
from kg.read.field_names import TEXT, simple
from kg.read.items import Fields, Flaw, Kind, Read, Rejected
from kg.read.mapping import expand, fields_of
from kg.read.paper import finish
from kg.read.streams import Meter, UnusableError
from kg.records import Source

__all__ = ["read_parquet"]

_ROWS: Final = 256  # that are held in memory
_EDITED: Final = "not as kg extract wrote it; make it again, and let no other program write it"


def read_parquet(name: str, file: IO[bytes]) -> Iterator[Read | Rejected]:
    """Yield the items of a Parquet file.

    Of a file that :func:`kg.parquet.write` wrote, they are those that were written, with the
    source that they had, and with what was extracted. In any other file each row is a record, and
    the columns have the names of ``docs/formats.md``.

    Parameters
    ----------
    name : how to call the file.
    file : open for reading bytes.
    """
    position = 0
    try:
        pyarrow = require()
        told = metadata(file)
        if told and told.get("layout") != LAYOUT:
            reason = f"extractions of layout {told.get('layout')}, this sotagraph reads {LAYOUT}"
            yield _rejected(name, 0, "unsupported", f"{reason}: extract again, or upgrade")
            return
        with pyarrow.parquet.ParquetFile(file) as parquet:
            _measure(parquet.metadata)
            # Half a file would take away what the other half gave: the ledger replaces whole files.
            if told and told.get("rows") != str(parquet.metadata.num_rows):
                yield _rejected(name, 0, "broken", _EDITED)
                return
            items = _own(parquet, name) if told else _papers(pyarrow, parquet, name)
            for item in items:
                position += 1
                yield item
    except InputError as error:
        yield _rejected(name, 0, "unsupported", str(error))
    except UnusableError as error:
        yield _rejected(name, 0, error.kind, str(error))
    except (OSError, ValueError) as error:  # all errors of pyarrow are one of these
        why = " ".join(str(error).split())[:200]
        at = position and position + 1
        yield _rejected(name, at, "truncated", f"damaged Parquet ({why}); fetch or make it again")
    else:
        if position == 0:
            yield _rejected(name, 0, "empty-file", "there is no record in it")


def _measure(about: Any) -> None:
    """Refuse a file that unpacks to far more than papers would."""
    for number in range(about.num_row_groups):
        group = about.row_group(number)
        chunks = [group.column(n) for n in range(group.num_columns)]
        meter = Meter(sum(c.total_compressed_size for c in chunks))
        meter.produced(sum(c.total_uncompressed_size for c in chunks))


def _rows(parquet: Any, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    for group in range(parquet.metadata.num_row_groups):
        for batch in parquet.iter_batches(_ROWS, row_groups=[group], columns=columns):
            yield from batch.to_pylist()


def _own(parquet: Any, name: str) -> Iterator[Read | Rejected]:
    for number, row in enumerate(_rows(parquet), 1):
        try:
            yield item_of(row)
        except (ValueError, TypeError, KeyError) as error:
            why = " ".join(str(error).split())[:200]
            yield _rejected(name, number, "broken", f"{_EDITED} ({why})")


def _papers(pyarrow: Any, parquet: Any, name: str) -> Iterator[Read | Rejected]:
    columns = [f.name for f in parquet.schema_arrow if _useful(pyarrow.types, f.type)]
    if {simple(c) for c in columns}.isdisjoint((*TEXT, "abstractinvertedindex")):
        wanted = "no column is called abstract (or summary, text): rename it"
        yield _rejected(name, 1, "no-text", wanted)
        return
    position = 0
    for row in _rows(parquet, columns):
        for record in expand(_plain(row)):
            position += 1
            item: Fields | Flaw = Flaw("broken", "no record of a paper")
            if record is not None:
                item = fields_of(record)
            yield finish(item, Source(name, position))


def _useful(types: Any, kind: Any) -> bool:
    """Return whether a column can tell something of a paper: no vectors, no binary data."""
    if types.is_list(kind) or types.is_large_list(kind):
        return not types.is_floating(kind.value_type) and _useful(types, kind.value_type)
    return not (types.is_binary(kind) or types.is_large_binary(kind) or types.is_map(kind))


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, date):  # and datetime
        return value.isoformat()
    return value if isinstance(value, str | bool | int | float) else None


def _rejected(name: str, position: int, kind: Kind, reason: str) -> Rejected:
    return Rejected(Source(name, position), reason, kind)
