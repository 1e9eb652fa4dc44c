"""What the network reads of a text: word pieces, the look of words, what is known of spans.

Everything here is a pure function of the text and of the names mined from the training papers, and
the same code makes the training data and the input at run time.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.extract.abbreviations import abbreviations
from kg.extract.model.names import HYPHENS, normal_word, singular
from kg.extract.model.pieces import Pieces
from kg.extract.sentences import sentences
from kg.extract.words import words

__all__ = [
    "BUCKETS",
    "FLAGS",
    "SPAN_FEATURES",
    "TYPES",
    "WIDTH",
    "Gazetteer",
    "Page",
    "names_in",
    "read_page",
]

TYPES = ("Method", "Model", "Dataset", "Benchmark", "Task", "Metric")
WIDTH = 12
"""Words in the longest span that is considered."""
KEY_WIDTH = 8
"""Words in the longest name that is looked up or counted."""
FLAGS = 30
SPAN_FEATURES = 13
HASHES = (4096, 4096, 1024)
"""Buckets for prefix, suffix and shape."""
BUCKETS = 27
"""Kinds of distance from a word to a node; see :func:`kg.extract.model.nodes.buckets`."""

Gazetteer = Mapping[str, tuple[int, ...]]
"""Normal name to 7 counts of papers: annotated as each of :data:`TYPES`; all that contain it."""

_STOP = frozenset('.,;:()[]{}!?"“”|')


@dataclass
class Page:
    """One text as the network sees it: n words and p word pieces (the two special ones left out).

    `forms` are the words as written, `norms` in normal form, `spans` their offsets, `sentence` the
    number of each word's sentence. `hashes` (n, 3), `flags` (n, FLAGS) in 0 to 1.
    `span_cells` (k, 3) are (first word, width - 1, feature) with `span_values` (k,): the features
    of spans that are not 0. `keys` gives for each normal name its spans (first word, width).
    """

    text: str
    spans: list[tuple[int, int]]
    forms: list[str]
    norms: list[str]
    sentences: list[tuple[int, int]]
    sentence: NDArray[np.int64]
    title: int
    pieces: list[tuple[int, ...]]
    hashes: NDArray[np.int64]
    flags: NDArray[np.float32]
    span_cells: NDArray[np.int16]
    span_values: NDArray[np.float32]
    pairs: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    """Abbreviation and full form: ((first word, past last), (first word, past last))."""


def _hash(text: str, size: int) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % size


def _shape(word: str) -> str:
    out: list[str] = []
    for c in word[:20]:
        kind = "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
        if out[-3:] != [kind] * 3:
            out.append(kind)
    return "".join(out)


class _Look(NamedTuple):
    """What is known of a word by itself: its normal form, and its columns of the arrays."""

    norm: str
    capital: bool
    hashes: tuple[int, int, int]
    flags: tuple[bool, ...]


@lru_cache(maxsize=50_000)
def _look(w: str) -> _Look:
    """Return how a word looks; texts share most of their words, so it is remembered."""
    capital = any(c.isupper() for c in w)
    return _Look(
        normal_word(w),
        capital,
        (_hash(w[:3], HASHES[0]), _hash(w[-3:], HASHES[1]), _hash(_shape(w), HASHES[2])),
        (
            w[0].isupper(),
            len(w) > 1 and w.isupper(),
            any(c.isupper() for c in w[1:]) and not w.isupper(),
            any(c.isdigit() for c in w),
            w.isdigit(),
            not w.isascii(),
            not w[0].isalnum(),
            w.islower(),
            len(w) == 1,
        ),
    )


_OF_WORD = (0, 1, 2, 3, 4, 5, 6, 11, 12)
"""The columns of ``Page.flags`` that :attr:`_Look.flags` fills."""


def _definitions(
    text: str, spans: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Find "full form (SHORT)" and "SHORT (full form)" that begin and end with words."""
    first = {s: i for i, (s, _) in enumerate(spans)}
    past = {e: i + 1 for i, (_, e) in enumerate(spans)}
    return [
        ((first[a], past[b]), (first[c], past[d]))
        for a, b, c, d in abbreviations(text)
        if a in first and b in past and c in first and d in past
    ]


def names_in(norms: list[str], sentence: NDArray[np.int64]) -> dict[str, list[tuple[int, int]]]:
    """Return for each normal name of at most KEY_WIDTH words its places (first word, width)."""
    # the words that a name may run over: a mark or the end of a sentence ends it
    runs: list[list[tuple[int, str, str]]] = [[]]
    now = -1
    for i, (word, home) in enumerate(zip(norms, sentence.tolist(), strict=True)):
        if home != now or word in _STOP:
            runs.append([])
            now = home
        if word not in HYPHENS and word not in _STOP:
            runs[-1].append((i, word + " ", singular(word)))
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for run in runs:
        for k, (s, _, _) in enumerate(run):
            prefix = ""
            for e, word, last in run[k : k + KEY_WIDTH]:
                width = e - s + 1
                if width > KEY_WIDTH:
                    break
                found[prefix + last].append((s, width))
                prefix += word
    return found


