"""networkx: plain attributes, and what goes out as GraphML, GEXF or JSON comes back the same."""

from __future__ import annotations

import io
import json

import networkx as nx
import pytest
from hypothesis import given, settings
from nasty import SEEN_TO_BREAK, graphs

from kg.graph import Graph
from kg.project.characters import carriable
from kg.project.multigraph import to_networkx, write_graphml
from kg.records import Entity, Mention, Paper


def graphml(graph: Graph, **options: bool) -> nx.MultiDiGraph:
    out = io.BytesIO()
    write_graphml(graph, out, **options)
    return nx.read_graphml(io.BytesIO(out.getvalue()), force_multigraph=True)


def content(g: nx.MultiDiGraph) -> tuple[dict, dict]:
    nodes = {n: dict(d) for n, d in g.nodes(data=True)}
    edges = {(a, b, k): dict(d) for a, b, k, d in g.edges(keys=True, data=True)}
    return nodes, edges


def test_without_papers_only_those_that_state_something_are_nodes(sample: Graph) -> None:
    whole, bare = sample.to_networkx(), sample.to_networkx(papers=False)
    assert set(bare) < set(whole)
    assert not {"MENTIONS", "INTRODUCES"} & {r for _, _, r in bare.edges(data="relation")}


def test_entities_papers_and_statements(sample: Graph) -> None:
    g = to_networkx(sample)
    assert g.nodes["method/alphanet"] == {
        "kind": "entity",
        "label": "AlphaNet",
        "type": "Model",
        "names": "AlphaNet",
        "confidence": 1.0,
        "papers": 3,
    }
    assert g.nodes["paper/2101.00001"]["authors"] == 'Ada A. | Bob "B" B.'
    (improves,) = (
        d
        for _, _, d in g.out_edges("method/alphanet", data=True)
        if d["relation"] == "IMPROVES_OVER"
    )
    assert improves["papers"] == 2
    assert improves["belief"] == 0.98
    assert g.edges["method/alphanet", "method/bert", improves["id"]] == improves
    assert g.has_edge("paper/doi:10.1/a b<c>", "task/parsing")


def test_what_is_only_denied_is_no_edge(sample: Graph) -> None:
    assert not to_networkx(sample).has_edge("method/betanet", "method/bert")


def test_mentions_and_introductions_are_optional(sample: Graph) -> None:
    g = to_networkx(sample)
    between = g.get_edge_data("paper/2101.00001", "method/alphanet").values()
    assert sorted(d["relation"] for d in between) == ["INTRODUCES", "MENTIONS"]
    assert {d.get("count") for d in between} == {2, None}
    bare = to_networkx(sample, papers=False)
    assert {d["relation"] for _, _, d in bare.edges(data=True)}.isdisjoint(
        {"MENTIONS", "INTRODUCES"}
    )
    papers = [n for n, kind in bare.nodes(data="kind") if kind == "paper"]
    assert papers == ["paper/doi:10.1/a b<c>"]
    assert bare.number_of_edges() == 7


def test_every_node_and_attribute_is_plain(sample: Graph) -> None:
    g = to_networkx(sample)
    for _, data in [*g.nodes(data=True), *((e, d) for *e, d in g.edges(data=True))]:
        assert {type(v) for v in data.values()} <= {str, int, float}
    for _, data in g.nodes(data=True):
        assert "kind" in data
        assert "label" in data


def test_graphml_comes_back_the_same(sample: Graph) -> None:
    assert content(graphml(sample)) == content(to_networkx(sample))
    assert content(graphml(sample, papers=False)) == content(to_networkx(sample, papers=False))


@given(graph=graphs())
@settings(max_examples=30, deadline=None)
def test_graphml_of_any_graph_can_be_read(graph: Graph) -> None:
    read, whole = graphml(graph), to_networkx(graph)
    assert read.number_of_nodes() == whole.number_of_nodes()
    assert sorted(k for *_, k in read.edges(keys=True)) == sorted(
        k for *_, k in whole.edges(keys=True)
    )


@pytest.mark.parametrize("name", SEEN_TO_BREAK)
def test_graphml_keeps_a_name(name: str) -> None:
    g = graphml(Graph(entities=[Entity("method/a", name, "Method", (name,))]))
    assert g.nodes["method/a"]["label"] == carriable(name).replace("\r\n", "\n").replace("\r", "\n")


def test_ids_that_xml_would_make_one_stay_two() -> None:
    papers = [Paper("p\x00", "BERT"), Paper("p\x01", "BERT")]
    bert = Entity("method/bert", "BERT", "Model", ("BERT",))
    mentions = [Mention(p.id, "text", 0, 4, "BERT", "Model", bert.key) for p in papers]
    g = graphml(Graph(papers, [bert], mentions))
    assert g.number_of_nodes() == 3
    assert g.in_degree(bert.key) == 2


def test_node_link_json_comes_back_the_same(sample: Graph) -> None:
    g = to_networkx(sample)
    data = json.loads(json.dumps(nx.node_link_data(g, edges="edges")))
    assert content(nx.node_link_graph(data, edges="edges")) == content(g)


def test_gexf_can_be_written_and_read(sample: Graph) -> None:
    out = io.BytesIO()
    nx.write_gexf(to_networkx(sample), out)
    read = nx.read_gexf(io.BytesIO(out.getvalue()))
    assert set(read.nodes) == set(to_networkx(sample).nodes)
    assert read.number_of_edges() == to_networkx(sample).number_of_edges()


def test_bytes_do_not_depend_on_the_order_of_the_records(sample: Graph) -> None:
    turned = Graph(
        reversed(list(sample.papers.values())),
        reversed(list(sample.entities.values())),
        reversed(sample.mentions),
        reversed(list(sample.statements.values())),
        sample.results.values(),
    )
    one, two = io.BytesIO(), io.BytesIO()
    write_graphml(sample, one)
    write_graphml(turned, two)
    assert one.getvalue() == two.getvalue()


def test_an_empty_graph_is_a_valid_file() -> None:
    assert graphml(Graph()).number_of_nodes() == 0


def test_algorithms_run_on_it(sample: Graph) -> None:
    g = to_networkx(sample, papers=False)
    lineage = nx.descendants(
        nx.edge_subgraph(
            g,
            [(a, b, k) for a, b, k, p in g.edges(keys=True, data="predicate") if p == "builds-on"],
        ),
        "method/betanet",
    )
    assert lineage == {"method/alphanet", "method/bert"}


def test_variants_are_edges() -> None:
    large = Entity("method/bert-large", "BERT-large", "Model", variant_of="method/bert")
    g = graphml(Graph(entities=[Entity("method/bert", "BERT", "Model"), large]))
    (edge,) = g.get_edge_data("method/bert-large", "method/bert").values()
    assert edge == {"relation": "VARIANT_OF"}
