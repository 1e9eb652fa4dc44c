"""Moods: whether a clause denies what it is about, or only plans, supposes or quotes it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["hedged", "negated"]

_NOT: Final = re.compile(
    r"\b(?:not(?! only| just| merely| limited)|never|cannot|fail(?:s|ed)? to|neither|"
    r"nor|unable to|"
    r"without|no (?:improvement|gain|benefit|evidence|significant|better)|"
    r"struggl(?:es?|ing) to|under-?perform\w*|rather than|instead of|unlike|in contrast to)\b"
    r"|n[’']t\b",
    re.IGNORECASE,
)
_MAYBE: Final = re.compile(
    r"\b(?:could|might|may|would|should|plan(?:s|ned)? to|future work|in (?:the )?future|"
    r"we (?:hope|expect|intend|aim|hypothesi[sz]e|conjecture|speculate)|whether|if|"
    r"potential(?:ly)?|"
    r"possib(?:le|ly)|presumably|(?:is|are) (?:said|claimed|believed|reported|expected|assumed) to|"
    r"(?:has|have) been (?:claimed|reported|suggested)|allegedly|supposedly|going to|planned|"
    r"claim(?:s|ed)? that)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)  # the statements of one clause come one after the other
def negated(clause: str) -> bool:
    """Whether the clause denies what it is about."""
    return bool(_NOT.search(clause))


@lru_cache(maxsize=64)
def hedged(clause: str) -> bool:
    """Whether the clause plans, supposes or quotes what it is about."""
    return bool(_MAYBE.search(clause))
