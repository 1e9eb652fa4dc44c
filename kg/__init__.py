"""sotagraph: knowledge graphs from the abstracts of machine-learning papers.

>>> import kg
>>> report = kg.build(["papers.jsonl"], "graph")  # doctest: +SKIP
>>> graph = kg.load("graph")  # doctest: +SKIP
>>> graph.leaderboard("GLUE")  # doctest: +SKIP
"""

from __future__ import annotations

from kg.assemble.compare import Verdict
from kg.assemble.compare import compare as resolve
from kg.assemble.review import Case, review
from kg.difference import Difference, diff
from kg.directory import BuildReport, build, load, remove
from kg.errors import (
    InputError,
    KgError,
    NonConformanceError,
    NotFoundError,
    QueryError,
    StoreError,
)
from kg.formats import write as export
from kg.graph import Graph
from kg.records import (
    Entity,
    Evidence,
    Extraction,
    Mention,
    Paper,
    Result,
    Source,
    Statement,
)

__version__ = "0.1.0"

__all__ = [
    "BuildReport",
    "Case",
    "Difference",
    "Entity",
    "Evidence",
    "Extraction",
    "Graph",
    "InputError",
    "KgError",
    "Mention",
    "NonConformanceError",
    "NotFoundError",
    "Paper",
    "QueryError",
    "Result",
    "Source",
    "Statement",
    "StoreError",
    "Verdict",
    "build",
    "diff",
    "export",
    "load",
    "remove",
    "resolve",
    "review",
]
