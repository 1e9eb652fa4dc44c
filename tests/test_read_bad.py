"""Bad input is rejected or repaired, with the reason, and the rest is read."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import lzma
import os
import random
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import zstandard

from kg.errors import InputError
from kg.ledger_rows import source_of
from kg.read import MAX_ABSTRACT, WITHDRAWN, Kind, Read, Rejected, read, sniff
from kg.read.formats import READERS
from kg.read.items import MAX_RECORD, Fields

GOOD = "We present LanternNet."


def one(raw: bytes, format: str | None = None) -> list[Read | Rejected]:
    return list(read(["-"], stdin=io.BytesIO(raw), format=format))


def paper(raw: bytes, format: str | None = None) -> Read:
    (item,) = one(raw, format)
    assert isinstance(item, Read)
    return item


def kinds(items: list[Read | Rejected]) -> list[Kind | str]:
    return ["read" if isinstance(i, Read) else i.kind for i in items]


# Files


def test_what_is_missing_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text(GOOD)
    (tmp_path / "void").mkdir()
    items = list(
        read([tmp_path / "absent.txt", f"{tmp_path}/no*.txt", tmp_path / "void", good, good])
    )
    assert kinds(items) == ["missing", "missing", "empty-file", "read", "read"]
    first = items[0]
    assert isinstance(first, Rejected)
    assert first.source.file == f"{tmp_path}/absent.txt"
    assert first.source.position == 0


def test_one_path_need_not_be_in_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("We evaluate BERT on GLUE.", encoding="utf-8")
    for alone in (path, str(path)):
        assert list(read(alone)) == list(read([alone]))


def test_unknown_format_is_an_error_at_once() -> None:
    with pytest.raises(InputError, match="bibtex, json"):
        read([], format="docx")


@pytest.mark.parametrize("raw", [b"", b" \n\r\n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_without_records(raw: bytes) -> None:
    assert kinds(one(raw)) == ["empty-file"]


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (gzip.compress(b"PAR1...."), "Parquet"),
        (b"<!DOCTYPE html><html><body>We present</body></html>", "web page"),
        (bytes(range(256)) * 8, "no text"),
        (gzip.compress(gzip.compress(b"x")), "packed twice"),
    ],
)
def test_what_is_not_read_says_what_it_is(raw: bytes, word: str) -> None:
    (item,) = one(raw)
    assert isinstance(item, Rejected)
    assert item.kind == "unsupported"
    assert word in item.reason


def test_in_a_directory_only_text_files_are_collections(tmp_path: Path) -> None:
    for name in ("README.md", "code.py", "notes.txt", "recorded.yaml", "LICENSE"):
        (tmp_path / name).write_text(GOOD)
    items = list(read([tmp_path]))
    assert kinds(items) == ["unsupported"] * 3 + ["read", "unsupported"]
    assert kinds(list(read([tmp_path / "README.md"]))) == ["read"]


def test_a_link_out_of_the_directory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("A secret.")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.txt").write_text(GOOD)
    (inside / "b.txt").symlink_to(tmp_path / "outside/secret.txt")
    (inside / "c").symlink_to(tmp_path / "outside")
    (inside / "d").symlink_to(inside)  # a loop
    (inside / "e.txt").symlink_to(inside / "a.txt")
    (inside / "f.txt").symlink_to(inside / "nowhere")
    (inside / "g.txt").symlink_to("g.txt")  # a loop without an end
    items = list(read([inside]))
    assert kinds(items) == ["read", "link", "link", "unreadable", "unreadable"]
    assert kinds(list(read([inside / "b.txt"]))) == ["read"]  # named by a person


def test_a_link_to_what_is_hidden_in_the_directory_is_read(tmp_path: Path) -> None:
    """Kubernetes, git-annex and DVC keep files so: hidden, with a link where one looks."""
    hidden = tmp_path / "..2026" / "deep"
    hidden.mkdir(parents=True)
    (hidden / "a.txt").write_text(GOOD)
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "a.txt").symlink_to("..data/deep/a.txt")
    (tmp_path / "b").symlink_to("..data/deep")
    (tmp_path / "c.txt").symlink_to(".gone/c.txt")
    items = list(read([tmp_path]))
    assert kinds(items) == ["read", "link", "unreadable"]
    assert [s.file.rpartition("/")[2] for s in map(source_of, items)] == ["a.txt", "b", "c.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8_stay_apart(tmp_path: Path) -> None:
    for n in (b"\xfe.txt", b"\xff.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + n)).write_text(GOOD)
    files = [source_of(i).file for i in read([tmp_path])]
    assert files == [f"{tmp_path}/\\xfe.txt", f"{tmp_path}/\\xff.txt"]


def test_of_members_of_one_name_the_last_counts() -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("a.txt", f"{GOOD}\n\nWe study parsing.\n")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.txt", GOOD)
    assert kinds(one(raw.getvalue())) == ["read"]


def test_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert kinds(list(read(["-"]))) == ["unreadable"]


def test_a_device_in_a_directory_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert kinds(list(read([tmp_path]))) == ["unsupported"]


def test_a_failing_disk_is_a_rejection() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    raw = b'{"text": "We present LanternNet."}\n' * 3
    items = list(read(["-"], stdin=Failing(raw + b" " * 600)))
    assert kinds(items) == ["read"] * 3 + ["unreadable"]


# Packed files


def jsonl(count: int) -> bytes:
    noise = random.Random(5)
    lines = (json.dumps({"id": f"p{n}", "text": noise.randbytes(100).hex()}) for n in range(count))
    return "".join(line + "\n" for line in lines).encode()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("packer", PACKERS)
def test_of_a_truncated_file_the_whole_records_are_read(packer: str) -> None:
    raw = jsonl(10_000)
    packed = PACKERS[packer](raw)
    items = one(packed[: len(packed) // 2])
    assert kinds(items[-1:]) == ["truncated"]
    count = len(items) - 1
    assert 0 < count < 10_000
    assert all(isinstance(i, Read) and i.paper.id == f"p{n}" for n, i in enumerate(items[:-1]))


@pytest.mark.parametrize("packer", PACKERS)
def test_a_damaged_file(packer: str) -> None:
    packed = bytearray(PACKERS[packer](jsonl(500)))
    for at in range(len(packed) // 2, len(packed) // 2 + 64):
        packed[at] ^= 0xFF
    items = one(bytes(packed))
    # zstd has a checksum only if its writer wants one; else damage shows as broken JSON.
    assert {"truncated", "broken"} & set(kinds(items))
    assert packer == "zst" or kinds(items)[-1] == "truncated"


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_is_stopped(packer: str) -> None:
    bomb = PACKERS[packer](b" " * 2**25)
    (item,) = one(bomb)
    assert isinstance(item, Rejected)
    assert item.kind == "too-large"


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name + ".txt", raw)
    return out.getvalue()


def test_zip_bombs_nested_archives_and_links() -> None:
    assert kinds(one(zipped(a=b" " * 2**25))) == ["too-large"]
    many = {f"m{n}": b" " * 2**23 for n in range(4)}
    assert "too-large" in kinds(one(zipped(**many)))
    assert kinds(one(zipped(a=zipped(b=b"x"), c=GOOD.encode()))) == ["unsupported", "read"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert kinds(one(out.getvalue())) == ["link"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    assert kinds(one(out.getvalue())) == ["unsupported"]


def test_a_zip_that_is_locked_or_cut() -> None:
    raw = bytearray(zipped(a=GOOD.encode()))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(magic) + offset] |= 1  # says that it is encrypted
    assert kinds(one(bytes(raw))) == ["unreadable"]
    assert kinds(one(zipped(a=GOOD.encode() * 100)[:-30])) == ["truncated"]
    raw = bytearray(zipped(a=os.urandom(64).hex().encode()))
    raw[50] ^= 0xFF
    assert kinds(one(bytes(raw)))[-1:] == ["truncated"]


# Encodings


@pytest.mark.parametrize(
    ("raw", "text", "note"),
    [
        ("Müller’s naïve model".encode("cp1252"), "Müller’s naïve model", "Windows-1252"),
        ("Müller’s model".encode() + b" \xe9 cut", "Müller’s model \ufffd cut", "U+FFFD"),
        ("A model — ours".encode("utf-16"), "A model — ours", ""),
        ("A model — ours".encode("utf-16-be"), "A model — ours", ""),
        (b"\xfe\xff" + "A model — ours".encode("utf-16-be"), "A model — ours", ""),
        ("\ufeffA model".encode("utf-32-le"), "A model", ""),
        ("A model in UTF-8: 模型".encode("utf-8-sig"), "A model in UTF-8: 模型", ""),
        (b"don\xc2\x92t", "don’t", "control"),
    ],
)
def test_encodings(raw: bytes, text: str, note: str) -> None:
    item = paper(raw, "text")
    assert item.paper.text == text
    assert note in " ".join(item.notes)
    assert bool(note) == bool(item.notes)


def test_one_line_in_another_encoding_does_not_change_the_others() -> None:
    raw = '{"text": "naïve"}\n'.encode() + '{"text": "naïve"}\n'.encode("cp1252")
    first, second = one(raw)
    assert isinstance(first, Read)
    assert isinstance(second, Read)
    assert first.paper.text == second.paper.text == "naïve"
    assert not first.notes
    assert second.notes


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "utf-16", "gb18030", "utf-8"])
def test_xml_in_its_declared_encoding(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><dc><description>naïve</description></dc>'
    assert paper(text.encode(encoding)).paper.text == "naïve"


@pytest.mark.parametrize("encoding", ["x-unknown", "idna", "unicode_escape", "rot13", "us-ascii"])
def test_xml_that_declares_no_charset_is_utf_8(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><dc><description>naïve</description></dc>'
    assert paper(text.encode()).paper.text == "naïve"


def test_a_reason_is_one_line() -> None:
    header = '<header status="deleted"><identifier>a\nb\x1b[1m</identifier></header>'
    (item,) = one(f"<record>{header}</record>".encode())
    assert isinstance(item, Rejected)
    assert item.reason == "deleted by the source (a b)"


def test_xml_without_a_declaration_in_windows_1252() -> None:
    raw = "<dc><description>naïve</description></dc>".encode("cp1252")
    assert paper(raw).paper.text == "naïve"


# Characters

ODD = "A\x00 B\x0c C\x1b[31m D \x08\x7f E"
CLEAN = "A B  C D  E"


def test_control_characters_and_surrogates_in_every_format() -> None:
    name = "L\ud800"
    record = json.dumps({"text": ODD + name, "title": "T\x0c" + name}).encode()
    item = paper(record)
    assert item.paper.text == CLEAN + "L\ufffd"
    assert item.paper.title == "T L\ufffd"
    assert item.notes == ("5 control characters removed", "1 broken character (U+FFFD)")
    raw = ODD.encode()
    in_xml = b"<dc><description>" + raw + b" &#x0C;&#55296;</description></dc>"
    for other, format in (
        (raw, "text"),
        (b"title,abstract\nx," + raw, "table"),
        (b"@misc{a, abstract = {" + raw + b"}}", "bibtex"),
        (b"TY  - JOUR\nAB  - " + raw, "ris"),
        (in_xml, "xml"),
    ):
        item = paper(other, format)
        assert item.paper.text.removesuffix("\ufffd").split() == CLEAN.split(), format
        assert "control characters removed" in item.notes[0]


def test_text_that_looks_like_markup_stays() -> None:
    text = "The [MASK] and <unk> tokens, p < 0.05, a & b, `SCHEMA`, \"q\" and 'r' — 5\\% of $x_{i}$"
    assert paper(json.dumps({"text": text}).encode()).paper.text == text
    assert paper(text.encode()).paper.text == text
    table = io.StringIO()
    table.write('title,abstract\nx,"' + text.replace('"', '""') + '"\n')
    assert paper(table.getvalue().encode()).paper.text == text


@pytest.mark.parametrize("text", ["", " ", "\x00", "N/A", "null", "[No abstract available]", "--"])
def test_no_abstract_is_empty_and_no_error(text: str) -> None:
    assert kinds(one(json.dumps({"title": "A title", "abstract": text}).encode())) == ["empty"]
    assert kinds(one(json.dumps({"abstract": text}).encode())) == ["empty"]


def test_hello_world_is_a_paper() -> None:
    assert paper(b"Hello world").paper.text == "Hello world"


# Records

DC = "<dc><description>{}</description></dc>"


def test_an_abstract_of_five_megabytes_in_every_format() -> None:
    huge = "word " * 1_000_000
    good = json.dumps({"text": GOOD})
    for raw, format in (
        (json.dumps({"text": huge}) + "\n" + good, "jsonl"),
        (f"[{json.dumps({'text': huge})}, {good}]", "json"),
        (f"{huge}\n\n{GOOD}", "text"),
        ("\n".join(["word " * 20] * 50_000) + f"\n\n{GOOD}", "text"),
        (f"abstract,title\n{huge},x\n{GOOD},y\n", "table"),
        (f"@misc{{a, abstract={{{huge}}}}}\n@misc{{b, abstract={{{GOOD}}}}}", "bibtex"),
        (f"TY  - X\nAB  - {huge}\nER  - \nTY  - X\nAB  - {GOOD}\n", "ris"),
        (f"<r>{DC.format(huge)}{DC.format(GOOD)}</r>", "xml"),
    ):
        items = one(raw.encode(), format)
        assert kinds(items) == ["too-long", "read"], format
    exactly = "a" * MAX_ABSTRACT
    assert kinds(one(json.dumps({"text": exactly}).encode())) == ["read"]
    assert kinds(one(json.dumps({"text": exactly + "a"}).encode())) == ["too-long"]


@pytest.mark.parametrize("deep", ['{"text":' * 100_000, "[" * 100_000, '{"a":' + "[" * 100_000])
def test_deep_json(deep: str) -> None:
    items = one(deep.encode() + b"\n" + json.dumps({"text": GOOD}).encode(), "jsonl")
    assert kinds(items) == ["broken", "read"]
    assert "read" not in kinds(one(deep.encode(), "json"))


def test_deep_xml() -> None:
    deep = b"<b>" * 50_000 + b"x" + b"</b>" * 50_000
    raw = b"<r><dc><description>" + deep + b"</description></dc>"
    raw += b"<dc><description>We present LanternNet.</description></dc></r>"
    assert kinds(one(raw)) == ["broken", "read"]
    assert kinds(one(b"<?xml version='1.0'?>" + deep)) == ["broken"]


def test_deep_bibtex() -> None:
    raw = b"@misc{a, abstract={" + b"{" * 50_000 + b"}" * 50_000 + b"}}\n@misc{b, abstract={Good.}}"
    assert kinds(one(raw)) == ["broken", "read"]


BOMB = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><r><dc><description>&c;</description></dc></r>"""
EXTERNAL = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<r><dc><description>&x;</description></dc></r>"""
PARAMETER = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY % x SYSTEM "http://localhost/x">%x;]>
<r><dc><description>x</description></dc></r>"""


