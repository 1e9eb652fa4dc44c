from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from killed_builds import Stub

import kg
from kg import directory as graphs
from kg import extract
from kg.cli import cli
from kg.directory import Plan
from kg.errors import InputError, NotFoundError, StoreError
from kg.ledger import Ledger
from kg.project.json_lines import write_json
from kg.records import Extraction, Paper


@pytest.fixture(autouse=True)
def stub(monkeypatch: pytest.MonkeyPatch) -> type[Stub]:
    """Extract with :class:`Stub`, which knows no language, and is quick."""

    class Own(Stub):
        version = "stub@1"

    monkeypatch.setattr(extract, "load", lambda name="": Own())
    return Own


def write(path: Path, *texts: str, first: int = 0) -> Path:
    lines = [json.dumps({"id": f"{first + n}", "text": t}) for n, t in enumerate(texts)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def exported(directory: Path) -> bytes:
    out = io.BytesIO()
    write_json(kg.load(directory), out)
    return out.getvalue()


ONE, TWO, THREE = "Alpha1Net and Alpha2Net", "Alpha2Net and Alpha3Net", "Alpha1Net or Alpha3Net"


def test_one_more_paper_is_extracted_alone(tmp_path: Path) -> None:
    plans: list[Plan] = []
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    b = write(tmp_path / "b.jsonl", THREE, first=2)
    kg.build([a], tmp_path / "g", before=plans.append)
    report = kg.build([b], tmp_path / "g", before=plans.append)
    assert [p.new for p in plans] == [2, 1]
    assert (report.extracted, report.changed, report.counts["papers"]) == (1, True, 3)
    kg.build([b, a], tmp_path / "scratch")
    assert exported(tmp_path / "g") == exported(tmp_path / "scratch")


@pytest.mark.parametrize("number", [3, 4, 5])
def test_papers_to_extract_are_read_a_page_at_a_time(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = write(tmp_path / "a.jsonl", *(f"Alpha{n}Net and Alpha{n + 1}Net" for n in range(number)))
    kg.build([a], tmp_path / "at once")
    monkeypatch.setattr("kg.ledger._PAGE", 2)
    monkeypatch.setattr("kg.extract.parallel._PAPERS", 1)
    told: list[tuple[str, int, int | None]] = []
    report = kg.build([a], tmp_path / "g", progress=lambda *what: told.append(what))
    assert report.extracted == number
    assert [t for t in told if t[0] == "extract"] == [
        ("extract", n + 1, number) for n in range(number)
    ]
    assert exported(tmp_path / "g") == exported(tmp_path / "at once")
    assert kg.build([a], tmp_path / "g").extracted == 0


def test_small_files_share_a_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    for n in range(20):
        write(parts / f"{n}.jsonl", f"Alpha{n % 9}Net and Alpha3Net", first=n)
    made: dict[float, tuple[int, bytes]] = {}
    patiently = Ledger._patiently
    for seconds in (1000.0, -1.0):
        commits = 0

        def execute(self: Ledger, sql: str) -> Any:
            nonlocal commits
            commits += sql == "COMMIT"
            return patiently(self, sql)

        monkeypatch.setattr("kg.directory._TOGETHER", seconds)
        monkeypatch.setattr(Ledger, "_patiently", execute)
        kg.build([parts], tmp_path / f"{seconds}")
        made[seconds] = commits, exported(tmp_path / f"{seconds}")
    (few, one), (many, other) = made.values()
    assert (many - few, one == other) == (19, True)


def test_building_again_does_nothing_at_all(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    kg.build([a], tmp_path / "g")
    before = {p.name: p.read_bytes() for p in (tmp_path / "g").iterdir()}
    report = kg.build([a], tmp_path / "g")
    assert (report.records_changed, report.extracted, report.changed) == (0, 0, False)
    assert {p.name: p.read_bytes() for p in (tmp_path / "g").iterdir()} == before


def test_changed_paper_replaces_what_it_said(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    kg.build([a], tmp_path / "g")
    kg.build([write(a, ONE, THREE)], tmp_path / "g")
    kg.build([a], tmp_path / "scratch")
    assert exported(tmp_path / "g") == exported(tmp_path / "scratch")


def test_removing_a_paper_removes_exactly_what_only_it_said(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    kg.build([a, write(tmp_path / "b.jsonl", THREE, first=2)], tmp_path / "g")
    report = graphs.remove("2", tmp_path / "g")
    assert (report.records_changed, report.changed, report.counts["papers"]) == (1, True, 2)
    kg.build([a], tmp_path / "scratch")
    assert exported(tmp_path / "g") == exported(tmp_path / "scratch")
    with pytest.raises(NotFoundError):
        graphs.remove("2", tmp_path / "g")


def test_removing_a_file_removes_what_only_it_has(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    b = write(parts / "b.jsonl", TWO, THREE, first=1)
    c = write(parts / "c.jsonl", "Alpha7Net and Alpha8Net", first=7)
    other = write(tmp_path / "parts.jsonl", "Alpha5Net", first=5)
    kg.build([a, b, c, other], tmp_path / "g")
    kg.build([a, other], tmp_path / "scratch")
    run = CliRunner().invoke
    place = ["-g", str(tmp_path / "g")]
    for wrong in (["remove", "9", "0"], ["remove", "--file", str(tmp_path / "d"), "0"], ["remove"]):
        assert run(cli, [*wrong, *place]).exit_code == 2
    done = run(cli, ["remove", "--file", f"{parts}/", "--json", *place])
    assert json.loads(done.stdout)["records"] == 3
    assert exported(tmp_path / "g") == exported(tmp_path / "scratch")
    assert kg.remove(["0", "1"], tmp_path / "g").counts["papers"] == 1
    assert kg.remove("5", files=[other], directory=tmp_path / "g").counts["papers"] == 0


def test_a_graph_is_not_read_as_papers(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", ONE)
    for _ in range(2):
        report = kg.build(tmp_path, tmp_path / "graph")
        assert (report.outcomes, report.problems) == ({"extracted": 1}, ())
    named = kg.build(tmp_path / "graph", tmp_path / "other")
    assert [p[1:] for p in named.problems] == [(0, "a graph directory, which is no input")]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    kg.build(write(tmp_path / f"{odd}.jsonl", ONE), tmp_path / odd)
    assert len(kg.load(tmp_path / odd).papers) == 1
    with pytest.raises(NotFoundError, match="no paper"):
        kg.remove(odd, tmp_path / odd)


def test_papers_are_found_by_address(tmp_path: Path) -> None:
    lines = [{"id": "1810.04805v2", "text": ONE}, {"id": "x", "doi": "10.1000/A1", "text": TWO}]
    (tmp_path / "a.json").write_text(json.dumps(lines), encoding="utf-8")
    place = ["-g", str(tmp_path / "g")]
    run = CliRunner().invoke
    kg.build(tmp_path / "a.json", tmp_path / "g")
    for address in ("https://arxiv.org/abs/1810.04805v1", "https://doi.org/10.1000/a1"):
        assert run(cli, ["show", address, *place]).exit_code == 0
        assert run(cli, ["remove", address, *place]).exit_code == 0
    assert run(cli, ["show", "arXiv:1810.04805", *place]).exit_code == 2
    assert kg.load(tmp_path / "g").papers == {}


def test_removing_tells_what_waits_for_extraction(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE)
    (tmp_path / "b.txt").write_text(ONE, encoding="utf-8")
    kg.build([a, tmp_path / "b.txt"], tmp_path / "g")
    args = ["remove", "--file", str(a), "-g", str(tmp_path / "g")]
    done = CliRunner().invoke(cli, args)
    assert "papers that wait for extraction: 1;" in done.stderr


def test_papers_that_a_file_no_longer_has_are_told(tmp_path: Path) -> None:
    """As of another file of the same relative path, built from another directory."""
    kg.build([write(tmp_path / "a.jsonl", ONE, TWO)], tmp_path / "g")
    write(tmp_path / "a.jsonl", TWO, THREE, first=1)
    args = ["build", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "g")]
    done = CliRunner().invoke(cli, args)
    assert "papers that left the graph, as their files no longer have them: 1\n" in done.stderr
    again = CliRunner().invoke(cli, [*args, "--json"])
    assert json.loads(again.stdout)["gone"] == 0
    assert "left" not in again.stderr


def test_a_damaged_derived_file_is_told_apart_from_the_ledger(tmp_path: Path) -> None:
    kg.build([write(tmp_path / "a.jsonl", ONE, TWO)], tmp_path / "g")
    derived = tmp_path / "g" / "assembled.sqlite"
    raw = derived.read_bytes()
    derived.write_bytes(raw[:4096] + b"A" * (len(raw) - 4096))
    with pytest.raises(StoreError, match=r"assembled\.sqlite is damaged .*: delete it"):
        kg.load(tmp_path / "g")


def test_new_extractor_says_beforehand_what_it_does_again(tmp_path: Path, stub: type[Stub]) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO, "the same", "the same")
    kg.build([a], tmp_path / "g")
    stub.version = "stub@2"
    with Ledger(tmp_path / "g") as ledger:  # one paper was done before it was killed
        done = [next(ledger.pending("stub@2"))]
        ledger.add_extractions(zip(done, stub().pipe(done), strict=True), "stub@2")
    plans: list[Plan] = []
    report = kg.build(
        [write(tmp_path / "b.jsonl", THREE, first=9)], tmp_path / "g", before=plans.append
    )
    assert plans == [Plan("stub@2", 1, {"stub@1": 2})]
    assert report.extracted == 3
    assert str(plans[0]) == (
        "papers to extract by stub@2: 1 new or changed, 2 again that were done by stub@1"
    )
    stub.version = "stub@3"
    done_ = CliRunner().invoke(cli, ["build", str(a), "-o", str(tmp_path / "g")])
    assert "4 again that were done by stub@2" in done_.stderr


def test_decisions_outlive_a_rebuild_and_tell_when_they_match_nothing(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    kg.build([a], tmp_path / "g")
    (tmp_path / "g" / "decisions.yaml").write_text(
        "- merge: [method/alpha1net, method/alpha2net]\n- rename: method/nothing\n  to: X\n"
        "- reject: method/alpha2net improves-over method/alpha3net\n"
    )
    report = kg.build([a], tmp_path / "g")
    assert (report.changed, report.extracted) == (True, 0)
    (problem,) = report.unmatched
    assert "decisions.yaml:2: rename method/nothing" in problem
    graph = kg.load(tmp_path / "g")
    assert list(graph.entities) == ["method/alpha1net", "method/alpha3net"]
    (tmp_path / "g" / "assembled.sqlite").unlink()
    assert kg.load(tmp_path / "g") == graph
    done = CliRunner().invoke(cli, ["info", "-g", str(tmp_path / "g"), "--json"])
    data = json.loads(done.stdout)
    assert len(data["unmatched_decisions"]) == 1
    assert [b["extracted"] for b in data["builds"]] == [2, 0]
    (tmp_path / "g" / "decisions.yaml").write_text("- merge: [method/a")
    with pytest.raises(InputError, match=r"decisions\.yaml:1"):
        kg.load(tmp_path / "g")


def test_review_asks_into_the_decision_file_and_not_twice(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, "Alpha2Net and Alpha1Net", first=0)
    kg.build([a], tmp_path / "g")
    run = CliRunner().invoke
    place = ["-g", str(tmp_path / "g")]
    cases = json.loads(run(cli, ["review", *place, "--json"]).stdout)
    assert {c["kind"] for c in cases} == {"contradiction"}
    done = run(cli, ["review", *place])
    assert "1 cases" in done.stderr
    path = tmp_path / "g" / "decisions.yaml"
    text = path.read_text(encoding="utf-8")
    assert "nothing doubtful" in run(cli, ["review", *place]).stderr
    assert path.read_text(encoding="utf-8") == text
    path.write_text(text.replace("  # reject", "  reject", 1), encoding="utf-8")
    assert [s.decision for s in kg.load(tmp_path / "g").statements.values()] == ["rejected", ""]


def test_review_writes_where_a_link_leads_and_says_if_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kg.build([write(tmp_path / "a.jsonl", ONE, "Alpha2Net and Alpha1Net")], tmp_path / "g")
    (tmp_path / "kept.yaml").touch()
    link = tmp_path / "g" / "decisions.yaml"
    link.symlink_to("../kept.yaml")
    run = ["review", "-g", str(tmp_path / "g")]
    assert CliRunner().invoke(cli, run).exit_code == 0
    assert link.is_symlink()
    text = (tmp_path / "kept.yaml").read_text(encoding="utf-8")
    assert "contradiction" in text
    link.unlink()

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    done = CliRunner().invoke(cli, run)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "decisions.yaml: No space left on device" in done.stderr


def test_diff_and_as_of_on_the_command_line(tmp_path: Path) -> None:
    lines = [{"id": "1", "text": ONE, "date": "2019"}, {"id": "2", "text": TWO, "date": "2021"}]
    a = tmp_path / "a.jsonl"
    a.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    kg.build([a], tmp_path / "g")
    run = CliRunner().invoke
    place = ["-g", str(tmp_path / "g")]
    old = tmp_path / "old.jsonl"
    done = run(cli, ["export", "jsonl", "--as-of", "2020", "-o", str(old), *place])
    assert done.exit_code == 0
    found = json.loads(run(cli, ["diff", str(old), str(tmp_path / "g"), "--json"]).stdout)
    assert found["papers_new"] == ["2"]
    assert [s["object"] for s in found["statements_new"]] == ["method/alpha3net"]
    assert "Alpha3Net" in run(cli, ["diff", str(old), str(tmp_path / "g")]).stdout
    long = run(cli, ["diff", "a" * 5000, str(tmp_path / "g")])
    assert long.stderr.startswith("kg: no graph in a")
    old.write_text("no graph", encoding="utf-8")
    wrong = run(cli, ["diff", str(old), str(tmp_path / "g")])
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert wrong.stderr.startswith(f"kg: {old}: line 1 ")
    text = "MATCH (e:Entity) RETURN e.name AS name ORDER BY name"
    rows = json.loads(run(cli, ["cypher", text, "--as-of", "2020", "--json", *place]).stdout)
    assert [r["name"] for r in rows] == ["Alpha1Net", "Alpha2Net"]
    assert run(cli, ["show", "Alpha3Net", "--as-of", "2020", *place]).exit_code == 2
    assert run(cli, ["show", "Alpha3Net", "--as-of", "soon", *place]).exit_code == 2


def test_explain_shows_the_contradiction_the_date_and_the_build(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, "Alpha2Net and Alpha1Net")
    kg.build([a], tmp_path / "g")
    id = next(iter(kg.load(tmp_path / "g").statements))
    done = CliRunner().invoke(cli, ["explain", id, "-g", str(tmp_path / "g")])
    assert "contradiction: Alpha2Net improves-over Alpha1Net is stated, too" in done.stdout
    assert "no date" in done.stdout
    assert "build 1" in done.stdout


def test_threshold_is_kept_and_loses_nothing(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    b = write(tmp_path / "b.jsonl", THREE, first=2)
    place = tmp_path / "g"
    whole = kg.build([a], place)
    before = exported(place)
    report = graphs.set_min_confidence(0.9, place)  # the evidence has 0.8, the mentions have 1
    assert (report.changed, report.extracted, report.min_confidence) == (True, 0, 0.9)
    assert report.counts == whole.counts | {"statements": 0}
    assert not graphs.set_min_confidence(0.9, place).changed
    assert kg.load(place) == kg.load(place, min_confidence=0).at_least(0.9)
    text = "MATCH (s:Statement) RETURN count(s) AS n"
    assert graphs.store(place).cypher(text) == [{"n": 0}]
    again = kg.build([b], place)
    assert (again.min_confidence, again.counts["statements"]) == (0.9, 0)
    kg.build([a, b], tmp_path / "scratch", min_confidence=0.9)
    assert exported(place) == exported(tmp_path / "scratch")
    same = kg.build([b], place, min_confidence=0.9)
    assert not same.changed
    back = kg.build([a, b], place, min_confidence=0.8)
    assert (back.changed, back.extracted) == (True, 0)
    assert graphs.store(place).cypher(text) == [{"n": back.counts["statements"]}]
    graphs.remove("2", place)
    assert exported(place) == before
    with pytest.raises(InputError, match="between 0 and 1"):
        kg.build([a], tmp_path / "new", min_confidence=70)
    assert not (tmp_path / "new").exists()
    with pytest.raises(NotFoundError):
        graphs.set_min_confidence(0.5, tmp_path / "new")


def test_threshold_on_the_command_line(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", ONE, TWO)
    place = str(tmp_path / "g")
    run = CliRunner().invoke
    assert run(cli, ["build", str(a), "-o", place]).exit_code == 0
    id = next(iter(kg.load(place).statements))
    plain = json.loads(run(cli, ["info", "-g", place, "--json"]).stdout)
    assert (plain["min_confidence"], set(plain["left_out"].values())) == (0.0, {0})
    done = run(cli, ["build", "-o", place, "--min-confidence", "0.9"])
    assert done.exit_code == 0
    assert "min. confidence   0.9" in done.stdout
    data = json.loads(run(cli, ["build", str(a), "-o", place, "--json"]).stdout)
    assert (data["min_confidence"], data["statements"], data["changed"]) == (0.9, 0, False)
    info = json.loads(run(cli, ["info", "-g", place, "--json"]).stdout)
    assert info["counts"]["statements"] == 0
    assert info["left_out"] == {"mentions": 0, "entities": 0, "statements": 2, "results": 0}
    assert "left out, of less confidence than 0.9" in run(cli, ["info", "-g", place]).stdout
    explained = run(cli, ["explain", id, "-g", place]).stdout
    assert "this statement is not in the graph: no passage is of the confidence of 0.9" in explained
    assert "(left out: less than 0.9)" in explained
    data = json.loads(run(cli, ["explain", id, "-g", place, "--json"]).stdout)
    assert (data["in_graph"], len(data["left_out"])) == (False, 1)
    assert "not in the graph" not in run(cli, ["explain", "Alpha1Net", "-g", place]).stdout
    assert run(cli, ["build", "-o", place, "--min-confidence", "70"]).exit_code == 2
    none = run(cli, ["build", "-o", str(tmp_path / "no"), "--min-confidence", "0.5"])
    assert (none.exit_code, none.stderr.count("\n")) == (2, 1)
    assert run(cli, ["build", "-o", place, "--min-confidence", "0"]).exit_code == 0
    assert "left out" not in run(cli, ["explain", id, "-g", place]).stdout


def test_explain_tells_what_is_left_out(
    tmp_path: Path, stub: type[Stub], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Doubting(stub):  # type: ignore[valid-type,misc]
        """Is less sure of the second paper, and of what it mentions."""

        def pipe(self, papers: Iterable[Paper]) -> Iterator[Extraction]:
            for paper, x in zip(papers := list(papers), super().pipe(papers), strict=True):
                if paper.id != "1":
                    yield x
                    continue
                low = {"confidence": 0.4}
                said = (
                    replace(s, evidence=tuple(replace(e, **low) for e in s.evidence))
                    for s in x.statements
                )
                seen = (replace(m, **low) for m in x.mentions)
                yield replace(x, statements=tuple(said), mentions=tuple(seen))

    monkeypatch.setattr(extract, "load", lambda name="": Doubting())
    a = write(tmp_path / "a.jsonl", ONE, ONE.replace("and", "or") + " and Alpha7Net")
    place = str(tmp_path / "g")
    kg.build([a], place)
    (id,) = kg.load(place, min_confidence=0.5).statements
    before = kg.load(place).statements[id].belief
    graphs.set_min_confidence(0.5, place)
    assert kg.load(place).statements[id].belief < before
    run = CliRunner().invoke
    done = run(cli, ["explain", id, "-g", place])
    assert "1 paper" in done.stdout
    assert done.stdout.count("left out: less than 0.5") == 1
    done = run(cli, ["explain", "Alpha1Net", "-g", place])
    assert "left out: 1 mentions of less confidence than 0.5" in done.stdout
    done = run(cli, ["explain", "Alpha7Net", "-g", place])
    assert "this entity is not in the graph: nothing that names it is" in done.stdout
    assert run(cli, ["show", "Alpha7Net", "-g", place]).exit_code == 2


def test_explain_shows_who_decided_and_why(tmp_path: Path) -> None:
    kg.build([write(tmp_path / "a.jsonl", ONE, TWO)], tmp_path / "g")
    (tmp_path / "g" / "decisions.yaml").write_text(
        "- merge: [method/alpha1net, method/alpha2net]\n  why: a slip\n  by: Ada\n"
        "- reject: method/alpha2net improves-over method/alpha3net\n  why: it does not\n"
    )
    place = ["-g", str(tmp_path / "g")]
    done = CliRunner().invoke(cli, ["explain", "Alpha2Net", *place])
    assert "decided in line 1: merge method/alpha1net, method/alpha2net (by Ada, a slip)" in (
        done.stdout
    )
    (id,) = kg.load(tmp_path / "g").statements
    done = CliRunner().invoke(cli, ["explain", id, *place])
    assert "a person rejected it: belief 0; without that, belief 0.792" in done.stdout
    assert "(it does not)" in done.stdout
