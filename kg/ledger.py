"""The ledger: what was read, and what was extracted from it, on disk and transactional.

A graph is a directory. Its ``ledger.sqlite`` is the system of record: every input record with its
outcome, and the extraction of every paper. All other files in the directory are derived from it and
may be deleted at any time. Each method that writes does so in one transaction: a process that is
killed leaves the ledger as it was before or after, never between.

Outcomes of a record: ``extracted``, ``empty`` (nothing to extract from, or nothing found, or
withdrawn), ``duplicate`` (another record has the same id or the same text), ``rejected`` (with its
reason) and, until extraction has come to it, ``read``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from kg.errors import NotFoundError
from kg.json_form import from_json
from kg.ledger_file import LedgerFile
from kg.ledger_rows import extraction_row, outcome_of, record_row, settled, source_of
from kg.read.items import Read, Rejected
from kg.read.places import STDIN
from kg.records import Extraction, Paper, Source, digest

__all__ = ["OUTCOMES", "Build", "Ledger"]

OUTCOMES: Final = ("duplicate", "empty", "extracted", "read", "rejected")
"""What can become of a record."""

_STANDS: Final = "paper IS NOT NULL AND outcome != 'duplicate'"


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


class Ledger(LedgerFile):
    """The ledger of one graph directory; opened as :class:`~kg.ledger_file.LedgerFile` says."""

    # -- reading records in ---------------------------------------------------------------------

    def replace_file(
        self, file: str, items: Iterable[Read | Rejected], extractor: str = "", build: int = 0
    ) -> int:
        """Make ``items`` the records of ``file``, in one transaction; what it held before goes.

        Records of standard input (file ``-``) are added to what earlier runs read there. A file
        that cannot be read at all (one rejection at position 0) keeps what it held, and standard
        input then has no record. An extraction that comes with an item is stored, unless one by
        ``extractor`` is there already.

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
            if file == STDIN:
                changed = self._append(db, file, items)
                self._unsettle(changed)
                return changed
            last = given = 0
            for item in items:
                last = source_of(item).position
                row = record_row(item)
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
                    found = extraction_row(item.paper, item.extraction, item.extractor, build)
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
            row = list(record_row(item))
            if row[1] == 0:
                continue
            if (row[7] and row[7] in contents) or (row[3], None) in seen:
                continue
            added += 1
            row[1] = last + added
            db.execute(_INSERT, row)
        return added

    def settle(self) -> int:
        """Decide which record stands for each paper; the others become duplicates.

        Of the records of one id, the first by file and position stands; of several ids with one
        text, the first that has an id of its source. So the order of reading does not count.
        Extractions of papers that are gone or withdrawn, or of a text that changed, are deleted.
        Does nothing if no record changed since the last time.

        Returns
        -------
        int
            How many papers with an extraction are gone: no record has their id any more.
        """
        if self.get("unsettled") is None:
            return 0
        with self.transaction() as db:
            found = {
                paper: (input_, bool(empty))
                for paper, input_, empty in db.execute("SELECT paper, input, empty FROM extraction")
            }
            gone = set(found)
            standing = set()
            updates = []
            for row, outcome, reason in settled(
                db.execute(
                    "SELECT file, position, paper, content, input, withdrawn, outcome, reason "
                    "FROM record WHERE paper IS NOT NULL "
                    "ORDER BY paper LIKE 'text:%', file, position"
                )
            ):
                file, position, paper, _, input_, withdrawn, *was = row
                gone.discard(paper)
                if outcome != "duplicate":
                    if withdrawn:
                        outcome, reason = "empty", "withdrawn"
                    elif paper in found and found[paper][0] == input_:
                        standing.add(paper)
                        outcome, reason = outcome_of(found[paper][1])
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
            return len(gone)

    def remove(self, papers: Iterable[str] = (), files: Iterable[str] = ()) -> int:
        """Remove papers and files with all their records, and the extractions of what is then gone.

        Records of the text of one of ``papers`` under other ids go with it: they are that paper,
        too. A paper that is also in another file than those of ``files`` stays.

        Parameters
        ----------
        papers : ids.
        files : as their records name them; of a directory or an archive, all that is in it.

        Returns
        -------
        int
            How many records were removed.

        Raises
        ------
        NotFoundError
            If one of them has no record; then nothing is removed.
        """
        gone = 0
        ids = sorted({p.encode("utf-8", "replace").decode() for p in papers})
        with self.transaction() as db:
            texts: list[tuple[str]] = []
            for paper in ids:
                found = db.execute(
                    f"SELECT content, {_STANDS} FROM record WHERE paper = ?", (paper,)
                ).fetchall()
                if not found:
                    raise NotFoundError(
                        f"no paper has the id {paper!r}; `kg cypher 'MATCH (p:Paper) RETURN p.id, "
                        "p.title'` lists them"
                    )
                texts += [(content,) for content, stands in found if stands]
            for column, values in (("paper", [(paper,) for paper in ids]), ("content", texts)):
                sql = f"DELETE FROM record WHERE {column} = ?"
                gone += db.executemany(sql, values).rowcount
            for file in sorted(set(files)):
                there = db.execute(
                    "DELETE FROM record WHERE file = ?1 OR substr(file, 1, length(?2)) = ?2 "
                    "OR substr(file, 1, length(?3)) = ?3",
                    (file, f"{file}/", f"{file}!/"),
                ).rowcount
                if not there:
                    raise NotFoundError(
                        f"no record is of the file {file!r}; `kg info --records` names the files"
                    )
                gone += there
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

    def pending(self, extractor: str) -> Iterator[Paper]:
        """Yield the papers without an extraction of their present text by ``extractor``.

        In the order of their ids, a page at a time, so that memory does not grow with their number,
        and extractions may be added between one and the next.
        """
        page = f"SELECT r.paper, r.json {_PENDING} AND r.paper > ? ORDER BY r.paper LIMIT {_PAGE}"
        rows = self._db.execute(page, (extractor, "")).fetchall()
        while rows:
            yield from (from_json(Paper, json.loads(text)) for _, text in rows)
            rows = self._db.execute(page, (extractor, rows[-1][0])).fetchall()

    def add_extractions(
        self, pairs: Iterable[tuple[Paper, Extraction]], extractor: str, build: int = 0
    ) -> None:
        """Store the extractions of papers by ``extractor``, in one transaction.

        Those of papers that have been removed meanwhile, or have got another text, are not stored.

        Parameters
        ----------
        build : number of the build that made them.
        """
        with self.transaction() as db:
            for paper, x in pairs:
                row = extraction_row(paper, x, extractor, build)
                this = row[:2]  # the paper, and the digest of what the extractor has seen of it
                stands = db.execute(
                    "UPDATE record SET outcome = ?, reason = ? "
                    "WHERE paper = ? AND input = ? AND outcome != 'duplicate'",
                    (*outcome_of(x.empty), *this),
                )
                if stands.rowcount:
                    db.execute("INSERT OR REPLACE INTO extraction VALUES (?,?,?,?,?,?,?)", row)

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
        """Yield (source, outcome, reason, notes) of every record, or of those of one outcome.

        By file and position.
        """
        rows = self._db.execute(
            "SELECT file, position, outcome, reason, notes FROM record "
            "WHERE ?1 IS NULL OR outcome = ?1 ORDER BY file, position",
            (outcome,),
        )
        for file, position, found, reason, notes in rows.fetchall():
            yield Source(file, position), found, reason, json.loads(notes)

    def clashes(self) -> list[tuple[Source, str]]:
        """Return source and reason of the records that are left out, and their text with them.

        Another record has their id, and none that stands has their text: perhaps they are other
        papers.
        """
        rows = self._db.execute(
            "SELECT file, position, reason FROM record WHERE outcome = 'duplicate' "
            f"AND content NOT IN (SELECT content FROM record WHERE {_STANDS}) "
            "ORDER BY file, position"
        )
        return [(Source(file, position), reason) for file, position, reason in rows]


_PAGE: Final = 500
"""Papers that are read from the file at a time."""
_INSERT: Final = "INSERT OR REPLACE INTO record VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_PENDING: Final = (
    "FROM record r LEFT JOIN extraction e ON e.paper = r.paper WHERE r.paper IS NOT NULL "
    "AND r.outcome != 'duplicate' AND NOT r.withdrawn "
    "AND (e.paper IS NULL OR e.input != r.input OR e.extractor != ?)"
)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
