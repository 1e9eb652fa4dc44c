"""The records that travel: Paper, Mention, Entity, Statement, Evidence, Result.

Every stage takes and gives these and nothing else. :class:`Extraction` is the set of them that one
paper's text yields; there, an entity's key is simply its name in that paper. In the assembled graph
the same records carry the entity's key in the whole graph.

All records are immutable and compare by value; :mod:`kg.json_form` converts them to and from JSON.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from kg.schema import ENTITY_TYPES, PAPER, PREDICATES

__all__ = [
    "Entity",
    "Evidence",
    "Extraction",
    "Mention",
    "Paper",
    "Part",
    "Result",
    "Source",
    "Statement",
    "content_id",
    "digest",
    "paper_key",
]

Part = Literal["title", "text"]
"""The field of the paper that a pair of offsets counts in."""


def paper_key(paper: str) -> str:
    """Return the key in the graph of the paper whose id is ``paper``: ``paper/<id>``."""
    return "paper/" + paper


def digest(*parts: object) -> str:
    """Return 16 hex digits (64 bits of SHA-256) that identify the sequence ``parts``.

    Equal sequences of equal strings give equal digests on every machine.
    """
    hashed = hashlib.sha256()
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        hashed.update(f"{len(raw)}:".encode())
        hashed.update(raw)
    return hashed.hexdigest()[:16]


def content_id(text: str) -> str:
    """Return the id of a paper whose source gives none: a hash of its normalised text.

    Case, Unicode form and white space do not count.
    """
    normal = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return "text:" + digest(normal)


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a paper was read: a file and the 1-based position of the record in it."""

    file: str
    position: int


@dataclass(frozen=True, slots=True)
class Paper:
    """An abstract with what its source says about it.

    Attributes
    ----------
    id : the source's own id (arXiv, ACL Anthology, DOI), else :func:`content_id` of the text.
    text : the abstract, as read.
    title : the title, or "".
    date : ISO 8601 ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``, or "".
    venue, url, doi : as the source has them, or "".
    authors : names in order.
    source : file and position, or None for a text that came from no file.
    """

    id: str
    text: str
    title: str = ""
    date: str = ""
    venue: str = ""
    authors: tuple[str, ...] = ()
    url: str = ""
    doi: str = ""
    source: Source | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a paper needs an id")

    @property
    def name(self) -> str:
        """What a person would call it: its title; without one the beginning of its text; without
        both its id.
        """
        return self.title or _beginning(self.text) or self.id

    def part(self, part: Part) -> str:
        """Return the field that offsets of ``part`` count in."""
        return self.title if part == "title" else self.text


def _beginning(text: str, most: int = 80) -> str:
    """Return the first words of ``text``, in at most ``most`` characters and a sign of the cut."""
    short = ""
    for word in text[: 4 * most].split():
        longer = f"{short} {word}".strip()
        if len(longer) > most:
            return f"{short or word[:most]} …"
        short = longer
    return short


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A span of a paper that names an entity: ``paper.part(part)[start:end] == surface``.

    Attributes
    ----------
    paper : id of the paper.
    part, start, end : the span, in characters of the original text.
    surface : the text of the span.
    type : entity type, from the schema.
    entity : key of the entity that it names.
    confidence : probability that it is right, 0 to 1.
    extractor : what found it: ``rule:…@version`` or ``model:…@version``.
    """

    paper: str
    part: Part
    start: int
    end: int
    surface: str
    type: str
    entity: str
    confidence: float = 1.0
    extractor: str = ""

    def __post_init__(self) -> None:
        if self.type not in ENTITY_TYPES:
            raise ValueError(f"unknown entity type: {self.type!r}")
        if not 0 <= self.start < self.end or self.end - self.start != len(self.surface):
            raise ValueError(f"offsets {self.start}:{self.end} do not fit {self.surface!r}")


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A Method, Model, Dataset, Benchmark, Task or Metric, with its names.

    Attributes
    ----------
    key : identity; in the graph ``family/slug``, in one paper's extraction the name.
    name : the best surface form.
    type : entity type, from the schema.
    names : the surface forms that name it in any paper, the best one included, sorted; a form that
        only one paper uses for it stands in ``merges`` alone.
    introduced_in : ids of the papers that put it forward as their own contribution, sorted.
    types : (type, number of papers) by weight of evidence, the prevailing type first.
    confidence : probability that it is an entity of that type, 0 to 1.
    merges : (surface form, rule by which it is this entity), sorted; see
        :mod:`kg.assemble.resolve`.
    variant_of : key of the entity that it is a version, size or split of, where the name says so
        plainly (Llama-3-70B, a variant of Llama-3), or "".
    decisions : what people decided about it (``merge``, ``rename``, …), sorted; see
        :mod:`kg.assemble.decisions`.
    """

    key: str
    name: str
    type: str
    names: tuple[str, ...] = ()
    introduced_in: tuple[str, ...] = ()
    types: tuple[tuple[str, int], ...] = ()
    confidence: float = 1.0
    merges: tuple[tuple[str, str], ...] = ()
    variant_of: str = ""
    decisions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.key or not self.name:
            raise ValueError("an entity needs a key and a name")
        if self.type not in ENTITY_TYPES:
            raise ValueError(f"unknown entity type: {self.type!r}")


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
    """One passage of one paper that states a statement.

    Attributes
    ----------
    paper : id of the paper.
    part, start, end : the passage, in characters of the original text.
    sentence : the text of the passage, exactly ``paper.part(part)[start:end]``.
    confidence : probability that the passage states it, 0 to 1.
    extractor : ``rule:…@version`` or ``model:…@version``.
    negated : the passage denies the statement.
    hedged : the passage holds it possible, plans it, or quotes it as others' claim.
    """

    paper: str
    part: Part
    start: int
    end: int
    sentence: str
    confidence: float
    extractor: str
    negated: bool = False
    hedged: bool = False

    def __post_init__(self) -> None:
        if not self.sentence or self.end - self.start != len(self.sentence):
            raise ValueError(f"offsets {self.start}:{self.end} do not fit the sentence")

    @property
    def asserts(self) -> bool:
        """Whether the passage plainly states the statement."""
        return not self.negated and not self.hedged


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """Subject, predicate, object, and every passage that states it (never none).

    Attributes
    ----------
    subject : key of an entity; or, where the paper's contribution has no name, ``PAPER`` in one
        paper's extraction and ``paper/<paper id>`` in the graph.
    predicate : from the schema.
    object : key of an entity.
    evidence : sorted, never empty.
    belief : 0 to 1; see :mod:`kg.assemble.belief`.
    decision : ``accepted`` or ``rejected`` if a person said so, or "".
    """

    subject: str
    predicate: str
    object: str
    evidence: tuple[Evidence, ...] = ()
    belief: float = 0.0
    decision: Literal["", "accepted", "rejected"] = ""

    def __post_init__(self) -> None:
        if self.predicate not in PREDICATES:
            raise ValueError(f"unknown predicate: {self.predicate!r}")
        if not self.evidence:
            raise ValueError(f"{self.subject} {self.predicate} {self.object}: no evidence")

    @property
    def id(self) -> str:
        """Identity of the claim: 16 hex digits made from subject, predicate and object."""
        return digest(self.subject, self.predicate, self.object)

    def evidence_id(self, evidence: Evidence) -> str:
        """Identity of one piece of evidence: of the claim, the paper and the span."""
        return digest(self.id, evidence.paper, evidence.part, evidence.start, evidence.end)

    @property
    def papers(self) -> tuple[str, ...]:
        """Ids of the papers that plainly state it, sorted, each once."""
        return tuple(sorted({e.paper for e in self.evidence if e.asserts}))

    @property
    def asserted(self) -> bool:
        """Whether at least one passage plainly states it, or a person accepted it.

        What a person rejected is not asserted, whatever the passages say.
        """
        if self.decision:
            return self.decision == "accepted"
        return any(e.asserts for e in self.evidence)


