"""The graph: all records of all papers, and the questions that a program asks of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kg.assemble.names import fold, unknown
from kg.errors import InputError, NotFoundError
from kg.records import Entity, Mention, Paper, Result, Statement
from kg.schema import ID_BASE, PREDICATES

if TYPE_CHECKING:
    import networkx
    import pandas
    import rdflib

    from kg.project.embedded import EmbeddedStore

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

    def __len__(self) -> int:
        """Return the number of statements."""
        return len(self.statements)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return all(
            getattr(self, part) == getattr(other, part)
            for part in ("papers", "entities", "mentions", "statements", "results")
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Return the records, without what is made from them and cannot be copied."""
        made = ("_store", "_triples")
        return {name: part for name, part in self.__dict__.items() if name not in made}

    def __repr__(self) -> str:
        return (
            f"<Graph: {len(self.papers)} papers, {len(self.entities)} entities, "
            f"{len(self.statements)} statements, {len(self.results)} results>"
        )

    def counts(self) -> dict[str, int]:
        """Return how many papers, mentions, entities, statements and results there are."""
        parts = ("papers", "mentions", "entities", "statements", "results")
        return {part: len(getattr(self, part)) for part in parts}

    # -- indexes, made once when first asked for ------------------------------------------------

    @cached_property
    def mention_counts(self) -> dict[tuple[str, str], int]:
        """(paper id, entity key) to the number of mentions, sorted."""
        counts: dict[tuple[str, str], int] = {}
        for m in self.mentions:
            counts[m.paper, m.entity] = counts.get((m.paper, m.entity), 0) + 1
        return dict(sorted(counts.items()))

    @cached_property
    def papers_of(self) -> Mapping[str, tuple[str, ...]]:
        """Entity key to the ids of the papers that mention it, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for paper, entity in self.mention_counts:
            found[entity].append(paper)
        return {key: tuple(papers) for key, papers in sorted(found.items())}

    @cached_property
    def _by_name(self) -> dict[str, list[Entity]]:
        found: dict[str, set[Entity]] = defaultdict(set)
        for e in self.entities.values():
            for name in {e.name, *e.names}:
                found[fold(name) or name].add(e)
        return {
            name: sorted(es, key=lambda e: (-len(self.papers_of.get(e.key, ())), e.key))
            for name, es in found.items()
        }

    @cached_property
    def _by_subject(self) -> dict[str, list[Statement]]:
        found: dict[str, list[Statement]] = defaultdict(list)
        for s in self.statements.values():
            found[s.subject].append(s)
        return dict(found)

    @cached_property
    def _by_object(self) -> dict[str, list[Statement]]:
        found: dict[str, list[Statement]] = defaultdict(list)
        for s in self.statements.values():
            found[s.object].append(s)
        return dict(found)

    # -- questions ------------------------------------------------------------------------------

    def find(self, name: str) -> list[Entity]:
        """Return the entities called ``name`` (a key or any of their names), best known first.

        Case, hyphens, spaces and a plural do not count.

        Examples
        --------
        >>> Graph(entities=[Entity("data/gsm8k", "GSM8K", "Benchmark", ("GSM8K",))]).find("gsm-8k")
        [Entity(key='data/gsm8k', name='GSM8K', ...)]
        """
        if name in self.entities:
            return [self.entities[name]]
        return list(self._by_name.get(fold(name) or name, ()))

    def entity(self, name: str) -> Entity:
        """Return the entity called ``name``; if several are, the one most papers mention.

        Raises
        ------
        NotFoundError
            If there is none; the message has the nearest names.
        """
        found = self.find(name)
        if found:
            return found[0]
        raise NotFoundError(unknown(name, {form: es[0].name for form, es in self._by_name.items()}))

    def statements_of(
        self, name: str, predicate: str | None = None, *, role: str | None = None
    ) -> list[Statement]:
        """Return the statements about the entity called ``name``, the most believed first.

        Parameters
        ----------
        name : key or name of an entity.
        predicate : only this predicate, ``improves-over`` for example.
        role : ``subject`` or ``object``: only those where it stands there.

        Raises
        ------
        NotFoundError
            If there is no such entity.
        InputError
            If there is no such predicate or role.
        """
        if predicate is not None and predicate not in PREDICATES:
            raise InputError(f"no predicate {predicate!r}: one of {', '.join(PREDICATES)}")
        if role not in (None, "subject", "object"):
            raise InputError(f"no role {role!r}: subject or object")
        key = self.entity(name).key
        found = [] if role == "object" else list(self._by_subject.get(key, ()))
        if role != "subject":
            found += self._by_object.get(key, ())
        return sorted(
            (s for s in found if predicate in (None, s.predicate)),
            key=lambda s: (-s.belief, s.subject, s.predicate, s.object),
        )

    def improves_over(self, name: str) -> list[Statement]:
        """Return the statements that something improves over the entity called ``name``."""
        found = self.statements_of(name, "improves-over", role="object")
        return [s for s in found if s.asserted]

    def results_of(self, name: str) -> list[Result]:
        """Return the figures of the entity called ``name``, in the order of papers and text."""
        key = self.entity(name).key
        return [r for r in self.results.values() if r.subject == key]

    def leaderboard(self, benchmark: str, metric: str | None = None) -> list[Result]:
        """Return the results on ``benchmark`` that have a value, by metric, the highest first.

        Factors ("2x faster") are no scores and are left out. Whether more is better depends on the
        metric; the order does not know it.
        """
        key = self.entity(benchmark).key
        only = self.entity(metric).key if metric else None
        found = [
            r
            for r in self.results.values()
            if r.benchmark == key
            and r.value is not None
            and r.unit != "x"
            and only in (None, r.metric)
        ]
        return sorted(found, key=lambda r: (r.metric, r.unit, -(r.value or 0.0), r.id))

    def lineage(self, name: str, depth: int = 5) -> list[tuple[int, Statement]]:
        """Return what the entity called ``name`` builds on, and what that builds on, and so on.

        Returns
        -------
        list of (int, Statement)
            Steps from the entity (1 is direct) and the ``builds-on`` statement, nearest first; each
            entity is followed once.
        """
        steps: list[tuple[int, Statement]] = []
        seen = {self.entity(name).key}
        front = sorted(seen)
        for step in range(1, depth + 1):
            following: list[str] = []
            for key in front:
                for s in self._by_subject.get(key, ()):
                    if s.predicate == "builds-on" and s.asserted:
                        steps.append((step, s))
                        if s.object not in seen:
                            seen.add(s.object)
                            following.append(s.object)
            front = following
        return steps

    def name(self, key: str) -> str:
        """Return what a person would call the entity or paper with this ``key``.

        The entity's name, or the :attr:`~kg.records.Paper.name` of the paper ``paper/<id>``; a key
        of neither comes back as it is.
        """
        if entity := self.entities.get(key):
            return entity.name
        paper = self.papers.get(key.removeprefix("paper/"))
        return paper.name if paper else key

    def contradictions(self) -> Iterator[tuple[Statement, Statement | None]]:
        """Yield pairs (A improves over B, B improves over A), and (denied and asserted, None)."""
        for s in self.statements.values():
            if s.asserted and any(e.negated for e in s.evidence):
                yield s, None
            if s.predicate == "improves-over" and s.asserted and s.subject < s.object:
                for other in self._by_subject.get(s.object, ()):
                    reverse = (other.predicate, other.object) == ("improves-over", s.subject)
                    if reverse and other.asserted:
                        yield s, other

    def as_of(self, date: str) -> Graph:
        """Return the graph of the papers that were out by the end of ``date``.

        Statements keep the evidence of those papers, and get the belief that it gives. Names are
        what all papers, also later ones, say they are: an entity keeps its key, name, type and
        names, so that graphs of two dates can be compared.

        Parameters
        ----------
        date : ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``. A paper that tells only its year or month
            counts from the last day of it; one without a date is left out.

        Raises
        ------
        InputError
            If ``date`` is no date.

        Examples
        --------
        >>> Graph(papers=[Paper("1", "…", date="2019")]).as_of("2019-06")
        <Graph: 0 papers, 0 entities, 0 statements, 0 results>
        """
        from kg.assemble.past import as_of

        return as_of(self, date)

    def at_least(self, confidence: float) -> Graph:
        """Return the graph without the facts of which the extractor is less sure.

        Evidence and results of less ``confidence`` are left out, and what then has nothing left:
        statements without evidence, mentions that no fact needs, entities that nothing names.
        Beliefs are those that the evidence left gives. What a person accepted stays. Entities keep
        their key, name, type and names.

        Parameters
        ----------
        confidence : 0 (all stays) to 1. It is calibrated: of facts of confidence 0.7 about 7 in 10
            are right.

        Raises
        ------
        InputError
            If ``confidence`` is not between 0 and 1.

        Examples
        --------
        >>> graph = Graph(entities=[Entity("method/bert", "BERT", "Model")])
        >>> graph.at_least(0.7)  # nothing names it
        <Graph: 0 papers, 0 entities, 0 statements, 0 results>
        """
        from kg.assemble.threshold import at_least

        return at_least(self, confidence)

    # -- queries and other forms ----------------------------------------------------------------

    def cypher(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Run a Cypher query on the embedded engine and return its rows.

        Parameters
        ----------
        text : the query, which only reads.
        parameters : a value for each ``$name`` in it.

        Returns
        -------
        list of dict
            Column to value, a row each.

        Raises
        ------
        QueryError
            If the query is wrong, or writes.
        """
        return self._store.cypher(text, parameters)

    def query(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Run a shipped query (``cypher/queries/<name>.cypher``) and return its rows.

        ``kg query`` lists them.

        Parameters
        ----------
        name : its name, or the path of a file of the same form.
        parameters : of the query, such as ``name="BERT"``; those with a default may be left out.

        Returns
        -------
        list of dict
            Column to value, a row each.

        Raises
        ------
        QueryError
            If there is no such query, or a parameter is missing or unknown.
        """
        from kg.queries import bind, find_query

        query = find_query(name)
        return self._store.cypher(query.text, bind(query, parameters))

    def sparql(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Run a SPARQL query on :meth:`to_rdflib` and return its rows.

        Parameters
        ----------
        query : a SELECT or ASK query, the name of a shipped one
            (``schemas/queries/<name>.rq``), or the path of a file. The prefixes of the export
            (``sota:``, ``skos:``, …) need no declaration.
        parameters : values of variables of the query: str, numbers, or terms of rdflib such as a
            ``URIRef``; they are bound, the text never changes.

        Returns
        -------
        list of dict
            Column to str, int, float, bool or None, a row each; of ASK one row, column ``ask``.

        Raises
        ------
        QueryError
            If the query is wrong or asks another server, or a parameter is missing or unknown.

        Notes
        -----
        The triples are made when first asked for: memory and time grow with the graph.
        """
        from kg.project.sparql import find_query, run

        return run(self._triples, find_query(query), parameters)

    @cached_property
    def _triples(self) -> rdflib.Graph:
        return self.to_rdflib()

    @cached_property
    def _store(self) -> EmbeddedStore:
        from kg.project.embedded import EmbeddedStore

        return EmbeddedStore.build(self)

    def to_networkx(self, *, papers: bool = True) -> networkx.MultiDiGraph[str]:
        """Return the graph as a plain :class:`networkx.MultiDiGraph`.

        Nodes are entities, by key, and papers, by ``paper/<id>``; edges are statements, and, with
        ``papers``, what each paper mentions and introduces. Attributes:
        :func:`kg.project.multigraph.to_networkx`.
        """
        from kg.project.multigraph import to_networkx

        return to_networkx(self, papers=papers)

    def to_rdflib(self, base: str = ID_BASE) -> rdflib.Graph:
        """Return the graph as an :class:`rdflib.Graph`; ``base`` begins the IRIs of its nodes."""
        from kg.project.rdf import to_rdflib

        return to_rdflib(self, base=base)

    def to_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the graph as tables of plain rows, by name.

        The tables are ``papers``, ``entities``, ``mentions``, ``statements``, ``evidence`` and
        ``results``; their columns, :data:`kg.project.tables.COLUMNS`.
        """
        from kg.project.tables import to_tables

        return to_tables(self)

    def to_pandas(self) -> dict[str, pandas.DataFrame]:
        """Return :meth:`to_tables` as data frames. Needs the extra ``sotagraph[pandas]``."""
        from kg.project.tables import to_pandas

        return to_pandas(self)
