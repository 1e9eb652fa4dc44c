"""Extract files one by one, each into a Parquet file: the unit of work of an engine.

Nothing here knows an engine. :func:`partitions` lists the files, and :func:`extract_file` does one
of them: a function of the bytes of the file, its name and the extractor's version, that any number
of machines may run side by side, again and in any order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, TypeGuard

from kg import __version__
from kg.errors import InputError
from kg.parquet import LAYOUT, metadata, rejections, write
from kg.read import Read, Rejected, read_file
from kg.read.places import STDIN, File, Paths, each, files
from kg.records import digest

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor

__all__ = ["Outcome", "extract_file", "extracted", "output_of", "partitions"]

_BATCH: Final = 256
_SHOWN: Final = 20  # problems of a file that are told; all are in the Parquet file
_NO_PAPER: Final = "empty"  # a record without an abstract is no problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file.

    Attributes
    ----------
    file : its name.
    papers : number of its papers.
    rejected : number of its records that gave no paper, other than for want of an abstract.
    problems : (file, position, reason) of the first of these.
    kept : it had been done before, by the same extractor, and was left as it was.
    failure : why it could not be done, or "".
    """

    file: str
    papers: int = 0
    rejected: int = 0
    problems: tuple[tuple[str, int, str], ...] = ()
    kept: bool = False
    failure: str = ""


def partitions(paths: Paths) -> Iterator[File | Rejected]:
    """Yield each file that ``paths`` mean, once, and what cannot be read.

    Raises
    ------
    InputError
        If standard input is among them: other machines cannot read it.
    """
    seen = set()
    for path in each(paths):
        if str(path) == STDIN:
            raise InputError("standard input cannot be shared out: give files")
        for file in files([path]):
            name = file.source.file if isinstance(file, Rejected) else file.name
            if name not in seen:
                seen.add(name)
                yield file


def output_of(name: str, directory: Path) -> Path:
    """Return the Parquet file in ``directory`` for the input file called ``name``.

    >>> output_of("papers/2024.jsonl", Path("out")).as_posix()
    'out/2024.jsonl-796e0eb7741425c0.parquet'
    """
    readable = re.sub(r"[^\w.-]+", "_", PurePath(name).name, flags=re.ASCII)[:80].lstrip(".")
    return directory / f"{readable or 'file'}-{digest(name)}.parquet"


def extracted(items: Iterable[Read | Rejected], extractor: Extractor) -> Iterator[Read | Rejected]:
    """Yield each item, a paper with what ``extractor`` finds in it; nothing in what is withdrawn.

    Memory does not grow with the number of items.
    """
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        found = extractor.pipe([i.paper for i in batch if _states(i)])
        for item in batch:
            if isinstance(item, Rejected):
                yield item
            elif _states(item):
                yield replace(item, extraction=next(found), extractor=extractor.version)
            else:
                yield replace(item, extraction=None, extractor="")


def _states(item: Read | Rejected) -> TypeGuard[Read]:
    return isinstance(item, Read) and not item.withdrawn


def extract_file(
    file: File | Rejected, directory: Path, extractor: Extractor, format: str | None = None
) -> Outcome:
    """Extract ``file`` into its Parquet file in ``directory``; if that is there already, keep it.

    It is kept if this version of sotagraph and of the extractor made it from the same bytes.

    Parameters
    ----------
    file : the file; or why there is none, which is written, too.
    directory : an existing one.
    format : as for :func:`kg.read.read`.

    Raises
    ------
    InputError
        If pyarrow is not installed, or ``format`` is none.
    OSError
        If the result cannot be written.
    """
    items: Iterable[Read | Rejected]
    if isinstance(file, Rejected):
        name, items = file.source.file, [file]
    else:
        name, items = file.name, read_file(file, format=format)
    path = output_of(name, directory)
    about = {"extractor": extractor.version, "input": _fingerprint(file, format)}
    kept = _made_so(path, about)
    if not kept:
        write(path, extracted(items, extractor), about)
    papers = rejected = 0
    problems: list[tuple[str, int, str]] = []
    for problem in rejections(path):
        if problem is None:
            papers += 1
        elif problem.kind != _NO_PAPER:
            rejected += 1
            if rejected <= _SHOWN:
                problems.append((problem.source.file, problem.source.position, problem.reason))
    return Outcome(name, papers, rejected, tuple(problems), kept)


def _fingerprint(file: File | Rejected, format: str | None) -> str:
    """Return a digest of all that the result depends on, but for the extractor."""
    if isinstance(file, Rejected):
        return digest(__version__, file)
    try:
        with file.path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        content = str(error)
    return digest(__version__, file.name, file.found, format, content)


def _made_so(path: Path, about: dict[str, str]) -> bool:
    try:
        found = metadata(path)
    except (OSError, ValueError):  # none, or a damaged one
        return False
    return {**found, "layout": LAYOUT, **about} == found
