"""Review: what in a graph is doubtful, as questions that a person can decide.

Each case is an open entry of the decision file (:mod:`kg.assemble.decisions`), with the possible
decisions as comments: to decide, uncomment one. What the file already asks or decides is not
asked again.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Final

from kg.assemble.compare import compare
from kg.assemble.decisions import Decision
from kg.assemble.names import fold
from kg.assemble.nodes import node_of
from kg.graph import Graph
from kg.read.text import counted
from kg.records import Entity, Statement
from kg.schema import PREDICATES

__all__ = ["KINDS", "Case", "review", "to_yaml"]

KINDS: Final = ("near names", "mixed types", "contradiction", "low belief")
"""The kinds of cases."""

_LOW: Final = 0.5
_PLAIN: Final = re.compile(r"[A-Za-z][\w./+-]*(?: [a-z-]+ [A-Za-z][\w./+-]*)?")
_HEADER: Final = """\
# Decisions about this graph: applied whenever it is assembled. To decide an open question that
# `kg review` wrote, uncomment one of its options (`retype` is two lines). What may stand here:
# merge, split, retype, rename, reject, accept, each with `why` and `by`.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """Something doubtful.

    Attributes
    ----------
    kind : one of :data:`KINDS`.
    about : keys of entities, or statements as ``subject predicate object``.
    seen : what is to be seen in the graph, for people.
    options : possible decisions, each a mapping as in the decision file.
    """

    kind: str
    about: tuple[str, ...]
    seen: str
    options: tuple[dict[str, Any], ...]


def review(
    graph: Graph, entries: Iterable[tuple[dict[str, Any], Decision | None]] = (), limit: int = 20
) -> list[Case]:
    """Return the doubtful cases of ``graph``, at most ``limit`` of a kind, the weightiest first.

    Parameters
    ----------
    entries : of a decision file (:func:`kg.assemble.decision_file.entries`); what they ask or
        decide is left out.

    Examples
    --------
    >>> from kg import Entity, Graph, review
    >>> pair = [Entity(f"method/{n}", n, "Method") for n in ("labelizer", "lablelizer")]
    >>> [(case.kind, case.about) for case in review(Graph(entities=pair))]
    [('near names', ('method/labelizer', 'method/lablelizer'))]
    """
    known = set()
    for fields, decision in entries:
        known.add(_about(fields.get("about", ())))
        if decision is not None:
            known.add(_about(decision.about))
    out: list[Case] = []
    for find in (_near, _mixed, _contradictions, _low):
        fresh = (c for c in find(graph) if _about(c.about) not in known)
        out += islice(fresh, limit)
    return out


def _about(value: Any) -> frozenset[str]:
    return frozenset([value] if isinstance(value, str) else value)


def _near(graph: Graph) -> Iterator[Case]:
    """Yield names that are almost the same, and acronyms that papers define otherwise."""
    found: dict[tuple[str, ...], str] = {}
    for keys in (*_acronyms(graph), *_misspelt(graph)):
        found.setdefault(tuple(sorted(keys, key=lambda k: (-_papers(graph, k), k))), "")
    for about in sorted(found, key=lambda about: (-_papers(graph, about[-1]), about)):
        seen = ", ".join(f"{graph.name(k)} ({counted(_papers(graph, k), 'paper')})" for k in about)
        yield Case(
            "near names", about, seen, ({"merge": list(about)}, {"split": list(about)})
        )  # fmt: skip


def _acronyms(graph: Graph) -> Iterator[tuple[str, ...]]:
    by_form: dict[tuple[str, str], set[str]] = defaultdict(set)
    for e in graph.entities.values():
        for name, rule in e.merges:
            if rule == "abbreviation":
                by_form[_family(e), fold(name)].add(e.key)
    alone = {node_of(key): key for key in graph.entities}
    for node, keys in sorted(by_form.items()):
        if node in alone and alone[node] not in keys:
            for key in sorted(keys):
                yield alone[node], key


def _misspelt(graph: Graph) -> Iterator[tuple[str, ...]]:
    """Yield pairs of one family whose forms differ by one letter and no digit."""
    near: dict[tuple[str, str], list[Entity]] = defaultdict(list)
    for e in graph.entities.values():
        family, form = node_of(e.key)
        if len(form) > 6:
            for i in {-1, *range(1, len(form))}:
                near[family, form if i < 0 else form[:i] + form[i + 1 :]].append(e)
    seen = set()
    for group in near.values():
        for a, b in combinations(sorted(group), 2):
            if a.key != b.key and (a.key, b.key) not in seen:
                seen.add((a.key, b.key))
                if compare(a.name, b.name).rule == "near":
                    yield a.key, b.key


def _mixed(graph: Graph) -> Iterator[Case]:
    by_form: dict[str, list[Entity]] = defaultdict(list)
    for e in graph.entities.values():
        by_form[node_of(e.key)[1]].append(e)
    cases = []
    for group in by_form.values():
        for e in group:
            others = [o for o in group if o.key != e.key and e.key < o.key]
            if "retype" not in e.decisions and _divided(e):
                votes = ", ".join(f"{t} in {counted(n, 'paper')}" for t, n in e.types)
                options = [{"retype": e.key, "to": t} for t, _ in e.types]
                cases.append(Case("mixed types", (e.key,), f"{e.name}: {votes}", (*options,)))
            for other in others:
                votes = ", ".join(
                    f"{x.type} in {counted(_papers(graph, x.key), 'paper')}" for x in (e, other)
                )
                seen = f"{e.name}, two entities: {votes}"
                retypes = [{"retype": e.key, "to": other.type}, {"retype": other.key, "to": e.type}]
                apart = {"split": [e.key, other.key]}
                cases.append(Case("mixed types", (e.key, other.key), seen, (*retypes, apart)))
    return iter(
        sorted(cases, key=lambda c: (-min(_papers(graph, k) for k in c.about), c.about))
    )  # fmt: skip


def _divided(entity: Entity) -> bool:
    """Whether the second type of an entity has a third of the papers of the first, or more."""
    return len(entity.types) > 1 and entity.types[1][1] * 3 >= entity.types[0][1]


def _contradictions(graph: Graph) -> Iterator[Case]:
    for a, b in graph.contradictions():
        both = [a] if b is None else [a, b]
        about = tuple(_triple(s) for s in both)
        if any(s.decision for s in both):
            continue
        seen = "; ".join(
            f"{graph.name(s.subject)} {s.predicate} {graph.name(s.object)}: stated by "
            f"{counted(len(s.papers), 'paper')}, denied by "
            f"{counted(len({e.paper for e in s.evidence if e.negated}), 'paper')}"
            for s in both
        )
        options = [{verb: t} for t in about for verb in ("reject", "accept")]
        yield Case("contradiction", about, seen, tuple(options))


def _low(graph: Graph) -> Iterator[Case]:
    doubtful = [
        s for s in graph.statements.values() if s.asserted and not s.decision and s.belief < _LOW
    ]
    doubtful.sort(key=lambda s: (not PREDICATES[s.predicate].core, s.belief, _triple(s)))
    for s in doubtful:
        sentence = next(e.sentence for e in s.evidence if e.asserts)
        about = _triple(s)
        yield Case(
            "low belief", (about,), f"belief {s.belief:.2f}: {sentence}",
            ({"accept": about}, {"reject": about}),
        )  # fmt: skip


def _family(entity: Entity) -> str:
    return entity.key.partition("/")[0]


def _papers(graph: Graph, key: str) -> int:
    if key in graph.entities:
        return len(graph.papers_of.get(key, ()))
    return 0


def _triple(s: Statement) -> str:
    return f"{s.subject} {s.predicate} {s.object}"


def to_yaml(cases: Iterable[Case], *, header: bool = True) -> str:
    """Return ``cases`` as entries of a decision file, each with its options as comments."""
    out = [_HEADER] if header else []
    for case in cases:
        about = [_scalar(a) for a in case.about]
        lines = [
            f"- review: {case.kind}",
            f"  about: [{', '.join(about)}]",
            f"  seen: {_scalar(case.seen)}",
        ]
        for option in case.options:
            # Uncommented, the line goes on as a field of the entry.
            lines += [f"  # {name}: {_value(value)}" for name, value in option.items()]
        out.append("\n".join(lines) + "\n")
    return "\n".join(out)


def _value(value: str | list[str]) -> str:
    return f"[{', '.join(map(_scalar, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
