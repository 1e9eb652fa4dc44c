"""Reach a Neo4j server, and say plainly what is wrong when that fails.

:func:`connect` makes a verified driver; :func:`read` runs a query that only reads; both turn the
driver's errors into one line of :class:`~kg.errors.StoreError` or :class:`~kg.errors.QueryError`.
:mod:`kg.project.neo4j_load` brings a graph into the server.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import neo4j
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
)

from kg.errors import QueryError, StoreError

__all__ = ["connect", "read", "speaking"]

_SCHEMES: Final = ("neo4j", "bolt", "neo4j+s", "bolt+s", "neo4j+ssc", "bolt+ssc")
_BOLT_PORT: Final = 7687
_NO_DATABASE: Final = "Neo.ClientError.Database.DatabaseNotFound"


def connect(
    uri: str, username: str, password: str, database: str | None = None, *, timeout: float = 15.0
) -> neo4j.Driver:
    """Return a driver whose server, credentials and database have been tried.

    Parameters
    ----------
    uri : ``neo4j://host:7687``, or ``bolt://…`` for one server without routing; with ``+s`` for
        TLS with a certificate that the system trusts, ``+ssc`` for a self-signed one.
    username, password : of a user of the server.
    database : its name, or None for the user's home database.
    timeout : seconds to wait for a connection, and for one that is in use elsewhere.

    Returns
    -------
    neo4j.Driver
        The caller closes it, best by ``with connect(…) as driver:``.

    Raises
    ------
    StoreError
        If the URI is malformed, the server cannot be reached, refuses the credentials, or does not
        have the database.
    """
    where = _checked(uri)
    with speaking(database, where=where, username=username):
        driver = neo4j.GraphDatabase.driver(
            uri,
            auth=(username, password),
            connection_timeout=timeout,
            connection_acquisition_timeout=timeout,
            max_transaction_retry_time=30.0,
            user_agent="sotagraph",
        )
    try:
        with (
            speaking(database, where=where, username=username, driver=driver),
            driver.session(database=database, default_access_mode=neo4j.READ_ACCESS) as session,
        ):
            # An auto-commit query, because a managed one would be tried again for a long time.
            session.run("RETURN 1").consume()
    except BaseException:
        driver.close()
        raise
    return driver


def read(
    driver: neo4j.Driver,
    text: str,
    parameters: Mapping[str, Any] | None = None,
    database: str | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of the query ``text``, each as a dict from column to value.

    Raises
    ------
    QueryError
        If the query is malformed, lacks a parameter, or writes.
    StoreError
        If the server cannot be used.
    """
    with speaking(database, driver=driver):
        records, _, _ = driver.execute_query(
            text,
            dict(parameters or {}),
            database_=database,
            routing_=neo4j.RoutingControl.READ,
        )
    return [record.data() for record in records]


@contextmanager
def speaking(
    database: str | None = None,
    *,
    where: str = "",
    username: str = "",
    driver: neo4j.Driver | None = None,
) -> Iterator[None]:
    """Turn the driver's errors inside the block into this package's, in one line.

    Parameters
    ----------
    database, where, username : as the message shall name them.
    driver : asked, if given, which databases there are, when one is missing.
    """
    server = f"Neo4j at {where}" if where else "the Neo4j server"
    try:
        yield
    except AuthError as error:
        raise StoreError(
            f"{server} refuses user {username!r} with this password: "
            "set NEO4J_USERNAME and NEO4J_PASSWORD"
        ) from error
    except ServiceUnavailable as error:
        raise StoreError(_unreachable(where, error)) from error
    except ConfigurationError as error:
        raise StoreError(f"cannot use {where} as a Neo4j server: {_line(error)}") from error
    except ClientError as error:
        raise _refused(server, database, driver, error) from error
    except (Neo4jError, DriverError) as error:
        if "ConstraintCreation" in (getattr(error, "code", None) or ""):
            raise StoreError(
                f"{server} cannot hold the graph: it has several nodes of one identity, which the "
                f"graph's constraints forbid; make them one ({_line(error, -1)})"
            ) from error
        raise StoreError(f"{server}: {_line(error)}") from error


def _checked(uri: str) -> str:
    """Return ``uri`` without what may be secret in it."""
    shown = repr(uri if "@" not in uri else "…@" + uri.rpartition("@")[2])
    hint = "a Neo4j URI looks like neo4j://localhost:7687"
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise StoreError(f"cannot use {shown}: {error}; {hint}") from error
    if parts.scheme not in _SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise StoreError(f"cannot use {shown}: it begins with none of {known}; {hint}")
    if not host:
        raise StoreError(f"cannot use {shown}: it names no host; {hint}")
    if ":" in host:
        host = f"[{host}]"
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def _unreachable(where: str, error: Exception) -> str:
    reason = _line(error)
    if not where:
        return f"the Neo4j server does not answer any more: {reason}"
    scheme, _, rest = where.partition("://")
    closed = _closed(where)
    # The driver says this of a server that gives no route, and of one that is not there.
    if "routing" in reason.lower() and not closed:
        return (
            f"the server at {where} answers, but gives no way to itself (a proxy or a mapped port "
            f"hides its address): use bolt://{rest} instead"
        )
    hint = "is it started (`docker compose up -d --wait`), and is this its Bolt port?"
    if "+" in scheme:
        hint += f" If it has no TLS, use {scheme.partition('+')[0]}://{rest}"
    return f"no Neo4j server answers at {where}: {hint} ({closed or reason})"


def _closed(where: str) -> str:
    """Return why no connection to the host and port of ``where`` can be made, or ""."""
    parts = urlsplit(where)
    try:
        socket.create_connection((parts.hostname, parts.port or _BOLT_PORT), timeout=3.0).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _refused(
    server: str, database: str | None, driver: neo4j.Driver | None, error: ClientError
) -> StoreError | QueryError:
    code = error.code or ""
    if code == _NO_DATABASE:
        names = _databases(driver) if driver is not None else []
        known = f"it has {', '.join(names)}" if names else "the Community edition has only neo4j"
        return StoreError(f"{server} has no database {database!r}: {known}; set NEO4J_DATABASE")
    if code == "Neo.ClientError.Statement.AccessMode":
        return QueryError("the query writes, and only queries that read are run here")
    if code.startswith("Neo.ClientError.Statement"):
        return QueryError(_line(error))
    return StoreError(f"{server} refuses: {_line(error)}")


def _databases(driver: neo4j.Driver) -> list[str]:
    try:
        records, _, _ = driver.execute_query(
            "SHOW DATABASES YIELD name WHERE name <> 'system' RETURN DISTINCT name ORDER BY name",
            database_="system",
            routing_=neo4j.RoutingControl.READ,
        )
    except (Neo4jError, DriverError):
        return []
    return [str(record["name"]) for record in records]


def _line(error: Exception, number: int = 0) -> str:
    """Return one line of what ``error`` says, the first if no other is asked for."""
    message = str(getattr(error, "message", None) or error).strip()
    return message.splitlines()[number] if message else type(error).__name__
