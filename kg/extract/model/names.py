"""Names in one text: which strings mean the same, which is short for which."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["abbreviates", "initials", "normal", "normal_word", "singular"]

HYPHENS = frozenset("-‐‑‒–—−_")

_SMALL = frozenset(
    ["of", "for", "the", "and", "in", "on", "with", "to", "a", "via", "from", "by", "as"]
)


def normal_word(word: str) -> str:
    """Return the form under which a word is compared: case folded, compatibility forms unified."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word).casefold()


def singular(word: str) -> str:
    """Return `word` (case folded) without its plural ending; words of up to 3 letters stay."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        if word.endswith("ies") and len(word) > 4:
            return word[:-3] + "y"
        return word[:-1]
    return word


def normal(words: Sequence[str]) -> str:
    """Return the key of a name given as its words, each already in :func:`normal_word` form.

    Hyphens are dropped and the last word is put into the singular, so that "Mixture-of-Experts" and
    "mixture of expert" have one key; the words stay apart ("GPT 4" is not "GPT4"). Empty for a name
    of hyphens only.
    """
    kept = [w for w in words if w not in HYPHENS]
    if kept:
        kept[-1] = singular(kept[-1])
    return " ".join(kept)


def abbreviates(short: str, full: str) -> bool:
    """Tell whether ``short`` can be the abbreviation of ``full`` (Schwartz and Hearst, 2003).

    Each letter and digit of ``short`` (2 to 12 of them, at least one a capital) must occur in
    ``full`` in order, its first at the beginning of ``full``'s word.
    """
    core = [c for c in short if c.isalnum()]
    if len(core) > 2 and core[-1] == "s" and core[-2].isupper():
        core = core[:-1]
    if not 2 <= len(core) <= 12 or not any(c.isupper() for c in core) or len(full) <= len(short):
        return False
    low = full.lower()
    at = len(low)
    for i in range(len(core) - 1, -1, -1):
        c = core[i].lower()
        at = low.rfind(c, 0, at)
        while i == 0 and at > 0 and low[at - 1].isalnum():
            at = low.rfind(c, 0, at)
        if at < 0:
            return False
    # the match must begin in the first word: "the graph neural network (GNN)" is not the span given
    return at <= (len(full.split()[0]) if full.split() else 0)


def initials(short: str, full: str) -> bool:
    """Tell whether ``short`` (plural or not) is made of the first letters of ``full``'s words.

    Words like "of" and "the" may be left out.
    """
    core = [c.lower() for c in short if c.isalnum()]
    if len(core) > 2 and short[-1] == "s" and short[-2].isupper():
        core = core[:-1]
    words = re.findall(r"[^\W_]+", full.lower())
    want = "".join(core)
    return len(want) > 1 and want in (
        "".join(w[0] for w in words),
        "".join(w[0] for w in words if w not in _SMALL),
    )
