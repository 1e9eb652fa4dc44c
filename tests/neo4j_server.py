"""A real Neo4j server for the tests: a pytest plugin.

The fixture ``neo4j_server`` is the first of these that is there:

1. the server that ``KG_TEST_NEO4J_URI`` names, with ``KG_TEST_NEO4J_USERNAME`` (``neo4j``) and
   ``KG_TEST_NEO4J_PASSWORD``. The tests EMPTY its database. ``NEO4J_URI`` is never read;
2. a container, where a Docker engine answers;
3. a server from Maven Central, where Maven and a Java that is new enough are found. Its jars stay
   in ``~/.cache/sotagraph-tests``, outside the checkout.

With none of them the tests skip and say why; ``KG_REQUIRE_NEO4J=1`` makes that a failure. Tests run
on the long-term version, and on the current one where it can be had.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

PASSWORD = "sotagraph-tests"
START_SECONDS = 300


@dataclass(frozen=True)
class Release:
    """A release of Neo4j: how it is called, and what starts it."""

    version: str
    java: int
    main: str
    image: str


RELEASES = {
    "long-term": Release(
        "5.26.29", 17, "org.neo4j.server.CommunityEntryPoint", "neo4j:5.26.29-community"
    ),
    "current": Release(
        "2026.09.0", 21, "org.neo4j.server.Neo4jCommunity", "neo4j:2026.09.0-community"
    ),
}


@dataclass(frozen=True)
class Server:
    """A running server."""

    uri: str
    username: str
    password: str


class UnavailableError(Exception):
    """There is no server to test with, for this reason."""


@pytest.fixture(scope="session", params=list(RELEASES))
def neo4j_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A running Neo4j server, one for the session and each release."""
    try:
        with _server(request.param) as server:
            yield server
    except UnavailableError as reason:
        # The current release is an extra: only the long-term one can be required.
        if os.environ.get("KG_REQUIRE_NEO4J") == "1" and request.param == "long-term":
            pytest.fail(f"KG_REQUIRE_NEO4J=1, and there is no Neo4j server: {reason}")
        pytest.skip(f"no Neo4j server ({request.param}): {reason}")


@pytest.fixture
def neo4j_driver(neo4j_server: Server) -> Iterator[neo4j.Driver]:
    """A driver of the server, whose database holds no node.

    Constraints and indexes stay from test to test: making them anew costs the server its plans.
    """
    with _driver(neo4j_server) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
        yield driver
        driver.execute_query("MATCH (n) DETACH DELETE n")


def drop_schema(driver: neo4j.Driver) -> None:
    """Take our constraints and indexes out of the database."""
    for what in ("CONSTRAINT", "INDEX"):
        found, _, _ = driver.execute_query(f"SHOW {what} YIELD name")
        for name in (record["name"] for record in found):
            if name.startswith("kg_"):
                driver.execute_query(f"DROP {what} {name} IF EXISTS")


def _driver(server: Server) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password))


@contextlib.contextmanager
def _server(kind: str) -> Iterator[Server]:
    release = RELEASES[kind]
    if uri := os.environ.get("KG_TEST_NEO4J_URI"):
        if kind != "long-term":
            raise UnavailableError(
                "KG_TEST_NEO4J_URI names one server, which the tests have run on"
            )
        username = os.environ.get("KG_TEST_NEO4J_USERNAME", "neo4j")
        server = Server(uri, username, os.environ.get("KG_TEST_NEO4J_PASSWORD", ""))
        with _driver(server) as driver:
            drop_schema(driver)
            yield server
            drop_schema(driver)
    elif _docker_answers():
        with _container(release) as server:
            yield server
    else:
        java, maven = _java(release.java), shutil.which("mvn")
        if java is None:
            raise UnavailableError(
                f"no KG_TEST_NEO4J_URI, no Docker engine, and no Java of version {release.java} or "
                "newer in JAVA_HOME, PATH or /usr/lib/jvm"
            )
        if maven is None:
            raise UnavailableError(
                "no KG_TEST_NEO4J_URI, no Docker engine, and no Maven (mvn) in PATH"
            )
        jars = _jars(release, maven)
        with (
            tempfile.TemporaryDirectory(prefix="neo4j-", ignore_cleanup_errors=True) as home,
            _process(release, java, jars, Path(home)) as server,
        ):
            yield server


# A container


def _docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"],
        capture_output=True,
        timeout=30,
        check=False,
    )
    return asked.returncode == 0


