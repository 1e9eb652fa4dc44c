from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kg
from kg.cli import cli

ABSTRACTS = """Two abstracts

We present AlphaNet, a parser that builds on BERT. AlphaNet reaches 91.5% accuracy on GLUE and
outperforms ELMo by 2.5 points.

We evaluate RoBERTa on SQuAD. RoBERTa outperforms BERT on GLUE.
"""


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(a) for a in arguments], input=stdin)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("graphs") / "corpus"
    done = run("build", "--corpus", "-o", directory)
    assert done.exit_code == 0, done.output
    return directory


def rows(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def exported(directory: Path) -> bytes:
    return run("export", "jsonl", "-g", directory).stdout_bytes


def test_build_tells_what_it_did_and_the_second_run_does_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(ABSTRACTS, encoding="utf-8")
    first = rows(run("build", source, "-o", tmp_path / "g", "--json"))
    assert (first["papers"], first["extracted"], first["changed"]) == (2, 2, True)
    assert first["statements"] > 0
    before = exported(tmp_path / "g")
    again = run("build", source, "-o", tmp_path / "g")
    assert again.exit_code == 0
    assert "nothing new" in again.stderr
    assert exported(tmp_path / "g") == before


def test_order_of_files_and_number_of_processes_do_not_count(tmp_path: Path) -> None:
    one, two = ABSTRACTS.split("\n\n", 2)[1:]
    (tmp_path / "a.txt").write_text(one, encoding="utf-8")
    (tmp_path / "b.txt").write_text(two, encoding="utf-8")
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    assert run("build", a, b, "-o", tmp_path / "g1").exit_code == 0
    assert run("build", b, a, "-o", tmp_path / "g2", "--workers", "2").exit_code == 0
    assert run("build", b, "-o", tmp_path / "g3").exit_code == 0
    assert run("build", a, "-o", tmp_path / "g3").exit_code == 0
    graphs = {exported(tmp_path / g) for g in ("g1", "g2", "g3")}
    assert len(graphs) == 1


def test_standard_input(tmp_path: Path) -> None:
    done = run("build", "-", "-o", tmp_path / "g", "--json", stdin=ABSTRACTS)
    assert rows(done)["papers"] == 2


def test_standard_input_that_was_bad_once_is_not_told_again(tmp_path: Path) -> None:
    to = ("build", "-", "-o", tmp_path / "g", "--extractor", "patterns")
    empty = run(*to, stdin="")
    assert (empty.exit_code, empty.stderr.splitlines()[0]) == (2, "kg: -: there is no record in it")
    bad = run(*to, "--format", "jsonl", stdin='{"id": "1", "text":\n')
    assert (bad.exit_code, bad.stderr.count("broken JSON")) == (1, 1)
    good = run(*to, stdin=ABSTRACTS)
    assert (good.exit_code, good.stderr.count("\n")) == (0, 1)


def test_no_standard_input_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(ABSTRACTS, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", None)
    for command in (["build", "-o", str(tmp_path / "g")], ["extract"]):
        arguments = [*command, str(tmp_path / "a.txt"), "--extractor", "patterns"]
        cli.main(arguments, standalone_mode=False)


def test_bad_input_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(ABSTRACTS, encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text(
        '{"id": "1", "text": "We use BERT."}\n{"id": "2", "text": \n{"id": "3"}\n', encoding="utf-8"
    )
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(b"We use BERT. " * 100)[:-20])
    done = run("build", tmp_path, tmp_path / "missing.txt", "-o", tmp_path / "g")
    assert done.exit_code == 1
    assert "missing.txt" in done.stderr
    assert "bad.jsonl:2" in done.stderr
    assert "broken.txt.gz" in done.stderr
    assert len(kg.load(tmp_path / "g").papers) >= 3
    records = rows(run("info", "--records", "--json", "-g", tmp_path / "g"))
    assert {r["outcome"] for r in records} >= {"rejected", "extracted"}
    assert all(r["reason"] for r in records if r["outcome"] == "rejected")
    rejected = rows(run("info", "--outcome", "rejected", "--json", "-g", tmp_path / "g"))
    assert rejected == [r for r in records if r["outcome"] == "rejected"]


def test_a_misspelt_path_is_told_and_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ABSTRACTS, encoding="utf-8")
    graph = tmp_path / "g"
    assert run("build", tmp_path / "a.txt", "-o", graph).exit_code == 0
    before = exported(graph), rows(run("info", "--json", "-g", graph))
    for path in ("b.txt", "*.csv"):
        done = run("build", tmp_path / path, "-o", graph)
        assert done.exit_code == 1
        assert path in done.stderr
    (tmp_path / "a.txt").unlink()
    assert run("build", tmp_path / "a.txt", "-o", graph).exit_code == 1
    assert (exported(graph), rows(run("info", "--json", "-g", graph))) == before


def test_papers_of_one_id_are_told(tmp_path: Path) -> None:
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("id,abstract\n1,We evaluate BERT on GLUE.\n", encoding="utf-8")
    b.write_text("id,abstract\n1,We evaluate ELMo on SQuAD.\n", encoding="utf-8")
    place = ["-o", tmp_path / "g", "--extractor", "patterns"]
    assert run("build", a, *place).stderr.count("\n") == 1
    done = run("build", b, *place)
    assert done.exit_code == 0
    said = f"{b}:1 (same id, another text, as {a}:1): if it is another paper, give it an id"
    assert said in done.stderr
    assert run("build", b, *place).stderr.count("\n") == 1


def test_nothing_readable_is_bad_input(tmp_path: Path) -> None:
    done = run("build", tmp_path / "missing.txt", "-o", tmp_path / "g")
    assert done.exit_code == 2
    assert "missing.txt" in done.stderr
    assert done.stderr.endswith("is empty\n")
    assert "records" not in done.stdout
    assert run("build", "-o", tmp_path / "g").exit_code == 2


@pytest.mark.parametrize("content", ["", "\n\n", '{"id": "1", "abstract": null}\n', "Hello world"])
def test_empty_inputs_make_a_valid_empty_graph(tmp_path: Path, content: str) -> None:
    source = tmp_path / ("a.jsonl" if content.startswith("{") else "a.txt")
    source.write_text(content, encoding="utf-8")
    run("build", source, "-o", tmp_path / "g")
    for name in ("turtle", "ntriples", "jsonld", "trig", "nquads", "graphml", "jsonl"):
        assert run("export", name, "-g", tmp_path / "g").exit_code == 0
    assert run("query", "benchmarks", "-g", tmp_path / "g").exit_code == 0


def test_queries_are_listed_and_run(corpus: Path) -> None:
    assert len(rows(run("query", "--json"))) >= 12
    found = rows(run("query", "benchmarks", "limit=3", "-g", corpus, "--json"))
    assert len(found) == 3
    done = run("query", "benchmarks", "-g", corpus, "--json")
    assert len(rows(done)) == 25
    assert done.stderr == "kg: these are the first 25; for more, give limit=…\n"
    assert run("query", "benchmarks", "limit=25", "-g", corpus).stderr == ""
    done = run("query", "improves-over", "name=BERT", "-g", corpus)
    assert done.exit_code == 0
    assert "XLNet" in done.stdout


def test_query_errors_say_what_to_do(corpus: Path) -> None:
    missing = run("query", "leaderboard", "-g", corpus)
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)
    assert "benchmark" in missing.stderr
    assert run("query", "no-such-query", "-g", corpus).exit_code == 2
    for command in ("query", "sparql"):
        misspelt = run(command, "leaderbord", "-g", corpus)
        assert misspelt.stderr.startswith("kg: no query 'leaderbord': did you mean leaderboard? ")
    bare = run("query", "leaderboard", "GLUE", "-g", corpus)
    assert (bare.exit_code, bare.stderr.count("\n")) == (2, 1)
    assert "not 'GLUE'; leaderboard takes benchmark=…" in bare.stderr
    writes = run("cypher", "MATCH (n) DETACH DELETE n", "-g", corpus)
    assert writes.exit_code == 2
    assert "read" in writes.stderr
    wrong = run("cypher", "MATCH (n RETURN n", "-g", corpus)
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)


