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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from kg.json_form import from_json
from kg.ledger_records import STANDS, LedgerRecords
from kg.ledger_rows import extraction_row, outcome_of
from kg.records import Extraction, Paper, digest

__all__ = ["Build", "Ledger"]


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


class Ledger(LedgerRecords):
    """The ledger of one graph directory; opened as :class:`~kg.ledger_file.LedgerFile` says.

    What was read stands in :class:`~kg.ledger_records.LedgerRecords`, what was extracted here.
    """

    # -- extraction -----------------------------------------------------------------------------

    def papers(self) -> Iterator[Paper]:
        """Yield every paper that stands (no duplicates), sorted by id."""
        rows = self._db.execute(f"SELECT json FROM record WHERE {STANDS} ORDER BY paper")
        for (text,) in rows.fetchall():
            yield from_json(Paper, json.loads(text))

    def count_papers(self) -> int:
        """Return the number of papers that stand."""
        (count,) = self._db.execute(f"SELECT count(*) FROM record WHERE {STANDS}").fetchone()
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
                f"SELECT paper, digest FROM record WHERE {STANDS} ORDER BY paper",
                "SELECT paper, digest FROM extraction ORDER BY paper",
            )
        )
        return digest(*parts)


_PAGE: Final = 500
"""Papers that are read from the file at a time."""
_PENDING: Final = (
    "FROM record r LEFT JOIN extraction e ON e.paper = r.paper WHERE r.paper IS NOT NULL "
    "AND r.outcome != 'duplicate' AND NOT r.withdrawn "
    "AND (e.paper IS NULL OR e.input != r.input OR e.extractor != ?)"
)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
