"""The README is true: its commands and its Python run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import kg
from kg.cli import cli
from kg.resources import CORPUS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found, name
    return found[1]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "abstracts.txt").write_text(
        "We evaluate RoBERTa on GLUE.\n\nWe evaluate BERT on SQuAD.\n", encoding="utf-8"
    )
    kg.build([CORPUS], tmp_path / "graph")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_main_command_builds_the_corpus_and_answers(workplace: Path) -> None:
    last = [c.strip() for c in block("main").split("&&")][-2:]
    assert last[0].startswith("kg build")
    for command in last:
        done = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert done.exit_code == 0, done.output
    assert "GLUE" in done.stdout
    assert len(done.stdout.splitlines()) > 3


def test_commands_run(workplace: Path) -> None:
    lines = block("commands").splitlines()
    assert len(lines) >= 10
    for line in lines:
        done = CliRunner().invoke(cli, shlex.split(line, comments=True)[1:])
        assert done.exit_code == 0, f"{line}\n{done.output}"


def test_every_command_is_in_the_readme() -> None:
    named = set(re.findall(r"\bkg (\w+)", README))
    assert set(cli.commands) - {"evaluate", "remove", "load"} <= named


def test_python_runs(workplace: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(block("python"), "README.md", "exec"), names)
    graph = names["graph"]
    assert isinstance(graph, kg.Graph)
    assert graph.improves_over("BERT")
    assert graph.leaderboard("GLUE")
    assert graph.lineage("BART")
    assert (workplace / "graph.ttl").is_file()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    command = block("tests").strip()
    assert command.endswith("pytest")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- tests -->" in script


def test_files_that_the_readme_names_are_there() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
