"""One pass through the rules: what changed in the ledger is followed into the assembled graph."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from kg.assemble.claims import Triple, facts, statement
from kg.assemble.decisions import Decisions
from kg.assemble.entities import Tally, variants
from kg.assemble.nodes import Node
from kg.assemble.resolve import Occurrence, occurrences, place, settled, slips
from kg.json_form import from_json, to_json
from kg.records import Entity, Evidence, Extraction
from kg.schema import FAMILY

__all__ = ["Update", "node_of_text", "records"]

T = TypeVar("T")

_LOCAL: Final = "key, type, name, names, own, rule, bound, first, natural, node, rules"


class Update:
    """One pass through the rules of :mod:`kg.assemble.resolve`, where they may come out otherwise.

    Parameters
    ----------
    db : the ledger, with the assembled graph attached as ``graph``; inside a transaction.
    decisions : of people; those that the assembled graph was made with, unless it is empty.
    """

    def __init__(self, db: sqlite3.Connection, decisions: Decisions) -> None:
        self.db = db
        self.decisions = decisions
        self.forms: set[str] = set()
        self.nodes: set[str] = set()
        self.dirty: set[str] = set()
        self.claims: set[Triple] = set()

    def run(self) -> None:
        """Make the assembled graph that of the ledger."""
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
            family, form = node_of_text(acronym)
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
                counts[node_of_text(first)[0]] = number
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
            occurrence = Occurrence(entity, node_of_text(own), rule)
            natural = first if bound else target
            at = place(
                occurrence, paper, node_of_text(first), node_of_text(natural), self.decisions
            )
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
                (node, i, _text(n)) for i, n in enumerate(variants(entity, node_of_text(node)))
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
        tally = Tally(node_of_text(node))
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
            evidence = records(Evidence, (text for (text,) in rows))
            made = statement(claim, evidence, self.decisions)
            self.db.execute(
                "INSERT OR REPLACE INTO graph.statement VALUES (?,?,?,?,?)",
                (*claim, made.id, _dump(to_json(made))),
            )

    def _claims_of(self, paper: str) -> list[Triple]:
        return self.db.execute(
            "SELECT subject, predicate, object FROM graph.evidence WHERE paper = ?", (paper,)
        ).fetchall()

    def _ids(self, sql: str, *values: str) -> list[str]:
        return [id for (id,) in self.db.execute(sql, values)]


def records(cls: type[T], texts: Iterable[str]) -> Iterator[T]:
    """Yield the records of class ``cls`` in ``texts``, each a JSON array of them."""
    return (from_json(cls, data) for text in texts for data in json.loads(text))


def _text(node: Node) -> str:
    return "/".join(node)


def node_of_text(text: str) -> Node:
    """Return the node that stands as ``text`` in the tables."""
    family, _, form = text.partition("/")
    return family, form


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
