"""The records of the ledger: what was read, and which record stands for each paper."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kg.errors import NotFoundError
from kg.ledger_file import LedgerFile
from kg.ledger_rows import extraction_row, outcome_of, record_row, settled, source_of
from kg.read.items import Read, Rejected
from kg.read.places import STDIN
from kg.records import Source

__all__ = ["OUTCOMES", "STANDS", "LedgerRecords"]

OUTCOMES: Final = ("duplicate", "empty", "extracted", "read", "rejected")
"""What can become of a record."""

STANDS: Final = "paper IS NOT NULL AND outcome != 'duplicate'"
"""Of a record that stands for its paper, in SQL."""

_OF_FILE: Final = (
    "file = ?1 OR substr(file, 1, length(?2)) = ?2 OR substr(file, 1, length(?3)) = ?3"
)
"""Of a record of a file, or of what is in a directory or an archive."""

_INSERT: Final = "INSERT OR REPLACE INTO record VALUES (?,?,?,?,?,?,?,?,?,?,?)"


class LedgerRecords(LedgerFile):
    """The part of :class:`kg.ledger.Ledger` that reads records in, and tells of them."""

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
                    f"SELECT content, {STANDS} FROM record WHERE paper = ?", (paper,)
                ).fetchall()
                if not found:
                    raise NotFoundError(
                        f"no paper has the id {paper!r}; `kg cypher 'MATCH (p:Paper) RETURN p.id, "
                        "p.title'` lists them"
                    )
                texts += [(content,) for content, stands in found if stands]
            places = [(file, f"{file}/", f"{file}!/") for file in sorted(set(files))]
            for place in places:
                there = f"SELECT 1 FROM record WHERE {_OF_FILE} LIMIT 1"
                if db.execute(there, place).fetchone() is None:
                    what = f"no record is of the file {place[0]!r}"
                    raise NotFoundError(f"{what}; `kg info --records` names the files")
            for where, values in (
                ("paper = ?", [(paper,) for paper in ids]),
                ("content = ?", texts),
                (_OF_FILE, places),
            ):
                gone += db.executemany(f"DELETE FROM record WHERE {where}", values).rowcount
            self._unsettle(gone)
        self.settle()
        return gone

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
            f"AND content NOT IN (SELECT content FROM record WHERE {STANDS}) "
            "ORDER BY file, position"
        )
        return [(Source(file, position), reason) for file, position, reason in rows]
