from __future__ import annotations

from pathlib import Path

import pytest

from kg.errors import InputError
from kg.extract.document import Entity, Finding
from kg.extract.patterns.claims import claims
from kg.extract.patterns.contribution import Contribution, chief_of, introductions
from kg.extract.patterns.cues import read_introductions, read_relations
from kg.extract.patterns.measured import Kinds, Rules
from kg.extract.patterns.moods import hedged, negated
from kg.extract.patterns.relations import bones, relations
from kg.extract.patterns.results import results
from kg.extract.patterns.skeleton import Anaphor, anaphora, rule, skeleton
from kg.extract.sentences import sentences

CUES = read_relations()
TRUST = Rules({})
"""Rules without weights: what is said in plain words has its floor, all else even odds."""


def entity(text: str, name: str, kind: str) -> Entity:
    found, at = [], text.find(name)
    while at >= 0:
        found.append(Finding(at, at + len(name), "entity:test", 1.0))
        at = text.find(name, at + 1)
    return Entity(name, kind, 1.0, "entity:test", found)


KINDS = {
    "Foo": "Method",
    "BERT": "Model",
    "ELMo": "Model",
    "GPT": "Model",
    "GLUE": "Benchmark",
    "SNLI": "Benchmark",
    "C4": "Dataset",
    "parsing": "Task",
    "tagging": "Task",
    "accuracy": "Metric",
    "F1": "Metric",
}


def known(text: str) -> list[Entity]:
    return [entity(text, name, kind) for name, kind in KINDS.items() if name in text]


def said(text: str, introduced: str = "") -> dict[tuple[str, str, str], str]:
    """Return what a plain or measured cue states, and whether it is denied or supposed."""
    entities = known(text)
    index = [i for i, e in enumerate(entities) if e.name == introduced]
    chief = chief_of(dict.fromkeys(index, 1.0), entities)
    found = relations(text, sentences(text), entities, chief, 0, CUES)
    found = [r for r in found if ":any:" not in r.rule]
    return {
        (
            "PAPER" if c.subject is None else entities[c.subject].name,
            c.predicate,
            entities[c.object].name,
        ): "negated" if c.negated else "hedged" if c.hedged else "plain"
        for c in claims(found, entities, TRUST, 0.55)
    }


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("BERT outperforms ELMo.", ("BERT", "improves-over", "ELMo")),
        ("ELMo is outperformed by BERT.", ("BERT", "improves-over", "ELMo")),
        ("Foo significantly improves over BERT.", ("Foo", "improves-over", "BERT")),
        ("Foo extends BERT.", ("Foo", "builds-on", "BERT")),
        ("Foo is based on BERT.", ("Foo", "builds-on", "BERT")),
        ("Foo is evaluated on GLUE.", ("Foo", "evaluates-on", "GLUE")),
        ("We evaluate Foo on GLUE.", ("Foo", "evaluates-on", "GLUE")),
        ("Foo is pretrained on C4.", ("Foo", "trained-on", "C4")),
        ("Foo performs on par with BERT.", ("Foo", "compared-with", "BERT")),
    ],
)
def test_plain_statements(text: str, relation: tuple[str, str, str]) -> None:
    assert said(text).get(relation) == "plain"


def test_a_passive_has_no_inverse() -> None:
    assert ("ELMo", "improves-over", "BERT") not in said("ELMo is outperformed by BERT.")


def test_every_member_of_a_list() -> None:
    found = said("Foo outperforms BERT, ELMo, and the larger GPT.")
    assert {tail for head, kind, tail in found if (head, kind) == ("Foo", "improves-over")} == {
        "BERT",
        "ELMo",
        "GPT",
    }


