"""Nodes: the paper, its entities and its figures, as arrays for the network's second half.

Node 0 is the paper. A node stands at one or more places (first word, past its last word).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import Page

__all__ = [
    "PAIR_FEATURES",
    "HeadInput",
    "buckets",
    "figure_words",
    "head_input",
    "pair_features",
]

PAIR_FEATURES = 10
Place = tuple[int, int]
"""First word, and the word past the last one."""


def buckets(places: Sequence[Place], sentence: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each word how it stands to the nearest of `places`, 0 to 26.

    0 inside; 1 to 6 after it (1, 2, 3-4, 5-8, 9-16, more words), 7 to 12 before it; 13 more if the
    word's sentence names the node nowhere; 26 where the node stands nowhere.
    """
    n = len(sentence)
    if not places:
        return np.full(n, 26, np.int64)
    at = np.arange(n)[:, None]
    starts = np.array([p[0] for p in places])[None]
    ends = np.array([p[1] - 1 for p in places])[None]
    before = np.maximum(starts - at, 0)
    after = np.maximum(at - ends, 0)
    gap = before + after
    best = gap.argmin(1)
    row = np.arange(n)
    distance = gap[row, best]
    step = np.searchsorted(np.array([1, 2, 4, 8, 16]), distance, side="left") + 1
    kind = np.where(distance == 0, 0, np.where(after[row, best] > 0, step, 6 + step))
    named = np.zeros(int(sentence[-1]) + 1 if n else 0, bool)
    named[sentence[starts[0]]] = True
    here = named[sentence]
    return np.asarray(np.where(here, kind, np.minimum(kind + 13, 25)), np.int64)


def pair_features(
    left: Sequence[Sequence[Place]], right: Sequence[Sequence[Place]], sentence: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return how the nodes on the left stand to those on the right.

    Returns
    -------
    array
        (len(left), len(right), PAIR_FEATURES); the last one alone is 1 where a node has no place.
    """
    out = np.zeros((len(left), len(right), PAIR_FEATURES), np.float32)
    home: list[int] = sentence.tolist()  # numpy is slow at single numbers
    marks = np.zeros(len(home) + 1, np.int64)
    for p in {p for node in right for p in node}:
        marks[p[0]] += 1
    seen: list[int] = [0, *np.cumsum(marks).tolist()]
    homes = [[home[q[0]] for q in b] for b in right]
    for i, a in enumerate(left):
        if not a:
            out[i, :, 9] = 1
            continue
        here = {home[p[0]] for p in a}
        for j, b in enumerate(right):
            if not b:
                out[i, j, 9] = 1
                continue
            gap, first, second = min((max(q[0] - p[1], p[0] - q[1], 0), p, q) for p in a for q in b)
            one, other = home[first[0]], home[second[0]]
            low, high = min(first[1], second[1]), max(first[0], second[0])
            out[i, j, :9] = (
                one == other,
                _log1p(gap) / 4,
                first[0] < second[0],
                min(abs(one - other), 4) / 4,
                min(seen[high] - seen[low] if high > low else 0, 8) / 4,
                gap <= 1,
                sum(h in here for h in homes[j]) / 4,
                len(b) / 4,
                a[0][0] < b[0][0],
            )
    return out


@lru_cache(maxsize=4096)
def _log1p(number: int) -> float:
    return float(np.log1p(number))


def figure_words(page: Page, start: int, end: int) -> Place:
    """Return the words that the characters `start` to `end` of a page with words cover."""
    starts = [s for s, _ in page.spans]
    first = max(bisect_right(starts, start) - 1, 0)
    last = max(bisect_left(starts, end), first + 1)
    return first, last


@dataclass
class HeadInput:
    """What the network's second half takes for one text.

    With m places, e nodes that are the paper or entities, f figures, n words: `start`, `end` (m,)
    first and last word of each place; `node` (e + f, m) rows of means; `info` (e + f, 11);
    `kind` (e + f,) 0 paper, 1 entity, 2 figure; `near` (e, n); `stand` (e, e, k); `f_stand`
    (f, e, k); `f_near` (f, e).
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    node: NDArray[np.float32]
    info: NDArray[np.float32]
    kind: NDArray[np.int64]
    near: NDArray[np.int64]
    stand: NDArray[np.float32]
    f_stand: NDArray[np.float32]
    f_near: NDArray[np.int64]


def head_input(
    page: Page,
    n: int,
    entities: Sequence[Sequence[Place]],
    probabilities: Sequence[NDArray[np.float32]],
    figure_places: Sequence[Place],
) -> HeadInput:
    """Lay out the nodes of one text.

    Parameters
    ----------
    page
        The text.
    n
        Words that were read; places must lie before it.
    entities, probabilities
        The places of each entity, at least one, and its span probabilities (7,).
    figure_places
        The place of each figure. Without any give a dummy, (0, 1): one place there must be.

    Returns
    -------
    HeadInput
        With e = 1 + len(entities), f = len(figure_places).
    """
    sentence = page.sentence[:n]
    nodes: list[Sequence[Place]] = [(), *entities, *[(p,) for p in figure_places]]
    e, t = 1 + len(entities), len(nodes)
    places = [(k, p) for k, ps in enumerate(nodes) for p in ps]
    node = np.zeros((t, len(places)), np.float32)
    for m, (k, _) in enumerate(places):
        node[k, m] = 1 / len(nodes[k])
    info = np.zeros((t, 11), np.float32)
    defined = {p for pair in page.pairs for p in pair}
    for k, ps in enumerate(nodes):
        if 0 < k < e:
            info[k, :7] = probabilities[k - 1]
        if ps:
            info[k, 7] = np.log(len(ps)) / 2
            info[k, 8] = ps[0][0] / max(n, 1)
            info[k, 9] = ps[0][0] < page.title
            info[k, 10] = any(p in defined for p in ps)
    kind = np.ones(t, np.int64)
    kind[0] = 0
    kind[e:] = 2
    near = np.stack([buckets(ps, sentence) for ps in nodes[:e]])
    figures = nodes[e:]
    f_near = np.array([near[:, p[0][0]] for p in figures], np.int64).reshape(len(figures), e)
    return HeadInput(
        np.array([p[0] for _, p in places], np.int64),
        np.array([p[1] - 1 for _, p in places], np.int64),
        node,
        info,
        kind,
        near,
        pair_features(nodes[:e], nodes[:e], sentence),
        pair_features(figures, nodes[:e], sentence),
        f_near,
    )
