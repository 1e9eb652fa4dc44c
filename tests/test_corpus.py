"""The data that ships: the corpus, the gazetteer, the aliases; and the extraction cases."""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kg.assemble.names import fold
from kg.extract.gazetteer import GAZETTEER, Gazetteer, normal
from kg.resources import CORPUS
from kg.schema import ENTITY_TYPES, FAMILY, PREDICATES

CASES = Path(__file__).parent / "cases"
SHARED = Path(__file__).parents[2] / "shared"
ALIASES = GAZETTEER.parents[1] / "assemble" / "aliases.tsv"

EXPECTATIONS = {
    "entities",
    "entities_exactly",
    "absent_entities",
    "same",
    "different",
    "introduced",
    "relations",
    "relations_exactly",
    "absent_relations",
    "results",
    "results_exactly",
    "results_count",
}
RESULT_KEYS = {
    "head",
    "benchmark",
    "metric",
    "value",
    "unit",
    "baseline",
    "baseline_value",
    "delta",
    "direction",
    "figure",
}


def corpus() -> list[dict[str, object]]:
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def cases() -> list[dict[str, object]]:
    found = []
    for path in sorted(CASES.glob("*.json")):
        found += [{**case, "file": path.stem} for case in json.loads(path.read_text("utf-8"))]
    return found


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table with ``#`` comments and a first row of column names."""
    lines = [ln for ln in path.read_text(encoding="utf-8").split("\n") if ln and ln[0] != "#"]
    header = lines[0].split("\t")
    cells = [line.split("\t") for line in lines[1:]]
    assert {len(c) for c in cells} == {len(header)}, f"{path.name}: uneven rows"
    return [dict(zip(header, c, strict=True)) for c in cells]


def runs(text: str, n: int) -> Iterator[tuple[str, ...]]:
    """Yield each run of ``n`` words of ``text``; case, marks and punctuation do not count."""
    words = re.findall(r"[^\W_]+", text.casefold())
    for i in range(len(words) - n + 1):
        yield tuple(words[i : i + n])


# ---- the corpus


def test_corpus_records() -> None:
    papers = corpus()
    assert len(papers) >= 60
    ids = [str(p["id"]) for p in papers]
    assert len(set(ids)) == len(ids)
    for paper in papers:
        assert {"id", "title", "text", "year", "venue"} <= paper.keys()
        assert paper.keys() <= {"id", "title", "text", "year", "venue", "url"}
        text, year = str(paper["text"]), paper["year"]
        assert isinstance(year, int)
        assert 1990 <= year <= 2026
        assert text == " ".join(text.split())
        assert 3 <= len(re.findall(r"[.?!](?: |$)", text)) <= 10, paper["id"]
        assert paper["title"]
        assert paper["venue"]
    order = [(p["year"], str(p["title"]).casefold()) for p in papers]
    assert order == sorted(order)


def test_corpus_ids_and_urls_agree() -> None:
    for paper in corpus():
        name, url = str(paper["id"]), paper.get("url")
        if re.fullmatch(r"\d{4}\.\d{4,5}", name):
            assert url == f"https://arxiv.org/abs/{name}"
            arxiv = 2000 + int(name[:2])
            year = paper["year"]
            assert isinstance(year, int)
            assert arxiv <= year <= arxiv + 2, name
        elif name.startswith("10."):
            assert url == f"https://doi.org/{name}"
        elif re.fullmatch(r"[A-Z]\d\d-\d{4}", name):
            assert url == f"https://aclanthology.org/{name}/"
        else:
            assert re.fullmatch(r"kg-\d{3}", name)
            assert url is None


def test_no_text_repeats_another() -> None:
    seen: dict[tuple[str, ...], str] = {}
    texts = [(str(p["id"]), str(p["text"])) for p in corpus()]
    texts += [(f"{c['file']}: {c['name']}", str(c["text"])) for c in cases()]
    for name, text in texts:
        for run in set(runs(text, 10)):
            assert seen.setdefault(run, name) == name, " ".join(run)


