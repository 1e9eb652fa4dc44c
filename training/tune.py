"""Choose thresholds and calibration on papers that were not trained on.

    python training/tune.py --model DIR --gold train.jsonl --held-out RUN/held_out.json
        --out settings.json [--weigh acl=0.5]

Thresholds by coordinate ascent on the sum of the six F1 figures, twice on each half of the held-out
papers to report what they are worth on the other half (that mean is the honest figure), then on all
of them. What ships lies halfway between the start and the optimum, which does better on the other
half than the optimum. Calibration: a logistic curve for each kind of fact, if it is right given its
raw score. The model must not know the held-out papers' names: export it without --gold.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import by_source, held_out, load, source
from scoring import counts, f1, pairing, triples

from kg.extract.model.decode import RELATIONS, Settings, decode
from kg.extract.model.extractor import Extractor
from kg.extract.model.features import TYPES
from kg.extract.model.figures import figures
from kg.extract.model.grouping import groups

GRID = [round(0.1 + 0.05 * k, 2) for k in range(15)]


class Bench:
    """Papers read once; nodes and answers again for each way to choose nodes."""

    def __init__(self, model: Extractor, docs: list[dict], weigh: dict[str, float]) -> None:
        self.model, self.docs = model, docs
        self.weights = [weigh.get(source(d), 1.0) for d in docs]
        self.read = [model.read(d["text"]) for d in docs]
        self.numbers = [figures(d["text"]) for d in docs]
        self.cache: dict = {}

    def answers(self, low: float, share: float) -> list:
        if (low, share) not in self.cache:
            out = []
            for (page, prob, vec), numbers in zip(self.read, self.numbers, strict=True):
                found = groups(page, prob, low, share)
                out.append((found, self.model.answer(page, vec, found, numbers)))
            self.cache[low, share] = out
        return self.cache[low, share]

    def predict(self, s: Settings, which: list[int]) -> list[dict]:
        got = self.answers(s.span_low, s.share)
        return [decode(self.read[i][0], got[i][0], self.numbers[i], got[i][1], s) for i in which]

    def f1(self, s: Settings, which: list[int]) -> dict[str, float]:
        predicted = zip(which, self.predict(s, which), strict=True)
        return f1([counts(self.docs[i], p) for i, p in predicted], [self.weights[i] for i in which])


def tune(bench: Bench, which: list[int], start: Settings, rounds: int = 2) -> Settings:
    def value(s: Settings) -> float:
        return sum(bench.f1(s, which).values())

    best, top = start, value(start)

    def attempt(s: Settings) -> None:
        nonlocal best, top
        v = value(s)
        if v > top + 0.001:  # less is noise
            best, top = s, v

    for r in range(rounds):
        around = GRID[1::2] if r == 0 else GRID

        def near(now: float, around: list[float] = around, r: int = r) -> list[float]:
            return around if r == 0 else [g for g in around if abs(g - now) < 0.11]

        if r == 0:
            for share in (0.3, 0.8):
                attempt(replace(best, share=share))
            for low in (0.1, 0.3):
                attempt(replace(best, span_low=low))
        for w in (0.3, 0.7):
            attempt(replace(best, node_weight=w))
        for t in TYPES:
            for g in near(best.entity[t]):
                attempt(replace(best, entity={**best.entity, t: g}))
        for g in near(best.supported):
            attempt(replace(best, supported=g))
        for g in near(best.introduced):
            attempt(replace(best, introduced=g))
        for n in RELATIONS:
            for g in near(best.relation[n]):
                attempt(replace(best, relation={**best.relation, n: g}))
        for g in near(best.result):
            attempt(replace(best, result=g))
        for g in near(best.no_link):
            attempt(replace(best, no_link=g))
    return best


def halfway(a: Settings, b: Settings) -> Settings:
    """Thresholds in the middle of two settings; what is no threshold is as in `b`."""

    def middle(x: float, y: float) -> float:
        return round((x + y) / 2, 4)

    return replace(
        b,
        entity={t: middle(a.entity[t], b.entity[t]) for t in TYPES},
        relation={n: middle(a.relation[n], b.relation[n]) for n in RELATIONS},
        supported=middle(a.supported, b.supported),
        introduced=middle(a.introduced, b.introduced),
        result=middle(a.result, b.result),
        no_link=middle(a.no_link, b.no_link),
    )


Point = tuple[float, bool, float]
"""A fact's confidence, whether it is right, and its paper's weight."""


def facts(bench: Bench, s: Settings, which: list[int]) -> dict[str, list[Point]]:
    """The facts of each kind."""
    out: dict[str, list[Point]] = {}
    for i, p in zip(which, bench.predict(s, which), strict=True):
        g, weight = bench.docs[i], bench.weights[i]
        m = pairing(g["entities"], p["entities"])
        for k, e in enumerate(p["entities"]):
            out.setdefault("entity", []).append((e["confidence"], k in m, weight))
        gn = {e["name"]: ("g", j) for j, e in enumerate(g["entities"])} | {"PAPER": "PAPER"}
        pn = {
            e["name"]: (("g", m[k]) if k in m else ("p", k)) for k, e in enumerate(p["entities"])
        } | {"PAPER": "PAPER"}
        gold = triples(g, gn, False)
        gold_new = {m_ for m_ in m.values() if g["entities"][m_]["introduced"]}
        for k, e in enumerate(p["entities"]):
            new = m.get(k) in gold_new
            out.setdefault("introduced", []).append((e["introduced_score"], new, weight))
        for r in p["relations"]:
            right = (pn[r["head"]], r["type"], pn[r["tail"]]) in gold
            out.setdefault(r["type"], []).append((r["confidence"], right, weight))
        for r in p["results"]:
            one = counts({**g, "relations": []}, {**p, "relations": [], "results": [r]})["results"][
                0
            ]
            out.setdefault("result", []).append((r["confidence"], one == 1, weight))
    return out


def logistic(points: list[Point]) -> tuple[float, float]:
    """Slope and offset on the logit, by damped Newton steps with a weak pull to (1, 0)."""
    p = np.clip([c for c, _, _ in points], 1e-3, 1 - 1e-3)
    x = np.stack([np.log(p / (1 - p)), np.ones(len(p))], 1)
    y = np.array([float(r) for _, r, _ in points])
    n = np.array([weight for _, _, weight in points])
    w, prior = np.array([1.0, 0.0]), np.array([1.0, 0.0])

    def loss(v: np.ndarray) -> float:
        z = x @ v
        return float((n * (np.logaddexp(0, z) - y * z)).sum() + ((v - prior) ** 2).sum())

    for _ in range(50):
        q = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (n * (q - y)) + 2.0 * (w - prior)
        hessian = (x * (n * q * (1 - q))[:, None]).T @ x + 2.0 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        while loss(w - step) > loss(w) and np.abs(step).max() > 1e-8:
            step = step / 2
        w = w - step
        if np.abs(step).max() < 1e-8:
            break
    return round(float(w[0]), 4), round(float(w[1]), 4)


def reliability(points: list[Point], bins: int = 10) -> list[dict]:
    """Facts by confidence: from, mean confidence, share right, number."""
    out = []
    for b in range(bins):
        inside = [(c, r, n) for c, r, n in points if b <= min(c * bins, bins - 0.5) < b + 1]
        total = sum(n for _, _, n in inside)
        if inside:
            out.append(
                {
                    "from": b / bins,
                    "confidence": round(sum(c * n for c, _, n in inside) / total, 3),
                    "right": round(sum(r * n for _, r, n in inside) / total, 3),
                    "facts": len(inside),
                }
            )
    return out


def as_dict(s: Settings) -> dict:
    return {k: (dict(v) if isinstance(v, dict) else v) for k, v in vars(s).items()}


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--model", type=Path, required=True)
    a.add_argument("--gold", type=Path, required=True)
    a.add_argument("--held-out", type=Path, required=True)
    a.add_argument("--out", type=Path, required=True)
    a.add_argument(
        "--weigh", default="", help="what papers count, by the first part of their id: acl=0.5"
    )
    a.add_argument("--most", type=int, default=0, help="use this many papers only")
    a.add_argument("--quick", action="store_true", help="no halves: thresholds on all, once")
    o = a.parse_args()
    ids = held_out(o.held_out)
    docs = [d for d in load(o.gold) if d["id"] in ids]
    if o.most:
        docs = docs[: o.most]
    weigh = by_source(o.weigh)
    bench = Bench(Extractor.load(o.model), docs, weigh)
    everything = list(range(len(docs)))
    random.Random(3).shuffle(everything)
    record: dict = {"papers": len(docs), "weights": weigh}
    start = Settings()
    record["before"] = bench.f1(start, everything)
    if not o.quick:
        half = len(docs) // 2
        other, shrunk = [], []
        for fit, test in (
            (everything[:half], everything[half:]),
            (everything[half:], everything[:half]),
        ):
            s = tune(bench, fit, start)
            other.append(bench.f1(s, test))
            shrunk.append(bench.f1(halfway(start, s), test))
        for name, got in (("cross_validated", other), ("cross_validated_halfway", shrunk)):
            record[name] = {
                k: [
                    round((got[0][k] + got[1][k]) / 2, 4),
                    round(abs(got[0][k] - got[1][k]) / math.sqrt(2), 4),
                ]
                for k in got[0]
            }
        print("cross-validated (mean, spread)", record["cross_validated_halfway"], flush=True)
    best = halfway(start, tune(bench, everything, start, 1 if o.quick else 2))
    record["fitted"] = bench.f1(best, everything)
    loose = replace(
        best,
        entity=dict.fromkeys(TYPES, 0.15),
        relation=dict.fromkeys(RELATIONS, 0.1),
        result=0.1,
        calibration={},
    )
    curves = {k: logistic(v) for k, v in facts(bench, loose, everything).items()}
    best = replace(best, calibration=curves)
    record["reliability"] = {k: reliability(v) for k, v in facts(bench, best, everything).items()}
    o.out.write_text(json.dumps({**as_dict(best)}, indent=1))
    o.out.with_suffix(".record.json").write_text(json.dumps(record, indent=1))
    print(json.dumps({k: v for k, v in record.items() if k != "reliability"}, indent=1))
    print(json.dumps(as_dict(best)))


if __name__ == "__main__":
    main()
