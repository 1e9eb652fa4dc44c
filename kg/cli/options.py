"""Options that several commands share."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kg import directory as graphs
from kg.cli.output import tell
from kg.errors import InputError
from kg.extract.parallel import available
from kg.graph import Graph
from kg.read import FORMATS

__all__ = [
    "as_of_option",
    "extractor_option",
    "format_option",
    "graph_option",
    "loaded",
    "min_confidence_option",
    "read_text",
    "workers_option",
]

graph_option = click.option(
    "-g",
    "--graph",
    "directory",
    default="graph",
    show_default=True,
    type=click.Path(file_okay=False),
    help="The graph directory.",
)

as_of_option = click.option(
    "--as-of",
    metavar="DATE",
    default="",
    help="Only what papers said by the end of DATE (YYYY, YYYY-MM or YYYY-MM-DD).",
)

extractor_option = click.option(
    "--extractor",
    "--model",
    default=None,
    metavar="NAME|PATH",
    help="The extractor: `patterns`, or the path of a trained model.  [default: the best shipped]",
)

format_option = click.option(
    "--format",
    type=click.Choice(FORMATS),
    default=None,
    help="The format of every file.  [default: what its content tells]",
)

min_confidence_option = click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="NUMBER",
    default=None,
    help="Leave out facts of less confidence; 0 leaves nothing out.",
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=available,
    help="Processes for extraction.  [default: the cores]",
)


def loaded(directory: str, as_of: str, min_confidence: float | None = None) -> Graph:
    """Return the graph in ``directory``, as of a date if ``as_of`` is one.

    How many papers have no date, and so are left out, is told on stderr.
    """
    graph = graphs.load(directory, min_confidence=min_confidence)
    if not as_of:
        return graph
    past = graph.as_of(as_of)
    if undated := sum(not p.date for p in graph.papers.values()):
        tell(f"kg: papers without a date, which are left out: {undated}")
    return past


def read_text(file: str) -> str:
    """Return the text of ``file``, or of standard input if it is ``-``, whatever the locale.

    Raises
    ------
    InputError
        If it cannot be read, or is not UTF-8.
    """
    try:
        if file != "-":
            raw = Path(file).read_bytes()
        elif sys.stdin is None:
            raise InputError("there is no standard input; it is closed")
        else:
            raw = sys.stdin.buffer.read()
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"cannot read {file}: {reason}") from error
