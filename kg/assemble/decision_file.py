"""The decision file: read it, and say where it is wrong. See :mod:`kg.assemble.decisions`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from kg.assemble.decisions import FILE, NONE, VERBS, Decision, Decisions
from kg.assemble.nodes import claim_of, is_id, node_of
from kg.errors import InputError
from kg.schema import ENTITY_TYPES

__all__ = ["entries", "read_decisions"]

_FIELDS: Final = frozenset({*VERBS, "to", "as", "papers", "why", "by", "review", "about", "seen"})
_TAKES: Final[dict[str, frozenset[str]]] = {
    "split": frozenset({"papers", "as"}),
    "retype": frozenset({"to"}),
    "rename": frozenset({"to"}),
}


def read_decisions(path: Path) -> Decisions:
    """Return the decisions in the file ``path``; none if there is no such file.

    Raises
    ------
    InputError
        If the file is not as this module describes; the message has the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return NONE
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"cannot read {path}: {reason}") from error
    return Decisions(
        (d for _, d in entries(text, str(path)) if isinstance(d, Decision)), str(path)
    )  # fmt: skip


def entries(text: str, source: str = FILE) -> list[tuple[dict[str, Any], Decision | None]]:
    """Return the entries of a decision file as plain values, each with its decision if it has one.

    Raises
    ------
    InputError
        If ``text`` is no such file.
    """
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{source}:{line}: no YAML: a character that may not stand there "
            f"(U+{ord(text[error.position]):04X}); remove it"
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source}:{mark.line + 1}" if mark else source
        problem = getattr(error, "problem", None) or "nested too deeply"
        raise InputError(f"{where}: no YAML: {problem}") from error
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise InputError(f"{source}:1: a list of decisions is expected, each beginning with `- `")
    out = []
    for item in root.value:
        fields = _fields(item, source)
        out.append((fields, _decision(fields, source, item.start_mark.line + 1)))
    return out


def _fields(item: yaml.Node, source: str) -> dict[str, Any]:
    """Return the fields of an entry: each a text, or a list of texts."""
    where = f"{source}:{item.start_mark.line + 1}"
    if not isinstance(item, yaml.MappingNode):
        raise InputError(f"{where}: a decision is `verb: …`, with one of {', '.join(VERBS)}")
    fields: dict[str, Any] = {}
    for key, value in item.value:
        line = f"{source}:{key.start_mark.line + 1}"
        if not isinstance(key, yaml.ScalarNode) or key.value not in _FIELDS:
            name = getattr(key, "value", "…")
            known = ", ".join(sorted(_FIELDS))
            raise InputError(f"{line}: unknown field {name!r}; known are {known}")
        if key.value in fields:
            raise InputError(f"{line}: `{key.value}` stands twice in one decision")
        if isinstance(value, yaml.ScalarNode):
            fields[key.value] = value.value.strip()
        elif isinstance(value, yaml.SequenceNode) and all(
            isinstance(v, yaml.ScalarNode) for v in value.value
        ):
            fields[key.value] = [v.value.strip() for v in value.value]
        else:
            raise InputError(f"{line}: `{key.value}` takes a text or a list of texts")
    return fields


def _decision(fields: dict[str, Any], source: str, line: int) -> Decision | None:
    verbs = [v for v in VERBS if v in fields]
    where = f"{source}:{line}"
    if not verbs and "review" in fields:
        return None
    if len(verbs) != 1:
        said = " and ".join(verbs) or "none"
        raise InputError(f"{where}: a decision has one of {', '.join(VERBS)}; this has {said}")
    (verb,) = verbs
    about = fields[verb] if isinstance(fields[verb], list) else [fields[verb]]
    odd = (fields.keys() & {"to", "as", "papers"}) - _TAKES.get(verb, frozenset())
    if odd:
        raise InputError(f"{where}: `{verb}` takes no {', '.join(sorted(odd))}")
    papers = fields.get("papers", [])
    papers = papers if isinstance(papers, list) else [papers]
    to = fields.get("to", fields.get("as", ""))
    if not isinstance(to, str):
        raise InputError(f"{where}: `to` and `as` take one text")
    d = Decision(
        verb,
        tuple(about),
        to,
        tuple(sorted(set(papers))),
        str(fields.get("why", "")),
        str(fields.get("by", "")),
        line,
    )
    if problem := _problem(d, fields):
        raise InputError(f"{where}: {d}: {problem}")
    return d


def _problem(d: Decision, fields: Mapping[str, Any]) -> str:
    """Return what is wrong with one decision by itself, or ""."""
    several = d.verb == "merge" or (d.verb == "split" and not d.papers)
    try:
        alike = several and len({node_of(key) for key in d.about}) < 2
    except ValueError as error:
        return str(error)
    if alike:
        return f"`{d.verb}` takes a list of two or more keys" + (
            ", or, for one spelling, one key with `papers` and `as`" if d.verb == "split" else ""
        )
    if not several and len(d.about) != 1:
        return f"`{d.verb}` takes one"
    if bool(d.papers) != ("as" in fields):
        return "`papers` and `as` go together"
    if d.verb in ("retype", "rename") and not d.to:
        return "say `to:` what"
    if d.verb == "retype" and d.to not in ENTITY_TYPES:
        return f"no type {d.to!r}; the types are {', '.join(ENTITY_TYPES)}"
    if "as" in fields and not d.to:
        return "`as` takes a name"
    try:
        for what in d.about:
            if d.verb in ("reject", "accept"):
                if claim_of(what) or is_id(what):
                    continue
                if d.verb == "accept":
                    return "accept takes a statement: `subject predicate object`, or its id"
                if re.fullmatch(r"result/[0-9a-f]{16}", what):
                    continue
            if node_of(what)[0] == "paper":
                return "a paper is no entity; `kg remove` takes a paper out"
    except ValueError as error:
        return str(error)
    return ""
