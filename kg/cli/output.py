"""How commands print: data to stdout, everything else to stderr."""

from __future__ import annotations

import functools
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click
from rich import box
from rich.cells import cell_len
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
    "tell_problem",
    "with_unit",
]

_WIDE: Final = 200
"""Columns of a table that does not go to a terminal."""

_LONG_WORD: Final = 40
"""No column becomes narrower than its longest word, unless that is longer than this."""

_PROSE: Final = 40
_NARROW: Final = 24
"""A column that is wider than the one is not made narrower than the other."""

_PROBABILITIES: Final = {"belief", "confidence", "strongest", "share"}
"""Columns whose figures people need to two places."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


class _Console(Console):
    """A console that leaves a closed pipe to the program, which then ends without complaint."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


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


def tell_problem(file: str, position: int, reason: str) -> None:
    """Print to stderr why record ``position`` of ``file`` (0: the file) could not be read."""
    tell(f"kg: {file}{f':{position}' if position else ''}: {reason}")


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
    """Print a table; cells are plain text, so ``[MASK]`` stays as it is.

    Columns become narrower until the table fits the terminal. Where words would break, each row is
    printed as a record instead: a line for each of its cells that is not empty.
    """
    console = _Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    cells = [[_cell(value, name) for name, value in zip(columns, row, strict=True)] for row in rows]
    widths = _fitting(columns, cells, console.width)
    if widths is None:
        _print_records(console, columns, cells, title)
        return
    table = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    for column, width in zip(columns, widths, strict=True):
        table.add_column(Text(column), width=width, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _fitting(
    columns: Sequence[str], cells: Sequence[Sequence[str]], width: int
) -> list[int] | None:
    """Return how wide each column is in a table of at most ``width``; None if too narrow."""
    whole: list[int] = []
    least: list[int] = []
    for texts in zip(columns, *cells, strict=True):
        lines = [line for text in texts for line in text.splitlines()]
        longest = max(map(cell_len, lines), default=0)
        word = max((cell_len(word) for line in lines for word in line.split()), default=0)
        whole.append(min(longest, width))
        least.append(min(longest, max(min(word, _LONG_WORD), _NARROW if longest > _PROSE else 0)))
    excess = sum(whole) + 3 * len(columns) + 1 - width
    if sum(whole) - sum(least) < excess:
        return None
    for _ in range(excess):
        widest = max((w, i) for i, w in enumerate(whole) if w > least[i])[1]
        whole[widest] -= 1
    return whole


def _print_records(
    console: Console, columns: Sequence[str], cells: Sequence[Sequence[str]], title: str
) -> None:
    if title:
        console.print(Text(title))
    for row in cells:
        record = Table.grid(padding=(0, 2, 0, 0))
        record.add_column(style="bold", no_wrap=True)
        record.add_column(overflow="fold")
        for column, text in zip(columns, row, strict=True):
            if text:
                record.add_row(Text(column), Text(text))
        console.print(record)
        console.print()


def _number(value: float) -> str:
    """Return ``value`` for people: at least six digits, and no exponent below ten billion."""
    return f"{value:.10g}" if abs(value) >= 1e5 else f"{value:.6g}"


def with_unit(value: float, unit: str) -> str:
    """Return the figure for people: ``91.5%``, ``2x``, ``1.5 points``."""
    return f"{_number(value)}{' ' if unit.isalpha() and unit != 'x' else ''}{unit}"


def _cell(value: Any, column: str = "") -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}" if column.rpartition(".")[2] in _PROBABILITIES else _number(value)
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
