"""The generated files are current, the same in every process, and describe what is written."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import rdflib
from hypothesis import given, settings
from nasty import graphs
from rdflib.compare import isomorphic

from kg import generate
from kg.graph import Graph
from kg.json_form import to_json
from kg.project.json_lines import write_json
from kg.project.json_schema import extraction_schema, records_schema
from kg.project.ontology import context, ontology
from kg.project.shapes import shapes
from kg.resources import share

GOLD = Path(__file__).parents[2] / "shared" / "gold" / "dev.jsonl"


def lines(graph: Graph) -> list[dict[str, Any]]:
    out = io.BytesIO()
    write_json(graph, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_committed_files_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_an_outdated_file_is_named_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in generate.FILES:
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(generate, "share", lambda name: tmp_path / name)
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "schemas" / "shapes.ttl").write_text("old", "utf-8")
    (tmp_path / "cypher" / "style.grass").unlink()
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    out = capsys.readouterr().out
    assert "schemas/shapes.ttl: outdated" in out
    assert "cypher/style.grass: outdated" in out
    assert len(out.splitlines()) == 2
    assert (tmp_path / "schemas" / "shapes.ttl").read_text("utf-8") == "old"


def test_the_files_do_not_depend_on_the_hash_seed() -> None:
    for seed in ("1", "22"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-m", "kg.generate", "--check"], env=env, capture_output=True
        )
        assert run.returncode == 0, run.stdout


def test_the_turtle_files_are_the_graphs() -> None:
    for name, graph in (("ontology.ttl", ontology()), ("shapes.ttl", shapes())):
        assert isomorphic(rdflib.Graph().parse(share("schemas") / name), graph)
    data = json.loads((share("schemas") / "context.jsonld").read_text("utf-8"))
    assert data == {"@context": context()}


def test_the_json_schemas_are_schemas() -> None:
    for schema in (records_schema(), extraction_schema()):
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_records_of_the_sample_fit_the_schema(sample: Graph) -> None:
    validator = jsonschema.Draft202012Validator(records_schema())
    for line in lines(sample):
        validator.validate(line)


@given(graph=graphs())
@settings(max_examples=15, deadline=None)
def test_every_record_that_can_be_made_fits_the_schema(graph: Graph) -> None:
    validator = jsonschema.Draft202012Validator(records_schema())
    for line in lines(graph):
        if line.get("date") != "soon":
            validator.validate(line)


@pytest.mark.parametrize("kind", ["paper", "entity", "mention", "statement", "result"])
def test_a_broken_record_does_not_fit(sample: Graph, kind: str) -> None:
    validator = jsonschema.Draft202012Validator(records_schema())
    record = next(line for line in lines(sample) if line["record"] == kind)
    assert validator.is_valid(record)
    assert not validator.is_valid({**record, "record": "thing"})
    assert not validator.is_valid({**record, "colour": "red"})
    definition = records_schema()["$defs"][kind.capitalize()]
    for field in definition["required"]:
        assert not validator.is_valid({k: v for k, v in record.items() if k != field}), field
    for field in record:
        assert not validator.is_valid({**record, field: {"not": "that"}}), field


def test_a_statement_needs_evidence_and_a_result_a_figure(sample: Graph) -> None:
    validator = jsonschema.Draft202012Validator(records_schema())
    statement = {"record": "statement", **to_json(next(iter(sample.statements.values())))}
    assert not validator.is_valid({**statement, "evidence": []})
    result = {"record": "result", **to_json(next(iter(sample.results.values())))}
    assert not validator.is_valid(
        {k: v for k, v in result.items() if k not in ("value", "delta", "baseline_value")}
    )


@pytest.mark.skipif(not GOLD.exists(), reason="the gold files are not beside this checkout")
def test_the_gold_lines_fit_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(extraction_schema())
    with GOLD.open(encoding="utf-8") as gold:
        for line in gold:
            validator.validate(json.loads(line))


def test_a_line_of_extraction_is_checked() -> None:
    validator = jsonschema.Draft202012Validator(extraction_schema())
    mention = {"start": 0, "end": 4, "text": "BERT"}
    entity = {"name": "BERT", "type": "Model", "introduced": False, "mentions": [mention]}
    relation = {
        "head": "PAPER",
        "type": "builds-on",
        "tail": "BERT",
        "evidence": {"start": 0, "end": 9},
    }
    line = {"id": "1", "text": "BERT is used.", "entities": [entity], "relations": [relation]}
    line["results"] = []
    assert validator.is_valid(line)
    assert validator.is_valid({**line, "title": "from the source"})
    assert not validator.is_valid({**line, "entities": [{**entity, "type": "Person"}]})
    assert not validator.is_valid({**line, "entities": [{**entity, "mentions": []}]})
    assert not validator.is_valid({**line, "relations": [{**relation, "type": "likes"}]})
    assert not validator.is_valid({k: v for k, v in line.items() if k != "results"})
