"""``kg query``, ``cypher`` and ``sparql``: ask a graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kg import directory as graphs
from kg import queries
from kg.cli.options import as_of_option, graph_option, loaded, read_text
from kg.cli.output import print_answer, rows_options, tell
from kg.errors import QueryError

if TYPE_CHECKING:
    from kg.project.embedded import EmbeddedStore

__all__ = ["cypher", "query", "sparql"]


@click.command(short_help="Run a shipped query, or list the shipped ones.")
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.argument("parameters", nargs=-1, metavar="[PARAM=VALUE]...")
@as_of_option
@graph_option
@rows_options
def query(
    name: str | None, parameters: tuple[str, ...], as_of: str, directory: str, form: str
) -> None:
    """Run a shipped query, or a query file; without NAME, list the shipped ones.

    \b
    Examples:
      kg query
      kg query leaderboard benchmark=GLUE
      kg query improves-over name=BERT --as-of 2020
      kg query my-query.cypher limit=5
    """
    if name is None:
        _list(queries.shipped(), form)
        return
    found = queries.find_query(name)
    given = _given(parameters, found)
    bound = queries.bind(found, given)
    store = _store(directory, as_of)
    rows = store.cypher(found.text, bound)
    print_answer(rows, form)
    if "limit" not in given and len(rows) == bound.get("limit"):
        tell(f"kg: these are the first {len(rows)}; for more, give limit=…")
    for line in queries.unknown_names(found, bound, store.cypher):
        tell(f"kg: {line}")


def _list(shipped: Mapping[str, queries.Query], form: str) -> None:
    rows = [{"query": q.name, "title": q.title, "parameters": q.usage} for q in shipped.values()]
    print_answer(rows, form)


def _store(directory: str, as_of: str) -> EmbeddedStore:
    if not as_of:
        return graphs.store(directory)
    from kg.project.embedded import EmbeddedStore

    return EmbeddedStore.build(loaded(directory, as_of))


def _given(parameters: tuple[str, ...], query: queries.Query | None = None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals:
            takes = f"; {query.name} takes {query.usage or 'none'}" if query else ""
            raise QueryError(f"a parameter is NAME=VALUE, not {parameter!r}{takes}")
        given[name.rstrip(":").lstrip("$?")] = _json(value) if name.endswith(":") else value
    return given


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise QueryError(
            f"NAME:=VALUE takes JSON, such as 5, true or [1, 2], not {value!r}"
        ) from None


@click.command(short_help="Run a Cypher query on the embedded engine.")
@click.argument("text", metavar="QUERY|-")
@click.argument("parameters", nargs=-1, metavar="[PARAM=VALUE]...")
@as_of_option
@graph_option
@rows_options
def cypher(text: str, parameters: tuple[str, ...], as_of: str, directory: str, form: str) -> None:
    """Run a Cypher query on the embedded engine; - reads it from stdin.

    PARAM=VALUE gives the query's $PARAM a text, PARAM:=VALUE what VALUE is in JSON: a number, true,
    null, a list.

    \b
    Examples:
      kg cypher "MATCH (m:Model)-[:EVALUATES_ON]->(b:Benchmark) RETURN m.name, b.name LIMIT 5"
      kg cypher 'MATCH (s:Statement) WHERE s.belief > $least RETURN count(s)' least:=0.9
    """
    source = read_text(text) if text == "-" else text
    print_answer(_store(directory, as_of).cypher(source, _given(parameters)), form)


@click.command(short_help="Run a SPARQL query on the graph as RDF.")
@click.argument("query", required=False, metavar="[NAME|FILE|QUERY|-]")
@click.argument("parameters", nargs=-1, metavar="[PARAM=VALUE]...")
@as_of_option
@graph_option
@rows_options
def sparql(
    query: str | None, parameters: tuple[str, ...], as_of: str, directory: str, form: str
) -> None:
    """Run a SPARQL query on the graph as RDF: a shipped one, a file, or a SELECT or ASK query; -
    reads it from stdin. Without NAME, list the shipped ones.

    A PARAM is one that the query declares or, in your own, any of its variables; PARAM:=VALUE gives
    a number, as in `kg cypher`. The prefixes of the export (sota:, skos:, prov:, …) need no
    declaration. The triples are made anew for each call: for a large graph, load an export into a
    SPARQL store.

    \b
    Examples:
      kg sparql leaderboard benchmark=GLUE limit=5
      kg sparql "SELECT ?name { ?b a sota:Benchmark ; skos:prefLabel ?name }" --format csv
      kg sparql "SELECT ?p { ?p sota:mentions/skos:prefLabel ?name }" name=BERT
    """
    from kg.project import sparql as engine

    if query is None:
        _list(engine.shipped(), form)
        return
    found = engine.find_query(read_text(query) if query == "-" else query)
    given = _given(parameters, found)
    bound = queries.bind(found, given)
    graph = loaded(directory, as_of)
    print_answer(engine.run(graph.to_rdflib(), found, given), form)
    for line in engine.unknown_names(graph, found, bound):
        tell(f"kg: {line}")
