"""The command line ``kg``: each command parses its options, calls the library, and prints."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from kg import __version__
from kg.cli.ask import cypher, query, sparql
from kg.cli.decide import diff, remove, resolve, review
from kg.cli.files import evaluate, export, extract
from kg.cli.graphs import build, info
from kg.cli.server import doctor, load
from kg.cli.show import explain, show
from kg.errors import KgError

__all__ = ["cli", "main"]


class _Group(click.Group):
    """Turns this package's errors into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KgError as error:
            click.echo(f"kg: {error}", err=True)
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            # Whoever read our output has seen enough; keep the interpreter from flushing into it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            click.echo("kg: stopped; run the same command again to go on", err=True)
            ctx.exit(130)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="kg")
def cli() -> None:
    """Build and use knowledge graphs from abstracts of machine-learning papers.

    Data goes to stdout, messages to stderr. Exit codes: 0 done; 1 it ran, but something did not
    conform (a record was rejected, a check failed); 2 bad input or usage; 3 a store cannot be
    reached.
    """


for command in (
    build, query, cypher, sparql, show, explain, load, export, extract, evaluate, doctor, info,
    remove, resolve, review, diff,
):  # fmt: skip
    cli.add_command(command)


def main() -> None:
    """Run the command line (the entry point ``kg``)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    cli(prog_name="kg")
