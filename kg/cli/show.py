"""``kg show`` and ``explain``: what a graph holds of a thing, and why."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kg.assemble.belief import explain as arithmetic
from kg.assemble.decision_file import read_decisions
from kg.assemble.decisions import FILE, Decision, Decisions
from kg.assemble.threshold import least_of
from kg.cli.options import as_of_option, graph_option, loaded
from kg.cli.output import json_option, print_json, print_rows, print_table, tell, with_unit
from kg.errors import NotFoundError
from kg.graph import Graph
from kg.json_form import to_json
from kg.ledger import Ledger
from kg.read.identity import identify
from kg.records import Entity, Result, Statement

__all__ = ["explain", "show"]

_SHOWN = 10
"""Statements of each predicate that ``kg show`` prints."""


@click.command(short_help="Show what is known of an entity or a paper.")
@click.argument("name", metavar="ENTITY|PAPER")
@as_of_option
@graph_option
@json_option
def show(name: str, as_of: str, directory: str, as_json: bool) -> None:
    """Show an entity (by any of its names, or its key) or a paper (by its id or its address at
    arXiv, the ACL Anthology or doi.org).

    \b
    Examples:
      kg show BERT
      kg show 1810.04805
    """
    graph = loaded(directory, as_of)
    paper = name if name in graph.papers else identify([name])
    if paper in graph.papers:
        _show_paper(graph, paper, as_json)
        return
    found = graph.find(name)
    entity = found[0] if found else _entity(graph, name, "paper")
    statements = graph.statements_of(entity.key)
    results = graph.results_of(entity.key)
    if as_json:
        print_json(
            {
                "entity": to_json(entity),
                "papers": graph.papers_of.get(entity.key, ()),
                "statements": [_statement_json(graph, s) for s in statements],
                "results": [to_json(r) | {"id": r.id} for r in results],
            }
        )
        return
    _print_entity(graph, entity)
    by_kind: dict[tuple[str, bool], list[Statement]] = {}
    for s in statements:
        by_kind.setdefault((s.predicate, s.subject == entity.key), []).append(s)
    for (predicate, forward), group in sorted(by_kind.items()):
        other = "object" if forward else "subject"
        title = f"{entity.name} {predicate} …" if forward else f"… {predicate} {entity.name}"
        rows: list[tuple[Any, ...]] = [
            (graph.name(getattr(s, other)), f"{s.belief:.2f}", len(s.papers), s.id)
            for s in group[:_SHOWN]
        ]
        if len(group) > _SHOWN:
            rows.append((f"… and {len(group) - _SHOWN} more", "", "", ""))
        print_table(["name", "belief", "papers", "statement"], rows, title)
    if results:
        print_table(["figure", "on", "by", "against", "paper"], _figures(graph, results), "results")
    if len(found) > 1:
        tell("also called so: " + ", ".join(f"{e.key} ({e.type})" for e in found[1:]))


def _entity(graph: Graph, name: str, other: str) -> Entity:
    """Return the entity called ``name``, which could also have been the id of an ``other``."""
    try:
        return graph.entity(name)
    except NotFoundError as error:
        if not re.search(r"\d", name):
            raise
        raise NotFoundError(f"no {other} has the id {name!r}, and {error}") from None


def _figures(graph: Graph, results: list[Result]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for r in results:
        figure = "" if r.value is None else with_unit(r.value, r.unit)
        if r.delta is not None:
            sign = {"up": "+", "down": "−"}.get(r.direction, "±")
            delta = sign + with_unit(r.delta, r.unit)
            figure += f" ({delta})" if figure else delta
        on, by, against = (graph.name(k) if k else "" for k in (r.benchmark, r.metric, r.baseline))
        if r.baseline_value is not None:
            against = f"{against} ({with_unit(r.baseline_value, r.unit)})".strip()
        rows.append((figure, on, by, against, r.paper))
    return rows


def _print_entity(graph: Graph, entity: Entity) -> None:
    others = [n for n in entity.names if n != entity.name]
    papers = graph.papers_of.get(entity.key, ())
    rows = [("key", entity.key), ("type", entity.type)]
    if others:
        rows.append(("also", ", ".join(others)))
    if len(entity.types) > 1:
        rows.append(("typed as", ", ".join(f"{t} ({n})" for t, n in entity.types)))
    rows.append(("papers", str(len(papers))))
    if entity.variant_of:
        rows.append(("variant of", graph.name(entity.variant_of)))
    variants = [e.name for e in graph.entities.values() if e.variant_of == entity.key]
    if variants:
        rows.append(("its variants", ", ".join(variants)))
    if entity.decisions:
        rows.append(("decided", ", ".join(entity.decisions)))
    if entity.introduced_in:
        rows.append(("introduced in", ", ".join(entity.introduced_in)))
    print_table([entity.name, ""], rows)


def _show_paper(graph: Graph, paper: str, as_json: bool) -> None:
    said = [s for s in graph.statements.values() if any(e.paper == paper for e in s.evidence)]
    results = [r for r in graph.results.values() if r.paper == paper]
    if as_json:
        print_json(
            {
                "paper": to_json(graph.papers[paper]),
                "statements": [_statement_json(graph, s) for s in said],
                "results": [to_json(r) | {"id": r.id} for r in results],
            }
        )
        return
    record = graph.papers[paper]
    about = (", ".join(record.authors), record.venue, record.date, record.url or paper)
    click.echo(f"{record.title or paper}\n{' · '.join(filter(None, about))}\n\n{record.text}\n")
    rows = [
        (graph.name(s.subject), s.predicate, graph.name(s.object), f"{e.confidence:.2f}",
         s.decision or ("denied" if e.negated else "hedged" if e.hedged else ""), s.id)
        for s in said for e in s.evidence if e.paper == paper
    ]  # fmt: skip
    print_table(["subject", "predicate", "object", "confidence", "", "statement"], rows)
    if results:
        print_table(["figure", "on", "by", "against", "paper"], _figures(graph, results), "results")


def _statement_json(graph: Graph, s: Statement) -> dict[str, Any]:
    names = {"subject_name": graph.name(s.subject), "object_name": graph.name(s.object)}
    return {"id": s.id, **names, **to_json(s)}


@click.command(short_help="Explain a statement and its belief, or the names of an entity.")
@click.argument("what", metavar="STATEMENT|ENTITY")
@as_of_option
@graph_option
@json_option
def explain(what: str, as_of: str, directory: str, as_json: bool) -> None:
    """Explain a statement (by its id): its evidence and the arithmetic of its belief; or an entity
    (by name or key): which names it has, by which rule, and in which papers. What --min-confidence
    of `kg build` leaves out of the graph is told, too.

    \b
    Examples:
      kg explain 3f0c2a9d1b7e4c55
      kg explain BERT
    """
    with Ledger(directory) as ledger:
        least = least_of(ledger)
    whole = loaded(directory, as_of, min_confidence=0)
    matching = [s for key, s in whole.statements.items() if len(what) >= 6 and key.startswith(what)]
    if len(matching) == 1:
        _explain_statement(whole, matching[0], least, directory, as_json)
    elif matching:
        raise NotFoundError(f"{len(matching)} statements begin with {what!r}: give more digits")
    else:
        _explain_entity(whole, _entity(whole, what, "statement"), least, directory, as_json)


def _explain_statement(
    whole: Graph, s: Statement, least: float, directory: str, as_json: bool
) -> None:
    """Explain ``s`` of the graph from which nothing is left out."""
    graph = whole.at_least(least)
    stays = graph.statements.get(s.id)
    left_out = [e for e in s.evidence if stays is None or e not in stays.evidence]
    told = stays or s
    against = [
        b if a.id == s.id else a
        for a, b in graph.contradictions()
        if b is not None and s.id in (a.id, b.id)
    ]
    with Ledger(directory) as ledger:
        builds = {e.paper: ledger.extracted_by(e.paper) for e in s.evidence}
    decisions = _decisions(directory).about(s.subject, s.object, predicate=s.predicate)
    if as_json:
        print_json(
            _statement_json(whole, told)
            | {
                "in_graph": stays is not None,
                "min_confidence": least,
                "left_out": [to_json(e) for e in left_out],
                "decisions": [asdict(d) for d in decisions],
                "arithmetic": arithmetic(told.evidence, told.decision),
                "dates": {e.paper: whole.papers[e.paper].date for e in s.evidence},
                "builds": {paper: by[1] for paper, by in builds.items() if by},
                "contradicted_by": [other.id for other in against],
            }
        )
        return
    click.echo(f"{whole.name(s.subject)} {s.predicate} {whole.name(s.object)}")
    if stays is None:
        click.echo(_absent("statement", "no passage is", least))
    click.echo(arithmetic(told.evidence, told.decision))
    _print_decisions(decisions)
    if denying := sorted({e.paper for e in told.evidence if e.negated}):
        click.echo(f"contradiction: denied by {', '.join(denying)}")
    for other in against:
        click.echo(
            f"contradiction: {graph.name(other.subject)} {other.predicate} "
            f"{graph.name(other.object)} is stated, too ({other.id}, belief {other.belief:.2f})"
        )
    for e in s.evidence:
        state = " (denied)" if e.negated else " (hedged)" if e.hedged else ""
        if e in left_out:
            state += f" (left out: less than {least:g})"
        by = builds[e.paper]
        when = whole.papers[e.paper].date or "no date"
        click.echo(f"\n{e.paper} ({when}) {e.part} {e.start}–{e.end}, "
                   f"confidence {e.confidence:.2f}, {e.extractor}{state}"
                   f"{f', build {by[1]}' if by else ''}")  # fmt: skip
        click.echo(f"  {e.sentence}")


def _absent(what: str, why: str, least: float) -> str:
    return (
        f"this {what} is not in the graph: {why} of the confidence of {least:g} that it was built "
        "with (`kg build --min-confidence`)"
    )


def _explain_entity(
    whole: Graph, entity: Entity, least: float, directory: str, as_json: bool
) -> None:
    """Explain ``entity`` of the graph from which nothing is left out."""
    graph = whole.at_least(least)
    stays = entity.key in graph.entities
    shown = graph if stays else whole
    entity = shown.entities[entity.key]
    decisions = _decisions(directory).about(entity.key)
    papers: dict[str, set[str]] = {}
    for m in shown.mentions:
        if m.entity == entity.key:
            papers.setdefault(m.surface, set()).add(m.paper)
    left_out = _mentions(whole, entity) - _mentions(graph, entity)
    rules = dict(entity.merges)
    rows = [
        {"name": n, "rule": rules.get(n, "paper"), "papers": sorted(papers.get(n, ()))}
        for n in sorted(rules.keys() | papers.keys())
    ]
    if as_json:
        found = {"entity": to_json(entity), "in_graph": stays, "names": rows}
        found |= {"min_confidence": least, "mentions_left_out": left_out}
        print_json(found | {"decisions": [asdict(d) for d in decisions]})
        return
    if not stays:
        click.echo(_absent("entity", "nothing that names it is", least))
    elif left_out:
        click.echo(f"left out: {left_out} mentions of less confidence than {least:g}")
    _print_entity(shown, entity)
    print_rows(rows, False, "names")
    _print_decisions(decisions)


def _mentions(graph: Graph, entity: Entity) -> int:
    return sum(m.entity == entity.key for m in graph.mentions)


def _decisions(directory: str) -> Decisions:
    return read_decisions(Path(directory) / FILE)


def _print_decisions(decisions: list[Decision]) -> None:
    for d in decisions:
        said = ", ".join(part for part in (d.by and f"by {d.by}", d.why) if part)
        click.echo(f"decided in line {d.line}: {d}{f' ({said})' if said else ''}")