@pytest.mark.parametrize("raw", [BOMB, EXTERNAL, PARAMETER])
def test_entities_are_refused(raw: str) -> None:
    (item,) = one(raw.encode())
    assert isinstance(item, Rejected)
    assert item.kind == "unsafe"


def test_an_external_dtd_is_not_opened_and_html_names_are_known(tmp_path: Path) -> None:
    dtd = tmp_path / "x.dtd"
    os.mkfifo(dtd)  # opening it would block
    raw = f'<!DOCTYPE dc SYSTEM "{dtd}"><dc><description>na&iuml;ve &amp; &beta;</description></dc>'
    assert paper(raw.encode()).paper.text == "naïve & β"


@pytest.mark.parametrize("start", ["<!--", "<dc title='", "<?pi ", "<dc><description><"])
def test_a_tag_or_comment_without_end(start: str) -> None:
    blocks = itertools.chain([b"<r>", start.encode()], itertools.repeat(b"x" * 2**16, 4_000))
    (item,) = READERS["xml"](blocks)
    assert not isinstance(item, Fields)
    assert "more than 1,048,576 bytes" in item.reason


def test_a_reference_that_is_cut_by_small_pieces_is_repaired() -> None:
    start, end = b"<r><dc><description>We present Lantern", b"Net.</description></dc></r>"
    for cut in range(1, 9):
        held = b"a&#x0001;b"
        (item,) = READERS["xml"]([start, held[:cut], held[cut:], end])
        assert isinstance(item, Fields)
        assert item.text == "We present Lanterna\ufdd1bNet."


