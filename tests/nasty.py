"""Hypothesis strategies for graphs whose texts hold every character that breaks something."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from kg.graph import Graph
from kg.records import Entity, Evidence, Mention, Paper, Result, Source, Statement, paper_key
from kg.schema import ENTITY_TYPES, FAMILY, PREDICATES

SEEN_TO_BREAK = (
    "MS MARCO",
    'a"b',
    "C^3",
    "A|B{x}",
    "<iri>",
    "back\\slash \\u0041 \\",
    "$\\frac{1}{2}$",
    "`SCHEMA`",
    "Crohn's colitis",
    '"Servizio di "X""',
    "tab\tnew\nline\r\nreturn\r",
    "form\x0cfeed \x1b[0m \x00",
    "lone \ud800 surrogate",
    "\ufffe\uffff",
    "next\x85line\u2028separator",
    "\ufeffmark",
    "cafe\u0301 caf\xe9",
    "\U0001f600",
    "2d-conv",
    "..",
    ".",
    "a/../b",
    "//host/path",
    "%41",
    "[MASK]",
    "0",
    "null",
    "=1+1",
    " ",
    "@prefix",
    "a:b",
    "#",
    "?q=1&r=2",
    "]]>",
    "'''",
    '"""',
)


def texts(smallest: int = 0) -> st.SearchStrategy[str]:
    """Text of at least ``smallest`` characters, lone surrogates and controls included."""
    anything = st.text(st.characters(exclude_categories=()), min_size=smallest, max_size=10)
    seen = st.sampled_from(SEEN_TO_BREAK)
    return st.one_of(seen, anything, st.builds("{}{}".format, seen, anything))


# JSON has six decimals of a number, see kg.json_form.to_json.
probabilities = st.integers(0, 10**6).map(lambda n: n / 10**6)
figures = st.integers(-(10**9), 10**9).map(lambda n: n / 10**6) | st.integers(-3, 3).map(float)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A graph of up to three papers whose keys all refer to something."""
    ids = draw(st.lists(texts(1), min_size=1, max_size=3, unique=True))
    papers = [
        Paper(
            id_,
            draw(texts(1)),
            draw(texts()),
            draw(st.sampled_from(["", "2024", "2024-02", "2024-02-29", "2023-02-29", "soon"])),
            draw(texts()),
            tuple(draw(st.lists(texts(1), max_size=2))),
            draw(texts()),
            draw(st.sampled_from(["", "10.1000/a b<c>", "doi:10.1/x"]) | texts()),
            draw(st.none() | st.builds(Source, texts(1), st.integers(1, 9))),
        )
        for id_ in ids
    ]
    entities = {}
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(ENTITY_TYPES)))
        key = f"{FAMILY[kind]}/{draw(texts(1))}"
        names = draw(st.lists(texts(1), min_size=1, max_size=3, unique=True))
        introduced = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
        entities[key] = Entity(
            key, names[0], kind, tuple(sorted(names)), tuple(sorted(introduced)), ()
        )
    for key in draw(st.lists(st.sampled_from(sorted(entities)), max_size=2, unique=True)):
        others = sorted(entities.keys() - {key})
        if others:
            parent = draw(st.sampled_from(others))
            entities[key] = replace(entities[key], variant_of=parent, decisions=("rename",))
    some_entity = st.sampled_from(sorted(entities))
    some_paper = st.sampled_from(papers)

    def span() -> tuple[str, str, int, int, str]:
        paper = draw(some_paper)
        start = draw(st.integers(0, len(paper.text) - 1))
        end = draw(st.integers(start + 1, len(paper.text)))
        return paper.id, "text", start, end, paper.text[start:end]

    mentions = set()
    for _ in range(draw(st.integers(0, 3))):
        key = draw(some_entity)
        mentions.add(Mention(*span(), entities[key].type, key, draw(probabilities), "rule:x@1"))
    statements = {}
    for _ in range(draw(st.integers(0, 4))):
        evidence = {}
        for _ in range(draw(st.integers(1, 3))):
            where = span()
            evidence[where[:4]] = Evidence(
                *where,
                draw(probabilities),
                draw(texts(1)),
                draw(st.booleans()),
                draw(st.booleans()),
            )
        statement = Statement(
            draw(some_entity | some_paper.map(lambda p: paper_key(p.id))),
            draw(st.sampled_from(sorted(PREDICATES))),
            draw(some_entity),
            tuple(sorted(evidence.values())),
            draw(probabilities),
            draw(st.sampled_from(["", "accepted", "rejected"])),
        )
        statements[statement.id] = statement
    results = {}
    for _ in range(draw(st.integers(0, 2))):
        result = Result(
            *span(),
            draw(st.just("") | some_entity | some_paper.map(lambda p: paper_key(p.id))),
            draw(st.just("") | some_entity),
            draw(st.just("") | some_entity),
            draw(figures),
            draw(st.sampled_from(["", "%", "x", "points", "pp"])),
            draw(st.just("") | some_entity),
            draw(st.none() | figures),
            draw(st.none() | figures.map(abs)),
            draw(st.sampled_from(["", "up", "down"])),
            draw(probabilities),
            draw(texts(1)),
        )
        results[result.id] = result
    return Graph(papers, entities.values(), mentions, statements.values(), results.values())
