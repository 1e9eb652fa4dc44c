"""Decisions: what people say about names and statements, applied at every assembly.

A decision file is YAML, a list of decisions; ``decisions.yaml`` in the graph directory is applied::

    - merge: [method/retrieval-augmented-generation, method/ragg]   # the first name stays
      why: a slip of the pen
      by: Ada
    - split: [method/parsing, method/parser]     # two things, whatever spelling or alias file say
    - split: method/cl                           # or: what these papers call so is another thing
      papers: ["2101.00001"]
      as: CL (curriculum)
    - retype: data/glue
      to: Benchmark
    - rename: method/bert
      to: BERT
    - reject: method/a improves-over method/b    # a statement, an entity, or result/ID
    - accept: method/a builds-on method/b

Entities are named by their keys, statements by ``subject predicate object`` or by their ids. A key
that another decision merged away still leads to the entity it became. An entry with ``review`` and
no verb is an open question that ``kg review`` wrote; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from kg.assemble.names import fold
from kg.assemble.nodes import Claim, Node, claim_of, is_id, node_of
from kg.errors import InputError
from kg.records import digest
from kg.schema import FAMILY

__all__ = ["FILE", "NONE", "VERBS", "Decision", "Decisions"]

FILE: Final = "decisions.yaml"
"""Name of the file in the graph directory."""

VERBS: Final = ("merge", "split", "retype", "rename", "reject", "accept")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a person.

    Attributes
    ----------
    verb : one of :data:`VERBS`.
    about : keys of entities; or one statement or ``result/ID``, as written.
    to : the type, the name, or the name of what is split off, or "".
    papers : ids of the papers whose entity is split off.
    why, by : the reason, and who decided, or "".
    line : its 1-based line in the file.
    """

    verb: str
    about: tuple[str, ...]
    to: str = ""
    papers: tuple[str, ...] = ()
    why: str = ""
    by: str = ""
    line: int = 0

    def __str__(self) -> str:
        about = ", ".join(self.about)
        return f"{self.verb} {about}" + (f" → {self.to}" if self.to else "")


