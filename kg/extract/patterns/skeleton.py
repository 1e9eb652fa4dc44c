"""The skeleton of a sentence: every mention and every figure is one character.

So that a rule can be one regular expression over what stands between the things it relates, each
mention is replaced by a character of the private use area, whose range tells the type. In patterns,
:func:`rule` puts the ranges in for ``{M}`` (Method or Model), ``{D}`` (Dataset or Benchmark),
``{T}`` (Task), ``{E}`` (Metric), ``{N}`` (figure), ``{A}`` (anaphor: "our method", "it", "we") and
``{Ms}``, ``{Ds}``, ``{Ts}`` for lists of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Anaphor", "Skeleton", "Thing", "anaphora", "fill", "rule", "skeleton"]

_FIRST: Final = {
    "Method": 0xE000,
    "Model": 0xE400,
    "Dataset": 0xE800,
    "Benchmark": 0xEC00,
    "Task": 0xF000,
    "Metric": 0xF400,
    "figure": 0xF600,
    "anaphor": 0xF800,
}
_ROOM: Final = 0x100
_M: Final = "[\ue000-\ue7ff]"
_D: Final = "[\ue800-\uefff]"
_T: Final = "[\uf000-\uf3ff]"
_E: Final = "[\uf400-\uf5ff]"
_N: Final = "[\uf600-\uf7ff]"
_A: Final = "[\uf800-\uf8ff]"
_GLUE: Final = (
    r"(?:\s*\([^()]{{0,80}}\)|\s(?:benchmarks?|datasets?|corpus|corpora|tasks?|models?))?(?:\s*,\s*(?:and\s|or\s|as\swell\sas\s)?\s*|\s+(?:and|or|as\swell\sas|&)\s+|\s*/\s*)"
    r"(?:(?:even\s|also\s|on\s|the\s|a\s|an\s|with\s|our\s|for\s)?(?:[\w’'\-]+\s){{0,2}}?)"
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A mention, figure or anaphor at ``start:end`` of the text; ``item`` is an index or a kind."""

    start: int
    end: int
    kind: str
    item: int


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A sentence with its things as single characters.

    Attributes
    ----------
    text : the skeleton.
    things : character to thing.
    """

    text: str
    things: dict[str, Thing]


class Anaphor:
    """What an anaphor stands for: the paper's method, its data, or its authors."""

    METHOD: Final = 0
    DATA: Final = 1
    WE: Final = 2
    IT: Final = 3


_OURS: Final = (
    r"(?:our|the proposed|our proposed|this proposed|the resulting|the presented|this new|the new|"
    r"the introduced|this|these|our new|our novel|our final|our best)"
)
_SYSTEM: Final = (
    r"(?:methods?|approach(?:es)?|models?|frameworks?|systems?|algorithms?|architectures?|"
    r"techniques?|strategy|strategies|pipeline|networks?|modules?|solution|agents?|schemes?|"
    r"parsers?|mechanism|paradigm|procedure|recipe|optimizer|loss|objective|attack|defense|tool|"
    r"toolkit|encoder|decoder|metric|estimator|classifier|detector|variants?)"
)
_SET: Final = (
    r"(?:datasets?|data sets?|benchmarks?|corpus|corpora|test ?sets?|test suite|suite|collection|"
    r"treebank|resource|data|task|challenge|leaderboard|environment)"
)
_ANAPHOR: Final = re.compile(
    r"\b(?=[itow])(?:"  # where none of them can start is known by the first letter
    rf"(?P<m>\b{_OURS}\s(?:[\w\-]+\s){{0,3}}?{_SYSTEM}\b)"
    rf"|(?P<d>\b{_OURS}\s(?:[\w\-]+\s){{0,3}}?{_SET}\b)"
    r"|(?P<i>(?:(?<=^)|(?<=[,;:]\s)|(?<=that\s)|(?<=and\s)|(?<=which\s)|(?<=while\s)|(?<=where\s))"
    r"(?:it|they)\b|(?<=^)(?:it|they|this)\s(?=[a-z]))"
    r"|(?P<w>\b(?:we|this paper|this work|this study|this article|the paper|our work|our paper|"
    r"our study|our experiments?|our results?|the authors|ours)\b))",
    re.IGNORECASE,
)


def anaphora(sentence: str, offset: int = 0) -> list[Thing]:
    """Return the anaphora of ``sentence``, which starts at ``offset`` of the text."""
    out = []
    for match in _ANAPHOR.finditer(sentence):
        kind = {"m": Anaphor.METHOD, "d": Anaphor.DATA, "i": Anaphor.IT, "w": Anaphor.WE}[
            match.lastgroup or "w"
        ]
        out.append(
            Thing(offset + match.start(), offset + match.start() + len(match[0].rstrip()),
                  "anaphor", kind)
        )  # fmt: skip
    return out


def fill(kind: str, number: int) -> str:
    """Return the character of the ``number``-th thing of ``kind``."""
    return chr(_FIRST[kind] + min(number, _ROOM - 1))


def skeleton(text: str, start: int, end: int, things: Iterable[Thing]) -> Skeleton:
    """Return the skeleton of the sentence ``text[start:end]``.

    Things that overlap are taken in order of place, the longer first; characters of the private
    use area in the text itself become U+FFFD.
    """
    pieces: list[str] = []
    named: dict[str, Thing] = {}
    count: dict[str, int] = {}
    clear = _PRIVATE.sub("\ufffd", text[start:end])
    at = start
    for thing in sorted(things, key=lambda t: (t.start, -t.end)):
        if thing.start < at or thing.end > end:
            continue
        number = count.get(thing.kind, 0)
        if number >= _ROOM:
            continue
        count[thing.kind] = number + 1
        sign = fill(thing.kind, number)
        named[sign] = thing
        pieces += (clear[at - start : thing.start - start], sign)
        at = thing.end
    pieces.append(clear[at - start :])
    plain = _same_in_brackets("".join(pieces), named)
    return Skeleton(_SPACES.sub(" ", plain), named)


_SPACES: Final = re.compile(r"\s+")
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_BRACKETS: Final = re.compile('([\ue000-\uf5ff])[”"’\']?\\s*\\(["“‘]?([\ue000-\uf5ff])[”"’]?\\)')


def _same_in_brackets(text: str, named: dict[str, Thing]) -> str:
    """Drop "(DPO)" after "Direct Preference Optimization": one entity, said twice."""

    def drop(match: re.Match[str]) -> str:
        same = named[match[1]].item == named[match[2]].item
        return match[1] if same else match[0]

    return _BRACKETS.sub(drop, text)


def rule(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile ``pattern`` with the ranges put in; see the module's text."""
    table = {"M": _M, "D": _D, "T": _T, "E": _E, "N": _N, "A": _A, "H": f"(?:{_M}|{_A})"}
    table |= {"X": "[\ue000-\uf3ff]", "MD": "[\ue000-\uefff]"}
    for key, unit in (("Ms", _M), ("Ds", _D), ("Ts", _T), ("Es", _E)):
        table[key] = f"{unit}(?:{_GLUE.replace('{{', '{').replace('}}', '}')}{unit})*"
    for key, value in table.items():
        pattern = pattern.replace("{" + key + "}", value)
    return re.compile(pattern, flags)


def members(signs: str, things: dict[str, Thing]) -> Sequence[Thing]:
    """Return the things whose characters stand in ``signs``, in order."""
    return [things[c] for c in signs if c in things]
