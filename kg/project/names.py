"""What a person calls an entity or a paper."""

from __future__ import annotations

from kg.graph import Graph
from kg.records import Paper

__all__ = ["name_of", "paper_name"]


def paper_name(paper: Paper) -> str:
    """Return the paper's title; without one the beginning of its text; without both its id."""
    return paper.title or _beginning(paper.text) or paper.id


def name_of(graph: Graph, key: str) -> str:
    """Return the name of the entity with the key, or of the paper ``paper/<id>``; else the key."""
    if entity := graph.entities.get(key):
        return entity.name
    paper = graph.papers.get(key.removeprefix("paper/"))
    return paper_name(paper) if paper else key


def _beginning(text: str, most: int = 80) -> str:
    """Return the first words of ``text``, in at most ``most`` characters and a sign of the cut."""
    short = ""
    for word in text[: 4 * most].split():
        longer = f"{short} {word}".strip()
        if len(longer) > most:
            return f"{short or word[:most]} …"
        short = longer
    return short
