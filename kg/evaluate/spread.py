"""How far a score hangs on the papers that happen to be scored: the bootstrap over papers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from kg.evaluate.score import Document, score

__all__ = ["spread"]

DRAWS: Final = 1000
SEED: Final = 1


def spread(
    gold: Iterable[Document], predicted: Iterable[Document], share: float = 0.95
) -> dict[str, tuple[float, float]]:
    """Return figure name to the interval that its F1 lies in, over other papers of this kind.

    As many papers as there are are drawn with replacement, a thousand times (the percentile
    bootstrap; Efron and Tibshirani 1993). The draws are the same each time.

    Parameters
    ----------
    gold, predicted
        As for :func:`~kg.evaluate.score.score`.
    share
        Share of the draws whose F1 lies in the interval, between 0 and 1.

    Returns
    -------
    dict
        Figure name to (lower, upper) F1, each 0 to 1, sorted by name.
    """
    papers = list(gold)
    if not papers:
        return {}
    found = {d["id"]: d for d in predicted}
    counts = [score([g], [found[g["id"]]] if g["id"] in found else []) for g in papers]
    drawn = np.random.default_rng(SEED).multinomial(
        len(papers), [1 / len(papers)] * len(papers), DRAWS
    )
    edges = ((1 - share) / 2, (1 + share) / 2)
    out: dict[str, tuple[float, float]] = {}
    for name in sorted({n for c in counts for n in c}):
        rows = [
            (c[name].right, c[name].predicted + c[name].gold) if name in c else (0, 0)
            for c in counts
        ]
        right, either = (drawn @ np.array(rows)).T
        f1 = 2 * right / np.maximum(either, 1)
        low, high = np.quantile(f1, edges)
        out[name] = (float(low), float(high))
    return out
