"""The graph: all records of all papers, and the questions that a program asks of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from kg.records import Entity, Mention, Paper, Result, Statement

__all__ = ["Graph"]


class Graph:
    """An assembled knowledge graph. It is immutable; what changes a graph is a new build.

    Parameters
    ----------
    papers, entities, mentions, statements, results
        The records, in any order. Keys refer to each other as :mod:`kg.records` says.

    Attributes
    ----------
    papers : paper id to :class:`~kg.records.Paper`, sorted by id.
    entities : entity key to :class:`~kg.records.Entity`, sorted by key.
    mentions : sorted tuple of :class:`~kg.records.Mention`.
    statements : statement id to :class:`~kg.records.Statement`, sorted by subject, predicate and
        object.
    results : result id to :class:`~kg.records.Result`, sorted by paper and offsets.
    """

    def __init__(
        self,
        papers: Iterable[Paper] = (),
        entities: Iterable[Entity] = (),
        mentions: Iterable[Mention] = (),
        statements: Iterable[Statement] = (),
        results: Iterable[Result] = (),
    ) -> None:
        self.papers = {p.id: p for p in sorted(papers, key=lambda p: p.id)}
        self.entities = {e.key: e for e in sorted(entities)}
        self.mentions = tuple(sorted(mentions))
        self.statements = {
            s.id: s for s in sorted(statements, key=lambda s: (s.subject, s.predicate, s.object))
        }
        self.results = {
            r.id: r for r in sorted(results, key=lambda r: (r.paper, r.part, r.start, r.end, r.id))
        }

    @cached_property
    def mention_counts(self) -> dict[tuple[str, str], int]:
        """(paper id, entity key) to the number of mentions, sorted."""
        counts: dict[tuple[str, str], int] = {}
        for m in self.mentions:
            counts[m.paper, m.entity] = counts.get((m.paper, m.entity), 0) + 1
        return dict(sorted(counts.items()))

    def __len__(self) -> int:
        return len(self.statements)

    def __repr__(self) -> str:
        return (
            f"<Graph: {len(self.papers)} papers, {len(self.entities)} entities, "
            f"{len(self.statements)} statements, {len(self.results)} results>"
        )
