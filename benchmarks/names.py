"""Sameness of names on the gold pairs: this package beside a plain fuzzy matcher.

Run ``python benchmarks/names.py``; RapidFuzz is needed for the second row.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from kg.assemble.compare import compare

PAIRS = Path(__file__).parents[1] / "tests" / "names" / "pairs.tsv"

Answer = Callable[[str, str], str]


def read_pairs(path: Path = PAIRS) -> list[tuple[str, str, str, str]]:
    """Return (name, other, answer, kind) of each gold pair."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader((r for r in lines if r[0] != "#"), delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [(a, b, answer, kind) for a, b, answer, kind in rows]


def ours(a: str, b: str) -> str:
    return compare(a, b).answer


def fuzzy(a: str, b: str) -> str:
    """The rule of the official Neo4j resolver: RapidFuzz WRatio of at least 0.8."""
    from rapidfuzz import fuzz
    from rapidfuzz.utils import default_process

    score = fuzz.WRatio(a, b, processor=default_process)
    return "same" if score / 100 >= 0.8 else "different"


def clusters(edges: Iterable[tuple[str, str]], names: Iterable[str]) -> dict[str, str]:
    """Return each name with the name that stands for its cluster."""
    parent = {name: name for name in names}

    def find(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for a, b in edges:
        parent[find(a)] = find(b)
    return {name: find(name) for name in parent}


def b_cubed(gold: dict[str, str], found: dict[str, str]) -> tuple[float, float]:
    """Return B-cubed precision and recall of two clusterings of the same names."""
    both = Counter((gold[n], found[n]) for n in gold)
    golds, founds = Counter(gold.values()), Counter(found.values())
    precision = sum(both[gold[n], found[n]] / founds[found[n]] for n in gold) / len(gold)
    recall = sum(both[gold[n], found[n]] / golds[gold[n]] for n in gold) / len(gold)
    return precision, recall


def measure(answer: Answer) -> dict[str, float]:
    """Return the figures of one way of answering."""
    pairs = read_pairs()
    names = sorted({n for a, b, *_ in pairs for n in (a, b)})
    answers = {(a, b): answer(a, b) for a, b, *_ in pairs}
    said = Counter((truth, answers[a, b]) for a, b, truth, _ in pairs)
    same = sum(n for (truth, _), n in said.items() if truth == "same")
    different = len(pairs) - same
    gold = clusters(((a, b) for a, b, truth, _ in pairs if truth == "same"), names)
    found = clusters((pair for pair, text in answers.items() if text == "same"), names)
    precision, recall = b_cubed(gold, found)
    called = said["same", "different"] + said["different", "different"]
    joined = said["same", "same"] + said["different", "same"]
    return {
        "pairs": len(pairs),
        "precision of same": said["same", "same"] / joined,
        "recall of same": said["same", "same"] / same,
        "precision of different": said["different", "different"] / called,
        "recall of different": said["different", "different"] / different,
        "unsure": said["same", "unsure"] + said["different", "unsure"],
        "B-cubed precision": precision,
        "B-cubed recall": recall,
        "B-cubed F1": 2 * precision * recall / (precision + recall),
    }


def main() -> None:
    rows = {"kg resolve": measure(ours)}
    try:
        rows["RapidFuzz WRatio >= 0.8"] = measure(fuzzy)
    except ImportError:
        print("RapidFuzz is not installed: pip install rapidfuzz")
    for name, figures in rows.items():
        print(name)
        for what, value in figures.items():
            print(f"  {what:24}{value:8.4g}")


if __name__ == "__main__":
    main()
