"""What holds for any input: no crash, nothing lost, the same whatever the pieces it comes in."""

from __future__ import annotations

import contextlib
import csv
import doctest
import importlib
import io
import json
import pkgutil
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kg.read
from kg.errors import InputError
from kg.read import FORMATS, MAX_ABSTRACT, Read, Rejected, read, sniff
from kg.read.formats import READERS
from kg.read.identity import acl_id, arxiv_id, doi, iso_date, names
from kg.read.items import Fields
from kg.read.streams import lines
from kg.read.text import decode, repair

CASES = sorted(
    p for p in (Path(__file__).parent / "read/formats").iterdir() if p.suffix != ".expected"
)
CORPUS = [p.read_bytes() for p in CASES]
ODD = [
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"]",
    b"<",
    b"&x;",
    b"\r",
    b"\t",
    b"@a{",
]

fast = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))


def check(items: Iterable[Read | Rejected]) -> None:
    for item in items:
        if isinstance(item, Rejected):
            assert item.reason
            assert "\n" not in item.reason
            item.reason.encode()
            continue
        paper = item.paper
        assert 0 < len(paper.text) <= MAX_ABSTRACT
        assert paper.text == paper.text.strip()
        assert re.search(r"\w", paper.text)
        assert re.fullmatch(r"(?:\d{4}(?:-\d\d(?:-\d\d)?)?)?", paper.date)
        assert paper.source is not None
        for value in (paper.id, paper.text, paper.title, paper.venue, paper.url, paper.doi):
            value.encode()
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]", value)
        for value in (paper.id, paper.title, paper.venue, paper.url, *paper.authors):
            assert "\n" not in value


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    raw = bytearray(draw(st.sampled_from(CORPUS)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw)))
        to = min(len(raw), at + draw(st.integers(0, 40)))
        what = draw(st.integers(0, 3))
        if what == 0:
            del raw[at:to]
        elif what == 1:
            raw[at:at] = draw(st.sampled_from(ODD)) * draw(st.integers(1, 3))
        elif what == 2:
            raw[at:at] = raw[at:to] * draw(st.integers(1, 20))
        else:
            raw[at:to] = draw(st.binary(max_size=8))
    return bytes(raw)


@pytest.mark.parametrize("format", [*FORMATS, None])
@fast
@given(raw=st.one_of(st.binary(max_size=300), mutated()))
def test_no_input_crashes_a_reader(format: str | None, raw: bytes) -> None:
    check(read(["-"], stdin=io.BytesIO(raw), format=format))


@fast
@given(raw=st.binary(max_size=200), name=st.text(max_size=8))
def test_sniff_names_a_format_or_says_why_not(raw: bytes, name: str) -> None:
    with contextlib.suppress(InputError):
        assert sniff(raw, name) in FORMATS


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
@settings(fast, max_examples=10)
@given(data=st.data())
def test_the_pieces_do_not_matter(case: Path, data: st.DataObject) -> None:
    raw = case.read_bytes().replace(b"\r\n", b"\n")
    reader = READERS[sniff(raw, case.name)]
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=20).map(sorted))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    whole = [asdict(i) for i in reader([raw])]
    assert [asdict(i) for i in reader(p for p in pieces if p)] == whole
    assert [asdict(i) for i in reader(raw[i : i + 1] for i in range(len(raw)))] == whole


@fast
@given(st.lists(st.binary(max_size=20)), st.integers(0, 10))
def test_lines(pieces: list[bytes], limit: int) -> None:
    want = b"".join(pieces).split(b"\n")
    if not want[-1]:
        want.pop()
    assert list(lines(pieces, limit)) == [(w[:limit], len(w) <= limit) for w in want]


prose = st.text(
    st.characters(exclude_characters="\\", exclude_categories=["Cs"]), min_size=1, max_size=80
).filter(lambda t: any(unicodedata.category(c).startswith("L") for c in repair(t)[0]))


def the_text(raw: bytes, format: str) -> str:
    (item,) = read(["-"], stdin=io.BytesIO(raw), format=format)
    assert isinstance(item, Read)
    return item.paper.text


@fast
@given(prose)
def test_a_text_comes_back_from_json(text: str) -> None:
    want = repair("X " + text)[0]
    for ascii_only in (True, False):
        record = json.dumps({"id": "a", "text": "X " + text}, ensure_ascii=ascii_only)
        assert the_text(record.encode(), "jsonl") == want
        assert the_text(f"[{record}]".encode(), "json") == want


@fast
@given(prose, st.sampled_from(",;\t|"))
def test_a_text_comes_back_from_a_table(text: str, delimiter: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    text = "X " + text
    writer.writerows([["id", "abstract", "title"], ["a", text, "t"]])
    assert the_text(out.getvalue().encode(), "table") == repair(text)[0]


@fast
@given(prose)
def test_a_text_comes_back_from_xml(text: str) -> None:
    from xml.sax.saxutils import escape

    text = repair("X " + text)[0]
    raw = f"<dc><description>{escape(text)}</description></dc>"
    assert the_text(raw.encode(), "xml") == text


@fast
@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6)))
def test_an_inverted_index_is_rebuilt(words: list[str]) -> None:
    words = ["Rose", *words]
    index: dict[str, list[int]] = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    raw = json.dumps({"id": "a", "abstract_inverted_index": index}).encode()
    assert the_text(raw, "jsonl") == " ".join(words)


