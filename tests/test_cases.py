"""The extraction cases of ``tests/cases/``: abstract in, expected facts out. See its README."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kg import extract
from kg.extract.gold_form import to_gold
from kg.records import Extraction, Paper

CASES = Path(__file__).parent / "cases"


def cases(*levels: str) -> list[Any]:
    """Return the cases of these levels as parameters of a test."""
    return [
        pytest.param(case, id=f"{path.stem}: {case['name']}")
        for path in sorted(CASES.glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
        if case["level"] in levels
    ]


@cache
def extractor(name: str) -> Any:
    return extract.load(name)


class Found:
    """What an extractor found, asked by strings as the cases name things."""

    def __init__(self, paper: Paper, extraction: Extraction) -> None:
        form = to_gold(paper, extraction)
        self.entities = form["entities"]
        self.relations = form["relations"]
        self.results = form["results"]
        self.strings = {
            e["name"]: {m["text"].casefold() for m in e["mentions"]} | {e["name"].casefold()}
            for e in self.entities
        }

    def named(self, string: str | None) -> set[str | None]:
        """Return the names of the entities that ``string`` stands for."""
        if string is None or string == "PAPER":
            return {string}
        return {n for n, strings in self.strings.items() if string.casefold() in strings}

    def has_relation(self, relation: list[str]) -> bool:
        head, kind, tail = relation
        return any(
            r["type"] == kind and r["head"] in self.named(head) and r["tail"] in self.named(tail)
            for r in self.relations
        )

    def agrees(self, result: dict[str, Any], wanted: dict[str, Any]) -> bool:
        for key, value in wanted.items():
            if key in ("head", "benchmark", "metric", "baseline"):
                if result[key] not in self.named(value):
                    return False
            elif key == "figure":
                if value not in (result["value"], result["delta"]):
                    return False
            elif result[key] != value:
                return False
        return True


def failures(found: Found, expect: dict[str, Any]) -> list[str]:
    """Return what does not hold of ``expect``, one line each."""
    wrong: list[str] = []
    for key in ("entities", "entities_exactly"):
        for name, kind in expect.get(key, ()):
            of_type = [e for e in found.entities if e["name"] in found.named(name)]
            if not any(kind in (None, e["type"]) for e in of_type):
                wrong.append(f"no {kind} {name}")
    if "entities_exactly" in expect:
        names = {n for name, _ in expect["entities_exactly"] for n in found.named(name)}
        wrong += [f"unexpected entity {n}" for n in found.strings if n not in names]
    mentions = {m["text"] for e in found.entities for m in e["mentions"]}
    wrong += [f"mention {n}" for n in expect.get("absent_entities", ()) if n in mentions]
    wrong += [
        f"{a} and {b} are not one entity"
        for a, b in expect.get("same", ())
        if not found.named(a) & found.named(b)
    ]
    wrong += [
        f"{a} and {b} are one entity"
        for a, b in expect.get("different", ())
        if found.named(a) & found.named(b)
    ]
    if "introduced" in expect:
        marked = {e["name"] for e in found.entities if e["introduced"]}
        wanted = {n for name in expect["introduced"] for n in found.named(name)}
        missing = [name for name in expect["introduced"] if not found.named(name) & marked]
        if missing or marked - wanted:
            wrong.append(f"introduced {sorted(marked)}, not {expect['introduced']}")
    for key in ("relations", "relations_exactly"):
        wrong += [f"no {r}" for r in expect.get(key, ()) if not found.has_relation(r)]
    if "relations_exactly" in expect:
        wanted = expect["relations_exactly"]
        wrong += [
            f"unexpected relation {r}"
            for r in found.relations
            if not any(
                r["type"] == kind
                and r["head"] in found.named(head)
                and r["tail"] in found.named(tail)
                for head, kind, tail in wanted
            )
        ]
    wrong += [f"states {r}" for r in expect.get("absent_relations", ()) if found.has_relation(r)]
    for key in ("results", "results_exactly"):
        wrong += [
            f"no result {w}"
            for w in expect.get(key, ())
            if not any(found.agrees(r, w) for r in found.results)
        ]
    count = expect.get("results_count", len(expect.get("results_exactly", found.results)))
    if count != len(found.results):
        wrong.append(f"{len(found.results)} results, not {count}")
    return wrong


def check(case: dict[str, Any], name: str) -> None:
    paper = Paper("case", case["text"], case.get("title", ""))
    extraction = extractor(name).extract(paper)
    for m in extraction.mentions:
        assert paper.part(m.part)[m.start : m.end] == m.surface
    wrong = failures(Found(paper, extraction), case["expect"])
    assert not wrong, "\n".join([case["text"], *wrong])


@pytest.mark.parametrize("case", cases("pattern"))
def test_patterns(case: dict[str, Any]) -> None:
    check(case, "patterns")


def test_most_cases_hold_for_the_trained_model() -> None:
    """The model learned from whole abstracts, and its arithmetic differs a little by processor."""
    passed = 0
    every = [case.values[0] for case in cases("pattern", "model")]
    for case in every:
        paper = Paper("case", case["text"], case.get("title", ""))
        extraction = extractor("model").extract(paper)
        for m in extraction.mentions:
            assert paper.part(m.part)[m.start : m.end] == m.surface
        passed += not failures(Found(paper, extraction), case["expect"])
    assert passed / len(every) > 0.65


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (
            "We introduce BramNet, a novel method. On SNLI, RoBERTa is outperformed by BramNet.",
            ["BramNet", "improves-over", "RoBERTa"],
            ["RoBERTa", "improves-over", "BramNet"],
        ),
        (
            "WhinLM is compared with Llama 2 and performs worse than Llama 2 on MMLU.",
            ["WhinLM", "compared-with", "Llama 2"],
            ["WhinLM", "improves-over", "Llama 2"],
        ),
    ],
)
def test_plain_words_overrule_the_model(text: str, right: list[str], wrong: list[str]) -> None:
    paper = Paper("case", text)
    found = Found(paper, extractor("model").extract(paper))
    assert found.has_relation(right)
    assert not found.has_relation(wrong)
