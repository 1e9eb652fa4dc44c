from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from kg.errors import InputError
from kg.extract.abbreviations import abbreviations
from kg.extract.components import MENTIONS, PATTERNS, TRAINED, pipeline, read_doc
from kg.extract.document import Document, Stage, border
from kg.extract.gold_form import to_gold
from kg.extract.patterns.stages import (
    ContributionPatterns,
    EntityPatterns,
    RelationPatterns,
    ResultPatterns,
)
from kg.extract.pipeline import LONGEST, Extractor, load
from kg.extract.sentences import sentences
from kg.extract.trained import TrainedModel
from kg.json_form import to_json
from kg.records import Extraction, Paper
from kg.schema import PAPER, PREDICATES

SHARED = Path(__file__).parents[2] / "shared"

TITLE = "QuillNet: a fast parser"
TEXT = (
    "Parsing is hard.We introduce **QuillNet**, a parser based on BERT. On the Penn Treebank, "
    r"QuillNet improves accuracy from 90.1\% to 92.4\pm0.2\%. It does not outperform XLNet on "
    "SQuAD. We plan to evaluate it on GLUE."
)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return load("patterns")


@pytest.fixture(scope="module")
def found(extractor: Extractor) -> Extraction:
    return extractor.extract(Paper("1", TEXT, TITLE))


def exact(paper: Paper, extraction: Extraction) -> None:
    """Assert that every offset is exact and inside one field."""
    for m in extraction.mentions:
        assert paper.part(m.part)[m.start : m.end] == m.surface
    for s in extraction.statements:
        for e in s.evidence:
            assert paper.part(e.part)[e.start : e.end] == e.sentence
        subject = next((e.type for e in extraction.entities if e.key == s.subject), PAPER)
        object_ = next(e.type for e in extraction.entities if e.key == s.object)
        assert PREDICATES[s.predicate].allows(subject, object_)
    for r in extraction.results:
        assert paper.part(r.part)[r.start : r.end] == r.sentence
    keys = [e.key for e in extraction.entities]
    assert len(keys) == len(set(keys))
    assert {m.entity for m in extraction.mentions} == set(keys)


def test_records_of_a_paper(found: Extraction) -> None:
    exact(Paper("1", TEXT, TITLE), found)
    names = {e.key: e for e in found.entities}
    assert names["QuillNet"].introduced_in == ("1",)
    assert names["BERT"].type == "Model"
    mentions = {(m.part, m.surface) for m in found.mentions if m.entity == "QuillNet"}
    assert mentions == {("title", "QuillNet"), ("text", "QuillNet")}
    stated = {(s.subject, s.predicate, s.object) for s in found.statements if s.asserted}
    assert ("QuillNet", "builds-on", "BERT") in stated
    assert ("QuillNet", "improves-over", "XLNet") not in stated
    assert ("QuillNet", "evaluates-on", "GLUE") not in stated
    (result,) = found.results
    assert (result.subject, result.value, result.baseline_value) == ("QuillNet", 92.4, 90.1)
    assert (result.unit, result.metric, result.direction) == ("%", "accuracy", "up")


def test_denied_and_planned_statements_are_kept_as_such(found: Extraction) -> None:
    evidence = {(s.predicate, s.object): s.evidence[0] for s in found.statements}
    assert evidence["improves-over", "XLNet"].negated
    assert evidence["evaluates-on", "GLUE"].hedged


def test_extractors_are_named_with_their_version(extractor: Extractor, found: Extraction) -> None:
    name, _, version = extractor.version.partition("@")
    assert name == "patterns"
    assert all(m.extractor.startswith("rule:") for m in found.mentions)
    assert all(m.extractor.endswith("@" + version) for m in found.mentions)
    assert all(0 <= m.confidence <= 1 for m in found.mentions)


def test_a_figure_that_a_sentence_says_twice_is_one_result(extractor: Extractor) -> None:
    text = "FooNet outperforms BERT on SQuAD by 3% accuracy, on SQuAD by 3% accuracy."
    (result,) = extractor.extract(Paper("1", text)).results
    assert (result.delta, result.benchmark) == (3.0, "SQuAD")