def test_corpus_shares_the_names_that_make_a_graph() -> None:
    texts = [f"{p['title']}. {p['text']}" for p in corpus()]
    for name, least in {
        "BERT": 15,
        "GLUE": 10,
        "SQuAD": 8,
        "ImageNet": 10,
        "COCO": 5,
        "GSM8K": 8,
        "MMLU": 6,
        "HumanEval": 5,
        "WMT 2014": 4,
        "Transformer": 10,
        "PPO": 5,
    }.items():
        found = sum(bool(re.search(rf"\b{re.escape(name)}\b", text)) for text in texts)
        assert found >= least, f"{name}: {found}"


# ---- the gazetteer


def test_gazetteer_rows() -> None:
    table = rows(GAZETTEER)
    assert len(table) >= 1500
    assert list(table[0]) == [
        "name",
        "type",
        "match",
        "origin",
        "papers",
        "seen",
        "inside",
        "precision",
        "agreement",
    ]
    for row in table:
        name = row["name"]
        assert name == " ".join(name.split()), repr(name)
        assert len(name) > 1
        assert row["type"] in ENTITY_TYPES, name
        assert row["match"] in ("any", "cased"), name
        assert row["origin"] in ("mined", "hand"), name
        if row["match"] == "cased":
            assert re.search(r"[A-Z\d]", name), f"{name}: how is it told from a word?"
        for share in (row["precision"], row["agreement"]):
            assert share == "-" or 0 <= float(share) <= 1, name
        if row["origin"] == "mined":
            assert int(row["papers"]) >= 2, name
            assert int(row["papers"]) <= int(row["seen"]), name
            assert float(row["precision"]) >= 0.6, name
    order = [(r["name"].casefold(), r["name"]) for r in table]
    assert order == sorted(order)


def test_gazetteer_has_each_name_once() -> None:
    seen: dict[str, str] = {}
    for row in rows(GAZETTEER):
        key = "-".join(re.findall(r"[^\W_]+|[^\w\s‐‑‒–-]|_", row["name"].casefold()))
        assert key not in seen, f"{row['name']} and {seen[key]}"
        seen[key] = row["name"]


def test_gazetteer_reads_whole() -> None:
    assert len(Gazetteer.read()) == len(rows(GAZETTEER))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BERT", "Model"),
        ("Transformer", "Method"),
        ("GSM8K", "Benchmark"),
        ("C4", "Dataset"),
        ("named entity recognition", "Task"),
        ("perplexity", "Metric"),
    ],
)
def test_gazetteer_knows(name: str, kind: str) -> None:
    assert {r["name"]: r["type"] for r in rows(GAZETTEER)}[name] == kind


def test_gazetteer_has_no_universal_class() -> None:
    banned = "language model|LLM|LLMs|neural network|deep learning|machine learning|AI|NLP|model"
    names = {r["name"].casefold() for r in rows(GAZETTEER)}
    banned += "|method|framework|dataset|benchmark|agent|agents|reasoning|performance|VLM|large"
    assert not names & set(banned.casefold().split("|"))


# ---- the aliases


def test_alias_rows() -> None:
    table = rows(ALIASES)
    assert len(table) >= 300
    assert list(table[0]) == ["canonical", "alias", "family"]
    for row in table:
        assert row["family"] in set(FAMILY.values()), row
        for name in (row["canonical"], row["alias"]):
            assert name
            assert name == " ".join(name.split())
    order = [
        (r["family"], r["canonical"].casefold(), r["canonical"], r["alias"].casefold(), r["alias"])
        for r in table
    ]
    assert order == sorted(order)


def test_no_alias_is_ambiguous_or_chained() -> None:
    table = rows(ALIASES)
    canonical: dict[tuple[str, str], str] = {}
    for row in table:
        key = (row["family"], fold(row["canonical"]))
        assert canonical.setdefault(key, row["canonical"]) == row["canonical"]
    seen: set[tuple[str, str]] = set()
    for row in table:
        key = (row["family"], fold(row["alias"]))
        assert key not in canonical, f"{row['alias']} is canonical, or needs no row"
        assert key not in seen, f"{row['alias']} twice"
        seen.add(key)


