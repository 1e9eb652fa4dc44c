"""The file of the ledger: its tables, opened, and written in transactions."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from kg.errors import NotFoundError, StoreError

__all__ = ["FILE", "VERSION", "LedgerFile", "damage"]

_log: Final = logging.getLogger(__name__)

FILE: Final = "ledger.sqlite"
VERSION: Final = 2
"""Version of the ledger's tables."""

_TIMEOUT: Final = 10.0
"""Seconds until it is told that another process is waited for; Ctrl-C, too, waits so long."""

_PATIENCE: Final = 600.0
"""Seconds that another process is waited for: it may be assembling a large graph."""

_NO_WRITING: Final = "make the directory and the files in it writable, or work on a copy of it"
_NO_ROOM: Final = "is the disk full?"
_NO_LEDGER: Final = "restore it, or build in another directory"
_REMEDIES: Final = {
    sqlite3.SQLITE_BUSY: "another kg process is writing to it; run this again when that is done",
    sqlite3.SQLITE_CANTOPEN: _NO_WRITING,
    sqlite3.SQLITE_CORRUPT: _NO_LEDGER,
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_NOTADB: _NO_LEDGER,
    sqlite3.SQLITE_PERM: _NO_WRITING,
    sqlite3.SQLITE_READONLY: _NO_WRITING,
}
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_TABLES: Final = """
CREATE TABLE record (
    file TEXT NOT NULL, position INTEGER NOT NULL,
    outcome TEXT NOT NULL, reason TEXT NOT NULL, notes TEXT NOT NULL, withdrawn INTEGER NOT NULL,
    paper TEXT, content TEXT, input TEXT, digest TEXT, json TEXT,
    PRIMARY KEY (file, position)
);
CREATE INDEX record_settling ON record
    (paper, file, position, content, input, withdrawn, outcome, reason, digest);
CREATE TABLE extraction (
    paper TEXT PRIMARY KEY, input TEXT NOT NULL, extractor TEXT NOT NULL, build INTEGER NOT NULL,
    empty INTEGER NOT NULL, digest TEXT NOT NULL, json TEXT NOT NULL
);
CREATE INDEX extraction_standing ON extraction (paper, input, extractor, empty, digest);
CREATE TABLE build (
    number INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, version TEXT NOT NULL,
    extractor TEXT NOT NULL, extracted INTEGER NOT NULL, decisions TEXT NOT NULL
);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
# The indexes hold all that settling and comparing read, so that they do not read the texts.


class LedgerFile:
    """The file of the ledger in one graph directory.

    Use it as a context manager: what the database refuses within it becomes a ``StoreError``.

    Parameters
    ----------
    directory : the graph directory.
    create : make directory and ledger if they are not there.

    Raises
    ------
    NotFoundError
        If there is no ledger and ``create`` is false.
    StoreError
        If the file is no ledger, is of a newer version, or another process is writing to it.
    """

    def __init__(self, directory: str | Path, *, create: bool = False) -> None:
        self.directory = Path(directory)
        path = self.directory / FILE
        if not os.path.isfile(path):  # noqa: PTH113  (of any text, and where one may not look)
            if not create:
                raise NotFoundError(
                    f"no graph in {self.directory}: build one with `kg build PATH -o "
                    f"{self.directory}`, or name another directory with -g"
                )
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"cannot make {self.directory}: {error.strerror}") from error
        self._path = path
        self._attached: dict[str, Path] = {}  # by schema
        try:
            self._db = sqlite3.connect(path, timeout=_TIMEOUT, isolation_level=None)
        except sqlite3.Error as error:
            raise self._failure(error) from error
        try:
            self._open()
        except sqlite3.Error as error:
            self.close()
            raise self._failure(error) from error
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        self._db.execute("PRAGMA synchronous = NORMAL")
        found = self._patiently("PRAGMA user_version").fetchone()[0]
        if found > VERSION:
            raise StoreError(
                f"{self._path} was made by a newer sotagraph (ledger version {found}, this one "
                f"knows {VERSION}): upgrade with `pip install -U sotagraph`"
            )
        if found == 0:
            with self.transaction():
                if not self._db.execute("PRAGMA user_version").fetchone()[0]:
                    for sql in _TABLES.split(";"):
                        self._db.execute(sql)
                    self._db.execute(f"PRAGMA user_version = {VERSION:d}")
        elif found < VERSION:
            raise StoreError(
                f"{self._path} was made by an older sotagraph (ledger version {found}, not "
                f"{VERSION}): delete it and build again"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        failure = self._failure(error) if isinstance(error, sqlite3.Error) else None
        self.close()
        if failure is not None:
            raise failure from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def attach(
        self, file: str, schema: str, usable: Callable[[sqlite3.Connection], bool]
    ) -> sqlite3.Connection:
        """Open the derived database ``file`` of the directory as ``schema`` beside the ledger.

        Parameters
        ----------
        usable : whether it is one, and of the right version; it is not called on a new one. If not,
            the file is deleted, and a new one opened.

        Returns
        -------
        sqlite3.Connection
            On both. :meth:`transaction` writes to both or to none.

        Raises
        ------
        StoreError
            If the file cannot be opened.
        """
        path = self.directory / file
        for attempt in range(2):
            try:
                self._db.execute(f"ATTACH ? AS {schema}", (os.fsencode(path),))
                empty = not self._patiently(f"PRAGMA {schema}.page_count").fetchone()[0]
                if empty or usable(self._db):
                    self._attached[schema] = path
                    return self._db
            except sqlite3.Error as error:
                if attempt or _code(error) not in _DAMAGE:
                    raise self._failure(error, path) from error
            with suppress(sqlite3.Error):
                self._db.execute(f"DETACH {schema}")
            try:
                for name in (path, path.with_name(file + "-journal")):
                    name.unlink(missing_ok=True)
            except OSError as error:
                raise StoreError(f"cannot replace {path}: {error.strerror}; delete it") from error
        raise StoreError(f"cannot use {path}; delete it")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, to the ledger and what is attached to it.

        Within another one, it is part of that.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        if self._db.in_transaction:
            yield self._db
            return
        try:
            self._patiently("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._patiently("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # some failures have undone it already
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._failure(error) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read the ledger and what is attached to it as they stand, whatever others write."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            for schema in ("main", *self._attached):  # the first look takes hold of the file
                self._patiently(f"SELECT count(*) FROM {schema}.sqlite_master")
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _patiently(self, sql: str) -> sqlite3.Cursor:
        """Execute ``sql``, when the process that writes to the file is done with it."""
        end = time.monotonic() + _PATIENCE
        told = False
        while True:
            try:
                return self._db.execute(sql)
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            if not told:
                _log.warning("%s: another kg process is writing to it; waiting", self._path)
                told = True

    def _failure(self, error: sqlite3.Error, path: Path | None = None) -> StoreError:
        """Return ``error`` as one that says which file it is about, and how to mend it."""
        if _code(error) in _DAMAGE and self._attached:
            try:
                self.check()
            except StoreError as damage:
                return damage
            derived = ", ".join(map(str, self._attached.values()))
            return StoreError(f"{derived} is damaged ({error}): delete it, it is made anew")
        remedy = _REMEDIES.get(_code(error), "")
        said = f"{path or self._path} cannot be used: {error}"
        return StoreError(f"{said}; {remedy}" if remedy else said)

    def check(self) -> None:
        """Check that the file is whole.

        Raises
        ------
        StoreError
            If it is damaged.
        """
        if said := damage(self._db):
            raise StoreError(f"{self._path} is damaged ({said}): {_NO_LEDGER}")

    def get(self, name: str) -> str | None:
        """Return the value stored under ``name``, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set(self, name: str, value: str) -> None:
        """Store ``value`` under ``name``."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def damage(db: sqlite3.Connection) -> str:
    """Return what is wrong with the main file of ``db``, on one line; empty if it is whole."""
    try:
        (answer,) = db.execute("PRAGMA main.quick_check").fetchone()
    except sqlite3.Error as error:
        answer = str(error)
    return "" if answer == "ok" else " ".join(answer.split())[:200]


def _code(error: sqlite3.Error) -> int:
    """Return the primary result code of SQLite, 0 if ``error`` has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
