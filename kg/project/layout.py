"""What the property graph looks like: its kinds of nodes and relationships.

Both stores, Neo4j and the embedded one, have this shape. Labels and relationship types come from
:mod:`kg.schema` or stand here; none is ever made from a text.

A property that a record does not have is absent; no value is null, a map or of mixed types. Every
node has a ``name`` to show. Four things are worth knowing:

* a ``Paper`` has always a ``title``, "" where its source gives none; its ``name`` is then the
  beginning of its abstract;
* browsing relationships such as ``EVALUATES_ON`` exist for asserted statements only; what papers
  deny or merely suppose is found by its ``Statement`` node and ``STATES``;
* ``since`` is the date of the first paper that plainly states a statement, as precise as that paper
  tells it, and absent if none of them tells one;
* every relationship has an ``id``, so that two between the same nodes stay two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kg.schema import ENTITY_TYPES, PAPER, PREDICATES

__all__ = [
    "ENTITY_NODE",
    "LAYOUT",
    "NODES",
    "PAPER_NODE",
    "PASSAGE",
    "RELATIONSHIPS",
    "RESULT_NODE",
    "STATEMENT_NODE",
    "NodeKind",
    "RelationshipKind",
]

LAYOUT: Final = 3
"""Version of the rows' shape; a store file that was made with another one is made anew."""


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A kind of node: its label, the property that identifies it, and all properties it may have.

    ``subtypes`` are the labels of which each node of the kind carries exactly one more.
    """

    label: str
    key: str
    properties: tuple[str, ...]
    subtypes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipKind:
    """A kind of relationship: its type, the kinds of its two ends, and all properties it may have.

    A type can have several kinds: ``SUBJECT`` leads to an ``Entity`` or to a ``Paper``.
    """

    type: str
    start: NodeKind
    end: NodeKind
    properties: tuple[str, ...] = ("id",)


PASSAGE: Final = ("sentence", "part", "start", "end", "confidence", "extractor")
"""What evidence and results tell of the passage: properties of STATES and of Result."""

PAPER_NODE: Final = NodeKind(
    "Paper",
    "id",
    (
        *("id", "name", "title", "text", "date", "year", "venue", "authors", "url", "doi"),
        *("file", "position"),
    ),
)
ENTITY_NODE: Final = NodeKind(
    "Entity",
    "key",
    (
        *("key", "name", "names", "type", "family", "types", "confidence"),
        *("papers", "mentions", "introduced", "decisions"),
    ),
    tuple(ENTITY_TYPES),
)
STATEMENT_NODE: Final = NodeKind(
    "Statement",
    "id",
    (
        *("id", "name", "predicate", "belief", "papers", "since", "asserted"),
        *("evidence", "negated", "hedged", "decision"),
    ),
)
RESULT_NODE: Final = NodeKind(
    "Result",
    "id",
    ("id", "name", "value", "unit", "delta", "baseline_value", "direction", *PASSAGE),
)

NODES: Final[tuple[NodeKind, ...]] = (PAPER_NODE, ENTITY_NODE, STATEMENT_NODE, RESULT_NODE)
"""Every kind of node."""

_BROWSING: Final = tuple(
    RelationshipKind(p.relationship, start, ENTITY_NODE, ("id", "papers", "belief", "since"))
    for p in PREDICATES.values()
    for start in ((ENTITY_NODE, PAPER_NODE) if PAPER in p.subjects else (ENTITY_NODE,))
)
RELATIONSHIPS: Final[tuple[RelationshipKind, ...]] = (
    *_BROWSING,
    RelationshipKind("MENTIONS", PAPER_NODE, ENTITY_NODE, ("id", "count")),
    RelationshipKind("INTRODUCES", PAPER_NODE, ENTITY_NODE),
    RelationshipKind("VARIANT_OF", ENTITY_NODE, ENTITY_NODE),
    RelationshipKind("STATES", PAPER_NODE, STATEMENT_NODE, ("id", *PASSAGE, "negated", "hedged")),
    RelationshipKind("SUBJECT", STATEMENT_NODE, ENTITY_NODE),
    RelationshipKind("SUBJECT", STATEMENT_NODE, PAPER_NODE),
    RelationshipKind("OBJECT", STATEMENT_NODE, ENTITY_NODE),
    RelationshipKind("REPORTS", PAPER_NODE, RESULT_NODE),
    RelationshipKind("OF", RESULT_NODE, ENTITY_NODE),
    RelationshipKind("OF", RESULT_NODE, PAPER_NODE),
    RelationshipKind("ON", RESULT_NODE, ENTITY_NODE),
    RelationshipKind("MEASURED_BY", RESULT_NODE, ENTITY_NODE),
    RelationshipKind("AGAINST", RESULT_NODE, ENTITY_NODE),
)
"""Every kind of relationship."""
