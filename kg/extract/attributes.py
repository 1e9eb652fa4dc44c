"""What the components of the pipeline hand on: extension attributes of spaCy's ``Doc``.

Everything is a plain tuple of strings and numbers, offsets count characters of ``doc.text``, so
that it survives ``nlp.pipe(n_process=2)`` and ``DocBin(store_user_data=True)`` (which give lists
for the outer tuples). A trained component takes the place of the patterns by setting the same.

=====================  ============================================================================
``doc.spans``          ``"kg_mentions"``: a span for each mention; ``label_`` is the entity type,
                       ``kb_id_`` the entity's name in this document
``doc._.kg_border``    where the abstract starts (0: no title; None: found by a blank line)
``kg_abbreviations``   (short_start, short_end, long_start, long_end)
``kg_mentions``        (start, end, confidence, extractor) of each mention
``kg_entities``        (name, type, introduced, confidence, extractor)
``kg_introduced``      (name, confidence) of what the paper puts forward, the chief one first
``kg_relations``       (head, predicate, tail, start, end, confidence, extractor, negated, hedged);
                       head and tail are entity names, or ``PAPER``; start, end is the passage
``kg_results``         (start, end, subject, benchmark, metric, value, unit, baseline,
                       baseline_value, delta, direction, confidence, extractor); names or "",
                       figures or None
=====================  ============================================================================
"""

from __future__ import annotations

import re
from typing import Final

from spacy.tokens import Doc

__all__ = ["MENTIONS", "border", "register"]

MENTIONS: Final = "kg_mentions"
"""Key of the mentions in ``doc.spans``."""

_LISTS: Final = (
    "kg_abbreviations",
    "kg_mentions",
    "kg_entities",
    "kg_introduced",
    "kg_relations",
    "kg_results",
)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n\s*")
_LONGEST_TITLE: Final = 400


def register() -> None:
    """Register the extension attributes; doing so again changes nothing."""
    if not Doc.has_extension("kg_border"):
        Doc.set_extension("kg_border", default=None)
    for name in _LISTS:
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=())


def border(text: str) -> int:
    r"""Return the offset at which the abstract starts in a text that may begin with a title.

    What stands before a first blank line is the title, if it is short and something follows.

    Examples
    --------
    >>> border("A title\n\nAn abstract.")
    9
    """
    match = _BLANK_LINE.search(text, 0, _LONGEST_TITLE)
    return match.end() if match and match.start() and match.end() < len(text) else 0


register()