def test_name_that_no_entity_has_gets_near_names(corpus: Path) -> None:
    done = run("query", "improves-over", "name=BERTT", "-g", corpus)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("no rows\nkg: no entity is called 'BERTT'; did you mean BERT")
    done = run("query", "trends", "name=BERTT", "-g", corpus, "--json")
    assert "no entity is called 'BERTT'" in done.stderr
    assert rows(done)
    assert run("query", "improves-over", "name=bert", "-g", corpus).stderr == ""


def test_id_that_no_paper_has_is_told(corpus: Path) -> None:
    done = run("query", "paper-statements", "paper=9999.99999", "-g", corpus)
    assert done.exit_code == 0
    assert done.stderr == "no rows\nkg: no paper has the id or the title '9999.99999'\n"
    claim = rows(run("query", "strongest-claims", "-g", corpus, "--json"))[0]["statement"]
    paper = rows(run("explain", claim, "-g", corpus, "--json"))["evidence"][0]["paper"]
    assert run("query", "paper-statements", f"paper={paper}", "-g", corpus).stderr == ""


def test_cypher_takes_parameters_and_stdin(corpus: Path) -> None:
    text = "MATCH (e:Entity) WHERE e.name = $name RETURN e.key AS key"
    assert rows(run("cypher", text, "name=BERT", "-g", corpus, "--json")) == [
        {"key": "method/bert"}
    ]
    done = run("cypher", "-", "-g", corpus, "--json", stdin="MATCH (p:Paper) RETURN count(p) AS n")
    assert rows(done)[0]["n"] >= 30
    odd = CliRunner().invoke(cli, ["cypher", "-", "-g", str(corpus)], input=b"RETURN '\xff' AS x")
    assert (odd.exit_code, odd.stderr) == (2, "kg: cannot read -: it is not UTF-8\n")
    text = "MATCH (p:Paper) WHERE p.title IN $some RETURN $x AS x LIMIT $n"
    title = next(iter(kg.load(corpus).papers.values())).title
    given = [f"some:={json.dumps([title])}", "x=1", "n:=1"]
    assert rows(run("cypher", text, *given, "-g", corpus, "--json")) == [{"x": "1"}]
    wrong = run("cypher", text, "n:=one", "-g", corpus)
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "takes JSON" in wrong.stderr