def _numbers(name: str) -> list[str]:
    found = (n.removesuffix(".0") for n in re.findall(r"\d+(?:\.\d+)?", name))
    return [n[2:] if re.fullmatch(r"(?:19|20)\d\d", n) else n for n in found]


def test_no_alias_joins_two_versions() -> None:
    by_catalogue = {"LDC2017T10", "LDC2020T02"}
    for row in rows(ALIASES):
        one, two = _numbers(row["canonical"]), _numbers(row["alias"])
        if one and two and row["alias"] not in by_catalogue:
            assert one == two, row


def test_aliases_and_gazetteer_agree_on_the_kind() -> None:
    kinds: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows(GAZETTEER):
        kinds[normal(row["name"])].add(FAMILY[row["type"]])
    in_two_families = {"SGD", "ASR", "RTE", "FiD", "Cross-lingual Natural Language Inference"}
    for row in rows(ALIASES):
        for name in {row["canonical"], row["alias"]} - in_two_families:
            found = kinds.get(normal(name))
            assert not found or row["family"] in found, (name, row["family"], found)


# ---- the cases


def test_cases_are_well_formed() -> None:
    found = cases()
    assert len(found) >= 60
    names = [(c["file"], c["name"]) for c in found]
    assert len(set(names)) == len(names)
    for case in found:
        label = f"{case['file']}: {case['name']}"
        assert case.keys() <= {"file", "name", "level", "title", "text", "expect"}, label
        assert case["level"] in ("pattern", "model"), label
        expect = case["expect"]
        assert isinstance(expect, dict)
        assert expect, label
        assert expect.keys() <= EXPECTATIONS, label
        _check_names(label, f"{case.get('title', '')}\n{case['text']}", expect)
        _check_relations(label, expect)


def _check_names(label: str, text: str, expect: dict[str, list[list[str]]]) -> None:
    used = [pair[0] for pair in expect.get("entities", [])]
    used += [name for key in ("same", "different") for pair in expect.get(key, []) for name in pair]
    used += [str(name) for name in expect.get("introduced", [])]
    used += [r[i] for r in expect.get("relations", []) for i in (0, 2)]
    for name in set(used) - {"PAPER"}:
        assert name.casefold() in text.casefold(), f"{label}: {name!r} is not in the text"
    for _, kind in expect.get("entities", []):
        assert kind is None or kind in ENTITY_TYPES, label


def _check_relations(label: str, expect: dict[str, list[list[str]]]) -> None:
    kinds = {name: kind for name, kind in expect.get("entities", []) if kind}
    for key in ("relations", "absent_relations"):
        for head, name, tail in expect.get(key, []):
            assert name in PREDICATES, label
            if key == "relations" and tail in kinds and (head == "PAPER" or head in kinds):
                assert PREDICATES[name].allows(kinds.get(head, "PAPER"), kinds[tail]), label
    assert not [r for r in expect.get("relations", []) if r in expect.get("absent_relations", [])]
    for result in expect.get("results", []):
        assert isinstance(result, dict)
        assert result.keys() <= RESULT_KEYS, label
        assert result.keys() & {"value", "delta", "baseline_value", "figure"}, label


# ---- nothing is copied


def _own() -> Iterable[tuple[str, str]]:
    yield from ((str(p["id"]), str(p["text"])) for p in corpus())
    yield from ((f"{c['file']}: {c['name']}", str(c["text"])) for c in cases())


@pytest.mark.skipif(not (SHARED / "gold").is_dir(), reason="no texts lie beside this checkout")
def test_no_text_is_copied() -> None:
    own = {run: name for name, text in _own() for run in runs(text, 12)}
    starts = {run[:2] for run in own}
    read = 0
    for path in sorted(SHARED.rglob("*")):
        if path.suffix not in (".jsonl", ".txt", ".xml", ".json", ".tsv", ".bib", ".ris"):
            continue
        read += 1
        text = path.read_text(encoding="utf-8", errors="replace").casefold()
        words = re.findall(r"[^\W_]+", text)
        for i, start in enumerate(itertools.pairwise(words)):
            if start in starts:
                run = tuple(words[i : i + 12])
                assert run not in own, f"{own[run]} and {path.name}: {' '.join(run)}"
    assert read