def test_xml_that_ends_early_gives_what_was_whole() -> None:
    raw = b"<r>" + b"<dc><description>We present LanternNet.</description></dc>" * 3
    assert kinds(one(raw + b"<dc><description>We")) == ["read"] * 3 + ["broken"]


def test_a_broken_element_of_an_array_stops_nothing() -> None:
    good = json.dumps({"text": GOOD})
    raw = f"[{good}, {{'text': 1}}, {good}, {{\"text\": }}, 3, {good},, {good}]"
    items = one(raw.encode(), "json")
    assert kinds(items) == ["read", "broken", "read", "broken", "broken", "read", "read"]
    assert kinds(one(raw.encode()[:-1], "json"))[-1] == "broken"


def test_a_quote_that_quotes_no_whole_cell_stays() -> None:
    rows = [
        "id\ttitle\tabstract",
        '1\t"Why?": Because\t"Lantern" is ""good"".',
        '2\t"A ""whole"" cell"\tA "quote" inside.',
        '3\tAt the end\tIt ends with a "quote"',
        '4\tOpen\t"We never close.',
    ]
    papers = [i.paper for i in one("\n".join(rows).encode()) if isinstance(i, Read)]
    assert [(p.title, p.text) for p in papers] == [
        ('"Why?": Because', '"Lantern" is ""good"".'),
        ('A "whole" cell', 'A "quote" inside.'),
        ("At the end", 'It ends with a "quote"'),
        ("Open", '"We never close.'),
    ]
    (item,) = one(b'id,abstract\n1,"Lantern, the net" is good\n')
    assert isinstance(item, Read)
    assert item.paper.text == "Lantern, the net is good"


