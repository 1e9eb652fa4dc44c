"""A little of the fuzz, and what the fuzz has found, each as a case of its whole kind."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from fuzz.run import one
from fuzz.targets import TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.extract.clean import clean
from kg.extract.model import long
from kg.extract.model.decode import Answers
from kg.extract.model.extractor import Extractor
from kg.extract.model.features import Page
from kg.extract.sentences import sentences
from kg.read import Read, Rejected, read
from kg.read.identity import names

GOOD = "We present LanternNet."
FAST = dict.fromkeys(TARGETS, 40) | {"extract-patterns": 25, "extract-model": 4, "graph": 2}


@pytest.mark.parametrize("target", TARGETS)
def test_a_little_of_the_fuzz(target: str) -> None:
    if target == "read-parquet":
        pytest.importorskip("pyarrow")
    for number in range(FAST[target]):
        one(target, 2, number)


def items(raw: bytes, format: str | None = None) -> list[Read | Rejected]:
    return list(read(["-"], stdin=io.BytesIO(raw), format=format))


def kinds(raw: bytes, format: str | None = None) -> list[str]:
    return ["read" if isinstance(i, Read) else i.kind for i in items(raw, format)]


# Archives


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), GOOD, zipfile.ZIP_DEFLATED)
    return out.getvalue()


@pytest.mark.parametrize("byte", [0x00, 0x63, 0xC3, 0xFF])
def test_a_member_whose_header_is_damaged_stops_no_other(byte: int) -> None:
    whole = zipped("ü.txt", "z.txt")
    for at in range(4, whole.index(b"PK\x03\x04", 4)):
        raw = whole[:at] + bytes([byte]) + whole[at + 1 :]
        assert kinds(raw)[0] == "read", at


def test_a_packing_that_is_not_known_is_no_password() -> None:
    raw = bytearray(zipped("a.txt"))
    raw[raw.index(b"PK\x03\x04") + 8] = raw[raw.index(b"PK\x01\x02") + 10] = 99
    (item,) = items(bytes(raw))
    assert isinstance(item, Rejected)
    assert "compression" in item.reason


# Files


def test_zeros_later_in_a_file_do_not_make_it_utf_16() -> None:
    raw = (GOOD.encode() + b"\n\n") * 20 + b"\0#" * 20_000
    assert kinds(raw, "text") == ["read"] * 20 + ["empty"]


def test_entries_of_bibtex_on_one_line_are_all_read() -> None:
    entries = [f"@misc{{k{n}, abstract={{{GOOD}}}}}" for n in range(5)]
    for glue in (" ", "", "\t% see a@lamp.org (x)  ", "@string{m = {May}}", "\n"):
        assert kinds(glue.join(entries).encode(), "bibtex") == ["read"] * 5, glue
    cut = " ".join([*entries, "@misc{k, abstract={Cut."]) + "\n" + entries[0]
    assert kinds(cut.encode(), "bibtex") == ["read"] * 5 + ["broken", "read"]


@pytest.mark.parametrize("first", ["TX  - JOUR", "", "T\xd9  - JOUR", "ty  - jour", "ER  - "])
def test_a_record_of_ris_whose_first_line_is_damaged_is_read(first: str) -> None:
    record = f"AB  - {GOOD}\nPY  - 2020\nER  - \n\n"
    raw = f"TY  - JOUR\n{record}{first}\n{record}TY  - JOUR\n{record}".encode()
    found = items(raw, "ris")
    assert [i.paper.date for i in found if isinstance(i, Read)] == ["2020"] * 3
    assert len(found) == 3


@pytest.mark.parametrize("depth", [25, 200, 450, 900])
@pytest.mark.parametrize(
    "start",
    ["[", '{"value":', '{"date-parts":', '{"author":', '{"doi":', '{"message":', '{"paper":'],
)
def test_values_nested_deeply_are_passed_over(start: str, depth: int) -> None:
    fields = (
        "title",
        "authors",
        "ids",
        "date",
        "versions",
        "venue",
        "url",
        "doi",
        "primary_location",
    )
    deep = start * depth + '"x"' + {"[": "]", "{": "}"}[start[0]] * depth
    for field in fields:
        raw = f'{{"abstract": "{GOOD}", "{field}": {deep}}}'.encode()
        assert kinds(raw, "jsonl") == kinds(raw, "json") == ["read"], field
    for field in ("abstract", "abstract_inverted_index", "data", "message", "paper", "content"):
        raw = f'{{"{field}": {deep}}}\n{{"text": "{GOOD}"}}'.encode()
        assert kinds(raw, "jsonl")[-1] == "read", field
        assert len(items(raw, "json")) == 2, field


# Time: texts that took minutes, or for ever


@pytest.mark.parametrize(
    "text",
    [
        "A." + "*" * 60 + "x",
        "A." + "'" * 60 + "x",
        "A.\"'*'" * 12 + "x",
        "." * 60_000,
        "…!?" * 20_000,
    ],
)
def test_sentences_take_time_in_proportion(text: str) -> None:
    assert sentences(text) == [(0, len(text))]


@pytest.mark.parametrize("run", [" " * 60_000, "\t&" * 30_000, " and " * 12_000])
def test_names_take_time_in_proportion(run: str) -> None:
    assert names(f"Ada Example{run}Bob Example")[0].startswith("Ada Example")


def test_a_field_of_bibtex_that_is_no_title_is_not_decoded() -> None:
    huge = "\\'e" * 1_000_000
    raw = f"@misc{{a, abstract={{{GOOD}}}, title={{{huge}}}, author={{A{' and A' * 10**6}}}}}"
    (item,) = items(raw.encode(), "bibtex")
    assert isinstance(item, Read)
    assert item.paper.title == ""
    assert len(item.paper.authors) == 10_000


@pytest.mark.parametrize("run", [" " * 60_000, "\n\t" * 30_000, "__a " * 15_000, "**a " * 15_000])
def test_cleaning_takes_time_in_proportion(run: str) -> None:
    assert clean("< $x$ \\" + run).text.endswith(run[-2:])


# Memory


@pytest.mark.parametrize(
    "text",
    ["</1}" * 300, " ".join(f"BERT{n}Net outperforms Foo{n}QA on Bar{n}X." for n in range(30))],
)
def test_a_text_of_many_names_or_figures_is_read_in_parts(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    answer = Extractor.answer

    def counted(self: Extractor, page: Page, vectors: Any, found: Any, numbers: Any) -> Answers:
        sizes.append((len(page.spans), len(found), len(numbers)))
        return answer(self, page, vectors, found, numbers)

    monkeypatch.setattr(Extractor, "answer", counted)
    monkeypatch.setattr(long, "_PAIRS", 50_000)
    monkeypatch.setattr(long, "_FIGURES", 10_000)
    Extractor.load().predict(text)
    assert len(sizes) > 2
    assert not any(long.too_much(*size) for size in sizes)


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet="ab .\n(", min_size=2, max_size=60))
def test_parts_of_half_the_size_are_shorter_and_cover_the_text(text: str) -> None:
    cuts = long.parts(text, 0, len(text) // 2)
    assert all(0 < end - start <= len(text) // 2 for start, end in cuts)
    assert "".join("".join(text[a:b].split()) for a, b in cuts) == "".join(text.split())
