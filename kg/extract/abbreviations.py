"""Abbreviations that an abstract defines: "Direct Preference Optimization (DPO)".

The algorithm of Schwartz and Hearst (A simple algorithm for identifying abbreviation definitions in
biomedical text, Pacific Symposium on Biocomputing 2003), both ways round ("DPO (Direct …)"), with
the field's habits: lower-case short forms ("seq2seq"), plural ("LLMs"), hyphens.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Pair", "abbreviations"]

Pair = tuple[int, int, int, int]
"""(short_start, short_end, long_start, long_end) of a definition, in characters."""

_BRACKET: Final = re.compile(r"[(\[]([^()\[\]\n]{2,120})[)\]]")
_SHORT: Final = re.compile(r"(?=[^a-z]*[A-Za-z])[\w\-+./&@αβγλμσφ*]{2,16}(?: ?\d)?")
_WORD: Final = re.compile(r"[\w+*@]+")
_QUOTES: Final = "\"'“”‘’"
_STOP_WORDS: Final = (
    "a an the of for in on to and or with by from our we is are as at via using called i.e e.g "
)
_STOP: Final = frozenset(_STOP_WORDS.split())


def _is_short(form: str) -> bool:
    """Whether ``form`` looks like a short form: few characters, a capital or an inner digit."""
    return (
        bool(_SHORT.fullmatch(form))
        and any(c.isupper() for c in form)
        and (
            sum(c.isupper() for c in form) >= 2 or len(form) <= 5 or any(c.isdigit() for c in form)
        )
        and form not in {"Fig", "Sec", "Eq", "Tab"}
    )


def _match(short: str, text: str) -> int | None:
    """Return where in ``text`` the long form of ``short`` starts, matching from the end."""
    letters = [c.lower() for c in short if c.isalnum()]
    if len(letters) > 2 and letters[-1] == "s" and short[-1] == "s" and short[-2].isupper():
        found = _match(short[:-1], text)
        if found is not None:
            return found
    low = text.lower()
    at = len(low)
    for k in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and (low[at] != letters[k] or (k == 0 and at > 0 and text[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    return at


def _sound(short: str, long: str) -> bool:
    """Whether the pair is believable: enough words, no bracket, short form not inside."""
    found = _WORD.findall(long)
    letters = sum(c.isalnum() for c in short)
    return (
        len(long) > len(short)
        and len(found) <= min(letters + 5, letters * 2)
        and bool(found)
        and (found[0].lower() not in _STOP or long[len(found[0]) :].startswith("-"))
        and short.lower() not in (w.lower() for w in found)
        and not re.search(r"[(),;:]", long)
        and (len(found) > 1 or letters * 2 <= len(long))
    )


def abbreviations(text: str) -> list[Pair]:
    """Return (short_start, short_end, long_start, long_end) of each definition, in order of text.

    Examples
    --------
    >>> text = "We use Direct Preference Optimization (DPO)."
    >>> [(text[a:b], text[c:d]) for a, b, c, d in abbreviations(text)]
    [('DPO', 'Direct Preference Optimization')]
    """
    pairs: list[Pair] = []
    for bracket in _BRACKET.finditer(text):
        inside, start = bracket[1], bracket.start(1)
        head = re.split(r"[,;:]| or | aka ", inside, maxsplit=1)[0]
        form = head.strip().strip(_QUOTES)
        pair = None
        if _is_short(form):
            short_start = start + inside.index(form)
            pair = _long_before(text, bracket.start(), short_start, form)
        if pair is None and " " in inside:
            pair = _long_inside(text, bracket.start(), start, inside)
        if pair is not None:
            pairs.append(pair)
    return pairs


def _long_before(text: str, stop: int, short_start: int, short: str) -> Pair | None:
    """The long form stands before the bracket."""
    letters = sum(c.isalnum() for c in short)
    window = text[max(0, stop - 160) : stop].rstrip()
    end = max(0, stop - 160) + len(window)
    floor = max((window.rfind(mark) + 1 for mark in (". ", "\n", "(", ")", ";", ": ")), default=0)
    found = list(_WORD.finditer(window, floor))
    limit = min(letters + 5, letters * 2)
    if not found:
        return None
    begin = found[-min(limit, len(found))].start()
    at = _match(short, window[begin:])
    if at is None:
        return None
    start = end - len(window) + begin + at
    end = start + len(text[start:end].rstrip(_QUOTES))
    long = text[start:end]
    return (short_start, short_start + len(short), start, end) if _sound(short, long) else None


def _long_inside(text: str, open_at: int, start: int, inside: str) -> Pair | None:
    """The short form stands before the bracket, the long form in it."""
    before = re.search(r"([\w\-+.&@]{2,16})\s*$", text[max(0, open_at - 24) : open_at])
    if not before or not _is_short(before[1]):
        return None
    short = before[1]
    long = re.split(r"[;]", inside, maxsplit=1)[0].strip()
    at = _match(short, long)
    if at != 0 or not _sound(short, long):
        return None
    short_start = max(0, open_at - 24) + before.start(1)
    long_start = start + inside.index(long)
    return short_start, short_start + len(short), long_start, long_start + len(long)
