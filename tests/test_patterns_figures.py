from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.extract.clean import clean
from kg.extract.patterns.figures import figures


def read(text: str) -> list[tuple[float, str]]:
    return [(f.value, f.unit) for f in figures(clean(text).text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 72.0% to 80.2%", [(72.0, "%"), (80.2, "%")]),
        ("from 61.5 to 68.2 points", [(61.5, "points"), (68.2, "points")]),
        ("by 3.23%", [(3.23, "%")]),
        ("2x faster, 2.5× cheaper, 3-fold, 4 times", [(2, "x"), (2.5, "x"), (3, "x"), (4, "x")]),
        ("72.83 on BrowseComp", [(72.83, "")]),
        ("88.2pm0.3 AP", [(88.2, "")]),
        (r"88.2\pm0.3 AP", [(88.2, "")]),
        ("88.2 ± 0.3% AP", [(88.2, "%")]),
        (r"a 5\% gain", [(5, "%")]),
        ("by 2 and 3 points", [(2, ""), (3, "points")]),
        ("4 percentage points, 3 pp, 2%p", [(4, "pp"), (3, "pp"), (2, "pp")]),
        ("+2.4 BLEU points", [(2.4, "points")]),
        ("1,234.5 queries", [(1234.5, "")]),
        ("twice as fast", [(2, "x")]),
        ("13.1/5.4% lower", [(13.1, ""), (5.4, "%")]),
        (r"$2.5\times$", [(2.5, "x")]),
        ("12 percent", [(12, "%")]),
        ("scores 3.5. It", [(3.5, "")]),
    ],
)
def test_figures(text: str, expected: list[tuple[float, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a 7B model with 1.5M examples and 10K tokens",
        "in 2021 and (2018)",
        "GPT-3.5, Llama-3, F1 and BERT-base",
        "a 5-shot, 3-layer, 8-bit setting",
        "version v2.1.3 at www.x.org/2.5",
    ],
)
def test_no_figures(text: str) -> None:
    assert read(text) == []


def test_a_range_is_one_figure() -> None:
    (figure,) = figures("gains of 50–90× over it")
    assert (figure.value, figure.low, figure.unit) == (90.0, 50.0, "x")


def test_numbers_in_names_are_skipped() -> None:
    text = "WMT 14 gives 28.4"
    assert [f.value for f in figures(text, [(0, 6)])] == [28.4]


def test_a_pair_keeps_the_word_between() -> None:
    text = "from 72.0% to 80.2%"
    assert [text[f.start : f.end] for f in figures(text)] == ["72.0%", "80.2%"]


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.sampled_from("0123456789.,%x× -–±+/()pmto"), max_size=40))
def test_any_digits(text: str) -> None:
    found = figures(text)
    assert found == sorted(found, key=lambda f: f.start)
    for figure in found:
        assert 0 <= figure.start < figure.end <= len(text)
        assert figure.value >= 0
        assert figure.low is None or figure.low <= figure.value
