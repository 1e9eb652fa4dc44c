"""The six figures that training is steered by: (right, wrong, missed) counts and F1 for each."""

from __future__ import annotations

CORE_TYPES = {"Method", "Model", "Dataset", "Benchmark"}
CORE_RELATIONS = {"evaluates-on", "improves-over", "builds-on"}
FIGURES = ("entities_core", "entities", "introduced", "relations_core", "relations", "results")


def strings(entity: dict) -> set[str]:
    return {m["text"].casefold().strip() for m in entity["mentions"]} | {
        entity["name"].casefold().strip()
    }


def pairing(gold: list[dict], pred: list[dict], typed: bool = True) -> dict[int, int]:
    """Predicted to gold entity, one to one, those with most shared strings first."""
    gs, ps = [strings(e) for e in gold], [strings(e) for e in pred]
    pairs = sorted(
        (-len(p & g), i, j)
        for i, p in enumerate(ps)
        for j, g in enumerate(gs)
        if p & g and (not typed or pred[i]["type"] == gold[j]["type"])
    )
    left, right, out = set(), set(), {}
    for _, i, j in pairs:
        if i not in left and j not in right:
            left.add(i)
            right.add(j)
            out[i] = j
    return out


def triples(doc: dict, names: dict, core: bool) -> set[tuple]:
    return {
        (names.get(r["head"], ("?", r["head"])), r["type"], names.get(r["tail"], ("?", r["tail"])))
        for r in doc["relations"]
        if not core or r["type"] in CORE_RELATIONS
    }


def _figure(r: dict) -> set[float]:
    return {round(float(x), 4) for x in (r.get("value"), r.get("delta")) if x is not None}


def counts(g: dict, p: dict) -> dict[str, tuple[int, int, int]]:
    """Figure to (right, predicted, gold) for one paper."""
    ge, pe = g["entities"], p["entities"]
    m = pairing(ge, pe)
    out = {"entities": (len(m), len(pe), len(ge))}

    def core(es: list[dict]) -> int:
        return sum(e["type"] in CORE_TYPES for e in es)

    out["entities_core"] = (sum(pe[i]["type"] in CORE_TYPES for i in m), core(pe), core(ge))
    gi, pi = [e for e in ge if e["introduced"]], [e for e in pe if e["introduced"]]
    out["introduced"] = (len(pairing(gi, pi, False)), len(pi), len(gi))
    gn = {e["name"]: ("g", j) for j, e in enumerate(ge)} | {"PAPER": "PAPER"}
    pn = {e["name"]: (("g", m[i]) if i in m else ("p", i)) for i, e in enumerate(pe)} | {
        "PAPER": "PAPER"
    }
    for name, c in (("relations", False), ("relations_core", True)):
        a, b = triples(g, gn, c), triples(p, pn, c)
        out[name] = (len(a & b), len(b), len(a))
    hits, left = 0, list(g["results"])
    for r in p["results"]:
        for q in left:
            said = [
                (pn.get(r.get(k)), gn.get(q.get(k))) for k in ("benchmark", "metric") if q.get(k)
            ]
            if _figure(r) & _figure(q) and (not said or any(x == y for x, y in said)):
                hits += 1
                left.remove(q)
                break
    out["results"] = (hits, len(p["results"]), len(g["results"]))
    return out


def f1(
    rows: list[dict[str, tuple[int, int, int]]], weights: list[float] | None = None
) -> dict[str, float]:
    """Micro-averaged F1 of each figure over papers, 0 to 1; each paper counts 1 or its weight."""
    weights = weights or [1.0] * len(rows)
    out = {}
    for k in FIGURES:
        tp, p, g = (sum(w * r[k][c] for r, w in zip(rows, weights, strict=True)) for c in range(3))
        out[k] = 2 * tp / (p + g) if p + g else 0.0
    return out
