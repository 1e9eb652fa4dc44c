"""SPARQL: the queries that ship as files under ``schemas/queries/``, your own, and how to run them.

A file holds one ``SELECT`` query and tells of itself in the lines before it, as the Cypher queries
do (:mod:`kg.queries`)::

    # Title
    # Description, in one line or several.
    # name (string): a parameter, in the query the variable $name
    # metric as $metric_name (string, optional): one that may be left out, then $metric_name is
    # unbound; it is called otherwise in the query, where ?metric is a column of the answer
    # limit (integer, optional): the most rows to give; no variable, SPARQL takes none there

The queries run on what :func:`~kg.project.rdf.to_rdflib` returns, and on an export that any SPARQL
store has loaded; where a query has the name of a Cypher query, it takes the same parameters and
gives the same answer.

A query of your own needs none of these lines; any of its variables can then be given a value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from threading import Lock
from typing import Any, Final

import rdflib
from rdflib import XSD, Literal, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.algebra import traverse
from rdflib.plugins.sparql.sparql import Query as Prepared
from rdflib.query import ResultRow

from kg.assemble.names import fold, unknown
from kg.errors import QueryError
from kg.graph import Graph
from kg.project.vocabulary import PREFIXES
from kg.queries import Parameter, Query, bind, entity_names, no_such
from kg.resources import share

__all__ = ["find_query", "run", "shipped", "unknown_names"]

_PARAMETER: Final = re.compile(
    r"(?P<name>\w+)(?: as \$(?P<variable>\w+))? "
    r"\((?P<type>string|integer)(?P<optional>, optional)?\): (?P<about>.+)"
)
_LIMIT: Final = "limit"
_VARIABLE: Final = re.compile(r"[?$](\w+)")
_PARSING: Final = Lock()
"""rdflib's parser can do one query at a time."""
_UPDATE: Final = re.compile(r"\b(?:INSERT|DELETE|LOAD|CLEAR|DROP|CREATE)\b", re.IGNORECASE)


def shipped() -> dict[str, Query]:
    """Return the queries of ``schemas/queries/``, by name, sorted."""
    paths = sorted((share("schemas") / "queries").glob("*.rq"))
    return {path.stem: _parse(path.stem, path.read_text(encoding="utf-8")) for path in paths}


