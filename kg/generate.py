"""Write the files that are made from the schema, or check that they are current.

::

    python -m kg.generate            write them
    python -m kg.generate --check    exit with 1 if one of them differs, and say which
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import rdflib

from kg.project.cypher_schema import browser_style, constraints
from kg.project.json_schema import extraction_schema, records_schema
from kg.project.ontology import context, ontology
from kg.project.shapes import shapes
from kg.resources import share

__all__ = ["FILES", "main"]


def _turtle(graph: rdflib.Graph) -> str:
    note = "# Generated from kg/schema.py and kg/project/terms.py by python -m kg.generate.\n"
    return note + graph.serialize(format="turtle").strip() + "\n"


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"


FILES: Final[dict[str, dict[str, Callable[[], str]]]] = {
    "schemas": {
        "ontology.ttl": lambda: _turtle(ontology()),
        "shapes.ttl": lambda: _turtle(shapes()),
        "context.jsonld": lambda: _json({"@context": context()}),
        "records.schema.json": lambda: _json(records_schema()),
        "extract.schema.json": lambda: _json(extraction_schema()),
    },
    "cypher": {
        "constraints.cypher": constraints,
        "style.grass": browser_style,
    },
}
"""Directory to name of each generated file to the function that gives its text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the generated files; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m kg.generate", description="Write or check the files made from the schema."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    check = parser.parse_args(arguments).check
    outdated = []
    for folder, files in FILES.items():
        for name, text in files.items():
            path = share(folder) / name
            current, wanted = path.read_bytes() if path.exists() else None, text().encode()
            if current == wanted:
                continue
            outdated.append(f"{folder}/{name}")
            if not check:
                path.write_bytes(wanted)
    for name in outdated:
        print(f"{name}: {'outdated; run python -m kg.generate' if check else 'written'}")
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
