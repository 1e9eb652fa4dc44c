"""``kg query`` and ``cypher``: ask a graph."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from kg import directory as graphs
from kg import queries
from kg.cli.options import as_of_option, graph_option, loaded
from kg.cli.output import json_option, print_rows, tell
from kg.errors import QueryError

if TYPE_CHECKING:
    from kg.project.embedded import EmbeddedStore

__all__ = ["cypher", "query"]


@click.command()
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.argument("parameters", nargs=-1, metavar="[PARAM=VALUE]...")
@as_of_option
@graph_option
@json_option
def query(
    name: str | None, parameters: tuple[str, ...], as_of: str, directory: str, as_json: bool
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
        rows = [
            {
                "query": q.name,
                "title": q.title,
                "parameters": q.usage,
            }
            for q in queries.shipped().values()
        ]
        print_rows(rows, as_json)
        return
    found = queries.find_query(name)
    bound = queries.bind(found, _given(parameters))
    store = _store(directory, as_of)
    print_rows(store.cypher(found.text, bound), as_json)
    for line in queries.unknown_names(found, bound, store.cypher):
        tell(f"kg: {line}")


def _store(directory: str, as_of: str) -> EmbeddedStore:
    if not as_of:
        return graphs.store(directory)
    from kg.project.embedded import EmbeddedStore

    return EmbeddedStore.build(loaded(directory, as_of))


def _given(parameters: tuple[str, ...]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals:
            raise QueryError(f"a parameter is NAME=VALUE, not {parameter!r}")
        given[name.removeprefix("$")] = value
    return given


@click.command()
@click.argument("text", metavar="QUERY|-")
@click.argument("parameters", nargs=-1, metavar="[PARAM=VALUE]...")
@as_of_option
@graph_option
@json_option
def cypher(
    text: str, parameters: tuple[str, ...], as_of: str, directory: str, as_json: bool
) -> None:
    """Run a Cypher query on the embedded engine; - reads it from stdin.

    \b
    Example:
      kg cypher "MATCH (m:Model)-[:EVALUATES_ON]->(b:Benchmark) RETURN m.name, b.name LIMIT 5"
    """
    source = sys.stdin.read() if text == "-" else text
    print_rows(_store(directory, as_of).cypher(source, _given(parameters)), as_json)
