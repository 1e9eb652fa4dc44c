"""The graph in a real Neo4j server: what is loaded, what a second load does, what goes wrong."""

from __future__ import annotations

import dataclasses
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import neo4j
import pytest
from field import random_graph
from neo4j_server import Server, drop_schema

from kg.errors import QueryError, StoreError
from kg.graph import Graph
from kg.project import neo4j_load
from kg.project.cypher_schema import statements
from kg.project.layout import NODES, RELATIONSHIPS
from kg.project.neo4j import connect, read
from kg.project.neo4j_load import LoadReport, load
from kg.project.rows import node_rows, relationship_rows
from kg.records import Entity, Evidence, Mention, Paper, Statement


def dump(driver: neo4j.Driver) -> dict[str, list[Any]]:
    """Return everything that the database holds, in an order of its own."""
    nodes, _, _ = driver.execute_query(
        "MATCH (n) RETURN elementId(n) AS e, labels(n) AS l, properties(n) AS p"
    )
    ties, _, _ = driver.execute_query(
        "MATCH (a)-[r]->(b) RETURN elementId(r) AS e, type(r) AS t, elementId(a) AS a, "
        "elementId(b) AS b, properties(r) AS p"
    )
    schema, _, _ = driver.execute_query("SHOW CONSTRAINTS YIELD name, type RETURN name, type")
    return {
        "nodes": sorted(
            (n["e"], sorted(n["l"]), json.dumps(n["p"], sort_keys=True)) for n in nodes
        ),
        "ties": sorted(
            (r["e"], r["t"], r["a"], r["b"], json.dumps(r["p"], sort_keys=True)) for r in ties
        ),
        "schema": sorted(s.values() for s in schema),
    }


def facts(driver: neo4j.Driver) -> list[str]:
    """Return what the database holds, without the server's own ids."""
    nodes, _, _ = driver.execute_query("MATCH (n) RETURN labels(n) AS l, properties(n) AS p")
    ties, _, _ = driver.execute_query(
        "MATCH (a)-[r]->(b) RETURN type(r) AS t, coalesce(a.id, a.key) AS a, "
        "coalesce(b.id, b.key) AS b, properties(r) AS p"
    )
    return sorted(json.dumps([sorted(n["l"]), n["p"]], sort_keys=True) for n in nodes) + sorted(
        json.dumps([r["t"], r["a"], r["b"], r["p"]], sort_keys=True) for r in ties
    )


def without(graph: Graph, paper: str) -> Graph:
    """Return ``graph`` as it were without what only ``paper`` says, belief halved elsewhere."""
    statements = []
    for s in graph.statements.values():
        left = tuple(e for e in s.evidence if e.paper != paper)
        if left:
            belief = s.belief if left == s.evidence else s.belief / 2
            statements.append(dataclasses.replace(s, evidence=left, belief=belief))
    mentions = [m for m in graph.mentions if m.paper != paper]
    results = [r for r in graph.results.values() if r.paper != paper]
    used = {m.entity for m in mentions}
    entities = [
        dataclasses.replace(e, introduced_in=tuple(p for p in e.introduced_in if p != paper))
        for e in graph.entities.values()
        if e.key in used
    ]
    papers = [p for p in graph.papers.values() if p.id != paper]
    return Graph(papers, entities, mentions, statements, results)


