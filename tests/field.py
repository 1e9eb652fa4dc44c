"""Graphs for the queries: a small field that can be checked by eye, and random ones.

A paper is written as the claims that it makes; its text, the passages and the offsets follow from
them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kg.graph import Graph
from kg.records import Entity, Evidence, Mention, Paper, Result, Statement, paper_key
from kg.schema import PAPER, PREDICATES, predicate

_RULE = "rule:field@1"
Decision = Literal["", "accepted", "rejected"]


@dataclass(frozen=True)
class Claim:
    """A statement that a paper makes; ``how`` is "", "negated" or "hedged"."""

    subject: str
    predicate: str
    object: str
    how: str = ""

    @property
    def sentence(self) -> str:
        subject = "This work" if self.subject == PAPER else self.subject
        extra = {"": "", "negated": "not ", "hedged": "perhaps "}[self.how]
        return f"{subject} {extra}{predicate(self.predicate).label} {self.object}."


@dataclass(frozen=True)
class Figure:
    """A result that a paper reports; what it does not tell is "" or None."""

    subject: str = ""
    benchmark: str = ""
    metric: str = ""
    value: float | None = None
    unit: str = ""
    baseline: str = ""
    baseline_value: float | None = None
    delta: float | None = None
    direction: str = ""

    @property
    def sentence(self) -> str:
        who = "This work" if self.subject in ("", PAPER) else self.subject
        figures = [f"{x:g}{self.unit}" for x in (self.value, self.baseline_value, self.delta) if x]
        told = [x for x in (self.metric, self.benchmark, self.baseline) if x]
        return f"{who} has {' '.join([*figures, *told])}."


@dataclass(frozen=True)
class Written:
    """A paper as its claims, its figures and the names that it introduces."""

    id: str
    date: str
    said: tuple[Claim | Figure, ...]
    introduces: tuple[str, ...] = ()
    title: str = ""


def make_graph(
    papers: Sequence[Written], types: dict[str, str], aliases: dict[str, tuple[str, ...]]
) -> Graph:
    """Return the graph of ``papers``; ``types`` and ``aliases`` are by the entities' names."""
    keys = {name: f"{kind.lower()}/{name}" for name, kind in types.items()}
    records, mentions, results = [], [], []
    evidence: dict[tuple[str, str, str], list[Evidence]] = {}
    introduced: dict[str, list[str]] = {}
    for written in papers:
        text, at = "", []
        for said in written.said:
            at.append(len(text))
            text += said.sentence + " "
        text = text.strip() or "Nothing."
        records.append(Paper(written.id, text, written.title, written.date))
        for name in written.introduces:
            introduced.setdefault(name, []).append(written.id)
        for name in types:
            start = text.find(name)
            while start >= 0:
                end = start + len(name)
                where = (written.id, "text", start, end)
                mentions.append(Mention(*where, name, types[name], keys[name], 0.9, _RULE))
                start = text.find(name, end)

        def key(name: str, paper: str = written.id) -> str:
            return paper_key(paper) if name == PAPER else keys.get(name, "")

        for said, start in zip(written.said, at, strict=True):
            where = (written.id, "text", start, start + len(said.sentence), said.sentence)
            if isinstance(said, Claim):
                how = {"negated": said.how == "negated", "hedged": said.how == "hedged"}
                claim = (key(said.subject), said.predicate, key(said.object))
                evidence.setdefault(claim, []).append(Evidence(*where, 0.8, _RULE, **how))
            else:
                results.append(
                    Result(
                        *where,
                        key(said.subject),
                        key(said.benchmark),
                        key(said.metric),
                        said.value,
                        said.unit,
                        key(said.baseline),
                        said.baseline_value,
                        said.delta,
                        said.direction,
                        0.9,
                        _RULE,
                    )
                )
    statements = []
    for (subject, name, obj), passages in evidence.items():
        papers_for = {e.paper for e in passages if e.asserts}
        belief = 1 - 0.2 ** len(papers_for)
        passages = sorted(set(passages))
        statements.append(Statement(subject, name, obj, tuple(passages), round(belief, 6)))
    entities = [
        Entity(
            keys[name],
            name,
            kind,
            (name, *aliases.get(name, ())),
            tuple(sorted(introduced.get(name, ()))),
            variant_of=keys.get(VARIANTS.get(name, ""), ""),
        )
        for name, kind in types.items()
    ]
    return Graph(records, entities, mentions, statements, results)


