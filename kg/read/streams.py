"""Bytes of a file as chunks: unpacked, bounded, in UTF-8, with ``\\n`` for every line end.

Readers work on chunks and lines, never on whole files, so memory does not grow with the file.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import itertools
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, Protocol

import zstandard

from kg.read.items import MAX_RECORD, Kind

__all__ = ["CHUNK", "Meter", "Peeked", "Stream", "UnusableError", "chunks", "lines", "peek"]

CHUNK: Final = 2**16
"""Bytes that are read at a time."""

_MAX_RATIO: Final = 200  # prose packs to a third, repetitive XML to a thirtieth
_FREE: Final = 16 * 2**20  # bytes that any packed file may unpack to, whatever the ratio
_MAX_MEMORY: Final = 2**28  # bytes that an unpacker may take
_SLICE: Final = 512
"""Packed bytes that are unpacked at a time. What an unpacker made of them is lost if it then finds
damage; and zstd, which unpacks 4 bytes to 128 KiB at most, has no limit on its output."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Stream(Protocol):
    """Anything with bytes to read: a file, a pipe, a member of an archive."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""


class UnusableError(Exception):
    """The rest of a file cannot be used; carries the kind and the reason of the rejection."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind: Kind = kind


class Meter:
    """Packed bytes in and unpacked bytes out of one file; stops a bomb."""

    def __init__(self, packed: int = 0) -> None:
        self.packed = packed
        self.unpacked = 0

    def produced(self, count: int) -> None:
        """Note ``count`` unpacked bytes.

        Raises
        ------
        UnusableError
            If the file unpacks to more than any collection of papers would.
        """
        self.unpacked += count
        if self.unpacked > max(_FREE, _MAX_RATIO * self.packed):
            raise UnusableError(
                "too-large",
                f"unpacks to more than {_MAX_RATIO} times its size; "
                "if it is no bomb, unpack it and give the result",
            )


class Peeked:
    """A stream whose first bytes can be seen before they are read; counts what is read.

    Pieces come as large as they are asked for, however the stream gives them, so that what is read
    of a damaged file does not depend on where it comes from.

    Parameters
    ----------
    stream
        The stream.
    container
        The meter of the archive whose member it is.
    size
        Number of bytes to see.
    """

    def __init__(self, stream: Stream, container: Meter | None = None, size: int = 512) -> None:
        self._stream = stream
        self._container = container
        self.meter = Meter()
        self.head = b""
        while len(self.head) < size and (more := stream.read(size - len(self.head))):
            self.head += more
        self._rest = self.head
        self._failure: Exception | None = None

    def read(self, size: int = CHUNK, /) -> bytes:
        """Return ``size`` bytes, fewer at the end."""
        pieces, self._rest = [self._rest[:size]], self._rest[size:]
        length = len(pieces[0])
        while length < size and self._failure is None:
            try:
                piece = self._stream.read(size - length)
            except (UnusableError, OSError) as error:  # told once what came before is used
                self._failure = error
                break
            if not piece:
                break
            pieces.append(piece)
            length += len(piece)
        if not length and self._failure is not None:
            raise self._failure
        data = b"".join(pieces)
        self.meter.packed += len(data)
        if self._container is not None:
            self._container.produced(len(data))
        return data


def chunks(stream: Peeked) -> Iterator[bytes]:
    """Yield what is in ``stream``: unpacked, without byte order mark, in UTF-8, lines ended by LF.

    Text that is in no Unicode encoding passes as it is.

    Raises
    ------
    UnusableError
        If it is a bomb, ends early or is damaged; what could be unpacked was yielded before.
    """
    pieces = iter(partial(stream.read, CHUNK), b"")
    for magic, unpack in _UNPACKERS.items():
        if stream.head.startswith(magic):
            pieces = _metered(unpack(stream), stream.meter)
            break
    return _line_ends(_unicode(pieces))


def _metered(pieces: Iterator[bytes], meter: Meter) -> Iterator[bytes]:
    while True:
        try:
            piece = next(pieces, b"")
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zstandard.ZstdError) as e:
            raise UnusableError(
                "truncated", f"the packed file ends early or is damaged ({e}); fetch it again"
            ) from e
        if not piece:
            return
        meter.produced(len(piece))
        yield piece


def _gunzip(stream: Stream) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=stream) as unpacked:  # type: ignore[call-overload]
        yield from iter(partial(unpacked.read1, CHUNK), b"")


