"""From bytes to clean text: decode, remove what no output format can carry, count the repairs.

Nothing here touches LaTeX, markup or wording; that is a later, reversible step. What is done here
is done before offsets are counted, so it need not be reversible.
"""

from __future__ import annotations

import html
import re
from typing import Final

__all__ = ["counted", "decode", "flatten", "one_line", "repair"]

_MULTIBYTE: Final = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")
_ANSI: Final = r"[\x1b\ufdeb]\[[0-?]{0,32}[ -/]{0,4}[@-~]"
_CONTROL: Final = re.compile(_ANSI + r"|[\x00-\x08\x0e-\x1f\x7f\ufeff\ufdd0-\ufdef]")
_BREAK: Final = re.compile(r"[\x0b\x0c\ufddb\ufddc]")
_LOST: Final = re.compile(r"[\ud800-\udfff\ufffe\uffff]")
_C1: Final = re.compile(r"[\x80-\x9f]")
_ODD: Final = re.compile(  # what is repaired, or told
    r"[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\ufffc\U00010000-\U0010ffff]"
)
_SPACE: Final = re.compile(r"\s+")
_HOLDS_TAGS: Final = re.compile(r"<(?:jats:|/?fixed-case|/?tex-math)")
_TITLE: Final = re.compile(r"<jats:title>[^<]*</jats:title>")
_TEX: Final = re.compile(r"<(?:jats:)?tex-math[^<>]*>([^<]*)</(?:jats:)?tex-math>")
_PARAGRAPH: Final = re.compile(r"</jats:(?:p|sec|list-item)>\s*")
_TAG: Final = re.compile(r"</?(?:jats:[a-z-]+|fixed-case|tex-math)(?:\s[^<>]*)?/?>")


def decode(raw: bytes) -> tuple[str, str]:
    """Return ``raw`` as text, and a note if it is not UTF-8 (else "").

    Bytes that hold no UTF-8 sequence at all are taken for Windows-1252, the usual encoding of old
    files; in a text that is UTF-8 otherwise, each broken sequence becomes U+FFFD.
    """
    try:
        return raw.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    if _MULTIBYTE.search(raw) is None:
        return raw.decode("cp1252", "replace"), "not UTF-8, read as Windows-1252"
    return raw.decode("utf-8", "replace"), ""


def _c1(match: re.Match[str]) -> str:
    return match.group().encode("latin-1").decode("cp1252", "ignore")


def repair(text: str) -> tuple[str, list[str]]:
    """Return ``text`` in a form that every output can carry, and a note for each kind of repair.

    Line ends become ``\\n``; control characters and terminal escapes go (form feeds become a
    space, C1 controls the Windows-1252 characters that they stand for); lone surrogates and
    noncharacters become U+FFFD. White space at both ends goes.
    """
    notes: list[str] = []
    if _ODD.search(text) is None:
        return text.strip(), notes
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, breaks = _BREAK.subn(" ", text)
    text, controls = _CONTROL.subn("", text)
    text, windows = _C1.subn(_c1, text)
    if count := breaks + controls + windows:
        notes.append(f"{counted(count, 'control character')} removed")
    text = _LOST.sub("\ufffd", text)
    if count := text.count("\ufffd"):
        notes.append(f"{counted(count, 'broken character')} (U+FFFD)")
    return text.strip(), notes


def counted(number: int, what: str) -> str:
    """Return number and noun: ``1 repair``, ``2 repairs``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def one_line(text: str) -> str:
    """Return ``text`` with each run of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def flatten(text: str) -> str:
    """Return ``text`` without the tags of JATS and of the ACL Anthology; formulas go in ``$…$``.

    Other tags stay: ``<mask>`` and ``p < 0.05`` are text.

    >>> flatten("<jats:p>We use <jats:italic>k</jats:italic> &lt; 3 sets.</jats:p>")
    'We use k < 3 sets.'
    """
    if _HOLDS_TAGS.search(text) is None:
        return text
    text = _TITLE.sub("", text)
    text = _TEX.sub(r"$\1$", text)
    text = _PARAGRAPH.sub("\n", text)
    return html.unescape(_TAG.sub("", text)).strip()