def find_query(what: str) -> Query:
    """Return the shipped query called ``what``, the one in the file ``what``, or ``what`` itself.

    Raises
    ------
    QueryError
        If it is none of these, or the file cannot be read.
    """
    queries = shipped()
    if what in queries:
        return queries[what]
    if "{" in what:
        return _own("given", what)
    path = Path(what)
    if path.suffix not in (".rq", ".sparql") and not path.is_file():
        raise QueryError(
            f"{no_such(what, queries)}, or give a .rq file or the text of a SELECT query"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise QueryError(f"cannot read the query {path}: {reason}") from error
    declares = any(_PARAMETER.fullmatch(line) for line in _head(text))
    return _parse(path.stem, text) if declares else _own(path.stem, text)


def _own(name: str, text: str) -> Query:
    """Return a query that declares nothing: any variable may be given a value."""
    names = dict.fromkeys(_VARIABLE.findall(text))
    parameters = tuple(Parameter(n, "any", "", True, None) for n in names)
    return Query(name, name, "", parameters, text)


def run(
    graph: rdflib.Graph,
    query: Query,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of ``query`` on ``graph``, each as a dict from column to value.

    Parameters
    ----------
    graph : what :func:`~kg.project.rdf.to_rdflib` gave, or an export that was read back.
    query : what :func:`find_query` gives.
    parameters : value of each parameter: a str (a plain literal), a number, a bool, or a term of
        rdflib such as a ``URIRef``. Values are bound to variables; the text never changes.
    limit : the most rows to give, or None for all; so does the query's parameter ``limit``.

    Returns
    -------
    list of dict
        Values are str, int, float or bool; a date is a str, an IRI too; what is unbound is None.
        The answer of an ASK query is the one row ``{"ask": True}`` or ``{"ask": False}``.

    Raises
    ------
    QueryError
        If a required parameter is missing, one is unknown, or the query is malformed, is no SELECT
        or ASK query, or asks for data from elsewhere (SERVICE, FROM).
    """
    given = dict(parameters or {})
    terms = {n: v for n, v in given.items() if isinstance(v, URIRef | Literal)}
    bound = bind(query, given | {n: str(v) for n, v in terms.items()})
    variables = _variables(query)
    if _LIMIT in bound and _LIMIT not in variables:
        limits = [most for most in (limit, bound.pop(_LIMIT)) if most is not None]
        limit = min(limits, default=None)
    values = {
        variables[n]: terms.get(n, Literal(value))
        for n, value in bound.items()
        if value is not None
    }
    prepared = _prepared(query.text)
    try:
        result = graph.query(prepared, initBindings=values)
        if result.askAnswer is not None:
            return [{"ask": result.askAnswer}]
        columns = [str(variable) for variable in result.vars or ()]
        rows = (row for row in result if isinstance(row, ResultRow))
        return [dict(zip(columns, map(_plain, row), strict=True)) for row in islice(rows, limit)]
    except Exception as error:  # rdflib raises plain Exceptions, too
        raise QueryError(f"the query {query.name} fails: {_line(error)}") from error


def _variables(query: Query) -> dict[str, str]:
    """Return the name of each parameter to that of its variable; a limit has none."""
    declared = [m for line in _head(query.text) if (m := _PARAMETER.fullmatch(line))]
    renamed = {m["name"]: m["variable"] for m in declared if m["variable"]}
    return {
        p.name: renamed.get(p.name, p.name)
        for p in query.parameters
        if (p.name, p.type) != (_LIMIT, "integer")
    }


@lru_cache(maxsize=64)
def _prepared(text: str) -> Prepared:
    """Parse ``text``, which takes longer than most answers, and refuse what is not for here."""
    try:
        with _PARSING:
            prepared = prepareQuery(text, initNs=PREFIXES)
    except Exception as error:  # of the parser, and plain Exceptions: an unknown prefix
        hint = "; a query may only read" if _UPDATE.search(text) else ""
        raise QueryError(f"no SPARQL query: {_line(error)}{hint}") from error
    if prepared.algebra.name not in ("SelectQuery", "AskQuery"):
        raise QueryError("a SELECT or ASK query is expected; `kg export turtle` gives triples")
    if prepared.algebra.datasetClause:
        raise QueryError("FROM is not taken here: the query runs on the graph alone")
    parts: Counter[str] = Counter()
    traverse(prepared.algebra, visitPre=lambda node: parts.update([getattr(node, "name", "")]))
    if parts["ServiceGraphPattern"]:
        raise QueryError("SERVICE is not taken here: nothing is asked of other servers")
    return prepared


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def unknown_names(graph: Graph, query: Query, values: Mapping[str, Any]) -> list[str]:
    """Return, for each value that shall name an entity and names none, a line that says so.

    Parameters
    ----------
    values : what :func:`kg.queries.bind` gave.
    """
    names = {n: e.name for e in graph.entities.values() for n in (e.name, *e.names)}
    lowered = {n.lower() for n in names}
    absent = [n for n in entity_names(query, values) if n.lower() not in lowered]
    known = {fold(n) or n: name for n, name in names.items()} if absent else {}
    return [unknown(n, known) for n in absent]


_PYTHON: Final[dict[Any, Callable[[str], int | float | bool]]] = {
    XSD.integer: int,
    XSD.decimal: float,
    XSD.double: float,
    XSD.boolean: "true".__eq__,
}


def _plain(term: Any) -> str | int | float | bool | None:
    if term is None:
        return None
    convert = _PYTHON.get(term.datatype) if isinstance(term, Literal) else None
    return convert(str(term)) if convert else str(term)


def _parse(name: str, text: str) -> Query:
    head = _head(text)
    found = [match for line in head if (match := _PARAMETER.fullmatch(line))]
    prose = [line for line in head if line and not _PARAMETER.fullmatch(line)]
    parameters = tuple(
        Parameter(m["name"], m["type"], m["about"], m["optional"] is not None, None) for m in found
    )
    query = Query(name, prose[0] if prose else "", " ".join(prose[1:]), parameters, text)
    used = set(re.findall(r"\$(\w+)", text.split("\n", len(head))[-1]))
    if not prose or used != set(_variables(query).values()):
        raise QueryError(
            f"the query {name}.rq must have a title, and declare the parameters that it uses: "
            f"{', '.join(sorted(used)) or 'none'}"
        )
    return query


def _head(text: str) -> list[str]:
    """Return the lines before the query, without their signs."""
    comments = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return [line.lstrip("# ").rstrip() for line in comments]
