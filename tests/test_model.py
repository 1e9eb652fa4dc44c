"""The trained extractor: its answer has the promised form and depends on the text alone."""

from __future__ import annotations

import json
import random
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import InputError
from kg.extract.model.decode import RELATIONS, Settings
from kg.extract.model.extractor import Extractor
from kg.extract.model.features import TYPES, WIDTH, read_page
from kg.extract.model.figures import figures
from kg.extract.model.folder import FILES, SHIPPED
from kg.extract.model.grouping import Group, groups
from kg.extract.model.long import LONG, PART, joined, parts
from kg.extract.model.names import abbreviates, normal
from kg.extract.model.nodes import buckets, figure_words
from kg.extract.model.pieces import MAX_PIECES, Pieces
from kg.extract.model.reading import windows
from kg.extract.model.results import softmax
from kg.schema import PAPER, PREDICATES

TEXT = (
    "SwiftTune: Faster Fine-Tuning of Language Models\n\n"
    "We introduce SwiftTune, a method that extends Low-Rank Adaptation (LoRA) to sparse updates. "
    "Trained on FLAN, SwiftTune with LLaMA-2-7B beats LoRA and prefix tuning on GSM8K by 4.2% "
    "and improves accuracy on MMLU from 61.3% to 64.0%. We plan to test it on HumanEval."
)
ODD = [
    "",
    " \n\t ",
    ".",
    "\ud800",
    "a\udfffb",
    "🤖🚀 GPT-4 👩‍💻 beats BERT by 3%",
    "x" * 5000,
    "\x00\x01",
    "ﬁne-tuning ﬂan",
    "我们提出了一种新的方法 BERT 在 GLUE 上提高了 3.5%。",
    "مرحبا BERT",
    "e\u0301" * 300,
    "((((((((",
    ")))) ]]] [[[",
    "$\\beta$-VAE 88.2\\pm0.3 5\\%",
    "**CEDF** __x__ _y_",
    "1e999999 99999999999999999999999999 3.14.15",
    "\n\n",
    "Title only\n\n",
    "\n\nBody only",
    "A" * 700 + " (A)",
]
needs_model = pytest.mark.skipif(
    not (SHIPPED / "model.json").is_file(), reason="no model is shipped"
)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load()


def long_text(words: int) -> str:
    rng = random.Random(5)
    names = [
        "BERT",
        "GPT-4",
        "a new method",
        "GSM8K",
        "machine translation",
        "accuracy of 81.2%",
        "we show",
    ]
    return " ".join(rng.choice(names) + ("." if rng.random() < 0.1 else "") for _ in range(words))


def check(text: str, got: dict) -> None:
    names = [e["name"] for e in got["entities"]]
    assert len(set(names)) == len(names)
    assert PAPER not in names
    kinds = {e["name"]: e["type"] for e in got["entities"]} | {PAPER: PAPER}
    taken: list[tuple[int, int]] = []
    for e in got["entities"]:
        assert e["type"] in TYPES
        assert isinstance(e["introduced"], bool)
        assert 0 <= e["confidence"] <= 1
        assert e["mentions"]
        assert e["name"] in [m["text"] for m in e["mentions"]]
        for m in e["mentions"]:
            assert text[m["start"] : m["end"]] == m["text"] != ""
            taken.append((m["start"], m["end"]))
    taken.sort()
    assert all(a[1] <= b[0] for a, b in pairwise(taken))
    for r in got["relations"]:
        assert r["head"] != r["tail"] != PAPER
        assert PREDICATES[r["type"]].allows(kinds[r["head"]], kinds[r["tail"]])
    assert len({(r["head"], r["tail"]) for r in got["relations"]}) == len(got["relations"])
    for r in got["results"]:
        assert r["value"] is not None or r["delta"] is not None
        for key in ("head", "benchmark", "metric", "baseline"):
            assert r[key] is None or r[key] in kinds
        assert r["direction"] in (None, "up", "down")
    for r in (*got["relations"], *got["results"]):
        assert 0 <= r["confidence"] <= 1
        assert text[r["evidence"]["start"] : r["evidence"]["end"]].strip()
    json.dumps(got)