def test_database_holds_the_rows(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    report = load(sample, neo4j_driver)
    nodes = [(kind, row) for kind in NODES for row in node_rows(sample, kind)]
    ties = [(kind, row) for kind in RELATIONSHIPS for row in relationship_rows(sample, kind)]
    assert report == LoadReport(nodes_created=len(nodes), relationships_created=len(ties))
    expected = [
        json.dumps([sorted(row.labels), {**row.properties, "kg_hash": row.hash}], sort_keys=True)
        for _, row in nodes
    ]
    assert facts(neo4j_driver)[: len(nodes)] == sorted(expected)
    expected = [
        json.dumps(
            [kind.type, row.start, row.end, {**row.properties, "kg_hash": row.hash}], sort_keys=True
        )
        for kind, row in ties
    ]
    assert facts(neo4j_driver)[len(nodes) :] == sorted(expected)


def test_constraints_and_indexes(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    load(sample, neo4j_driver)
    found = read(
        neo4j_driver, "SHOW CONSTRAINTS YIELD type, labelsOrTypes AS l, properties AS p RETURN *"
    )
    assert sorted((c["l"], c["p"]) for c in found) == [
        (["Entity"], ["key"]),
        (["Paper"], ["id"]),
        (["Result"], ["id"]),
        (["Statement"], ["id"]),
    ]
    assert {c["type"] for c in found} <= {"UNIQUENESS", "NODE_PROPERTY_UNIQUENESS"}
    hits = read(
        neo4j_driver,
        "CALL db.index.fulltext.queryNodes('kg_names', $words) YIELD node RETURN node.key AS key",
        {"words": "colitis"},
    )
    assert hits == [{"key": "data/crohn-s-colitis"}]
    with pytest.raises(neo4j.exceptions.ConstraintError):
        neo4j_driver.execute_query("CREATE (:Entity {key: 'data/glue'})")


def test_loading_twice_changes_nothing(
    neo4j_driver: neo4j.Driver, sample: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(sample, neo4j_driver)
    before = dump(neo4j_driver)
    counted = []
    write = neo4j_load._Loader._write

    def counting(self: Any, text: str, **parameters: Any) -> neo4j.SummaryCounters:
        counted.append(write(self, text, **parameters))
        return counted[-1]

    monkeypatch.setattr(neo4j_load._Loader, "_write", counting)
    second = load(sample, neo4j_driver)
    assert second.changes == 0
    assert (second.nodes_kept, second.relationships_kept) == (
        first.nodes_created,
        first.relationships_created,
    )
    assert len(counted) == len(statements()) + 1
    assert not any(c.contains_updates or c.contains_system_updates for c in counted)
    assert dump(neo4j_driver) == before


def test_any_batch_gives_the_same(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    load(sample, neo4j_driver, batch=3)
    small = facts(neo4j_driver)
    assert load(sample, neo4j_driver, batch=1000).changes == 0
    assert facts(neo4j_driver) == small
    with pytest.raises(ValueError, match="batch"):
        load(sample, neo4j_driver, batch=0)


def test_progress_counts_all_rows(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    seen: dict[str, int] = {}

    def progress(what: str, rows: int) -> None:
        seen[what] = seen.get(what, 0) + rows

    report = load(sample, neo4j_driver, batch=4, progress=progress)
    assert sum(seen.values()) == report.nodes_created + report.relationships_created
    assert seen["Paper"] == 4
    assert seen["STATES"] == 9


def test_names_stay_values(neo4j_driver: neo4j.Driver) -> None:
    attack = "X`}) DETACH DELETE n //"
    names = [attack, "a'b\"c", "{} $rows ${row}", "\\u0027 \\", "a\tb", "x` SET n.y = 1", "[CLS]"]
    text = " | ".join(names)
    entities = [Entity(f"method/{n}", n, "Method", (n,)) for n in names]
    mentions = [
        Mention(
            attack, "text", text.index(n), text.index(n) + len(n), n, "Method", f"method/{n}", 1, n
        )
        for n in names
    ]
    evidence = Evidence(attack, "text", 0, len(text), text, 0.5, attack)
    statements = [
        Statement(f"method/{a}", "builds-on", f"method/{b}", (evidence,))
        for a, b in pairwise(names)
    ]
    graph = Graph([Paper(attack, text, attack, venue=attack)], entities, mentions, statements)
    load(graph, neo4j_driver)
    found = read(neo4j_driver, "MATCH (e:Entity) RETURN e.name AS name, e.key AS key")
    assert sorted(e["name"] for e in found) == sorted(names)
    assert read(neo4j_driver, "MATCH (p:Paper) RETURN p.id AS id, p.venue AS venue") == [
        {"id": attack, "venue": attack}
    ]
    labels = read(neo4j_driver, "MATCH (n) UNWIND labels(n) AS l RETURN DISTINCT l ORDER BY l")
    assert [r["l"] for r in labels] == ["Entity", "Method", "Paper", "Statement"]
    assert load(graph, neo4j_driver).changes == 0


def test_what_left_the_graph_leaves_the_database(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    smaller = without(sample, "2101.00001")
    load(smaller, neo4j_driver)
    expected = facts(neo4j_driver)
    load(sample, neo4j_driver)
    report = load(smaller, neo4j_driver)
    assert report.nodes_removed > 0
    assert report.nodes_changed > 0
    assert report.relationships_removed > 0
    assert report.nodes_retired == 0
    assert facts(neo4j_driver) == expected
    assert load(Graph(), neo4j_driver).changes > 0
    assert facts(neo4j_driver) == []


def test_properties_and_types_that_left_go(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    load(sample, neo4j_driver)
    bare = [dataclasses.replace(p, venue="", date="", authors=()) for p in sample.papers.values()]
    other = [
        dataclasses.replace(e, type="Method", types=()) if e.key == "method/bert" else e
        for e in sample.entities.values()
    ]
    changed = Graph(
        bare, other, sample.mentions, sample.statements.values(), sample.results.values()
    )
    report = load(changed, neo4j_driver)
    dated = sum(s.asserted for s in sample.statements.values())
    assert (report.nodes_created, report.nodes_removed) == (0, 0)
    assert report.relationships_changed == dated  # the date of the first paper that states it
    kept = read(neo4j_driver, "MATCH ()-[r]->() WHERE r.since IS NOT NULL RETURN r.id")
    assert kept == []
    found = read(
        neo4j_driver,
        "MATCH (p:Paper) RETURN count(p.venue) AS v, count(p.year) AS y, count(p.authors) AS a",
    )
    assert found == [{"v": 0, "y": 0, "a": 0}]
    found = read(neo4j_driver, "MATCH (e {key: 'method/bert'}) RETURN labels(e) AS l")
    assert sorted(found[0]["l"]) == ["Entity", "Method"]


def test_what_others_put_there_stays(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    load(sample, neo4j_driver)
    neo4j_driver.execute_query(
        "MATCH (a:Entity {key: 'method/alphanet'}), (s:Statement), (p:Paper {id: '2101.00001'}) "
        "WITH a, p, collect(s) AS all "
        "CREATE (n:Note {text: 'read me'})-[:ABOUT]->(a), (n)-[:CITES]->(p), "
        "(n)-[:MENTIONS {why: 'mine'}]->(a), (:Paper {id: 'mine'})-[:MENTIONS]->(a) "
        "SET a.stars = 5, a:Favourite"
    )
    mine = "MATCH (n:Note)-[r]->(x) RETURN type(r) AS t, x.name AS name, labels(x) AS l ORDER BY t"
    before = read(neo4j_driver, mine)
    assert load(sample, neo4j_driver).changes == 0

    # A rebuild that has less, but still has the entity: nothing of theirs moves.
    smaller = without(sample, "2102.00002")
    load(smaller, neo4j_driver)
    assert read(neo4j_driver, mine) == before
    found = read(neo4j_driver, "MATCH (a:Favourite) RETURN a.stars AS stars, a.mentions AS m")
    assert found == [{"stars": 5, "m": 3}]

    # The entity and the paper leave: they are retired, and what is theirs stays on them.
    report = load(Graph(), neo4j_driver)
    assert report.nodes_retired == 2
    found = read(
        neo4j_driver,
        "MATCH (n:Note)-[r]->(x) WITH r, x ORDER BY type(r) RETURN type(r) AS t, labels(x) AS l, "
        "x.name AS name, x.stars AS stars, keys(x) AS k",
    )
    assert [(r["t"], sorted(r["l"]), r["name"], r["stars"]) for r in found] == [
        ("ABOUT", ["Favourite", "Retired"], "AlphaNet", 5),
        ("CITES", ["Retired"], "AlphaNet: a parser", None),
        ("MENTIONS", ["Favourite", "Retired"], "AlphaNet", 5),
    ]
    assert sorted(found[0]["k"]) == ["kg_retired", "name", "stars"]
    counted = read(neo4j_driver, "MATCH (n) RETURN count(n) AS nodes")
    assert counted == [{"nodes": 4}]

    # They come back, and are the same nodes.
    report = load(sample, neo4j_driver)
    assert [(r["t"], r["name"], sorted(r["l"])) for r in read(neo4j_driver, mine)] == [
        (r["t"], r["name"], sorted(r["l"])) for r in before
    ]
    assert read(neo4j_driver, "MATCH (n:Retired) RETURN count(n) AS n") == [{"n": 0}]
    assert load(sample, neo4j_driver).changes == 0


def test_interrupted_load_is_completed(
    neo4j_driver: neo4j.Driver, sample: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(sample, neo4j_driver)
    whole = facts(neo4j_driver)
    load(Graph(), neo4j_driver)
    write = neo4j_load._Loader._write
    left = 0

    def interrupted(self: Any, text: str, **parameters: Any) -> neo4j.SummaryCounters:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return write(self, text, **parameters)

    for most, graph in [
        (9, sample),
        (14, sample),
        (20, without(sample, "2102.00002")),
        (11, sample),
    ]:
        left = most
        with monkeypatch.context() as patch:
            patch.setattr(neo4j_load._Loader, "_write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                load(graph, neo4j_driver, batch=2)
        assert facts(neo4j_driver) != whole
    load(sample, neo4j_driver)
    assert facts(neo4j_driver) == whole


def test_many_rows_and_hubs(neo4j_driver: neo4j.Driver) -> None:
    text = "Net on GLUE."
    papers = [Paper(f"p{i:05}", text) for i in range(1500)]
    entities = [Entity("data/glue", "GLUE", "Benchmark")]
    entities += [Entity(f"method/net-{i}", f"Net-{i}", "Method") for i in range(1500)]
    evidence = [Evidence(p.id, "text", 0, len(text), text, 0.5, "rule:x@1") for p in papers]
    statements = [
        Statement(f"method/net-{i}", "evaluates-on", "data/glue", (e,), 0.5)
        for i, e in enumerate(evidence)
    ]
    mentions = [Mention(p.id, "text", 7, 11, "GLUE", "Benchmark", "data/glue") for p in papers]
    graph = Graph(papers, entities, mentions, statements)
    report = load(graph, neo4j_driver)
    assert report.nodes_created == 4501
    found = read(
        neo4j_driver,
        "MATCH (b:Benchmark) RETURN COUNT { (b)<-[:EVALUATES_ON]-() } AS e, "
        "COUNT { (b)<-[:MENTIONS]-() } AS m, COUNT { (b)<-[:OBJECT]-() } AS o",
    )
    assert found == [{"e": 1500, "m": 1500, "o": 1500}]
    assert load(graph, neo4j_driver).changes == 0


def test_two_loads_at_once_double_nothing(neo4j_driver: neo4j.Driver) -> None:
    graph = random_graph(3, 25)
    load(graph, neo4j_driver)
    expected = facts(neo4j_driver)
    load(Graph(), neo4j_driver)
    with ThreadPoolExecutor(4) as pool:
        for report in pool.map(
            lambda batch: load(graph, neo4j_driver, batch=batch), [7, 20, 50, 9]
        ):
            assert report.nodes_removed == 0
    assert facts(neo4j_driver) == expected
    assert load(graph, neo4j_driver).changes == 0


def test_connect(neo4j_server: Server) -> None:
    with connect(neo4j_server.uri, neo4j_server.username, neo4j_server.password) as driver:
        assert read(driver, "RETURN $x AS x", {"x": 1}) == [{"x": 1}]
    with connect(neo4j_server.uri, neo4j_server.username, neo4j_server.password, "neo4j") as driver:
        assert read(driver, "RETURN 1 AS x", database="neo4j") == [{"x": 1}]


def test_unknown_database_is_named_before_anything_is_written(
    neo4j_server: Server, neo4j_driver: neo4j.Driver, sample: Graph
) -> None:
    with pytest.raises(StoreError, match=r"no database 'papers'.*neo4j.*NEO4J_DATABASE"):
        connect(neo4j_server.uri, neo4j_server.username, neo4j_server.password, "papers")
    with pytest.raises(StoreError, match="no database 'papers'"):
        load(sample, neo4j_driver, "papers")
    with pytest.raises(StoreError, match="no database 'papers'"):
        read(neo4j_driver, "RETURN 1", database="papers")


def test_nodes_of_one_identity_are_told_of(neo4j_driver: neo4j.Driver, sample: Graph) -> None:
    drop_schema(neo4j_driver)
    neo4j_driver.execute_query("UNWIND [1, 2] AS n CREATE (:Paper {id: 'mine', number: n})")
    with pytest.raises(StoreError, match=r"several nodes of one identity.*mine") as caught:
        load(sample, neo4j_driver)
    assert "\n" not in str(caught.value)
    assert read(neo4j_driver, "MATCH (n) RETURN count(n) AS n") == [{"n": 2}]


def test_wrong_password(neo4j_server: Server) -> None:
    with pytest.raises(StoreError, match=r"refuses user 'neo4j'.*NEO4J_PASSWORD") as caught:
        connect(neo4j_server.uri, neo4j_server.username, "not-this-one")
    assert "not-this-one" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_server_without_tls(neo4j_server: Server) -> None:
    uri = neo4j_server.uri.replace("bolt://", "bolt+s://")
    with pytest.raises(StoreError, match=r"If it has no TLS, use bolt://"):
        connect(uri, neo4j_server.username, neo4j_server.password, timeout=3)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_unreachable_server(scheme: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        uri = f"{scheme}://127.0.0.1:{closed.getsockname()[1]}"
        said = rf"no Neo4j server answers at {scheme}://127.*docker.*refused"
        with pytest.raises(StoreError, match=said) as e:
            connect(uri, "neo4j", "secret", timeout=3)
    assert "\n" not in str(e.value)
    assert e.value.exit_code == 3


def test_server_that_gives_no_route() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(StoreError, match=rf"use bolt://127.0.0.1:{port} instead"):
            connect(f"neo4j://127.0.0.1:{port}", "neo4j", "secret", timeout=1)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("http://localhost:7474", "begins with none of neo4j://"),
        ("localhost:7687", "begins with none of neo4j://"),
        ("neo4j://", "names no host"),
        ("neo4j://localhost:x", "cannot use"),
        ("", "begins with none of"),
    ],
)
def test_wrong_uri(uri: str, said: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        connect(uri, "neo4j", "secret")
    assert "neo4j://localhost:7687" in str(caught.value)


def test_password_in_the_uri_is_not_shown() -> None:
    with pytest.raises(StoreError) as caught:
        connect("https://neo4j:secret@example.org", "neo4j", "")
    assert "secret" not in str(caught.value)


def test_read_refuses_what_it_cannot_run(neo4j_driver: neo4j.Driver) -> None:
    for text, said in [
        ("CREATE (n:X)", "writes"),
        ("MATCH (n", "Invalid input"),
        ("RETURN $x", "x"),
    ]:
        with pytest.raises(QueryError, match=said) as caught:
            read(neo4j_driver, text)
        assert "\n" not in str(caught.value)
