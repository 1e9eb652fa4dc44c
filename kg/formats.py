"""Export: write a graph to a file in one of the formats that other programs read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from kg.errors import InputError
from kg.graph import Graph
from kg.schema import ID_BASE

__all__ = ["FORMATS", "write"]

Writer = Callable[[Graph, BinaryIO, str], None]


def _rdf(name: str) -> Writer:
    def run(graph: Graph, out: BinaryIO, base: str) -> None:
        from kg.project.rdf_files import write as write_rdf

        write_rdf(graph, name, out, base=base)

    return run


def _graphml(graph: Graph, out: BinaryIO, base: str) -> None:
    from kg.project.multigraph import write_graphml

    write_graphml(graph, out)


def _jsonl(graph: Graph, out: BinaryIO, base: str) -> None:
    from kg.project.json_lines import write_json

    write_json(graph, out)


FORMATS: Final[dict[str, Writer | None]] = {
    "csv": None,
    "graphml": _graphml,
    "jsonl": _jsonl,
    "jsonld": _rdf("jsonld"),
    "nquads": _rdf("nquads"),
    "ntriples": _rdf("nt"),
    "trig": _rdf("trig"),
    "tsv": None,
    "turtle": _rdf("turtle"),
}
"""Name of a format to its writer; None for those that write one file a table."""


def write(graph: Graph, format: str, output: str | Path = "-", *, base: str = ID_BASE) -> None:
    """Write ``graph`` in ``format`` to ``output``.

    A file is replaced only when it is whole. Equal graphs give equal bytes.

    Parameters
    ----------
    format : one of :data:`FORMATS`.
    output : path of a file, of a directory for ``csv`` and ``tsv``, or ``-`` for stdout.
    base : what the IRIs of papers and entities begin with, in RDF.

    Raises
    ------
    InputError
        If the format is unknown, or ``output`` cannot be written.
    """
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}: choose from {', '.join(FORMATS)}")
    writer = FORMATS[format]
    try:
        if writer is None:
            _tables(graph, format, output)
        elif str(output) == "-":
            writer(graph, sys.stdout.buffer, base)
            sys.stdout.buffer.flush()
        else:
            path = Path(output)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            try:
                with part.open("wb") as out:
                    writer(graph, out, base)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error


def _tables(graph: Graph, format: str, output: str | Path) -> None:
    from kg.project.tables import write_tables

    if str(output) == "-":
        raise InputError(f"{format} is one file a table: name a directory with -o DIR")
    write_tables(graph, Path(output), format)
