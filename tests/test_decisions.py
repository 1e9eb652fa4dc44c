from __future__ import annotations

from pathlib import Path

import pytest
from test_assemble import entity, graph, paper

from kg.assemble.assemble import assemble
from kg.assemble.decision_file import entries, read_decisions
from kg.assemble.decisions import NONE, Decisions
from kg.assemble.nodes import node_of
from kg.assemble.review import review, to_yaml
from kg.errors import InputError
from kg.graph import Graph
from kg.records import Evidence, Extraction, Paper, Statement

PAIRS = [
    paper("a", entity("AlphaNet", "Model"), entity("BetaNet", "Model"), entity("GLUE", "Benchmark"),
          say=[("AlphaNet", "improves-over", "BetaNet"), ("AlphaNet", "evaluates-on", "GLUE")]),
    paper("b", entity("Alpha-Network", "Model"), entity("BetaNet", "Model"),
          say=[("BetaNet", "improves-over", "Alpha-Network")]),
    paper("c", entity("RAG", "Method"), entity("parsing", "Task")),
    paper("d", entity("retrieval-augmented generation", "Method")),
]  # fmt: skip


def decided(text: str) -> Graph:
    decisions = Decisions(d for _, d in entries(text) if d)
    return assemble([p for p, _ in PAIRS], [x for _, x in PAIRS], decisions)


def test_merge_joins_what_the_rules_keep_apart() -> None:
    g = decided("- merge: [method/alphanet, method/alpha-network]")
    e = g.entities["method/alphanet"]
    assert "method/alpha-network" not in g.entities
    assert dict(e.merges) == {"Alpha-Network": "decision", "AlphaNet": "spelling"}
    assert e.decisions == ("merge",)
    assert len(list(g.contradictions())) == 1  # A over B and B over A, now that A is one


def test_split_undoes_an_alias() -> None:
    both = {"method/retrieval-augmented-generation", "method/rag"}
    assert len(both & decided("").entities.keys()) == 1
    text = "- split: [method/retrieval-augmented-generation, method/rag]"
    assert both <= decided(text).entities.keys()


def test_split_gives_the_entity_of_some_papers_a_name_of_its_own() -> None:
    g = decided("- split: method/betanet\n  papers: [b]\n  as: BetaNet (vision)")
    assert g.papers_of["method/betanet"] == ("a",)
    (other,) = g.find("BetaNet (vision)")
    assert other.name == "BetaNet (vision)"
    assert g.papers_of[other.key] == ("b",)


def test_retype_within_and_across_families() -> None:
    assert decided("- retype: data/glue\n  to: Dataset").entities["data/glue"].type == "Dataset"
    g = decided("- retype: data/glue\n  to: Task")
    assert g.entities["task/glue"].type == "Task"
    # "AlphaNet evaluates-on GLUE" cannot be about a task.
    assert [s.predicate for s in g.statements.values()] == ["improves-over", "improves-over"]


def test_rename_changes_what_is_shown_and_not_the_key() -> None:
    g = decided("- rename: data/glue\n  to: GLUE (2018)")
    assert g.entities["data/glue"].name == "GLUE (2018)"
    assert g.entities["data/glue"].decisions == ("rename",)


def test_rejected_statement_is_seen_but_not_asserted() -> None:
    g = decided("- reject: method/alphanet improves-over method/betanet")
    (s,) = g.statements_of("AlphaNet", "improves-over", role="subject")
    assert (s.decision, s.belief, s.asserted) == ("rejected", 0.0, False)
    again = decided(f"- reject: {s.id}")
    assert again.statements == g.statements


def test_accepted_statement_is_believed() -> None:
    g = decided("- accept: method/alphanet improves-over method/betanet")
    (s,) = g.statements_of("AlphaNet", "improves-over", role="subject")
    assert (s.decision, s.belief, s.asserted) == ("accepted", 1.0, True)


def test_rejected_entity_leaves_with_all_that_is_said_of_it() -> None:
    g = decided("- reject: method/betanet")
    assert "method/betanet" not in g.entities
    assert {s.predicate for s in g.statements.values()} == {"evaluates-on"}
    assert all(m.surface != "BetaNet" for m in g.mentions)


def test_decisions_speak_of_merged_names_too() -> None:
    g = decided(
        "- merge: [method/alphanet, method/alpha-network]\n"
        "- reject: method/betanet improves-over method/alpha-network\n"
    )
    (s,) = g.statements_of("BetaNet", "improves-over", role="subject")
    assert (s.object, s.decision) == ("method/alphanet", "rejected")


