"""Tell the format of a file from its content, with its name as a hint, and name its reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from kg.errors import InputError
from kg.read import bibtex, ris
from kg.read.field_names import ANSWERS, LISTS
from kg.read.items import Fields, Flaw
from kg.read.json_records import read_json, read_json_lines
from kg.read.plain import read_text
from kg.read.tables import header, read_table
from kg.read.text import decode
from kg.read.xml_papers import RECORDS, read_xml

__all__ = ["FORMATS", "READERS", "sniff"]

Reader = Callable[[Iterable[bytes]], Iterator[Fields | Flaw]]

READERS: Final = MappingProxyType[str, Reader](
    {
        "bibtex": bibtex.read_bibtex,
        "json": read_json,
        "jsonl": read_json_lines,
        "ris": ris.read_ris,
        "table": read_table,
        "text": read_text,
        "xml": read_xml,
    }
)
"""The reader of each format, by the name of the format."""

FORMATS: Final = tuple(READERS)
"""Names of the formats, sorted."""

_PACKED: Final = (".gz", ".bz2", ".xz", ".zst", ".zstd")
_TEXT: Final = (".txt", ".text")
_OTHER: Final = {
    b"%PDF": "a PDF; give its abstract as text",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"SQLite format 3": "a database",
    b"PAR1": "Parquet, which is not read from an archive or a pipe; give the path of the file",
    b"\x7fELF": "a program",
    b"\xd0\xcf\x11\xe0": "an office document; export its text instead",
    b"7z\xbc\xaf": "a 7z archive; unpack it",
    b"Rar!": "a RAR archive; unpack it",
    b"\x1f\x8b": "packed twice; unpack it once",
    b"\xfd7zXZ": "packed twice; unpack it once",
    b"PK\x03\x04": "an archive in a packed file; unpack it once",
}
_HTML: Final = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.I)
_XML: Final = re.compile(rb"\s*<(?:\?xml\b|!DOCTYPE\b|!--|(?:[\w.-]+:)?[A-Za-z][\w.-]*[\s/>])")
_ROOT: Final = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]")
_WRAPPED: Final = re.compile(
    rb'"(?:' + "|".join(sorted(LISTS | ANSWERS)).encode() + rb')"\s*:\s*[\[{]'
)
_YAML_NAMES: Final = (".yaml", ".yml")
_CONTROL: Final = bytes(c for c in range(32) if c not in b"\t\n\r\x0b\x0c\x1b")


def sniff(head: bytes, name: str = "", *, found: bool = False) -> str:
    """Return the name of the format of a file.

    Parameters
    ----------
    head
        The first bytes, unpacked, in UTF-8 or an 8-bit encoding.
    name
        The file's name, a hint where content does not tell.
    found
        The file was found in a directory, not named by a person; then a text in no particular
        format is a collection of abstracts only if its name ends in ``.txt`` or ``.text``.

    Raises
    ------
    InputError
        If it is in no format that is read here.

    Examples
    --------
    >>> sniff(b'{"text": "We study parsing."}')
    'jsonl'
    """
    suffixes = [s.lower() for s in PurePosixPath(name).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    for magic, what in _OTHER.items():
        if head.startswith(magic):
            raise InputError(f"this is {what}")
    if _HTML.match(head[:2000]):
        raise InputError("this is a web page; give the abstracts as text, JSON lines or XML")
    sample = head[:4096]
    if len(sample.translate(None, _CONTROL)) < 0.9 * len(sample):
        raise InputError("this is no text; the formats are " + ", ".join(FORMATS))
    if suffix in _YAML_NAMES:
        raise InputError("YAML is not read; convert it to JSON lines")
    start = head.lstrip()[:1]
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    if start in (b"{", b"["):
        found_format = _json(head, start)
        if found_format or suffix == ".json":
            return found_format or "json"
    if _XML.match(head) and (suffix == ".xml" or _is_xml(head)):
        return "xml"
    if _first_entry(head) or suffix == ".bib":
        return "bibtex"
    if suffix == ".ris" or _is_ris(head):
        return "ris"
    if suffix in (".csv", ".tsv") or _is_table(head):
        return "table"
    if found and suffix not in _TEXT:
        raise InputError(
            "in no format that is recognised; if it holds abstracts, name it .txt or give it alone"
        )
    return "text"


def _json(head: bytes, start: bytes) -> str:
    """Return ``jsonl``, ``json``, or "" if it is not JSON."""
    lines = head.lstrip().split(b"\n")
    whole, cut = lines[:-1], lines[-1]
    if start == b"[":
        return "json" if re.match(rb"\[\s*(?:[\[{\"\]\d]|$)", head.lstrip()) else ""
    if not re.match(rb"\{\s*(?:[\"}]|$)", head.lstrip()):
        return ""
    first = lines[0].rstrip()
    if len(lines) > 1 and first.endswith((b"{", b"[", b",")) and not _is_object(first):
        return "json"
    if any(_is_object(line) for line in (*whole[:20], cut)):
        return "jsonl"
    if whole or _WRAPPED.search(head):
        return "json"  # the first line is not complete, so the object goes over several
    return "jsonl"


def _is_object(line: bytes) -> bool:
    line = line.strip()
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return False
    try:
        return isinstance(json.loads(line, strict=False), dict)
    except (ValueError, RecursionError):
        return b"\\" in line  # LaTeX that is not escaped


def _is_xml(head: bytes) -> bool:
    if head.lstrip().startswith((b"<?xml", b"<!DOCTYPE")):
        return True
    names = {match.decode("ascii") for match in _ROOT.findall(head)}
    return not RECORDS.isdisjoint(names) or b"xmlns" in head[:2000]


def _first_entry(head: bytes) -> bool:
    """Return whether the first line that is no comment starts a BibTeX entry."""
    for line in head.split(b"\n")[:200]:
        if line.strip() and not line.lstrip().startswith(b"%"):
            match = bibtex.START.match(line)
            return match is not None
    return False


def _is_table(head: bytes) -> bool:
    """Return whether the first line is a header of several columns, and no title of a collection.

    Below a title, such as ``Abstracts, 2025``, there is a blank line.
    """
    first, _, rest = head.lstrip().partition(b"\n")
    table = header(decode(first)[0])
    blank = rest != b"" and not rest.partition(b"\n")[0].strip()
    return table is not None and len(table[0]) > 1 and not blank


def _is_ris(head: bytes) -> bool:
    for line in head.split(b"\n")[:50]:
        match = ris.TAG.match(line.rstrip())
        if match is not None:
            return match[1] == b"TY"
    return False
