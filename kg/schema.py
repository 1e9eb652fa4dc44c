"""The one place that says which types, predicates and terms the graph has.

The ontology, the SHACL shapes, the JSON schema, the JSON-LD context, the Neo4j constraints and the
Browser style under ``schemas/`` and ``cypher/`` are generated from these tables by
``python -m kg.generate`` and are checked to be current. Source of the definitions: the annotation
guidelines of the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

__all__ = [
    "ENTITY_TYPES",
    "FAMILY",
    "ID_BASE",
    "NS",
    "PAPER",
    "PREDICATES",
    "EntityType",
    "EntityTypeName",
    "Predicate",
    "PredicateName",
    "predicate",
]

NS: Final = "https://w3id.org/sotagraph/ns#"
"""Namespace of the ontology's classes and properties."""

ID_BASE: Final = "https://w3id.org/sotagraph/id/"
"""Default base of the IRIs of papers, entities, statements, evidence and results."""

PAPER: Final = "PAPER"
"""Subject of a statement whose subject is the paper's own contribution, which has no name."""

EntityTypeName = Literal["Method", "Model", "Dataset", "Benchmark", "Task", "Metric"]
PredicateName = Literal[
    "evaluates-on",
    "improves-over",
    "builds-on",
    "trained-on",
    "applies-to",
    "compared-with",
    "part-of",
]


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entity: a Neo4j label and an OWL class.

    Attributes
    ----------
    name : the label and the class's local name.
    family : types of one family may share a name and be one entity (GSM8K as Dataset or Benchmark).
    comment : the definition.
    broader, close : IRIs of classes of other vocabularies that are broader (``rdfs:subClassOf``)
        or only close (``skos:closeMatch``).
    colour : fill colour in Neo4j Browser and in the HTML pages.
    """

    name: EntityTypeName
    family: str
    comment: str
    broader: tuple[str, ...]
    close: tuple[str, ...]
    colour: str


ENTITY_TYPES: Final[dict[str, EntityType]] = {
    t.name: t
    for t in (
        EntityType(
            "Method",
            "method",
            "A technique, algorithm, architecture, framework, training or prompting recipe, "
            "system, tool, agent, attack or loss.",
            (),
            ("https://schema.org/CreativeWork",),
            "#4C8EDA",
        ),
        EntityType(
            "Model",
            "method",
            "A trained model, or a named family of them, with weights of its own.",
            (),
            ("https://schema.org/SoftwareApplication",),
            "#8D63C9",
        ),
        EntityType(
            "Dataset",
            "data",
            "A named collection of data, for training or as material.",
            ("https://schema.org/Dataset",),
            (),
            "#57A773",
        ),
        EntityType(
            "Benchmark",
            "data",
            "A named evaluation suite, test set, shared task or arena on which things are scored.",
            (),
            ("https://schema.org/Dataset",),
            "#D9822B",
        ),
        EntityType(
            "Task",
            "task",
            "A named problem that methods solve.",
            ("http://www.w3.org/2004/02/skos/core#Concept",),
            (),
            "#C64F6B",
        ),
        EntityType(
            "Metric",
            "metric",
            "A named measure of quality or cost.",
            ("http://www.w3.org/2004/02/skos/core#Concept",),
            (),
            "#8A8D91",
        ),
    )
}
assert set(ENTITY_TYPES) == set(get_args(EntityTypeName))

FAMILY: Final[dict[str, str]] = {name: t.family for name, t in ENTITY_TYPES.items()}
"""Entity type to family: ``method``, ``data``, ``task`` or ``metric``."""

_M, _D = ("Method", "Model"), ("Dataset", "Benchmark")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A kind of statement: a relationship type in Neo4j and a property in RDF.

    Attributes
    ----------
    name : as in the annotation guidelines, ``evaluates-on``.
    relationship : the relationship type in Neo4j, ``EVALUATES_ON``.
    term : the property's local name in RDF, ``evaluatesOn``.
    label : for people, ``evaluates on``.
    signatures : allowed pairs of (subject types, object types). ``PAPER`` among the subject types
        stands for the paper itself.
    comment : when it holds.
    core : one of the three that matter most.
    """

    name: PredicateName
    relationship: str
    term: str
    label: str
    signatures: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    comment: str
    core: bool = False
    close: tuple[str, ...] = ()

    def allows(self, subject_type: str, object_type: str) -> bool:
        """Whether a statement from ``subject_type`` (or ``PAPER``) to ``object_type`` is valid."""
        return any(subject_type in s and object_type in o for s, o in self.signatures)

    @property
    def in_graph(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The signatures between entities of a graph: each type stands for its whole family.

        There, an entity has the type that most papers give it; what one paper states of a Method
        may so come to be about a Model, and remains true.
        """
        return tuple((_widened(s), _widened(o)) for s, o in self.signatures)

    @property
    def subjects(self) -> tuple[str, ...]:
        """All allowed subject types, ``PAPER`` included, without repetition."""
        return tuple(dict.fromkeys(t for s, _ in self.signatures for t in s))

    @property
    def objects(self) -> tuple[str, ...]:
        """All allowed object types, without repetition."""
        return tuple(dict.fromkeys(t for _, o in self.signatures for t in o))


def _widened(types: tuple[str, ...]) -> tuple[str, ...]:
    families = {FAMILY.get(t) for t in types}
    extra = [PAPER] if PAPER in types else []
    return (*(t for t, family in FAMILY.items() if family in families), *extra)


PREDICATES: Final[dict[str, Predicate]] = {
    p.name: p
    for p in (
        Predicate(
            "evaluates-on",
            "EVALUATES_ON",
            "evaluatesOn",
            "evaluates on",
            (((*_M, PAPER), _D),),
            "The subject is run, tested or scored on the object, or its experiments use it.",
            core=True,
        ),
        Predicate(
            "improves-over",
            "IMPROVES_OVER",
            "improvesOver",
            "improves over",
            (((*_M, PAPER), _M),),
            "The subject does better than the object: higher quality, or the same at lower cost.",
            core=True,
        ),
        Predicate(
            "builds-on",
            "BUILDS_ON",
            "buildsOn",
            "builds on",
            (((*_M, PAPER), _M), (_D, _D)),
            "The subject is made from, extends, is fine-tuned from, adapts, distils, is inspired "
            "by, or uses as an essential part, the object.",
            core=True,
            close=("http://purl.org/spar/cito/extends", "http://www.w3.org/ns/prov#wasDerivedFrom"),
        ),
        Predicate(
            "trained-on",
            "TRAINED_ON",
            "trainedOn",
            "trained on",
            (((*_M, PAPER), _D),),
            "The subject is (pre-, post-, fine-) trained on the object.",
        ),
        Predicate(
            "applies-to",
            "APPLIES_TO",
            "appliesTo",
            "applies to",
            (((*_M, *_D, PAPER), ("Task",)),),
            "The subject is made for the object, is used to solve it, or measures it.",
        ),
        Predicate(
            "compared-with",
            "COMPARED_WITH",
            "comparedWith",
            "compared with",
            (((*_M, PAPER), _M),),
            "The subject is compared with the object and comes out equal or worse, or the outcome "
            "is not said.",
        ),
        Predicate(
            "part-of",
            "PART_OF",
            "partOf",
            "part of",
            ((("Method",), _M), (_D, _D)),
            "The subject is a named component or subset of the object.",
            close=("http://purl.org/dc/terms/isPartOf",),
        ),
    )
}
assert set(PREDICATES) == set(get_args(PredicateName))


def predicate(name: str) -> Predicate:
    """Return the predicate called ``name``.

    Raises
    ------
    KeyError
        If the schema has none of that name.
    """
    return PREDICATES[name]
