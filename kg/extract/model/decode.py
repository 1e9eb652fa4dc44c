"""From the network's scores to entities, relations and results with their passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import TYPES, Page
from kg.extract.model.figures import Figure
from kg.extract.model.grouping import Group, acronym
from kg.extract.model.results import BASELINE, findings, results, softmax
from kg.schema import PAPER, PREDICATES

__all__ = ["RELATIONS", "Answers", "Settings", "decode"]

RELATIONS = (
    "evaluates-on",
    "improves-over",
    "builds-on",
    "trained-on",
    "applies-to",
    "compared-with",
    "part-of",
)
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """Thresholds (0 to 1) and calibration; chosen on held-out papers, kept with the model.

    `span_low` and `share` are those of :func:`kg.extract.model.grouping.groups`; `node_weight` is
    the weight of the second decision on a type against the first. `entity` by type, `relation` by
    relation; `supported` for a benchmark or metric that a figure needs. `no_link` is the least
    probability for "not said" to win over the best candidate.
    `calibration`: kind to (slope, offset) on the logit of the raw score.
    """

    span_low: float = 0.2
    share: float = 0.5
    node_weight: float = 0.5
    entity: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(TYPES, 0.45))
    supported: float = 0.3
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


def _calibrated(score: float, kind: str, settings: Settings) -> float:
    slope, offset = settings.calibration.get(kind, (1.0, 0.0))
    p = min(max(score, 1e-6), 1 - 1e-6)
    z = slope * np.log(p / (1 - p)) + offset
    return round(float(1 / (1 + np.exp(-z))), 4)


def _name(page: Page, group: Group, used: set[str]) -> str | None:
    """Return the mention that the entity is called by.

    A defined abbreviation, else a word with capitals inside ("XLNet", where a title explains it),
    else the longest; None if every mention is another entity's name.
    """
    shorts = {s for s, _ in page.pairs}
    texts = _texts(page, group)
    short = [t for t, p in zip(texts, group.places, strict=True) if p in shorts]
    every = [*short, *filter(acronym, texts), *sorted(texts, key=lambda t: -len(t))]
    return next((t for t in every if t not in used), None)


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
    w = settings.node_weight
    types: dict[int, str] = {0: PAPER}
    scores: dict[int, float] = {0: 1.0}
    sure = {0}
    for k, g in enumerate(groups, 1):
        p = w * kinds[k] + (1 - w) * g.probabilities
        t = int(p[1:].argmax())
        types[k], scores[k] = TYPES[t], float(p[t + 1])
        if scores[k] >= settings.entity[TYPES[t]]:
            sure.add(k)
    # a figure that is measured by it or on it speaks for an entity that is less sure
    could = {k: t for k, t in types.items() if k in sure or scores[k] >= settings.supported}
    limits = (settings.result, settings.no_link)
    needed = {
        n
        for f in findings(could, found, answers.figures, answers.links, *limits)
        for n in (f.links["benchmark"], f.links["metric"])
        if n is not None and f.role != BASELINE
    }
    types = {k: t for k, t in could.items() if k in sure or k in needed}
    names: dict[int, str] = {0: PAPER}
    entities: list[dict[str, Any]] = []
    for k in sorted(types.keys() - {0}):
        group = groups[k - 1]
        name = _name(page, group, set(names.values()))
        if name is None:
            del types[k]
            continue
        names[k] = name
        entities.append(_entity(page, k, group, name, types[k], scores[k], answers, settings))
    said = findings(types, found, answers.figures, answers.links, *limits)
    rows = results(page, said, names)
    for row in rows:
        row["confidence"] = _calibrated(row["confidence"], "result", settings)
    return {
        "entities": entities,
        "relations": _relations(page, names, types, answers, settings),
        "results": rows,
    }


def _entity(
    page: Page,
    k: int,
    group: Group,
    name: str,
    kind: str,
    score: float,
    answers: Answers,
    settings: Settings,
) -> dict[str, Any]:
    sure = _calibrated(score, "entity", settings)
    new = float(1 / (1 + np.exp(-answers.introduced[k])))
    mentions = [
        {"start": page.spans[s][0], "end": page.spans[e - 1][1], "text": text, "confidence": sure}
        for (s, e), text in zip(group.places, _texts(page, group), strict=True)
    ]
    return {
        "name": name,
        "type": kind,
        "introduced": new >= settings.introduced,
        "confidence": sure,
        "introduced_score": _calibrated(new, "introduced", settings),
        "mentions": mentions,
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
