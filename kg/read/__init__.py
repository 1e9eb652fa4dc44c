"""Read: one reader for each format that people have.

:func:`read` takes paths and yields, for each record of each file, either a paper
(:class:`Read`) or why there is none (:class:`Rejected`). Nothing that is wrong with a file raises,
and nothing is passed over in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kg.errors import InputError
from kg.read.formats import FORMATS, READERS, sniff
from kg.read.items import MAX_ABSTRACT, WITHDRAWN, Kind, Read, Rejected
from kg.read.paper import finish
from kg.read.places import File, Paths, Place, open_file, places
from kg.read.streams import Stream, UnusableError, chunks, peek
from kg.records import Source

__all__ = [
    "FORMATS",
    "MAX_ABSTRACT",
    "WITHDRAWN",
    "Kind",
    "Read",
    "Rejected",
    "read",
    "read_file",
    "sniff",
]


PARQUET: Final = b"PAR1"
"""The first bytes of a Parquet file."""


def read(
    paths: Paths, *, stdin: Stream | None = None, format: str | None = None
) -> Iterator[Read | Rejected]:
    """Yield the paper of each record of each file, or why it has none.

    Parameters
    ----------
    paths
        One or several: files, directories (read to the bottom, sorted, without hidden files and
        graph directories), patterns such as ``papers/**/*.jsonl``, zip archives, and ``-`` for
        standard input. Files may be packed with gzip, bzip2, xz or zstd.
    stdin
        The binary stream that ``-`` means; that of the process by default.
    format
        One of :data:`FORMATS`, for every file, instead of what their content tells.

    Yields
    ------
    Read or Rejected
        In the order of the paths and of the records in each file. A paper's source has the path as
        it was given (``archive.zip!/member`` for a member of an archive) and the number of the
        record in it, from 1. Duplicates are not looked for here.

    Raises
    ------
    InputError
        If ``format`` is none.

    Notes
    -----
    Memory is bounded by one record (32 MiB), whatever the size of a file. See ``docs/formats.md``
    for what each format's fields become.
    """
    return _read(places(paths, stdin), _known(format))


def read_file(file: File, *, format: str | None = None) -> Iterator[Read | Rejected]:
    """Yield what :func:`read` yields for one of the files that :func:`kg.read.places.files` lists.

    Raises
    ------
    InputError
        If ``format`` is none.
    """
    return _read(open_file(file), _known(format))


def _known(format: str | None) -> str | None:
    if format is not None and format not in READERS:
        raise InputError(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
    return format


def _read(opened: Iterable[Place | Rejected], format: str | None) -> Iterator[Read | Rejected]:
    for place in opened:
        if isinstance(place, Rejected):
            yield place
        elif place.file is not None and place.stream.head.startswith(PARQUET):
            from kg.read.parquet import read_parquet

            yield from read_parquet(place.name, place.file)
        else:
            yield from _read_place(place, format)


def _read_place(place: Place, format: str | None) -> Iterator[Read | Rejected]:
    position = 0
    try:
        head, pieces = peek(chunks(place.stream))
        name = format or sniff(head, place.name, found=place.found)
        for item in READERS[name](pieces):
            position += 1
            yield finish(item, Source(place.name, position))
    except InputError as error:
        yield Rejected(Source(place.name, 0), str(error), "unsupported")
        return
    except UnusableError as error:
        yield Rejected(Source(place.name, position + 1), str(error), error.kind)
        return
    except OSError as error:
        why = error.strerror or str(error)
        yield Rejected(Source(place.name, position + 1), f"cannot be read: {why}", "unreadable")
        return
    if position == 0:
        yield Rejected(Source(place.name, 0), "there is no record in it", "empty-file")
