from __future__ import annotations

import json
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError
from kg.evaluate import score
from kg.evaluate.documents import read_documents
from kg.evaluate.errors import error_kinds, reliability
from kg.evaluate.page import page
from kg.evaluate.spread import spread

SHARED = Path(__file__).parents[2] / "shared" / "gold"

GOLD: list[dict[str, Any]] = [
    {
        "id": "one",
        "text": "We present AlphaNet, which beats BetaNet on GLUE by 2 points.",
        "entities": [
            {"name": "AlphaNet", "type": "Model", "introduced": True, "mentions": ["AlphaNet"]},
            {"name": "BetaNet", "type": "Model", "introduced": False, "mentions": ["BetaNet"]},
            {"name": "GLUE", "type": "Benchmark", "introduced": False, "mentions": ["GLUE"]},
        ],
        "relations": [
            {"head": "AlphaNet", "type": "improves-over", "tail": "BetaNet"},
            {"head": "AlphaNet", "type": "evaluates-on", "tail": "GLUE"},
        ],
        "results": [
            {"head": "AlphaNet", "benchmark": "GLUE", "metric": None, "value": None, "delta": 2.0}
        ],
    }
]


def found() -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(GOLD[0]))
    return copy


def test_a_perfect_extraction_scores_one() -> None:
    for name, count in score(GOLD, GOLD).items():
        assert count.f1 == 1.0, name


def test_a_missing_paper_counts_as_empty() -> None:
    counts = score(GOLD, [])
    assert counts["entities"].to_json() == {
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "gold": 3,
        "predicted": 0,
    }


def test_a_wrong_type_is_wrong_but_right_without_types() -> None:
    p = found()
    p["entities"][1]["type"] = "Method"
    counts = score(GOLD, [p])
    assert (counts["entities"].right, counts["entities_untyped"].right) == (2, 3)
    assert counts["relations"].right == 1
    assert counts["mentions"].right == 2


def test_a_result_needs_its_figure_and_its_benchmark() -> None:
    wrong_figure, wrong_benchmark = found(), found()
    wrong_figure["results"][0]["delta"] = 3.0
    wrong_benchmark["results"][0]["benchmark"] = None
    assert score(GOLD, [wrong_figure])["results"].right == 0
    assert score(GOLD, [wrong_benchmark])["results"].right == 0


def test_a_benchmark_that_is_not_told_is_not_the_one_that_is_unknown() -> None:
    g, p = found(), found()
    g["results"][0]["benchmark"] = "SQuAD"  # which is none of its entities
    p["results"][0]["benchmark"] = None
    assert score([g], [p])["results"].right == 0


def test_errors_of_two_relations_between_the_same_ends_do_not_depend_on_hashes() -> None:
    g, p = found(), found()
    g["relations"] = [
        {"head": "AlphaNet", "type": t, "tail": "GLUE"}
        for t in ("trained-on", "evaluates-on", "applies-to", "part-of")
    ]
    p["relations"] = [{"head": "AlphaNet", "type": "compared-with", "tail": "GLUE"}]
    assert error_kinds([g], [p])["relation: type compared-with for trained-on"] == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"caf\xe9", "no JSON in UTF-8"),
        (b"[1]", "an object is expected"),
        (b'{"id": 1, "entities": []}', "`id`"),
        (b'{"id": "2"}', "`entities`"),
        (b'{"id": "2", "text": 5, "entities": []}', "`text`"),
        (b'{"id": "2", "entities": ["BERT"]}', "entities, number 1: an object"),
        (b'{"id": "2", "entities": [{"name": "A", "type": "Model"}]}', "`mentions`"),
        (b'{"id": "2", "entities": [{"name": "A", "type": "Thing", "mentions": []}]}', "Dataset"),
        (
            b'{"id": "2", "entities": [{"name": "A", "type": "Task", "mentions": [1]}]}',
            "`mentions`",
        ),
        (b'{"id": "2", "entities": [], "relations": [{"type": "part-of"}]}', "`head`"),
        (b'{"id": "2", "entities": [], "relations": [{"type": "likes"}]}', "builds-on"),
        (b'{"id": "2", "entities": [], "results": [{"metric": ["F1"]}]}', "`metric`"),
        (b'{"id": "2", "entities": [], "results": [{"value": "5"}]}', "`value`"),
        (b'{"id": "1", "entities": []}', "'1' stands twice"),
    ],
)
def test_what_is_no_annotated_paper_is_told_with_its_line(
    line: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "1", "entities": []}\r\n\n' + line)
    with pytest.raises(InputError, match=r"gold\.jsonl:3: not an annotated paper") as told:
        read_documents(path)
    assert problem in str(told.value)