def test_sparql(corpus: Path) -> None:
    assert len(rows(run("sparql", "--json"))) >= 5
    found = rows(run("sparql", "improves-over", "name=bert", "-g", corpus, "--json"))
    assert "XLNet" in {r["better"] for r in found}
    text = "SELECT ?n { ?e a sota:Benchmark ; skos:prefLabel ?n } ORDER BY ?n"
    asked = run("sparql", text, "-g", corpus, "--format", "csv")
    lines = asked.stdout.splitlines()
    assert lines[0] == "n"
    assert "GLUE" in lines
    assert run("sparql", "-", "-g", corpus, "--format", "csv", stdin=text).stdout == asked.stdout
    assert "GLUE" in run("sparql", text, "$n=GLUE", "-g", corpus).stdout
    count = "SELECT (count(?s) AS ?n) { ?s sota:belief ?b FILTER(?b > ?least) }"
    assert rows(run("sparql", count, "least:=0.5", "-g", corpus, "--json"))[0]["n"] > 0
    done = run("sparql", "lineage", "name=RoBERTaa", "-g", corpus)
    assert "no entity is called 'RoBERTaa'; did you mean RoBERTa" in done.stderr
    wrong = run("sparql", "SELECT * { ?s", "-g", corpus)
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    early = run("sparql", "SELECT ?p { ?p a sota:Paper }", "--as-of", "1900", "-g", corpus)
    assert early.stdout == ""


def test_rows_as_csv(corpus: Path) -> None:
    text = (
        "MATCH (e:Entity) WHERE e.name = 'BERT' "
        "RETURN e.name AS name, ['a', 'b,c'] AS some, true AS yes, null AS none, 'x\"y' AS quoted"
    )
    done = run("cypher", text, "-g", corpus, "--format", "csv")
    assert list(csv.reader(io.StringIO(done.stdout))) == [
        ["name", "some", "yes", "none", "quoted"],
        ["BERT", '["a", "b,c"]', "true", "", 'x"y'],
    ]
    listed = run("query", "--format", "csv").stdout
    assert listed.splitlines()[0] == "query,title,parameters"
    assert run("query", "--format", "json").stdout == run("query", "--json").stdout


def test_show_and_explain(corpus: Path) -> None:
    shown = run("show", "bert", "-g", corpus)
    assert shown.exit_code == 0
    assert "method/bert" in shown.stdout
    data = rows(run("show", "BERT", "-g", corpus, "--json"))
    assert data["entity"]["key"] == "method/bert"
    statement = data["statements"][0]
    explained = run("explain", statement["id"], "-g", corpus)
    assert "belief" in explained.stdout
    assert statement["evidence"][0]["sentence"] in explained.stdout
    assert "spelling" in run("explain", "BERT", "-g", corpus).stdout
    paper = statement["evidence"][0]["paper"]
    shown = run("show", paper, "-g", corpus).stdout
    assert statement["id"] in shown
    record = kg.load(corpus).papers[paper]
    assert shown.splitlines()[0] == record.title
    assert f"{record.date} · {record.url}" in shown.splitlines()[1]