@pytest.mark.parametrize(
    ("text", "relation", "mood"),
    [
        ("Foo does not outperform BERT.", ("Foo", "improves-over", "BERT"), "negated"),
        ("Foo never outperforms BERT.", ("Foo", "improves-over", "BERT"), "negated"),
        ("Foo could outperform BERT.", ("Foo", "improves-over", "BERT"), "hedged"),
        ("We plan to evaluate Foo on GLUE.", ("Foo", "evaluates-on", "GLUE"), "hedged"),
        ("Foo is claimed to outperform BERT.", ("Foo", "improves-over", "BERT"), "hedged"),
    ],
)
def test_moods(text: str, relation: tuple[str, str, str], mood: str) -> None:
    entities = known(text)
    found = relations(text, sentences(text), entities, Contribution({}, None, None), 0, CUES)
    moods = {
        "negated" if r.negated else "hedged" if r.hedged else "plain"
        for r in found
        if r.predicate == relation[1] and ":any:" not in r.rule
    }
    assert moods <= {mood}


@pytest.mark.parametrize("clause", ["it does not help", "it doesn’t help", "it fails to help"])
def test_negated(clause: str) -> None:
    assert negated(clause)


@pytest.mark.parametrize("clause", ["not only better", "nothing else", "a notable gain"])
def test_not_negated(clause: str) -> None:
    assert not negated(clause)


@pytest.mark.parametrize("clause", ["it may help", "we plan to test", "is reported to win"])
def test_hedged(clause: str) -> None:
    assert hedged(clause)


@pytest.mark.parametrize("clause", ["it can win", "we mean it", "in May"[:2]])
def test_not_hedged(clause: str) -> None:
    assert not hedged(clause)


@pytest.mark.parametrize(
    "text", ["Our method outperforms BERT.", "It outperforms BERT.", "We outperform BERT."]
)
def test_anaphora_mean_the_contribution(text: str) -> None:
    whole = "We propose Foo. " + text
    assert said(whole, "Foo").get(("Foo", "improves-over", "BERT")) == "plain"
    assert said(text).get(("PAPER", "improves-over", "BERT")) == "plain"


def test_kinds_of_anaphora() -> None:
    text = "We show that our new benchmark is hard, and our simple method wins"
    assert [a.item for a in anaphora(text)] == [Anaphor.WE, Anaphor.DATA, Anaphor.METHOD]


def test_no_relation_with_itself_and_only_valid_ones() -> None:
    text = "GLUE outperforms BERT. BERT outperforms BERT. Foo is evaluated on parsing."
    assert not [r for r in said(text) if r[1] in ("improves-over", "evaluates-on")]


def test_skeleton_joins_a_name_and_its_abbreviation() -> None:
    text = "Direct Optimization (DO) wins"
    entities = [
        Entity("DO", "Method", 1.0, "", [Finding(0, 19, "", 1.0), Finding(21, 23, "", 1.0)])
    ]
    assert len(bones(text, (0, len(text)), entities).text) == len("X wins")


def test_skeleton_keeps_private_characters_out() -> None:
    assert skeleton("a \ue000 b", 0, 5, []).text == "a \ufffd b"


