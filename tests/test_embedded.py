"""The embedded store: the same rows, read only, its file whole or not at all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from field import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import QueryError, StoreError
from kg.graph import Graph
from kg.project.embedded import EmbeddedStore, open_store
from kg.project.layout import NODES, RELATIONSHIPS
from kg.project.rows import node_rows, relationship_rows


def check(store: EmbeddedStore, graph: Graph) -> None:
    """Hold what the store answers against the rows of the graph."""
    for kind in NODES:
        columns = ", ".join(f"n.`{name}` AS `{name}`" for name in kind.properties)
        found = store.cypher(
            f"MATCH (n:{kind.label}) RETURN labels(n) AS l, {columns} ORDER BY n.{kind.key}"
        )
        expected = [
            {"l": list(row.labels), **{n: row.properties.get(n) for n in kind.properties}}
            for row in node_rows(graph, kind)
        ]
        assert found == expected
    for relationship in RELATIONSHIPS:
        start, end = relationship.start, relationship.end
        columns = ", ".join(f"r.`{name}` AS `{name}`" for name in relationship.properties)
        found = store.cypher(
            f"MATCH (a:{start.label})-[r:{relationship.type}]->(b:{end.label}) "
            f"RETURN a.{start.key} AS a, b.{end.key} AS b, {columns} ORDER BY a, b, r.id"
        )
        rows = list(relationship_rows(graph, relationship))
        expected = [
            {
                "a": row.start,
                "b": row.end,
                **{n: row.properties.get(n) for n in relationship.properties},
            }
            for row in rows
        ]
        assert found == expected


def test_store_holds_the_rows(sample: Graph, tmp_path: Path) -> None:
    store = EmbeddedStore.build(sample)
    check(store, sample)
    store.save(tmp_path / "x.kgl")
    check(EmbeddedStore.load(tmp_path / "x.kgl"), sample)
    assert [p.name for p in tmp_path.iterdir()] == ["x.kgl"]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_store_holds_the_rows_of_any_graph(seed: int) -> None:
    graph = random_graph(seed, 15)
    check(EmbeddedStore.build(graph), graph)


def test_empty_graph(tmp_path: Path) -> None:
    store = EmbeddedStore.build(Graph())
    assert store.cypher("MATCH (n) RETURN n.name") == []
    store.save(tmp_path / "x.kgl")
    loaded = EmbeddedStore.load(tmp_path / "x.kgl")
    assert loaded.cypher("MATCH (n:Paper) RETURN count(n) AS n") == [{"n": 0}]


def test_count_of_a_pattern_with_an_undirected_hop(sample: Graph) -> None:
    store = EmbeddedStore.build(sample)
    pattern = "MATCH (p:Paper)-[:STATES]->(s:Statement)-[:SUBJECT]-(e:Entity)"
    (counted,) = store.cypher(f"{pattern} RETURN count(*) AS n")
    assert counted["n"] == len(store.cypher(f"{pattern} RETURN p.id, s.id, e.key")) == 8


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n:Paper {id: 'x'})",
        "MATCH (n) SET n.x = 1",
        "MATCH (n) DETACH DELETE n",
        "MERGE (n:Paper {id: 'x'}) RETURN n.id",
        "MATCH (n:Paper) REMOVE n.title",
        "CREATE INDEX FOR (n:Paper) ON (n.title)",
    ],
)
def test_writes_are_refused(sample: Graph, tmp_path: Path, text: str) -> None:
    built = EmbeddedStore.build(sample)
    built.save(tmp_path / "x.kgl")
    for store in (built, EmbeddedStore.load(tmp_path / "x.kgl")):
        with pytest.raises(QueryError, match="the query writes"):
            store.cypher(text)
        check(store, sample)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MATCH (n", "line 1"),
        ("MATCH (n:Paper)\nWHERE n.id = $id RETURN n.id", "needs a value for its parameter id"),
        ("RETURN 1/0 AS x", "division by zero"),
        ("RETURN nothing(1) AS x", "nothing"),
        ("", "Empty"),
        ("MATCH (n) RETURN n.id FORMAT CSV", "FORMAT CSV"),
    ],
)
def test_errors_are_one_line(sample: Graph, text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said) as caught:
        EmbeddedStore.build(sample).cypher(text)
    assert "\n" not in str(caught.value)


def test_parameters_stay_values(sample: Graph) -> None:
    store = EmbeddedStore.build(sample)
    attack = "x' OR 1=1 RETURN n //"
    assert store.cypher("MATCH (n:Entity) WHERE n.name = $x RETURN n.key", {"x": attack}) == []
    assert store.cypher("RETURN $x AS x", {"x": attack}) == [{"x": attack}]
    assert store.cypher("MATCH (n:Entity {name: $x}) RETURN n.key AS key", {"x": "`SCHEMA`"}) == [
        {"key": "method/schema"}
    ]


def test_unknown_label_is_warned_of(sample: Graph, caplog: pytest.LogCaptureFixture) -> None:
    store = EmbeddedStore.build(sample)
    with caplog.at_level(logging.WARNING):
        store.cypher("MATCH (n:Modell) RETURN n.name")
        assert ["Modell" in r.getMessage() for r in caplog.records] == [True]
        caplog.clear()
        store.cypher("MATCH (a)-[:COMPARED_WITH]->(b) RETURN a.name")
        assert caplog.records == []


def test_threads_may_ask_at_once(sample: Graph) -> None:
    store = EmbeddedStore.build(sample)
    text = "MATCH (p:Paper)-[t:STATES]->(s) RETURN s.name AS name ORDER BY t.id"
    expected, answers = store.cypher(text), []

    def ask() -> None:
        answers.extend(store.cypher(text) for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 80


def never() -> Graph:
    raise AssertionError("the file is of this graph; nothing has to be made")


def given_graph(graph: Graph) -> Callable[[], Graph]:
    return lambda: graph


def test_file_is_made_once_for_a_graph(sample: Graph, tmp_path: Path) -> None:
    check(open_store(tmp_path, "one", given_graph(sample)), sample)
    (file,) = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    check(open_store(tmp_path, "one", never), sample)
    assert file.stat().st_mtime_ns == before

    check(open_store(tmp_path, "two", given_graph(Graph())), Graph())
    (other,) = tmp_path.iterdir()
    assert other != file


@pytest.mark.parametrize("damage", [b"", b"not a store", None])
def test_damaged_file_is_made_anew(sample: Graph, tmp_path: Path, damage: bytes | None) -> None:
    open_store(tmp_path, "one", given_graph(sample))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-100] if damage is None else damage)
    check(open_store(tmp_path, "one", given_graph(sample)), sample)
    assert list(tmp_path.iterdir()) == [file]
    check(open_store(tmp_path, "one", never), sample)


def test_open_reader_goes_on_while_the_file_is_replaced(sample: Graph, tmp_path: Path) -> None:
    store = open_store(tmp_path, "one", given_graph(sample))
    loaded = open_store(tmp_path, "one", never)
    open_store(tmp_path, "two", given_graph(Graph()))
    check(store, sample)
    check(loaded, sample)


def test_file_that_cannot_be_read_or_written(sample: Graph, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        EmbeddedStore.load(tmp_path / "absent.kgl")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").touch()
    with pytest.raises(StoreError, match="cannot write"):
        EmbeddedStore.build(sample).save(tmp_path / "taken")
    with pytest.raises(StoreError, match="cannot write"):
        EmbeddedStore.build(sample).save(tmp_path / "nowhere" / "x.kgl")


def test_store_in_memory_where_its_file_cannot_be_written(
    sample: Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    check(open_store(tmp_path / "nowhere", "one", given_graph(sample)), sample)
    assert "cannot write" in caplog.text


def test_rows_are_plain(sample: Graph) -> None:
    rows: list[dict[str, Any]] = EmbeddedStore.build(sample).cypher(
        "MATCH (r:Result) RETURN r.value AS v, r.start AS s, r.name AS n, [1, 'x'] AS l, null AS z"
    )
    assert rows == [{"v": 91.5, "s": 47, "n": "91.5 %", "l": [1, "x"], "z": None}]
    assert [type(v) for v in rows[0].values()] == [float, int, str, list, type(None)]