def test_gold_form(found: Extraction) -> None:
    paper = Paper("1", TEXT, TITLE)
    form = to_gold(paper, found)
    assert json.loads(json.dumps(form)) == form
    for entity in form["entities"]:
        for m in entity["mentions"]:
            assert form["text"][m["start"] : m["end"]] == m["text"]
    assert ("QuillNet", "improves-over", "XLNet") not in {
        (r["head"], r["type"], r["tail"]) for r in form["relations"]
    }
    assert {e["name"] for e in form["entities"] if e["introduced"]} == {"QuillNet"}
    assert to_gold(Paper("2", "Plain."), Extraction("2"))["text"] == "Plain."


def test_a_title_inside_the_text_is_seen(extractor: Extractor) -> None:
    both = extractor.extract(Paper("1", f"{TITLE}\n\n{TEXT}"))
    assert {e.key for e in both.entities if e.introduced_in} == {"QuillNet"}
    assert all(m.part == "text" for m in both.mentions)


@pytest.mark.parametrize(
    ("text", "offset"),
    [("A title\n\nText", 9), ("No title", 0), ("\n\nText", 0), ("Title\n\n", 0),
     ("x" * 500 + "\n\nText", 0)],
)  # fmt: skip
def test_border(text: str, offset: int) -> None:
    assert border(text) == offset


@pytest.mark.parametrize("text", ["", "   ", "Hello world", ".", "\u200b", "🙂", "\ud800"])
def test_texts_with_nothing_in_them(extractor: Extractor, text: str) -> None:
    extraction = extractor.extract(Paper("1", text))
    exact(Paper("1", text), extraction)
    assert not extraction.statements
    assert not extraction.results


@pytest.mark.parametrize(
    "text",
    [
        "Nous présentons une méthode pour analyser les poèmes de la Renaissance avec des amis.",
        "Wir untersuchen die Geschichte der Stadt und ihrer Märkte im Mittelalter.",
        "本文研究城市的历史和市场。",
        "We measured the growth of barley in wet soil over three summers and two winters.",
    ],
)
def test_other_languages_and_fields_give_no_nonsense(extractor: Extractor, text: str) -> None:
    extraction = extractor.extract(Paper("1", text))
    assert not extraction.statements
    assert not extraction.results
    assert len(extraction.entities) <= 1


def test_a_text_that_is_too_long_is_refused(extractor: Extractor) -> None:
    extraction = extractor.extract(Paper("1", "a" * (LONGEST + 1)))
    assert extraction.empty
    assert "were not read" in extraction.warnings[0]


def test_a_long_text_is_read(extractor: Extractor) -> None:
    paper = Paper("1", (TEXT + " ") * 60)
    extraction = extractor.extract(paper)
    exact(paper, extraction)
    assert len(extraction.mentions) > 100


def test_batches_do_not_matter(extractor: Extractor, found: Extraction) -> None:
    papers = [Paper(str(i), f"We introduce Foo{i}Net. " + TEXT, TITLE) for i in range(300)]
    together = [to_json(e) for e in extractor.pipe(iter(papers))]
    assert [e["paper"] for e in together] == [p.id for p in papers]
    assert to_json(extractor.extract(papers[260])) == together[260]
    assert to_json(load("patterns").extract(Paper("1", TEXT, TITLE))) == to_json(found)


def test_pipe_is_lazy(extractor: Extractor) -> None:
    taken = []

    def papers():  # type: ignore[no-untyped-def]
        for i in range(1000):
            taken.append(i)
            yield Paper(str(i), "Short.")

    next(extractor.pipe(papers()))
    assert len(taken) < 1000


def attributes(doc: Doc) -> tuple[object, ...]:
    spans = [(s.start_char, s.end_char, s.label_, s.kb_id_) for s in doc.spans[MENTIONS]]
    values = (
        doc._.kg_abbreviations,
        doc._.kg_mentions,
        doc._.kg_entities,
        doc._.kg_introduced,
        doc._.kg_relations,
        doc._.kg_results,
    )
    return spans, [[tuple(row) for row in value] for value in values]


@pytest.mark.parametrize(
    ("components", "stages"),
    [
        (PATTERNS, [EntityPatterns, ContributionPatterns, RelationPatterns, ResultPatterns]),
        (TRAINED, [TrainedModel.load]),
    ],
)
def test_components_find_what_the_stages_find(
    components: tuple[str, ...], stages: list[Callable[[], Stage]]
) -> None:
    nlp = pipeline(components)
    for text in (f"{TITLE}\n\n{TEXT}", "  Odd\tspace. LLMs (Large Language Models).", "a", " "):
        document = Document(text, border(text), sentences(text), abbreviations(text))
        for make in stages:
            make()(document)
        assert read_doc(nlp(text)) == document