def test_order_of_independent_decisions_does_not_change_the_graph() -> None:
    one = "- merge: [method/alphanet, method/alpha-network]\n"
    two = "- retype: data/glue\n  to: Dataset\n"
    assert decided(one + two) == decided(two + one)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("- merge: [method/a, method/b", 1, "no YAML"),
        ("merge: [method/a, method/b]", 1, "a list of decisions"),
        ("- text", 1, "a decision is"),
        ("- merge: [method/a, method/b]\n- join: [method/a]", 2, "unknown field 'join'"),
        ("- why: because", 1, "has none"),
        ("- merge: [method/a, method/b]\n  reject: method/c", 1, "merge and reject"),
        ("- merge: [method/a, method/A]", 1, "two or more"),
        ("- merge: [method/a, task/b]", 1, "retype"),
        ("- merge: [RAG, method/b]", 1, "is no key of an entity"),
        ("- retype: method/a\n  to: Thing", 1, "no type 'Thing'"),
        ("- retype: method/a", 1, "to:"),
        ("- retype: method/a\n  to: Task\n- retype: task/a\n  to: Method", 3, "turns it back"),
        ("- rename: method/a\n  to: X\n- rename: method/a\n  to: Y", 3, "earlier decision says X"),
        ("- accept: method/a", 1, "takes a statement"),
        ("- reject: paper/1", 1, "kg remove"),
        ("- split: method/a", 1, "two or more"),
        ("- split: method/a\n  papers: [x]", 1, "go together"),
        ("- merge: [method/a, method/b]\n- split: [method/b, method/a]", 2, "merges them"),
        ("- reject: method/a builds-on method/b\n- accept: method/a builds-on method/b", 2,
         "another decision says"),
        ("- merge: [method/a, method/b]\n  to: x", 1, "takes no to"),
        ("- merge: {a: b}", 1, "a text or a list"),
        ("- why: a\n  why: b", 2, "stands twice"),
        ("- why: a\n\n- why: a\x07b", 3, r"a character .* \(U\+0007\); remove it"),
    ],
)  # fmt: skip
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "decisions.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_decisions(path)
    assert f"decisions.yaml:{line}: " in str(error.value)
    assert "\n" not in str(error.value)


def test_names_that_yaml_would_change_stay_texts() -> None:
    ((fields, _),) = entries('- rename: method/no\n  to: 1.10\n  by: null\n  why: "no: reason"')
    assert fields == {"rename": "method/no", "to": "1.10", "by": "null", "why": "no: reason"}


def test_no_file_is_no_decision(tmp_path: Path) -> None:
    assert read_decisions(tmp_path / "decisions.yaml") is NONE


def test_keys_lead_back_to_names() -> None:
    assert node_of("metric/pass_40_1") == ("metric", "pass@1")
    assert node_of("method/chain-of-thought") == ("method", "chainofthought")


def denied(id: str) -> tuple[Paper, Extraction]:
    p, x = paper(id, entity("AlphaNet", "Model"), entity("BetaNet", "Model"))
    e = Evidence(id, "text", 0, len(p.text), p.text, 0.3, "r")
    no = Evidence(id, "text", 0, 3, p.text[:3], 0.8, "r", negated=True)
    s = Statement("AlphaNet", "improves-over", "BetaNet", (e, no))
    return p, Extraction(id, x.entities, x.mentions, (s,))


def doubtful() -> Graph:
    return graph(
        denied("d"),
        paper("e", entity("BetaNet", "Model"), entity("AlphaNet", "Method")),
        paper("f", entity("CLE", "Method", "contrastive learning exam")),
        paper("g", entity("CLE", "Method", "curriculum learning examples")),
        paper("h", entity("CLE", "Method"), entity("summarization", "Task")),
        paper("i", entity("sumarization", "Task")),
    )


def test_review_asks_about_each_kind_of_doubt() -> None:
    cases = review(doubtful())
    assert {(c.kind, c.about) for c in cases} >= {
        ("near names", ("task/sumarization", "task/summarization")),
        ("near names", ("method/cle", "method/contrastive-learning-exam")),
        ("mixed types", ("method/alphanet",)),
        ("contradiction", ("method/alphanet improves-over method/betanet",)),
        ("low belief", ("method/alphanet improves-over method/betanet",)),
    }


def test_review_file_is_a_decision_file_and_is_not_asked_again() -> None:
    cases = review(doubtful())
    text = to_yaml(cases)
    known = entries(text)
    assert len(known) == len(cases)
    assert all(decision is None for _, decision in known)
    assert review(doubtful(), known) == []


def test_every_option_of_a_case_is_a_valid_decision_once_uncommented() -> None:
    g = doubtful()
    for case in review(g):
        for option in case.options:
            lines = to_yaml([case], header=False).splitlines()
            chosen = to_yaml([case.__class__(case.kind, case.about, case.seen, (option,))],
                             header=False)  # fmt: skip
            assert set(chosen.splitlines()) <= set(lines)
            ((fields, decision),) = entries(chosen.replace("  # ", "  "))
            assert decision is not None
            assert fields["review"] == case.kind
            Decisions([decision])


def test_decided_cases_are_not_asked_again() -> None:
    text = "- accept: method/alphanet improves-over method/betanet\n"
    kinds = {c.kind for c in review(doubtful(), entries(text))}
    assert kinds == {"near names", "mixed types"}
