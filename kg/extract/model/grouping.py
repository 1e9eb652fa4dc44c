"""Grouping: which spans are chosen, and which of them name one thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.extract.model.features import TYPES, Page
from kg.extract.model.names import abbreviates, initials, normal
from kg.extract.model.nodes import Place

__all__ = ["Group", "acronym", "groups"]

_WORD = re.compile(r"[^\W_]+")


@dataclass
class Group:
    """Places in one text that name one thing, with the mean span probabilities (7,), none first."""

    places: list[Place]
    probabilities: NDArray[np.float32]

    @property
    def type(self) -> int:
        """Number of the likeliest entity type, 0 to 5."""
        return int(self.probabilities[1:].argmax())


def groups(
    page: Page, probabilities: NDArray[np.float32], low: float, share: float = 0.5
) -> list[Group]:
    """Choose spans that do not overlap, and put those that name one thing together.

    Parameters
    ----------
    page
        The text, n words.
    probabilities
        (n, WIDTH, 7): of each span (first word, width - 1) to be nothing or each type; sum 1.
    low
        Least probability, 0 to 1, of a span to be something.
    share
        Weight, 0 to 1, of the mean over all places of the same name against the place's own.

    Returns
    -------
    list of Group
        In the order of their first places. Places of one group have one normal name or are
        abbreviation and full form.
    """
    something = 1 - probabilities[..., 0]
    starts, widths = np.nonzero(something > low / 3)
    by_key: dict[str, list[tuple[int, int]]] = {}
    for s, w in zip(starts.tolist(), widths.tolist(), strict=True):
        if s + w < len(page.norms):
            by_key.setdefault(normal(page.norms[s : s + w + 1]), []).append((s, w))
    cells = [c for own in by_key.values() for c in own]
    if not cells:
        return []
    every = probabilities[tuple(np.array(cells).T)]
    middle = every.copy()
    at = 0
    for own in by_key.values():
        if len(own) > 1:
            middle[at : at + len(own)] = every[at : at + len(own)].mean(0)
        at += len(own)
    mixed = np.asarray((1 - share) * every + share * middle, np.float32)
    mean = dict(zip(cells, mixed, strict=True))
    keys = (key for key, own in by_key.items() for _ in own)
    scored = [
        (score, s, w, key)
        for score, (s, w), key in zip((1 - mixed[:, 0]).tolist(), cells, keys, strict=True)
        if score >= low and key
    ]
    taken = [False] * len(page.norms)
    chosen: dict[str, list[tuple[int, int]]] = {}
    for _, s, w, key in sorted(scored, key=lambda x: (-x[0], -x[2], x[1])):
        if not any(taken[s : s + w + 1]):
            taken[s : s + w + 1] = [True] * (w + 1)
            chosen.setdefault(key, []).append((s, w))
    out: list[Group] = []
    for own in chosen.values():
        own.sort()
        out.append(
            Group([(s, s + w + 1) for s, w in own], np.stack([mean[c] for c in own]).mean(0))
        )
    return _join(page, sorted(out, key=lambda g: g.places[0]))


def _join(page: Page, found: list[Group]) -> list[Group]:
    """Join groups that name one thing: abbreviation and full form, other forms of one word."""
    home = {p: k for k, g in enumerate(found) for p in g.places}
    parent = list(range(len(found)))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    def join(a: int, b: int) -> None:
        parent[max(root(a), root(b))] = min(root(a), root(b))

    for short, full in page.pairs:
        if short in home and full in home:
            join(home[short], home[full])
    forms = page.forms
    ending = {p[1]: p for p in home}
    for (s, e), k in home.items():
        before = ending.get(s - 1)
        if before is None or home[before] == k:
            continue
        j, u = home[before], before[1]
        bracket = forms[u] == "(" and e < len(forms) and forms[e] == ")"
        title = forms[u] == ":" and e <= page.title and acronym(_text(page, before))
        if (bracket or title) and found[j].type == found[k].type:
            join(j, k)
    names = [_Name.of(page, g) for g in found]
    for k, name in enumerate(names):
        for j in range(k):
            if _same(names[j], name) or _same(name, names[j]):
                join(j, k)
    joined: dict[int, list[Group]] = {}
    for k, g in enumerate(found):
        joined.setdefault(root(k), []).append(g)
    out = []
    for gs in joined.values():
        if len(gs) == 1:
            out.append(gs[0])
            continue
        places = sorted(p for g in gs for p in g.places)
        weights = [len(g.places) for g in gs]
        mean = np.average(np.stack([g.probabilities for g in gs]), axis=0, weights=weights)
        out.append(Group(places, np.asarray(mean, np.float32)))
    return sorted(out, key=lambda g: g.places[0])


class _Name(NamedTuple):
    """What a group is called at its first place."""

    type: int
    text: str
    words: list[str]
    joined: str
    acronym: bool
    bare: list[str]
    """The words without what stands in brackets."""
    capitals: set[str]
    """Those of the words that are written in capitals: acronyms, maybe plural."""

    @classmethod
    def of(cls, page: Page, group: Group) -> _Name:
        text, words = _text(page, group.places[0]), _words(page, group.places[0])
        upper = (w.rstrip("s") for w in _WORD.findall(text))
        capitals = {w.lower() for w in upper if w.isupper()}
        bare = _without_brackets(words)
        return cls(group.type, text, words, "".join(words), acronym(text), bare, capitals)


def _same(one: _Name, other: _Name) -> bool:
    """Tell whether two names mean one thing.

    Each case is right for 19 of 20 annotated pairs or more, but for mixed case ("ViT", 9 of 10) and
    a task named with and without a word inside (8 of 10).
    """
    a, b = one.words, other.words
    short, full = one.text, other.text
    if one.acronym and initials(short, full):
        return True
    if one.type != other.type:
        return False
    if one.joined == other.joined:
        return True
    mixed = one.acronym and not short.rstrip("s").isupper() and len(b) > 1
    if mixed and abbreviates(short, full) and short.lower() not in full.lower():
        return True
    if len(a) == len(b) > 1 and all(v[:4] == w[:4] for v, w in zip(a, b, strict=True)):
        return True
    if _spelt_out(one, other):
        return True
    if one.type == TYPES.index("Task") and 2 <= len(a) < len(b) and a[0] == b[0] and a[-1] == b[-1]:
        rest = iter(b)
        return all(w in rest for w in a)
    return False


def _spelt_out(one: _Name, other: _Name) -> bool:
    """Tell whether the second name is the first with acronyms spelt out, a bracketed one beside it
    left out: "open-domain QA", "AMR parsing" and "Abstract Meaning Representation (AMR) parsing".
    """
    short, full = one.words, other.bare
    if len(short) < 2 or len(short) > len(full):
        return False
    at = 0
    for word in short:
        spelt = full[at : at + len(word)]
        if full[at : at + 1] == [word]:
            at += 1
        elif word in one.capitals and len(word) > 1 and "".join(w[0] for w in spelt) == word:
            at += len(word)
        else:
            return False
    return at == len(full)


def _without_brackets(words: list[str]) -> list[str]:
    if "(" not in words or ")" not in words:
        return words
    first, last = words.index("("), words.index(")")
    return words[:first] + words[last + 1 :]


def acronym(text: str) -> bool:
    """Tell whether a mention looks like a coined name: one short word, two capitals or more."""
    return len(text) <= 12 and " " not in text and sum(c.isupper() for c in text) >= 2


def _words(page: Page, place: Place) -> list[str]:
    return normal(page.norms[place[0] : place[1]]).split()


def _text(page: Page, place: Place) -> str:
    return page.text[page.spans[place[0]][0] : page.spans[place[1] - 1][1]]
