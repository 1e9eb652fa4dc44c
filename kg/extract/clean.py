r"""Reversible cleaning: what markup hides, with the way back to the original.

Abstracts come with LaTeX (``88.2\pm0.3``, ``$\beta$-VAE``), Markdown (``**C**ausal``), HTML, soft
hyphens and ligatures. Extraction sees the text without them; every offset in the clean text maps to
a span of the original, so that what is reported is exactly what stands there. On plain text
cleaning is the identity.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["Clean", "clean"]


@dataclass(frozen=True, slots=True)
class Clean:
    """A cleaned text and where each of its characters comes from.

    Attributes
    ----------
    text : the cleaned text.
    length : number of characters of the original.
    starts, ends : for each character of ``text`` the span of the original that it stands for; both
        never decrease. Empty if the text is the original itself.
    """

    text: str
    length: int
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that ``text[start:end]`` stands for; never empty.

        Raises
        ------
        ValueError
            If the span is empty or does not lie in the text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no span {start}:{end} in a text of {len(self.text)} characters")
        if not self.starts:
            return start, end
        return self.starts[start], self.ends[end - 1]


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replace ``[start:end]`` by ``new``; a deletion may widen the ``next`` or ``last`` one."""

    start: int
    end: int
    new: str = ""
    widen: str = ""


Edits = Callable[["re.Match[str]"], Iterator[_Edit]]


class _Buffer:
    """A text under edit, with the original span of every character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = list(range(len(text)))
        self.ends = list(range(1, len(text) + 1))

    def apply(self, pattern: re.Pattern[str], edits: Edits) -> bool:
        """Make the edits of every match; return whether there was any."""
        todo = [edit for match in pattern.finditer(self.text) for edit in edits(match)]
        if not todo:
            return False
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        pending: int | None = None
        for edit in [*todo, _Edit(len(self.text), len(self.text))]:
            pieces.append(self.text[at : edit.start])
            if pending is not None and at < edit.start:
                starts.append(pending)
                starts.extend(self.starts[at + 1 : edit.start])
                pending = None
            else:
                starts.extend(self.starts[at : edit.start])
            ends.extend(self.ends[at : edit.start])
            at = edit.end
            if edit.start == edit.end:
                continue
            first, last = self.starts[edit.start], self.ends[edit.end - 1]
            if edit.new:
                pieces.append(edit.new)
                starts.extend([first if pending is None else pending] * len(edit.new))
                ends.extend([last] * len(edit.new))
                pending = None
            elif edit.widen == "next" and pending is None:
                pending = first
            elif edit.widen == "last" and ends:
                ends[-1] = last
        self.text = "".join(pieces)
        self.starts, self.ends = starts, ends
        return True


def _put(new: str) -> Edits:
    """Replace the whole match by ``new``."""

    def edits(match: re.Match[str]) -> Iterator[_Edit]:
        yield _Edit(match.start(), match.end(), new)

    return edits


def _table(table: dict[str, str]) -> Edits:
    """Replace the match's last group, by the table."""

    def edits(match: re.Match[str]) -> Iterator[_Edit]:
        yield _Edit(match.start(), match.end(), table[match[match.lastindex or 0]])

    return edits


def _keep(*groups: int) -> Edits:
    """Delete the match but for the groups."""

    def edits(match: re.Match[str]) -> Iterator[_Edit]:
        at = match.start()
        for group in groups:
            if at < match.start(group):
                yield _Edit(at, match.start(group))
            at = match.end(group)
        if at < match.end():
            yield _Edit(at, match.end())

    return edits


_CHARACTERS: Final = {
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " "),
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_ODD: Final = re.compile("[" + "".join(_CHARACTERS) + "\ud800-\udfff]")


def _odd(match: re.Match[str]) -> Iterator[_Edit]:
    yield _Edit(match.start(), match.end(), _CHARACTERS.get(match[0], "\ufffd"))


def _entity(match: re.Match[str]) -> Iterator[_Edit]:
    new = html.unescape(match[0])
    if new != match[0] and not any("\ud800" <= c <= "\udfff" for c in new):
        yield _Edit(match.start(), match.end(), " " if new == "\u00a0" else new)


