"""``kg export``, ``extract``, ``evaluate``: from and to files."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from click.core import ParameterSource

from kg import extract as extraction
from kg.assemble.threshold import extraction_at_least
from kg.cli.options import (
    as_of_option,
    extractor_option,
    format_option,
    graph_option,
    loaded,
    min_confidence_option,
    workers_option,
)
from kg.cli.output import json_option, print_json, print_table, progress, tell, tell_problem
from kg.errors import InputError
from kg.evaluate import score
from kg.evaluate.documents import read_documents
from kg.evaluate.errors import error_kinds, reliability
from kg.evaluate.page import page
from kg.evaluate.score import Document
from kg.extract.gold_form import to_gold
from kg.extract.parallel import extract_chunks
from kg.formats import FORMATS, write
from kg.ledger_rows import source_of
from kg.read import Rejected, read
from kg.records import Paper
from kg.schema import ID_BASE

__all__ = ["evaluate", "export", "extract"]


@click.command(short_help="Write the graph as RDF, GraphML, JSON lines or tables.")
@click.argument("format", type=click.Choice(sorted(FORMATS)), metavar="FORMAT")
@click.option("-o", "--output", type=click.Path(dir_okay=True), default="-",
              help="File (directory for csv) to write.  [default: stdout]")  # fmt: skip
@click.option("--base", default=ID_BASE, show_default=True,
              help="What the IRIs of papers and entities begin with (RDF).")  # fmt: skip
@as_of_option
@graph_option
def export(format: str, output: str, base: str, as_of: str, directory: str) -> None:
    """Write the graph in FORMAT: turtle, ntriples, jsonld, trig, nquads (RDF), graphml (networkx,
    Gephi), jsonl (all records), csv or tsv (one table a file, into a directory).

    \b
    Examples:
      kg export turtle > graph.ttl
      kg export csv -o tables
      kg export jsonl --as-of 2023-06 -o june-2023.jsonl
    """
    write(loaded(directory, as_of), format, output, base=base)


@click.command(short_help="Extract from abstracts without building a graph.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@extractor_option
@format_option
@min_confidence_option
@workers_option
@click.option("--engine", type=click.Choice(["processes", "ray"]), default="processes",
              show_default=True, help="What runs the extraction. `ray` writes Parquet; it needs "
              "`pip install 'sotagraph[ray]'`.")  # fmt: skip
@click.option("-o", "--output", metavar="DIRECTORY", type=click.Path(file_okay=False),
              help="Where `--engine ray` writes one Parquet file for each input file.")  # fmt: skip
def extract(
    paths: tuple[str, ...], extractor: str | None, format: str | None,
    min_confidence: float | None, workers: int, engine: str, output: str | None,
) -> None:  # fmt: skip
    """Extract from abstracts without building a graph: one JSON line a paper, in the form of the
    gold files, with offsets.

    With `--engine ray` many files are shared out among the processes of Ray on this machine, or
    among the machines of the cluster that RAY_ADDRESS names, and become Parquet, which `kg build`
    assembles; see `docs/scale.md`. Run it again after it was stopped and it goes on.

    \b
    Examples:
      kg extract papers.jsonl > extracted.jsonl
      kg extract parts/ --engine ray -o extracted
    """
    if (engine == "ray") != (output is not None):
        raise InputError("--engine ray and -o DIRECTORY go together; without them, use > FILE")
    if output is not None:
        if min_confidence is not None:
            raise InputError("Parquet keeps everything; give --min-confidence to `kg build`")
        given = click.get_current_context().get_parameter_source("workers")
        own = given is not ParameterSource.DEFAULT or not os.environ.get("RAY_ADDRESS")
        _extract_on_ray(paths, output, extractor, format, workers if own else None)
        return
    rejected: list[Rejected] = []

    def papers() -> Iterator[Paper]:
        for item in read(paths, format=format):
            if isinstance(item, Rejected):
                rejected.append(item)
                tell_problem(item.source.file, item.source.position, item.reason)
            elif item.withdrawn:
                source = source_of(item)
                tell_problem(
                    source.file, source.position, f"{item.paper.id} is withdrawn; left out"
                )
            else:
                yield item.paper

    name = extractor or extraction.DEFAULT
    done = 0
    with progress() as show:
        for pairs in extract_chunks(papers(), extraction.load(name), name, workers):
            for paper, found in pairs:
                sure = extraction_at_least(found, min_confidence or 0.0)
                click.echo(json.dumps(to_gold(paper, sure), ensure_ascii=False))
            done += len(pairs)
            show("extract", done, None)
    if problems := [r for r in rejected if r.kind != "empty"]:
        unread = all(r.source.position == 0 for r in problems)
        raise SystemExit(2 if unread and not done else 1)


def _extract_on_ray(
    paths: tuple[str, ...], output: str, extractor: str | None, format: str | None,
    workers: int | None,
) -> None:  # fmt: skip
    from kg.extract.on_ray import extract_to_parquet

    with progress() as show:
        report = extract_to_parquet(
            paths,
            output,
            extractor=extractor or extraction.DEFAULT,
            workers=workers,
            format=format,
            progress=show,
        )
    for outcome in report.files:
        for file, position, reason in outcome.problems:
            tell_problem(file, position, reason)
        if outcome.rejected > len(outcome.problems):
            tell(f"kg: {outcome.file}: and {outcome.rejected - len(outcome.problems)} more")
        if outcome.failure:
            tell(f"kg: {outcome.file}: NOT DONE: {outcome.failure}")
    kept = sum(f.kept for f in report.files)
    done = len(report.files) - len(report.failed)
    tell(
        f"{report.papers} papers of {done} files are in {output}"
        + (f", {kept} files from before" if kept else "")
        + f"; assemble them with `kg build {output}`"
    )
    if report.failed:
        tell(f"kg: {len(report.failed)} files were not done; run the same command again")
    if report.failed or any(f.rejected for f in report.files):
        raise SystemExit(1)


@click.command(short_help="Score the extractor against annotated papers.")
@click.argument("gold", type=click.Path(exists=True, dir_okay=False))
@click.argument("predicted", type=click.Path(exists=True, dir_okay=False), required=False)
@extractor_option
@min_confidence_option
@click.option("--html", type=click.Path(dir_okay=False), help="Write a page that shows the errors.")
@click.option("--errors", is_flag=True, help="Count the errors by kind.")
@json_option
def evaluate(
    gold: str, predicted: str | None, extractor: str | None, min_confidence: float | None,
    html: str | None, errors: bool, as_json: bool,
) -> None:  # fmt: skip
    """Score the extractor (or the extractions in PREDICTED) against the annotations in GOLD.

    Beside each F1 stands where it lies in 95 % of 1000 draws of as many of the papers, with
    replacement: differences smaller than that may be chance.

    \b
    Examples:
      kg evaluate dev.jsonl
      kg evaluate dev.jsonl --html errors.html --errors
      kg evaluate dev.jsonl --min-confidence 0.6
    """
    from kg.evaluate.spread import spread  # here, as it imports numpy

    if predicted and min_confidence is not None:
        raise InputError("--min-confidence is for the extractor, not for PREDICTED")
    documents = read_documents(gold)
    if predicted:
        found = read_documents(predicted)
    else:
        if without := next((d["id"] for d in documents if not d.get("text")), None):
            raise InputError(
                f"{gold}: the paper {without!r} has no `text`; add it or give PREDICTED"
            )
        found = list(_extracted(documents, extractor, min_confidence or 0.0))
    counts = score(documents, found)
    around = spread(documents, found)
    bins = reliability(documents, found)
    kinds = error_kinds(documents, found) if errors else {}
    if html:
        try:
            Path(html).write_text(page(documents, found), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {html}: {error.strerror}") from error
        tell(f"wrote {html}")
    if as_json:
        print_json(
            {
                "scores": {
                    name: c.to_json() | {"f1_interval": [round(x, 4) for x in around[name]]}
                    for name, c in counts.items()
                },
                "reliability": [asdict(b) for b in bins],
                "errors": kinds,
            }
        )
        return
    print_table(
        ["", "precision", "recall", "F1", "95 % of draws", "gold", "predicted"],
        (
            (
                name,
                *(f"{x:.3f}" for x in (c.precision, c.recall, c.f1)),
                "{:.3f}–{:.3f}".format(*around[name]),
                c.gold,
                c.predicted,
            )
            for name, c in counts.items()
        ),
    )
    print_table(
        ["kind", "confidence", "facts", "mean confidence", "right"],
        (
            (b.kind, f"{b.low:g}–{b.high:g}", b.count, f"{b.confidence:.2f}", f"{b.precision:.2f}")
            for b in bins
        ),
        "reliability",
    )
    if kinds:
        print_table(["error", "count"], Counter(kinds).most_common())


def _extracted(
    documents: list[Document], extractor: str | None, least: float
) -> Iterator[Document]:
    engine = extraction.load(extractor or extraction.DEFAULT)
    papers = [Paper(d["id"], d["text"]) for d in documents]
    with progress() as show:
        for done, paper in enumerate(papers, 1):
            yield to_gold(paper, extraction_at_least(engine.extract(paper), least))
            show("extract", done, len(papers))
