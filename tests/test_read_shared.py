"""Real files, beside the checkout: as many papers are read as an independent count gives.

The counts are made here by other means than the readers': regular expressions, the ``csv`` and
``json`` modules, ElementTree.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.read import Read, read

SHARED = Path(__file__).parents[2] / "shared"
PAPERS = SHARED / "papers"

pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared is not here")


def papers(*paths: Path) -> tuple[list[Read], Counter[str]]:
    items = list(read(paths))
    rejected = Counter(i.kind for i in items if not isinstance(i, Read))
    return [i for i in items if isinstance(i, Read)], rejected


def count_acl(path: Path) -> int:
    found = ET.parse(path).iterfind("volume/paper/abstract")
    return sum(1 for a in found if "".join(a.itertext()).strip())


def count_records(path: Path) -> int:
    return len(re.findall(rb"<record[>\s]", path.read_bytes()))


def count_lines(path: Path) -> int:
    return sum(bool(record["summary"].strip()) for record in json_lines(path))


def json_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def count_rows(path: Path) -> int:
    csv.field_size_limit(2**30)
    with io.TextIOWrapper(lzma.open(path), encoding="utf-8", newline="") as file:
        return sum(bool(r["abstract"].strip()) for r in csv.DictReader(file, delimiter="\t"))


def count_bibtex(path: Path) -> int:
    entries = re.split(r"(?m)^\s*@\w+\s*\{", path.read_text("utf-8"))[1:]
    return sum(bool(re.search(r"(?i)\babstract\s*=\s*\{", e)) for e in entries)


COUNTS: list[tuple[str, str, Callable[[Path], int]]] = [
    ("acl_anthology_xml", "*.xml", count_acl),
    ("arxiv", "*.xml", count_records),
    ("arxiv_daily_jsonl", "*.jsonl", count_lines),
    ("arxiv_tsv", "*[AM]*.xz", count_rows),
    ("pmlr_bibtex", "*.bib", count_bibtex),
    ("pubmed", "*.xml", lambda p: p.read_bytes().count(b"<PubmedArticle>")),
]


@pytest.mark.parametrize(("folder", "pattern", "count"), COUNTS, ids=[c[0] for c in COUNTS])
def test_as_many_as_counted(folder: str, pattern: str, count: Callable[[Path], int]) -> None:
    files = sorted((PAPERS / folder).glob(pattern))
    assert files
    found, rejected = papers(*files)
    by_file = Counter(i.paper.source.file for i in found if i.paper.source)
    assert {f.name: by_file[str(f)] for f in files} == {f.name: count(f) for f in files}
    assert set(rejected) <= {"empty"}
    assert all(i.paper.title and i.paper.authors for i in found if folder != "arxiv")


def test_the_seeds() -> None:
    found, rejected = papers(SHARED / "seeds")
    assert not rejected
    by_file = Counter(i.paper.source.file for i in found if i.paper.source)
    assert sorted(by_file.values()) == [19, 74, 257]
    assert not any(i.notes for i in found)


def test_the_rest() -> None:
    found, rejected = papers(PAPERS / "openalex", PAPERS / "s2_json")
    assert len(found) == 9
    assert rejected == {"empty": 4, "unsupported": 3}  # the latter are recordings in YAML
    found, rejected = papers(*sorted((PAPERS / "arxiv").glob("*.json")))
    assert [i.paper.id for i in found] == ["1606.04259"]


def test_openalex_words_stand_at_their_positions() -> None:
    for path in sorted((PAPERS / "openalex").glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        works = {w["title"]: w for w in data.get("results", [data])}
        for item in papers(path)[0]:
            index = works[item.paper.title]["abstract_inverted_index"]
            words = item.paper.text.split(" ")
            assert {w: [n for n, v in enumerate(words) if v == w] for w in index} == index


def test_gold_lines_keep_their_offsets() -> None:
    path = SHARED / "gold/dev.jsonl"
    gold = {g["id"]: g["text"] for g in json_lines(path)}
    found, rejected = papers(path)
    assert not rejected
    assert {i.paper.id: i.paper.text for i in found} == gold