def test_unknown_entity_gets_near_names(corpus: Path) -> None:
    done = run("show", "BERTT", "-g", corpus)
    assert done.exit_code == 2
    assert "did you mean" in done.stderr


def test_what_could_be_an_id_is_said_to_be_none(corpus: Path) -> None:
    for command, what in (("show", "paper"), ("explain", "statement")):
        done = run(command, "0123456789", "-g", corpus)
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert f"no {what} has the id '0123456789', and no entity is called" in done.stderr
    assert "MATCH (p:Paper)" in run("remove", "0123456789", "-g", corpus).stderr


def test_no_graph_says_how_to_make_one(tmp_path: Path) -> None:
    done = run("info", "-g", tmp_path / "none")
    assert done.exit_code == 2
    assert "kg build" in done.stderr


def test_export_to_file_and_directory(corpus: Path, tmp_path: Path) -> None:
    assert run("export", "turtle", "-o", tmp_path / "g.ttl", "-g", corpus).exit_code == 0
    assert b"@prefix" in (tmp_path / "g.ttl").read_bytes()
    assert run("export", "csv", "-o", tmp_path / "tables", "-g", corpus).exit_code == 0
    assert (tmp_path / "tables" / "statements.csv").is_file()
    assert run("export", "csv", "-g", corpus).exit_code == 2
    assert run("export", "turtle", "-o", tmp_path / "no" / "g.ttl", "-g", corpus).exit_code == 2
    assert list(tmp_path.glob(".*")) == []


def test_extract_writes_gold_form_with_exact_offsets(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(ABSTRACTS, encoding="utf-8")
    done = run("extract", source)
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 2
    missing = run("extract", tmp_path / "b.txt")
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)
    assert missing.stderr.endswith("b.txt: no such file or directory\n")
    assert run("extract", source, tmp_path / "b.txt").exit_code == 1
    for line in lines:
        for e in line["entities"]:
            for m in e["mentions"]:
                assert line["text"][m["start"] : m["end"]] == m["text"]


def test_extract_leaves_out_what_is_withdrawn_and_says_so(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    papers = [
        {"id": f"p{k}", "abstract": "We evaluate RoBERTa on SQuAD.", "withdrawn": k == 1}
        for k in range(3)
    ]
    source.write_text("".join(json.dumps(p) + "\n" for p in papers), encoding="utf-8")
    done = run("extract", source, "--extractor", "patterns")
    assert done.exit_code == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["p0", "p2"]
    assert "a.jsonl:2: p1 is withdrawn" in done.stderr


def test_evaluate(tmp_path: Path) -> None:
    gold = {
        "id": "1",
        "text": "We evaluate RoBERTa on SQuAD.",
        "entities": [
            {"name": "RoBERTa", "type": "Model", "introduced": False, "mentions": ["RoBERTa"]},
            {"name": "SQuAD", "type": "Benchmark", "introduced": False, "mentions": ["SQuAD"]},
        ],
        "relations": [{"head": "RoBERTa", "type": "evaluates-on", "tail": "SQuAD"}],
        "results": [],
    }
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(gold) + "\n", encoding="utf-8")
    page = tmp_path / "page.html"
    data = rows(run("evaluate", path, "--json", "--errors", "--html", page))
    assert data["scores"]["entities"]["gold"] == 2
    assert "RoBERTa" in page.read_text(encoding="utf-8")
    perfect = rows(run("evaluate", path, path, "--json"))
    assert perfect["scores"]["relations"]["f1"] == 1.0
    unwritable = run("evaluate", path, path, "--html", tmp_path / "none" / "page.html")
    assert (unwritable.exit_code, unwritable.stderr.count("\n")) == (2, 1)
    path.write_text(json.dumps(gold | {"text": ""}), encoding="utf-8")
    assert "has no `text`" in run("evaluate", path, "--extractor", "patterns").stderr
    path.write_text('{"id": "1"}\n', encoding="utf-8")
    broken = run("evaluate", path)
    assert broken.exit_code == 2
    assert "gold.jsonl:1" in broken.stderr