class Decisions:
    """A set of decisions, ready to be applied. Equal sets have equal digests.

    Parameters
    ----------
    decisions : in the order of the file, which says what name stays when names are merged.
    source : name of the file, for messages.

    Raises
    ------
    InputError
        If two of them contradict each other.
    """

    def __init__(self, decisions: Iterable[Decision] = (), source: str = FILE) -> None:
        self.decisions = tuple(decisions)
        self.source = source
        self.digest = digest(
            *((d.verb, *d.about, d.to, *d.papers) for d in self.decisions)
        )  # fmt: skip
        self._merged: dict[Node, Node] = {}
        self._apart: dict[Node, set[Node]] = {}
        self._split: dict[tuple[Node, str], Node] = {}
        self._split_names: dict[Node, str] = {}
        self._types: dict[Node, str] = {}
        self._names: dict[Node, str] = {}
        self._verbs: dict[Node, set[str]] = {}
        self._gone: set[Node] = set()
        self._results: set[str] = set()
        self._claims: dict[Claim, Literal["accepted", "rejected"]] = {}
        self._ids: dict[str, Literal["accepted", "rejected"]] = {}
        for verb in VERBS:  # merges and splits first: the others speak of what they make
            for d in self.decisions:
                if d.verb == verb:
                    self._apply(d)
        self._check_apart()

    def __bool__(self) -> bool:
        return bool(self.decisions)

    def _error(self, d: Decision, problem: str) -> InputError:
        return InputError(f"{self.source}:{d.line}: {d}: {problem}")

    def _apply(self, d: Decision) -> None:
        if d.verb in ("reject", "accept"):
            self._apply_verdict(d)
            return
        nodes = [node_of(key) for key in d.about]
        if d.verb == "merge":
            into = self.final(nodes[0])
            for node in nodes[1:]:
                other = self.final(node)
                if other[0] != into[0]:
                    raise self._error(d, "the types are too different; `retype` one of them first")
                if other != into:
                    self._merged[other] = into
            self._note(into, d)
        elif d.verb == "split" and d.papers:
            target = (nodes[0][0], fold(d.to) or d.to)
            for paper in d.papers:
                self._split[nodes[0], paper] = target
            self._split_names[target] = d.to
            self._note(target, d)
        elif d.verb == "split":
            for node in nodes:
                self._apart.setdefault(node, set()).update(n for n in nodes if n != node)
                self._note(node, d)
        elif d.verb == "retype":
            node = self.final(nodes[0])
            if node[0] != FAMILY[d.to]:
                moved = self.final((FAMILY[d.to], node[1]))
                if moved == node:
                    raise self._error(d, "another decision turns it back; remove one")
                self._merged[node] = node = moved
            self._set(self._types, node, d)
        else:
            self._set(self._names, self.final(nodes[0]), d)

    def _apply_verdict(self, d: Decision) -> None:
        (what,) = d.about
        verdict: Literal["accepted", "rejected"]
        verdict = "accepted" if d.verb == "accept" else "rejected"
        if claim := claim_of(what):
            self._set_verdict(self._claims, self.final_claim(claim), verdict, d)
        elif is_id(what):
            self._set_verdict(self._ids, what, verdict, d)
        elif what.startswith("result/"):
            self._results.add(what.removeprefix("result/"))
        else:
            node = self.final(node_of(what))
            self._gone.add(node)

    def _set(self, values: dict[Node, str], node: Node, d: Decision) -> None:
        if values.setdefault(node, d.to) != d.to:
            raise self._error(d, f"an earlier decision says {values[node]}; remove one")
        self._note(node, d)

    def _set_verdict(self, known: dict[Any, Any], what: object, verdict: str, d: Decision) -> None:
        if known.setdefault(what, verdict) != verdict:
            raise self._error(d, f"another decision says {known[what]}; remove one")

    def _note(self, node: Node, d: Decision) -> None:
        self._verbs.setdefault(node, set()).add(d.verb)

    def _check_apart(self) -> None:
        for d in self.decisions:
            if d.verb == "split" and not d.papers:
                finals = [self.final(node_of(key)) for key in d.about]
                if len(set(finals)) < len(finals):
                    raise self._error(d, "another decision merges them; remove one")

    # -- applying them --------------------------------------------------------------------------

    def final(self, node: Node) -> Node:
        """Return the node that ``node`` has become by merges and changes of family."""
        while node in self._merged:
            node = self._merged[node]
        return node

    def final_claim(self, claim: Claim) -> Claim:
        """Return ``claim`` about the nodes that its ends have become."""
        return self.final(claim[0]), claim[1], self.final(claim[2])

    def place(self, node: Node, name: str, paper: str) -> tuple[Node, bool]:
        """Return the node of an entity that one paper calls ``name``, and whether people say so.

        Parameters
        ----------
        node : where the rules put it.
        """
        if not self.decisions:
            return node, False
        at = self._split.get((node, paper))
        if at is None:
            own = node[0], fold(name)
            at = own if node in self._apart.get(own, ()) else node
        placed = self.final(at)
        return placed, placed != node

    def keeps_apart(self, node: Node, form: str) -> bool:
        """Whether the folded name ``form`` is decided to be another entity than ``node``."""
        return node in self._apart.get((node[0], form), ())

    def type_of(self, node: Node) -> str | None:
        """Return the type that people gave the entity of ``node``, or None."""
        return self._types.get(node)

    def name_of(self, node: Node) -> str | None:
        """Return the name that people gave the entity of ``node``, or None."""
        return self._names.get(node) or self._split_names.get(node)

    def split_name(self, node: Node) -> str | None:
        """Return the name under which ``node`` was split off from another, or None."""
        return self._split_names.get(node)

    def verbs_of(self, node: Node) -> tuple[str, ...]:
        """Return the verbs of the decisions about the entity of ``node``, sorted."""
        return tuple(sorted(self._verbs.get(node, ())))

    def rejects(self, node: Node) -> bool:
        """Whether ``node`` is decided to be no entity."""
        return node in self._gone

    def rejects_result(self, id: str) -> bool:
        """Whether the result with this id is decided to be wrong."""
        return id in self._results

    def verdict(
        self, subject: str, predicate: str, obj: str
    ) -> Literal["", "accepted", "rejected"]:
        """Return what people say of the statement between the entities with these keys."""
        if self._ids and (said := self._ids.get(digest(subject, predicate, obj))):
            return said
        if self._claims:
            return self._claims.get((node_of(subject), predicate, node_of(obj)), "")
        return ""

    def about(self, *keys: str, predicate: str = "") -> list[Decision]:
        """Return the decisions about an entity, or about a statement, in the order of the file.

        Parameters
        ----------
        keys : the key of an entity; or, with ``predicate``, of a statement's subject and object.
        """
        ends = [node_of(k) for k in keys]
        out = []
        for d in self.decisions:
            for what in d.about:
                if claim := claim_of(what):
                    same = predicate and self.final_claim(claim) == (ends[0], predicate, ends[-1])
                elif is_id(what):
                    same = predicate and what == digest(keys[0], predicate, keys[-1])
                elif what.startswith("result/"):
                    same = False
                else:
                    same = not predicate and self.final(node_of(what)) == ends[0]
                if same:
                    out.append(d)
                    break
        return out

    # -- about them -----------------------------------------------------------------------------

    def unmatched(
        self,
        nodes: Collection[Node],
        keys: Mapping[Node, str],
        statements: Collection[str],
        results: Collection[str],
        removed: Collection[str],
    ) -> list[tuple[Decision, str]]:
        """Return the decisions that match nothing, each with what it is that is not there.

        Parameters
        ----------
        nodes : every node to which rules or decisions lead.
        keys : node to the key of its entity.
        statements, results : ids of those in the graph.
        removed : ids of the results that decisions took out of the graph.
        """
        out = []
        for d in self.decisions:
            missing = []
            for what in d.about:
                if claim := claim_of(what):
                    subject, predicate, obj = self.final_claim(claim)
                    ends = [
                        f"paper/{n[1]}" if n[0] == "paper" else keys.get(n, "")
                        for n in (subject, obj)
                    ]
                    there = digest(ends[0], predicate, ends[1]) in statements
                elif is_id(what):
                    there = what in statements
                elif what.startswith("result/"):
                    id = what.removeprefix("result/")
                    there = id in results or id in removed
                elif d.papers:
                    there = (node_of(what)[0], fold(d.to) or d.to) in nodes
                else:
                    there = node_of(what) in nodes
                if not there:
                    missing.append(what)
            if missing:
                out.append((d, ", ".join(missing)))
        return out


NONE: Final = Decisions()
"""No decisions."""