@dataclass(frozen=True, slots=True, order=True)
class Result:
    """A figure that a paper reports: who, on what, by what measure, how much.

    Attributes
    ----------
    paper : id of the paper.
    part, start, end, sentence : the passage, as in :class:`Evidence`.
    subject : key of an entity, ``PAPER`` (``paper/<paper id>`` in the graph), or "" if not told.
    benchmark, metric, baseline : keys of entities, or "" if not told.
    value : the subject's own figure, in ``unit``.
    baseline_value : the baseline's figure, in ``unit``.
    delta : the reported difference, in ``unit``, never negative.
    unit : ``%``, ``x``, ``points``, ``pp``, or "".
    direction : ``up`` or ``down``, the way the figure moved, or "".
    confidence, extractor : as in :class:`Evidence`.
    """

    paper: str
    part: Part
    start: int
    end: int
    sentence: str
    subject: str = ""
    benchmark: str = ""
    metric: str = ""
    value: float | None = None
    unit: str = ""
    baseline: str = ""
    baseline_value: float | None = None
    delta: float | None = None
    direction: str = ""
    confidence: float = 1.0
    extractor: str = ""

    def __post_init__(self) -> None:
        if self.value is None and self.delta is None and self.baseline_value is None:
            raise ValueError("a result needs a figure")
        if not self.sentence or self.end - self.start != len(self.sentence):
            raise ValueError(f"offsets {self.start}:{self.end} do not fit the sentence")

    @property
    def id(self) -> str:
        """Identity: 16 hex digits made from paper, span, figure and what it is about."""
        figures = (self.value, self.delta, self.baseline_value)
        return digest(
            self.paper,
            self.part,
            self.start,
            self.end,
            *(x if x is None else round(float(x), 6) for x in figures),
            self.unit,
            self.subject,
            self.benchmark,
            self.metric,
            self.baseline,
        )


@dataclass(frozen=True, slots=True)
class Extraction:
    """All records that the text of one paper yields.

    Keys of entities are names that are unique in the paper; ``PAPER`` is the paper's unnamed
    contribution.
    """

    paper: str
    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    statements: tuple[Statement, ...] = ()
    results: tuple[Result, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        known = {e.key for e in self.entities} | {PAPER}
        used = {m.entity for m in self.mentions} - {PAPER}
        used |= {k for s in self.statements for k in (s.subject, s.object)}
        used |= {
            k for r in self.results for k in (r.subject, r.benchmark, r.metric, r.baseline) if k
        }
        if not used <= known:
            raise ValueError(f"{self.paper}: unknown entities {sorted(used - known)}")

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not self.mentions and not self.statements and not self.results
