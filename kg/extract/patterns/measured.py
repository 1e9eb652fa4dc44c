"""Measured figures of the rules: how often each is right, and what its finds are.

``rules.tsv`` and ``kinds.tsv`` are written by ``training/measure_rules.py`` from annotated
abstracts. A rule's name is a path, ``entity:head:recognition:1``; a find of it counts for each
parent too, so that what was seen too rarely is judged by its kin.

Several rules may find the same thing. How much each speaks for it is a weight (of a logistic
regression over the rules that fired), so that the confidence of the find is a sum that a person
can follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from kg.errors import InputError
from kg.schema import ENTITY_TYPES

__all__ = ["TYPES", "Kinds", "Rules", "parents"]

FOLDER: Final = Path(__file__).parent
TYPES: Final = tuple(ENTITY_TYPES)


FORMS: Final = ("w:", "f:", "e:", "s:")
"""Cues of a name's own form; they are counted once for each name."""


class Rules:
    """How much each rule speaks for its finds, fitted on annotated abstracts.

    The first part of a rule's path is its question ("entity", "introduced", "builds-on", "figure");
    the row of the question itself holds the log-odds with no sign at all.

    Parameters
    ----------
    table : path to (number of finds, share that was right, 0 to 1; weight in nats).
    """

    def __init__(self, table: Mapping[str, tuple[int, float, float]]) -> None:
        self.table = dict(table)
        self._paths: dict[str, tuple[str, ...]] = {}

    @classmethod
    def read(cls, path: Path = FOLDER / "rules.tsv") -> Rules:
        """Read the file: rule, finds, precision, weight, tab separated.

        Raises
        ------
        InputError
            If a row is malformed.
        """
        table = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line or line.startswith(("#", "rule\t")):
                continue
            try:
                rule, finds, share, weight = line.split("\t")
                table[rule] = (int(finds), float(share), float(weight))
            except ValueError:
                raise InputError(f"{path}:{number}: need rule, finds, precision, weight") from None
        return cls(table)

    def paths(self, rule: str) -> tuple[str, ...]:
        """Return ``rule`` and its parents that were measured, the question itself left out."""
        known = self._paths.get(rule)
        if known is None:
            known = tuple(p for p in parents(rule) if p in self.table and ":" in p)
            if len(self._paths) < 50_000:
                self._paths[rule] = known
        return known

    def weight(self, rule: str) -> float:
        """Return how much ``rule`` speaks for its finds, in nats."""
        return sum(self.table[p][2] for p in self.paths(rule))

    def __call__(self, question: str, signs: Iterable[str]) -> float:
        """Return the probability that a find with these signs is right, 0 to 1."""
        total = self.table[question][2] if question in self.table else 0.0
        paths = {path for sign in signs for path in self.paths(sign)}
        total += sum(self.table[path][2] for path in sorted(paths))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def best(self, signs: Iterable[str]) -> str:
        """Return the sign that speaks most for the find."""
        return max(signs, key=lambda s: (self.weight(s), s))


def parents(rule: str) -> Iterator[str]:
    """Yield the rule and its parents: ``a:b:c``, ``a:b``, ``a``."""
    while rule:
        yield rule
        rule = rule.rpartition(":")[0]


class Kinds:
    """Which entity type the cues about a name speak for.

    Parameters
    ----------
    table : cue to the share of each type among the entities that have it, in the order of
        :data:`kg.schema.ENTITY_TYPES`; the cue "" holds the shares over all entities, the cue
        "form" those over all names, each once.
    """

    def __init__(self, table: Mapping[str, tuple[float, ...]]) -> None:
        prior = table.get("", (1 / len(TYPES),) * len(TYPES))
        forms = table.get("form", prior)
        self._prior = tuple(math.log(max(p, 1e-4)) for p in prior)
        self._gain = {
            cue: tuple(
                math.log(max(s, 1e-4) / max(p, 1e-4))
                for s, p in zip(row, forms if cue.startswith(FORMS) else prior, strict=True)
            )
            for cue, row in table.items()
            if cue not in ("", "form")
        }

    @classmethod
    def read(cls, path: Path = FOLDER / "kinds.tsv") -> Kinds:
        """Read the file: cue, then one share for each type, tab separated.

        Raises
        ------
        InputError
            If a row is malformed.
        """
        table = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith(("#", "cue\t")):
                continue
            cue, *cells = line.split("\t")
            try:
                table[cue] = tuple(float(c) for c in cells)
                if len(cells) != len(TYPES):
                    raise ValueError
            except ValueError:
                raise InputError(f"{path}:{number}: need a cue and {len(TYPES)} shares") from None
        return cls(table)

    def __call__(self, cues: Iterable[str], bias: Mapping[str, float] | None = None) -> list[float]:
        """Return the probability of each type, in the schema's order, given ``cues``.

        The cues are taken as independent, with a damping for their number, since they are not.
        ``bias`` adds evidence for a type, in nats.
        """
        gains = [self._gain[c] for c in sorted(set(cues)) if c in self._gain]
        damping = 1 / max(1.0, len(gains) / 3) ** 0.5
        total = [
            p + damping * sum(g[i] for g in gains) + (bias or {}).get(TYPES[i], 0.0)
            for i, p in enumerate(self._prior)
        ]
        top = max(total)
        weights = [math.exp(t - top) for t in total]
        return [w / sum(weights) for w in weights]
