"""Read annotated papers: JSON lines in the form of the gold files, checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.evaluate.score import Document
from kg.schema import ENTITY_TYPES, PREDICATES

__all__ = ["read_documents"]


def read_documents(path: str | Path) -> list[Document]:
    """Return the papers in the file ``path``, in its order.

    Each line is an object with ``id`` and ``entities``, and may have ``text``, ``relations`` and
    ``results``: what ``kg extract`` prints. A mention may also be a string.

    Raises
    ------
    InputError
        If the file cannot be read, a line is not of this form, or an id stands twice.
    """
    found: dict[str, Document] = {}
    try:
        for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
            if not line.strip():
                continue
            document, problem = _parsed(line)
            if not problem and document["id"] in found:
                problem = f"the id {document['id']!r} stands twice"
            if problem:
                raise InputError(f"{path}:{number}: not an annotated paper: {problem}")
            found[document["id"]] = document
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return list(found.values())


def _parsed(line: bytes) -> tuple[Any, str]:
    try:
        document = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None, "no JSON in UTF-8"
    return document, next(_problems(document), "")


def _problems(document: Any) -> Iterator[str]:
    if not isinstance(document, dict):
        yield "an object is expected, with `id`, `text`, `entities`, `relations`, `results`"
        return
    if not isinstance(document.get("id"), str):
        yield "`id` is to be a text"
    if not isinstance(document.get("text") or "", str):
        yield "`text` is to be a text"
    members = {"entities": _entity, "relations": _relation, "results": _result}
    for name, problem in members.items():
        listed = document.get(name, None if name == "entities" else [])
        if not isinstance(listed, list):
            yield f"`{name}` is to be a list"
            return
        for number, member in enumerate(listed, 1):
            said = problem(member) if isinstance(member, dict) else "an object is expected"
            if said:
                yield f"{name}, number {number}: {said}"


def _entity(entity: dict[str, Any]) -> str:
    if not isinstance(entity.get("name"), str):
        return "`name` is to be a text"
    if entity.get("type") not in ENTITY_TYPES:
        return f"`type` is one of {', '.join(ENTITY_TYPES)}"
    mentions = entity.get("mentions")
    if not isinstance(mentions, list) or not all(map(_is_mention, mentions)):
        return "`mentions` is to be a list of texts, or of objects with `start`, `end`, `text`"
    return ""


def _is_mention(mention: Any) -> bool:
    if not isinstance(mention, dict):
        return isinstance(mention, str)
    offsets = mention.get("start"), mention.get("end")
    return all(isinstance(n, int) for n in offsets) and isinstance(mention.get("text"), str)


def _relation(relation: dict[str, Any]) -> str:
    if relation.get("type") not in PREDICATES:
        return f"`type` is one of {', '.join(PREDICATES)}"
    if not all(isinstance(relation.get(end), str) for end in ("head", "tail")):
        return "`head` and `tail` are to be names of entities"
    return ""


def _result(result: dict[str, Any]) -> str:
    for name in ("head", "benchmark", "metric"):
        if not isinstance(result.get(name) or "", str):
            return f"`{name}` is to be the name of an entity"
    for name in ("value", "delta"):
        if not isinstance(result.get(name) or 0, int | float):
            return f"`{name}` is to be a number"
    return ""
