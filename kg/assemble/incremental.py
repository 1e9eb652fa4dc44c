"""Assembly that follows changes: the assembled graph on disk, kept equal to the ledger.

``assembled.sqlite`` lies beside the ledger and is derived from it: it may be deleted at any time.
For every entity of every paper it keeps where it belongs and why, and for every entity and
statement of the graph its record. When papers came, changed or left, :meth:`Assembly.update` goes
through the rules of :mod:`kg.assemble.resolve` only where they can come out otherwise than before::

    changed papers → their names → acronyms that other papers left open → names of several families
    → groups → entities, and what is a variant of them → papers whose entities have another key
    → statements

and comes to the graph that :func:`kg.assemble.assemble.assemble` makes of all papers at once.
Ledger and assembled graph are written in one transaction over both files.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from kg.assemble.assemble import VERSION
from kg.assemble.decisions import Decision, Decisions
from kg.assemble.resolve import aliases
from kg.assemble.update import Update, node_of_text, records
from kg.errors import StoreError
from kg.graph import Graph
from kg.json_form import from_json
from kg.ledger import Ledger
from kg.records import Entity, Mention, Result, Statement, digest

__all__ = ["FILE", "Assembly"]

FILE: Final = "assembled.sqlite"

_LAYOUT: Final = 1
_TABLES: Final = """
CREATE TABLE graph.meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE graph.paper (
    paper TEXT PRIMARY KEY, digest TEXT NOT NULL, mentions TEXT NOT NULL DEFAULT '[]',
    results TEXT NOT NULL DEFAULT '[]', removed TEXT NOT NULL DEFAULT '[]',
    result_count INTEGER NOT NULL DEFAULT 0, mention_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX graph.paper_digest ON paper (paper, digest);
CREATE TABLE graph.local (
    paper TEXT NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
    names TEXT NOT NULL, introduced INTEGER NOT NULL, confidence REAL NOT NULL,
    own TEXT NOT NULL, rule TEXT NOT NULL, asks INTEGER NOT NULL, coined INTEGER NOT NULL,
    bound INTEGER NOT NULL, form TEXT NOT NULL, first TEXT NOT NULL,
    natural TEXT NOT NULL DEFAULT '', node TEXT, rules TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (paper, key)
);
CREATE INDEX graph.local_asks ON local (own) WHERE asks;
CREATE INDEX graph.local_form ON local (form, first, bound, natural, coined);
CREATE INDEX graph.local_natural ON local (natural);
CREATE INDEX graph.local_node ON local (node);
CREATE TABLE graph.meaning (paper TEXT NOT NULL, acronym TEXT NOT NULL, expansion TEXT NOT NULL);
CREATE INDEX graph.meaning_acronym ON meaning (acronym, expansion);
CREATE INDEX graph.meaning_paper ON meaning (paper);
CREATE TABLE graph.entity (node TEXT PRIMARY KEY, key TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX graph.entity_key ON entity (key);
CREATE TABLE graph.variant (
    node TEXT NOT NULL, step INTEGER NOT NULL, base TEXT NOT NULL, PRIMARY KEY (node, step)
) WITHOUT ROWID;
CREATE INDEX graph.variant_base ON variant (base);
CREATE TABLE graph.evidence (
    subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, paper TEXT NOT NULL,
    json TEXT NOT NULL, PRIMARY KEY (subject, predicate, object, paper)
);
CREATE INDEX graph.evidence_paper ON evidence (paper);
CREATE TABLE graph.statement (
    subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, id TEXT NOT NULL,
    json TEXT NOT NULL, PRIMARY KEY (subject, predicate, object)
);
CREATE INDEX graph.statement_id ON statement (id);
"""


class Assembly:
    """The assembled graph of a ledger.

    Parameters
    ----------
    ledger : open; the assembled graph is kept in its directory.

    Raises
    ------
    StoreError
        If the file cannot be written.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._db = ledger.attach(FILE, "graph", self._usable)
        if not self._usable(self._db):
            with ledger.transaction():
                self._make()

    def _make(self) -> None:
        if self._usable(self._db):  # another process has made them meanwhile
            return
        for sql in _TABLES.split(";"):
            self._db.execute(sql)
        self._db.execute(f"PRAGMA graph.user_version = {_LAYOUT:d}")

    @staticmethod
    def _usable(db: sqlite3.Connection) -> bool:
        return bool(db.execute("PRAGMA graph.user_version").fetchone()[0] == _LAYOUT)

    # -- keeping up -----------------------------------------------------------------------------

    def update(self, decisions: Decisions) -> bool:
        """Make the assembled graph that of the ledger and ``decisions``.

        Returns
        -------
        bool
            Whether it was another one before.

        Notes
        -----
        Takes time for the papers that changed and for those that use the same names; for all papers
        if the decisions, the aliases or the rules themselves changed.
        """
        if self._get("state") == self.state(decisions):
            return False
        with self._ledger.transaction():
            state = self.state(decisions)
            rules = _rules_digest(decisions)
            if self._get("rules") != rules:
                for table in ("paper", "local", "meaning", "entity", "variant", "evidence",
                              "statement"):  # fmt: skip
                    self._db.execute(f"DELETE FROM graph.{table}")
                self._set("rules", rules)
            Update(self._db, decisions).run()
            self._set("state", state)
        return True

    def state(self, decisions: Decisions) -> str:
        """Return what the graph depends on: equal states, equal graphs."""
        return digest(self._ledger.state(), _rules_digest(decisions))

    def _get(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM graph.meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def _set(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO graph.meta VALUES (?, ?)", (name, value))

    # -- what it holds --------------------------------------------------------------------------

    def graph(self) -> Graph:
        """Return the graph as it stands."""
        with self._ledger.snapshot():
            return self._graph()

    def _graph(self) -> Graph:
        read = self._column
        entities = [from_json(Entity, json.loads(t)) for t in read("SELECT json FROM graph.entity")]
        statements = [
            from_json(Statement, json.loads(t)) for t in read("SELECT json FROM graph.statement")
        ]
        mentions = records(Mention, read("SELECT mentions FROM graph.paper"))
        results = records(Result, read("SELECT results FROM graph.paper"))
        return Graph(self._ledger.papers(), entities, mentions, statements, results)

    def counts(self) -> dict[str, int]:
        """Return how many papers, mentions, entities, statements and results the graph has."""
        (mentions, results), *_ = self._db.execute(
            "SELECT coalesce(sum(mention_count), 0), coalesce(sum(result_count), 0) "
            "FROM graph.paper"
        )
        (entities,) = self._column("SELECT count(*) FROM graph.entity")
        (statements,) = self._column("SELECT count(*) FROM graph.statement")
        return {
            "papers": self._ledger.count_papers(),
            "mentions": mentions,
            "entities": entities,
            "statements": statements,
            "results": results,
        }

    def unmatched(self, decisions: Decisions) -> list[tuple[Decision, str]]:
        """Return the decisions that match nothing, each with what it is that is not there."""
        if not decisions:
            return []
        nodes = {node_of_text(t) for t in self._column("SELECT DISTINCT natural FROM graph.local")}
        keys = {
            node_of_text(n): k for n, k in self._db.execute("SELECT node, key FROM graph.entity")
        }
        statements = set(self._column("SELECT id FROM graph.statement"))
        ids = {r.id for r in records(Result, self._column("SELECT results FROM graph.paper"))}
        removed = {
            id for t in self._column("SELECT removed FROM graph.paper") for id in json.loads(t)
        }
        return decisions.unmatched(nodes | keys.keys(), keys, statements, ids, removed)

    def _column(self, sql: str) -> list[Any]:
        try:
            return [value for (value,) in self._db.execute(sql)]
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._ledger.directory / FILE} is damaged ({error}): delete it, it is made anew"
            ) from error


def _rules_digest(decisions: Decisions) -> str:
    return digest(VERSION, _LAYOUT, decisions.digest, *sorted(map(str, aliases().items())))
