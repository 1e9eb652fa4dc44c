"""Cross-validation of the training: each fold's model on the papers that it was not trained on.

    python training/train.py  --gold train.jsonl --encoder bge … --fold 1/3 --out fold1  # 2/3, 3/3
    python training/export.py --run fold1 --encoder bge --to fold1/model
    python training/folds.py  --gold train.jsonl fold1 fold2 fold3 > folds.json

The thresholds are those that a model has without tuning. Prints each figure of `kg evaluate`: F1 of
each fold, mean and standard deviation; precision and recall over all papers together; and F1 over
the papers of each source (the first part of their ids).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import held_out, load, source

from kg.evaluate import Count, score
from kg.extract.model.extractor import Extractor


def predicted(run: Path, docs: list[dict]) -> list[dict]:
    """What the run's model makes of the papers that the run held out."""
    held = held_out(run / "held_out.json")
    model = Extractor.load(run / "model")
    return [
        {"id": d["id"], "text": d["text"], **model.predict(d["text"])}
        for d in docs
        if d["id"] in held
    ]


def report(docs: list[dict], folds: list[list[dict]]) -> dict:
    """The figures of papers that each are in one of the folds."""
    gold = {d["id"]: d for d in docs}
    every = [p for fold in folds for p in fold]
    if len({p["id"] for p in every}) < len(every):
        raise ValueError("a paper is in two folds: are these runs of one --fold K/N?")

    def scored(found: list[dict]) -> dict[str, Count]:
        return score([gold[p["id"]] for p in found], found)

    apart = [scored(fold) for fold in folds]
    sources: dict[str, list[dict]] = defaultdict(list)
    for p in every:
        sources[source(p)].append(p)
    figures = {}
    for name, count in scored(every).items():
        f1 = [fold[name].f1 for fold in apart if name in fold]
        figures[name] = {
            "f1": [round(x, 4) for x in f1],
            "mean": round(statistics.mean(f1), 4),
            "deviation": round(statistics.stdev(f1), 4) if len(f1) > 1 else None,
            "together": count.to_json(),
        }
    return {
        "papers": [len(fold) for fold in folds],
        "figures": figures,
        "sources": {
            name: {"papers": len(found)} | {k: round(c.f1, 4) for k, c in scored(found).items()}
            for name, found in sorted(sources.items())
        },
    }


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--gold", type=Path, required=True)
    a.add_argument("runs", type=Path, nargs="+")
    o = a.parse_args()
    docs = load(o.gold)
    print(json.dumps(report(docs, [predicted(run, docs) for run in o.runs]), indent=1))


if __name__ == "__main__":
    main()
