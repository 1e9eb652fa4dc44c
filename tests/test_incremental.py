from __future__ import annotations

import io
import itertools
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.assemble.assemble import assemble
from kg.assemble.decision_file import entries
from kg.assemble.decisions import NONE, Decisions
from kg.assemble.incremental import FILE, Assembly
from kg.errors import StoreError
from kg.graph import Graph
from kg.json_form import from_json
from kg.ledger import Ledger
from kg.project.json_lines import write_json
from kg.read.items import Read
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Result, Source, Statement

# Names that share forms, acronyms that are defined in two ways or nowhere, names of two families,
# versions of one name, spellings with more and fewer hyphens.
NAMES = [
    ("RAG", "Method", ()),
    ("RAG", "Method", ("retrieval-augmented generation",)),
    ("RVX", "Method", ()),
    ("RVX", "Method", ("rapid vector exchange",)),
    ("RVX", "Method", ("random vertex expansion",)),
    ("rapid vector exchange", "Method", ("RVX",)),
    ("RVX", "Benchmark", ()),
    ("ABCD", "Model", ()),
    ("ABCD", "Model", ("a better code decoder",)),
    ("Llama", "Model", ()),
    ("Llama 3", "Model", ()),
    ("LLaMA-3", "Model", ()),
    ("Llama-3-8B", "Method", ()),
    ("parsing", "Task", ()),
    ("parsing", "Method", ()),
    ("SQuAD", "Benchmark", ()),
    ("squad", "Dataset", ()),
    ("SQuAD", "Method", ()),
    ("SQuAD 2.0", "Benchmark", ()),
    ("fine-tuning", "Method", ()),
    ("finetuning", "Method", ("Fine Tuning",)),
    ("accuracy", "Metric", ()),
]


def paper(id: str, choice: list[int], seed: int) -> tuple[Paper, Extraction]:
    """Return a paper that names what is chosen of NAMES and says something at random about it."""
    rng = random.Random(seed)
    entities: dict[str, Entity] = {}
    for n in choice:
        name, kind, others = NAMES[n]
        introduced = (id,) if rng.random() < 0.2 else ()
        entities.setdefault(
            name,
            Entity(name, name, kind, tuple(sorted({name, *others})), introduced,
                   confidence=rng.choice([0.5, 0.9, 1.0])),
        )  # fmt: skip
    text = " ".join(n for e in entities.values() for n in e.names) or "nothing"
    mentions = [
        Mention(id, "text", text.index(n), text.index(n) + len(n), n, e.type, e.key, 0.9, "r")
        for e in entities.values()
        for n in e.names
    ]
    methods = [e.key for e in entities.values() if e.type in ("Method", "Model")]
    data = [e.key for e in entities.values() if e.type in ("Dataset", "Benchmark")]

    def say(subject: str, predicate: str, obj: str) -> Statement:
        e = Evidence(
            id, "text", 0, len(text), text, rng.choice([0.6, 0.8]), "r", rng.random() < 0.2
        )
        return Statement(subject, predicate, obj, (e,))

    claims = {(h, "improves-over", t) for h, t in itertools.pairwise(methods)}
    claims |= {(h, "evaluates-on", t) for h in [*methods[:1], "PAPER"] for t in data[:1]}
    statements = tuple(say(*c) for c in sorted(claims))
    results: tuple[Result, ...] = ()
    if methods and data:
        results = (Result(id, "text", 0, len(text), text, methods[0], data[0], value=1.5),)
    found = Extraction(id, tuple(entities.values()), tuple(sorted(mentions)), statements, results)
    return Paper(id, text, date="2020", source=Source(id, 1)), found


def dump(graph: Graph) -> bytes:
    out = io.BytesIO()
    write_json(graph, out)
    return out.getvalue()


@contextmanager
def opened(directory: Path) -> Iterator[Ledger]:
    with Ledger(directory, create=True) as ledger:
        yield ledger


def put(ledger: Ledger, pair: tuple[Paper, Extraction]) -> None:
    ledger.replace_file(pair[0].id, [Read(pair[0])])
    ledger.settle()
    ledger.add_extractions([pair], "e1")


def scratch(ledger: Ledger, decisions: Decisions = NONE) -> bytes:
    return dump(assemble(ledger.papers(), ledger.extractions(), decisions))


