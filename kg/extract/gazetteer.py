"""The gazetteer: well-known names of the field, in a text file that a person edits.

``gazetteer.tsv`` has one name a line; its first lines say what the columns are. Look-up goes by the
longest name, from left to right, over words; hyphens and the plural of the last word do not count,
case only where the row says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from kg.errors import InputError
from kg.extract.words import WORD
from kg.schema import ENTITY_TYPES

__all__ = ["GAZETTEER", "Found", "Gazetteer", "Name", "normal", "singular"]

GAZETTEER: Final = Path(__file__).with_name("gazetteer.tsv")
"""The gazetteer that ships with the package."""

_HYPHENS: Final = frozenset("-‐‑‒–")
_COLUMNS: Final = ("name", "type", "match", "papers", "seen", "precision", "agreement")


@dataclass(frozen=True, slots=True)
class Name:
    """A row of the gazetteer.

    Attributes
    ----------
    name, type : the usual spelling, and the entity type.
    cased : whether it counts only as written.
    precision : share of the places where the string stands that are an entity, 0 to 1.
    agreement : share of its papers in which it is of this type, 0 to 1.
    papers : number of annotated papers in which it is an entity.
    seen : number of places where the string stands in them.
    """

    name: str
    type: str
    cased: bool = False
    precision: float = 0.8
    agreement: float = 0.9
    papers: int = 0
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A name found at ``text[start:end]``."""

    start: int
    end: int
    name: Name


@lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """Return ``word`` without a plural ending, by spelling alone."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def normal(name: str) -> tuple[str, ...]:
    """Return the words of ``name`` in lower case, without hyphens, the last one singular.

    Names with equal results are spellings of one name.

    Examples
    --------
    >>> normal("Graph-Neural Networks")
    ('graph', 'neural', 'network')
    """
    forms = [w for w in WORD.findall(name.lower()) if w not in _HYPHENS]
    if forms:
        forms[-1] = singular(forms[-1])
    return tuple(forms)


class Gazetteer:
    """Names with their types, for look-up in texts."""

    def __init__(self, names: Iterable[Name]) -> None:
        self.names: tuple[Name, ...] = tuple(names)
        self._by_key: dict[tuple[str, ...], Name] = {}
        self._cased: dict[tuple[str, ...], Name] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for name in self.names:
            key = normal(name.name)
            if not key:
                continue
            if name.cased:
                forms = [w for w in WORD.findall(name.name) if w not in _HYPHENS]
                self._cased.setdefault((*forms[:-1], singular(forms[-1])), name)
            else:
                self._by_key.setdefault(key, name)
            first = key[0]
            lengths.setdefault(first, set()).add(len(key))
        for first, found in lengths.items():
            self._lengths[first] = tuple(sorted(found, reverse=True))

    @classmethod
    def read(cls, path: Path = GAZETTEER) -> Gazetteer:
        """Read the file ``path``.

        Raises
        ------
        InputError
            If a row is malformed, with file, line and reason.
        """
        return cls(_rows(path))

    def __len__(self) -> int:
        return len(self.names)

    def get(self, surface: str) -> Name | None:
        """Return the name that ``surface`` as a whole is, or None."""
        for found in self.find(surface):
            if found.start == 0 and found.end == len(surface):
                return found.name
        return None

    def find(self, text: str) -> list[Found]:
        """Return the names in ``text``, none overlapping, in order; cost: linear in the text."""
        spans: list[tuple[int, int]] = []
        forms: list[str] = []
        for match in WORD.finditer(text):
            form = match.group()
            if form not in _HYPHENS:
                spans.append(match.span())
                forms.append(form)
        lower = [form.lower() for form in forms]
        last = [singular(form) for form in lower]
        found: list[Found] = []
        i = 0
        while i < len(forms):
            step = 1
            # the first word of a name of one word is stored singular
            for length in (*self._lengths.get(lower[i], ()), *self._short(lower[i], last[i])):
                stop = i + length
                if stop > len(forms):
                    continue
                cased = (*forms[i : stop - 1], singular(forms[stop - 1]))
                name = self._cased.get(cased) or self._by_key.get(
                    (*lower[i : stop - 1], last[stop - 1])
                )
                if name is not None and _joined(text, spans[i:stop]):
                    found.append(Found(spans[i][0], spans[stop - 1][1], name))
                    step = length
                    break
            i += step
        return found

    def _short(self, lower: str, last: str) -> tuple[int, ...]:
        return (1,) if last != lower and 1 in self._lengths.get(last, ()) else ()


_BETWEEN: Final = re.compile(r"[\s\-‐‑‒–]{0,3}")


def _joined(text: str, spans: list[tuple[int, int]]) -> bool:
    """Whether only a space or a hyphen stands between the words."""
    return all(_BETWEEN.fullmatch(text, a[1], b[0]) for a, b in pairwise(spans))


def _rows(path: Path) -> Iterator[Name]:
    columns: tuple[str, ...] = ()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if not columns:
            columns = tuple(cells)
            if columns[:2] != _COLUMNS[:2]:
                raise InputError(
                    f"{path}:{number}: the first row must name the columns: {', '.join(_COLUMNS)}"
                )
            continue
        row = dict(zip(columns, cells, strict=False))
        name, kind = row["name"].strip(), row.get("type", "").strip()
        if not name or kind not in ENTITY_TYPES:
            raise InputError(
                f"{path}:{number}: need a name and one of {', '.join(ENTITY_TYPES)}, "
                f"found {name!r} and {kind!r}"
            )
        try:
            yield Name(
                name,
                kind,
                row.get("match") == "cased",
                _share(row.get("precision", "-"), 0.8),
                _share(row.get("agreement", "-"), 0.9),
                _count(row.get("papers", "-")),
                _count(row.get("seen", "-")),
            )
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from None


def _count(cell: str) -> int:
    return 0 if cell in ("-", "") else int(cell)


def _share(cell: str, default: float) -> float:
    if cell in ("-", ""):
        return default
    value = float(cell)
    if not 0 <= value <= 1:
        raise ValueError(f"a share lies between 0 and 1, found {cell}")
    return value
