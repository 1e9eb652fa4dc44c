"""The arrays that the network's first half takes for one text, in windows if the text is long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import SPAN_FEATURES, WIDTH, Page
from kg.extract.model.pieces import Pieces

__all__ = ["MAX_READ", "ReadInput", "read_input", "windows"]

MAX_READ = 510
"""Word pieces that the encoder reads at once, without the two special ones."""


@dataclass
class ReadInput:
    """n words in p pieces: `ids` (p,), `home` (p,) word + 1 or 0, `first` (n,), `pool` (n, p) of
    means,    `hashes` (n, 3), `flags` (n, k), `known` (n, WIDTH, SPAN_FEATURES)."""

    ids: NDArray[np.int64]
    home: NDArray[np.int64]
    first: NDArray[np.int64]
    pool: NDArray[np.float32]
    hashes: NDArray[np.int64]
    flags: NDArray[np.float32]
    known: NDArray[np.float32]


def windows(page: Page, limit: int = MAX_READ) -> list[tuple[int, int]]:
    """Cut the words of a page into runs of at most `limit` pieces, at sentence ends if possible.

    `limit` must be at least the most pieces of a word, 12.

    Returns
    -------
    list of (first word, past last word)
        One run for a usual abstract, none for a page without words.
    """
    out: list[tuple[int, int]] = []
    begin = 0
    while begin < len(page.spans):
        total, end = 0, begin
        while end < len(page.spans) and total + len(page.pieces[end]) <= limit:
            total += len(page.pieces[end])
            end += 1
        if end < len(page.spans):
            cut = end
            while cut > begin + 1 and page.sentence[cut] == page.sentence[cut - 1]:
                cut -= 1
            if cut > begin + (end - begin) // 2:
                end = cut
        out.append((begin, end))
        begin = end
    return out


def read_input(page: Page, begin: int, end: int, pieces: Pieces) -> ReadInput:
    """Lay out the words `begin` to `end` of a page; see :class:`ReadInput`."""
    n = end - begin
    ids = [pieces.cls]
    home = [0]
    first = []
    for k in range(begin, end):
        first.append(len(ids))
        ids.extend(page.pieces[k])
        home.extend([k - begin + 1] * len(page.pieces[k]))
    ids.append(pieces.sep)
    home.append(0)
    where = np.array(home, np.int64)
    pool = np.zeros((n, len(ids)), np.float32)
    inside = np.nonzero(where)[0]
    pool[where[inside] - 1, inside] = 1
    pool /= pool.sum(1, keepdims=True)
    known = np.zeros((n, WIDTH, SPAN_FEATURES), np.float32)
    cells = page.span_cells
    keep = (cells[:, 0] >= begin) & (cells[:, 0].astype(int) + cells[:, 1] < end)
    c = cells[keep].astype(int)
    known[c[:, 0] - begin, c[:, 1], c[:, 2]] = page.span_values[keep]
    return ReadInput(
        np.array(ids, np.int64),
        where,
        np.array(first, np.int64),
        pool,
        page.hashes[begin:end],
        page.flags[begin:end],
        known,
    )