def test_a_quote_that_is_never_closed_swallows_no_row() -> None:
    rows = ['id\tabstract\n1\t"An open quote.\n']
    rows += [f"{n}\tThe abstract of {n}.\n" for n in range(2, 1_000)]
    items = one("".join(rows).encode())
    assert kinds(items) == ["read"] * 999
    commas = ["id,abstract\n", '1,"An open quote, and a comma.\n']
    commas += [f"{n},The abstract of {n}.\n" for n in range(2, 1_000)]
    assert kinds(one("".join(commas).encode())) == ["broken"] + ["read"] * 998


def test_a_table_without_a_column_of_abstracts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name,year\nx,2020\n")
    assert kinds(list(read([path]))) == ["no-text"]


def test_a_cell_of_more_than_four_megabytes() -> None:
    raw = "full,abstract\n" + "x" * 5_000_000 + f",{GOOD}\n"
    assert kinds(one(raw.encode())) == ["read"]


@pytest.mark.parametrize(
    "text",
    [
        "This paper has been withdrawn by the author due to a crucial error.",
        "Withdrawn.",
        "It has since been withdrawn from the archive.",
    ],
)
def test_withdrawn(text: str) -> None:
    assert WITHDRAWN in paper(json.dumps({"text": text}).encode()).notes


