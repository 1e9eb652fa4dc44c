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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from kg.errors import NotFoundError, StoreError
from kg.json_form import from_json, to_json
from kg.read.items import WITHDRAWN, Read, Rejected
from kg.records import Extraction, Paper, Source, content_id, digest

__all__ = ["FILE", "VERSION", "Build", "Ledger", "source_of"]

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

_STANDS: Final = "paper IS NOT NULL AND outcome != 'duplicate'"


def input_digest(paper: Paper) -> str:
    """Return the digest of what extraction sees of ``paper``: its id, title and text."""
    return digest(paper.id, paper.title, paper.text)


def _dump(record: Any) -> str:
    return json.dumps(to_json(record), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Build:
    """A build that changed the graph.

    Attributes
    ----------
    number : 1 is the first.
    started, finished : ISO 8601, UTC; ``finished`` is "" if the build did not come to its end.
    version : of this package.
    extractor : version of the extractor.
    extracted : how many papers were extracted.
    decisions : digest of the decisions that were applied, "" if there were none.
    """

    number: int
    started: str
    finished: str
    version: str
    extractor: str
    extracted: int
    decisions: str


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

    # -- reading records in ---------------------------------------------------------------------

    def replace_file(
        self, file: str, items: Iterable[Read | Rejected], extractor: str = "", build: int = 0
    ) -> int:
        """Make ``items`` the records of ``file``, in one transaction; what it held before goes.

        Records of standard input (file ``-``) are added to what earlier runs read there. A file
        that cannot be read at all (one rejection at position 0) keeps what it held. An extraction
        that comes with an item is stored, unless one by ``extractor`` is there already.

        Parameters
        ----------
        extractor : version of the extractor that does what is missing.
        build : number of the build that reads the file.

        Returns
        -------
        int
            How many records are new, changed or gone.
        """
        changed = 0
        with self.transaction() as db:
            if file == "-":
                changed = self._append(db, file, items)
                self._unsettle(changed)
                return changed
            last = given = 0
            for item in items:
                last = source_of(item).position
                row = _row(item)
                old = db.execute(
                    "SELECT reason, notes, withdrawn, paper, digest, outcome FROM record "
                    "WHERE file = ? AND position = ?",
                    (file, last),
                ).fetchone()
                new = row[3], row[4], row[5], row[6], row[9]
                if old is None or (new if row[6] is None else new[1:]) != (
                    old[:5] if row[6] is None else old[1:5]
                ):
                    db.execute(_INSERT, row)
                    changed += 1
                elif old[5] == "duplicate":
                    continue
                if isinstance(item, Read) and item.extraction is not None and not row[5]:
                    found = _found_row(item.paper, item.extraction, item.extractor, build)
                    given += self._give(db, found, (file, last), extractor)
            if last:
                changed += db.execute(
                    "DELETE FROM record WHERE file = ? AND (position > ? OR position = 0)",
                    (file, last),
                ).rowcount
            self._unsettle(changed + given)
        return changed

    @staticmethod
    def _give(
        db: sqlite3.Connection, found: tuple[Any, ...], place: tuple[str, int], extractor: str
    ) -> int:
        """Store an extraction that came with the record at ``place``; return how many are stored.

        None is if a record that stands before this one has the id, or if ``extractor`` has done
        this text already.
        """
        paper, input_ = found[:2]
        return db.execute(
            "INSERT OR REPLACE INTO extraction SELECT ?,?,?,?,?,?,? "
            "WHERE NOT EXISTS (SELECT 1 FROM record WHERE paper = ? AND (file, position) < (?, ?)) "
            "AND NOT EXISTS (SELECT 1 FROM extraction "
            "WHERE paper = ? AND input = ? AND extractor = ?)",
            (*found, paper, *place, paper, input_, extractor),
        ).rowcount

    def _unsettle(self, changed: int) -> None:
        if changed:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('unsettled', '1')")

    @staticmethod
    def _append(db: sqlite3.Connection, file: str, items: Iterable[Read | Rejected]) -> int:
        """Add ``items`` behind the records of ``file``, without those that it has already."""
        seen = set(db.execute("SELECT reason, content FROM record WHERE file = ?", (file,)))
        contents = {content for _, content in seen if content}
        (last,) = db.execute(
            "SELECT coalesce(max(position), 0) FROM record WHERE file = ?", (file,)
        ).fetchone()
        added = 0
        for item in items:
            row = list(_row(item))
            if (row[7] and row[7] in contents) or (row[3], None) in seen:
                continue
            added += 1
            row[1] = last + added
            db.execute(_INSERT, row)
        return added

    def settle(self) -> None:
        """Decide which record stands for each paper; the others become duplicates.

        Of the records of one id, the first by file and position stands; of several ids with one
        text, the first that has an id of its source. So the order of reading does not count.
        Extractions of papers that are gone or withdrawn, or of a text that changed, are deleted.
        Does nothing if no record changed since the last time.
        """
        if self.get("unsettled") is None:
            return
        with self.transaction() as db:
            found = {
                paper: (input_, bool(empty))
                for paper, input_, empty in db.execute("SELECT paper, input, empty FROM extraction")
            }
            standing = set()
            updates = []
            for row, outcome, reason in _settled(
                db.execute(
                    "SELECT file, position, paper, content, input, withdrawn, outcome, reason "
                    "FROM record WHERE paper IS NOT NULL "
                    "ORDER BY paper LIKE 'text:%', file, position"
                )
            ):
                file, position, paper, _, input_, withdrawn, *was = row
                if outcome != "duplicate":
                    if withdrawn:
                        outcome, reason = "empty", "withdrawn"
                    elif paper in found and found[paper][0] == input_:
                        standing.add(paper)
                        outcome, reason = _found(found[paper][1])
                if [outcome, reason] != was:
                    updates.append((outcome, reason, file, position))
            db.executemany(
                "UPDATE record SET outcome = ?, reason = ? WHERE file = ? AND position = ?", updates
            )
            db.executemany(
                "DELETE FROM extraction WHERE paper = ?",
                [(paper,) for paper in sorted(found.keys() - standing)],
            )
            db.execute("DELETE FROM meta WHERE name = 'unsettled'")

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
        with self.transaction() as db:
            gone = db.execute("DELETE FROM record WHERE paper = ?", (paper,)).rowcount
            if not gone:
                raise NotFoundError(f"no paper has the id {paper!r}; `kg query papers` lists them")
            self._unsettle(gone)
        self.settle()
        return gone

    # -- extraction -----------------------------------------------------------------------------

    def papers(self) -> Iterator[Paper]:
        """Yield every paper that stands (no duplicates), sorted by id."""
        rows = self._db.execute(f"SELECT json FROM record WHERE {_STANDS} ORDER BY paper")
        for (text,) in rows.fetchall():
            yield from_json(Paper, json.loads(text))

    def count_papers(self) -> int:
        """Return the number of papers that stand."""
        (count,) = self._db.execute(f"SELECT count(*) FROM record WHERE {_STANDS}").fetchone()
        return int(count)

    def outdated(self, extractor: str) -> dict[str, int]:
        """Return how many papers have to be extracted, by the extractor that did it before.

        Parameters
        ----------
        extractor : version of the one that will do it.

        Returns
        -------
        dict
            Version of the extractor to number of papers, sorted; "" for papers that are new or have
            another text.
        """
        rows = self._db.execute(
            f"SELECT coalesce(e.extractor, '') AS was, count(*) {_PENDING} GROUP BY was "
            "ORDER BY was",
            (extractor,),
        )
        return dict(rows.fetchall())

    def pending(self, extractor: str) -> list[Paper]:
        """Return the papers without an extraction of their present text by ``extractor``."""
        rows = self._db.execute(f"SELECT r.json {_PENDING} ORDER BY r.paper", (extractor,))
        return [from_json(Paper, json.loads(text)) for (text,) in rows.fetchall()]

    def add_extractions(
        self, pairs: Iterable[tuple[Paper, Extraction]], extractor: str, build: int = 0
    ) -> None:
        """Store the extractions of papers by ``extractor``, in one transaction.

        Parameters
        ----------
        build : number of the build that made them.
        """
        rows, outcomes = [], []
        for paper, x in pairs:
            rows.append(_found_row(paper, x, extractor, build))
            outcomes.append((*_found(x.empty), paper.id))
        with self.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO extraction VALUES (?,?,?,?,?,?,?)", rows)
            db.executemany(
                "UPDATE record SET outcome = ?, reason = ? "
                "WHERE paper = ? AND outcome != 'duplicate'",
                outcomes,
            )

    def given(self, extractor: str, build: int) -> int:
        """Return how many extractions by ``extractor`` were stored for the build ``build``."""
        (count,) = self._db.execute(
            "SELECT count(*) FROM extraction WHERE extractor = ? AND build = ?", (extractor, build)
        ).fetchone()
        return int(count)

    def extractions(self) -> Iterator[Extraction]:
        """Yield every stored extraction, sorted by paper."""
        rows = self._db.execute("SELECT json FROM extraction ORDER BY paper")
        for (text,) in rows.fetchall():
            yield from_json(Extraction, json.loads(text))

    # -- builds ---------------------------------------------------------------------------------

    def next_build(self) -> int:
        """Return the number that :meth:`begin_build` will give."""
        (last,) = self._db.execute("SELECT coalesce(max(number), 0) FROM build").fetchone()
        return int(last) + 1

    def begin_build(self, version: str, extractor: str) -> int:
        """Note that a build begins, and return its number.

        Parameters
        ----------
        version : of this package.
        extractor : version of the extractor.
        """
        with self.transaction() as db:
            made = db.execute(
                "INSERT INTO build (started, version, extractor, extracted, decisions) "
                "VALUES (?, ?, ?, 0, '')",
                (_now(), version, extractor),
            )
            return int(made.lastrowid or 0)

    def end_build(self, number: int, extracted: int, decisions: str) -> None:
        """Note that build ``number`` is done.

        Parameters
        ----------
        extracted : how many papers it extracted.
        decisions : digest of the decisions that it applied, or "".
        """
        with self.transaction() as db:
            db.execute(
                "UPDATE build SET finished = ?, extracted = ?, decisions = ? WHERE number = ?",
                (_now(), extracted, decisions, number),
            )

    def builds(self) -> list[Build]:
        """Return the builds that changed the graph, the first one first."""
        rows = self._db.execute(
            "SELECT number, started, coalesce(finished, ''), version, extractor, extracted, "
            "decisions FROM build ORDER BY number"
        )
        return [Build(*row) for row in rows]

    def extracted_by(self, paper: str) -> tuple[str, int] | None:
        """Return the version of the extractor and the number of the build of a paper's extraction.

        None if it has none.
        """
        row = self._db.execute(
            "SELECT extractor, build FROM extraction WHERE paper = ?", (paper,)
        ).fetchone()
        return (row[0], row[1]) if row else None

    # -- about it -------------------------------------------------------------------------------

    def state(self) -> str:
        """Return a digest of all papers and extractions: equal states give equal graphs."""
        parts = (
            "\n".join(f"{paper}\t{hash_}" for paper, hash_ in self._db.execute(sql))
            for sql in (
                f"SELECT paper, digest FROM record WHERE {_STANDS} ORDER BY paper",
                "SELECT paper, digest FROM extraction ORDER BY paper",
            )
        )
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
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


_INSERT: Final = "INSERT OR REPLACE INTO record VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_PENDING: Final = (
    "FROM record r LEFT JOIN extraction e ON e.paper = r.paper WHERE r.paper IS NOT NULL "
    "AND r.outcome != 'duplicate' AND NOT r.withdrawn "
    "AND (e.paper IS NULL OR e.input != r.input OR e.extractor != ?)"
)


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
        return (*place, outcome, item.reason, "[]", False, None, None, None, None, None)
    notes = json.dumps(item.notes, ensure_ascii=False)
    paper, text = item.paper, _dump(item.paper)
    known = paper.id, content_id(paper.text), input_digest(paper), digest(text), text
    return (*place, "read", "", notes, WITHDRAWN in item.notes, *known)


def _found_row(paper: Paper, x: Extraction, extractor: str, build: int) -> tuple[Any, ...]:
    """Return the row of table ``extraction`` for ``x``."""
    text = _dump(x)
    return paper.id, input_digest(paper), extractor, build, x.empty, digest(text), text


def _settled(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """Yield each row (file, position, paper, content, …) with its outcome and the reason."""
    by_id: dict[str, tuple[Any, ...]] = {}
    by_content: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        file, position, paper, content, *_ = row
        first = by_id.get(paper) or by_content.get(content)
        if first is None:
            by_id[paper] = by_content[content] = file, position, content
            yield row, "read", ""
        else:
            same = "text" if first[2] == content else "id, another text,"
            yield row, "duplicate", f"same {same} as {first[0]}:{first[1]}"


def _found(empty: bool) -> tuple[str, str]:
    """Return the outcome of an extracted record, and the reason."""
    return ("empty", "nothing was found in it") if empty else ("extracted", "")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