@contextlib.contextmanager
def _container(release: Release) -> Iterator[Server]:
    from testcontainers.core.container import DockerContainer

    container = (
        DockerContainer(release.image)
        .with_env("NEO4J_AUTH", f"neo4j/{PASSWORD}")
        .with_env("NEO4J_server_memory_heap_max__size", "512m")
        .with_exposed_ports(7687)
    )
    with container:
        host, port = container.get_container_host_ip(), container.get_exposed_port(7687)
        server = Server(f"bolt://{host}:{port}", "neo4j", PASSWORD)
        _wait(server, lambda: None)
        yield server


# A process of our own


def _java(least: int) -> str | None:
    """Return the path of the oldest Java that is new enough, or None."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found = [home / "bin" / "java" for home in homes]
    if on_path := shutil.which("java"):
        found.append(Path(on_path))
    versions = {str(java): _java_version(java) for java in found if java.is_file()}
    fit = [(version, java) for java, version in versions.items() if version >= least]
    return min(fit)[1] if fit else None


def _java_version(java: Path) -> int:
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(\d+)', said)
    return int(match[1]) if match else 0


def _jars(release: Release, maven: str) -> Path:
    """Return the directory of the server's jars, which Maven fills once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sotagraph-tests"
    jars = cache / f"neo4j-{release.version}"
    if jars.is_dir():
        return jars
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        filled = Path(scratch) / "jars"
        done = subprocess.run(
            [
                *(maven, "-q", "-B", "-f", str(Path(__file__).with_name("pom.xml"))),
                *("dependency:copy-dependencies", "-DincludeScope=runtime"),
                *(f"-Dneo4j.version={release.version}", f"-DoutputDirectory={filled}"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            raise UnavailableError(f"Maven cannot bring Neo4j {release.version}: {' '.join(last)}")
        # A run at the same time may have been first: its jars are as good.
        with contextlib.suppress(OSError):
            filled.rename(jars)
    return jars


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _process(release: Release, java: str, jars: Path, home: Path) -> Iterator[Server]:
    port = _free_port()
    conf = home / "conf"
    conf.mkdir()
    (conf / "neo4j.conf").write_text(
        f"server.bolt.listen_address=127.0.0.1:{port}\n"
        f"server.bolt.advertised_address=127.0.0.1:{port}\n"
        "server.http.enabled=false\n"
        "dbms.usage_report.enabled=false\n"
        "server.memory.pagecache.size=64m\n"
        "db.tx_log.preallocate=false\n",
        encoding="utf-8",
    )
    opens = ("java.nio", "java.io", "java.util.concurrent", "sun.nio.ch")
    command = [
        *(java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*"),
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opens),
    ]
    admin = "org.neo4j.server.startup.Neo4jAdminCommand"
    subprocess.run(
        [*command, admin, "dbms", "set-initial-password", PASSWORD],
        env={**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(conf)},
        check=True,
        capture_output=True,
    )
    # The shell kills the server when its standard input is closed: by us, or by our death. What
    # the server holds is of no worth, so it need not be stopped gently. In a session of its own it
    # outlives signals that are meant for the tests.
    script = 'exec 3<&0; "$@" </dev/null & s=$!; { cat <&3 >/dev/null; kill -9 $s; } & wait $s'
    server = [release.main, f"--home-dir={home}", f"--config-dir={conf}"]
    with (
        (home / "console.log").open("wb") as log,
        subprocess.Popen(
            ["sh", "-c", script, "sh", *command, *server],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            running = Server(f"bolt://127.0.0.1:{port}", "neo4j", PASSWORD)
            _wait(running, process.poll, home / "console.log")
            yield running
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def _wait(server: Server, ended: Callable[[], int | None], log: Path | None = None) -> None:
    """Return when the server answers; raise when its process ended, or after long."""
    auth = (server.username, server.password)
    deadline = time.monotonic() + START_SECONDS
    with neo4j.GraphDatabase.driver(server.uri, auth=auth, connection_timeout=5) as driver:
        while True:
            try:
                driver.verify_connectivity()  # at once, or an error; no retries of its own
                driver.execute_query("RETURN 1")  # waits for the database, too
                return
            except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError) as error:
                if ended() is not None or time.monotonic() > deadline:
                    said = log.read_text(errors="replace")[-2000:] if log else ""
                    raise RuntimeError(f"Neo4j did not start: {error}\n{said}") from error
                time.sleep(0.25)
