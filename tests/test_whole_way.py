"""Kinds of input that broke tools of this kind, from the file to every output."""

from __future__ import annotations

import gc
import io
import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx
import numpy
import pandas
import pytest
import rdflib
from click.testing import CliRunner

import kg
from kg import extract
from kg.cli import cli
from kg.formats import FORMATS
from kg.json_form import from_json, to_json
from kg.ledger import Ledger
from kg.project.json_lines import read_json, write_json
from kg.project.layout import NODES, RELATIONSHIPS
from kg.project.rows import node_rows, relationship_rows
from kg.read import Read, read
from kg.records import Entity, Evidence, Mention, Paper, Result, Statement
from kg.resources import share

# rdflib's parsers use what rdflib itself calls deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Dataset.default_context:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning"),
]

NAMES = {
    "backtick": "`SCHEMA`Net",
    "apostrophe": "Crohn's-BERT",
    "quotes": '"Wick"Net',
    "backslash": "Lantern\\Net",
    "brackets": "[MASK]Net",
    "angle": "<unk>Net",
    "caret": "C^3Net",
    "bar": "A|BNet",
    "braces": "{x}Net",
    "hash": "C#Net",
    "percent": "50%Net",
    "tab": "Lan\tNet",
    "control": "Lan\x0ctern\x00Net \x1b[31mWick",
    "surrogate": "Lan\ud800Net",
    "noncharacter": "Lan\uffffNet",
    "combining": "Cafe\u0301Net",
    "right to left": "שלוםNet",
    "emoji": "\U0001f600Net",
    "digit": "2d-conv",
    "formula": "=1+1Net",
    "cypher": "X`) DETACH DELETE n //",
}


def test_names_go_into_every_output_and_back(tmp_path: Path) -> None:
    records = [
        {
            "id": f"{kind} {name}",
            "title": f"{name}: a parser",
            "abstract": f"We introduce {name}, which outperforms BERT on GLUE by 2% ({kind}).",
            "authors": [name],
            "venue": name,
        }
        for kind, name in NAMES.items()
    ]
    source = tmp_path / "papers.jsonl"
    source.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    graph = kg.build([source], tmp_path / "graph", extractor="patterns").graph
    assert len(graph.papers) == len(NAMES)
    assert {p.id.split()[0] for p in graph.papers.values()} == {k.split()[0] for k in NAMES}
    assert len(graph.statements) > len(NAMES) / 2
    for format in FORMATS:
        kg.export(graph, format, tmp_path / format)
    with (tmp_path / "jsonl").open("rb") as lines:
        assert read_json(lines) == graph
    triples = graph.to_rdflib()
    for format, parser in (("turtle", "turtle"), ("ntriples", "nt"), ("jsonld", "json-ld")):
        assert set(rdflib.Graph().parse(tmp_path / format, format=parser)) == set(triples), format
    assert rdflib.Graph().parse(data=triples.serialize(format="xml"), format="xml")
    graphml = networkx.read_graphml(tmp_path / "graphml", force_multigraph=True)
    assert graphml.nodes.keys() == graph.to_networkx().nodes.keys()
    table = pandas.read_csv(tmp_path / "csv" / "papers.csv", keep_default_na=False)
    assert table["title"].tolist() == [p.title for p in graph.papers.values()]
    for entity in graph.entities.values():
        rows = graph.cypher("MATCH (e:Entity) WHERE e.name = $name RETURN e.key", name=entity.name)
        assert entity.key in {row["e.key"] for row in rows}, entity.name


def test_what_is_repaired_is_counted_in_the_ledger(tmp_path: Path) -> None:
    source = tmp_path / "papers.jsonl"
    texts = ["A\x0cB\x1b[0m parser.", "BERT \ud800 model.", "A $\beta$-VAE.", "Plain."]
    source.write_text("\n".join(json.dumps({"text": t}) for t in texts), encoding="utf-8")
    done = CliRunner().invoke(
        cli, ["build", str(source), "-o", str(tmp_path / "g"), "--extractor", "patterns"]
    )
    assert done.exit_code == 0, done.output
    with Ledger(tmp_path / "g") as ledger:
        notes = [row[3] for row in ledger.records()]
    assert ["control" in str(n) for n in notes] == [True, False, False, False]
    assert ["U+FFFD" in str(n) for n in notes] == [False, True, False, False]
    assert ["LaTeX" in str(n) for n in notes] == [False, False, True, False]


LATEX = (
    *("alpha", "beta", "boldsymbol", "bar", "binom", "bf", "frac", "forall", "flat", "times"),
    *("theta", "tau", "text", "tilde", "textbf", "textit", "to", "nabla", "nu", "neq", "notin"),
    *("rho", "rightarrow", "rm", "sigma", "mathcal", "sqrt", "pm", "epsilon", "lambda", "omega"),
    *("hat", "ell", "infty"),
)  # fmt: skip


@pytest.mark.parametrize("command", LATEX)
def test_latex_whose_backslash_was_not_escaped_comes_back(command: str) -> None:
    text = f"We study $\\{command}$-nets and $x \\{command} y$ here."
    raw = '{"text": "' + text + '"}\n'
    (item,) = read(["-"], stdin=io.BytesIO(raw.encode()), format="jsonl")
    assert isinstance(item, Read)
    assert item.paper.text == text
    (item,) = read(["-"], stdin=io.BytesIO(json.dumps({"text": text}).encode()))
    assert isinstance(item, Read)
    assert item.paper.text == text
    assert not item.notes


