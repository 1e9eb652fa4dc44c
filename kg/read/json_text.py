"""Parse JSON whose writer did not escape the backslashes of LaTeX.

``{"text": "the $\\beta$-VAE"}`` written with a single backslash is valid JSON and means a
backspace and ``eta``; with ``\\alpha`` it is no JSON at all. Both are common. :func:`parse` and
:func:`restore` give the text that was meant, and say how often they had to.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from kg.read.text import counted

__all__ = ["parse", "restore"]

_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])|\\")

# What follows the letter that JSON took for an escape, in LaTeX commands of abstracts.
_ANYWHERE: Final = {
    "\t": r"imes|heta|extbf|extit|exttt|extrm|extsc|extstyle|ilde|riangle|frac",
    "\r": r"ho|m|ight|ightarrow|angle|floor|ceil|vert",
    "\n": r"abla|otin|ormalsize",
    "\b": r"eta|ar|egin|f|m|ig|igg|inom|oldsymbol|oldmath|ot|ullet|mod|reve|ackslash|box",
    "\f": r"rac|orall|lat|rown|box|ootnote",
}
_IN_FORMULA: Final = {"\t": r"au|ext|o|op|an|anh", "\n": r"u|eq|e|mid|eg|leq|geq"}
_LETTER: Final = {"\b": "b", "\f": "f", "\t": "t", "\r": "r", "\n": "n"}


def _before(rests: dict[str, str]) -> str:
    return "|".join(f"{re.escape(char)}(?=(?:{rest})(?![A-Za-z]))" for char, rest in rests.items())


_TAKEN: Final = re.compile(f"(?P<anywhere>{_before(_ANYWHERE)})|{_before(_IN_FORMULA)}")


def parse(text: str) -> tuple[Any, list[str]]:
    """Return the value of ``text``, and a note for each kind of repair.

    Raises
    ------
    ValueError
        If ``text`` is no JSON, even so. The message is one line.
    """
    notes: list[str] = []
    try:
        return _loads(text), notes
    except _BadEscapeError:
        pass
    doubled = 0

    def double(match: re.Match[str]) -> str:
        nonlocal doubled
        if len(match.group()) > 1:
            return match.group()
        doubled += 1
        return "\\\\"

    text = _ESCAPE.sub(double, text)
    value = _loads(text)
    notes.append(f"{counted(doubled, 'backslash')} not escaped, restored")
    return value, notes


class _BadEscapeError(ValueError):
    """A backslash before a character that JSON does not escape."""


def _loads(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        kind = _BadEscapeError if "escape" in error.msg else ValueError
        where = f"column {error.colno}" if error.lineno == 1 else f"its line {error.lineno}"
        raise kind(f"{error.msg} at {where}".replace(" starting at at", " starting at")) from None


def restore(text: str) -> tuple[str, int]:
    """Return ``text`` with the LaTeX commands that JSON took for escapes put back, and how many.

    A control character before the rest of a command that is no word can be nothing else. Where the
    rest is a word or a letter, a tab or a line end is only taken for part of a command in a
    formula, a line end only if the text has no others.

    >>> restore("the $" + chr(8) + "eta$-VAE")
    ('the $\\\\beta$-VAE', 1)
    """
    if not any(char in text for char in _LETTER):
        return text, 0
    taken = len(re.findall(_before({"\n": _ANYWHERE["\n"] + "|" + _IN_FORMULA["\n"]}), text))
    wrapped = text.strip().count("\n") > taken
    count = 0

    def put_back(match: re.Match[str]) -> str:
        nonlocal count
        char = match.group()
        if match["anywhere"] is None:
            in_formula = text.count("$", 0, match.start()) % 2 == 1
            if not in_formula or (char == "\n" and wrapped):
                return char
        count += 1
        return "\\" + _LETTER[char]

    return _TAKEN.sub(put_back, text), count