def test_an_extractor_runs_a_pipeline_of_spacy() -> None:
    assert load("patterns").nlp.pipe_names == list(PATTERNS)
    assert load("model").nlp.pipe_names == list(TRAINED)


def test_a_version_can_be_had_without_loading() -> None:
    code = "import sys; from kg import extract; print(extract.load().version, *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version, *modules = done.stdout.split()
    assert version == load().version
    assert not {"spacy", "onnxruntime"} & set(modules)


def test_attributes_survive_processes_and_docbin() -> None:
    nlp = pipeline()
    texts = [f"{TITLE}\n\n{TEXT}", "Graph Neural Networks (GNNs) are used on Cora."]
    here = [attributes(doc) for doc in nlp.pipe(texts)]
    assert here == [attributes(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=1)]
    stored = DocBin(store_user_data=True, docs=[nlp(t) for t in texts]).to_bytes()
    fresh = pipeline(()).vocab
    assert here == [attributes(d) for d in DocBin().from_bytes(stored).get_docs(fresh)]


def test_components_fit_together() -> None:
    analysis = pipeline().analyze_pipes()
    assert not any(analysis["problems"].values())
    assert tuple(analysis["summary"]) == PATTERNS


@pytest.mark.parametrize(
    ("component", "config", "message"),
    [
        ("kg_entities", {"threshold": 1.5}, "threshold must lie between 0 and 1"),
        ("kg_entities", {"gazetteer": "/no/such/file"}, "no gazetteer at /no/such/file"),
        ("kg_contribution", {"threshold": -1.0}, "threshold must lie"),
        ("kg_relations", {"thresholds": {"loves": 0.5}}, "no predicate 'loves'"),
        ("kg_relations", {"thresholds": {"builds-on": 2.0}}, "builds-on must lie"),
        ("kg_results", {"threshold": 7.0}, "threshold must lie"),
    ],
)
def test_config_is_checked(component: str, config: dict[str, object], message: str) -> None:
    nlp = pipeline(PATTERNS[:2])
    with pytest.raises(InputError, match=message):
        nlp.add_pipe(component, config=config)


def test_an_own_gazetteer(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text(
        "name\ttype\tmatch\nmoss tiling\tMethod\tany\nblue fern\tBenchmark\tany\n", encoding="utf-8"
    )
    nlp = pipeline(PATTERNS[:2])
    nlp.add_pipe("kg_entities", config={"gazetteer": str(path)})
    doc = nlp("We apply moss tiling to many images of Blue Fern.")
    assert {(n, t) for n, t, *_ in doc._.kg_entities} >= {("moss tiling", "Method")}


def test_an_unknown_extractor() -> None:
    with pytest.raises(InputError, match="no extractor"):
        load("no-such-extractor")


def test_components_come_by_entry_point() -> None:
    code = (
        "import sys, spacy; nlp = spacy.blank('en', config={'nlp': {'tokenizer': "
        "{'@tokenizers': 'kg_words'}}}); "
        f"[nlp.add_pipe(n) for n in {PATTERNS!r}]; doc = nlp('We use BERT.'); "
        "print(len(doc.spans['kg_mentions']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


WORDS = st.sampled_from(
    ["We", "introduce", "FooNet", "which", "outperforms", "BERT", "on", "GLUE", "by", "3.5", "%",
     ".", ",", "(", ")", "GNNs", "**", "$", "\\beta", "-", "\n\n", "accuracy", "from", "to", "our",
     "method", "it", "not", "\ue000", "é", "speech recognition", "<i>", "\ud800", "respectively"]
)  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(st.lists(WORDS, max_size=40), st.lists(WORDS, max_size=8))
def test_any_words(extractor: Extractor, text: list[str], title: list[str]) -> None:
    paper = Paper("1", " ".join(text), " ".join(title))
    exact(paper, extractor.extract(paper))


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared seeds")
def test_offsets_are_exact_on_the_seeds(extractor: Extractor) -> None:
    texts = []
    for path in sorted((SHARED / "seeds").iterdir()):
        if path.suffix in ("", ".txt"):
            raw = path.read_text(encoding="utf-8", errors="replace")
            texts += [t for t in raw.split("\n\n") if len(t) > 200][:12]
    assert texts
    papers = [Paper(str(i), text) for i, text in enumerate(texts)]
    for paper, extraction in zip(papers, extractor.pipe(papers), strict=True):
        exact(paper, extraction)
