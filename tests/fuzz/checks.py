"""What must hold of whatever comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kg.extract.gold_form import to_gold
from kg.json_form import from_json, to_json
from kg.read import MAX_ABSTRACT, Read, Rejected
from kg.records import Extraction, Paper
from kg.schema import PAPER, PREDICATES

__all__ = ["extraction", "reading"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def reading(items: Iterable[Read | Rejected]) -> None:
    """Assert that papers hold only what every output can carry, and that rejections say why."""
    for item in items:
        if isinstance(item, Rejected):
            assert item.reason, item
            assert not _CONTROL.search(item.reason), item.reason
            assert "\n" not in item.reason, item.reason
            continue
        paper = item.paper
        assert 0 < len(paper.text) <= MAX_ABSTRACT
        assert paper.text == paper.text.strip()
        assert re.search(r"\w", paper.text)
        assert re.fullmatch(r"(?:\d{4}(?:-\d\d(?:-\d\d)?)?)?", paper.date), paper.date
        assert paper.source is not None
        lines = (paper.id, paper.title, paper.venue, paper.url, paper.doi, *paper.authors)
        for value in (*lines, *item.notes):
            assert "\n" not in value, value
        for value in (*lines, paper.text):
            assert not _CONTROL.search(value), value
        assert from_json(Paper, to_json(paper)) == paper


def extraction(paper: Paper, found: Extraction) -> None:
    """Assert that every offset is exact, and that the records fit one another and the schema."""
    assert found.paper == paper.id
    for m in found.mentions:
        assert paper.part(m.part)[m.start : m.end] == m.surface, m
        assert 0 <= m.confidence <= 1, m
    types = {e.key: e.type for e in found.entities}
    assert len(types) == len(found.entities)
    assert {m.entity for m in found.mentions} == types.keys()
    for e in found.entities:
        assert e.key == e.name
        assert e.name in e.names
        assert e.name.strip(), e
        assert set(e.introduced_in) <= {paper.id}
        assert 0 <= e.confidence <= 1, e
    for s in found.statements:
        allows = PREDICATES[s.predicate].allows
        assert allows(types.get(s.subject, PAPER), types[s.object]), s
        assert s.subject != s.object, s
        assert s.subject in types or s.subject == PAPER, s
        for e in s.evidence:
            assert paper.part(e.part)[e.start : e.end] == e.sentence, e
            assert 0 <= e.confidence <= 1, e
    for r in found.results:
        assert paper.part(r.part)[r.start : r.end] == r.sentence, r
        assert {r.subject, r.benchmark, r.metric, r.baseline} <= {*types, PAPER, ""}, r
        for figure in (r.value, r.baseline_value, r.delta):
            assert figure is None or abs(figure) < float("inf"), r
        assert r.delta is None or r.delta >= 0, r
        assert 0 <= r.confidence <= 1, r
    assert len({r.id for r in found.results}) == len(found.results)
    again = from_json(Extraction, to_json(found))
    assert to_json(again) == to_json(found)
    assert from_json(Extraction, to_json(again)) == again
    form = to_gold(paper, found)
    for entity in form["entities"]:
        for m in entity["mentions"]:
            assert form["text"][m["start"] : m["end"]] == m["text"], m