_GREEK_NAMES: Final = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_GREEK: Final = dict(zip(_GREEK_NAMES.split(), "αβγδεεζηθικλμνξπρστυφφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_SYMBOLS: Final = {
    **_GREEK,
    "times": "×",
    "sim": "~",
    "approx": "≈",
    "simeq": "≈",
    "rightarrow": "→",
    "to": "→",
    "leftrightarrow": "↔",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "ll": "≪",
    "gg": "≫",
    "ldots": "…",
    "dots": "…",
    "cdots": "…",
    "cdot": "·",
    "infty": "∞",
    "ell": "ℓ",
    "uparrow": "↑",
    "downarrow": "↓",
    "circ": "°",
    "star": "*",
    "textless": "<",
    "textgreater": ">",
    "textasciitilde": "~",
    "textendash": "–",
    "textemdash": "—",
    "textregistered": "®",
    "texttrademark": "™",
}
_SPACE: Final = r"(?:(?<!\s)\s++)?"
"""White space before something; a run of it is looked at once, not from each of its characters."""

_STYLE: Final = (
    "textbf|textit|textsc|texttt|textrm|textsf|textmd|textup|textnormal|emph|text|underline|uline|"
    "mathrm|mathbf|mathit|mathcal|mathbb|mathsf|mathtt|mathfrak|boldsymbol|bm|operatorname|mbox|"
    "hbox|ensuremath|tilde|hat|bar|vec|overline|widehat|widetilde|url"
)
_SWITCH: Final = "em|it|bf|sc|tt|rm|sf|tiny|scriptsize|footnotesize|small|normalsize|large|Large"

_MATHS: Final = re.compile(
    r"(?<!\\)\$\$?(?=[^\s$])([^$\n]{1,200}?)(?<=[^\s\\$])\$\$?(?!\d)"
    r"|\\\((?=\S)(?P<p>[^\n]{1,200}?)\\\)"
)


def _maths(match: re.Match[str]) -> Iterator[_Edit]:
    group = 1 if match["p"] is None else 2
    yield _Edit(match.start(), match.start(group), "", "next")
    yield _Edit(match.end(group), match.end(), "", "last")


_TEX: Final[tuple[tuple[re.Pattern[str], Edits], ...]] = (
    (_MATHS, _maths),
    (re.compile(r"(?<=\S)~(?=\w)"), _put(" ")),
    (re.compile(r"\\(?:footnote|cite[a-z]*|label|ref|vspace|hspace)\*?(?:\[[^]]*\])?\{[^{}]*\}"),
     _put("")),
    (re.compile(r"\\href\s*\{[^{}]*\}\s*\{([^{}]*)\}"), _keep(1)),
    (re.compile(r"\\textcolor\s*\{[^{}]*\}\s*\{([^{}]*)\}"), _keep(1)),
    (re.compile(_SPACE + r"\\pm(?![a-zA-Z])\s*"), _put(" ± ")),
    (re.compile(rf"\\({'|'.join(_SYMBOLS)})(?![a-zA-Z])"), _table(_SYMBOLS)),
    (re.compile(r"\\[ ,;:>]|\\q?quad(?![a-zA-Z])"), _put(" ")),
    (re.compile(r"\\!|\\/|\\-|\\(?:left|right|big|Big|limits|displaystyle)(?![a-zA-Z])"), _put("")),
    (re.compile(rf"\\(?:{_SWITCH})(?![a-zA-Z])\s*"), _put("")),
    (re.compile(r"\{,\}"), _put(",")),
)  # fmt: skip
_BRACED: Final = re.compile(rf"\\(?:{_STYLE})\*?\s*\{{([^{{}}]*)\}}|(?<=[\^_])\{{([^{{}}]*)\}}")
_FRACTION: Final = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_REST: Final[tuple[tuple[re.Pattern[str], Edits], ...]] = (
    (re.compile(r"(?<!\\)\{([^{}\n]*)\}"), _keep(1)),
    (re.compile(r"\\([%&#$_{}])"), _keep(1)),
    (re.compile(r"\\(?=[a-zA-Z])"), _put("")),
)


def _braced(match: re.Match[str]) -> Iterator[_Edit]:
    group = 1 if match[1] is not None else 2
    if match.start() < match.start(group):
        yield _Edit(match.start(), match.start(group))
    yield _Edit(match.end(group), match.end())


def _fraction(match: re.Match[str]) -> Iterator[_Edit]:
    yield _Edit(match.start(), match.start(1))
    yield _Edit(match.end(1), match.start(2), "/")
    yield _Edit(match.end(2), match.end())


_TAG: Final = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|span|tt|code|a|scp|italic|bold|sc|mml:[a-z]+|jats:[a-z-]+)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(_SPACE + r"</?(?:p|br|div|li|ul|ol)(?:\s[^<>]*)?/?>\s*", re.IGNORECASE)
_MARKDOWN: Final[tuple[tuple[re.Pattern[str], Edits], ...]] = (
    (re.compile(r"!?\[([^][\n]+)\]\((?:https?://|/|#)[^()\s]*\)"), _keep(1)),
    (re.compile(r"\*\*\*?(?=[^\s*])([^*\n]+?)(?<=\S)\*\*\*?"), _keep(1)),
    (re.compile(r"(?<!\w)__(?=[^\s_])([^\n]{1,500}?)(?<=[^\s_])__(?!\w)"), _keep(1)),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"), _keep(1)),
    (re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)"), _keep(1)),
    (re.compile(r"(?<!`)`(?=[^\s`'])([^`\n]{1,80}?)(?<=[^\s`])`(?!`)"), _keep(1)),
)
_EATEN: Final = re.compile("\t(?=imes|ext\\w*\\{|heta)|\x08(?=eta|oldsymbol|ar\\{)|\x0c(?=rac\\{)")
"""A backslash and a letter that some program took for a control character (``\\t`` + ``imes``)."""
_LETTER: Final = {"\t": "\\t", "\x08": "\\b", "\x0c": "\\f"}
_TRIGGER: Final = re.compile(r"[^\x00-\x7e‐-—‘-”…]|[\\$*_`<&\x00-\x08\x0b-\x1f\t]|\]\(")