OFFLINE = """
import io, socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("the network is used")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import rdflib
import kg
from kg.project.rdf_files import write
report = kg.build([sys.argv[1]], sys.argv[2], extractor=sys.argv[3])
out = io.BytesIO()
write(report.graph, "jsonld", out)
assert len(rdflib.Graph().parse(data=out.getvalue(), format="json-ld")) > 10
print(report.counts["entities"])
"""


@pytest.mark.parametrize("extractor", ["model", "patterns"])
def test_nothing_uses_the_network(extractor: str, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("We introduce FooNet, which outperforms BERT on GLUE.", encoding="utf-8")
    command = [sys.executable, "-c", OFFLINE, source, tmp_path / "g", extractor]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 2


def test_extraction_holds_no_memory_of_what_it_has_read() -> None:
    engine = extract.load("patterns")

    def papers(first: int, last: int) -> list[Paper]:
        return [
            Paper(str(n), f"We introduce Foo{n}Net, which outperforms Bar{n}BERT on Baz{n}QA.")
            for n in range(first, last)
        ]

    def held(first: int, last: int) -> int:
        before = tracemalloc.get_traced_memory()[0]
        for _ in engine.pipe(papers(first, last)):
            pass
        re.purge()  # what Python keeps, which is bounded
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before

    tracemalloc.start()
    try:
        held(0, 20)  # what is loaded or kept once
        # A paper, its words and records take some 5 kB, so 100 kB for 20; what is remembered of
        # words is bounded, and takes 1 kB for the new words of one.
        assert min(held(20, 40), held(40, 60)) < 50_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("extractor", ["model", "patterns"])
def test_figures_are_plain_numbers(extractor: str) -> None:
    text = "We introduce FooNet. FooNet outperforms BERT on GLUE by 2.5% accuracy."
    found = extract.load(extractor).extract(Paper("p", text))
    assert found.statements
    numbers = [m.confidence for m in found.mentions] + [e.confidence for e in found.entities]
    numbers += [e.confidence for s in found.statements for e in s.evidence]
    numbers += [v for r in found.results for v in (r.value, r.delta, r.confidence) if v is not None]
    assert {type(n) for n in numbers} == {float}
    assert {type(n) for m in found.mentions for n in (m.start, m.end)} == {int}


@pytest.mark.parametrize("number", [numpy.float32, numpy.float64, numpy.float16, numpy.int64])
def test_numbers_of_numpy_go_into_every_output(number: Callable[[float], float]) -> None:
    text = "FooNet reaches 1 on GLUE."
    one = number(1)
    span = ("p", "text", 0, len(text), text)
    evidence = Evidence(*span, one, "rule:x@1")  # type: ignore[arg-type]
    graph = kg.Graph(
        [Paper("p", text)],
        [
            Entity("method/foonet", "FooNet", "Method", ("FooNet",), confidence=one),
            Entity("data/glue", "GLUE", "Benchmark", ("GLUE",)),
        ],
        [Mention("p", "text", 0, 6, "FooNet", "Method", "method/foonet", one, "rule:x@1")],
        [Statement("method/foonet", "evaluates-on", "data/glue", (evidence,), one)],
        [Result(*span, "method/foonet", "data/glue", value=one)],  # type: ignore[arg-type]
    )
    for kind in (*NODES, *RELATIONSHIPS):
        rows = node_rows(graph, kind) if kind in NODES else relationship_rows(graph, kind)  # type: ignore[arg-type]
        json.dumps([row.properties for row in rows])
    out = io.BytesIO()
    write_json(graph, out)
    again = read_json(io.BytesIO(out.getvalue()))
    assert [r.value for r in again.results.values()] == [1.0]
    assert graph.to_rdflib()
    assert graph.cypher("MATCH (r:Result) RETURN r.value")[0]["r.value"] == 1.0


@pytest.mark.parametrize("field", ["key", "name"])
def test_an_entity_without_a_name_is_no_entity(field: str) -> None:
    entity = Entity("method/foonet", "FooNet", "Method")
    with pytest.raises(ValueError, match="needs a key and a name"):
        replace(entity, **{field: ""})


@pytest.mark.parametrize("word", ["X`) DETACH DELETE n //", "Method\tX", "method", "", "Method:Y"])
def test_types_and_predicates_come_from_the_schema_alone(word: str) -> None:
    entity = Entity("method/foonet", "FooNet", "Method")
    with pytest.raises(ValueError, match="unknown entity type"):
        replace(entity, type=word)
    with pytest.raises(ValueError, match="unknown entity type"):
        from_json(Entity, {**to_json(entity), "type": word})
    evidence = Evidence("p", "text", 0, 1, "x", 1.0, "rule:x@1")
    for predicate in (word, "outperforms-on", "IMPROVES_OVER"):
        with pytest.raises(ValueError, match="unknown predicate"):
            Statement("a", predicate, "b", (evidence,))


def test_shapes_are_core_shacl_so_that_checking_takes_time_in_proportion() -> None:
    shapes = (share("schemas") / "shapes.ttl").read_text(encoding="utf-8")
    assert not re.search(r"sh:(?:sparql|rule|js|select|ask)\b", shapes)
