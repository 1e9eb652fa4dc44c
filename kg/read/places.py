"""Find the files that a list of paths means: files, directories, patterns, archives, stdin.

:func:`files` lists them, :func:`open_file` opens one, and :func:`places` does both.
"""

from __future__ import annotations

import glob
import lzma
import os
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from kg.ledger_file import FILE as LEDGER
from kg.read.items import Kind, Rejected
from kg.read.streams import Meter, Peeked, Stream, UnusableError
from kg.records import Source

__all__ = ["STDIN", "File", "Paths", "Place", "each", "files", "name_of", "open_file", "places"]

Paths = str | Path | Iterable[str | Path]
"""One path, or any number of them."""

STDIN: Final = "-"
"""The path that means standard input."""

_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_MAX_SPOOLED: Final = 2**30  # bytes of an archive that comes through a pipe
_MAX_NESTED: Final = 64  # directories below one another


@dataclass(frozen=True, slots=True)
class File:
    """A file that is not open yet.

    Attributes
    ----------
    path : where it is.
    name : how to call it: the path as given.
    found : it was found in a directory, not named by the caller.
    """

    path: Path
    name: str
    found: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """An open file.

    Attributes
    ----------
    name : how to call it: the path as given, ``archive.zip!/member``, or ``-``.
    stream : its bytes.
    found : it was found in a directory or archive, not named by the caller.
    file : the file itself, where one can go back in it; whoever reads it leaves ``stream`` alone.
    """

    name: str
    stream: Peeked
    found: bool = False
    file: IO[bytes] | None = None


def places(paths: Paths, stdin: Stream | None) -> Iterator[Place | Rejected]:
    """Yield each file that ``paths`` mean, open, in order; those in directories sorted.

    A file is closed when the next one is asked for.
    """
    for path in each(paths):
        if str(path) == STDIN:
            yield from _standard_input(stdin)
            continue
        for file in files([path]):
            yield from [file] if isinstance(file, Rejected) else open_file(file)


def _standard_input(stdin: Stream | None) -> Iterator[Place | Rejected]:
    if stdin is None and sys.stdin is None:
        yield _rejected(STDIN, "unreadable", "there is no standard input; it is closed")
    else:
        yield from _stream(STDIN, sys.stdin.buffer if stdin is None else stdin)


def files(paths: Paths) -> Iterator[File | Rejected]:
    """Yield each file that ``paths`` mean, in order; those in directories sorted."""
    for path in each(paths):
        given = str(path)
        if os.path.lexists(path):
            yield from _files(Path(path), found=False)
        elif any(char in given for char in "*?["):
            matches = sorted(glob.glob(given, recursive=True))  # noqa: PTH207  (takes any pattern)
            if not matches:
                yield _rejected(given, "missing", "nothing matches this pattern")
            for match in matches:
                yield from _files(Path(match), found=False)
        else:
            yield _rejected(given, "missing", "no such file or directory")


def each(paths: Paths) -> Iterable[str | Path]:
    """Return the paths; a single one may be given by itself."""
    return [paths] if isinstance(paths, str | Path) else paths


def open_file(file: File) -> Iterator[Place | Rejected]:
    """Yield ``file``, open, or each member of the archive that it is."""
    try:
        stream = file.path.open("rb")
    except OSError as error:
        yield _unreadable(file.name, error)
        return
    with stream:
        yield from _opened(file.name, stream, found=file.found)


def _rejected(name: str, kind: Kind, reason: str) -> Rejected:
    return Rejected(Source(name, 0), reason, kind)


def name_of(path: Path) -> str:
    """Return how the records of the file ``path`` call it: as it is given, with ``/``."""
    # Two names that are no UTF-8 stay two.
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _files(path: Path, *, found: bool) -> Iterator[File | Rejected]:
    name = name_of(path)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield _unreadable(name, error)
        return
    if stat.S_ISDIR(mode):
        yield from _directory(path)
    elif found and not stat.S_ISREG(mode):
        yield _rejected(name, "unsupported", "not a regular file")
    else:
        yield File(path, name, found)


def _unreadable(name: str, error: Exception) -> Rejected:
    why = getattr(error, "strerror", None) or str(error)
    return _rejected(name, "unreadable", f"cannot be read: {why}")


