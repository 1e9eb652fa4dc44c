"""Which characters an output format can carry."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["carriable"]

_REFUSED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def carriable(text: str) -> str:
    r"""Return ``text`` with U+FFFD in place of each character that XML or UTF-8 cannot carry.

    These are the control characters but tab and line ends, lone surrogates, U+FFFE and U+FFFF
    (XML 1.0, production 2). The length stays, and with it every offset.

    Examples
    --------
    >>> ascii(carriable("BERT\x0c \ud800 caf\xe9"))
    "'BERT\\ufffd \\ufffd caf\\xe9'"
    """
    return _REFUSED.sub("�", text)
