"""Results: which figures are reported, and whose, on what, by what measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import Page
from kg.extract.model.figures import Figure
from kg.schema import PAPER

__all__ = ["BASELINE", "DIRECTIONS", "ROLES", "UNITS", "Finding", "findings", "results", "softmax"]

ROLES = (None, "value", "baseline_value", "delta")
BASELINE: Final = 2
DIRECTIONS = (None, "up", "down")
UNITS = (None, "%", "x", "points", "pp")
LINKS: dict[str, tuple[str, ...]] = {
    "head": (PAPER, "Method", "Model", "Dataset", "Benchmark", "Task"),
    "benchmark": ("Benchmark", "Dataset"),
    "metric": ("Metric",),
    "baseline": ("Method", "Model"),
}
Floats = NDArray[np.float32]


def softmax(x: Floats, axis: int = -1) -> Floats:
    """Return the softmax of `x` along an axis: each in 0 to 1, sum 1."""
    e = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray(e / e.sum(axis, keepdims=True), np.float32)


@dataclass
class Finding:
    """A figure that is reported.

    `role` is an index of :data:`ROLES`, 1 to 3; `score` 0 to 1; `links` gives for head, benchmark,
    metric and baseline the number of a node, or None where the text does not say it.
    """

    figure: Figure
    role: int
    score: float
    links: dict[str, int | None]
    unit: str | None
    direction: str | None


def findings(
    types: Mapping[int, str],
    found: Sequence[Figure],
    roles: Floats,
    links: Floats,
    least: float,
    no_link: float,
) -> list[Finding]:
    """Decide which figures are reported.

    Parameters
    ----------
    types
        Number of each node that may be linked to, with its type.
    found
        The f figures.
    roles, links
        (f, 12) and (f, e + 1, 4): the network's logits for them; the last row of links is for none.
    least
        Least probability, 0 to 1, that a figure is reported.
    no_link
        Least probability, 0 to 1, for none to win over the likeliest node.

    Returns
    -------
    list of Finding
        In the order of the text.
    """
    out: list[Finding] = []
    for k, f in enumerate(found):
        row = roles[k]
        role = softmax(row[:4])
        score = float(1 - role[0])
        if score < least:
            continue
        p = softmax(links[k], 0)
        said: dict[str, int | None] = {}
        for c, (key, kinds) in enumerate(LINKS.items()):
            fits = [n for n in types if types[n] in kinds]
            best = max(fits, key=lambda n: float(p[n, c]), default=None)
            if best is not None and p[best, c] * (1 - no_link) < p[-1, c] * no_link:
                best = None
            said[key] = best
        out.append(
            Finding(
                f,
                int(role[1:].argmax()) + 1,
                score,
                said,
                UNITS[int(row[7:12].argmax())],
                DIRECTIONS[int(row[4:7].argmax())],
            )
        )
    return out


def results(page: Page, said: Sequence[Finding], names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Write findings as results, each baseline's figure beside the value nearest to it.

    Returns
    -------
    list of dict
        In the form of the annotated files; "confidence" is the finding's raw score.
    """
    out: list[dict[str, Any]] = []
    where: list[tuple[int, dict[str, Any]]] = []
    for f in said:
        if f.role == BASELINE:
            continue
        at = f.figure.start
        start, end = next((s for s in page.sentences if s[0] <= at < s[1]), (at, f.figure.end))
        row: dict[str, Any] = {
            **{key: None if n is None else names[n] for key, n in f.links.items()},
            "value": None,
            "unit": f.unit,
            "baseline_value": None,
            "delta": None,
            "direction": f.direction,
            "confidence": f.score,
            "evidence": {"start": start, "end": end},
        }
        row[str(ROLES[f.role])] = f.figure.value
        out.append(row)
        where.append((at, row))
    for f in said:
        if f.role != BASELINE:
            continue
        at = f.figure.start
        near = [
            (abs(s - at) + (0 if s > at else 20), k)
            for k, (s, row) in enumerate(where)
            if row["value"] is not None
            and row["baseline_value"] is None
            and row["evidence"]["start"] <= at < row["evidence"]["end"]
        ]
        if near:
            where[min(near)[1]][1]["baseline_value"] = f.figure.value
    return out
