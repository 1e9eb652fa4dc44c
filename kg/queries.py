"""The queries that ship as files under ``cypher/queries/``, and files of the same form.

A query file holds one Cypher statement, and tells of itself in the lines before it::

    // Title, which Neo4j Browser shows as the favourite's name
    // Description, in one line or several.
    // name (string): a parameter that has to be given
    // :param name => "an example of it"
    // limit (integer, optional): a parameter that may be given
    // :param limit => 25
    MATCH …
    LIMIT $limit;

The ``:param`` lines can be copied into Neo4j Browser and cypher-shell as they are, without the
slashes. Their value is the default of an optional parameter, and an example of another; it is JSON.
A parameter whose description ends with ``by any of its names`` takes the name of an entity, and one
that is described as ``the paper's id, or its title`` those of a paper.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg.assemble.names import fold, unknown
from kg.errors import QueryError
from kg.resources import share

__all__ = [
    "Parameter",
    "Query",
    "bind",
    "entity_names",
    "find_query",
    "no_such",
    "parse_query",
    "read_query",
    "shipped",
    "unknown_names",
]

_TYPES: Final[dict[str, type]] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
}
_PARAMETER: Final = re.compile(r"(\w+) \((\w+)(, optional)?\): (.+)")
_VALUE: Final = re.compile(r":param (\w+) => (.+)")
_SKIPPED: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL
)
_USED: Final = re.compile(r"\$(?:`([^`]+)`|(\w+))")


_OF_ENTITY: Final = "by any of its names"
_OF_PAPER: Final = "the paper's id, or its title"

# What a parameter's name is held against; the same test as in the queries themselves.
_CALLED: Final = """
MATCH (e:Entity)
WHERE any(name IN e.names WHERE toLower(name) = toLower($name))
RETURN count(e) AS entities"""
_PAPERS: Final = """
MATCH (p:Paper)
WHERE p.id = $paper OR toLower(p.name) = toLower($paper)
RETURN count(p) AS papers"""
_NAMES: Final = """
MATCH (e:Entity)
UNWIND e.names AS name
RETURN name, e.name AS entity
ORDER BY e.papers DESC, e.key, name"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query.

    Attributes
    ----------
    name : without the dollar sign.
    type : ``string``, ``integer``, ``float`` or ``boolean``; ``any`` if the query does not say.
    description : for people.
    optional : whether ``value`` is taken if none is given.
    value : the default of an optional parameter (None is null), else an example.
    """

    name: str
    type: str
    description: str
    optional: bool
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query with what it tells of itself.

    Attributes
    ----------
    name : the stem of its file.
    title, description : for people.
    parameters : in the order of the file.
    text : the Cypher statement, without semicolon.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    text: str

    @property
    def usage(self) -> str:
        """The parameters in one line: ``benchmark=…, limit=25``."""
        return ", ".join(
            f"{p.name}={json.dumps(p.value, ensure_ascii=False) if p.optional else '…'}"
            for p in self.parameters
        )


def shipped() -> dict[str, Query]:
    """Return the queries of ``cypher/queries/``, by name, sorted.

    Raises
    ------
    QueryError
        If a file of them is damaged.
    """
    return {p.stem: read_query(p) for p in sorted((share("cypher") / "queries").glob("*.cypher"))}


def find_query(name: str) -> Query:
    """Return the shipped query called ``name``, or the one in the file ``name``.

    Raises
    ------
    QueryError
        If there is neither.
    """
    queries = shipped()
    if name in queries:
        return queries[name]
    if Path(name).suffix == ".cypher" or os.path.isfile(name):  # noqa: PTH113  (takes any text)
        return read_query(Path(name))
    raise QueryError(
        f"{no_such(name, queries)}, or give a .cypher file; `kg cypher` runs the text of a query"
    )


def no_such(name: str, queries: Iterable[str]) -> str:
    """Return the words that say that no query is called ``name``, and which one may be meant."""
    near = difflib.get_close_matches(name, [*queries], n=1)
    said = f"did you mean {near[0]}? There are" if near else "there are"
    return f"no query {name!r}: {said} {', '.join(queries)}"


def read_query(path: Path) -> Query:
    """Return the query in the file ``path``.

    Raises
    ------
    QueryError
        If the file cannot be read or is not of the form that this module describes.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise QueryError(f"cannot read the query {path}: {reason}") from error
    return parse_query(path.stem, text)


