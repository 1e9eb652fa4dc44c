"""``kg load`` and ``kg doctor``: Neo4j, and whether everything is in order."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict
from typing import Any

import click

from kg import directory as graphs
from kg.cli.options import graph_option
from kg.cli.output import json_option, print_json, print_rows, print_table, progress, tell
from kg.doctor import examine

__all__ = ["doctor", "load", "server_options"]


def server_options(command: Any) -> Any:
    """Add the options that say which server; each is also read from the environment."""
    for option in (
        click.option("--database", envvar="NEO4J_DATABASE", help="$NEO4J_DATABASE: the database.  "
                     "[default: the user's home database]"),
        click.option("--password", envvar="NEO4J_PASSWORD", default="sotagraph",
                     help="$NEO4J_PASSWORD: better set there than given here.  "
                     "[default: that of docker-compose.yml]"),
        click.option("--username", envvar="NEO4J_USERNAME", default="neo4j", show_default=True,
                     help="$NEO4J_USERNAME: the user."),
        click.option("--uri", envvar="NEO4J_URI", default="neo4j://localhost:7687",
                     show_default=True, help="$NEO4J_URI: the server."),
    ):  # fmt: skip
        command = option(command)
    return command


def _hush() -> None:
    """Keep the driver from logging what is told in one line anyway."""
    logging.getLogger("neo4j").addHandler(logging.NullHandler())


@click.command()
@server_options
@graph_option
@json_option
def load(
    uri: str, username: str, password: str, database: str | None, directory: str, as_json: bool
) -> None:
    """Load the graph into Neo4j. Loading again writes only what has changed, takes out what has
    left the graph, and leaves your own nodes and relationships alone.

    \b
    Examples:
      kg load
      NEO4J_URI=neo4j+s://example.org NEO4J_PASSWORD=… kg load -g my-graph
    """
    # here, as the driver imports pandas where there is one: all other commands would wait for it
    from kg.project.neo4j import connect
    from kg.project.neo4j_load import load as load_graph

    _hush()
    graph = graphs.load(directory)
    done: Counter[str] = Counter()
    with (
        connect(uri, username, password, database or None) as driver,
        progress() as show,
    ):

        def count(what: str, rows: int) -> None:
            done[what] += rows
            show(what, done[what], None)

        report = load_graph(graph, driver, database or None, progress=count)
    data = asdict(report)
    if as_json:
        print_json(data)
        return
    print_table(["loaded", ""], data.items())
    if not report.changes:
        tell("nothing to change: the database holds this graph")


@click.command(short_help="Check the installation, the graph and the Neo4j server.")
@server_options
@graph_option
@json_option
def doctor(
    uri: str, username: str, password: str, database: str | None, directory: str, as_json: bool
) -> None:
    """Check the installation, the graph and the Neo4j server, and say how to mend what is wrong.

    The server is optional: not reaching it is no failure.

    \b
    Example:
      kg doctor
    """
    _hush()
    checks = examine(directory, uri, username, password, database or None)
    print_rows([asdict(c) for c in checks], as_json)
    if any(c.state == "fail" for c in checks):
        raise SystemExit(1)
