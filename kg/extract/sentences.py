"""Sentences of an abstract, run-ons included ("pseudo-labels.Our method").

A rule-based splitter for scholarly English: it knows the abbreviations of the field ("et al.",
"Fig. 2", "e.g.", "vs."), leaves numbers, names and addresses whole ("3.5", "GPT-3.5",
"www.x.org"), and cuts where a space is missing after the full stop. A blank line always cuts, so no
sentence goes from a title into the text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["sentences"]

_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|viz|etc|al|approx|resp|ca|w\.r\.t|a\.k\.a|i\.i\.d|s\.t"
    r"|Fig|Figs|Eq|Eqs|Sec|Secs|Tab|Tabs|Ref|Refs|Thm|Prop|Def|Alg|App|Ch|No|Nos|Vol|pp|ed|eds"
    r"|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Inc|Ltd|Corp|Co|Univ|Dept|Jan|Feb|Mar|Apr|Aug|Sept|Oct|Nov|Dec"
    r"|dept|est|incl|excl|esp|max|min|avg|std|dim|U\.S|U\.K|Ph\.D|E\.g|I\.e|Cf)"
    r"|(?<![A-Za-z0-9-])[A-Z])\.$"
)
_NEVER_LAST: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|viz|Fig|Figs|Eq|Eqs|Sec|Secs|Tab|Ref|Dr|Mr|Mrs|Ms|Prof|E\.g|I\.e|Cf"
    r"|w\.r\.t|a\.k\.a|approx|ca|resp|No))\.$"
)
_STARTERS: Final = (
    "We|Our|Ours|The|This|These|Those|That|It|Its|In|On|For|To|With|By|As|At|From|However|Moreover|"
    "Furthermore|Additionally|Experiments?|Experimental|Extensive|Results?|Finally|Then|Thus|"
    "Here|Both|Code|Although|While|When|Such|Most|Many|Existing|Recent|Specifically|Empirical|"
    "First|Second|Third|An?|Also|But|And|Despite|Our|Evaluations?|Based|Using|Through|Compared|"
    "Therefore|Hence|Since|Because|Given|Inspired|Motivated|Unlike|They|Their|There"
)
_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]*]*+(?=\s)"  # the usual end: white space follows
    rf"|(?<=[a-zA-Z0-9)\]%”’])[.!?](?=(?:{_STARTERS})\b(?!\.))"  # glued: a sentence starter
    r"|(?<=[a-z)\]%”’])[.!?](?=[A-Z][a-z]{2,}\s)"  # glued: any capitalised word
    r"|[。！？]"
    r"|(?=\n[ \t]*\r?\n)",
)
_GLUED_WORD: Final = re.compile(r"[A-Za-z]+$")
_NEXT: Final = re.compile(r"\s*[\"'“‘(\[$*`\\-]*(.?)", re.DOTALL)


def _ends(text: str, stop: int, glued: bool) -> bool:
    """Whether a sentence ends at ``stop``, the offset after its mark."""
    head = text[max(0, stop - 14) : stop]
    first = _NEXT.match(text, stop)
    following = first[1] if first else ""
    if following == "":
        return True
    if text[stop - 1] in "。！？!?":
        return text[stop - 1] not in "!?" or not following.islower()
    if glued:
        # "e.g.The", "www.Site", "Node.Js": a word before the stop must be a plain one
        word = _GLUED_WORD.search(text[max(0, stop - 30) : stop - 1])
        before = text[max(0, stop - 60) : stop].split()
        if before and re.search(r"www\.|https?:|@|/\S*$", before[-1]):
            return False
        if word and len(word[0]) == 1 and not head[-3:-2].isdigit():
            return False
        return not _NEVER_LAST.search(head)
    if following.islower():
        # a name in lower case may start a sentence; too rare to pay for "e.g. this"
        return False
    if _NEVER_LAST.search(head):
        return False
    if _ABBREVIATION.search(head):
        word = re.match(r"\s*([A-Za-z]+)", text[stop : stop + 30])
        return bool(word and re.fullmatch(_STARTERS, word[1]))
    return True


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) character offsets of the sentences of ``text``, in order.

    White space about a sentence belongs to none; the rest of the text is covered exactly once.

    Examples
    --------
    >>> text = "It makes pseudo-labels.Our method (e.g. GPT-3.5) wins."
    >>> [text[a:b] for a, b in sentences(text)]
    ['It makes pseudo-labels.', 'Our method (e.g. GPT-3.5) wins.']
    """
    cuts: list[int] = []
    for match in _END.finditer(text):
        stop = match.end()
        if match.start() == stop:
            cuts.append(stop)
            continue
        glued = stop < len(text) and not text[stop].isspace() and match[0][-1] not in "。！？"
        if _ends(text, stop, glued):
            cuts.append(stop)
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in [*cuts, len(text)]:
        piece = text[start:cut]
        stripped = piece.strip()
        if stripped:
            lead = start + len(piece) - len(piece.lstrip())
            spans.append((lead, lead + len(stripped)))
        start = cut
    return spans
