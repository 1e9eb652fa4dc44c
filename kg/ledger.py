"""The ledger: what was read, and what was extracted from it, on disk and transactional.

A graph is a directory. Its ``ledger.sqlite`` is the system of record: every input record with its
outcome, and the extraction of every paper. All other files in the directory are derived from it and
may be deleted at any time. Each method that writes does so in one transaction: a process that is
killed leaves the ledger as it was before or after, never between.

Outcomes of a record: ``extracted``, ``empty`` (nothing to extract from, or nothing found, or
withdrawn),
``duplicate`` (another record has the same id or the same text), ``rejected`` (with its reason) and,
until extraction has come to it, ``read``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from kg.errors import NotFoundError, StoreError
from kg.read.items import WITHDRAWN, Read, Rejected
from kg.records import Extraction, Paper, Source, content_id, digest, from_json, to_json

__all__ = ["FILE", "VERSION", "Ledger", "source_of"]

FILE: Final = "ledger.sqlite"
VERSION: Final = 1
"""Version of the ledger's tables."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS record (
    file TEXT NOT NULL, position INTEGER NOT NULL,
    outcome TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT '[]',
    paper TEXT, content TEXT, json TEXT,
    PRIMARY KEY (file, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS record_paper ON record (paper);
CREATE INDEX IF NOT EXISTS record_content ON record (content);
CREATE TABLE IF NOT EXISTS extraction (
    paper TEXT PRIMARY KEY, input TEXT NOT NULL, extractor TEXT NOT NULL, json TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

_PAPERS: Final = (
    "SELECT json FROM record WHERE paper IS NOT NULL AND outcome != 'duplicate' ORDER BY paper"
)

_STATING: Final = _PAPERS.replace("ORDER", "AND notes NOT LIKE ? ORDER")
_WITHDRAWN_NOTE: Final = f'%"{WITHDRAWN}"%'


def input_digest(paper: Paper) -> str:
    """Return the digest of what extraction sees of ``paper``: its id, title and text."""
    return digest(paper.id, paper.title, paper.text)


def _dump(record: Any) -> str:
    return json.dumps(to_json(record), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Ledger:
    """The ledger of one graph directory. Use it as a context manager.

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
            if found < VERSION:
                self._db.executescript(_TABLES)
                self._db.execute(f"PRAGMA user_version = {VERSION:d}")
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be used as a ledger: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
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

    # -- reading records in ---------------------------------------------------------------------

    def replace_file(self, file: str, items: Iterable[Read | Rejected]) -> int:
        """Make ``items`` the records of ``file``, in one transaction; what it held before goes.

        Records of standard input (file ``-``) are added to what earlier runs read there. A file
        that cannot be read at all (one rejection at position 0) keeps what it held.

        Returns
        -------
        int
            How many records are new, changed or gone.
        """
        changed = 0
        with self._transaction() as db:
            if file == "-":
                return self._append(db, file, items)
            last = 0
            for item in items:
                last = source_of(item).position
                row = _row(item)
                old = db.execute(
                    "SELECT reason, notes, paper, content, json FROM record "
                    "WHERE file = ? AND position = ?",
                    (file, last),
                ).fetchone()
                if old is None or (row[3:] if row[5] is None else row[4:]) != (
                    old if row[5] is None else old[1:]
                ):
                    db.execute("INSERT OR REPLACE INTO record VALUES (?,?,?,?,?,?,?,?)", row)
                    changed += 1
            if last:
                changed += db.execute(
                    "DELETE FROM record WHERE file = ? AND (position > ? OR position = 0)",
                    (file, last),
                ).rowcount
        return changed

    @staticmethod
    def _append(db: sqlite3.Connection, file: str, items: Iterable[Read | Rejected]) -> int:
        """Add ``items`` behind the records of ``file``, without those that it has already."""
        seen = set(db.execute("SELECT reason, content FROM record WHERE file = ?", (file,)))
        (last,) = db.execute(
            "SELECT coalesce(max(position), 0) FROM record WHERE file = ?", (file,)
        ).fetchone()
        added = 0
        for item in items:
            row = list(_row(item))
            if row[6] in {content for _, content in seen if content} or (row[3], None) in seen:
                continue
            added += 1
            row[1] = last + added
            db.execute("INSERT INTO record VALUES (?,?,?,?,?,?,?,?)", row)
        return added

    def settle(self) -> None:
        """Decide which record stands for each paper; the others become duplicates.

        Of the records of one id, the first by file and position stands; of several ids with one
        text, the first that has an id of its source. So the order of reading does not count.
        """
        with self._transaction() as db:
            rows = db.execute(
                "SELECT file, position, paper, content FROM record WHERE paper IS NOT NULL "
                "ORDER BY paper LIKE 'text:%', file, position"
            ).fetchall()
            by_id: dict[str, tuple[str, int, str]] = {}
            by_content: dict[str, tuple[str, int, str]] = {}
            updates: list[tuple[str, str, str, int]] = []
            for file, position, paper, content in rows:
                first = by_id.get(paper) or by_content.get(content)
                if first is None:
                    by_id[paper] = by_content[content] = (file, position, content)
                    updates.append(("read", "", file, position))
                    continue
                same = "text" if first[2] == content else "id, another text,"
                reason = f"same {same} as {first[0]}:{first[1]}"
                updates.append(("duplicate", reason, file, position))
            db.executemany(
                "UPDATE record SET outcome = ?, reason = ? WHERE file = ? AND position = ?", updates
            )
            done = db.execute("SELECT paper, input, json FROM extraction").fetchall()
            inputs = {p.id: input_digest(p) for p in self._stating()}
            gone = [(paper,) for paper, _, _ in done if paper not in inputs]
            db.executemany("DELETE FROM extraction WHERE paper = ?", gone)
            self._mark((p, text) for p, input_, text in done if inputs.get(p) == input_)
            db.execute(
                "UPDATE record SET outcome = 'empty', reason = 'withdrawn' "
                "WHERE outcome = 'read' AND notes LIKE ?",
                (_WITHDRAWN_NOTE,),
            )

    def _mark(self, extracted: Iterable[tuple[str, str]]) -> None:
        """Set the outcome of the records of ``extracted`` papers ((paper id, JSON), …)."""
        self._db.executemany(
            "UPDATE record SET outcome = ?, reason = ? WHERE paper = ? AND outcome != 'duplicate'",
            [
                ("empty", "nothing was found in it", paper)
                if '"mentions"' not in text and '"results"' not in text
                else ("extracted", "", paper)
                for paper, text in extracted
            ],
        )

    def remove(self, paper: str) -> int:
        """Remove every record and the extraction of the paper with the id ``paper``.

        Returns
        -------
        int
            How many records were removed.

        Raises
        ------
        NotFoundError
            If no record has that id.
        """
        with self._transaction() as db:
            gone = db.execute("DELETE FROM record WHERE paper = ?", (paper,)).rowcount
            if not gone:
                raise NotFoundError(f"no paper has the id {paper!r}; `kg query papers` lists them")
            db.execute("DELETE FROM extraction WHERE paper = ?", (paper,))
        self.settle()
        return gone

    # -- extraction -----------------------------------------------------------------------------

    def papers(self) -> Iterator[Paper]:
        """Yield every paper that stands (no duplicates), sorted by id."""
        for (text,) in self._db.execute(_PAPERS).fetchall():
            yield from_json(Paper, json.loads(text))

    def _stating(self) -> Iterator[Paper]:
        """Yield the papers that stand and are not withdrawn, sorted by id."""
        rows = self._db.execute(_STATING, (_WITHDRAWN_NOTE,)).fetchall()
        for (text,) in rows:
            yield from_json(Paper, json.loads(text))

    def pending(self, extractor: str) -> list[Paper]:
        """Return the papers without an extraction of their present text by ``extractor``."""
        done = {
            paper: (digest_, version)
            for paper, digest_, version in self._db.execute(
                "SELECT paper, input, extractor FROM extraction"
            )
        }
        return [p for p in self._stating() if done.get(p.id) != (input_digest(p), extractor)]

    def add_extractions(self, pairs: Iterable[tuple[Paper, Extraction]], extractor: str) -> None:
        """Store the extractions of papers by ``extractor``, in one transaction."""
        rows = [(p.id, input_digest(p), extractor, _dump(x)) for p, x in pairs]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO extraction VALUES (?,?,?,?)", rows)
            self._mark((paper, text) for paper, _, _, text in rows)

    def extractions(self) -> Iterator[Extraction]:
        """Yield every stored extraction, sorted by paper."""
        rows = self._db.execute("SELECT json FROM extraction ORDER BY paper")
        for (text,) in rows.fetchall():
            yield from_json(Extraction, json.loads(text))

    # -- about it -------------------------------------------------------------------------------

    def state(self) -> str:
        """Return a digest of all papers and extractions: equal states give equal graphs."""
        parts: list[str] = []
        for sql in (_PAPERS, "SELECT json FROM extraction ORDER BY paper"):
            parts += [digest(*row) for row in self._db.execute(sql)]
        return digest(*parts)

    def outcomes(self) -> dict[str, int]:
        """Return outcome to number of records, sorted by outcome."""
        sql = "SELECT outcome, count(*) FROM record GROUP BY outcome ORDER BY outcome"
        return dict(self._db.execute(sql).fetchall())

    def records(self, outcome: str | None = None) -> Iterator[tuple[Source, str, str, list[str]]]:
        """Yield (source, outcome, reason, notes) of every record, by file and position."""
        sql = "SELECT file, position, outcome, reason, notes FROM record"
        where = " WHERE outcome = ?" if outcome else ""
        rows = self._db.execute(
            sql + where + " ORDER BY file, position", (outcome,) if outcome else ()
        )
        for file, position, found, reason, notes in rows.fetchall():
            yield Source(file, position), found, reason, json.loads(notes)

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
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def source_of(item: Read | Rejected) -> Source:
    """Return where ``item`` was read."""
    if isinstance(item, Rejected):
        return item.source
    return item.paper.source or Source("-", 0)


def _row(item: Read | Rejected) -> tuple[Any, ...]:
    """Return the row of table ``record`` for ``item``."""
    source = source_of(item)
    place = source.file, source.position
    if isinstance(item, Rejected):
        outcome = "empty" if item.kind == "empty" else "rejected"
        return (*place, outcome, item.reason, "[]", None, None, None)
    notes = json.dumps(item.notes, ensure_ascii=False)
    paper = item.paper
    return (*place, "read", "", notes, paper.id, content_id(paper.text), _dump(paper))
