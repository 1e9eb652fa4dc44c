"""Cut XML into records, each a small tree, without holding the document in memory.

Entities that a document declares are refused (they are how a small file becomes a large one, or
reads another file); nothing outside the document is ever opened. Characters that XML forbids, and
the named characters of HTML, are let through, since records are full of them.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kg.read.items import MAX_RECORD, Flaw
from kg.read.streams import UnusableError, peek

__all__ = ["Record", "records"]

_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_MULTIBYTE: Final = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")
_NO_CHARSETS: Final = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape"})
_ASCII: Final = "".join(map(chr, range(32, 127)))
_MAX_DEPTH: Final = 100
_MAX_TAG: Final = 2**20
_NEXT_DOCUMENT: Final = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
    )
)
_FORBIDDEN: Final = {c: 0xFDD0 + c for c in range(32) if c not in (9, 10, 13)} | {
    0xFFFE: 0xFFFD,
    0xFFFF: 0xFFFD,
}
_HOLDS_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE: Final = re.compile(r"&#(?:x0*([0-9A-Fa-f]{1,6})|0*(\d{1,7}));")


@dataclass(slots=True)
class Record:
    """One record, and what stands around it.

    Attributes
    ----------
    element : the tree of the record; names without namespace.
    around : name and attributes of the open elements around it, the innermost last.
    line : the line where it starts.
    """

    element: Element
    around: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    line: int = 0


def records(chunks: Iterable[bytes], names: frozenset[str]) -> Iterator[Record | Flaw]:
    """Yield each element that has one of ``names`` and is in no other such element.

    Where the XML is broken, reading goes on at the next start of a record, in the same
    surroundings; documents that follow one another in one file are read one after the other.

    Parameters
    ----------
    chunks
        The document.
    names
        Names of the elements that are records, without namespace prefix.
    """
    start = re.compile(rf"<(?:[\w.-]{{1,40}}:)?(?:{'|'.join(sorted(names))})(?=[\s/>])")
    cutter = _Cutter(names)
    lost = False
    held = ""
    try:
        for piece in _texts(chunks):
            text, held = held + piece, ""
            while text:
                if lost:
                    found = start.search(text)
                    if found is None:
                        cut = text.rfind("<", max(len(text) - 80, 0))
                        held = text[cut:] if cut >= 0 else ""
                        cutter.base += text[: len(text) - len(held)].count("\n")
                        break
                    cutter.base += text[: found.start()].count("\n")
                    text, lost = text[found.start() :], False
                    cutter = cutter.resumed()
                failed = cutter.feed(text)
                yield from cutter.take()
                if failed is None:
                    break
                flaw, text = failed
                if flaw is None:
                    cutter = _Cutter(names, cutter.base)
                else:
                    yield flaw
                    lost = True
        if not lost and (last := cutter.close()):
            yield last
    except UnusableError as error:
        yield from cutter.take()
        yield Flaw(error.kind, str(error))


class _Cutter:
    """A push parser that keeps only records."""

    def __init__(self, names: frozenset[str], base: int = 0) -> None:
        self.base = base
        """Lines before the text that this parser was given first."""
        self._fed = 0
        self._tail = b""  # what was fed last and is not parsed yet: half a tag
        self._names = names
        self._ready: list[Record | Flaw] = []
        self._path: list[tuple[str, dict[str, str]]] = []
        self._builder: TreeBuilder | None = None
        self._depth = 0  # of the open record, in elements
        self._size = 0
        self._line = 0
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._declared
        # As if there were a DTD elsewhere, so that an unknown entity is told and is no error.
        parser.SkippedEntityHandler = self._named
        parser.ExternalEntityRefHandler = lambda *_: 1  # nothing is opened
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
        parser.UseForeignDTD(True)
        self._parser = parser

    def resumed(self) -> _Cutter:
        """Return a parser for the same surroundings."""
        other = _Cutter(self._names, self.base)
        for name, attributes in self._path:
            other._path.append((name, attributes))
            other._parser.StartElementHandler = None
            other._parser.Parse(f"<{name}>".encode(), False)
            other._parser.StartElementHandler = other._start
            other._fed += len(f"<{name}>".encode())
        return other

    def feed(self, text: str) -> tuple[Flaw | None, str] | None:
        """Parse some more of the document.

        Returns
        -------
        None, or, where it is no XML, what is wrong and the text from there on. Nothing is wrong
        where one document ends and another one begins.
        """
        raw = text.encode("utf-8", "replace")
        try:
            self._parser.Parse(raw, False)
        except expat.ExpatError as error:
            raw = self._tail + raw
            at = max(self._parser.ErrorByteIndex - self._fed + len(self._tail), 0)
            rest = raw[at:].decode("utf-8", "ignore")
            lines_before = self._parser.ErrorLineNumber - 1
            flaw = self._flaw(error)
            self.base += lines_before
            if error.code in _NEXT_DOCUMENT and rest.startswith("<"):
                return None, rest
            return flaw, rest[1:]
        self._fed += len(raw)
        pending = self._fed - self._parser.CurrentByteIndex
        if pending > _MAX_TAG:  # each piece more would have it parsed from its start again
            raise UnusableError("broken", f"a tag or comment of more than {_MAX_TAG:,} bytes")
        self._tail = (self._tail + raw)[-pending:] if pending > 0 else b""
        return None

    def close(self) -> Flaw | None:
        """Say that the document is complete; return what is wrong if it is not."""
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            return self._flaw(error)
        return None

    def _flaw(self, error: expat.ExpatError) -> Flaw:
        line = self.base + error.lineno
        return Flaw("broken", f"line {line}: broken XML ({expat.ErrorString(error.code)})")

    def take(self) -> list[Record | Flaw]:
        """Return the records that are complete, and forget them."""
        ready, self._ready = self._ready, []
        return ready

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if self._depth == 0:
            if local not in self._names:
                if len(self._path) >= _MAX_DEPTH:
                    raise UnusableError("broken", "elements are nested too deeply")
                self._path.append((name, attributes))
                return
            self._builder = TreeBuilder()
            self._size = 0
            self._line = self.base + self._parser.CurrentLineNumber
        self._depth += 1
        if self._builder is None:
            return
        if self._depth > _MAX_DEPTH:
            self._drop(Flaw("broken", f"line {self._line}: elements are nested too deeply"))
            return
        self._builder.start(local, attributes)
        self._grow(64 + sum(len(v) for v in attributes.values()))

    def _end(self, name: str) -> None:
        if self._depth == 0:
            self._path.pop()
            return
        self._depth -= 1
        if self._builder is None:
            return
        self._builder.end(name.rpartition(":")[2])
        if self._depth == 0:
            record = Record(self._builder.close(), list(self._path), self._line)
            self._ready.append(record)
            self._builder = None

    def _data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)
            self._grow(len(text))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_RECORD:
            self._drop(Flaw("too-long", f"line {self._line}: more than {MAX_RECORD:,} bytes"))

    def _drop(self, flaw: Flaw) -> None:
        self._ready.append(flaw)
        self._builder = None

    def _declared(self, name: str, *_: object) -> None:
        raise UnusableError(
            "unsafe",
            f"it declares the entity {name[:40]!r}; remove the declaration to have it read",
        )

    def _named(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._data(html.unescape(f"&{name};"))


def _texts(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the document as text that XML allows; forbidden characters become noncharacters.

    The text repair removes and counts these. Half a reference at the end of a chunk is held back.
    """
    head, chunks = peek(iter(chunks), 4096)
    decoder = codecs.getincrementaldecoder(_encoding(head))("replace")
    held = ""
    for chunk in chunks:
        text = held + decoder.decode(chunk)
        cut = text.rfind("&", max(len(text) - 12, 0))
        held = text[cut:] if cut >= 0 and ";" not in text[cut:] else ""
        text = text[: len(text) - len(held)]
        yield _allowed(text)
    yield _allowed(held + decoder.decode(b"", final=True))


def _allowed(text: str) -> str:
    if "&#" in text:
        text = _REFERENCE.sub(_reference, text)
    return text.translate(_FORBIDDEN) if _HOLDS_FORBIDDEN.search(text) else text


def _reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    if code < 32 and code not in (9, 10, 13):
        return chr(0xFDD0 + code)
    if 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF) or code > 0x10FFFF:
        return "\ufffd"
    return match.group()


def _encoding(head: bytes) -> str:
    declared = _DECLARED.search(head[:1024])
    if declared is None:
        try:
            head[:-4].decode("utf-8", "strict")
        except UnicodeDecodeError:
            if _MULTIBYTE.search(head) is None:
                return "cp1252"
        return "utf-8"
    name = declared[1].decode("ascii").lower()
    try:
        codec = codecs.lookup(name).name
        fits = codec not in _NO_CHARSETS and _ASCII.encode().decode(codec) == _ASCII
    except (LookupError, ValueError):
        fits = False
    if not fits or codec == "ascii":  # UTF-16 and UTF-32 were recoded before
        return "utf-8"
    return "cp1252" if codec == "iso8859-1" else codec
