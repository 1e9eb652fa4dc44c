"""Nodes and claims: what the names of one entity have in common, and what is said of two.

A person names an entity by its key and a statement by ``subject predicate object`` or its id; here
these become what assembly reckons with.
"""

from __future__ import annotations

import re
from typing import Final

from kg.assemble.names import fold, unslug
from kg.schema import FAMILY, PREDICATES

__all__ = ["Claim", "Node", "claim_of", "is_id", "node_of"]

Node = tuple[str, str]
"""(family, folded name): what names of one entity have in common. A paper is ("paper", id)."""

Claim = tuple[Node, str, Node]
"""Subject, predicate, object."""

_FAMILIES: Final = frozenset(FAMILY.values())
_TRIPLE: Final = re.compile(rf"(.+?) ({'|'.join(map(re.escape, PREDICATES))}) (\S+)")
_ID: Final = re.compile(r"[0-9a-f]{16}")


def node_of(key: str) -> Node:
    """Return the node of the entity or paper that has this ``key`` in a graph.

    Raises
    ------
    ValueError
        If ``key`` is not ``family/slug`` nor ``paper/id``.
    """
    family, slash, name = key.partition("/")
    if family == "paper" and name:
        return family, name
    if not slash or not name or family not in _FAMILIES:
        raise ValueError(f"{key!r} is no key of an entity; `kg show NAME` gives it")
    form = unslug(name)
    return family, fold(form) or form


def claim_of(text: str) -> Claim | None:
    """Return the claim that ``subject predicate object`` names, or None if it is no such text."""
    found = _TRIPLE.fullmatch(text)
    if found is None:
        return None
    return node_of(found[1]), found[2], node_of(found[3])


def is_id(text: str) -> bool:
    """Whether ``text`` has the form of a statement's id."""
    return _ID.fullmatch(text) is not None
