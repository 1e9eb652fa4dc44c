"""Words: the one way in which this package cuts text.

A word is a run of letters and digits, or one other visible character. Names are cut at every
hyphen, slash and bracket, so a name's borders always fall on word borders ("CIFAR-10" is three
words), which spaCy's own English tokenizer does not give.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["WORD", "cuts_no_word", "words"]

WORD: Final = re.compile(r"[^\W_]+|[^\w\s]|_")
"""Matches one word."""


def words(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) character offsets of each word of ``text``, in order."""
    return [m.span() for m in WORD.finditer(text)]


def cuts_no_word(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` begins and ends with whole words.

    Examples
    --------
    >>> cuts_no_word("BERT-base", 0, 4), cuts_no_word("BERT-base", 0, 3)
    (True, False)
    """
    span = text[start:end]
    return (
        span != ""
        and not span[0].isspace()
        and not span[-1].isspace()
        and not (span[0].isalnum() and text[start - 1 : start].isalnum())
        and not (span[-1].isalnum() and text[end : end + 1].isalnum())
    )
