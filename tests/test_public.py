from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import kg
from kg.cli import cli


def test_all_names_exist_and_nothing_else_is_public() -> None:
    assert sorted(kg.__all__) == list(kg.__all__)
    assert all(hasattr(kg, name) for name in kg.__all__)
    modules = {m.name for m in pkgutil.iter_modules(kg.__path__)}
    public = {n for n in vars(kg) if not n.startswith("_")} - modules - {"annotations"}
    assert public == set(kg.__all__)


def test_every_module_imports() -> None:
    names = [m.name for m in pkgutil.walk_packages(kg.__path__, "kg.")]
    assert len(names) > 30
    for name in names:
        importlib.import_module(name)


def test_examples_in_docstrings_run() -> None:
    tried = 0
    for name in [m.name for m in pkgutil.walk_packages(kg.__path__, "kg.")]:
        module = importlib.import_module(name)
        done = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert not done.failed, name
        tried += done.attempted
    assert tried > 30


def test_what_the_command_line_does_the_library_does() -> None:
    elsewhere = {
        "doctor": "kg.doctor.examine",
        "evaluate": "kg.evaluate.score",
        "extract": "kg.extract.load",
        "load": "kg.project.neo4j_load.load",
    }
    for place in elsewhere.values():
        module, _, function = place.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
    shown = {"explain", "info", "show"}  # they print what several methods of Graph give
    for name in cli.commands.keys() - elsewhere.keys() - shown:
        assert callable(getattr(kg if name in kg.__all__ else kg.Graph, name)), name


def test_functions_behind_commands() -> None:
    alpha, beta = (kg.Entity(f"method/{n}", n, "Model") for n in ("alpha", "beta"))
    before, after = kg.Graph(entities=[alpha]), kg.Graph(entities=[alpha, beta])
    found = kg.diff(before, after)
    assert isinstance(found, kg.Difference)
    assert found.entities_new == (beta,)
    assert kg.resolve("Llama 3.1", "LLaMA-3.1") == kg.Verdict("same", "spelling")
    assert kg.review(after) == []


HEAVY = ("spacy", "rdflib", "neo4j", "networkx", "pandas", "kglite", "onnxruntime")


@pytest.mark.parametrize("module", ["kg", "kg.cli"])
def test_import_is_light(module: str) -> None:
    """`import kg`, and a command, must not load spaCy, rdflib, the drivers or pandas."""
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_build_without_anything_new_is_light(tmp_path: Path) -> None:
    """It needs neither the network nor what reads texts."""
    paper, graph = tmp_path / "one.txt", tmp_path / "graph"
    paper.write_text("We evaluate BERT on GLUE and SQuAD.", encoding="utf-8")
    kg.build([paper], graph)
    code = (
        f"import sys, kg; report = kg.build([{str(paper)!r}], {str(graph)!r}); "
        f"print(report.extracted, [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 []"