def test_extract_and_evaluate_above_a_confidence(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(ABSTRACTS, encoding="utf-8")

    def lines(*more: str) -> list[dict[str, Any]]:
        done = run("extract", source, "--extractor", "patterns", *more)
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    every = lines()
    assert lines("--min-confidence", "0") == every
    levels = sorted(r["confidence"] for d in every for r in d["relations"])
    assert levels[0] < levels[-1]
    least = str((levels[0] + levels[-1]) / 2)
    some = lines("--min-confidence", least)
    assert [d["id"] for d in some] == [d["id"] for d in every]
    kept = [r["confidence"] for d in some for r in d["relations"]]
    assert sorted(kept) == [c for c in levels if c >= float(least)]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(map(json.dumps, every)), encoding="utf-8")
    options = ("--extractor", "patterns", "--min-confidence", least, "--json")
    scores = rows(run("evaluate", gold, *options))["scores"]["relations"]
    assert (scores["predicted"], scores["precision"]) == (len(kept), 1.0)
    assert run("evaluate", gold, gold, "--min-confidence", least).exit_code == 2
    ray = run("extract", source, "--engine", "ray", "-o", tmp_path / "o", "--min-confidence", "1")
    assert (ray.exit_code, ray.stderr.count("\n")) == (2, 1)


def test_remove_takes_a_paper_out(tmp_path: Path) -> None:
    directory = tmp_path / "g"
    assert run("build", "--corpus", "-o", directory).exit_code == 0
    paper = next(iter(kg.load(directory).papers))
    assert run("remove", paper, "-g", directory).exit_code == 0
    graph = kg.load(directory)
    assert paper not in graph.papers
    assert all(e.paper != paper for s in graph.statements.values() for e in s.evidence)
    assert run("remove", paper, "-g", directory).exit_code == 2


def test_neo4j_that_does_not_answer_is_exit_code_3(corpus: Path) -> None:
    code = "from kg.cli import main; main()"
    load = [sys.executable, "-c", code, "load", "--uri", "neo4j://127.0.0.1:1", "-g", str(corpus)]
    done = subprocess.run(load, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "no Neo4j server answers at neo4j://127.0.0.1:1" in done.stderr


def test_doctor_passes_without_a_server(corpus: Path) -> None:
    found = rows(run("doctor", "--uri", "bolt://127.0.0.1:1", "-g", corpus, "--json"))
    states = {c["what"]: c["state"] for c in found}
    assert states["graph"] == "ok"
    assert states["extractor"] == "ok"
    assert states["Neo4j"] == "none"
    assert "fail" not in states.values()


@pytest.mark.parametrize("name", [None, *sorted(cli.commands)])
def test_every_command_has_help_with_an_example(name: str | None) -> None:
    done = run(*([name] if name else []), "--help")
    assert done.exit_code == 0
    if name:
        assert f"kg {name}" in done.stdout.split("Options:")[0].split("\n", 1)[1]
    else:
        assert "..." not in done.stdout.split("Commands:")[1]


def test_the_program_runs_as_a_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from kg.cli import main; main()", "query"],
        capture_output=True,
        check=True,
    )
    assert b"leaderboard" in done.stdout
    assert done.stderr == b""


def test_a_reader_that_stops_early_is_no_error(corpus: Path) -> None:
    code = "from kg.cli import main; main()"
    for command in (["info"], ["query", "benchmarks"], ["export", "ntriples"]):
        program = [sys.executable, "-c", code, *command, "-g", str(corpus)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
            assert done.stdout is not None
            assert done.stderr is not None
            done.stdout.close()
            assert done.stderr.read() == b""
        assert done.returncode == 0


def test_reference_is_current() -> None:
    from kg.cli.reference import reference

    path = Path(__file__).parents[1] / "docs" / "cli.md"
    assert path.read_text(encoding="utf-8") == reference(), (
        "python -m kg.cli.reference > docs/cli.md"
    )


def test_format_can_be_given(tmp_path: Path) -> None:
    source = tmp_path / "odd.dat"
    source.write_text('{"id": "1", "text": "We evaluate BERT on GLUE."}\n', encoding="utf-8")
    as_json = run("extract", source, "--format", "jsonl")
    assert json.loads(as_json.stdout)["id"] == "1"
    as_text = run("extract", source, "--format", "text")
    assert json.loads(as_text.stdout)["text"].startswith("{")
    assert run("build", source, "--format", "docx", "-o", tmp_path / "g").exit_code == 2