@fast
@given(st.text())
def test_repair_is_complete_and_done_once(text: str) -> None:
    clean, _ = repair(text)
    again, notes = repair(clean)
    assert again == clean
    assert not notes or "\ufffd" in clean


@fast
@given(st.binary())
def test_decode_takes_anything(raw: bytes) -> None:
    text, note = decode(raw)
    text.encode()
    if note:
        assert text.encode("cp1252", "replace").replace(b"?", b"") == re.sub(
            rb"[?\x81\x8d\x8f\x90\x9d]", b"", raw
        )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = [
    *("id", "text", "abstract", "title", "authors", "author", "externalIds", "doi", "venue"),
    *("year", "date", "versions", "content", "data", "paper", "url", "journal", "issued"),
    *("abstract_inverted_index", "authors_parsed", "primary_location", "authorships", "results"),
]


@fast
@given(st.dictionaries(st.sampled_from(NAMES), json_values, max_size=8))
def test_any_value_in_any_field(record: dict[str, Any]) -> None:
    raw = json.dumps(record).encode()
    check(read(["-"], stdin=io.BytesIO(raw), format="jsonl"))
    check(read(["-"], stdin=io.BytesIO(raw), format="json"))


@fast
@given(st.text(max_size=60))
def test_recognisers_take_any_text(text: str) -> None:
    for recognise in (arxiv_id, acl_id, doi, iso_date):
        found = recognise(text)
        assert found == recognise(found) or recognise is iso_date
    assert all(names(text)) or not text.strip(" ,;&")


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (2021, "2021"),
        ("2021.0", "2021"),
        (1695945600000, "2023-09-29"),
        ("Mon, 2 Apr 2007 19:18:42 GMT", "2007-04-02"),
        ("2021-05-03T10:00:00Z", "2021-05-03"),
        ("2021-13-01", ""),
        ("2021-02-30", ""),
        ("20210503", "2021-05-03"),
        ("2017/05/17/", "2017-05-17"),
        ("2018 Jan-Feb", "2018-01"),
        ("May 17, 2021", "2021-05-17"),
        ("03/04/2020", "2020"),
        ([[2020, 5]], "2020-05"),
        ({"date-parts": [["2020", "5", 7]]}, "2020-05-07"),
        ([{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}], "2007-04-02"),
        (True, ""),
        (1e300, ""),
        (float("nan"), ""),
        ("in the spring", ""),
        ("0000", ""),
        (None, ""),
    ],
)
def test_dates(value: object, want: str) -> None:
    assert iso_date(value) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Ada Lovelace", ["Ada Lovelace"]),
        ("Lovelace, A.", ["A. Lovelace"]),
        ("Ada Lovelace, Alan Turing", ["Ada Lovelace", "Alan Turing"]),
        ("Lovelace, Ada and Turing, Alan", ["Ada Lovelace", "Alan Turing"]),
        ("Ada Lovelace, Alan Turing, and Grace Hopper", 3 * [""]),
        ("Lovelace, Ada; Turing, Alan; ", ["Ada Lovelace", "Alan Turing"]),
        ("", []),
    ],
)
def test_names(text: str, want: list[str]) -> None:
    got = names(text)
    assert got == want or (len(got) == len(want) and "" in want)


@pytest.mark.parametrize(
    ("recognise", "value", "want"),
    [
        (arxiv_id, "arXiv:2401.01234v12", "2401.01234"),
        (arxiv_id, "http://arxiv.org/pdf/cs/9809121v1.pdf", "cs/9809121"),
        (arxiv_id, "10.48550/arXiv.2401.01234", "2401.01234"),
        (arxiv_id, "oai:arXiv.org:cmp-lg/9404002", "cmp-lg/9404002"),
        (arxiv_id, "10.1234/2401.01234", ""),
        (arxiv_id, "2413.01234", ""),
        (acl_id, "https://www.aclweb.org/anthology/P18-1001.pdf", "P18-1001"),
        (acl_id, "https://doi.org/10.18653/v1/2020.acl-main.382", "2020.acl-main.382"),
        (acl_id, "acl-006", ""),
        (doi, "doi:10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-1>3.0.CO;2-2", None),
        (doi, "https://example.org/10.1234/x", ""),
    ],
)
def test_identifiers(recognise: Any, value: str, want: str | None) -> None:
    assert recognise(value) == (value.removeprefix("doi:").lower() if want is None else want)


def test_examples_in_the_docstrings() -> None:
    for module in pkgutil.iter_modules(kg.read.__path__, "kg.read."):
        results = doctest.testmod(importlib.import_module(module.name))
        assert results.failed == 0, module.name


def test_the_public_names() -> None:
    assert all(hasattr(kg.read, name) for name in kg.read.__all__)
    assert isinstance(Fields(), Fields)
