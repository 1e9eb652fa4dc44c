from __future__ import annotations

from pathlib import Path

import pytest
from neo4j_server import Server

import kg
from kg.doctor import examine


def test_reachable_server_is_named_with_its_version(neo4j_server: Server, tmp_path: Path) -> None:
    checks = examine(tmp_path, neo4j_server.uri, neo4j_server.username, neo4j_server.password, None)
    (found,) = (c for c in checks if c.what == "Neo4j")
    assert found.state == "ok", found.detail
    assert "Neo4j Kernel" in found.detail


@pytest.mark.parametrize("file", ["ledger.sqlite", "assembled.sqlite"])
def test_damaged_file_fails_with_the_remedy(file: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We evaluate BERT on GLUE.\n", encoding="utf-8")
    kg.build([tmp_path / "a.txt"], tmp_path / "g", extractor="patterns")
    path = tmp_path / "g" / file
    raw = bytearray(path.read_bytes())
    raw[4096:8192] = b"\x07" * 4096
    path.write_bytes(raw)
    (found,) = (
        c for c in examine(tmp_path / "g", "bolt://127.0.0.1:1", "", "", None) if c.what == "graph"
    )
    assert found.state == "fail"
    assert file in found.detail


@pytest.mark.parametrize("uri", ["bolt://127.0.0.1:1", "http://localhost:7474", "nonsense"])
def test_server_that_cannot_be_reached_is_no_failure(uri: str, tmp_path: Path) -> None:
    (found,) = (c for c in examine(tmp_path, uri, "neo4j", "x", None) if c.what == "Neo4j")
    assert found.state == "none"
    assert found.detail
