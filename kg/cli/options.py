"""Options that several commands share."""

from __future__ import annotations

import click

__all__ = ["extractor_option", "graph_option", "workers_option"]

graph_option = click.option(
    "-g",
    "--graph",
    "directory",
    default="graph",
    show_default=True,
    type=click.Path(file_okay=False),
    help="The graph directory.",
)

extractor_option = click.option(
    "--extractor",
    "--model",
    default=None,
    metavar="NAME|PATH",
    help="The extractor: `patterns`, or the path of a trained model.  [default: the best shipped]",
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes for extraction.",
)
