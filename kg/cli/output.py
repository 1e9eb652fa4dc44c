"""How commands print: data to stdout, everything else to stderr."""

from __future__ import annotations

import functools
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

__all__ = [
    "json_option",
    "print_answer",
    "print_json",
    "print_rows",
    "print_table",
    "progress",
    "rows_options",
    "tell",
]

_WIDE = 200
"""Columns of a table that does not go to a terminal."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def rows_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--format`` and ``--json``; the command gets the parameter ``form``."""

    @click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table",
                  show_default=True, help="How to print the rows.")  # fmt: skip
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @functools.wraps(command)
    def run(*args: Any, form: str, as_json: bool, **options: Any) -> None:
        command(*args, form="json" if as_json else form, **options)

    return run


def tell(message: str) -> None:
    """Print ``message`` to stderr."""
    click.echo(message, err=True)


def print_json(data: Any) -> None:
    """Print ``data`` as one JSON document."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, title: str = "") -> None:
    """Print ``rows`` (all with the same columns) as a table or as a JSON array."""
    if as_json:
        print_json(list(rows))
    elif rows:
        print_table(list(rows[0]), (row.values() for row in rows), title)
    else:
        tell("no rows")


def print_answer(rows: Sequence[Mapping[str, Any]], form: str) -> None:
    """Print ``rows`` (all with the same columns) as ``table``, ``json`` or ``csv``."""
    if form != "csv" or not rows:
        print_rows(rows, form == "json")
        return
    from kg.project.tables import write_rows

    out = io.BytesIO()
    write_rows(list(rows[0]), rows, out)
    click.echo(out.getvalue(), nl=False)


def print_table(columns: Sequence[str], rows: Iterable[Iterable[Any]], title: str = "") -> None:
    """Print a table; cells are plain text, so ``[MASK]`` stays as it is."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(v) for v in value)
    return str(value)


@contextmanager
def progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Give a function (stage, done, total) that shows a bar on stderr if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda stage, done, total: None
        return
    columns = (
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show