def test_a_description_is_an_abstract_only_beside_a_title() -> None:
    record = {"name": "a-package", "description": "Tools for lanterns."}
    assert kinds(one(json.dumps(record).encode())) == ["empty"]
    assert kinds(one(json.dumps({**record, "title": "Lanterns"}).encode())) == ["read"]


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("We study why drugs are withdrawn from the market.", ""),
        ("We study retracted papers.", "Replaces a withdrawn version"),
    ],
)
def test_not_withdrawn(text: str, comments: str) -> None:
    item = paper(json.dumps({"text": text, "comments": comments}).encode())
    assert WITHDRAWN not in item.notes


# Memory


def chunked(head: bytes, record: bytes, tail: bytes, count: int) -> Iterator[bytes]:
    yield head
    block = record * 100
    yield from itertools.repeat(block, count // 100)
    yield tail


TEXT = b"We present LanternNet. " * 40
ENDLESS: dict[str, tuple[bytes, bytes, bytes]] = {
    "jsonl": (b"", b'{"text": "' + TEXT + b'"}\n', b""),
    "json": (b'{"meta": {}, "results": [', b'{"text": "' + TEXT + b'"},\n', b'{"text": "x"}]}'),
    "text": (b"", TEXT + b"\n\n", b""),
    "table": (b"id,abstract\n", b'x,"' + TEXT + b'"\n', b""),
    "bibtex": (b"", b"@misc{a, abstract={" + TEXT + b"}}\n", b""),
    "ris": (b"", b"TY  - X\nAB  - " + TEXT + b"\nER  -\n", b""),
    "xml": (b"<r>", b"<dc><description>" + TEXT + b"</description></dc>", b"</r>"),
}


@pytest.mark.parametrize("format", ENDLESS)
def test_memory_does_not_grow_with_the_file(format: str) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        total = sum(1 for _ in READERS[format](chunked(*ENDLESS[format], count)))
        assert abs(total - count) <= 1
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(100)  # what is loaded once
    assert peak(2_000) < 1.2 * peak(200) + 100_000


@pytest.mark.parametrize("format", ENDLESS)
def test_a_line_without_end_is_bounded(format: str) -> None:
    head = {"table": b"id,abstract\n", "bibtex": b"@misc{a, abstract={", "ris": b"TY  - X\nAB  - "}
    start = {"json": b'["', "jsonl": b'{"text": "', "xml": b"<dc><description>"}
    first = head.get(format, b"") + start.get(format, b"")
    blocks = itertools.chain([first], itertools.repeat(b"x" * 2**20, 100))
    tracemalloc.start()
    items = list(READERS[format](blocks))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(items) <= 2
    assert not isinstance(items[0], Fields)
    assert used < 5 * MAX_RECORD


def test_sniff_takes_the_name_as_a_hint() -> None:
    assert sniff(b"@misc{a, abstract={x}}") == "bibtex"
    assert sniff(b"no header,at all\n", "a.tsv.gz") == "table"
    assert sniff(b"{curly} words begin this abstract.", "a.txt") == "text"
    assert sniff(b"[Context] words begin this abstract.", "a.txt") == "text"
    assert sniff(b"<unk> tokens are our subject.", "a.txt") == "text"
    assert sniff(b"Abstracts, 2025\n\nWe present LanternNet, a parser.", "a.txt") == "text"
    assert sniff(b"abstract,year\nWe present LanternNet.,2025\n", "a.txt") == "table"
    assert sniff(b"abstract,year\n", "a.txt") == "table"
    with pytest.raises(InputError, match=r"\.txt"):
        sniff(b"some words", "a.rst", found=True)
