"""Each file in ``read/formats`` is a case: what is read of it stands in ``NAME.expected``.

One JSON object a record: the paper with its notes, or the kind and reason of the rejection.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kg.json_form import to_json
from kg.read import FORMATS, Read, Rejected, read
from kg.records import Source

CASES = sorted(
    p for p in (Path(__file__).parent / "read/formats").iterdir() if p.suffix != ".expected"
)


def rows(items: list[Read | Rejected]) -> list[dict[str, Any]]:
    out = []
    for item in items:
        if isinstance(item, Read):
            row = to_json(item.paper)
            del row["source"]
            if item.notes:
                row["notes"] = list(item.notes)
        else:
            row = {"kind": item.kind, "reason": item.reason, "position": item.source.position}
        out.append(row)
    return out


def expected(case: Path) -> list[dict[str, Any]]:
    lines = case.with_name(case.name + ".expected").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_case(case: Path) -> None:
    items = list(read([case]))
    assert rows(items) == expected(case)
    sources = [i.paper.source if isinstance(i, Read) else i.source for i in items]
    assert sources == [Source(str(case), n) for n in range(1, len(items) + 1)]


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_content_tells_the_format_without_the_name(case: Path, tmp_path: Path) -> None:
    bare = tmp_path / "stdin"
    bare.write_bytes(case.read_bytes())
    with bare.open("rb") as stream:
        assert rows(list(read(["-"], stdin=stream))) == expected(case)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=lambda p: p.name)
def test_packed(case: Path, parts: int, suffix: str, tmp_path: Path) -> None:
    raw = case.read_bytes()
    middle = len(raw) // parts
    path = tmp_path / (case.name + suffix)
    path.write_bytes(PACKERS[suffix](raw[:middle]))
    if parts == 2:  # several streams in one file are one file
        with path.open("ab") as file:
            file.write(PACKERS[suffix](raw[middle:]))
    assert rows(list(read([path]))) == expected(case)


def test_zip_is_read_like_a_directory(tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for case in reversed(CASES):
            out.write(case, f"folder/{case.name}")
        out.writestr("folder/.hidden.txt", "hidden")
        out.writestr("__MACOSX/folder/._a.txt", "hidden")
        out.writestr("folder/z.jsonl.gz", gzip.compress(b'{"text": "Packed in an archive."}'))
    items = list(read([archive]))
    want = [row for case in CASES for row in expected(case)]
    assert rows(items[:-1]) == want
    last = items[-1]
    assert isinstance(last, Read)
    assert last.paper.source == Source(f"{archive}!/folder/z.jsonl.gz", 1)
    with archive.open("rb") as stream:
        assert rows(list(read(["-"], stdin=stream))) == rows(items)


def test_directory_and_pattern_are_sorted(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/two.txt", "a.txt", "c.txt", ".hidden.txt", "b/.hidden/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"The abstract of {name}.\n")
    want = [f"{tmp_path}/{name}" for name in ("a.txt", "b/two.txt", "c.txt")]
    for paths in ([tmp_path], [f"{tmp_path}/**/*.txt"]):
        items = list(read(paths))
        got = [i.paper.source.file for i in items if isinstance(i, Read) and i.paper.source]
        assert sorted(got) == sorted(want)
        assert len(items) == 3
    assert [i.paper.source.file for i in read([tmp_path]) if isinstance(i, Read)] == want  # type: ignore[union-attr]


def test_format_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_text('{"text": "JSON that is meant as text."}\n')
    (item,) = read([path], format="text")
    assert isinstance(item, Read)
    assert item.paper.text.startswith("{")
    assert set(FORMATS) == {"bibtex", "json", "jsonl", "ris", "table", "text", "xml"}