@needs_model
def test_answer_has_the_form_and_finds_the_plain_facts(extractor: Extractor) -> None:
    got = extractor.predict(TEXT)
    check(TEXT, got)
    by_name = {e["name"]: e for e in got["entities"]}
    assert by_name["SwiftTune"]["introduced"]
    assert by_name["LoRA"]["type"] == "Method"
    assert {"Low-Rank Adaptation", "LoRA"} <= {m["text"] for m in by_name["LoRA"]["mentions"]}
    assert ("SwiftTune", "evaluates-on", "GSM8K") in {
        (r["head"], r["type"], r["tail"]) for r in got["relations"]
    }
    assert 4.2 in [r["delta"] for r in got["results"]]


@needs_model
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_text(extractor: Extractor, text: str) -> None:
    check(text, extractor.predict(text))


@needs_model
def test_nothing_in_nothing_out(extractor: Extractor) -> None:
    for text in ("", "  \n"):
        assert extractor.predict(text) == {"entities": [], "relations": [], "results": []}


@needs_model
def test_the_same_alone_and_among_others(extractor: Extractor) -> None:
    texts = [TEXT, long_text(40), *ODD, TEXT.split("\n\n")[1]]
    alone = [extractor.predict(t) for t in texts]
    assert extractor.predict_batch(texts) == alone
    assert extractor.predict_batch(reversed(texts)) == alone[::-1]
    assert Extractor.load(threads=2).predict_batch(texts) == alone
    assert Extractor.load().predict(TEXT) == alone[0]


@needs_model
def test_long_text_is_read_to_its_end(extractor: Extractor) -> None:
    filler = "This sentence is about nothing in particular, and it names nothing at all. "
    text = filler * 60 + TEXT.split("\n\n")[1]
    got = extractor.predict(text)
    check(text, got)
    assert "LoRA" in [e["name"] for e in got["entities"]]
    check(long_text(3000), extractor.predict(long_text(3000)))


