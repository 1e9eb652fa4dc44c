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
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from kg.assemble.assemble import VERSION
from kg.assemble.claims import facts, statement
from kg.assemble.decisions import Decision, Decisions, Node
from kg.assemble.entities import Tally, variants
from kg.assemble.resolve import Occurrence, aliases, occurrences, place, settled, slips
from kg.errors import StoreError
from kg.graph import Graph
from kg.ledger import Ledger
from kg.records import (
    Entity,
    Evidence,
    Extraction,
    Mention,
    Result,
    Statement,
    digest,
    from_json,
    to_json,
)
from kg.schema import FAMILY

__all__ = ["FILE", "Assembly"]

FILE: Final = "assembled.sqlite"

T = TypeVar("T")

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

_LOCAL: Final = "key, type, name, names, own, rule, bound, first, natural, node, rules"


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
            _Update(self._db, decisions).run()
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
        read = self._column
        entities = [from_json(Entity, json.loads(t)) for t in read("SELECT json FROM graph.entity")]
        statements = [
            from_json(Statement, json.loads(t)) for t in read("SELECT json FROM graph.statement")
        ]
        mentions = _records(Mention, read("SELECT mentions FROM graph.paper"))
        results = _records(Result, read("SELECT results FROM graph.paper"))
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
        nodes = {_node(t) for t in self._column("SELECT DISTINCT natural FROM graph.local")}
        keys = {_node(n): k for n, k in self._db.execute("SELECT node, key FROM graph.entity")}
        statements = set(self._column("SELECT id FROM graph.statement"))
        ids = {r.id for r in _records(Result, self._column("SELECT results FROM graph.paper"))}
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


