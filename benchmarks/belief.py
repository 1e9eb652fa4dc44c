"""Belief against annotations: how often statements of each belief are right.

Run ``python benchmarks/belief.py GOLD.jsonl``. A statement of the graph is right if what one of its
papers says of it is annotated there. The last table gives the log loss of the formula for several
values of its one constant.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from kg import extract
from kg.assemble import belief as formula
from kg.assemble.nodes import Node
from kg.assemble.resolve import resolve
from kg.evaluate.score import align, ends_of, relations_of
from kg.extract.gold_form import to_gold
from kg.records import Extraction, Paper
from kg.schema import PAPER

BORDERS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Claim = tuple[Node | str | None, str, Node | str | None]


def statements(gold: list[dict], name: str) -> dict[Claim, dict[str, tuple[float, bool]]]:
    """Return claim to {paper: (confidence, right)} of what the extractor finds."""
    engine = extract.load(name)
    papers = [Paper(d["id"], d["text"]) for d in gold]
    found: list[Extraction] = list(engine.pipe(papers))
    placed = resolve(found)
    out: dict[Claim, dict[str, tuple[float, bool]]] = defaultdict(dict)
    for document, paper, x in zip(gold, papers, found, strict=True):
        predicted = to_gold(paper, x)
        pairs = align(list(document["entities"]), list(predicted["entities"]))
        right = relations_of(document, ends_of(list(document["entities"])))
        ends = ends_of(list(predicted["entities"]), pairs)
        hits = {
            (r["head"], r["type"], r["tail"])
            for r in predicted["relations"]
            if relations_of({"relations": [r]}, ends) <= right
        }

        def node(key: str, paper: str = paper.id) -> Node | str | None:
            return paper if key == PAPER else placed[paper, key].node

        for s in x.statements:
            best = formula.best_by_paper(s.evidence)
            if best:
                claim = node(s.subject), s.predicate, node(s.object)
                out[claim][paper.id] = best[paper.id], (s.subject, s.predicate, s.object) in hits
    return out


def believed(confidences: Iterable[float], systematic: float) -> float:
    return (1 - systematic) * (1 - math.prod(1 - c for c in confidences))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--extractor", default=extract.DEFAULT)
    arguments = parser.parse_args()
    with arguments.gold.open(encoding="utf-8") as lines:
        gold = [json.loads(line) for line in lines]
    found = statements(gold, arguments.extractor)
    rows = [
        (claim[1], len(papers), [c for c, _ in papers.values()], any(r for _, r in papers.values()))
        for claim, papers in found.items()
    ]
    print(f"{len(gold)} papers, {len(rows)} asserted statements\n")
    print("belief       count   mean belief   right")
    for low, high in itertools.pairwise(BORDERS):
        some = [(believed(c, formula.SYSTEMATIC), r) for _, _, c, r in rows]
        some = [(b, r) for b, r in some if low <= b < high]
        if some:
            mean, share = (sum(x) / len(some) for x in zip(*some, strict=True))
            print(f"{low:.1f}-{high:.1f} {len(some):10} {mean:13.2f} {share:7.2f}")
    print("\npapers       count   mean belief   right")
    for least, most in ((1, 1), (2, 2), (3, 4), (5, 10**9)):
        group = [(believed(c, formula.SYSTEMATIC), r) for _, n, c, r in rows if least <= n <= most]
        if group:
            mean, share = (sum(x) / len(group) for x in zip(*group, strict=True))
            papers = f"{least}-{most}" if most < 10**9 else f"{least}-"
            print(f"{papers:7}{len(group):11} {mean:13.2f} {share:7.2f}")
    print("\npredicate        count   mean belief   right")
    for predicate in sorted({p for p, *_ in rows}):
        group = [(believed(c, formula.SYSTEMATIC), r) for p, _, c, r in rows if p == predicate]
        mean, share = (sum(x) / len(group) for x in zip(*group, strict=True))
        print(f"{predicate:15}{len(group):7} {mean:13.2f} {share:7.2f}")
    print("\nsystematic   log loss (statements of 2 papers and more)")
    for systematic in (0.001, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2):
        several = [(believed(c, systematic), r) for _, n, c, r in rows if n > 1]
        loss = -sum(math.log(max(b if r else 1 - b, 1e-9)) for b, r in several) / len(several)
        print(f"{systematic:10} {loss:10.4f}")


if __name__ == "__main__":
    main()
