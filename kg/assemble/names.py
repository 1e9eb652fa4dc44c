"""Names: when two spellings are one name.

All functions here are pure and know the field's habits; none looks at a graph. Two names are the
same when their :func:`fold` is equal: case, Unicode form, white space, hyphens, quotes and a
plural do not count, nor does a version's ``.0``; digits, versions, sizes, signs and every other
letter do.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

__all__ = ["abbreviates", "fold", "is_acronym", "is_coined", "slug", "spaced", "unknown", "unslug"]

_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe0e\ufe0f]")
_HYPHENS: Final = re.compile("[\u2010-\u2015\u2212\u2043\ufe58\ufe63\uff0d]")
_QUOTES: Final = re.compile("[\"'`\u00b4\u2018-\u201f\u2032\u2033\u2039\u203a\u00ab\u00bb]")
_SEPARATOR: Final = re.compile(r"[\s_~-]+")
_TEX: Final = re.compile(r"[$]|\{(\w+)\}")
_ZERO: Final = re.compile(r"(?<![\d.])(\d+)\.0$")
_GENERIC: Final = re.compile(
    r"^(?P<name>\S+)[ -](?:datasets?|corpus|corpora|benchmarks?|models?|frameworks?|algorithms?"
    r"|methods?|architectures?|networks?|tasks?|scores?|metrics?|optimizers?|test sets?)$",
    re.IGNORECASE,
)
_GREEK: Final = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "lambda": "λ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "pi": "π",
    "mu": "μ",
}
_CODE: Final = re.compile("_([0-9a-f]{1,5}|10[0-9a-f]{4})_")
_VERSION: Final = re.compile(r"v\d+(?:\.\d+)*$")
_SINGULAR_S: Final = re.compile(r"(?:ss|us|is|as|os|ous|ics)$")
_IRREGULAR: Final = {
    "analyses": "analysis",
    "biases": "bias",
    "corpora": "corpus",
    "hypotheses": "hypothesis",
    "indices": "index",
    "lenses": "lens",
    "matrices": "matrix",
    "syntheses": "synthesis",
    "vertices": "vertex",
}
_BRITISH: Final = (
    (
        re.compile(
            r"(?<=[a-z]{3})(?:(?<=[lntg])|(?<=[aeo]r)|(?<=im|om)(?<!prom))is"
            r"(?=(?:ation|ing|ed|er|e)$)"
        ),
        "iz",
    ),
    (re.compile(r"(?<=mode|labe|igna|ance|rave)ll(?=ing|ed|er)"), "l"),
    (re.compile(r"(?<=behavi|neighb)our"), "or"),
    (re.compile(r"(?<=^dialog)$"), "ue"),
    (re.compile(r"(?<=judg)e(?=ments?$)"), ""),
)


_NEAR: Final = 0.6
"""Share of equal characters from which on a name is told as near, and how many are told:"""
_MOST_NEAR: Final = 3


@lru_cache(maxsize=1 << 16)
def is_acronym(name: str) -> bool:
    """Whether ``name`` is a short run of capitals (with digits, a plural s): RAG, MoEs, F1.

    Such a name can mean different things in different papers.
    """
    core = name.removesuffix("s") if name[-2:-1].isupper() else name
    return (
        2 <= len(core) <= 6
        and core.isalnum()
        and sum(c.isupper() for c in core) * 2 >= len(core)
        and core[0].isupper()
    )


def abbreviates(short: str, long: str) -> bool:
    """Whether ``short`` can stand for ``long``: its signs occur there in order, the first at the
    start.

    The test of Schwartz and Hearst (2003), and stricter: every capital of ``short`` begins a word
    of
    ``long`` or is a capital there, and ``long`` is longer than ``short``.
    """
    signs = [c for c in short.removesuffix("s") if c.isalnum()]
    if len(signs) < 2 or len(long) <= len(short) + 1 or long[0].casefold() != signs[0].casefold():
        return False
    at = len(long)
    for n, sign in reversed(list(enumerate(signs))):
        at -= 1
        while at >= 0 and not (
            long[at].casefold() == sign.casefold()
            and (
                at == 0
                or (n > 0 and (not sign.isupper() or long[at].isupper()))
                or not long[at - 1].isalnum()
            )
        ):
            at -= 1
        if at < 0:
            return False
    return not any(c.isalnum() for c in long[:at])


@lru_cache(maxsize=1 << 16)
def is_coined(name: str) -> bool:
    """Whether ``name`` is a proper name by its spelling: SQuAD, GPT-4, LoRA, T5, BERTScore."""
    return (
        any(c.isdigit() for c in name)
        or sum(c.isupper() for word in name.split() for c in word[1:]) >= 1
    )


def _singular(word: str, original: str) -> str:
    """Return ``word`` (lower case) without its plural s; ``original`` tells acronyms apart."""
    if len(word) < 3 or not word.endswith("s"):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if original[-1] == "S":
        return word
    if len(original) > 2 and original[-2].isupper():
        return word[:-1]
    if _SINGULAR_S.search(word) or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def _american(word: str) -> str:
    for british, american in _BRITISH:
        word = british.sub(american, word)
    return word


@lru_cache(maxsize=1 << 16)
def spaced(name: str) -> str:
    """Return the readable normal form of ``name``: lower case, words joined by one hyphen.

    A hyphen stays where two letters or two digits meet, and goes where a letter meets a digit:
    ``Llama 3.1`` and ``LLaMA-3.1`` give ``llama3.1``, ``GPT-4 32k`` gives ``gpt4-32k``,
    ``Chain of Thought`` gives ``chain-of-thought``.
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name))
    text = _QUOTES.sub("", _HYPHENS.sub("-", text)).strip()
    text = _TEX.sub(r"\1", text).strip() or text
    stripped = _GENERIC.match(text)
    if stripped and is_coined(stripped["name"]):
        text = stripped["name"]
    words = [w for w in _SEPARATOR.split(text) if w]
    if not words:
        return ""
    lowered = [w.casefold() for w in words]
    lowered[-1] = _singular(lowered[-1], words[-1])
    lowered = [_ZERO.sub(r"\1", w) for w in lowered]
    lowered = [_GREEK.get(w, w) for w in lowered]
    lowered[1:] = [w[1:] if _VERSION.match(w) else w for w in lowered[1:]]
    if not is_coined(text):
        lowered = [_american(w) for w in lowered]
    out = lowered[0]
    for word in lowered[1:]:
        digits = out[-1].isdigit(), word[0].isdigit()
        out += word if digits[0] != digits[1] else "-" + word
    return unicodedata.normalize("NFC", out)


