"""The words of this package as spaCy's tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

__all__ = ["WordTokenizer", "create_tokenizer"]

_TOKEN: Final = re.compile(r"[^\W_]+|[^\w\s]|_|\s+")


class WordTokenizer:
    """A spaCy tokenizer that cuts by :data:`kg.extract.words.WORD`; ``doc.text`` is the text given.

    As spaCy does, a single space after a word belongs to it; any other white space is a token.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Return the :class:`~spacy.tokens.Doc` of ``text``."""
        forms: list[str] = []
        spaces: list[bool] = []
        for match in _TOKEN.finditer(text):
            form = match.group()
            if form[0] == " " and forms and not spaces[-1] and not forms[-1].isspace():
                spaces[-1] = True
                form = form[1:]
                if not form:
                    continue
            forms.append(form)
            spaces.append(False)
        return Doc(self.vocab, words=forms, spaces=spaces)

    def to_bytes(self, **kwargs: object) -> bytes:
        """Serialize (there is nothing to store)."""
        return b""

    def from_bytes(self, data: bytes, **kwargs: object) -> WordTokenizer:
        """Deserialize (there is nothing stored)."""
        return self

    def to_disk(self, path: object, **kwargs: object) -> None:
        """Write to disk (there is nothing to store)."""

    def from_disk(self, path: object, **kwargs: object) -> WordTokenizer:
        """Read from disk (there is nothing stored)."""
        return self


def create_tokenizer() -> Callable[[Language], WordTokenizer]:
    """Make the tokenizer for a spaCy pipeline: ``{"@tokenizers": "kg_words"}``."""
    return lambda nlp: WordTokenizer(nlp.vocab)
