"""``kg build`` and ``info``: make a graph directory, add to it, sum it up."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import click

from kg import directory as graphs
from kg.assemble.threshold import least_of
from kg.cli.options import (
    extractor_option,
    format_option,
    graph_option,
    min_confidence_option,
    workers_option,
)
from kg.cli.output import (
    json_option,
    print_json,
    print_rows,
    print_table,
    progress,
    tell,
    tell_problem,
)
from kg.errors import InputError
from kg.extract import DEFAULT
from kg.ledger import Ledger
from kg.ledger_records import OUTCOMES
from kg.resources import CORPUS

__all__ = ["build", "info"]

_SHOWN = 20
"""Problems that are listed one by one."""


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-o", "--output", "directory", default="graph", show_default=True,
              type=click.Path(file_okay=False), help="The graph directory.")  # fmt: skip
@click.option("--corpus", is_flag=True, help="Build the corpus that ships with sotagraph.")
@extractor_option
@format_option
@min_confidence_option
@workers_option
@json_option
def build(
    paths: tuple[str, ...],
    directory: str,
    corpus: bool,
    extractor: str | None,
    format: str | None,
    min_confidence: float | None,
    workers: int,
    as_json: bool,
) -> None:
    """Read abstracts, extract their facts, and assemble the graph.

    PATH is a file, a directory, a glob, or - for stdin: plain text (abstracts separated by blank
    lines), JSON lines, and the formats of `docs/formats.md`. Papers of earlier builds stay; run it
    again after it was stopped and it goes on.

    With --min-confidence, facts of which the extractor is less sure are left out of the graph, and
    of all that is made from it. The graph directory keeps them, and keeps the setting: give another
    one, with or without a PATH, to change it; 0 brings everything back.

    \b
    Examples:
      kg build --corpus
      kg build papers.jsonl more/ -o my-graph
      cat abstracts.txt | kg build -
      kg build --min-confidence 0.7
    """
    sources = [*paths, *([str(CORPUS)] if corpus else [])]
    if not sources and min_confidence is not None:
        _report(graphs.set_min_confidence(min_confidence, directory), as_json)
        return
    if not sources:
        raise InputError("nothing to build: name a PATH, or use --corpus for the shipped abstracts")
    with progress() as show:
        report = graphs.build(
            sources,
            directory,
            extractor=extractor or DEFAULT,
            workers=workers,
            format=format,
            min_confidence=min_confidence,
            progress=show,
            before=lambda plan: tell(f"kg: {plan}") if plan.outdated or plan.given else None,
        )
    _report(report, as_json)
    if report.problems:
        unread = all(position == 0 for _, position, _ in report.problems)
        raise SystemExit(2 if unread and not report.counts["papers"] else 1)


def _report(report: graphs.BuildReport, as_json: bool) -> None:
    for file, position, reason in report.problems[:_SHOWN]:
        tell_problem(file, position, reason)
    if len(report.problems) > _SHOWN:
        tell(
            f"kg: and {len(report.problems) - _SHOWN} more; `kg info --outcome rejected` lists them"
        )
    if report.clashes:
        file, position, reason = report.clashes[0]
        tell(
            f"kg: records left out, as another has their id: {len(report.clashes)}; the first is "
            f"{file}:{position} ({reason}): if it is another paper, give it an id of its own"
        )
    if report.gone:
        tell(f"kg: papers that left the graph, as their files no longer have them: {report.gone}")
    for problem in report.unmatched:
        tell(f"kg: {problem}")
    if as_json:
        data = {
            "directory": str(report.directory),
            "records_changed": report.records_changed,
            "gone": report.gone,
            "extracted": report.extracted,
            "given": report.given,
            "changed": report.changed,
            "min_confidence": report.min_confidence,
            "outcomes": report.outcomes,
            "problems": [{"file": f, "position": p, "reason": r} for f, p, r in report.problems],
            "clashes": [{"file": f, "position": p, "reason": r} for f, p, r in report.clashes],
            "unmatched": report.unmatched,
            **{name: n for name, n in report.counts.items() if name != "mentions"},
        }
        print_json(data)
    else:
        if report.outcomes:
            print_table(["records", ""], report.outcomes.items())
        counts = [(name, str(n)) for name, n in report.counts.items() if name != "mentions"]
        print_table(["graph", ""], [*counts, *_setting(report.min_confidence)])
        if not report.counts["papers"]:
            tell(f"no paper was read: the graph in {report.directory} is empty")
        elif not report.records_changed and not report.extracted and not report.changed:
            tell(f"nothing new: the graph in {report.directory} is up to date")
        else:
            place = report.directory
            new = f"papers extracted now: {report.extracted}; " if report.extracted else ""
            tell(f"{new}the graph is in {place}; ask it with `kg query -g {place}`")


def _setting(min_confidence: float) -> list[tuple[str, str]]:
    return [("min. confidence", f"{min_confidence:g}")] if min_confidence else []


@click.command()
@graph_option
@click.option("--records", is_flag=True, help="List every input record with its outcome.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="List the records of this outcome.")
@json_option
def info(directory: str, records: bool, outcome: str | None, as_json: bool) -> None:
    """Sum up a graph: its records by outcome, and what is in it.

    \b
    Examples:
      kg info --records
      kg info --outcome rejected
    """
    with Ledger(directory) as ledger:
        if records or outcome:
            rows = [
                {
                    "file": source.file,
                    "position": source.position,
                    "outcome": found,
                    "reason": reason,
                    "notes": notes,
                }
                for source, found, reason, notes in ledger.records(outcome)
            ]
            print_rows(rows, as_json)
            return
        outcomes = ledger.outcomes()
        builds = ledger.builds()
        least = least_of(ledger)
    whole = graphs.load(directory, min_confidence=0)
    graph = whole.at_least(least)
    unmatched = graphs.unmatched(directory)
    for problem in unmatched:
        tell(f"kg: {problem}")
    counts = graph.counts()
    left_out = {name: n - counts[name] for name, n in whole.counts().items() if name != "papers"}
    types = Counter(e.type for e in graph.entities.values())
    predicates = Counter(s.predicate for s in graph.statements.values())
    contradictions = sum(1 for _ in graph.contradictions())
    if as_json:
        print_json(
            {
                "directory": directory,
                "records": outcomes,
                "counts": counts,
                "min_confidence": least,
                "left_out": left_out,
                "entities": dict(sorted(types.items())),
                "statements": dict(sorted(predicates.items())),
                "contradictions": contradictions,
                "builds": [asdict(b) for b in builds],
                "unmatched_decisions": unmatched,
            }
        )
        return
    print_table(["records", ""], outcomes.items())
    print_table(["graph", ""], [*((name, str(n)) for name, n in counts.items()), *_setting(least)])
    if least:
        print_table([f"left out, of less confidence than {least:g}", ""], left_out.items())
    print_table(["entities", ""], types.most_common())
    print_table(["statements", ""], [*predicates.most_common(), ("contradictions", contradictions)])
    print_table(
        ["build", "finished", "extracted", "extractor"],
        ((b.number, b.finished or "killed", b.extracted, b.extractor) for b in builds[-5:]),
    )
