"""Tables: the rows say what the graph says, and CSV, TSV and JSON lines are read back equal."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from nasty import SEEN_TO_BREAK, graphs

from kg.errors import InputError
from kg.graph import Graph
from kg.project.characters import carriable
from kg.project.json_lines import read_json, write_json
from kg.project.tables import COLUMNS, to_pandas, to_tables, write_table, write_tables
from kg.records import Entity


def dump(graph: Graph) -> bytes:
    out = io.BytesIO()
    write_json(graph, out)
    return out.getvalue()


def same(one: Graph, two: Graph) -> bool:
    return all(
        getattr(one, name) == getattr(two, name)
        for name in ("papers", "entities", "mentions", "statements", "results")
    )


def cells(graph: Graph, table: str, delimiter: str = ",") -> list[dict[str, str]]:
    out = io.BytesIO()
    write_table(graph, table, out, delimiter=delimiter)
    text = out.getvalue().decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_the_tables_of_the_sample(sample: Graph) -> None:
    tables = to_tables(sample)
    assert {name: len(rows) for name, rows in tables.items()} == {
        "papers": 4,
        "entities": 9,
        "mentions": 17,
        "statements": 8,
        "evidence": 9,
        "results": 1,
    }
    for name, rows in tables.items():
        assert all(tuple(row) == COLUMNS[name] or set(row) == set(COLUMNS[name]) for row in rows)
    improves = next(
        row
        for row in tables["statements"]
        if row["predicate"] == "improves-over" and row["subject"] == "method/alphanet"
    )
    assert improves["subject_name"] == "AlphaNet"
    assert improves["object_name"] == "BERT"
    assert (improves["papers"], improves["belief"], improves["asserted"]) == (2, 0.98, True)
    (study,) = (r for r in tables["statements"] if r["subject"].startswith("paper/"))
    assert study["subject_name"].startswith("A study of parsing on GLUE.")
    evidence = [r for r in tables["evidence"] if r["statement"] == improves["id"]]
    assert [r["paper"] for r in evidence] == ["2101.00001", "doi:10.1/a b<c>"]
    (result,) = tables["results"]
    assert (result["value"], result["baseline_value"], result["delta"]) == (91.5, None, 2.5)


def test_every_key_of_a_table_is_in_the_table_it_points_to(sample: Graph) -> None:
    tables = to_tables(sample)
    papers = {row["id"] for row in tables["papers"]}
    entities = {row["key"] for row in tables["entities"]}
    statements = {row["id"] for row in tables["statements"]}
    assert {r["paper"] for n in ("mentions", "evidence", "results") for r in tables[n]} <= papers
    assert {r["entity"] for r in tables["mentions"]} <= entities
    assert {r["object"] for r in tables["statements"]} <= entities
    assert {r["statement"] for r in tables["evidence"]} == statements


def test_data_frames_have_the_columns_even_without_rows(sample: Graph) -> None:
    for frames in (to_pandas(sample), to_pandas(Graph())):
        assert {name: tuple(f.columns) for name, f in frames.items()} == COLUMNS
    frame = to_pandas(sample)["statements"]
    assert frame.groupby("predicate").size()["improves-over"] == 2
    assert isinstance(frame, pd.DataFrame)


def test_without_pandas_the_message_says_what_to_install(
    sample: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pip install 'sotagraph\[pandas\]'"):
        to_pandas(sample)


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("name", SEEN_TO_BREAK)
def test_a_name_is_read_back_equal(name: str, delimiter: str) -> None:
    graph = Graph(entities=[Entity("method/a", name, "Method", (name, "b"))])
    (row,) = cells(graph, "entities", delimiter)
    assert row["name"] == carriable(name)
    assert json.loads(row["names"]) == [carriable(name), "b"]


@pytest.mark.parametrize("delimiter", [",", "\t"])
@given(graph=graphs())
@settings(max_examples=20, deadline=None)
def test_every_cell_is_read_back_equal(graph: Graph, delimiter: str) -> None:
    for name, rows in to_tables(graph).items():
        read = cells(graph, name, delimiter)
        assert len(read) == len(rows)
        for row, got in zip(rows, read, strict=True):
            for column, value in row.items():
                if isinstance(value, list):
                    assert json.loads(got[column]) == [carriable(v) for v in value]
                elif isinstance(value, bool):
                    assert got[column] == str(value).lower()
                elif isinstance(value, float):
                    assert float(got[column]) == value
                else:
                    assert got[column] == carriable("" if value is None else str(value))


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_a_folder_of_tables(sample: Graph, tmp_path: Path, format: str) -> None:
    paths = write_tables(sample, tmp_path / "new" / "folder", format)
    assert [p.name for p in paths] == [f"{name}.{format}" for name in COLUMNS]
    frame = pd.read_csv(paths[1], sep="," if format == "csv" else "\t")
    assert list(frame["name"]) == [e.name for e in sample.entities.values()]
    again = [p.read_bytes() for p in paths]
    assert [p.read_bytes() for p in write_tables(sample, paths[0].parent, format)] == again


def test_unknown_tables_and_formats_are_refused(sample: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="papers"):
        write_table(sample, "authors", io.BytesIO())
    with pytest.raises(InputError, match="tsv"):
        write_tables(sample, tmp_path, "xlsx")


def test_json_lines_come_back_the_same(sample: Graph) -> None:
    data = dump(sample)
    again = read_json(io.BytesIO(data))
    assert same(again, sample)
    assert dump(again) == data
    kinds = [json.loads(line)["record"] for line in data.splitlines()]
    assert [k for i, k in enumerate(kinds) if k not in kinds[:i]] == [
        "paper",
        "entity",
        "mention",
        "statement",
        "result",
    ]


@given(graph=graphs())
@settings(max_examples=30, deadline=None)
def test_json_lines_of_any_graph_come_back_the_same(graph: Graph) -> None:
    data = dump(graph)
    again = read_json(data.split(b"\n"))
    assert dump(again) == data
    assert again.papers == graph.papers
    assert again.entities == graph.entities
    assert again.statements.keys() == graph.statements.keys()
    assert len(data.splitlines()) == sum(
        map(len, (graph.papers, graph.entities, graph.mentions, graph.statements, graph.results))
    )


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"7",
        b"{}",
        b'{"record": "thing"}',
        b"[" * 100_000,
        b'{"record": ["paper"]}',
        b'{"record": "paper"}',
        b'{"record": "paper", "id": "x", "text": "t", "colour": "red"}',
        b'{"record": "paper", "id": "", "text": "t"}',
        b'{"record": "entity", "key": "k", "name": "n", "type": "Person"}',
        b"\xff\xfe",
    ],
)
def test_a_line_that_is_no_record_is_named(sample: Graph, line: bytes) -> None:
    first = dump(sample).splitlines()[0]
    with pytest.raises(InputError, match="line 3 "):
        read_json([first, b"\n", line])
