"""The reference of the command line: ``python -m kg.cli.reference > docs/cli.md``."""

from __future__ import annotations

import click

from kg.cli import cli

__all__ = ["reference"]


def reference() -> str:
    """Return the help of every command, as Markdown."""
    parts = ["# The command line", "", "Made by `python -m kg.cli.reference`.", ""]
    for name in ("", *sorted(cli.commands)):
        command = cli.commands[name] if name else cli
        path = f"kg {name}".strip()
        with click.Context(
            command, info_name=path, terminal_width=96, help_option_names=["-h", "--help"]
        ) as context:
            text = command.get_help(context)
        parts += [f"## {path}", "", "```text", text.rstrip(), "```", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    print(reference(), end="")
