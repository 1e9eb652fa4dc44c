"""Doctor: check the installation, the graph directory and the Neo4j server."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from kg import __version__, extract, queries
from kg.assemble.incremental import FILE as DERIVED
from kg.errors import KgError, StoreError
from kg.ledger import Ledger
from kg.ledger_file import FILE, damage
from kg.records import Paper

__all__ = ["Check", "examine"]

_COMPONENTS = """
CALL dbms.components() YIELD name, versions, edition
WHERE name STARTS WITH 'Neo4j'
RETURN name, versions, edition ORDER BY name
"""
_PACKAGES = ("spacy", "networkx", "neo4j", "rdflib", "kglite", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    what : the thing.
    state : ``ok``; ``fail``: mend it; ``none``: not there, and not needed.
    detail : what was found, or how to mend it.
    """

    what: str
    state: Literal["ok", "fail", "none"]
    detail: str


def examine(
    directory: str | Path, uri: str, username: str, password: str, database: str | None
) -> list[Check]:
    """Run all checks; none of them writes anything.

    Parameters
    ----------
    directory : the graph directory.
    uri, username, password, database : of the Neo4j server.
    """
    checks = [Check("sotagraph", "ok", f"{__version__} on Python {platform.python_version()}")]
    for name in _PACKAGES:
        try:
            checks.append(Check(name, "ok", version(name)))
        except PackageNotFoundError:
            checks.append(Check(name, "fail", f"not installed: pip install {name}"))
    checks.append(_run("extractor", _extractor))
    checks.append(_run("queries", lambda: f"{len(queries.shipped())} shipped"))
    if os.path.isfile(Path(directory) / FILE):  # noqa: PTH113  (also where one may not look)
        checks.append(_run("graph", lambda: _graph(directory)))
    else:
        checks.append(Check("graph", "none", f"none in {directory}: `kg build --corpus` makes one"))
    checks.append(_neo4j(uri, username, password, database))
    return checks


def _run(what: str, look: Callable[[], str]) -> Check:
    try:
        return Check(what, "ok", look())
    except (KgError, OSError) as error:
        return Check(what, "fail", str(error))


def _extractor() -> str:
    engine = extract.load(extract.DEFAULT)
    found = engine.extract(Paper("doctor", "We evaluate BERT on GLUE and SQuAD."))
    if found.empty:
        raise StoreError("the extractor finds nothing: reinstall sotagraph")
    return engine.version


def _graph(directory: str | Path) -> str:
    with Ledger(directory) as ledger:
        ledger.check()
        counts = ", ".join(f"{n} {name}" for name, n in ledger.outcomes().items())
    _check_derived(Path(directory) / DERIVED)
    return f"{directory}: {counts or 'empty'}"


def _check_derived(path: Path) -> None:
    if not path.is_file():  # it is made when it is needed
        return
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with closing(db):
            said = damage(db)
    except sqlite3.Error as error:
        said = str(error)
    if said:
        raise StoreError(f"{path} is damaged ({said}): delete it, it is made anew")


def _neo4j(uri: str, username: str, password: str, database: str | None) -> Check:
    from kg.project.neo4j import connect, read

    try:
        with connect(uri, username, password, database, timeout=3.0) as driver:
            rows = read(driver, _COMPONENTS, None, database)
    except StoreError as error:
        return Check("Neo4j", "none", str(error))
    found = ", ".join(f"{r['name']} {r['versions'][0]} {r['edition']}" for r in rows)
    return Check("Neo4j", "ok", f"{uri}: {found}")
