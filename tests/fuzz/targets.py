"""The targets: each takes the generator of one input, and raises if something is wrong."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from kg.json_form import to_json
from kg.ledger import Ledger
from kg.read import Read, Rejected, read
from kg.records import Paper

from . import checks, files
from .damage import damaged, whole
from .words import WHOLE, odd, plain

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor
    from kg.graph import Graph

__all__ = ["INPUTS", "TARGETS"]

Items = list[Read | Rejected]


class _Dribble(io.BytesIO):
    """A stream that gives a few bytes at a time, as pipes do."""

    def __init__(self, raw: bytes, random: Random) -> None:
        super().__init__(raw)
        self._random = random

    def read(self, size: int | None = -1, /) -> bytes:
        most = self._random.choice((1, 7, 100, 5_000, 2**16))
        return super().read(min(size, most) if size and size > 0 else most)


def _read(stream: io.BytesIO, format: str | None) -> Items:
    return list(read(["-"], stdin=stream, format=format))


def _bare(item: Read | Rejected) -> Read | Rejected:
    """Return ``item`` without its place."""
    if isinstance(item, Read):
        return replace(item, paper=replace(item.paper, source=None))
    return item


def _check(raw: bytes, random: Random, format: str | None) -> Items:
    """Read ``raw`` twice, and return what was found, once it has been checked."""
    items = _read(io.BytesIO(raw), format)
    checks.reading(items)
    sources = [i.paper.source if isinstance(i, Read) else i.source for i in items]
    places = [s.position for s in sources if s]
    assert len(places) == len(items)
    assert places in (list(range(1, len(items) + 1)), [0]) or "!/" in sources[0].file, places  # type: ignore[union-attr]
    assert items, "nothing is said of this file"
    if len(raw) < 200_000:
        assert _read(_Dribble(raw, random), format) == items, "the pieces matter"
    return items


def file_of(kind: str, random: Random) -> tuple[files.File, bytes, tuple[int, int] | None]:
    """Return a file of ``kind``, its bytes after the damage, and the part that was touched.

    The part is None if all of it was.
    """
    file = files.FORMATS[kind](random)
    raw = file.raw
    if random.random() < 0.1:
        return file, raw, (len(raw), len(raw))
    other = files.FORMATS[random.choice([kind, *files.FORMATS])](random).raw
    if random.random() < 0.15:
        if random.random() < 0.5:
            raw = damaged(random, raw, other)[0]
        return file, whole(random, raw), None
    raw, first, last = damaged(random, raw, other)
    return file, raw, (first, last)


def reader(kind: str, random: Random) -> None:
    """Read a file of ``kind`` that something happened to.

    What the damage cannot reach is read as if there were none.
    """
    file, raw, touched = file_of(kind, random)
    format = file.format if random.random() < 0.8 else None
    found = [_bare(i) for i in _check(raw, random, format)]
    if touched is None or format is None:
        return
    intact = _read(io.BytesIO(file.raw), format)
    assert len(intact) >= len(file.records), f"{len(intact)} of {len(file.records)} records"
    if len(intact) > len(file.records):
        return  # some records are several; which is whose is not known
    left = file.untouched(*touched)
    if touched[0] < 256 or (file.format == "xml" and not file.raw.startswith(b"<?xml")):
        left = []  # the damage may decide how all of it is read
    rest = [i.paper for i in found if isinstance(i, Read)]
    for number in left:
        item = _bare(intact[number])
        if isinstance(item, Read):
            assert item.paper in rest, f"record {number + 1} is lost: {item}"
            rest.remove(item.paper)


def _sniffed_input(random: Random) -> bytes:
    kinds = [random.choice([*files.FORMATS]) for _ in range(random.randint(1, 2))]
    raw = b"".join(file_of(kind, random)[1] for kind in kinds)
    at = random.randint(0, len(raw))
    return raw[at:] if random.random() < 0.3 else raw


def sniffed(random: Random) -> None:
    """Read files of different kinds one after the other, as a file of no known format."""
    _check(_sniffed_input(random), random, None)


def _packed_input(random: Random) -> bytes:
    raw = file_of(random.choice([*files.FORMATS]), random)[1]
    pack = files.PACKERS[random.choice([*files.PACKERS])]
    out = pack(raw)
    if random.random() < 0.1:
        out += pack(raw)
    if random.random() < 0.05:
        out = files.PACKERS[random.choice([*files.PACKERS])](out)
    if random.random() < 0.7:
        out = damaged(random, out, pack(b"lamp"))[0]
    return out


def packed(random: Random) -> None:
    """Read a packed file that is whole, damaged, cut off, or packed twice."""
    _check(_packed_input(random), random, None)


def _archive_input(random: Random) -> bytes:
    kinds = random.choices([*files.FORMATS], k=random.randint(0, 4))
    members = [file_of(kind, random)[1] for kind in kinds]
    if random.random() < 0.2:
        pack = files.PACKERS[random.choice([*files.PACKERS])]
        members.append(pack(members[0] if members else b""))
    raw = files.archive(random, members)
    return damaged(random, raw, raw)[0] if random.random() < 0.7 else raw


def archive(random: Random) -> None:
    """Read a zip archive that is whole or damaged."""
    raw = _archive_input(random)
    items = _read(io.BytesIO(raw), None)
    checks.reading(items)
    assert _read(_Dribble(raw, random), None) == items


def _parquet_input(random: Random) -> bytes:
    raw = file_of(random.choice([*files.FORMATS]), random)[1]
    made = files.parquet(random, _read(io.BytesIO(raw), None))
    return damaged(random, made, made)[0] if random.random() < 0.8 else made


def parquet(random: Random) -> None:
    """Read a Parquet file that is whole or damaged."""
    raw = _parquet_input(random)
    items = _read(io.BytesIO(raw), None)
    checks.reading(items)
    assert items, "nothing is said of this file"
    assert _read(_Dribble(raw, random), None) == items


@cache
def _extractor(name: str) -> Extractor:
    from kg import extract

    return extract.load(name)


def _text(random: Random) -> str:
    what = random.random()
    if what < 0.85:
        return odd(random)
    if what < 0.95:
        return "".join(random.choices((*WHOLE, " ", " ", "BERT", "on", "GLUE"), k=60))
    return "".join(chr(random.randrange(0x110000)) for _ in range(random.randint(0, 80)))


def paper_of(random: Random) -> Paper:
    """A paper as a caller of the library may make it, with nothing repaired."""
    title = random.choice(("", plain(random, 1)[:-1], odd(random, 1_000)))
    return Paper("p", _text(random), title)


def _text_input(random: Random) -> bytes:
    paper = paper_of(random)
    return json.dumps({"title": paper.title, "text": paper.text}).encode()


def extractor(name: str, random: Random) -> None:
    """Extract from a text; between others, it gives the same."""
    paper = paper_of(random)
    engine = _extractor(name)
    found = engine.extract(paper)
    checks.extraction(paper, found)
    if len(paper.text) < 5_000:
        other = Paper("q", plain(random, 2))
        _, again, _ = engine.pipe([other, paper, other])
        assert again == found, "it depends on the papers around it"


def graph(random: Random) -> None:
    """Read files, extract, assemble; nothing is lost on the way, and exports come back."""
    raws = [
        file_of(random.choice([*files.FORMATS]), random)[1] for _ in range(random.randint(1, 3))
    ]
    engine = _extractor("patterns")
    with tempfile.TemporaryDirectory() as folder, Ledger(folder, create=True) as ledger:
        total = 0
        for number, raw in enumerate(raws):
            items = list(_numbered(_read(io.BytesIO(raw), None), f"{number}"))
            ledger.replace_file(f"{number}", items)
            total += len(items)
        ledger.settle()
        pending = list(ledger.pending(engine.version))
        for pair in zip(pending, engine.pipe(pending), strict=True):
            checks.extraction(*pair)
            ledger.add_extractions([pair], engine.version)
        outcomes = ledger.outcomes()
        assert sum(outcomes.values()) == total, f"{outcomes} of {total} records"
        assert not outcomes.get("read"), outcomes
        made = _assembled(ledger)
    _exported(made)


def _numbered(items: Items, file: str) -> Items:
    """Return ``items`` as records of ``file``."""

    def moved(item: Read | Rejected) -> Read | Rejected:
        if isinstance(item, Rejected):
            return replace(item, source=replace(item.source, file=file))
        source = replace(item.paper.source, file=file)  # type: ignore[type-var]
        return replace(item, paper=replace(item.paper, source=source))

    return [moved(item) for item in items]


def _assembled(ledger: Ledger) -> Graph:
    from kg.assemble.assemble import assemble
    from kg.assemble.decisions import NONE
    from kg.assemble.incremental import Assembly

    assembly = Assembly(ledger)
    assembly.update(NONE)
    made = assembly.graph()
    papers, extractions = list(ledger.papers()), list(ledger.extractions())
    assert assemble(papers, extractions) == made, "not the graph of a build at once"
    assert assemble(papers[::-1], extractions[::-1]) == made, "the order matters"
    assert made.papers.keys() == {p.id for p in papers}
    for m in made.mentions:
        assert made.papers[m.paper].part(m.part)[m.start : m.end] == m.surface
    for s in made.statements.values():
        for e in s.evidence:
            assert made.papers[e.paper].part(e.part)[e.start : e.end] == e.sentence
    return made


def _exported(made: Graph) -> None:
    import networkx
    import rdflib

    from kg.formats import FORMATS, write
    from kg.project.json_lines import read_json
    from kg.project.multigraph import to_networkx
    from kg.project.rdf import to_rdflib
    from kg.project.tables import to_tables

    with tempfile.TemporaryDirectory() as folder:
        out = {name: Path(folder, name) for name in FORMATS}
        for name, path in out.items():
            write(made, name, path)
        with out["jsonl"].open("rb") as lines:
            again = read_json(lines)
        assert [to_json(p) for p in again.papers.values()] == [
            to_json(p) for p in made.papers.values()
        ]
        assert again.entities.keys() == made.entities.keys()
        assert again.statements.keys() == made.statements.keys()
        assert again.results.keys() == made.results.keys()
        node_link = to_networkx(made)
        graphml = networkx.read_graphml(out["graphml"], force_multigraph=True)
        assert set(graphml.nodes) == set(node_link.nodes)
        assert graphml.number_of_edges() == node_link.number_of_edges()
        for name, rows in to_tables(made).items():
            for format, delimiter in (("csv", ","), ("tsv", "\t")):
                with Path(out[format], f"{name}.{format}").open(encoding="utf-8", newline="") as f:
                    assert sum(1 for _ in csv.reader(f, delimiter=delimiter)) == len(rows) + 1
        triples = to_rdflib(made)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            for name, format in (("turtle", "turtle"), ("ntriples", "nt"), ("jsonld", "json-ld")):
                parsed = rdflib.Graph().parse(out[name], format=format)
                assert set(parsed) == set(triples), name
            for name, format in (("trig", "trig"), ("nquads", "nquads")):
                rdflib.Dataset().parse(out[name], format=format)
        assert json.loads(out["jsonld"].read_bytes())


TARGETS: dict[str, tuple[int, Callable[[Random], None]]] = {
    **{f"read-{kind}": (1, partial(reader, kind)) for kind in files.FORMATS},
    "read-any": (1, sniffed),
    "read-packed": (1, packed),
    "read-zip": (1, archive),
    "read-parquet": (1, parquet),
    "extract-patterns": (1, partial(extractor, "patterns")),
    "extract-model": (5, partial(extractor, "model")),
    "graph": (20, graph),
}
"""Name of a target to how many times fewer inputs it gets than the others, and to the target."""

INPUTS: dict[str, Callable[[Random], bytes]] = {
    **{
        f"read-{kind}": lambda random, kind=kind: file_of(kind, random)[1] for kind in files.FORMATS
    },  # type: ignore[misc]
    "read-any": _sniffed_input,
    "read-packed": _packed_input,
    "read-zip": _archive_input,
    "read-parquet": _parquet_input,
    "extract-patterns": _text_input,
    "extract-model": _text_input,
}
"""Name of a target to the bytes of an input; of a text, JSON with its title and itself."""
