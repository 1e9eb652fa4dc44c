from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import InputError
from kg.extract.gazetteer import Gazetteer, Name, normal, singular
from kg.extract.patterns.names import capital, coined, cued, shape, title_case
from kg.extract.patterns.phrases import Phrases
from kg.extract.sentences import sentences


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("RoBERTa", "camel"),
        ("GLUE", "acronym4"),
        ("LLMs", "acronym3"),
        ("GPT4", "alnum"),
        ("XLM-R", "compound"),
        ("CIFAR-10", "compound"),
        ("Leap-of-Thought", "hyphen"),
        ("Large", ""),
        ("large-scale", ""),
        ("2020", ""),
        ("A", ""),
        ("Few-shot", ""),
    ],
)
def test_shapes(name: str, kind: str) -> None:
    assert shape(name) == kind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a BERT-based model", ["BERT"]),
        ("non-GPT4 and Llama-3.1-70B models", ["GPT4", "Llama-3.1-70B"]),
        ("we use Llama 3.1 8B here", ["Llama 3.1 8B"]),
        ("scores on SQuAD 2.0 rise", ["SQuAD", "SQuAD 2.0"]),
        ("a BLEU of 28.4", ["BLEU"]),
        ("Pass@k and F1", ["Pass@k", "F1"]),
        ("no name here, at all", []),
    ],
)
def test_coined_names(text: str, found: list[str]) -> None:
    assert [text[c.start : c.end] for c in coined(text)] == found


def names(text: str, finder: str) -> set[str]:
    starts = frozenset(a for a, _ in sentences(text))
    found = {"cued": cued, "row": title_case, "capital": capital}[finder](text, starts, 0)
    return {text[c.start : c.end] for c in found}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a model called Merganser beats it", "Merganser"),
        ("We propose Kestrel, a filter", "Kestrel"),
        ("our framework, Dotterel, is fast", "Dotterel"),
        ("the proposed Gannet is small", "Gannet"),
        ("tested on the Spider benchmark", "Spider"),
        ("the Adam optimizer is used", "Adam"),
    ],
)
def test_announced_names(text: str, name: str) -> None:
    assert name in names(text, "cued")


def test_rows_of_capitals() -> None:
    text = "The Stanford Question Answering Dataset is used. New Methods win."
    assert names(text, "row") == {"Stanford Question Answering Dataset"}


def test_single_capitals_start_no_sentence() -> None:
    assert names("Results on Spider are good. However they vary.", "capital") == {"Spider"}


def test_phrases_end_in_a_head_noun_and_stop_at_a_border() -> None:
    phrases = Phrases({"recognition": "Task", "distillation": "Method"}, frozenset({"novel"}))
    text = "a novel speech recognition method, with knowledge-distillation and recognition"
    found = [(text[c.start : c.end], c.type) for c in phrases.find(text)]
    assert found == [("speech recognition", "Task"), ("knowledge-distillation", "Method")]


GAZETTEER = Gazetteer(
    [
        Name("CIFAR-10", "Benchmark"),
        Name("graph neural network", "Method"),
        Name("neural network", "Method"),
        Name("Adam", "Method", cased=True),
        Name("A* search", "Method"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on CIFAR-10, CIFAR 10 and cifar‑10", ["CIFAR-10", "CIFAR 10", "cifar‑10"]),
        ("not CIFAR-100 or CIFAR10", []),
        ("Graph Neural Networks", ["Graph Neural Networks"]),
        ("Adam met adam", ["Adam"]),
        ("by A* search", ["A* search"]),
        ("a neural. network", []),
    ],
)
def test_gazetteer_look_up(text: str, found: list[str]) -> None:
    assert [text[f.start : f.end] for f in GAZETTEER.find(text)] == found


def test_gazetteer_whole_strings() -> None:
    name = GAZETTEER.get("graph-neural networks")
    assert name is not None
    assert name.type == "Method"
    assert GAZETTEER.get("the CIFAR-10") is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("name\ttype\nBERT\tmodel\n", r":2: need a name and one of Method, Model"),
        ("BERT\tModel\n", r":1: the first row must name the columns"),
        ("name\ttype\tprecision\nBERT\tModel\t2\n", r":2: a share lies between 0 and 1"),
    ],
)
def test_gazetteer_rows_that_are_wrong(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "names.tsv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Gazetteer.read(path)


def test_shipped_gazetteer_reads() -> None:
    assert len(Gazetteer.read()) > 1000


@pytest.mark.parametrize(
    ("word", "stem"), [("models", "model"), ("studies", "study"), ("loss", "loss"), ("bias", "bia")]
)
def test_singular(word: str, stem: str) -> None:
    assert singular(word) == stem


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.sampled_from("abAB1-. ,*\n’é"), max_size=60))
def test_candidates_are_spans(text: str) -> None:
    starts = frozenset(a for a, _ in sentences(text))
    for found in (
        *coined(text),
        *title_case(text, starts, 0),
        *cued(text, starts, 0),
        *capital(text, starts, 0),
        *Phrases.read().find(text),
    ):
        assert 0 <= found.start < found.end <= len(text)
    for name in GAZETTEER.find(text):
        assert normal(text[name.start : name.end]) == normal(name.name.name)