class _Update:
    """One pass through the rules. Runs inside a transaction."""

    def __init__(self, db: sqlite3.Connection, decisions: Decisions) -> None:
        self.db = db
        self.decisions = decisions
        self.forms: set[str] = set()
        self.nodes: set[str] = set()
        self.dirty: set[str] = set()
        self.claims: set[tuple[str, str, str]] = set()

    def run(self) -> None:
        acronyms = self._papers()
        self._settle(acronyms)
        self._place()
        self._entities()
        self._facts()
        self._statements()

    def _papers(self) -> set[str]:
        """Replace what changed papers hold; return the acronyms that they define or use."""
        gone = self._ids(
            "SELECT paper FROM graph.paper WHERE NOT EXISTS "
            "(SELECT 1 FROM main.extraction e WHERE e.paper = graph.paper.paper)"
        )
        changed = self._ids(
            "SELECT e.paper FROM main.extraction e LEFT JOIN graph.paper p ON p.paper = e.paper "
            "WHERE p.digest IS NOT e.digest"
        )
        acronyms: set[str] = set()
        for paper in (*gone, *changed):
            rows = self.db.execute(
                "SELECT form, node, own, asks FROM graph.local WHERE paper = ?", (paper,)
            )
            for form, node, own, asks in rows:
                self.forms.add(form)
                self.nodes.add(node)
                if asks:
                    acronyms.add(own)
            acronyms.update(
                self._ids("SELECT acronym FROM graph.meaning WHERE paper = ?", paper)
            )  # fmt: skip
            for table in ("local", "meaning"):
                self.db.execute(f"DELETE FROM graph.{table} WHERE paper = ?", (paper,))
        for paper in gone:
            self.claims.update(self._claims_of(paper))
            self.db.execute("DELETE FROM graph.evidence WHERE paper = ?", (paper,))
            self.db.execute("DELETE FROM graph.paper WHERE paper = ?", (paper,))
        for paper in changed:
            hash_, text = self.db.execute(
                "SELECT digest, json FROM main.extraction WHERE paper = ?", (paper,)
            ).fetchone()
            self.db.execute(
                "INSERT INTO graph.paper (paper, digest) VALUES (?, ?) "
                "ON CONFLICT (paper) DO UPDATE SET digest = excluded.digest",
                (paper, hash_),
            )
            acronyms |= self._add(paper, from_json(Extraction, json.loads(text)))
        self.dirty.update(changed)
        return acronyms

    def _add(self, paper: str, extraction: Extraction) -> set[str]:
        locals_, meanings, acronyms = [], [], set()
        for o in occurrences(extraction):
            e, own = o.entity, _text(o.node)
            locals_.append(
                (paper, e.key, e.type, e.name, _dump(e.names), bool(e.introduced_in),
                 e.confidence, own, o.rule, o.asks, o.coined, o.bound, o.node[1], own)
            )  # fmt: skip
            self.forms.add(o.node[1])
            if o.asks:
                acronyms.add(own)
            for acronym, expansion in o.defines:
                meanings.append((paper, _text((FAMILY[e.type], acronym)), expansion))
        self.db.executemany(
            "INSERT INTO graph.local (paper, key, type, name, names, introduced, confidence, own, "
            "rule, asks, coined, bound, form, first) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            locals_,
        )
        self.db.executemany("INSERT INTO graph.meaning VALUES (?,?,?)", meanings)
        return acronyms | {acronym for _, acronym, _ in meanings}

    def _settle(self, acronyms: set[str]) -> None:
        """Lead the acronyms that papers left open to what the other papers say."""
        for acronym in sorted(acronyms):
            family, form = _node(acronym)
            counts = dict(
                self.db.execute(
                    "SELECT expansion, count(*) FROM graph.meaning WHERE acronym = ? "
                    "GROUP BY expansion",
                    (acronym,),
                )
            )
            means = settled(form, counts) or form
            first = _text((family, means))
            was = self._ids(
                "SELECT DISTINCT form FROM graph.local WHERE own = ? AND asks AND first != ?",
                acronym,
                first,
            )
            if was:
                self.forms.update(was)
                self.forms.add(means)
                self.db.execute(
                    "UPDATE graph.local SET form = ?, first = ?, natural = '' "
                    "WHERE own = ? AND asks",
                    (means, first, acronym),
                )

    def _place(self) -> None:
        """Find the node of every entity of a paper whose name was touched."""
        for form in sorted(self.forms):
            counts: dict[str, int] = {}
            coined = False
            for first, number, some in self.db.execute(
                "SELECT first, count(*), max(coined) FROM graph.local WHERE form = ? "
                "GROUP BY first",
                (form,),
            ):
                counts[_node(first)[0]] = number
                coined = coined or bool(some)
            prevailing, wrong = slips(counts, coined) if len(counts) > 1 else ("", frozenset())
            for family in sorted(counts):
                first = _text((family, form))
                target = _text((prevailing, form)) if family in wrong else first
                rows = self.db.execute(
                    f"SELECT paper, {_LOCAL} FROM graph.local WHERE form = ? AND first = ? "
                    "AND natural != CASE WHEN bound THEN first ELSE ? END",
                    (form, first, target),
                ).fetchall()
                self._move(rows, target)

    def _move(self, rows: list[tuple[Any, ...]], target: str) -> None:
        """Place the locals of ``rows``, whose natural node is ``target`` unless they are bound."""
        updates = []
        for paper, key, type_, name, names, own, rule, bound, first, _, was, _ in rows:
            entity = Entity(key, name, type_, tuple(json.loads(names)))
            occurrence = Occurrence(entity, _node(own), rule)
            natural = first if bound else target
            at = place(occurrence, paper, _node(first), _node(natural), self.decisions)
            node = None if at.node is None else _text(at.node)
            updates.append((natural, node, _dump(at.rules), paper, key))
            self.nodes.update(n for n in (was, node) if n)
            self.dirty.add(paper)
        self.db.executemany(
            "UPDATE graph.local SET natural = ?, node = ?, rules = ? WHERE paper = ? AND key = ?",
            updates,
        )

    def _entities(self) -> None:
        """Make the entities of the touched nodes anew, and find who is a variant of whom."""
        stale = set()  # nodes whose variant_of may be another one now
        for node in sorted(n for n in self.nodes if n):
            old = self.db.execute(
                "SELECT key, json FROM graph.entity WHERE node = ?", (node,)
            ).fetchone()
            entity = self._entity(node)
            key = entity.key if entity else None
            if key != (old[0] if old else None):
                stale.update(self._ids("SELECT node FROM graph.variant WHERE base = ?", node))
                self.dirty.update(
                    self._ids("SELECT DISTINCT paper FROM graph.local WHERE node = ?", node)
                )
            self.db.execute("DELETE FROM graph.variant WHERE node = ?", (node,))
            if entity is None:
                self.db.execute("DELETE FROM graph.entity WHERE node = ?", (node,))
                continue
            above = [
                (node, i, _text(n)) for i, n in enumerate(variants(entity, _node(node)))
            ]  # fmt: skip
            self.db.executemany("INSERT INTO graph.variant VALUES (?,?,?)", above)
            self.db.execute(
                "INSERT OR REPLACE INTO graph.entity VALUES (?,?,?)",
                (node, entity.key, _dump(to_json(entity))),
            )
            if above:
                stale.add(node)
        for node in sorted(stale):
            self._relate(node)

    def _entity(self, node: str) -> Entity | None:
        tally = Tally(_node(node))
        alike: dict[tuple[str, str, str], int] = {}
        for paper, type_, name, rules, introduced, confidence in self.db.execute(
            "SELECT paper, type, name, rules, introduced, confidence FROM graph.local "
            "WHERE node = ?",
            (node,),
        ):
            group = type_, name, rules
            alike[group] = alike.get(group, 0) + 1
            tally.add_paper(paper, bool(introduced), confidence)
        for (type_, name, rules), count in alike.items():
            tally.add(type_, name, json.loads(rules), count)
        return tally.entity(self.decisions) if alike else None

    def _relate(self, node: str) -> None:
        """Set what the entity of ``node`` is a variant of."""
        row = self.db.execute("SELECT json FROM graph.entity WHERE node = ?", (node,)).fetchone()
        if row is None:
            return
        above = self.db.execute(
            "SELECT e.key FROM graph.variant v JOIN graph.entity e ON e.node = v.base "
            "WHERE v.node = ? ORDER BY v.step LIMIT 1",
            (node,),
        ).fetchone()
        entity = from_json(Entity, json.loads(row[0]))
        entity = replace(entity, variant_of=above[0] if above else "")
        self.db.execute(
            "UPDATE graph.entity SET json = ? WHERE node = ?", (_dump(to_json(entity)), node)
        )

    def _facts(self) -> None:
        """Say anew what the papers say whose entities have other keys now."""
        for paper in sorted(self.dirty):
            text = self.db.execute(
                "SELECT json FROM main.extraction WHERE paper = ?", (paper,)
            ).fetchone()
            if text is None:
                continue
            keys = dict(
                self.db.execute(
                    "SELECT l.key, e.key FROM graph.local l LEFT JOIN graph.entity e "
                    "ON e.node = l.node WHERE l.paper = ?",
                    (paper,),
                )
            )
            said = facts(from_json(Extraction, json.loads(text[0])), keys, self.decisions)
            self.db.execute(
                "UPDATE graph.paper SET mentions = ?, results = ?, removed = ?, result_count = ?, "
                "mention_count = ? WHERE paper = ?",
                (
                    _dump([to_json(m) for m in said.mentions]),
                    _dump([to_json(r) for r in said.results]),
                    _dump(said.removed),
                    len(said.results),
                    len(said.mentions),
                    paper,
                ),
            )
            self.claims.update(self._claims_of(paper))
            self.claims.update(said.claims)
            self.db.execute("DELETE FROM graph.evidence WHERE paper = ?", (paper,))
            self.db.executemany(
                "INSERT INTO graph.evidence VALUES (?,?,?,?,?)",
                [
                    (*claim, paper, _dump([to_json(e) for e in passages]))
                    for claim, passages in said.claims.items()
                ],
            )

    def _statements(self) -> None:
        for claim in sorted(self.claims):
            where = "WHERE subject = ? AND predicate = ? AND object = ?"
            rows = self.db.execute(f"SELECT json FROM graph.evidence {where}", claim).fetchall()
            if not rows:
                self.db.execute(f"DELETE FROM graph.statement {where}", claim)
                continue
            evidence = _records(Evidence, (text for (text,) in rows))
            made = statement(claim, evidence, self.decisions)
            self.db.execute(
                "INSERT OR REPLACE INTO graph.statement VALUES (?,?,?,?,?)",
                (*claim, made.id, _dump(to_json(made))),
            )

    def _claims_of(self, paper: str) -> list[tuple[str, str, str]]:
        return self.db.execute(
            "SELECT subject, predicate, object FROM graph.evidence WHERE paper = ?", (paper,)
        ).fetchall()

    def _ids(self, sql: str, *values: str) -> list[str]:
        return [id for (id,) in self.db.execute(sql, values)]


def _rules_digest(decisions: Decisions) -> str:
    return digest(VERSION, _LAYOUT, decisions.digest, *sorted(map(str, aliases().items())))


def _records(cls: type[T], texts: Iterable[str]) -> Iterator[T]:
    return (from_json(cls, data) for text in texts for data in json.loads(text))


def _text(node: Node) -> str:
    return "/".join(node)


def _node(text: str) -> Node:
    family, _, form = text.partition("/")
    return family, form


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
