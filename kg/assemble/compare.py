"""Compare two names with no graph at hand: the same thing, different things, or unsure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from kg.assemble.names import fold, is_coined, spaced
from kg.assemble.resolve import aliases, expanded
from kg.schema import ENTITY_TYPES

__all__ = ["Verdict", "base_names", "compare"]

_FAMILIES: Final = tuple(dict.fromkeys(t.family for t in ENTITY_TYPES.values()))

_MODIFIERS: Final = re.compile(
    r"(?:base|large|small|tiny|mini|nano|micro|medium|x+[ls]|huge|giant|chat|instruct|turbo|pro|max"
    r"|plus|ultra|lite|flash|preview|cased|uncased|distilled|hard|easy|verified|full|dev|test|train"
    r"|extended|it|sft|int[48]|fp(?:8|16))",
    re.IGNORECASE,
)
"""Words at the end of a name that mark a size, a release or a split."""

_SIZE: Final = re.compile(r"(?:a?\d+(?:\.\d+)?[bmk]|\d+x\d+b)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"v?\d+(?:\.\d+)*", re.IGNORECASE)
_LAST: Final = re.compile(r"(?s)(.*[^\s_~-])[\s_~-]+([^\s_~-]+)")
_JOINED: Final = re.compile(r"(.*?[A-Za-z]{2})v?\d+(?:\.\d+)*", re.IGNORECASE)
_SHORTEST: Final = 3
"""Letters of the shortest name that can have versions: T5 is no version of T."""

_DIGITS: Final = re.compile(r"\d+(?:\.\d+)*")
_WORD: Final = re.compile(r"[^\s-]+")
_NEAR: Final = 0.8
"""Share of equal characters from which on two words may be one, misspelt or in another form."""
_ALIKE: Final = 0.95
"""The same for two names whose words are divided differently."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to whether two names mean one thing, and the rule that gives it.

    Attributes
    ----------
    answer : ``same``, ``different`` or ``unsure``.
    rule : one of those that :func:`compare` names; ``no name`` if one of the two has no letter,
        digit or sign.
    """

    answer: Literal["same", "different", "unsure"]
    rule: str


def compare(a: str, b: str) -> Verdict:
    """Return whether the names ``a`` and ``b`` mean one thing: what ``kg resolve`` answers.

    Rules, the first that applies: ``spelling`` (they fold alike), ``alias`` (the alias file has
    both), ``abbreviation`` (one may abbreviate the other: unsure, for the papers decide),
    ``version`` (they differ in digits or in a size, release or split), ``near`` (they differ in
    a few letters only: unsure), ``name`` (they are different names).

    Examples
    --------
    >>> from kg import resolve
    >>> resolve("Llama 3.1", "LLaMA-3.1")
    Verdict(answer='same', rule='spelling')
    >>> resolve("CIFAR-10", "CIFAR-100").answer
    'different'
    """
    fa, fb = fold(a), fold(b)
    if not fa or not fb:
        return Verdict("same" if a == b else "unsure", "no name")
    if fa == fb:
        return Verdict("same", "spelling")
    if _aliased(a, b):
        return Verdict("same", "alias")
    digits = _DIGITS.findall(fa), _DIGITS.findall(fb)
    if all(digits) and digits[0] != digits[1]:
        return Verdict("different", "version")
    if _may_abbreviate(*sorted((a, b), key=len)):
        return Verdict("unsure", "abbreviation")
    if _of_one_base(fa, a, fb, b):
        return Verdict("different", "version")
    if fa in fb or fb in fa:
        return Verdict("different", "name")
    if min(len(fa), len(fb)) > 5 and _near(spaced(a), spaced(b)):
        return Verdict("unsure", "near")
    return Verdict("different", "name")


def _aliased(a: str, b: str) -> bool:
    return any(_canonical(a, family) == _canonical(b, family) for family in _FAMILIES)


def _canonical(name: str, family: str) -> str:
    known, form = aliases(), fold(name)
    if (family, form) not in known:
        form = fold(expanded(name, family))
    return fold(known.get((family, form), "")) or form


def _may_abbreviate(short: str, long: str) -> bool:
    """Whether ``short``, but for the words that both have, may abbreviate the rest of ``long``.

    What abbreviates is several words: BERT does not abbreviate BioBERT.
    """
    few, many = _WORD.findall(short), _WORD.findall(long)
    while few and many and fold(few[0]) == fold(many[0]):
        few, many = few[1:], many[1:]
    while few and many and fold(few[-1]) == fold(many[-1]):
        few, many = few[:-1], many[:-1]
    rest, full = "".join(few), "".join(many)
    if len(many) < 2 or not is_coined(rest) or full.startswith(rest):
        return False
    letters = iter(full.casefold())
    signs = [c for c in rest.removesuffix("s").casefold() if c.isalpha()]
    return bool(signs) and signs[0] == full[0].casefold() and all(c in letters for c in signs)


def _near(a: str, b: str) -> bool:
    """Whether two spaced forms differ in the spelling of one word alone."""
    few, many = a.split("-"), b.split("-")
    if len(few) != len(many):
        return SequenceMatcher(None, "".join(few), "".join(many)).ratio() >= _ALIKE
    differing = [(x, y) for x, y in zip(few, many, strict=True) if x != y]
    return len(differing) == 1 and SequenceMatcher(None, *differing[0]).ratio() >= _NEAR


def _of_one_base(fa: str, a: str, fb: str, b: str) -> bool:
    above_a, above_b = set(base_names(a)), set(base_names(b))
    return fa in above_b or fb in above_a or bool(above_a & above_b)


def base_names(name: str) -> list[str]:
    """Return the folded names that ``name`` is a variant of, from the nearest to the farthest.

    A version, size, release or split of something, where the spelling is plain.

    Examples
    --------
    >>> base_names("Llama-3-70B")
    ['llama3', 'llama']
    >>> base_names("GPT-4o"), base_names("BiLSTM")
    ([], [])
    """
    found: list[str] = []
    while name := _base(name):
        found.append(fold(name))
    return found


def _base(name: str) -> str:
    """Return ``name`` without its last mark of a variant, or "" if it has none."""
    name = unicodedata.normalize("NFKC", name).strip()
    if not is_coined(name):
        return ""
    base = ""
    if last := _LAST.fullmatch(name):
        marks = (_MODIFIERS, _SIZE, _NUMBER)
        base = last[1] if any(mark.fullmatch(last[2]) for mark in marks) else ""
    elif joined := _JOINED.fullmatch(name):
        base = joined[1]
    return base if sum(c.isalnum() for c in base) >= _letters_needed(base) else ""


def _letters_needed(base: str) -> int:
    return 2 if any(c.isdigit() for c in base) else _SHORTEST