@lru_cache(maxsize=1 << 16)
def fold(name: str) -> str:
    """Return the form of ``name`` that equal names share, or "" if it has no visible character.

    This is :func:`spaced` without its hyphens between letters; one between digits stays
    (``Llama-3-70B`` is ``llama3-70b``).

    Examples
    --------
    >>> fold("Fine-tuning") == fold("finetuning")
    True
    >>> fold("CIFAR-10") == fold("CIFAR-100")
    False
    """
    return re.sub(r"(?<!\d)-|-(?!\d)", "", spaced(name))


def unknown(name: str, known: Mapping[str, str]) -> str:
    """Return the line that says that no entity is called ``name``, with the nearest names.

    Parameters
    ----------
    known : :func:`fold` of each name that there is to the name that is told for it.

    Examples
    --------
    >>> unknown("BRET", {"bert": "BERT", "glue": "GLUE"})
    "no entity is called 'BRET'; did you mean BERT?"
    """
    near = difflib.get_close_matches(fold(name) or name, known, n=_MOST_NEAR, cutoff=_NEAR)
    hint = ", ".join(dict.fromkeys(known[form] for form in near))
    return f"no entity is called {name!r}" + (f"; did you mean {hint}?" if hint else "")


def slug(normal: str) -> str:
    """Return ``normal`` (a :func:`spaced` form) as the readable part of an entity's key.

    Letters and digits of any script, ``.``, ``+`` and ``-`` stay; every other character becomes its
    hexadecimal code between underscores, so different names never share a slug.

    Examples
    --------
    >>> slug("pass@1")
    'pass_40_1'
    """
    return "".join(c if c.isalnum() or c in ".+-" else f"_{ord(c):x}_" for c in normal)


def unslug(text: str) -> str:
    """Return the form whose :func:`slug` is ``text``; what is no slug comes back as it is."""
    return _CODE.sub(lambda code: chr(int(code[1], 16)), text)