def test_annotated_papers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(GOLD[0]) + "\n", encoding="utf-8")
    assert read_documents(path) == GOLD
    with pytest.raises(InputError, match="cannot read"):
        read_documents(tmp_path)


def test_errors_have_kinds() -> None:
    p = found()
    p["entities"][1]["type"] = "Method"
    p["relations"][1]["type"] = "trained-on"
    kinds = error_kinds(GOLD, [p])
    assert kinds["mention: type Method for Model"] == 1
    assert kinds["relation: end is no entity"] == 1
    assert kinds["relation: type trained-on for evaluates-on"] == 1


def test_reliability_compares_confidence_with_precision() -> None:
    p = found()
    for e in p["entities"]:
        e["confidence"] = 0.92
    p["entities"][1]["type"] = "Task"
    (b,) = reliability(GOLD, [p])
    assert (b.kind, b.low, b.high, b.count) == ("entities", 0.9, 0.95, 3)
    assert b.precision == pytest.approx(2 / 3, abs=1e-4)


def papers(right: int, wrong: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    gold = [{**GOLD[0], "id": str(i)} for i in range(right + wrong)]
    return gold, [
        {**g, "relations": g["relations"] if i < right else []} for i, g in enumerate(gold)
    ]


def test_spread_is_around_the_figure_and_narrower_with_more_papers() -> None:
    few, many = spread(*papers(15, 5)), spread(*papers(150, 50))
    f1 = score(*papers(15, 5))["relations"].f1
    assert (
        few["relations"][0] < many["relations"][0] < f1 < many["relations"][1] < few["relations"][1]
    )
    assert few["entities"] == (1.0, 1.0)
    assert spread(*papers(15, 5)) == few
    assert few.keys() == score(*papers(15, 5)).keys()


def test_spread_holds_about_its_share_of_samples() -> None:
    rng = random.Random(5)
    inside = 0
    for _ in range(40):
        right = sum(rng.random() < 0.7 for _ in range(60))
        gold, predicted = papers(right, 60 - right)
        low, high = spread(gold, predicted, 0.9)["relations"]
        inside += low <= 2 * 0.7 / 1.7 <= high
    assert 28 <= inside <= 40


def test_spread_of_no_papers_is_empty() -> None:
    assert spread([], []) == {}


def test_page_shows_both_sides_and_escapes() -> None:
    p = found()
    p["text"] = GOLD[0]["text"]
    p["relations"][0]["tail"] = "<b>"
    text = page(GOLD, [p])
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count("<article>") == 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="the gold files are not beside the checkout")
def test_figures_are_those_of_the_gold_scorer() -> None:
    reference = runpy.run_path(str(SHARED / "score.py"))["score"]
    gold = [json.loads(n) for n in (SHARED / "dev.jsonl").read_text("utf-8").splitlines()]
    rng = random.Random(7)
    noisy = []
    for document in json.loads(json.dumps(gold)):
        document["entities"] = [e for e in document["entities"] if rng.random() < 0.8]
        for e in document["entities"]:
            if rng.random() < 0.1:
                e["type"] = rng.choice(["Method", "Model", "Task"])
            if rng.random() < 0.1:
                e["introduced"] = not e["introduced"]
            e["mentions"] = [m for m in e["mentions"] if rng.random() < 0.9]
        for r in document["relations"]:
            if rng.random() < 0.2:
                r["type"] = "builds-on"
        document["results"] = [r for r in document["results"] if rng.random() < 0.7]
        if rng.random() < 0.95:
            noisy.append(document)
    ours = {name: count.to_json() for name, count in score(gold, noisy).items()}
    assert ours == reference(gold, noisy)
