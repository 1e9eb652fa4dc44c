"""The file of the ledger: its tables, opened, and written in transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from kg.errors import NotFoundError, StoreError

__all__ = ["FILE", "VERSION", "LedgerFile"]

FILE: Final = "ledger.sqlite"
VERSION: Final = 2
"""Version of the ledger's tables."""

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
    """The file of the ledger in one graph directory. Use it as a context manager.

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
        if not path.is_file():
            if not create:
                raise NotFoundError(
                    f"no graph in {self.directory}: build one with `kg build PATH -o "
                    f"{self.directory}`, or name another directory with -g"
                )
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"cannot make {self.directory}: {error.strerror}") from error
        try:
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._db.execute("PRAGMA synchronous = NORMAL")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found > VERSION:
                raise StoreError(
                    f"{path} was made by a newer sotagraph (ledger version {found}, this one knows "
                    f"{VERSION}): upgrade with `pip install -U sotagraph`"
                )
            if found == 0:
                with self.transaction():
                    if not self._db.execute("PRAGMA user_version").fetchone()[0]:
                        for sql in _TABLES.split(";"):
                            self._db.execute(sql)
                        self._db.execute(f"PRAGMA user_version = {VERSION:d}")
            elif found < VERSION:
                raise StoreError(
                    f"{path} was made by an older sotagraph (ledger version {found}, not "
                    f"{VERSION}): delete {self.directory} and build it again"
                )
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be used as a ledger: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
                self._db.execute(f"ATTACH ? AS {schema}", (str(path),))
                empty = not self._db.execute(f"PRAGMA {schema}.page_count").fetchone()[0]
                if empty or usable(self._db):
                    return self._db
            except sqlite3.Error as error:
                if attempt:
                    raise StoreError(f"cannot use {path}: {error}; delete it") from error
            with suppress(sqlite3.Error):
                self._db.execute(f"DETACH {schema}")
            for name in (path, path.with_name(file + "-journal")):
                name.unlink(missing_ok=True)
        raise StoreError(f"cannot use {path}; delete it")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, to the ledger and what is attached to it.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(
                f"cannot write {self.directory / FILE}: {error}; is another kg build running?"
            ) from error

    def check(self) -> None:
        """Check that the file is whole.

        Raises
        ------
        StoreError
            If it is damaged.
        """
        try:
            (answer,) = self._db.execute("PRAGMA quick_check").fetchone()
        except sqlite3.Error as error:
            answer = str(error)
        if answer != "ok":
            where = self.directory / FILE
            raise StoreError(f"{where} is damaged ({answer}): restore or rebuild it")

    def get(self, name: str) -> str | None:
        """Return the value stored under ``name``, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set(self, name: str, value: str) -> None:
        """Store ``value`` under ``name``."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
