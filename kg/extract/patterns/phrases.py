"""Names in lower case: a head noun of the field with the words that narrow it.

``heads.tsv`` lists the last words that such names have ("… recognition": Task), ``borders.txt`` the
words that stand before a name without belonging to it ("novel"). Both are mined by
``training/mine_phrases.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kg.extract.gazetteer import singular
from kg.extract.patterns.names import Candidate

__all__ = ["Phrases"]

_WORD: Final = re.compile(r"[^\W_]+(?:[-‐‑–’'][^\W_]+)*")
_HYPHENS: Final = re.compile(r"[-‐‑–]")
_LONGEST: Final = 4
_CLOSED_WORDS: Final = (
    "a an the this that these those our their its his her your my we it they i you he she of "
    "in on for to with by from as at via into onto over under between among across through "
    "and or but nor not no is are was were be been being has have had do does did can could "
    "may might will would should must which who whom whose what when where why how such other "
    "another any all some many much more most less least few several both each every either "
    "neither one two three four five six seven eight nine ten than then so if because while "
    "although though however also only just even still yet about after before during without "
    "within including especially e.g i.e etc vs existing novel new proposed effective "
    "efficient better good best strong high low large small better different various diverse "
    "state-of-the-art very highly recent current previous first second third single fast "
    "simple important challenging downstream real-world based using improved improving "
    "enhance "
)
_CLOSED: Final = frozenset(_CLOSED_WORDS.split())


class Phrases:
    """Finds lower-case names by their head nouns."""

    def __init__(self, heads: dict[str, str], borders: frozenset[str]) -> None:
        self.heads = heads
        self.borders = borders | _CLOSED

    @classmethod
    def read(cls, folder: Path = Path(__file__).parent) -> Phrases:
        """Read ``heads.tsv`` and ``borders.txt`` of a folder."""
        rows = (folder / "heads.tsv").read_text(encoding="utf-8").splitlines()
        heads = dict(row.split("\t")[:2] for row in rows if row and not row.startswith("#"))
        words = (folder / "borders.txt").read_text(encoding="utf-8").splitlines()
        return cls(heads, frozenset(w for w in words if w and not w.startswith("#")))

    def find(self, text: str, begin: int = 0) -> Iterator[Candidate]:
        """Yield the phrases of ``text`` from ``begin`` on; the rule is ``head:<head>``."""
        previous: list[re.Match[str]] = []
        for match in _WORD.finditer(text, begin):
            if previous and text[previous[-1].end() : match.start()] != " ":
                previous = []
            word = match[0].lower()
            part = _HYPHENS.split(word)[-1]
            head = singular(part)
            kind = self.heads.get(head)
            if kind is not None:
                first = len(previous)
                while first > 0 and len(previous) - first < _LONGEST:
                    candidate = previous[first - 1][0]
                    if self._border(candidate):
                        break
                    first -= 1
                count = len(previous) - first
                if count or len(part) < len(word):
                    start = previous[first].start() if count else match.start()
                    rule = f"head:{head}:{min(count, 3)}"
                    yield Candidate(start, match.end(), rule, kind)
            previous.append(match)

    def _border(self, word: str) -> bool:
        low = word.lower()
        return low in self.borders or low.endswith(("ly", "'s", "’s")) or low.isdigit()
