from __future__ import annotations

import random

import pytest

from kg.assemble.assemble import assemble
from kg.graph import Graph
from kg.records import Entity, Evidence, Extraction, Mention, Paper, Result, Statement

TEXT = "one two three four five six seven eight nine ten"


def entity(name: str, kind: str, *names: str, new: bool = False, paper: str = "p") -> Entity:
    return Entity(
        name, name, kind, tuple(sorted({name, *names})), (paper,) if new else (), confidence=0.9
    )


def paper(
    id: str, *entities: Entity, say: list[tuple[str, str, str]] | None = None
) -> tuple[Paper, Extraction]:
    """Return a paper that mentions ``entities`` and states ``say``; texts do not matter here."""
    text = " ".join(n for e in entities for n in e.names) or TEXT
    mentions = []
    for e in entities:
        for n in e.names:
            start = text.index(n)
            mentions.append(Mention(id, "text", start, start + len(n), n, e.type, e.key, 0.9, "r"))
    statements = [
        Statement(h, p, t, (Evidence(id, "text", 0, len(text), text, 0.8, "rule:test@1"),))
        for h, p, t in say or []
    ]
    return Paper(id, text), Extraction(id, entities, tuple(mentions), tuple(statements))


def graph(*pairs: tuple[Paper, Extraction]) -> Graph:
    return assemble([p for p, _ in pairs], [x for _, x in pairs])


def test_spellings_become_one_entity_with_all_names() -> None:
    g = graph(
        paper("a", entity("SQuAD", "Benchmark")),
        paper("b", entity("squad", "Dataset")),
        paper("c", entity("SQuAD", "Benchmark")),
    )
    (e,) = g.entities.values()
    assert (e.key, e.name, e.type) == ("data/squad", "SQuAD", "Benchmark")
    assert e.names == ("SQuAD", "squad")
    assert e.types == (("Benchmark", 2), ("Dataset", 1))


def test_variants_stay_apart() -> None:
    g = graph(paper("a", entity("CIFAR-10", "Benchmark"), entity("CIFAR-100", "Benchmark")))
    assert list(g.entities) == ["data/cifar10", "data/cifar100"]


def test_defined_acronym_joins_its_expansion() -> None:
    g = graph(
        paper("a", entity("RAVX", "Method", "Rapid Vector Exchange")),
        paper("b", entity("rapid vector exchange", "Method")),
        paper("c", entity("Rapid Vector Exchange", "Method", "RVE")),
    )
    assert "method/rapid-vector-exchange" in g.entities
    assert set(g.entities["method/rapid-vector-exchange"].names) >= {"RVE", "rapid vector exchange"}


def test_acronym_that_papers_define_differently_is_two_entities() -> None:
    g = graph(
        paper("a", entity("CL", "Method", "contrastive learning")),
        paper("b", entity("CL", "Method", "curriculum learning")),
        paper("c", entity("CL", "Method")),
    )
    assert list(g.entities) == [
        "method/cl",
        "method/contrastive-learning",
        "method/curriculum-learning",
    ]


def test_undefined_acronym_attaches_where_papers_agree() -> None:
    pairs = [paper(p, entity("EQV", "Method", "extra quick vector")) for p in "ab"]
    g = graph(*pairs, paper("c", entity("EQV", "Method")))
    assert list(g.entities) == ["method/extra-quick-vector"]


def test_name_spelt_like_an_acronym_is_what_papers_define_that_as() -> None:
    g = graph(
        paper("a", entity("QUXA", "Model", "quick universal xylophone architecture")),
        paper("b", entity("QUXA", "Model")),
        paper("c", entity("Quxa", "Model")),
    )
    assert list(g.entities) == ["method/quick-universal-xylophone-architecture"]


def test_name_that_one_paper_uses_loosely_does_not_merge_everywhere() -> None:
    g = graph(
        paper("a", entity("question answering", "Task", "extractive QA")),
        paper("b", entity("extractive QA", "Task")),
    )
    assert len(g.entities) == 2
    assert dict(g.entities["task/question-answering"].merges)["extractive QA"] == "paper"


def test_alias_file_joins_names() -> None:
    g = graph(
        paper("a", entity("retrieval-augmented generation", "Method")),
        paper("b", entity("RAG", "Method")),
    )
    (e,) = g.entities.values()
    assert set(dict(e.merges).values()) == {"spelling", "alias"}


def test_same_statement_of_two_papers_is_one_with_both_evidences() -> None:
    say = [("AlphaNet", "improves-over", "BetaNet")]
    ends = (entity("AlphaNet", "Model"), entity("BetaNet", "Model"))
    g = graph(paper("a", *ends, say=say), paper("b", *ends, say=say))
    (s,) = g.statements.values()
    assert s.papers == ("a", "b")
    assert s.belief == pytest.approx(0.99 * (1 - 0.2 * 0.2))


def test_statement_of_the_paper_itself_has_the_paper_as_subject() -> None:
    g = graph(paper("a", entity("GLUE", "Benchmark"), say=[("PAPER", "evaluates-on", "GLUE")]))
    assert [s.subject for s in g.statements.values()] == ["paper/a"]


def test_statement_about_one_entity_twice_is_left_out() -> None:
    ends = (entity("Llama 3", "Model"), entity("LLaMA-3", "Model"))
    g = graph(paper("a", *ends, say=[("Llama 3", "improves-over", "LLaMA-3")]))
    assert not g.statements
    assert len(g.entities) == 1


def test_type_that_is_a_slip_moves_to_the_prevailing_family() -> None:
    g = graph(
        *(paper(f"p{n}", entity("WebQSP", "Benchmark")) for n in range(3)),
        paper("odd", entity("WebQSP", "Method")),
    )
    assert list(g.entities) == ["data/webqsp"]
    assert g.entities["data/webqsp"].types == (("Benchmark", 3), ("Method", 1))


def test_type_that_a_statement_depends_on_stays() -> None:
    g = graph(
        *(paper(f"p{n}", entity("parsing", "Task")) for n in range(5)),
        paper(
            "odd",
            entity("parsing", "Method"),
            entity("BERT", "Model"),
            say=[("parsing", "builds-on", "BERT")],
        ),
    )
    assert "task/parsing" in g.entities
    assert "method/parsing" in g.entities


def test_order_of_papers_does_not_count() -> None:
    pairs = [
        paper("a", entity("RAG", "Method", "retrieval-augmented generation", new=True)),
        paper("b", entity("SQuAD", "Benchmark"), entity("BERT", "Model"),
              say=[("BERT", "evaluates-on", "SQuAD")]),
        paper("c", entity("squad", "Dataset"), entity("bert", "Method"),
              say=[("bert", "evaluates-on", "squad")]),
        paper("d", entity("CL", "Method", "contrastive learning")),
        paper("e", entity("CL", "Method", "curriculum learning")),
    ]  # fmt: skip
    first = graph(*pairs)
    for seed in range(5):
        random.Random(seed).shuffle(pairs)
        again = graph(*pairs)
        assert again == first
        assert list(again.entities) == list(first.entities)
        assert list(again.statements) == list(first.statements)


def test_result_keeps_its_ends() -> None:
    p, x = paper("a", entity("AlphaNet", "Model"), entity("GLUE", "Benchmark"))
    figure = Result("a", "text", 0, len(p.text), p.text, "AlphaNet", "GLUE", value=90.0, unit="%")
    g = assemble([p], [Extraction("a", x.entities, x.mentions, (), (figure,))])
    (r,) = g.results.values()
    assert (r.subject, r.benchmark, r.metric) == ("method/alphanet", "data/glue", "")
