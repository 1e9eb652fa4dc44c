"""A small graph, written by hand, that has every kind of record and every awkward character."""

from __future__ import annotations

from kg.graph import Graph
from kg.records import Entity, Evidence, Mention, Paper, Result, Source, Statement, paper_key

_RULE = "rule:sample@1"

TEXTS = {
    "2101.00001": (
        "We introduce AlphaNet, a parser built on BERT. AlphaNet reaches 91.5% accuracy on GLUE, "
        "improving over BERT by 2.5 points."
    ),
    "2102.00002": (
        "BetaNet builds on AlphaNet and is evaluated on GLUE. "
        "BetaNet does not outperform BERT. It is trained on Crohn's colitis notes."
    ),
    "doi:10.1/a b<c>": (
        'A study of parsing on GLUE. The `SCHEMA` model and the "C^3|{x}" set are used, '
        "and AlphaNet outperforms BERT."
    ),
    "text:empty": "Nothing is named here.",
}


def _find(paper: str, needle: str, nth: int = 0) -> tuple[int, int]:
    start = -1
    for _ in range(nth + 1):
        start = TEXTS[paper].index(needle, start + 1)
    return start, start + len(needle)


def _mention(paper: str, surface: str, kind: str, entity: str, nth: int = 0) -> Mention:
    start, end = _find(paper, surface, nth)
    return Mention(paper, "text", start, end, surface, kind, entity, 0.9, _RULE)


def _evidence(
    paper: str, sentence: str, confidence: float, *, negated: bool = False, hedged: bool = False
) -> Evidence:
    start, end = _find(paper, sentence)
    return Evidence(paper, "text", start, end, sentence, confidence, _RULE, negated, hedged)


def sample_graph() -> Graph:
    """Return the graph: 4 papers, 9 entities, 8 statements, 1 result."""
    one, two, three, four = TEXTS
    papers = [
        Paper(
            one,
            TEXTS[one],
            "AlphaNet: a parser",
            "2021-01-05",
            "ACL",
            ("Ada A.", 'Bob "B" B.'),
            "https://example.org/1",
            "10.1/1",
            Source("a.jsonl", 1),
        ),
        Paper(two, TEXTS[two], "BetaNet", "2021-02", "", ("Ada A.",), "", "", Source("a.jsonl", 2)),
        Paper(three, TEXTS[three], "", "2022", source=Source("b.txt", 1)),
        Paper(four, TEXTS[four], source=Source("b.txt", 2)),
    ]
    entities = [
        Entity("method/alphanet", "AlphaNet", "Model", ("AlphaNet",), (one,), (("Model", 3),)),
        Entity("method/betanet", "BetaNet", "Model", ("BetaNet",), (two,), (("Model", 1),)),
        Entity("method/bert", "BERT", "Model", ("BERT",), (), (("Model", 2), ("Method", 1))),
        Entity("data/glue", "GLUE", "Benchmark", ("GLUE",), (), (("Benchmark", 3),)),
        Entity("data/crohn-s-colitis", "Crohn's colitis", "Dataset", ("Crohn's colitis",)),
        Entity("data/c-5e-3-7c-7b-x-7d", "C^3|{x}", "Dataset", ("C^3|{x}",)),
        Entity("method/schema", "`SCHEMA`", "Method", ("`SCHEMA`",)),
        Entity("task/parsing", "parsing", "Task", ("parsing",)),
        Entity("metric/accuracy", "accuracy", "Metric", ("accuracy",)),
    ]
    mentions = [
        _mention(one, "AlphaNet", "Model", "method/alphanet"),
        _mention(one, "AlphaNet", "Model", "method/alphanet", 1),
        _mention(one, "BERT", "Model", "method/bert"),
        _mention(one, "BERT", "Model", "method/bert", 1),
        _mention(one, "GLUE", "Benchmark", "data/glue"),
        _mention(one, "accuracy", "Metric", "metric/accuracy"),
        _mention(two, "BetaNet", "Model", "method/betanet"),
        _mention(two, "AlphaNet", "Model", "method/alphanet"),
        _mention(two, "GLUE", "Benchmark", "data/glue"),
        _mention(two, "BERT", "Method", "method/bert"),
        _mention(two, "Crohn's colitis", "Dataset", "data/crohn-s-colitis"),
        _mention(three, "parsing", "Task", "task/parsing"),
        _mention(three, "GLUE", "Benchmark", "data/glue"),
        _mention(three, "`SCHEMA`", "Method", "method/schema"),
        _mention(three, "C^3|{x}", "Dataset", "data/c-5e-3-7c-7b-x-7d"),
        _mention(three, "AlphaNet", "Model", "method/alphanet"),
        _mention(three, "BERT", "Model", "method/bert"),
    ]
    first = "We introduce AlphaNet, a parser built on BERT."
    second = "AlphaNet reaches 91.5% accuracy on GLUE, improving over BERT by 2.5 points."
    beta = "BetaNet builds on AlphaNet and is evaluated on GLUE."
    used = 'The `SCHEMA` model and the "C^3|{x}" set are used, and AlphaNet outperforms BERT.'
    statements = [
        Statement(
            "method/alphanet", "builds-on", "method/bert", (_evidence(one, first, 0.9),), 0.9
        ),
        Statement(
            "method/alphanet", "evaluates-on", "data/glue", (_evidence(one, second, 0.95),), 0.95
        ),
        Statement(
            "method/alphanet",
            "improves-over",
            "method/bert",
            (_evidence(one, second, 0.9), _evidence(three, used, 0.8)),
            0.98,
        ),
        Statement(
            "method/betanet", "builds-on", "method/alphanet", (_evidence(two, beta, 0.9),), 0.9
        ),
        Statement("method/betanet", "evaluates-on", "data/glue", (_evidence(two, beta, 0.9),), 0.9),
        Statement(
            "method/betanet",
            "improves-over",
            "method/bert",
            (_evidence(two, "BetaNet does not outperform BERT.", 0.8, negated=True),),
            0.0,
        ),
        Statement(
            "method/betanet",
            "trained-on",
            "data/crohn-s-colitis",
            (_evidence(two, "It is trained on Crohn's colitis notes.", 0.7),),
            0.7,
        ),
        Statement(
            paper_key(three),
            "applies-to",
            "task/parsing",
            (_evidence(three, "A study of parsing on GLUE.", 0.6),),
            0.6,
        ),
    ]
    start, end = _find(one, second)
    results = [
        Result(
            one,
            "text",
            start,
            end,
            second,
            "method/alphanet",
            "data/glue",
            "metric/accuracy",
            91.5,
            "%",
            "method/bert",
            None,
            2.5,
            "up",
            0.85,
            _RULE,
        ),
    ]
    return Graph(papers, entities, mentions, statements, results)