DECISIONS = """
- merge: [method/finetuning, task/parsing]
""", """
- merge: [method/fine-tuning, method/llama]
- split: [method/retrieval-augmented-generation, method/rag]
- retype: data/squad
  to: Task
- rename: method/llama3
  to: The Llama
- reject: method/parsing
- accept: method/rapid-vector-exchange improves-over method/llama
- reject: method/llama improves-over method/llama3
""", """
- split: method/llama3
  papers: [p1, p2, p3]
  as: Another-Llama
"""  # fmt: skip


def decided(text: str) -> Decisions:
    return Decisions(d for _, d in entries(text) if d)


steps = st.lists(
    st.tuples(
        st.sampled_from(["p1", "p2", "p3", "p4", "p5", "p6"]),
        st.one_of(
            st.none(), st.lists(st.integers(0, len(NAMES) - 1), max_size=5), st.just("decide")
        ),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps=steps)
def test_following_changes_comes_to_the_graph_made_from_scratch(
    steps: list[tuple[str, list[int] | str | None, int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory = tmp_path_factory.mktemp("graph")
    decisions = NONE
    with opened(directory) as ledger:
        assembly = Assembly(ledger)
        there: set[str] = set()
        for id, choice, seed in steps:
            if choice == "decide":
                decisions = decided(DECISIONS[1 + seed % 2]) if seed else NONE
            elif isinstance(choice, list):
                put(ledger, paper(id, choice, seed))
                there.add(id)
            elif id in there:
                ledger.remove([id])
                there.discard(id)
            assembly.update(decisions)
            graph = assembly.graph()
            assert dump(graph) == scratch(ledger, decisions)
            assert assembly.counts() == {
                "papers": len(graph.papers),
                "mentions": len(graph.mentions),
                "entities": len(graph.entities),
                "statements": len(graph.statements),
                "results": len(graph.results),
            }
            assert not assembly.update(decisions)


def test_two_processes_may_begin_at_once(tmp_path: Path) -> None:
    class Late(Ledger):
        @contextmanager
        def transaction(self) -> Iterator[sqlite3.Connection]:
            with Ledger(tmp_path) as other:
                Assembly(other)
            with super().transaction() as db:
                yield db

    Ledger(tmp_path, create=True).close()
    with Late(tmp_path) as ledger:
        assert Assembly(ledger).counts()["entities"] == 0


def test_graph_is_read_as_it_stands_while_another_process_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg.ledger_file._TIMEOUT", 0.01)
    monkeypatch.setattr("kg.ledger_file._PATIENCE", 0.0)
    refused = 0

    def disturbed(cls: type[Any], data: dict[str, Any]) -> Any:
        nonlocal refused
        if not refused:
            with Ledger(tmp_path) as other, pytest.raises(StoreError):
                Assembly(other).update(NONE)
            refused += 1
        return from_json(cls, data)

    with opened(tmp_path) as ledger:
        put(ledger, paper("p1", [0, 9, 15], 1))
        assembly = Assembly(ledger)
        assembly.update(NONE)
        put(ledger, paper("p2", [1, 9], 2))
        monkeypatch.setattr("kg.assemble.incremental.from_json", disturbed)
        assert len({m.paper for m in assembly.graph().mentions}) == 1
        assert assembly.update(NONE)
        assert len({m.paper for m in assembly.graph().mentions}) == 2


def test_deleting_the_derived_file_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        for n in range(4):
            put(ledger, paper(f"p{n}", [n, n + 9, 15], n))
        assembly = Assembly(ledger)
        assert assembly.update(NONE)
        before = dump(assembly.graph())
    for damage in (None, b"", b"this is no database " * 100):
        if damage is None:
            (tmp_path / FILE).unlink()
        else:
            (tmp_path / FILE).write_bytes(damage)
        with opened(tmp_path) as ledger:
            assembly = Assembly(ledger)
            assert assembly.update(NONE)
            assert dump(assembly.graph()) == before


def test_a_key_changes_in_all_papers_when_its_spelling_does(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        assembly = Assembly(ledger)
        put(ledger, paper("p1", [20, 15], 1))
        assembly.update(NONE)
        assert (
            "method/fine-tuning" in assembly.graph().entities
        )  # "Fine Tuning" is one of its names
        put(ledger, paper("p2", [19, 15], 1))
        assembly.update(NONE)
        assert dump(assembly.graph()) == scratch(ledger)
