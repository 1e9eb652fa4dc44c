"""Diff: what two graphs do not have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kg.graph import Graph
from kg.json_form import to_json
from kg.records import Entity, Result, Statement

__all__ = ["Difference", "diff"]

_SMALL: Final = 5e-7
"""Beliefs are rounded to six decimals; what differs by less is equal."""


@dataclass(frozen=True, slots=True, repr=False)
class Difference:
    """What is in one graph and not in the other; each list is in the order of its graph.

    Attributes
    ----------
    papers_new, papers_gone : ids.
    entities_new, entities_gone : by key.
    entities_changed : (before, after) of those with another name, type or base of their variant.
    statements_new, statements_gone : by id.
    statements_changed : (before, after) of those with another belief, or that are asserted in one
        graph only.
    results_new, results_gone : by id.
    """

    papers_new: tuple[str, ...]
    papers_gone: tuple[str, ...]
    entities_new: tuple[Entity, ...]
    entities_gone: tuple[Entity, ...]
    entities_changed: tuple[tuple[Entity, Entity], ...]
    statements_new: tuple[Statement, ...]
    statements_gone: tuple[Statement, ...]
    statements_changed: tuple[tuple[Statement, Statement], ...]
    results_new: tuple[Result, ...]
    results_gone: tuple[Result, ...]

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)

    def __repr__(self) -> str:
        counts = ((name, len(getattr(self, name))) for name in self.__slots__)
        said = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts if n)
        return f"<Difference: {said or 'none'}>"

    def to_json(self) -> dict[str, Any]:
        """Return the difference as plain values."""
        out: dict[str, Any] = {}
        for name in self.__slots__:
            out[name] = [_plain(value) for value in getattr(self, name)]
        return out


def diff(before: Graph, after: Graph) -> Difference:
    """Return what changed from ``before`` to ``after``.

    Papers, entities, statements and results are compared by id or key, so graphs of two builds, of
    two dates (:meth:`kg.graph.Graph.as_of`) or of two extractors can be compared.

    Returns
    -------
    Difference
        False in a condition if the graphs do not differ.

    Examples
    --------
    >>> from kg import Entity, Graph, diff
    >>> bert = Entity("method/bert", "BERT", "Model")
    >>> found = diff(Graph(), Graph(entities=[bert]))
    >>> [e.name for e in found.entities_new], bool(diff(Graph(), Graph()))
    (['BERT'], False)
    """
    pairs = [(e, after.entities[k]) for k, e in before.entities.items() if k in after.entities]
    claims = [
        (s, after.statements[i]) for i, s in before.statements.items() if i in after.statements
    ]
    return Difference(
        tuple(p for p in after.papers if p not in before.papers),
        tuple(p for p in before.papers if p not in after.papers),
        tuple(e for k, e in after.entities.items() if k not in before.entities),
        tuple(e for k, e in before.entities.items() if k not in after.entities),
        tuple(
            (a, b)
            for a, b in pairs
            if (a.name, a.type, a.variant_of) != (b.name, b.type, b.variant_of)
        ),
        tuple(s for i, s in after.statements.items() if i not in before.statements),
        tuple(s for i, s in before.statements.items() if i not in after.statements),
        tuple(
            (a, b)
            for a, b in claims
            if abs(a.belief - b.belief) > _SMALL or a.asserted != b.asserted
        ),
        tuple(r for i, r in after.results.items() if i not in before.results),
        tuple(r for i, r in before.results.items() if i not in after.results),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return {"before": _plain(value[0]), "after": _plain(value[1])}
    data = to_json(value)
    if not isinstance(value, Entity):
        data = {"id": value.id} | data
    return data
