from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.graph import Graph
from kg.json_form import from_json, to_json
from kg.records import (
    Entity,
    Evidence,
    Extraction,
    Mention,
    Paper,
    Result,
    Statement,
    content_id,
    digest,
)

EVIDENCE = Evidence("p", "text", 0, 3, "abc", 0.5, "rule:test@1")


def test_every_record_of_a_graph_comes_back_from_json(sample: Graph) -> None:
    for records in (
        sample.papers.values(),
        sample.entities.values(),
        sample.mentions,
        sample.statements.values(),
        sample.results.values(),
    ):
        for record in records:
            data = json.loads(json.dumps(to_json(record)))
            assert from_json(type(record), data) == record


@given(st.floats(0, 1, allow_nan=False), st.floats(-1e6, 1e6, allow_nan=False))
def test_json_is_stable_under_rounding(share: float, figure: float) -> None:
    result = Result("p", "text", 0, 3, "abc", value=figure, confidence=share)
    statement = Statement("a", "builds-on", "b", (EVIDENCE,), share)
    for record in (result, statement):
        once = to_json(record)
        again = from_json(type(record), once)
        assert to_json(again) == once
        assert again.id == record.id


def test_json_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="Paper has no"):
        from_json(Paper, {"id": "1", "text": "x", "colour": "red"})
    with pytest.raises(ValueError, match="needs an id"):
        from_json(Paper, {"id": "", "text": "x"})


def test_a_statement_needs_evidence() -> None:
    with pytest.raises(ValueError, match="no evidence"):
        Statement("a", "builds-on", "b")
    with pytest.raises(ValueError, match="unknown predicate"):
        Statement("a", "loves", "b", (EVIDENCE,))


def test_offsets_must_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Mention("p", "text", 0, 3, "ab", "Method", "ab")
    with pytest.raises(ValueError, match="do not fit"):
        replace(EVIDENCE, end=4)
    with pytest.raises(ValueError, match="unknown entity type"):
        Mention("p", "text", 0, 2, "ab", "Venue", "ab")


def test_an_extraction_names_its_entities() -> None:
    mention = Mention("p", "text", 0, 2, "ab", "Method", "ab")
    with pytest.raises(ValueError, match="unknown entities"):
        Extraction("p", mentions=(mention,))
    assert not Extraction("p", (Entity("ab", "ab", "Method"),), (mention,)).empty


def test_a_result_needs_a_figure() -> None:
    with pytest.raises(ValueError, match="needs a figure"):
        Result("p", "text", 0, 3, "abc", subject="x")


def test_identities() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert content_id("Über  Text\n") == content_id("u\u0308ber text")
    one = Statement("a", "builds-on", "b", (EVIDENCE,))
    other = Statement("a", "builds-on", "b", (replace(EVIDENCE, confidence=0.9),), 0.7)
    assert one.id == other.id
    assert one.evidence_id(EVIDENCE) != one.evidence_id(replace(EVIDENCE, paper="q"))


def test_name_of_a_paper() -> None:
    assert Paper("p", "A text.", "A title").name == "A title"
    assert Paper("p", "Short  and\nsweet.").name == "Short and sweet."
    assert Paper("p", "word " * 100).name == ("word " * 16).strip() + " …"
    assert Paper("p", "w" * 100).name == "w" * 80 + " …"
    assert Paper("p", "").name == "p"
