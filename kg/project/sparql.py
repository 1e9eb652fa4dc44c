"""The SPARQL queries that ship as files under ``schemas/queries/``, and how to run them.

A file holds one ``SELECT`` query and tells of itself in the lines before it, as the Cypher queries
do (:mod:`kg.queries`)::

    # Title
    # Description, in one line or several.
    # name (string): a parameter, in the query the variable $name
    # metric (string, optional): a parameter that may be left out; the variable is then unbound

The queries run on what :func:`~kg.project.rdf.to_rdflib` returns, and on an export that any SPARQL
store has loaded; where a query has the name of a Cypher query, it gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any, Final

import rdflib
from rdflib import XSD, Literal
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query as Prepared
from rdflib.query import ResultRow

from kg.errors import QueryError
from kg.queries import Parameter, Query, bind
from kg.resources import share

__all__ = ["run", "shipped"]

_PARAMETER: Final = re.compile(r"(\w+) \((string)(, optional)?\): (.+)")


def shipped() -> dict[str, Query]:
    """Return the queries of ``schemas/queries/``, by name, sorted."""
    paths = sorted((share("schemas") / "queries").glob("*.rq"))
    return {path.stem: _parse(path.stem, path.read_text(encoding="utf-8")) for path in paths}


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
    query : one of :func:`shipped`.
    parameters : value of each parameter. Values are bound to variables; the text never changes.
    limit : the most rows to give, or None for all.

    Returns
    -------
    list of dict
        Values are str, int, float or bool; a date is a str, an IRI too; what is unbound is None.

    Raises
    ------
    QueryError
        If a required parameter is missing, or one is unknown.
    """
    bound = bind(query, parameters or {})
    values = {name: Literal(value) for name, value in bound.items() if value is not None}
    result = graph.query(_prepared(query.text), initBindings=values)
    columns = [str(variable) for variable in result.vars or ()]
    rows = (row for row in result if isinstance(row, ResultRow))
    return [dict(zip(columns, map(_plain, row), strict=True)) for row in islice(rows, limit)]


@lru_cache(maxsize=64)
def _prepared(text: str) -> Prepared:
    """Parsing takes longer than most answers."""
    return prepareQuery(text)


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
    head = [line.lstrip("# ").rstrip() for line in takewhile(_is_comment, text.splitlines())]
    found = [match for line in head if (match := _PARAMETER.fullmatch(line))]
    prose = [line for line in head if line and not _PARAMETER.fullmatch(line)]
    parameters = tuple(Parameter(m[1], m[2], m[4], m[3] is not None, None) for m in found)
    used = set(re.findall(r"\$(\w+)", text.split("\n", len(head))[-1]))
    if not prose or used != {p.name for p in parameters}:
        raise QueryError(
            f"the query {name}.rq must have a title, and declare the parameters that it uses: "
            f"{', '.join(sorted(used)) or 'none'}"
        )
    return Query(name, prose[0], " ".join(prose[1:]), parameters, text)


def _is_comment(line: str) -> bool:
    return line.startswith("#")