@lru_cache(maxsize=1024)
def _half_log(number: int) -> float:
    return float(np.log(number)) / 2


def read_page(
    text: str, pieces: Pieces, gazetteer: Gazetteer, own: Gazetteer | None = None
) -> Page:
    """Read one text.

    Parameters
    ----------
    text
        Any text; a title and a blank line may come first.
    pieces
        The encoder's vocabulary.
    gazetteer
        The names known from other papers.
    own
        In training: this paper's own counts, taken off the gazetteer's.

    Returns
    -------
    Page
        With `n == 0` words if the text has no visible character. Cost: linear in the words, about
        5 ms for an abstract of 220.
    """
    spans = words(text)
    n = len(spans)
    forms = [text[s:e] for s, e in spans]
    looks = [_look(w) for w in forms]
    norms = [look.norm for look in looks]
    sents = sentences(text)
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    sentence = np.searchsorted(np.array([e for _, e in sents[:-1]], np.int64), starts, "right")
    cut = text.find("\n\n")
    title = int((starts < cut).sum()) if 0 < cut < 300 else 0

    hashes = np.array([look.hashes for look in looks], np.int64).reshape(-1, 3)
    flags = np.zeros((n, FLAGS), np.float32)
    if n:
        flags[:, _OF_WORD] = [look.flags for look in looks]
        flags[0, [7, 10]] = 1
    flags[1:, 7] = ends[:-1] < starts[1:]
    flags[:title, 8] = 1
    flags[1:, 10] = sentence[1:] != sentence[:-1]
    flags[:-1, 15] = ends[:-1] == starts[1:]
    depth = 0
    for i, w in enumerate(forms):
        depth = max(0, depth - 1) if w in ")]" else depth
        if depth:
            flags[i, 9] = 1
        depth += w in "(["
    caps = Counter(w for w, look in zip(forms, looks, strict=True) if look.capital)
    for i, w in enumerate(forms):
        if caps[w] > 1:
            flags[i, 13] = 1
            flags[i, 14] = caps[w] > 3

    cells: list[tuple[int, int, int]] = []
    values: list[float] = []

    def put(s: int, width: int, feature: int, value: float) -> None:
        cells.append((s, width - 1, feature))
        values.append(value)

    pairs = _definitions(text, spans)
    for short, full in pairs:
        for s, e in (short, full):
            flags[s, 28] = 1
            flags[s:e, 29] = 1
            if e - s <= WIDTH:
                put(s, e - s, 11, 1)
    names = names_in(norms, sentence)
    defined = {" ".join(w for w in norms[s:e] if w not in HYPHENS) for (s, e), _ in pairs}
    known: dict[tuple[int, int], tuple[float, ...]] = {}
    for places in names.values():
        if len(places) > 1:
            for s, width in places:
                put(s, width, 8, _half_log(len(places)))
    for key in sorted(defined & names.keys()):
        for s, width in names[key]:
            put(s, width, 12, 1)
    for key in [key for key in names if key in gazetteer]:
        counts, places = gazetteer[key], names[key]
        if own is not None and key in own:
            counts = tuple(a - b for a, b in zip(counts, own[key], strict=True))
        if sum(counts[:6]) <= 0:
            continue
        ratios = tuple(c / (counts[6] + 0.5) for c in counts[:6])
        for s, width in places:
            known[s, width] = ratios
            put(s, width, 7, 1)
            put(s, width, 6, float(np.log1p(counts[6])) / 4)
            for t in range(6):
                if ratios[t] > 0:
                    put(s, width, t, ratios[t])
    taken = [False] * n
    for s, width in sorted(known, key=lambda k: (-k[1], k[0])):
        if not any(taken[s : s + width]) and max(known[s, width]) > 0.1:
            taken[s : s + width] = [True] * width
            flags[s, 16:22] = known[s, width]
            flags[s + 1 : s + width, 22:28] = known[s, width]
    for i, w in enumerate(forms):
        if w in "([":
            # spans in brackets, and spans before one
            for e in range(i + 2, min(n, i + 2 + WIDTH)):
                if forms[e] in ")]":
                    put(i + 1, e - i - 1, 9, 1)
            for s in range(max(0, i - WIDTH), i):
                put(s, i - s, 10, 1)
    return Page(
        text,
        spans,
        forms,
        norms,
        sents,
        sentence,
        title,
        [pieces.split(w) for w in forms],
        hashes,
        flags,
        np.array(cells, np.int16).reshape(-1, 3),
        np.array(values, np.float32),
        pairs,
    )
