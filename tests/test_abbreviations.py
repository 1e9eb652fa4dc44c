from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.extract.abbreviations import abbreviations


def pairs(text: str) -> list[tuple[str, str]]:
    return [(text[a:b], text[c:d]) for a, b, c, d in abbreviations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use Direct Preference Optimization (DPO).", ("DPO", "Direct Preference Optimization")),
        ("graph neural networks (GNNs) are used", ("GNNs", "graph neural networks")),
        ("We call it DPO (Direct Preference Optimization).",
         ("DPO", "Direct Preference Optimization")),
        ("a variational auto-encoder (VAE) is", ("VAE", "variational auto-encoder")),
        ("named entity recognition (NER, for short)", ("NER", "named entity recognition")),
        ("mean average precision [mAP] rises", ("mAP", "mean average precision")),
        ("natural-language inference (“NLI”) is", ("NLI", "natural-language inference")),
        ("the in-context learning (ICL) of models", ("ICL", "in-context learning")),
        ("what is called “image captioning” (IC) is", ("IC", "image captioning")),
    ],
)  # fmt: skip
def test_definitions(text: str, expected: tuple[str, str]) -> None:
    assert pairs(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "It improves (see Table 2) on all.",
        "We evaluate BERT (with care) on it.",
        "Results are better (GLUE).",
        "The LSTM (Hochreiter and Schmidhuber, 1997) is old.",
        "an accuracy of 5 (A) and (B)",
        "()",
    ],
)
def test_brackets_that_define_nothing(text: str) -> None:
    assert pairs(text) == []


def test_the_long_form_does_not_cross_a_sentence() -> None:
    assert pairs("It uses data. Processing Optimally (DPO) is hard.") == []


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.sampled_from("aAbB (),.-1\n"), max_size=60))
def test_spans_are_spans(text: str) -> None:
    for a, b, c, d in abbreviations(text):
        assert 0 <= a < b <= len(text)
        assert 0 <= c < d <= len(text)
        assert b <= c or d <= a
