"""Fixtures that several test modules share."""

from __future__ import annotations

import pytest
from sample import sample_graph

from kg.graph import Graph

pytest_plugins = ["neo4j_server"]


@pytest.fixture(scope="session")
def sample() -> Graph:
    """The hand-written graph of :mod:`sample`."""
    return sample_graph()
