"""``kg resolve``, ``review``, ``diff``, ``remove``: judge and change what a graph holds."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kg import directory as graphs
from kg.assemble.compare import Verdict, compare
from kg.assemble.decision_file import entries
from kg.assemble.decisions import FILE
from kg.assemble.review import review as find_cases
from kg.assemble.review import to_yaml
from kg.cli.options import graph_option, read_text
from kg.cli.output import json_option, print_json, print_rows, print_table, tell, with_unit
from kg.difference import diff as compare_graphs
from kg.errors import InputError
from kg.graph import Graph
from kg.project.json_lines import read_json
from kg.read.text import counted
from kg.records import Result, Statement

__all__ = ["diff", "remove", "resolve", "review"]


@click.command(short_help="Say whether two names mean one thing, and by which rule.")
@click.argument("names", nargs=-1, metavar="[NAME NAME]")
@click.option(
    "--pairs", metavar="FILE", help="A file with two names a line, a tab between; - is stdin."
)
@json_option
def resolve(names: tuple[str, ...], pairs: str | None, as_json: bool) -> None:
    """Say whether two names mean one thing: same, different or unsure, and by which rule.

    No graph is needed. With --pairs, each line of FILE is answered by a line: the two names, the
    answer, the rule; further columns are passed over.

    \b
    Examples:
      kg resolve "Llama 3.1" LLaMA-3.1
      kg resolve --pairs names.tsv
    """
    if pairs is None:
        if len(names) != 2:
            raise click.UsageError("give two names, or --pairs FILE")
        print_rows([_answer(*names)], as_json)
        return
    if names:
        raise click.UsageError("give two names or --pairs FILE, not both")
    answers = [_answer(a, b) for a, b in _pairs(pairs)]
    if as_json:
        print_json(answers)
        return
    for row in answers:
        click.echo("\t".join(row.values()))


def _answer(a: str, b: str) -> dict[str, str]:
    verdict: Verdict = compare(a, b)
    return {"name": a, "other": b, "answer": verdict.answer, "rule": verdict.rule}


def _pairs(file: str) -> list[tuple[str, str]]:
    out = []
    for number, line in enumerate(read_text(file).split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        first, tab, rest = line.partition("\t")
        if not tab:
            raise InputError(f"{file}:{number}: two names with a tab between are expected")
        out.append((first, rest.partition("\t")[0]))
    return out


@click.command(short_help="List what is doubtful, for a person to decide.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True,
              help="Cases of each kind.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the cases; write nothing.")
@graph_option
@json_option
def review(directory: str, limit: int, dry_run: bool, as_json: bool) -> None:
    """List what is doubtful, for a person to decide: near names that were not merged, names of
    mixed types, contradictions, statements of low belief.

    The cases are added to decisions.yaml in the graph directory. Uncomment an option of a case to
    decide it, or write decisions of your own there: merge, split, retype, rename, reject, accept.
    They are applied at every build and query, and survive every rebuild. With --json, the cases are
    printed and nothing is written.

    \b
    Example:
      kg review --limit 5
    """
    path = Path(directory) / FILE
    graph = graphs.load(directory)
    written = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    cases = find_cases(graph, entries(written, str(path)), limit)
    if as_json:
        print_json([asdict(c) for c in cases])
    elif dry_run:
        click.echo(to_yaml(cases), nl=False)
    elif not cases:
        tell("nothing doubtful that is not asked or decided already")
    else:
        text = to_yaml(cases, header=not written)
        _replace(path, f"{written.rstrip()}\n\n{text}" if written else text)
        tell(f"{len(cases)} cases are in {path}: uncomment an option of each that you decide")


def _replace(path: Path, text: str) -> None:
    place = path.resolve()  # a link to where the decisions are kept stays one
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(place)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; see --dry-run") from error
    finally:
        with suppress(OSError):
            part.unlink()


@click.command(short_help="Say what changed between two graphs.")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@json_option
def diff(before: str, after: str, as_json: bool) -> None:
    """Say what changed between two graphs: directories, or files that `kg export jsonl` wrote.

    \b
    Examples:
      kg diff graph-june graph-july
      kg diff yesterday.jsonl graph --json
    """
    old, new = _graph(before), _graph(after)
    found = compare_graphs(old, new)
    if as_json:
        print_json(found.to_json())
        return
    if not found:
        tell("no difference")
        return
    counts = [(name.replace("_", " "), len(getattr(found, name))) for name in found.__slots__]
    print_table(["difference", ""], [c for c in counts if c[1]])
    rows: list[tuple[str, ...]] = []
    rows += [("+", "entity", f"{e.name} ({e.type})", "") for e in found.entities_new]
    rows += [("-", "entity", f"{e.name} ({e.type})", "") for e in found.entities_gone]
    rows += [
        ("~", "entity", f"{a.name} ({a.type})", f"now {b.name} ({b.type})")
        for a, b in found.entities_changed
    ]
    rows += [("+", "statement", _said(new, s), f"{s.belief:.2f}") for s in found.statements_new]
    rows += [("-", "statement", _said(old, s), f"{s.belief:.2f}") for s in found.statements_gone]
    rows += [
        ("~", "statement", _said(new, b), f"{a.belief:.2f} → {b.belief:.2f}")
        for a, b in found.statements_changed
    ]
    rows += [("+", "result", _figure(new, r), r.paper) for r in found.results_new]
    rows += [("-", "result", _figure(old, r), r.paper) for r in found.results_gone]
    print_table(["", "what", "which", "belief, paper"], rows)


def _graph(place: str) -> Graph:
    if not os.path.isfile(place):  # noqa: PTH113  (takes any text)
        return graphs.load(place)
    try:
        with Path(place).open("rb") as lines:
            return read_json(lines)
    except OSError as error:
        raise InputError(f"cannot read {place}: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _said(graph: Graph, s: Statement) -> str:
    return f"{graph.name(s.subject)} {s.predicate} {graph.name(s.object)}"


def _figure(graph: Graph, r: Result) -> str:
    names: list[Any] = [graph.name(k) for k in (r.subject, r.benchmark, r.metric) if k]
    figure = next(f for f in (r.value, r.delta, r.baseline_value) if f is not None)
    return f"{' · '.join(names)} {with_unit(figure, r.unit)}"


@click.command(short_help="Remove papers, and exactly what only they said.")
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--file", "files", multiple=True, metavar="FILE", help="All papers that only this "
              "file has, or the files of this directory or archive.")  # fmt: skip
@graph_option
@json_option
def remove(papers: tuple[str, ...], files: tuple[str, ...], directory: str, as_json: bool) -> None:
    """Remove papers, by their ids or by the file that they were read from, and exactly what only
    they said, from the graph.

    They come back when a file that has them is built again.

    \b
    Examples:
      kg remove 1810.04805
      kg remove --file old/papers.jsonl
    """
    if not papers and not files:
        raise click.UsageError("name a PAPER by its id, or give --file FILE")
    report = graphs.remove(papers, directory, files=files)
    waiting = report.outcomes.get("read", 0)
    if as_json:
        counts = {"records": report.records_changed, "waiting": waiting, **report.counts}
        print_json({"removed": papers, "files": files, **counts})
        return
    what = ", ".join([*papers, *files])
    tell(f"removed {what}; the graph now has {counted(report.counts['papers'], 'paper')}")
    if waiting:
        tell(f"kg: papers that wait for extraction: {waiting}; the next `kg build PATH` does them")
