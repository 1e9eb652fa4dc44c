from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from kg.assemble.compare import base_names, compare
from kg.cli import cli

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from names import PAIRS, b_cubed, clusters, measure, ours, read_pairs


def test_figures_of_the_gold_pairs() -> None:
    figures = measure(ours)
    assert figures["pairs"] >= 400
    assert figures["precision of same"] == 1.0
    assert figures["precision of different"] == 1.0
    assert figures["recall of same"] >= 0.95
    assert figures["recall of different"] >= 0.95
    assert figures["B-cubed F1"] >= 0.97


def test_gold_pairs_are_of_both_kinds_and_stand_once() -> None:
    pairs = read_pairs()
    counts = Counter(answer for _, _, answer, _ in pairs)
    assert min(counts.values()) >= 180
    assert len({frozenset(p[:2]) for p in pairs}) == len(pairs)


def test_answer_does_not_depend_on_the_order_of_the_names() -> None:
    for a, b, *_ in read_pairs():
        assert compare(a, b) == compare(b, a)


def test_b_cubed_of_a_hand_made_case() -> None:
    gold = clusters([("a", "b"), ("b", "c")], "abcd")
    assert b_cubed(gold, gold) == (1.0, 1.0)
    apart = clusters([], "abcd")
    assert b_cubed(gold, apart) == (1.0, pytest.approx((3 * 1 / 3 + 1) / 4))


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        ("Llama-3-70B", ["llama3", "llama"]),
        ("BERT-base", ["bert"]),
        ("CIFAR-10", ["cifar"]),
        ("SQuAD 2.0", ["squad"]),
        ("DINOv2", ["dino"]),
        ("GPT-OSS-120B", ["gptoss"]),
        ("Gemini 1.5 Pro", ["gemini1.5", "gemini"]),
        ("T5-11B", ["t5"]),
        ("T5", []),
        ("GPT-4o", []),
        ("BiLSTM", []),
        ("machine translation", []),
    ],
)
def test_variants_lead_to_what_they_are_variants_of(name: str, bases: list[str]) -> None:
    assert base_names(name) == bases


def test_command_answers_a_pair_and_a_file() -> None:
    run = CliRunner().invoke
    assert '"answer": "same"' in run(cli, ["resolve", "Llama 3.1", "LLaMA-3.1", "--json"]).stdout
    done = run(cli, ["resolve", "--pairs", str(PAIRS)])
    assert done.exit_code == 2  # its first lines are comments, no pairs
    lines = "GPT-2\tGPT-3\tx\nCL\tcontrastive learning\n"
    done = run(cli, ["resolve", "--pairs", "-"], input=lines)
    assert done.stdout.splitlines() == [
        "GPT-2\tGPT-3\tdifferent\tversion",
        "CL\tcontrastive learning\tunsure\tabbreviation",
    ]
    assert run(cli, ["resolve", "one"]).exit_code == 2
    assert ":1: two names" in run(cli, ["resolve", "--pairs", "-"], input="one\n").stderr