def parse_query(name: str, text: str) -> Query:
    """Return the query called ``name`` whose file holds ``text``.

    A file without front matter is a query, too: one without title and declared parameters. Then
    each parameter that it uses is required, and takes any value.

    Raises
    ------
    QueryError
        If it has no statement or several, or if what it declares is not what it uses.
    """
    lines = text.strip().splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    head = [line.removeprefix("//").strip() for line in lines[:count]]
    statement = "\n".join(lines[count:]).strip()
    bare = _SKIPPED.sub(_blank, statement)
    if bare.rstrip().endswith(";"):
        end = bare.rindex(";")
        statement, bare = statement[:end].rstrip(), bare[:end]
    if not bare.strip():
        raise QueryError(f"the query {name} has no statement")
    if ";" in bare:
        raise QueryError(f"the query {name} has several statements; a file holds one")
    # A backticked parameter name is blanked out with other names; nobody writes one.
    used = {quoted or plain for quoted, plain in _USED.findall(bare)}
    described, values, prose = _front_matter(name, head)
    if not described and not values:
        parameters = tuple(Parameter(n, "any", "", False, None) for n in sorted(used))
        return Query(name, prose[0] if prose else name, " ".join(prose[1:]), parameters, statement)
    if described.keys() != values.keys():
        odd = ", ".join(sorted(described.keys() ^ values.keys()))
        raise QueryError(
            f"the query {name} must both describe and give by `:param` each parameter: {odd}"
        )
    if described.keys() != used:
        odd = ", ".join(sorted(described.keys() ^ used))
        raise QueryError(f"the query {name} must declare and use the same parameters: {odd}")
    parameters = tuple(
        Parameter(n, kind, about, optional, values[n])
        for n, (kind, about, optional) in described.items()
    )
    return Query(name, prose[0] if prose else name, " ".join(prose[1:]), parameters, statement)


def bind(query: Query, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each parameter of ``query``.

    Strings are converted to the parameter's type; optional parameters that are not given take
    their defaults. Matching of values to names is what this is for; the text is never changed.

    Raises
    ------
    QueryError
        If a required parameter is missing, one is unknown, or a value is not of its type.
    """
    names = [p.name for p in query.parameters]
    if unknown := sorted(parameters.keys() - set(names)):
        takes = query.usage or "none"
        raise QueryError(
            f"the query {query.name} has no parameter {', '.join(unknown)}; it takes {takes}"
        )
    missing = [p.name for p in query.parameters if not p.optional and p.name not in parameters]
    if missing:
        raise QueryError(
            f"the query {query.name} needs a value for {', '.join(missing)}; it takes {query.usage}"
        )
    return {
        p.name: _converted(query, p, parameters[p.name]) if p.name in parameters else p.value
        for p in query.parameters
    }


def entity_names(query: Query, values: Mapping[str, Any]) -> list[str]:
    """Return those of ``values`` (what :func:`bind` gave) that shall name an entity."""
    return [
        values[p.name]
        for p in query.parameters
        if p.description.endswith(_OF_ENTITY) and values[p.name] is not None
    ]


def unknown_names(
    query: Query,
    values: Mapping[str, Any],
    cypher: Callable[[str, Mapping[str, Any]], list[dict[str, Any]]],
) -> list[str]:
    """Return, for each value that names no entity or no paper and shall, a line that says so.

    Parameters
    ----------
    values : what :func:`bind` gave.
    cypher : runs a statement with its parameters, on the graph that the query runs on.
    """
    papers = [values[p.name] for p in query.parameters if p.description == _OF_PAPER]
    said = [
        f"no paper has the id or the title {n!r}"
        for n in papers
        if not cypher(_PAPERS, {"paper": n})[0]["papers"]
    ]
    names = entity_names(query, values)
    absent = [n for n in names if not cypher(_CALLED, {"name": n})[0]["entities"]]
    if not absent:
        return said
    known: dict[str, str] = {}
    for row in cypher(_NAMES, {}):
        known.setdefault(fold(row["name"]) or row["name"], row["entity"])
    return said + [unknown(n, known) for n in absent]


def _front_matter(
    name: str, head: list[str]
) -> tuple[dict[str, tuple[str, str, bool]], dict[str, Any], list[str]]:
    """Return what is described, the values of ``:param``, and the lines of prose."""
    described: dict[str, tuple[str, str, bool]] = {}
    values: dict[str, Any] = {}
    prose: list[str] = []
    for line in head:
        if match := _VALUE.fullmatch(line):
            try:
                values[match[1]] = json.loads(match[2])
            except json.JSONDecodeError as error:
                raise QueryError(
                    f"the query {name} gives {match[1]} a value that is not JSON: {match[2]}"
                ) from error
        elif (match := _PARAMETER.fullmatch(line)) and match[2] in _TYPES:
            described[match[1]] = (match[2], match[4], match[3] is not None)
        elif line:
            prose.append(line)
    return described, values, prose


def _converted(query: Query, parameter: Parameter, value: Any) -> Any:
    if parameter.type == "any":
        return value
    wanted = _TYPES[parameter.type]
    if value is None and parameter.optional:
        return None
    if isinstance(value, str) and wanted is not str:
        text = value.strip()
        try:
            if wanted is bool:
                value = {"true": True, "false": False}[text.lower()]
            else:
                value = wanted(text)
        except (KeyError, ValueError):
            pass
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise QueryError(
            f"the query {query.name} takes the type {parameter.type} for {parameter.name}, "
            f"and {value!r} is of another"
        )
    if parameter.name == "limit" and isinstance(value, int) and value < 0:
        raise QueryError(f"the query {query.name} takes a limit of 0 or more, not {value}")
    return value


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
