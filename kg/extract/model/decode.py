"""From the network's scores to entities, relations and results with their passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import TYPES, Page
from kg.extract.model.figures import Figure
from kg.extract.model.grouping import Group
from kg.schema import PAPER, PREDICATES

__all__ = ["DIRECTIONS", "RELATIONS", "ROLES", "UNITS", "Answers", "Settings", "decode", "softmax"]

RELATIONS = (
    "evaluates-on",
    "improves-over",
    "builds-on",
    "trained-on",
    "applies-to",
    "compared-with",
    "part-of",
)
ROLES = (None, "value", "baseline_value", "delta")
DIRECTIONS = (None, "up", "down")
UNITS = (None, "%", "x", "points", "pp")
LINKS: dict[str, tuple[str, ...]] = {
    "head": (PAPER, "Method", "Model", "Dataset", "Benchmark", "Task"),
    "benchmark": ("Benchmark", "Dataset"),
    "metric": ("Metric",),
    "baseline": ("Method", "Model"),
}
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """Thresholds (0 to 1) and calibration; chosen on held-out papers, kept with the model.

    `span_low` and `share` are those of :func:`kg.extract.model.grouping.groups`; `node_weight` is
    the weight of the second decision on a type against the first. `entity` by type, `relation` by
    relation. `no_link` is the least probability for "not said" to win over the best candidate.
    `calibration`: kind to (slope, offset) on the logit of the raw score.
    """

    span_low: float = 0.2
    share: float = 0.5
    node_weight: float = 0.5
    entity: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(TYPES, 0.5))
    introduced: float = 0.5
    relation: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(RELATIONS, 0.4))
    result: float = 0.4
    no_link: float = 0.5
    calibration: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Settings:
        """Make settings from a mapping; names that are not settings raise TypeError."""
        got = dict(values)
        if "calibration" in got:
            got["calibration"] = {
                k: (float(a), float(b)) for k, (a, b) in got["calibration"].items()
            }
        return cls(**got)


@dataclass
class Answers:
    """Raw outputs for one text: `types` (e, 7), `introduced` (e,), `relations` (e, e, 8),
    `attention` (e, e, n) summing to 1, `figures` (f, 12), `links` (f, e + 1, 4). All but attention
    are logits."""

    types: Floats
    introduced: Floats
    relations: Floats
    attention: Floats
    figures: Floats
    links: Floats


def softmax(x: Floats, axis: int = -1) -> Floats:
    """Return the softmax of `x` along an axis: each in 0 to 1, sum 1."""
    e = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray(e / e.sum(axis, keepdims=True), np.float32)


def _calibrated(score: float, kind: str, settings: Settings) -> float:
    slope, offset = settings.calibration.get(kind, (1.0, 0.0))
    p = min(max(score, 1e-6), 1 - 1e-6)
    z = slope * np.log(p / (1 - p)) + offset
    return round(float(1 / (1 + np.exp(-z))), 4)


def _name(page: Page, group: Group) -> str:
    """Return the mention that the entity is called by: a defined abbreviation, else the longest."""
    shorts = {s for s, _ in page.pairs}
    text = [page.text[page.spans[s][0] : page.spans[e - 1][1]] for s, e in group.places]
    short = [t for t, p in zip(text, group.places, strict=True) if p in shorts]
    if short:
        return short[0]
    return max(text, key=lambda t: (len(t), -text.index(t)))


def decode(
    page: Page,
    groups: Sequence[Group],
    found: Sequence[Figure],
    answers: Answers,
    settings: Settings,
) -> dict[str, list[dict[str, Any]]]:
    """Decide.

    Parameters
    ----------
    page, groups, found
        The text, the e - 1 groups of places that could be entities, the f figures.
    answers
        The network's raw outputs for them.
    settings
        Thresholds and calibration.

    Returns
    -------
    dict
        "entities", "relations" and "results" in the form of the annotated files, with "confidence"
        (0 to 1). Names are unique; every head, tail, benchmark, metric and baseline is one of them
        or "PAPER".
    """
    kinds = softmax(answers.types)
    names: dict[int, str] = {0: PAPER}
    types: dict[int, str] = {0: PAPER}
    entities: list[dict[str, Any]] = []
    used = {PAPER}
    w = settings.node_weight
    for k, g in enumerate(groups, 1):
        p = w * kinds[k] + (1 - w) * g.probabilities
        t = int(p[1:].argmax())
        score = float(p[t + 1])
        if score < settings.entity[TYPES[t]]:
            continue
        name = _name(page, g)
        if name in used:
            name = next((m for m in (_texts(page, g)) if m not in used), "")
            if not name:
                continue
        used.add(name)
        names[k], types[k] = name, TYPES[t]
        sure = _calibrated(score, "entity", settings)
        mentions = [
            {
                "start": page.spans[s][0],
                "end": page.spans[e - 1][1],
                "text": page.text[page.spans[s][0] : page.spans[e - 1][1]],
                "confidence": sure,
            }
            for s, e in g.places
        ]
        new = float(1 / (1 + np.exp(-answers.introduced[k])))
        entities.append(
            {
                "name": name,
                "type": TYPES[t],
                "introduced": new >= settings.introduced,
                "confidence": sure,
                "introduced_score": round(new, 4),
                "mentions": mentions,
            }
        )
    return {
        "entities": entities,
        "relations": _relations(page, names, types, answers, settings),
        "results": _results(page, names, types, found, answers, settings),
    }


def _texts(page: Page, group: Group) -> list[str]:
    return [page.text[page.spans[s][0] : page.spans[e - 1][1]] for s, e in group.places]


def _relations(
    page: Page, names: dict[int, str], types: dict[int, str], answers: Answers, settings: Settings
) -> list[dict[str, Any]]:
    out = []
    probabilities = softmax(answers.relations)
    allowed = {
        (a, b): [k for k, r in enumerate(RELATIONS, 1) if PREDICATES[r].allows(a, b)]
        for a in set(types.values())
        for b in set(types.values())
    }
    for i in names:
        for j in names:
            choices = allowed[types[i], types[j]] if i != j and j else []
            if not choices:
                continue
            best = max(choices, key=lambda k: float(probabilities[i, j, k]))
            score = float(probabilities[i, j, best])
            name = RELATIONS[best - 1]
            if score < settings.relation[name]:
                continue
            start, end = _passage(page, answers.attention[i, j])
            out.append(
                {
                    "head": names[i],
                    "type": name,
                    "tail": names[j],
                    "confidence": _calibrated(score, name, settings),
                    "evidence": {"start": start, "end": end},
                }
            )
    return out


def _passage(page: Page, attention: Floats) -> tuple[int, int]:
    """Return the offsets of the sentence that got the most attention."""
    mass = np.bincount(page.sentence[: len(attention)], attention, len(page.sentences))
    return page.sentences[int(mass.argmax())]


def _results(
    page: Page,
    names: dict[int, str],
    types: dict[int, str],
    found: Sequence[Figure],
    answers: Answers,
    settings: Settings,
) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    where: list[tuple[Figure, dict[str, Any]]] = []
    bases: list[Figure] = []
    for k, f in enumerate(found):
        row = answers.figures[k]
        role = softmax(row[:4])
        r = int(role[1:].argmax()) + 1
        score = float(1 - role[0])
        if score < settings.result:
            continue
        if ROLES[r] == "baseline_value":
            bases.append(f)
            continue
        links = softmax(answers.links[k], 0)
        said: dict[str, str | None] = {}
        for c, (key, kinds) in enumerate(LINKS.items()):
            fits = [n for n in names if types[n] in kinds]
            best = max(fits, key=lambda n: float(links[n, c]), default=None)
            none = float(links[-1, c])
            top = float(links[best, c]) if best is not None else 0.0
            said[key] = (
                names[best]
                if best is not None and top * (1 - settings.no_link) >= none * settings.no_link
                else None
            )
        start, end = next((s for s in page.sentences if s[0] <= f.start < s[1]), (f.start, f.end))
        result: dict[str, Any] = {
            **said,
            "value": None,
            "unit": UNITS[int(row[7:12].argmax())],
            "baseline_value": None,
            "delta": None,
            "direction": DIRECTIONS[int(row[4:7].argmax())],
            "confidence": _calibrated(score, "result", settings),
            "evidence": {"start": start, "end": end},
        }
        result[str(ROLES[r])] = f.value
        out.append(result)
        where.append((f, result))
    for b in bases:
        near = [
            (abs(f.start - b.start) + (0 if f.start > b.start else 20), r)
            for f, r in where
            if r["value"] is not None
            and r["baseline_value"] is None
            and r["evidence"]["start"] <= b.start < r["evidence"]["end"]
        ]
        if near:
            min(near, key=lambda x: x[0])[1]["baseline_value"] = b.value
    return out
