"""Score extractions against gold annotations, both in the form of the gold files.

Figures are micro-averaged over papers. ``mentions`` needs the exact span and type. An entity is
right if it shares a mention string with a gold entity of its type, one to one (``entities``;
``entities_core`` for Method, Model, Dataset and Benchmark; ``entities_untyped`` without the
type). A relation is right if both ends and the type are. A result is right if a figure of it
(value or delta) is a figure of a gold result, and the benchmark or the metric, where the gold
result has one, is the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kg.schema import PAPER, PREDICATES

__all__ = [
    "Count",
    "Document",
    "End",
    "align",
    "ends_of",
    "mention_spans",
    "relations_of",
    "right_results",
    "score",
]

Document = Mapping[str, Any]
"""One paper in the form of the gold files."""

CORE_TYPES: Final = frozenset({"Method", "Model", "Dataset", "Benchmark"})
CORE_PREDICATES: Final = frozenset(name for name, p in PREDICATES.items() if p.core)

End = tuple[str, Any]
"""An end of a relation: ``("gold", index)``, ``("predicted", index)``, ``("paper", None)`` or
``("unknown", name)``."""


@dataclass(slots=True)
class Count:
    """Right, wrong and missed, and the figures made from them."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, right: int, predicted: int, gold: int) -> None:
        """Count ``right`` of ``predicted`` where there were ``gold``."""
        self.right += right
        self.wrong += predicted - right
        self.missed += gold - right

    @property
    def predicted(self) -> int:
        """How many were predicted."""
        return self.right + self.wrong

    @property
    def gold(self) -> int:
        """How many there are."""
        return self.right + self.missed

    @property
    def precision(self) -> float:
        """Share of the predicted that is right, 0 to 1; 0 if none is predicted."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold that is found, 0 to 1; 0 if there is none."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def to_json(self) -> dict[str, float | int]:
        """Return the figures, rounded to four decimals, as a JSON object."""
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "f1": round(self.f1, 4),
            "gold": self.gold,
            "predicted": self.predicted,
        }


def _strings(entity: Document) -> set[str]:
    texts = [m if isinstance(m, str) else m["text"] for m in entity["mentions"]]
    if entity.get("name"):
        texts.append(entity["name"])
    return {t.casefold().strip() for t in texts}


def align(gold: list[Any], predicted: list[Any], *, typed: bool = True) -> dict[int, int]:
    """Match entities one to one, those that share most mention strings first.

    Returns
    -------
    dict
        Index in ``predicted`` to index in ``gold``.
    """
    of_gold, of_predicted = [_strings(e) for e in gold], [_strings(e) for e in predicted]
    shared = [
        (-len(p & g), i, j)
        for i, p in enumerate(of_predicted)
        for j, g in enumerate(of_gold)
        if p & g and (not typed or predicted[i]["type"] == gold[j]["type"])
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(shared):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def mention_spans(document: Document, text: str) -> set[tuple[int, int, str]]:
    """Return the (start, end, type) of all mentions.

    A mention given as a string is looked for in ``text`` as a whole word, longer strings first.
    """
    found: set[tuple[int, int, str]] = set()
    wanted: set[tuple[str, str]] = set()
    for entity in document["entities"]:
        for m in entity["mentions"]:
            if isinstance(m, str):
                wanted.add((m, entity["type"]))
            else:
                found.add((m["start"], m["end"], entity["type"]))
    covered: list[tuple[int, int]] = []
    for string, kind in sorted(wanted, key=lambda w: (-len(w[0]), w)):
        for match in re.finditer(rf"(?<!\w){re.escape(string)}(?!\w)", text):
            start, end = match.span()
            if all(end <= s or e <= start for s, e in covered):
                covered.append((start, end))
                found.add((start, end, kind))
    return found


def ends_of(entities: list[Any], pairs: dict[int, int] | None = None) -> dict[str, End]:
    """Return entity name to the end that it is.

    Parameters
    ----------
    entities : of gold, or of an extraction if ``pairs`` is given.
    pairs : what :func:`align` gave for the extraction.
    """
    ends: dict[str, End] = {}
    for i, e in enumerate(entities):
        if pairs is None:
            ends[e["name"]] = ("gold", i)
        else:
            ends[e["name"]] = ("gold", pairs[i]) if i in pairs else ("predicted", i)
    return ends | {PAPER: ("paper", None)}


def relations_of(document: Document, ends: Mapping[str, End]) -> set[tuple[End, str, End]]:
    """Return the (head, type, tail) of the relations of ``document``."""
    return {
        (
            ends.get(r["head"], ("unknown", r["head"])),
            r["type"],
            ends.get(r["tail"], ("unknown", r["tail"])),
        )
        for r in document.get("relations", ())
    }


def _figures(result: Document) -> set[float]:
    return {round(float(result[k]), 4) for k in ("value", "delta") if result.get(k) is not None}


def right_results(
    gold: Document, predicted: Document, gold_ends: Mapping[str, End], ends: Mapping[str, End]
) -> list[tuple[int, int]]:
    """Return the (index in predicted, index in gold) of the results that are right."""
    left = list(enumerate(gold.get("results", ())))
    pairs: list[tuple[int, int]] = []
    for i, p in enumerate(predicted.get("results", ())):
        for n, (j, g) in enumerate(left):
            about = [k for k in ("benchmark", "metric") if g.get(k)]
            told = [(ends.get(p.get(k) or ""), gold_ends.get(g[k])) for k in about]
            same = [a is not None and a == b for a, b in told]
            if _figures(p) & _figures(g) and (not about or any(same)):
                pairs.append((i, j))
                del left[n]
                break
    return pairs


def score(gold: Iterable[Document], predicted: Iterable[Document]) -> dict[str, Count]:
    """Return figure name to its count, sorted by name.

    Papers are matched by ``id``; one that ``predicted`` lacks counts as empty.
    """
    by_id = {d["id"]: d for d in predicted}
    counts: dict[str, Count] = defaultdict(Count)
    empty: Document = {"entities": [], "relations": [], "results": []}
    for g in gold:
        _score_one(g, by_id.get(g["id"], empty), counts)
    return dict(sorted(counts.items()))


def _score_one(g: Document, p: Document, counts: dict[str, Count]) -> None:
    gold, found = list(g["entities"]), list(p["entities"])
    text = g.get("text") or p.get("text")
    if text:
        a, b = mention_spans(g, text), mention_spans(p, text)
        counts["mentions"].add(len(a & b), len(b), len(a))
    pairs = align(gold, found)
    counts["entities"].add(len(pairs), len(found), len(gold))
    for kind in {e["type"] for e in gold + found}:
        sizes = (
            sum(found[i]["type"] == kind for i in pairs),
            sum(e["type"] == kind for e in found),
            sum(e["type"] == kind for e in gold),
        )
        counts[f"entity {kind}"].add(*sizes)
        if kind in CORE_TYPES:
            counts["entities_core"].add(*sizes)
    untyped = align(gold, found, typed=False)
    counts["entities_untyped"].add(len(untyped), len(found), len(gold))
    new_gold = [e for e in gold if e.get("introduced")]
    new_found = [e for e in found if e.get("introduced")]
    right = len(align(new_gold, new_found, typed=False))
    counts["introduced"].add(right, len(new_found), len(new_gold))
    gold_ends, ends = ends_of(gold), ends_of(found, pairs)
    a_relations, b_relations = relations_of(g, gold_ends), relations_of(p, ends)
    groups = {"relations": None, "relations_core": CORE_PREDICATES} | {
        f"relation {r[1]}": {r[1]} for r in a_relations | b_relations
    }
    for name, keep in groups.items():
        ga = {r for r in a_relations if keep is None or r[1] in keep}
        pb = {r for r in b_relations if keep is None or r[1] in keep}
        counts[name].add(len(ga & pb), len(pb), len(ga))
    hits = right_results(g, p, gold_ends, ends)
    counts["results"].add(len(hits), len(p.get("results", ())), len(g.get("results", ())))
