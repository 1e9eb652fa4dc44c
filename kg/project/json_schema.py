"""JSON Schemas: of the records that ``kg export jsonl`` writes, and of ``kg extract``'s lines."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any, Final, Literal, get_args, get_origin

from kg.records import Entity, Evidence, Mention, Paper, Result, Source, Statement
from kg.schema import ENTITY_TYPES, PAPER, PREDICATES

__all__ = ["extraction_schema", "records_schema"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_IDS: Final = "https://w3id.org/sotagraph/schemas/"
_COMMENT: Final = "Generated from kg/schema.py and kg/records.py by python -m kg.generate."
_RECORDS: Final = (Paper, Entity, Mention, Statement, Result)
_PARTS: Final = (Source, Evidence)

_PROBABILITY: Final = {"type": "number", "minimum": 0, "maximum": 1}
_TEXT: Final = {"type": "string", "minLength": 1}
_OFFSET: Final = {"type": "integer", "minimum": 0}
_END: Final = {"type": "integer", "minimum": 1}
_UNIT: Final = ("%", "x", "points", "pp")
_DIRECTION: Final = ("up", "down")

_NARROWER: Final[dict[tuple[type, str], dict[str, Any]]] = {
    (Paper, "id"): _TEXT,
    (Paper, "date"): {"type": "string", "pattern": "^$|^[0-9]{4}(-[0-9]{2}){0,2}$"},
    (Entity, "key"): _TEXT,
    (Entity, "name"): _TEXT,
    (Entity, "type"): {"enum": list(ENTITY_TYPES)},
    (Mention, "type"): {"enum": list(ENTITY_TYPES)},
    (Mention, "surface"): _TEXT,
    (Statement, "predicate"): {"enum": list(PREDICATES)},
    (Statement, "belief"): _PROBABILITY,
    (Evidence, "sentence"): _TEXT,
    (Result, "sentence"): _TEXT,
    (Result, "unit"): {"enum": list(_UNIT)},
    (Result, "direction"): {"enum": list(_DIRECTION)},
    **{(c, "confidence"): _PROBABILITY for c in (Entity, Mention, Evidence, Result)},
    **{(c, "start"): _OFFSET for c in (Mention, Evidence, Result)},
    **{(c, "end"): _END for c in (Mention, Evidence, Result)},
}
"""What a field's type does not say."""


def records_schema() -> dict[str, Any]:
    """Return the schema of one line of ``kg export jsonl``: a record and which kind it is."""
    return {
        "$schema": _DIALECT,
        "$id": _IDS + "records.schema.json",
        "$comment": _COMMENT,
        "title": "A record of a sotagraph graph",
        "type": "object",
        "required": ["record"],
        "oneOf": [{"$ref": f"#/$defs/{c.__name__}"} for c in _RECORDS],
        "$defs": {c.__name__: _object(c) for c in (*_RECORDS, *_PARTS)},
    }


def _object(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    properties: dict[str, Any] = {}
    required = []
    if cls in _RECORDS:
        properties["record"] = {"const": cls.__name__.lower()}
        required.append("record")
    for field in dataclasses.fields(cls):
        properties[field.name] = _NARROWER.get((cls, field.name)) or _type(hints[field.name])
        if field.default is dataclasses.MISSING:
            required.append(field.name)
    out: dict[str, Any] = {
        "title": cls.__name__,
        "description": (cls.__doc__ or "").partition("\n")[0].replace("``", ""),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    if cls is Statement:
        properties["evidence"]["minItems"] = 1
        required.append("evidence")
    if cls is Result:
        out["anyOf"] = [{"required": [f]} for f in ("value", "baseline_value", "delta")]
    return out


def _type(hint: Any) -> dict[str, Any]:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(args)}
    if origin is types.UnionType:
        return _type(next(a for a in args if a is not type(None)))
    if origin is tuple and args[1:] == (Ellipsis,):
        return {"type": "array", "items": _type(args[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_type(a) for a in args], "items": False}
    if dataclasses.is_dataclass(hint):
        return {"$ref": f"#/$defs/{typing.cast(type, hint).__name__}"}
    return {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[hint]}


def extraction_schema() -> dict[str, Any]:
    """Return the schema of one line of ``kg extract`` and of a gold file: what one paper yields.

    Entities are known by the name that they have in that paper. Offsets count the characters of
    ``text``. The paper's source may add fields of its own beside ``id`` and ``text``.
    """
    name_or_null = {"type": ["string", "null"], "minLength": 1}
    number_or_null = {"type": ["number", "null"]}
    span = _closed({"start": _OFFSET, "end": _END})
    mention = _closed({"start": _OFFSET, "end": _END, "text": _TEXT})
    entity = _closed(
        {
            "name": _TEXT,
            "type": {"enum": list(ENTITY_TYPES)},
            "introduced": {"type": "boolean"},
            "mentions": {"type": "array", "items": mention, "minItems": 1},
        }
    )
    relation = _closed(
        {
            "head": _TEXT | {"description": f"An entity's name, or {PAPER}."},
            "type": {"enum": list(PREDICATES)},
            "tail": _TEXT,
            "evidence": span,
        }
    )
    result = _closed(
        {
            "head": name_or_null,
            "benchmark": name_or_null,
            "metric": name_or_null,
            "value": number_or_null,
            "unit": {"enum": [*_UNIT, None]},
            "baseline": name_or_null,
            "baseline_value": number_or_null,
            "delta": number_or_null,
            "direction": {"enum": [*_DIRECTION, None]},
            "evidence": span,
        }
    )
    out = _closed(
        {
            "id": _TEXT,
            "text": {"type": "string"},
            "entities": {"type": "array", "items": entity},
            "relations": {"type": "array", "items": relation},
            "results": {"type": "array", "items": result},
        }
    )
    return {
        "$schema": _DIALECT,
        "$id": _IDS + "extract.schema.json",
        "$comment": _COMMENT,
        "title": "What the text of one paper yields",
        **out,
        "additionalProperties": True,
    }


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
