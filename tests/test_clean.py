from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.extract.clean import clean


@pytest.mark.parametrize(
    ("original", "text"),
    [
        (r"**C**ausal **E**ffect", "Causal Effect"),
        (r"a gain of 5\%", "a gain of 5%"),
        (r"88.2\pm0.3", "88.2 ± 0.3"),
        (r"88.2 \pm 0.3", "88.2 ± 0.3"),
        (r"$\beta$-VAE", "β-VAE"),
        (r"\textsc{Foo} and \emph{bar \textbf{baz}}", "Foo and bar baz"),
        (r"{\em Foo} is", "Foo is"),
        (r"D$^{2}$R$^{2}$OSR", "D^2R^2OSR"),
        (r"a $2.5\times$ speed-up", "a 2.5× speed-up"),
        (r"$1{,}000$ items", "1,000 items"),
        (r"\href{https://x.org}{code} here", "code here"),
        (r"known \cite{x} things\footnote{Not all.}", "known  things"),
        (r"about 30~dB in \frac{1}{2} of it", "about 30 dB in 1/2 of it"),
        ("R&amp;D &lt; x", "R&D < x"),
        ("<i>E. coli</i> H<sub>2</sub>O", "E. coli H2O"),
        ("one<br/>two", "one two"),
        ("an ef\ufb01cient soft\u00adware\u200b", "an efficient software"),
        ("10\u00a0%", "10 %"),
        ("BERT \ud800 model", "BERT \ufffd model"),
        ("_F_ and `code` and [link](https://x.org)", "F and code and link"),
        ("a 3\times gain", "a 3× gain"),
        ("\\method beats", "method beats"),
    ],
)
def test_markup_goes(original: str, text: str) -> None:
    assert clean(original).text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain text, of CIFAR-10 and 5% (or so).",
        "A* search, V* and O*NET are names.",
        "a*b*c and F_1, snake_case_name",
        "It costs $5 to $10, or $12.",
        "`a' and ``b'' are quoted.",
        "It’s “curly” – or not — and 3‑fold…",
        "x < y and y > z; AT&T",
        "About ~80% of it",
        "é, ü, 中文 and α",
        "(a) [1] {x}",
    ],
)
def test_plain_text_stays(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.text == text
    assert all(cleaned.original(i, i + 1) == (i, i + 1) for i in range(len(text)))


@pytest.mark.parametrize(
    ("original", "name", "surface"),
    [
        ("propose **C**ausal **E**ffect now", "Causal Effect", "C**ausal **E**ffect"),
        ("the **CEDF** method", "CEDF", "CEDF"),
        (r"the $\beta$-VAE model", "β-VAE", r"$\beta$-VAE"),
        (r"the \textsc{Foo} model", "Foo", "Foo"),
        ("an ef\ufb01cient one", "efficient", "ef\ufb01cient"),
        (r"best-of-$N$ sampling", "best-of-N", "best-of-$N$"),
    ],
)
def test_a_name_maps_back(original: str, name: str, surface: str) -> None:
    cleaned = clean(original)
    start = cleaned.text.index(name)
    a, b = cleaned.original(start, start + len(name))
    assert original[a:b] == surface


def test_spans_that_are_none() -> None:
    cleaned = clean("abc")
    for start, end in ((1, 1), (2, 1), (-1, 2), (0, 4)):
        with pytest.raises(ValueError, match="no span"):
            cleaned.original(start, end)


PIECES = st.sampled_from(
    ["$", "\\", "{", "}", "*", "**", "_", "`", "<i>", "</i>", "&amp;", "\\pm", "\\textbf{",
     "\\frac",
     "~", "^", "%", " ", "\n", "a", "Word", "3.5", "\u00ad", "\ufb01", "\ud800", "é", "](http://x)",
     "[", "(", ")", "\\%", "<br>", "\t", "\x08eta", "\\footnote{", "\\(", "\\)"]
)  # fmt: skip


@settings(deadline=None, max_examples=100)
@given(st.lists(PIECES, max_size=24).map("".join))
def test_every_clean_span_maps_to_a_span(original: str) -> None:
    cleaned = clean(original)
    spans = [cleaned.original(i, i + 1) for i in range(len(cleaned.text))]
    assert all(0 <= a < b <= len(original) for a, b in spans)
    assert [a for a, _ in spans] == sorted(a for a, _ in spans)
    assert [b for _, b in spans] == sorted(b for _, b in spans)
    if cleaned.text:
        whole = cleaned.original(0, len(cleaned.text))
        assert whole == (spans[0][0], spans[-1][1])
    assert not any("\ud800" <= c <= "\udfff" for c in cleaned.text)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=60))
def test_any_text(original: str) -> None:
    cleaned = clean(original)
    for i in range(len(cleaned.text)):
        a, b = cleaned.original(i, i + 1)
        assert 0 <= a < b <= len(original)
    if original.isascii() and original.replace(" ", "").isalnum():
        assert cleaned.text == original
