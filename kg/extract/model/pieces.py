"""Word pieces: words as ids of the encoder's vocabulary (uncased, accents dropped)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["CLS", "MAX_PIECES", "SEP", "UNKNOWN", "Pieces"]

CLS = "[CLS]"
SEP = "[SEP]"
UNKNOWN = "[UNK]"
MAX_PIECES = 12
"""Pieces kept of one word; the rest of a longer one is cut off."""


class Pieces:
    """A vocabulary of word pieces, and the greedy longest-match split of words into them.

    Parameters
    ----------
    vocabulary
        The pieces in the order of their ids (0 to len - 1); pieces inside a word begin with ``##``.

    Raises
    ------
    KeyError
        If the vocabulary lacks ``[CLS]``, ``[SEP]`` or ``[UNK]``.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.ids = {piece: i for i, piece in enumerate(vocabulary)}
        self.cls, self.sep = self.ids[CLS], self.ids[SEP]
        self.unknown = self.ids[UNKNOWN]
        self._cache: dict[str, tuple[int, ...]] = {}

    def split(self, word: str) -> tuple[int, ...]:
        """Return the ids of ``word``'s pieces: 1 to :data:`MAX_PIECES` of them.

        Cost: linear in the pieces for usual words; words of up to 30 characters are remembered.
        """
        known = self._cache.get(word)
        if known is None:
            known = self._split(word)
            if len(word) <= 30 and len(self._cache) < 200_000:
                self._cache[word] = known
        return known

    def _split(self, word: str) -> tuple[int, ...]:
        form = unicodedata.normalize("NFD", word.lower())
        form = "".join(c for c in form if unicodedata.category(c) != "Mn")[:100]
        out: list[int] = []
        at = 0
        while at < len(form) and len(out) < MAX_PIECES:
            for end in range(min(len(form), at + 20), at, -1):
                piece = form[at:end] if at == 0 else "##" + form[at:end]
                i = self.ids.get(piece)
                if i is not None:
                    out.append(i)
                    at = end
                    break
            else:
                return (self.unknown,)
        return tuple(out) or (self.unknown,)