def test_rule_puts_the_ranges_in() -> None:
    assert rule("{M} on {Ds}").search("\ue000 on \ue800, \ue801 and \uec00")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("predicate\tcue\tpattern\nloves\ta\t(?P<t>{M})\n", ":2: no predicate 'loves'"),
        ("predicate\tcue\tpattern\nbuilds-on\ta\t(?P<t>{M}\n", ":2: not a regular expression"),
        ("predicate\tcue\tpattern\nbuilds-on\ta\t{M}\n", ":2: the pattern has no group"),
        ("predicate\tcue\tpattern\nbuilds-on\ta\n", ":2: need 3 cells, found 2"),
    ],
)
def test_cues_that_are_wrong(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "relations.tsv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_relations(path)


def test_signs_of_introduction() -> None:
    text = "Foo: a parser\n\nWe propose Foo, a new parser. BERT is old."
    entities = known(text)
    found = introductions(text, sentences(text), entities, 15, read_introductions())
    signs = {name.split(":")[1] for i, name in found if entities[i].name == "Foo"}
    assert {"colon", "verb", "novel", "appositive"} <= signs
    theirs = {name.split(":")[1] for i, name in found if entities[i].name == "BERT"}
    assert not theirs & {"colon", "verb", "novel", "appositive"}


def reported(text: str, introduced: str = "Foo") -> list[dict[str, object]]:
    entities = known(text)
    index = [i for i, e in enumerate(entities) if e.name == introduced]
    chief = chief_of(dict.fromkeys(index, 1.0), entities)
    rules = Rules({"figure": (1, 1.0, 5.0), "delta": (1, 0.5, -1.0),
                   "delta:before0": (1, 1.0, 0.0), "delta:before0:by": (1, 1.0, 9.0)})  # fmt: skip
    rows = results(text, sentences(text), entities, chief, 0, rules)

    def name(i: int | None) -> str | None:
        return None if i is None else "PAPER" if i < 0 else entities[i].name

    return [
        {
            "head": name(r.subject),
            "on": name(r.benchmark),
            "metric": name(r.metric),
            "value": r.value,
            "unit": r.unit,
            "than": name(r.baseline),
            "base": r.baseline_value,
            "delta": r.delta,
            "direction": r.direction,
        }
        for r in rows
    ]


def test_from_to() -> None:
    (r,) = reported("Foo raises accuracy on GLUE from 72.0% to 80.2%.")
    assert r == {
        "head": "Foo", "on": "GLUE", "metric": "accuracy", "value": 80.2, "unit": "%",
        "than": None, "base": 72.0, "delta": None, "direction": "up",
    }  # fmt: skip


def test_by_a_difference() -> None:
    (r,) = reported("Foo outperforms BERT by 3.2% F1 on SNLI.")
    assert (r["delta"], r["value"], r["direction"]) == (3.2, None, "up")
    assert (r["than"], r["metric"], r["on"]) == ("BERT", "F1", "SNLI")


def test_a_drop() -> None:
    (r,) = reported("Foo reduces F1 on GLUE from 5.8 to 4.9.")
    assert (r["value"], r["base"], r["direction"]) == (4.9, 5.8, "down")


def test_respectively() -> None:
    rows = reported("Foo gains 71.2% accuracy and 65.4% accuracy on GLUE and SNLI, respectively.")
    assert [(r["value"], r["on"]) for r in rows] == [(71.2, "GLUE"), (65.4, "SNLI")]


def test_respectively_with_rivals() -> None:
    rows = reported("Foo outperforms BERT and ELMo by 2x and 3x on GLUE and SNLI, respectively.")
    assert [(r["delta"], r["than"], r["on"]) for r in rows] == [
        (2.0, "BERT", "GLUE"),
        (3.0, "ELMo", "SNLI"),
    ]


def test_nobody_is_told() -> None:
    (r,) = reported("The best model only reaches 38.1% accuracy on GLUE.", "")
    assert r["head"] is None


def test_the_paper_itself() -> None:
    (r,) = reported("Our approach reaches 91.0 F1 on GLUE.", "")
    assert (r["head"], r["value"]) == ("PAPER", 91.0)


def test_rules_add_up() -> None:
    rules = Rules({"q": (10, 0.5, 0.0), "q:a": (5, 1.0, 2.0), "q:a:b": (2, 1.0, 1.0)})
    assert rules.weight("q:a:b") == 3.0
    assert rules.weight("q:a:c") == 2.0
    assert rules("q", ["q:a:b", "q:a"]) == pytest.approx(0.9526, abs=1e-4)
    assert rules("q", []) == 0.5
    assert rules.best(["q:x", "q:a"]) == "q:a"


@pytest.mark.parametrize(("reader", "cells"), [(Rules, "a\tb"), (Kinds, "cue\t1\t2")])
def test_measured_files_that_are_wrong(
    tmp_path: Path, reader: type[Rules] | type[Kinds], cells: str
) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(f"# comment\n{cells}\n".replace("cue", "x"), encoding="utf-8")
    with pytest.raises(InputError, match=":2: need"):
        reader.read(path)
