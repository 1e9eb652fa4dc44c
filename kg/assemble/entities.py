"""Entities: what the occurrences of one group become, and whose variant it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from kg.assemble.compare import base_names
from kg.assemble.decisions import NONE, Decisions
from kg.assemble.names import fold, slug, spaced
from kg.assemble.nodes import Node
from kg.assemble.resolve import RULES, expanded
from kg.records import Entity
from kg.schema import ENTITY_TYPES, FAMILY

__all__ = ["Tally", "variants"]

_TYPE_ORDER: Final = {name: i for i, name in enumerate(ENTITY_TYPES)}
_RANK: Final = {rule: i for i, rule in enumerate(RULES)}


class Tally:
    """Counts the occurrences of one group; the order in which they are added does not matter.

    Parameters
    ----------
    node : the group.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self._types: Counter[str] = Counter()
        self._preferred: Counter[str] = Counter()
        self._rules: dict[str, str] = {}
        self._introduced: set[str] = set()
        self._confidences: list[float] = []

    def add(self, type: str, name: str, rules: Iterable[tuple[str, str]], count: int = 1) -> None:
        """Add ``count`` papers that call it ``name`` and hold it to be of ``type``."""
        self._types[type] += count
        self._preferred[name] += count
        for other, rule in rules:
            if _RANK[rule] >= _RANK[self._rules.get(other, RULES[0])]:
                self._rules[other] = rule

    def add_paper(self, paper: str, introduced: bool, confidence: float) -> None:
        """Add what one paper says beside the name: that it put it forward, and how sure that is."""
        self._confidences.append(confidence)
        if introduced:
            self._introduced.add(paper)

    def entity(self, decisions: Decisions = NONE) -> Entity:
        """Return the entity, without what it is a variant of."""
        doubt = 1.0
        for confidence in sorted(self._confidences):
            doubt *= 1.0 - confidence
        names = {n for n, rule in self._rules.items() if rule != "paper"}
        ranked = sorted(self._types.items(), key=lambda t: (-t[1], _TYPE_ORDER[t[0]]))
        best = min(names, key=lambda n: (-self._preferred[n], -_capitals(n), len(n), n))
        return Entity(
            key=self._key(decisions),
            name=decisions.name_of(self.node) or best,
            type=decisions.type_of(self.node) or self._type(ranked),
            names=tuple(sorted(names)),
            introduced_in=tuple(sorted(self._introduced)),
            types=tuple(ranked),
            confidence=round(1.0 - doubt, 6),
            merges=tuple(sorted(self._rules.items())),
            decisions=decisions.verbs_of(self.node),
        )

    def _type(self, ranked: list[tuple[str, int]]) -> str:
        """Return the prevailing type of the group's family."""
        return next((t for t, _ in ranked if FAMILY[t] == self.node[0]), ranked[0][0])

    def _key(self, decisions: Decisions) -> str:
        """Return a readable key, made from the spellings of the group's name alone."""
        family, form = self.node
        called = [*self._rules, decisions.split_name(self.node) or ""]
        called += [expanded(n, family) for n in called]
        spellings = {spaced(n) for n in called if fold(n) == form}
        best = min(spellings, key=lambda s: (-s.count("-"), s), default=form)
        return f"{family}/{slug(best)}"


def _capitals(name: str) -> int:
    return sum(c.isupper() for c in name)


def variants(entity: Entity, node: Node) -> list[Node]:
    """Return the nodes of which ``entity`` may be a variant, the nearest first.

    ``Llama-3-70B`` is a variant of ``Llama-3``, and if there is none of that name, of ``Llama``.
    """
    return [(node[0], form) for form in base_names(entity.name) if form != node[1]]
