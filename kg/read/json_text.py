"""Parse JSON whose writer did not escape the backslashes of LaTeX.

``{"text": "the $\\beta$-VAE"}`` written with a single backslash is valid JSON and means a
backspace and ``eta``; with ``\\alpha`` it is no JSON at all. Both are common. :func:`parse` and
:func:`restore` give the text that was meant, and say how often they had to.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

__all__ = ["parse", "restore"]

_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])|\\")

# What follows the letter that JSON took for an escape, in LaTeX commands of abstracts.
_REST: Final = {
    "\b": r"eta|ar|egin|f|m|ig|igg|inom|oldsymbol|oldmath|ot|ullet|mod|reve|ackslash|box",
    "\f": r"rac|orall|lat|rown|box|ootnote",
    "\t": r"imes|heta|au|ext|extbf|extit|exttt|extrm|extsc|ilde|o|op|riangle|frac|an|anh|extstyle",
    "\r": r"ho|m|ight|ightarrow|angle|floor|ceil|vert",
    "\n": r"u|abla|eq|e|mid|eg|otin|leq|geq|ormalsize",
}
_LETTER: Final = {"\b": "b", "\f": "f", "\t": "t", "\r": "r", "\n": "n"}
_TAKEN: Final = re.compile(
    "|".join(f"{re.escape(char)}(?=(?:{rest})(?![A-Za-z]))" for char, rest in _REST.items())
)


def parse(text: str) -> tuple[Any, list[str]]:
    """Return the value of ``text``, and a note for each kind of repair.

    Raises
    ------
    ValueError
        If ``text`` is no JSON, even so. The message is one line.
    """
    notes: list[str] = []
    try:
        return json.loads(text, strict=False), notes
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        if "escape" not in error.msg:
            raise
    doubled = 0

    def double(match: re.Match[str]) -> str:
        nonlocal doubled
        if len(match.group()) > 1:
            return match.group()
        doubled += 1
        return "\\\\"

    text = _ESCAPE.sub(double, text)
    try:
        value = json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    notes.append(f"{doubled} backslashes were not escaped")
    return value, notes


def restore(text: str) -> tuple[str, int]:
    """Return ``text`` with the LaTeX commands that JSON took for escapes put back, and how many.

    A backspace or form feed before the rest of a command can be nothing else. A tab, a carriage
    return or a line end can; there, the command must stand in a formula, and line ends count only
    in a text that is not broken into lines.

    >>> restore("the $" + chr(8) + "eta$-VAE")
    ('the $\\\\beta$-VAE', 1)
    """
    if not any(char in text for char in _REST):
        return text, 0
    wrapped = text.strip().count("\n") - len(re.findall(r"\n(?=u|abla|n?eq|e|mid)", text)) > 0
    count = 0

    def put_back(match: re.Match[str]) -> str:
        nonlocal count
        char = match.group()
        if char in "\t\r\n":
            in_formula = text.count("$", 0, match.start()) % 2 == 1
            if not in_formula or (char == "\n" and wrapped):
                return char
        count += 1
        return "\\" + _LETTER[char]

    return _TAKEN.sub(put_back, text), count
