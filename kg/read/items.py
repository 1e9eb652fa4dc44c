"""What a reader yields: a paper that was read, or why there is none.

:class:`Read` and :class:`Rejected` are for callers. :class:`Fields` and :class:`Flaw` are what the
reader of one format hands to :mod:`kg.read.paper`, which makes the former of the latter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from kg.records import Extraction, Paper, Source

__all__ = [
    "MAX_ABSTRACT",
    "MAX_NESTED",
    "MAX_RECORD",
    "WITHDRAWN",
    "Fields",
    "Flaw",
    "Kind",
    "Read",
    "Rejected",
]

MAX_ABSTRACT: Final = 100_000
"""Characters of the longest abstract that is read; what is longer is no abstract."""

MAX_NESTED: Final = 20
"""Objects and lists in one another in which a value is looked for."""

MAX_RECORD: Final = 32 * 2**20
"""Bytes of the longest record that is held in memory."""

WITHDRAWN: Final = "withdrawn"
"""The note of a paper that its source marks as withdrawn or retracted."""

Kind = Literal[
    "broken",
    "empty",
    "empty-file",
    "link",
    "missing",
    "no-text",
    "too-large",
    "too-long",
    "truncated",
    "unreadable",
    "unsafe",
    "unsupported",
]
"""Why there is no paper.

``broken``
    The record does not follow its format.
``empty``
    A record of a paper that has no abstract. Common, and nobody's fault.
``empty-file``
    A file without a record.
``link``
    A symbolic link that leaves the directory that is read, or leads to a hidden directory in it.
``missing``
    No such file, or nothing matches the pattern.
``no-text``
    A record or a table without any field that could hold an abstract.
``too-large``
    A compressed file that unpacks to far more than papers would.
``too-long``
    An abstract of more than :data:`MAX_ABSTRACT` characters, a record of more than
    :data:`MAX_RECORD` bytes.
``truncated``
    A compressed file that ends early or is damaged; what came before was read.
``unreadable``
    The system, or a password, refuses to give the file.
``unsafe``
    XML that declares entities.
``unsupported``
    A file in no format that is read here.
"""


@dataclass(frozen=True, slots=True)
class Read:
    """A paper, and what was repaired on the way.

    Attributes
    ----------
    paper : the paper, with its source.
    notes : for each repair one phrase, such as ``2 control characters removed``; also
        :data:`WITHDRAWN`.
    extraction : what was extracted from the paper already, if it comes from a file of extractions.
    extractor : version of what extracted it, or "".
    """

    paper: Paper
    notes: tuple[str, ...] = ()
    extraction: Extraction | None = None
    extractor: str = ""

    @property
    def withdrawn(self) -> bool:
        """Whether the source marks the paper as withdrawn; nothing is extracted from it then."""
        return WITHDRAWN in self.notes


@dataclass(frozen=True, slots=True, order=True)
class Rejected:
    """A record or a file that gave no paper.

    Attributes
    ----------
    source : file, and the 1-based position of the record in it; 0 for the file as a whole.
    reason : one line: what is wrong, at which line where the format has lines, how to mend it.
    kind : see :data:`Kind`.
    """

    source: Source
    reason: str
    kind: Kind


@dataclass(slots=True)
class Fields:
    """The fields of one record as its format has them, nothing repaired yet.

    Attributes
    ----------
    text, title, venue, url, doi : raw.
    ids : whatever may hold an arXiv, ACL Anthology or DOI identifier, raw.
    own_id : the id to use if there is none of these; "" for the hash of the text.
    dates : raw values of any shape, the best one first.
    authors : names, in order.
    withdrawn : the source says that the paper is withdrawn.
    comment : the authors' comment, where withdrawals are told.
    notes : repairs that were made already.
    has_text : the record has a field for the abstract, even if an empty one.
    """

    text: str = ""
    title: str = ""
    venue: str = ""
    url: str = ""
    doi: str = ""
    ids: list[str] = field(default_factory=list)
    own_id: str = ""
    dates: list[object] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    withdrawn: bool = False
    comment: str = ""
    notes: list[str] = field(default_factory=list)
    has_text: bool = False


@dataclass(frozen=True, slots=True)
class Flaw:
    """A record that the reader of its format cannot use."""

    kind: Kind
    reason: str
