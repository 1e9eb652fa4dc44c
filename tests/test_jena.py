"""Apache Jena, the reference of the Java world, reads every export without a warning.

The jars come once from Maven Central into ``~/.cache/sotagraph-tests``. Without Java 17 or Maven
the tests skip; ``KG_REQUIRE_JENA=1`` makes that a failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pyoxigraph
import pytest
from nasty import SEEN_TO_BREAK
from pyoxigraph import RdfFormat
from rdflib import RDF, Literal

from kg.graph import Graph
from kg.project.rdf import to_rdflib
from kg.project.rdf_files import FORMATS, write
from kg.project.vocabulary import SOTA
from kg.records import Entity, Paper
from kg.resources import share

POM = Path(__file__).parent / "jena" / "pom.xml"
JARS = Path.home() / ".cache" / "sotagraph-tests" / "jena-5.6.0"
SUFFIX = {"turtle": "ttl", "nt": "nt", "jsonld": "jsonld", "trig": "trig", "nquads": "nq"}


def missing(reason: str) -> None:
    if os.environ.get("KG_REQUIRE_JENA") == "1":
        pytest.fail(f"KG_REQUIRE_JENA=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="module")
def classpath() -> str:
    if not shutil.which("java"):
        missing("Apache Jena needs Java, and there is none")
    version = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "(\d+)', version)
    if not found or int(found[1]) < 17:
        missing(f"Apache Jena needs Java 17, and this is {version.splitlines()[:1]}")
    if not (JARS / "slf4j-simple-2.0.17.jar").exists():
        if not shutil.which("mvn"):
            missing("Maven is needed to fetch Apache Jena, and there is none")
        command = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
        command += ["-DincludeScope=runtime", f"-DoutputDirectory={JARS}"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if run.returncode:
            missing(f"Maven cannot fetch Apache Jena: {(run.stdout + run.stderr)[-500:]}")
    return f"{JARS}/*"


def java(classpath: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", classpath]
    command += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def export(graph: Graph, folder: Path) -> list[Path]:
    paths = []
    for format in FORMATS:
        path = folder / f"graph.{SUFFIX[format]}"
        with path.open("wb") as out:
            write(graph, format, out)
        paths.append(path)
    return paths


def nasty_graph() -> Graph:
    names = SEEN_TO_BREAK
    entities = [Entity(f"method/{n}", n, "Method", (n,)) for n in names]
    dates = ("2024-02-29", "2024-02", "2024", "2023-02-29", "soon", "0000")
    papers = [Paper(n, n, n, dates[i % 6], n, (n,), n, n) for i, n in enumerate(names)]
    return Graph(papers, entities)


@pytest.mark.parametrize("which", ["sample", "nasty", "empty"])
def test_riot_reads_every_export_without_a_warning(
    classpath: str, sample: Graph, tmp_path: Path, which: str
) -> None:
    graph = {"sample": sample, "nasty": nasty_graph(), "empty": Graph()}[which]
    run = java(classpath, "riotcmd.riot", "--validate", *export(graph, tmp_path))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_riot_reads_the_schema_files_without_a_warning(classpath: str) -> None:
    files = sorted(share("schemas").glob("*.ttl"))
    assert len(files) == 2
    run = java(classpath, "riotcmd.riot", "--validate", *files)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_riot_would_complain(classpath: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.nt"
    path.write_text(
        '<http://a.b/c> <http://a.b/p> "x"^^<http://www.w3.org/2001/XMLSchema#date> .\n', "utf-8"
    )
    run = java(classpath, "riotcmd.riot", "--validate", path)
    assert "WARN" in run.stderr


def test_jena_reads_the_same_triples_from_every_format(
    classpath: str, sample: Graph, tmp_path: Path
) -> None:
    """What Jena reads is what pyoxigraph reads, which ``test_rdf`` compares with rdflib."""
    for path in export(sample, tmp_path):
        run = java(classpath, "riotcmd.riot", "--output=nquads", path)
        assert (run.returncode, run.stderr) == (0, "")
        read = {str(quad) for quad in pyoxigraph.parse(run.stdout.encode(), RdfFormat.N_QUADS)}
        assert read == {str(quad) for quad in pyoxigraph.parse(path=path)}
        assert len(read) > 300


def test_the_shapes_accept_the_export_and_refuse_a_broken_one(
    classpath: str, sample: Graph, tmp_path: Path
) -> None:
    shapes = share("schemas") / "shapes.ttl"
    data = export(sample, tmp_path)[0]
    good = java(classpath, "shacl.shacl", "validate", "--text", "--shapes", shapes, "--data", data)
    assert (good.returncode, good.stdout.strip(), good.stderr) == (0, "Conforms", "")
    broken = to_rdflib(sample)
    statement = next(broken.subjects(RDF.type, SOTA.Statement))
    broken.add((statement, SOTA.belief, Literal("2.0")))
    broken.serialize(tmp_path / "broken.ttl")
    arguments = ("--text", "--shapes", shapes, "--data", tmp_path / "broken.ttl")
    bad = java(classpath, "shacl.shacl", "validate", *arguments)
    assert "Conforms" not in bad.stdout
    assert "belief" in bad.stdout