def _directory(root: Path) -> Iterator[File | Rejected]:
    pending = [(root, 0)]
    while pending:
        path, depth = pending.pop()
        try:
            is_link = path != root and stat.S_ISLNK(path.lstat().st_mode)
            is_directory = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            yield _unreadable(name_of(path), error)
            continue
        if is_link:
            yield from _link(path, root, is_directory=is_directory)
            continue
        if not is_directory:
            yield from _files(path, found=True)
            continue
        if depth > _MAX_NESTED:
            yield _rejected(name_of(path), "unreadable", "too many directories below one another")
            continue
        try:
            names = sorted(n for n in os.listdir(path) if not n.startswith("."))  # noqa: PTH208
        except OSError as error:
            yield _unreadable(name_of(path), error)
            continue
        if LEDGER in names:  # a graph, perhaps the one that is being built
            if path == root:
                yield _rejected(
                    name_of(root), "unsupported", "a graph directory, which is no input"
                )
            continue
        if not names and path == root:
            yield _rejected(name_of(root), "empty-file", "there is no file in this directory")
        pending.extend((path / n, depth + 1) for n in reversed(names))


def _link(path: Path, root: Path, *, is_directory: bool) -> Iterator[File | Rejected]:
    """Yield the file that a link in the directory ``root`` means, unless it is read elsewhere."""
    target, inside = (Path(os.path.realpath(p)) for p in (path, root))
    if not target.is_relative_to(inside):
        yield _rejected(
            name_of(path), "link", f"a link that leaves {name_of(root)}; give its target"
        )
    elif any(part.startswith(".") for part in target.relative_to(inside).parts):
        if is_directory:
            yield _rejected(name_of(path), "link", "a link to a hidden directory; give its target")
        else:
            yield from _files(path, found=True)


def _stream(name: str, stream: Stream) -> Iterator[Place | Rejected]:
    try:
        peeked = Peeked(stream)
    except OSError as error:
        yield _unreadable(name, error)
        return
    if not peeked.head.startswith(_ZIP):
        yield Place(name, peeked)
        return
    with tempfile.TemporaryFile() as spooled:
        size = 0
        while data := peeked.read():
            size += len(data)
            if size > _MAX_SPOOLED:
                yield _rejected(name, "too-large", "an archive too large for a pipe; give its path")
                return
            spooled.write(data)
        yield from _archive(name, spooled, size)


def _opened(name: str, file: IO[bytes], *, found: bool) -> Iterator[Place | Rejected]:
    try:
        peeked = Peeked(file)
    except OSError as error:
        yield _unreadable(name, error)
        return
    if not peeked.head.startswith(_ZIP):
        yield Place(name, peeked, found, file if file.seekable() else None)
    elif file.seekable():
        yield from _archive(name, file, file.seek(0, os.SEEK_END))
    else:
        yield from _stream(name, peeked)


def _archive(name: str, file: IO[bytes], size: int) -> Iterator[Place | Rejected]:
    meter = Meter(size)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        yield _rejected(name, "truncated", f"a damaged zip archive ({error}); fetch it again")
        return
    with archive:
        # Of members of one name, the last one counts, as it does for unzip.
        members = [m for _, m in sorted({m.filename: m for m in archive.infolist()}.items())]
        if any(m.filename in ("[Content_Types].xml", "mimetype") for m in members):
            yield _rejected(
                name, "unsupported", "an office document or e-book; export its text instead"
            )
            return
        for member in members:
            if member.is_dir() or _hidden(member.filename):
                continue
            yield from _member(f"{name}!/{_printable(member.filename)}", archive, member, meter)


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _printable(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")


def _member(
    name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, meter: Meter
) -> Iterator[Place | Rejected]:
    if stat.S_ISLNK(member.external_attr >> 16):
        yield _rejected(name, "link", "a symbolic link in an archive")
        return
    with ExitStack() as stack:
        try:
            stream = Peeked(_Member(stack.enter_context(archive.open(member))), meter)
        except UnusableError as error:
            yield _rejected(name, error.kind, str(error))
            return
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
            yield _unreadable(name, error)
            return
        except RuntimeError:
            yield _rejected(name, "unreadable", "protected by a password; unpack it yourself")
            return
        if stream.head.startswith(_ZIP):
            yield _rejected(name, "unsupported", "an archive in an archive; unpack the outer one")
            return
        yield Place(name, stream, found=True)


class _Member:
    """A member of a zip archive; damage becomes :class:`UnusableError`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        try:
            return self._stream.read(size)
        except (zipfile.BadZipFile, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise UnusableError(
                "truncated", f"damaged in the archive ({error}); fetch it again"
            ) from error
