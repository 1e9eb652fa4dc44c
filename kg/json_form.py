"""Records as JSON objects, and back: what a record is, is told by its class alone."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final, TypeVar, get_args, get_origin

__all__ = ["from_json", "to_json"]

T = TypeVar("T")


def to_json(record: Any) -> dict[str, Any]:
    """Return ``record`` as a JSON object; fields that hold their default are left out.

    Floats are rounded to six decimals, so that equal records give equal bytes.
    """
    out: dict[str, Any] = {}
    for name, default, write in _writers(typing.cast(Any, type(record))):
        value = getattr(record, name)
        if value != default:
            written = write(value) if write is not None else value
            if written != default:
                out[name] = written
    return out


def from_json(cls: type[T], data: dict[str, Any]) -> T:
    """Return the record of class ``cls`` that :func:`to_json` gave as ``data``.

    Raises
    ------
    ValueError, TypeError
        If ``data`` is not such an object.
    """
    readers = _readers(typing.cast(Any, cls))
    if not data.keys() <= readers.keys():
        raise ValueError(f"{cls.__name__} has no {sorted(data.keys() - readers.keys())}")
    fields = {}
    for name, value in data.items():
        read = readers[name]
        fields[name] = value if read is None else read(value)
    return cls(**fields)


Convert = Callable[[Any], Any]
_NONE: Final = type(None)


@cache
def _writers(cls: Any) -> tuple[tuple[str, Any, Convert | None], ...]:
    """Return name, default and conversion to JSON (None: as it is) of each field of ``cls``."""
    hints = typing.get_type_hints(cls)
    return tuple((f.name, f.default, _writer(hints[f.name])) for f in dataclasses.fields(cls))


@cache
def _readers(cls: Any) -> dict[str, Convert | None]:
    """Return name and conversion from JSON (None: as it is) of each field of ``cls``."""
    return {name: _reader(hint) for name, hint in typing.get_type_hints(cls).items()}


def _writer(hint: Any) -> Convert | None:
    if (inner := _optional(hint)) is not None:
        return _unless_none(_writer(inner))
    if get_origin(hint) is tuple:
        kinds = [_writer(a) for a in get_args(hint) if a is not Ellipsis]
        return _sequence(list, kinds, Ellipsis in get_args(hint))
    if dataclasses.is_dataclass(hint):
        return to_json
    # An int stays one; what is neither, such as a number of numpy, becomes a float.
    return (lambda v: v if isinstance(v, int) else round(float(v), 6)) if hint is float else None


def _reader(hint: Any) -> Convert | None:
    if (inner := _optional(hint)) is not None:
        return _unless_none(_reader(inner))
    if get_origin(hint) is tuple:
        kinds = [_reader(a) for a in get_args(hint) if a is not Ellipsis]
        return _sequence(tuple, kinds, Ellipsis in get_args(hint))
    if dataclasses.is_dataclass(hint):
        return partial(from_json, typing.cast(Any, hint))
    return float if hint is float else None


def _optional(hint: Any) -> Any:
    """Return ``X`` if ``hint`` is ``X | None``, else None."""
    if get_origin(hint) not in (types.UnionType, typing.Union):
        return None
    return next(a for a in get_args(hint) if a is not _NONE)


def _unless_none(convert: Convert | None) -> Convert | None:
    return convert and (lambda v: None if v is None else convert(v))


def _sequence(make: Convert, kinds: list[Convert | None], repeated: bool) -> Convert:
    """Return the conversion of a tuple whose members are of ``kinds``, or all of the one kind."""
    if not any(kinds) and repeated:
        return make
    if repeated:
        (one,) = kinds
        return lambda v: make(map(typing.cast(Convert, one), v))
    return lambda v: make(
        member if kind is None else kind(member) for kind, member in zip(kinds, v, strict=True)
    )