TYPES = {
    "Alpha": "Model",
    "Beta": "Model",
    "Gamma": "Method",
    "Delta": "Method",
    "Omega": "Method",
    "GLUE": "Benchmark",
    "SQuAD": "Benchmark",
    "MNLI": "Dataset",
    "parsing": "Task",
    "accuracy": "Metric",
    "F1": "Metric",
}
ALIASES = {"SQuAD": ("Stanford QA",), "Gamma": ("γ-Net", "Gamma Net")}
VARIANTS = {"Delta": "Gamma", "Omega": "Delta"}
PAPERS = (
    Written(
        "2019.1",
        "2019-03",
        (
            Claim("Alpha", "evaluates-on", "GLUE"),
            Claim("Alpha", "evaluates-on", "SQuAD"),
            Claim("Alpha", "trained-on", "MNLI"),
            Claim("Alpha", "applies-to", "parsing"),
            Figure("Alpha", "GLUE", "accuracy", 80.5, "%"),
            Figure("Alpha", "SQuAD", "F1", 88.0),
        ),
        ("Alpha",),
        "Alpha, a parser",
    ),
    Written(
        "2020.1",
        "2020-01-02",
        (
            Claim("Beta", "builds-on", "Alpha"),
            Claim("Beta", "improves-over", "Alpha"),
            Claim("Beta", "evaluates-on", "GLUE"),
            Figure("Beta", "GLUE", "accuracy", 83.0, "%", "Alpha", 80.5, 2.5, "up"),
        ),
        ("Beta",),
        "Beta",
    ),
    Written(
        "2020.2",
        "2020",
        (
            Claim("Gamma", "builds-on", "Beta"),
            Claim("Gamma", "builds-on", "Alpha"),
            Claim("Gamma", "part-of", "Beta"),
            Claim("Gamma", "applies-to", "parsing"),
            Claim("Beta", "improves-over", "Alpha"),
        ),
        ("Gamma",),
    ),
    Written(
        "2021.1",
        "2021-07",
        (
            Claim("Alpha", "improves-over", "Beta"),
            Claim("Beta", "improves-over", "Alpha", "negated"),
            Claim("Omega", "evaluates-on", "MNLI", "hedged"),
            Claim("Alpha", "evaluates-on", "GLUE"),
        ),
        ("Omega",),
        "Alpha again",
    ),
    Written(
        "2021.2",
        "2021-08",
        (
            Claim(PAPER, "improves-over", "Beta"),
            Claim(PAPER, "evaluates-on", "SQuAD"),
            Claim(PAPER, "evaluates-on", "GLUE"),
            Claim(PAPER, "applies-to", "parsing"),
            Claim("Delta", "compared-with", "Beta"),
            Figure(PAPER, "GLUE", "accuracy", 83.0, "%", "Beta", None, None),
            Figure("Delta", "", "", None, "x", "Beta", None, 2.0, "down"),
        ),
        (),
        "A study",
    ),
    Written(
        "undated", "", (Claim("Gamma", "builds-on", "Beta"), Claim("Delta", "part-of", "Gamma"))
    ),
    Written("silent", "2021", ()),
)


def field_graph() -> Graph:
    """Return the small field."""
    return make_graph(PAPERS, TYPES, ALIASES)


def random_graph(seed: int, papers: int) -> Graph:
    """Return a graph of ``papers`` random papers, with cycles, hubs, denials and decisions."""
    dice = random.Random(seed)
    types, aliases = {}, {}
    for kind, many in [
        ("Method", 12),
        ("Model", 8),
        ("Dataset", 5),
        ("Benchmark", 6),
        ("Task", 4),
        ("Metric", 3),
    ]:
        for i in range(many):
            odd = dice.choice(["", "", "", "`", "'", '"', "é", "Ω", "$x", "{}", "\\n", "😀"])
            name = f"{kind}{odd}<{i}>"
            types[name] = kind
            if dice.random() < 0.4:
                aliases[name] = (f"{name} alias", name.upper())
    names = {kind: [n for n, k in types.items() if k == kind] for kind in set(types.values())}
    names = dict(sorted(names.items()))
    written = []
    for number in range(papers):
        said: list[Claim | Figure] = []
        for _ in range(dice.randrange(6)):
            rule = PREDICATES[dice.choice(list(PREDICATES))]
            subjects, objects = dice.choice(rule.signatures)
            kind, other = dice.choice(subjects), dice.choice(objects)
            subject = PAPER if kind == PAPER else dice.choice(names[kind])
            obj = dice.choice(names[other])
            if subject != obj:
                how = dice.choice(["", "", "", "", "negated", "hedged"])
                said.append(Claim(subject, rule.name, obj, how))
        for _ in range(dice.randrange(3)):
            pick = {k: dice.choice([*names[k], ""]) for k in ("Benchmark", "Metric", "Model")}
            said.append(
                Figure(
                    dice.choice([PAPER, "", *names["Method"]]),
                    pick["Benchmark"],
                    pick["Metric"],
                    dice.choice([None, 90.0, 91.5, 0.25]),
                    dice.choice(["%", ""]),
                    pick["Model"],
                    dice.choice([None, 88.0]),
                    dice.choice([2.0, 2.5]),
                    dice.choice(["", "up", "down"]),
                )
            )
        said = list(dict.fromkeys(said))
        used = [c.subject for c in said if isinstance(c, Claim) and c.subject != PAPER]
        introduces = tuple(sorted(set(dice.sample(used, min(len(used), dice.randrange(3))))))
        date = dice.choice(["", f"20{dice.randrange(15, 25)}", f"20{dice.randrange(15, 25)}-05"])
        title = dice.choice(["", f"Paper {number}", "The same title"])
        written.append(Written(f"p{number:04}", date, tuple(said), introduces, title))
    return decided(make_graph(written, types, aliases), lambda s: DECISIONS.get(s.id[0], ""))


DECISIONS: dict[str, Decision] = {"0": "rejected", "1": "accepted", "2": "accepted"}


def decided(graph: Graph, decision: Callable[[Statement], Decision]) -> Graph:
    """Return ``graph`` with what a person decided about each statement."""
    beliefs = {"rejected": 0.0, "accepted": 1.0}
    said = ((s, decision(s)) for s in graph.statements.values())
    statements = [replace(s, decision=d, belief=beliefs.get(d, s.belief)) for s, d in said]
    return Graph(
        graph.papers.values(),
        graph.entities.values(),
        graph.mentions,
        statements,
        graph.results.values(),
    )
