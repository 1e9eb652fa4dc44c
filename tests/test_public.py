from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import kg


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


def test_import_is_light() -> None:
    """`import kg` must not load spaCy, rdflib, the drivers or pandas."""
    heavy = ("spacy", "rdflib", "neo4j", "networkx", "pandas", "kglite", "onnxruntime")
    code = f"import sys, kg; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
