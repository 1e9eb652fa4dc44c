"""Everything that ``kg`` raises on purpose, with the exit code that the command line gives.

::

    KgError                      2   (never raised itself)
    ├── InputError               2   a file, record or option that cannot be used
    │   ├── QueryError           2   a query that is unknown, malformed or lacks a parameter
    │   └── NotFoundError        2   no such entity, statement, paper or graph
    ├── NonConformanceError      1   it ran, and what was checked does not conform
    └── StoreError               3   a store (Neo4j, the ledger, the embedded engine) cannot be used

A message says what is wrong, where, and how to mend it, in one line.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "InputError",
    "KgError",
    "NonConformanceError",
    "NotFoundError",
    "QueryError",
    "StoreError",
]


class KgError(Exception):
    """Base of all errors that ``kg`` raises on purpose."""

    exit_code: ClassVar[int] = 2


class InputError(KgError):
    """A file, record or option that cannot be used."""


class QueryError(InputError):
    """A query that is unknown, malformed or lacks a parameter."""


class NotFoundError(InputError):
    """No such entity, statement, paper or graph."""


class NonConformanceError(KgError):
    """The command ran, and what it checked does not conform."""

    exit_code = 1


class StoreError(KgError):
    """A store cannot be reached or refuses to work."""

    exit_code = 3
