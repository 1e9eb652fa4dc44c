"""The cues that tell an entity's type: its own form and the words about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kg.extract.gazetteer import singular
from kg.extract.patterns.names import shape

__all__ = ["cues", "defined_as"]

_NOUN: Final = re.compile(
    r"(?<![\w])(datasets?|data sets?|benchmarks?|corpus|corpora|test ?sets?|challenge|shared task|"
    r"tasks?|"
    r"suite|treebanks?|collection|resource|models?|family|LLMs?|LMs?|frameworks?|methods?|"
    r"algorithms?|approach(?:es)?|architectures?|systems?|techniques?|loss|mechanism|modules?|"
    r"networks?|toolkit|library|pipeline|platform|agents?|parser|encoder|decoder|optimizer|"
    r"strategy|paradigm|tool|attack|metrics?|measures?|scores?|evaluation|problem|recipe|"
    r"transformer|scheme|procedure|knowledge (?:base|graph)|database|environment|simulator|"
    r"leaderboard|arena|testbed|representations?|embeddings?|layers?|adapter|checkpoints?)(?![\w])",
    re.IGNORECASE,
)
_DEFINED: Final = re.compile(
    r"(?:\s*\([^()]{1,60}\))?\s*(?:,|:|—|–|\s-|\sis|\sare|\()\s*"
    r"(?:(?:which|that)\s+is\s+)?(?:an?|the|our|its|one of the)\s(?P<d>[^.;:]{3,90})"
)
_SCORED: Final = re.compile(
    r"\b(?:evaluat|benchmark|baseline|experiment|outperform|accurac|state-of-the-art|test set)",
    re.IGNORECASE,
)
_KINDS: Final = {
    "corpus": ("dataset", "data set", "corpu", "corpora", "collection", "resource", "treebank",
               "database", "knowledge base", "knowledge graph"),
    "benchmark": ("benchmark", "test set", "testset", "challenge", "shared task", "suite",
                  "leaderboard", "arena", "testbed", "environment", "simulator", "evaluation"),
    "model": ("model", "family", "llm", "lm", "checkpoint", "transformer"),
    "task": ("task", "problem"),
    "metric": ("metric", "measure", "score"),
}  # fmt: skip
_CUT: Final = re.compile(
    r"\b(?:that|which|for|to|of|with|by|from|on|in|based|using|consisting|where)\b"
)
_WORD: Final = re.compile(r"\S+")
_PARTS: Final = re.compile(r"[\s\-‐‑]")
_TRAIL: Final = re.compile(r"\W+$")
_JOINED: Final = re.compile(r".\w+")
_CLAUSE: Final = re.compile(r"[.;:\n]")
_NAMED: Final = re.compile(
    r"(\S+ \S+|\S+)[,:]?\s*(?:,|called|named|dubbed|termed|namely|such as|like|including|"
    r"\(|\(e\.g\.,?|titled|i\.e\.,)\s*[\"“'‘]?$"
)
_INTRODUCED: Final = re.compile(r"\b(?:we|paper|work)\b[^.]{0,40}\b(?:propos|introduc|present)")
_EVALUATED: Final = re.compile(
    r"\b(?:evaluat|experiment|result|test|benchmark|performance|score)[^.]{0,60}\b"
    r"(?:on|in|across)\b[^.]{0,50}$"
)
_TRAINED: Final = re.compile(r"\btrain(?:ed|ing)?\b[^.]{0,30}\bon\b[^.,]{0,30}$")
_RIVAL: Final = re.compile(r"\b(?:outperform|surpass|baseline|compar|such as|than)\w*[^.]{0,30}$")


def _noun(text: str) -> str:
    """Return the last telling noun before the first word that ends a noun phrase."""
    head = _CUT.split(text, maxsplit=1)[0]
    found = _NOUN.findall(head)
    return singular(found[-1].lower()) if found else ""


def _kind(noun: str) -> str:
    """Return what kind of noun it is: data, model, task, metric or, else, method."""
    for kind, nouns in _KINDS.items():
        if noun in nouns:
            return kind
    return "method"


def defined_as(text: str, end: int) -> str:
    """Return the noun that defines the name ending at ``end`` ("X, a … framework for"), or ""."""
    defined = _DEFINED.match(text, end)
    return _noun(defined["d"]) if defined else ""


def cues(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield the cues of the entity whose mentions in ``text`` are ``spans``.

    ``w:`` last word, ``e:`` ending, ``s:`` shape, ``n:`` word after, ``p:`` words before,
    ``d:`` defining noun after, ``b:`` noun before, ``k:`` its kind, ``i:``, ``x:`` what is
    done with it, ``t:`` whether the text scores anything.
    """
    yield "t:scored" if _SCORED.search(text) else "t:unscored"
    for start, end in spans:
        name = text[start:end]
        parts = _PARTS.split(name)
        last = parts[-1]
        yield "w:" + singular(last.lower())
        yield "f:" + parts[0].lower()
        form = shape(name) if " " not in name else ""
        yield "s:" + (form or ("lower" if name.islower() else "capital"))
        if form:
            yield "e:" + last[-3:].lower()
            yield "e:" + last[-5:].lower()
        after = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
        if after:
            word = _TRAIL.sub("", after[0].lower())
            yield "n:" + singular(word)
        elif text[end : end + 1] in "-‐‑":
            tail = _JOINED.match(text[end : end + 20])
            yield "n:" + (tail[0].lower() if tail else "-")
        else:
            yield "n:" + text[end : end + 1]
        before = text[max(0, start - 60) : start]
        words = before.lower().split()
        if words and before.endswith((" ", "(", "-")):
            yield "p:" + words[-1]
            if len(words) > 1:
                yield "p:" + " ".join(words[-2:])
        noun = defined_as(text, end)
        if noun:
            yield "d:" + noun
            yield "k:" + _kind(noun)
        tail_ = _CLAUSE.split(before)[-1]
        named = _NAMED.search(tail_)
        # "on the X dataset, NAME wins" is no apposition: after that, NAME is closed off, too
        closed = tail_.rstrip("\"“'‘ ")[-1:] != "," or text[end : end + 1] in (*',.;:()”"', "")
        if named and closed:
            noun = _noun(named[1])
            if noun:
                yield "b:" + noun
                yield "k:" + _kind(noun)
        if _INTRODUCED.search(tail_):
            yield "i:introduced"
        if _EVALUATED.search(tail_):
            yield "x:evaluated"
        if _TRAINED.search(tail_):
            yield "x:trained"
        if _RIVAL.search(tail_):
            yield "x:rival"
