from __future__ import annotations

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.extract.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


def test_titles_quotes_and_marks() -> None:
    text = "We beat X et al. by 3.5 points. Then, e.g. here, it ends! “Quoted” is new.\n\nNext"
    assert cut(text) == [
        "We beat X et al. by 3.5 points.",
        "Then, e.g. here, it ends!",
        "“Quoted” is new.",
        "Next",
    ]
    assert cut(" \n ") == []


def test_glued_sentences_are_cut() -> None:
    text = "It makes noisy pseudo-labels.Our method filters them (by 3.5%).Experiments confirm it."
    assert cut(text) == [
        "It makes noisy pseudo-labels.",
        "Our method filters them (by 3.5%).",
        "Experiments confirm it.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We use tools, e.g. Large ones, and others.",
        "As Smith et al. (2020) show, it works.",
        "BERT vs. GPT is shown in Fig. 2 and Sec. 3.",
        "The loss falls from 3.5 to 2.1 with GPT-3.5 and Llama 3.1.",
        "The code is at www.example.org and https://example.org/a.Html for all.",
        "A gain of .5 points, i.e. Half a point, is small.",
        "It is used by the U.S. army.",
        "Node.js and v2.0.Beta are names.",
    ],
)
def test_no_cut_inside(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three? Four.", 4),
        ('He said "yes." Then he left.', 2),
        ("It works (see the code). We release it.", 2),
        ("They compare A, B, etc. We do not.", 2),
        ("A title\n\nAn abstract. Its end", 3),
        ("第一句。第二句。", 2),
        ("It gains 3.5%.However, it is slow.", 2),
        ("It is evaluated on GSM8K.We release it.", 2),
        ("It costs 5.3%. 7B models cost more.", 2),
    ],
)
def test_counts(text: str, count: int) -> None:
    assert len(cut(text)) == count


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.sampled_from("aB.!? \n\té(1)。”-"), max_size=80))
def test_sentences_cover_the_text_once(text: str) -> None:
    spans = sentences(text)
    covered = {i for a, b in spans for i in range(a, b)}
    assert len(covered) == sum(b - a for a, b in spans)
    assert all(text[a:b].strip() == text[a:b] != "" for a, b in spans)
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    assert spans == sorted(spans)


def test_component_sets_sentence_starts() -> None:
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": "kg_words"}}})
    nlp.add_pipe("kg_sentences")
    doc = nlp("It makes labels.Our method wins. Done")
    assert [s.text for s in doc.sents] == ["It makes labels.", "Our method wins.", "Done"]
    assert list(nlp("").sents) == []