@needs_model
def test_much_longer_text_is_read_in_parts(extractor: Extractor) -> None:
    plain = TEXT.split("\n\n")[1]
    text = (plain + " ") * (2 * LONG // len(plain))
    got = extractor.predict(text)
    check(text, got)
    lora = next(e for e in got["entities"] if e["name"] == "LoRA")
    assert {m["start"] < LONG for m in lora["mentions"]} == {True, False}
    assert len([e["name"] for e in got["entities"]]) < 3 * len(extractor.predict(TEXT)["entities"])


@given(st.text(alphabet="ab .\n(", max_size=60), st.integers(LONG // 60, LONG // 20))
@settings(max_examples=20, deadline=None)
def test_parts_cover_what_is_visible_and_are_short(piece: str, times: int) -> None:
    text = piece * times
    cuts = parts(text)
    assert [c for c in cuts if c[1] - c[0] > (LONG if len(cuts) == 1 else PART)] == []
    assert all(a[1] <= b[0] for a, b in pairwise(cuts))
    assert "".join("".join(text[a:b].split()) for a, b in cuts) == "".join(text.split())


def test_what_parts_say_is_put_together() -> None:
    def answer(kind: str, sure: float, relation: float) -> dict[str, list[dict[str, Any]]]:
        entities = [
            {"name": n, "type": t, "introduced": i, "introduced_score": 0.5, "confidence": c,
             "mentions": [{"start": 0, "end": 1, "text": n, "confidence": c}]}
            for n, t, i, c in (("A", "Method", sure > 0.5, 0.9), ("B", kind, False, sure))
        ]  # fmt: skip
        row = {"head": "A", "tail": "B", "confidence": relation, "evidence": {"start": 0, "end": 2}}
        verb = "evaluates-on" if kind == "Benchmark" else "builds-on"
        result = {"head": "A", "benchmark": "B", "metric": None, "baseline": None}
        return {"entities": entities, "relations": [{**row, "type": verb}],
                "results": [{**result, "evidence": {"start": 0, "end": 2}}]}  # fmt: skip

    got = joined([(0, answer("Benchmark", 0.4, 0.9)), (10, answer("Method", 0.8, 0.5))])
    assert [(e["name"], e["type"], e["introduced"]) for e in got["entities"]] == [
        ("A", "Method", True),
        ("B", "Method", False),
    ]
    assert [m["start"] for m in got["entities"][0]["mentions"]] == [0, 10]
    assert [(r["type"], r["evidence"]["start"]) for r in got["relations"]] == [("builds-on", 10)]
    assert [r["benchmark"] for r in got["results"]] == [None, None]


@needs_model
def test_thresholds_can_be_set() -> None:
    strict = Extractor.load(entity=dict.fromkeys(TYPES, 1.1), supported=1.1)
    assert strict.predict(TEXT)["entities"] == []
    silent = Extractor.load(relation=dict.fromkeys(RELATIONS, 1.1), result=1.1)
    assert silent.predict(TEXT)["relations"] == silent.predict(TEXT)["results"] == []
    with pytest.raises(InputError, match="cannot be read"):
        Extractor.load(no_such_setting=1)


@needs_model
def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no model\.json"):
        Extractor.load(tmp_path)
    for name in FILES:
        shutil.copyfile(SHIPPED / name, tmp_path / name)
    (tmp_path / "heads.onnx").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read"):
        Extractor.load(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    (tmp_path / "model.json").write_text(json.dumps({**about, "format": 99}), encoding="utf-8")
    with pytest.raises(InputError, match="format 99"):
        Extractor.load(tmp_path)


@needs_model
def test_other_peoples_annotations() -> None:
    path = Path("/work/shared/gold/dev.jsonl")
    if not path.is_file():
        pytest.skip("no annotated abstracts here")
    extractor = Extractor.load()
    for line in path.read_text(encoding="utf-8").splitlines()[:10]:
        text = json.loads(line)["text"]
        check(text, extractor.predict(text))


PIECES = Pieces(
    ["[CLS]", "[SEP]", "[UNK]", "play", "##ing", "##s", "b", "##e", "##r", "##t", "(", ")", "."]
)


def test_pieces() -> None:
    assert PIECES.split("Playing") == (3, 4)
    assert PIECES.split("Bért") == (6, 7, 8, 9)
    assert PIECES.split("\ud800") == PIECES.split("zebra") == (2,)
    assert len(PIECES.split("be" + "r" * 400)) == MAX_PIECES


def test_names() -> None:
    assert normal(["mixture", "-", "of", "-", "experts"]) == normal(["mixture", "of", "expert"])
    assert normal(["gpt", "-", "4"]) != normal(["gpt", "4", "o"])
    assert abbreviates("RAG", "Retrieval-Augmented Generation")
    assert abbreviates("MoEs", "mixture of experts")
    assert not abbreviates("RAG", "the Retrieval-Augmented Generation")
    assert not abbreviates("and", "a new dawn")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 72.0% to 80.2%", [72.0, 80.2]),
        ("88.2\\pm0.3 AP, 2x faster, 1,234 items", [88.2, 2.0, 1234.0]),
        ("Llama-3 and GPT-4 with CIFAR-10, F1", []),
        ("twice as fast, threefold", [2.0, 3.0]),
        ("+1.17/+1.56 and .5.", [1.17, 1.56, 0.5]),
    ],
)
def test_figures(text: str, values: list[float]) -> None:
    got = [f.value for f in figures(text)]
    assert [v for v in got if v != 0.3] == values
    for f in figures(text):
        assert text[f.start : f.end]


def test_page_takes_a_papers_own_names_off() -> None:
    names = {"play": (2, 0, 0, 0, 0, 0, 3)}
    with_names = read_page("Play playing", PIECES, names)
    assert with_names.flags[0, 16] == pytest.approx(2 / 3.5)
    assert (
        read_page("Play playing", PIECES, names, {"play": (2, 0, 0, 0, 0, 0, 2)}).flags[0, 16] == 0
    )
    assert read_page("", PIECES, names).flags.shape[0] == 0


def test_windows_cover_all_words_once() -> None:
    page = read_page("be bert. Playing bert (bert). " * 80, PIECES, {})
    for limit in (12, 30, 10_000):
        got = windows(page, limit)
        assert [w for a, b in got for w in range(a, b)] == list(range(len(page.spans)))
        assert all(sum(map(len, page.pieces[a:b])) <= limit for a, b in got)
    assert len(windows(page, 10_000)) == 1


def test_groups_do_not_overlap_and_join_abbreviations() -> None:
    page = read_page("Graph neural network (GNN) beats the GNN", PIECES, {})
    p = np.zeros((len(page.spans), WIDTH, 7), np.float32)
    p[..., 0] = 1
    for s, w in ((0, 2), (1, 1), (4, 0), (8, 0)):
        p[s, w] = [0.1, 0.9, 0, 0, 0, 0, 0]
    found = groups(page, p, 0.3)
    assert [g.places for g in found] == [[(0, 3), (4, 5), (8, 9)]]
    assert isinstance(found[0], Group)
    assert found[0].type == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("open-domain QA", "Open-Domain Question Answering", True),
        ("AMR parsing", "abstract meaning representation (AMR) parsing", True),
        ("OOD detection", "out-of-distribution detection", True),
        ("contextual embeddings", "contextualized embeddings", True),
        ("Mixture-of-Experts", "mixture of experts", True),
        ("visual QA", "textual question answering", False),
        ("open-domain QA", "question answering", False),
        ("IT detection", "image text detection in videos", False),
        ("machine translation", "machine reading", False),
    ],
)
def test_names_that_mean_one_thing_in_a_text(one: str, other: str, same: bool) -> None:
    text = f"We like {one} more than {other} here."
    page = read_page(text, PIECES, {})
    first = {s: i for i, (s, _) in enumerate(page.spans)}
    past = {e: i for i, (_, e) in enumerate(page.spans)}
    p = np.zeros((len(page.spans), WIDTH, 7), np.float32)
    p[..., 0] = 1
    for name in (one, other):
        start = text.rindex(name)
        s = first[start]
        p[s, past[start + len(name)] - s] = [0.1, 0, 0, 0, 0, 0.9, 0]
    assert len(groups(page, p, 0.3)) == (1 if same else 2)


def test_buckets_and_figure_words() -> None:
    sentence = np.array([0, 0, 0, 1, 1])
    assert buckets([(1, 2)], sentence).tolist() == [7, 0, 1, 15, 16]
    assert buckets([], sentence).tolist() == [26] * 5
    page = read_page("by 88.2 points", PIECES, {})
    assert figure_words(page, 3, 7) == (1, 4)


def test_softmax_and_settings() -> None:
    x = np.array([[1000.0, 0.0], [0.0, 0.0]], np.float32)
    assert softmax(x).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert Settings.make({"calibration": {"entity": [1, 0]}}).calibration == {"entity": (1.0, 0.0)}
    with pytest.raises(TypeError):
        Settings.make({"nonsense": 1})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It reaches 88.2 ± 0.3 AP.", [88.2]),
        ("It reaches 88.2pm0.3 AP.", [88.2]),
        ("It reaches 72.0% +/- 1.2.", [72.0]),
        ("From 72.0% to 80.2% with Llama-3.", [72.0, 80.2]),
    ],
)
def test_spread_and_digits_of_names_are_no_figures(text: str, values: list[float]) -> None:
    assert [f.value for f in figures(text)] == values