def clean(original: str) -> Clean:
    r"""Return ``original`` without its markup, and the way back.

    Cost: linear in the length; texts without any suspicious character are returned at once.

    Examples
    --------
    >>> c = clean(r"**C**ausal $\beta$-VAE: 88.2\pm0.3\%")
    >>> c.text
    'Causal β-VAE: 88.2 ± 0.3%'
    >>> c.original(7, 12)
    (11, 22)
    """
    if not _TRIGGER.search(original):
        return Clean(original, len(original))
    buffer = _Buffer(original)
    changed = buffer.apply(_ODD, _odd)
    changed |= buffer.apply(_EATEN, lambda m: iter([_Edit(m.start(), m.end(), _LETTER[m[0]])]))
    if "<" in buffer.text:
        changed |= buffer.apply(_BREAK, _put(" "))
        changed |= buffer.apply(_TAG, _put(""))
    if "&" in buffer.text:
        changed |= buffer.apply(re.compile(r"&(?:#?[A-Za-z0-9]{1,30});"), _entity)
    if "\\" in buffer.text or _MATHS.search(buffer.text):
        for pattern, edits in _TEX:
            changed |= buffer.apply(pattern, edits)
        for _ in range(8):
            again = buffer.apply(_BRACED, _braced)
            again |= buffer.apply(_FRACTION, _fraction)
            changed |= again
            if not again:
                break
        for pattern, edits in _REST:
            changed |= buffer.apply(pattern, edits)
    for pattern, edits in _MARKDOWN:
        changed |= buffer.apply(pattern, edits)
    if not changed:
        return Clean(original, len(original))
    return Clean(buffer.text, len(original), tuple(buffer.starts), tuple(buffer.ends))