def _slices(stream: Stream) -> Iterator[bytes]:
    while data := stream.read(CHUNK):
        for start in range(0, len(data), _SLICE):
            yield data[start : start + _SLICE]


def _incremental(
    new: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor], stream: Stream
) -> Iterator[bytes]:
    unit = new()
    for data in _slices(stream):
        while data:
            if unit.eof:  # further streams may follow, and zeros may pad them
                data = data.lstrip(b"\0")
                if not data:
                    break
                unit = new()
            yield from _outputs(unit, data)
            data = unit.unused_data if unit.eof else b""
    if not unit.eof:
        raise EOFError("the end is missing")


def _outputs(unit: bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes) -> Iterator[bytes]:
    while True:
        try:
            out = unit.decompress(data, CHUNK)
        except OSError as error:  # what bz2 raises for damaged data
            raise EOFError(str(error)) from error
        if out:
            yield out
        if unit.eof or unit.needs_input:
            return
        data = b""


def _unzstd(stream: Stream) -> Iterator[bytes]:
    new = zstandard.ZstdDecompressor(max_window_size=_MAX_MEMORY).decompressobj
    unit = new()
    for data in _slices(stream):
        while data:
            if unit.eof:
                unit = new()
            out = unit.decompress(data)
            if out:
                yield out
            data = unit.unused_data if unit.eof else b""
    if not unit.eof:
        raise EOFError("the end is missing")


_UNPACKERS: Final[dict[bytes, Callable[[Stream], Iterator[bytes]]]] = {
    b"\x1f\x8b": _gunzip,
    b"BZh": partial(_incremental, bz2.BZ2Decompressor),
    b"\xfd7zXZ\x00": partial(
        _incremental, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MAX_MEMORY)
    ),
    b"\x28\xb5\x2f\xfd": _unzstd,
}


def _unicode(pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = b""
    while len(first) < 64 and (piece := next(pieces, b"")):
        first += piece
    encoding, mark = _encoding(first)
    pieces = itertools.chain([first[mark:]], pieces)
    if encoding == "utf-8":
        return pieces
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return _recoded(pieces, decoder)


def _encoding(head: bytes) -> tuple[str, int]:
    """Return the Unicode encoding that ``head`` shows, and the length of its byte order mark."""
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return encoding, len(bom)
    head = head[:256]  # what is damaged further on says nothing of the file
    pairs = len(head) // 2
    if pairs >= 4:  # UTF-16 without a mark: every other byte of Latin letters is zero
        even, odd = head[: 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
        if odd > 0.7 * pairs and not even:
            return "utf-16-le", 0
        if even > 0.7 * pairs and not odd:
            return "utf-16-be", 0
    return "utf-8", 0


def _recoded(pieces: Iterable[bytes], decoder: codecs.IncrementalDecoder) -> Iterator[bytes]:
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _line_ends(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for piece in pieces:
        piece = held + piece
        held = b"\r" if piece.endswith(b"\r") else b""
        if b"\r" in piece:
            piece = piece[: len(piece) - len(held)]
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if piece:
            yield piece
    if held:
        yield b"\n"


def peek(pieces: Iterator[bytes], size: int = CHUNK) -> tuple[bytes, Iterator[bytes]]:
    """Return about the first ``size`` bytes of ``pieces``, and all of ``pieces`` again.

    A failure within these bytes is raised by the iterator that is returned, at its place.
    """
    seen: list[bytes] = []
    length = 0
    failure: Exception | None = None
    try:
        while length < size and (piece := next(pieces, b"")):
            seen.append(piece)
            length += len(piece)
    except (UnusableError, OSError) as error:
        failure = error

    def again() -> Iterator[bytes]:
        yield from seen
        if failure is not None:
            raise failure
        yield from pieces

    return b"".join(seen), again()


def lines(pieces: Iterable[bytes], limit: int = MAX_RECORD) -> Iterator[tuple[bytes, bool]]:
    """Yield each line without its end, and whether it is whole.

    A line of more than ``limit`` bytes is cut there; the rest of it is passed over.
    """
    parts: list[bytes] = []
    length = 0
    pending = False
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            if length <= limit:
                parts.append(piece[start:end])
                length += end - start
            yield b"".join(parts)[:limit], length <= limit
            parts, length, pending, start = [], 0, False, end + 1
        if start < len(piece):
            pending = True
            if length <= limit:
                parts.append(piece[start:])
                length += len(piece) - start
    if pending:
        yield b"".join(parts)[:limit], length <= limit
