"""Files in every format that is read, made from a seed, with the place of each record."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import zstandard

import kg.parquet
from kg.read import Read, Rejected

from .words import WHOLE, odd, plain


@dataclass(frozen=True)
class File:
    """A file.

    Attributes
    ----------
    format : name of its reader.
    records : its records, each with what divides it from the next one.
    alone : a record is read the same whatever stands before it.
    """

    format: str
    records: tuple[bytes, ...]
    head: bytes = b""
    tail: bytes = b""
    alone: bool = False

    @property
    def raw(self) -> bytes:
        return self.head + b"".join(self.records) + self.tail

    def untouched(self, first: int, last: int) -> list[int]:
        """Return the numbers of the records that damage of ``first`` to ``last`` cannot reach."""
        at, found = len(self.head), []
        for number, record in enumerate(self.records):
            end = at + len(record)
            if end < first or (self.alone and at > last + 1):
                found.append(number)
            at = end
        return found


Paper = dict[str, Any]


def _paper(random: Random, number: int) -> Paper:
    """A paper; its abstract has the word ``wick<number>``, by which it is found again."""
    text = odd(random, 3_000) if random.random() < 0.5 else plain(random)
    return {
        "id": f"2{random.randrange(1000):03}.{random.randrange(100_000):05}",
        "title": odd(random, 300)[:300] if random.random() < 0.3 else plain(random, 1),
        "text": f"{text} It is wick{number}.",
        "authors": [random.choice(("Ada Example", "Example, Bob", "Lamp Group", "李", "O'Hara"))],
        "venue": random.choice(("ACL", "Lamps & Co", "")),
        "year": random.randint(1990, 2030),
        "doi": f"10.1234/lamp.{random.randrange(1000)}",
    }


def _papers(random: Random) -> list[Paper]:
    return [_paper(random, n) for n in range(random.randint(1, 6))]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text(random: Random) -> File:
    def wrapped(text: str) -> str:
        words = text.split()
        return "".join(w + (" " if random.random() < 0.9 else "\n") for w in words[:-1]) + words[-1]

    records = tuple(_utf8(wrapped(p["text"]) + "\n\n") for p in _papers(random))
    return File("text", records, alone=True)


def _index(text: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for position, word in enumerate(text.split()):
        index.setdefault(word, []).append(position)
    return index


def _dialect(random: Random, p: Paper) -> Any:
    """Return a paper as some service writes it."""
    last, first = "Example", "Ada"
    url = f"http://arxiv.org/abs/{p['id']}v1"
    shapes: tuple[Callable[[], Any], ...] = (
        lambda: {k: p[k] for k in ("id", "title", "text", "authors", "venue", "year", "doi")},
        lambda: {
            "id": p["id"], "title": p["title"], "abstract": p["text"], "comments": "9 pages",
            "authors_parsed": [[last, first, ""]], "update_date": f"{p['year']}-02-03",
            "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        },
        lambda: {
            "paperId": "ab12", "externalIds": {"ArXiv": p["id"], "DOI": p["doi"]},
            "year": p["year"], "title": p["title"], "abstract": p["text"],
            "authors": [{"name": "Ada Example"}],
        },
        lambda: {
            "id": "https://openalex.org/W1", "display_name": p["title"], "doi": p["doi"],
            "authorships": [{"author": {"display_name": "Ada Example"}}],
            "abstract_inverted_index": _index(p["text"]),
            "primary_location": {"source": {"display_name": p["venue"]}},
        },
        lambda: {"paper": {"id": p["id"], "title": p["title"], "summary": p["text"]}, "n": 1},
        lambda: {
            "id": "aB", "forum": "aB", "cdate": 1695945600000,
            "content": {"title": {"value": p["title"]}, "abstract": {"value": p["text"]}},
        },
        lambda: {
            "DOI": p["doi"], "title": [p["title"]], "abstract": f"<jats:p>{p['text']}</jats:p>",
            "issued": {"date-parts": [[p["year"], 4, 9]]}, "container-title": [p["venue"]],
            "author": [{"given": first, "family": last}],
        },
        lambda: {
            "id": "1", "metadata": {"titles": [{"title": p["title"]}],
            "abstracts": [{"value": p["text"]}], "arxiv_eprints": [{"value": p["id"]}]},
        },
        lambda: {
            "entry_id": url, "summary": p["text"], "title": p["title"], "published": "2024-01",
        },
    )  # fmt: skip
    return random.choice(shapes)()


def anything(random: Random, depth: int = 0) -> Any:
    """Return some value of JSON."""
    simple: tuple[Any, ...] = (
        *(None, True, False, 0, -1, 3.5, 1e300, 10**30, float("nan"), float("inf"), "", " "),
        *("N/A", "2020-13-45", "2021", 1695945600000, 9_999_999_999_999, random.choice(WHOLE)),
    )
    if depth > 2 or random.random() < 0.5:
        return random.choice(simple)
    some = [anything(random, depth + 1) for _ in range(random.randint(0, 3))]
    if random.random() < 0.5:
        return some
    keys = ("value", "name", "title", "id", "data", "abstract", "date-parts", "author", "0", "")
    return {random.choice(keys): value for value in some}


def _other_values(random: Random, value: Any) -> Any:
    """Return ``value`` with some values of the wrong type."""
    if random.random() < 0.12:
        return anything(random)
    if isinstance(value, dict):
        return {k: _other_values(random, v) for k, v in value.items()}
    if isinstance(value, list) and len(value) < 20:
        return [_other_values(random, v) for v in value]
    return value


def _json(random: Random, p: Paper) -> str:
    record = _dialect(random, p)
    if random.random() < 0.25:
        record = {k: _other_values(random, v) for k, v in record.items()}
    out = json.dumps(record, ensure_ascii=random.random() < 0.5)
    if random.random() < 0.1:  # keys given twice
        out = out[:-1] + ", " + out[1:]
    if random.random() < 0.01:
        depth = random.randint(10, 5_000)
        start, end = random.choice((("[", "]"), ('{"a":', "}")))
        key = random.choice(("x", *record))
        out = f'{out[:-1]}, "{key}": {start * depth}1{end * depth}}}'
    return out


def jsonl(random: Random) -> File:
    found = [_json(random, p) for p in _papers(random)]
    if random.random() < 0.1:  # LaTeX whose backslashes were not escaped
        found = [line.replace("\\\\", "\\") for line in found]
    return File("jsonl", tuple(_utf8(line + "\n") for line in found), alone=True)


def json_document(random: Random) -> File:
    found = [_json(random, p) for p in _papers(random)]
    records = [_utf8(r + ",\n") for r in found[:-1]] + [_utf8(found[-1] + "\n")]
    head, tail = random.choice(
        (
            ("[", "]"),
            ('{"meta": {"count": 3}, "results": [', '], "next": null}'),
            ('{"status": "ok", "message": {"items": [', "]}}"),
            ('{"hits": {"total": 9, "hits": [\n', "]}}\n"),
        )
    )
    return File("json", tuple(records), head.encode(), tail.encode())


def csl(random: Random) -> File:
    records = []
    for n, p in enumerate(_papers(random)):
        record = {
            "id": f"key{n}",
            "type": "article-journal",
            "title": p["title"],
            "abstract": p["text"],
            "container-title": p["venue"],
            "DOI": p["doi"],
            "author": [{"family": "Example", "given": "Ada", "non-dropping-particle": "von"}],
            "issued": {"date-parts": [[str(p["year"]), 5]]},
        }
        if random.random() < 0.3:
            record = {k: _other_values(random, v) for k, v in record.items()}
        records.append(_utf8((", " if n else "") + json.dumps(record, indent=1)))
    return File("json", tuple(records), b"[\n", b"]\n")


def table(random: Random) -> File:
    delimiter = random.choice(",,\t;|")
    columns = ["id", "title", "abstract", "authors", "year", "doi"]
    random.shuffle(columns)
    columns += random.choices(("x", "", "Title", "abstract"), k=random.choice((0, 0, 1)))
    quoting = random.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL))

    def line(cells: list[str]) -> bytes:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=quoting).writerow(cells)
        return _utf8(out.getvalue())

    records = []
    for p in _papers(random):
        p["authors"] = random.choice(("['Ada Example']", "Ada Example; Bob", "[", "A, B and C"))
        p["abstract"] = p["text"].replace("\r", " ").replace("\x00", "")
        records.append(line([str(p.get(c, "")) for c in columns]))
    return File("table", tuple(records), line(columns))


def bibtex(random: Random) -> File:
    records = []
    for n, p in enumerate(_papers(random)):
        fields = {
            "title": p["title"],
            "abstract": p["text"],
            "author": random.choice(("Example, Ada and others", "{Lamp Group}", 'M\\"uller, A.')),
            "year": str(p["year"]),
            "month": random.choice(("may", "{may}", "13", "undefined")),
            "journal": p["venue"] or "J. Lamps",
            "doi": p["doi"],
        }
        lines = [f"  {k} = {{{_balanced(v)}}}" for k, v in fields.items() if k != "month"]
        lines.append(f"  month = {fields['month']}")
        records.append(_utf8(f"@article{{key{n},\n" + ",\n".join(lines) + "\n}\n"))
    head = random.choice((b"", b"% exported\n", b"@string{may = {May}}\n", b"@comment{x}\n"))
    return File("bibtex", tuple(records), head, alone=True)


def _balanced(text: str) -> str:
    """Return ``text`` without what would end its field, or start an entry on a line of its own."""
    depth, out = 0, []
    for char in text:
        if char == "}" and not depth:
            continue
        depth += (char == "{") - (char == "}")
        out.append(" " if char in "\r\n" else char)
    return "".join(out) + "}" * depth


def ris(random: Random) -> File:
    records = []
    for p in _papers(random):
        values = [("TI", p["title"]), ("AB", p["text"]), ("AU", "Example, Ada"), ("DO", p["doi"])]
        values += [("PY", f"{p['year']}///"), ("JO", p["venue"]), ("KW", "lamps")]
        random.shuffle(values)
        lines = ["TY  - JOUR", *(f"{k}  - {' '.join(v.split())}" for k, v in values), "ER  - "]
        records.append(_utf8("\n".join(lines) + "\n\n"))
    return File("ris", tuple(records), alone=True)


_NO_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])


def _escaped(value: str) -> str:
    return escape(value.encode("utf-8", "replace").decode().translate(_NO_XML))


def _xml(records: list[str], head: str, tail: str, declared: bool = True) -> File:
    start = '<?xml version="1.0" encoding="UTF-8"?>\n' if declared else ""
    return File("xml", tuple(_utf8(r) for r in records), (start + head).encode(), tail.encode())


def acl(random: Random) -> File:
    records = [
        f"<paper id={quoteattr(str(n + 1))}><title><fixed-case>L</fixed-case>"
        f"{_escaped(p['title'])}</title><author><first>Ada</first><last>Example</last></author>"
        f"<abstract>A <b>lamp</b> of <tex-math>x &lt; 2</tex-math>. {_escaped(p['text'])}"
        f"</abstract>"
        f"<url>2030.lamps-main.{n + 1}</url><doi>{p['doi']}</doi></paper>\n"
        for n, p in enumerate(_papers(random))
    ]
    head = (
        '<collection id="2030.lamps"><volume id="main"><meta><booktitle>Lamps</booktitle>'
        "<year>2030</year></meta>\n"
    )
    return _xml(records, head, "</volume></collection>\n", random.random() < 0.9)


def atom(random: Random) -> File:
    records = [
        f"<entry><id>http://arxiv.org/abs/{p['id']}v1</id><published>{p['year']}-01-01T00:00:00Z"
        f"</published><title>{_escaped(p['title'])}</title><summary>{_escaped(p['text'])}</summary>"
        f"<author><name>Ada Example</name></author>"
        f'<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">{p["doi"]}</arxiv:doi>'
        f'<link href="http://arxiv.org/abs/{p["id"]}v1" rel="alternate"/></entry>\n'
        for p in _papers(random)
    ]
    head = '<feed xmlns="http://www.w3.org/2005/Atom"><title>Query</title>\n'
    return _xml(records, head, "</feed>\n")


def oai(random: Random) -> File:
    form = random.choice(("arXiv", "arXivRaw", "dc"))
    records = []
    for p in _papers(random):
        title, text = _escaped(p["title"]), _escaped(p["text"])
        if form == "dc":
            inner = (
                f"<oai_dc:dc><dc:title>{title}</dc:title><dc:creator>Example, Ada</dc:creator>"
                f"<dc:description>{text}</dc:description><dc:date>{p['year']}-06-01</dc:date>"
                f"<dc:identifier>http://arxiv.org/abs/{p['id']}</dc:identifier></oai_dc:dc>"
            )
        else:
            inner = (
                f"<{form}><id>{p['id']}</id><created>{p['year']}-01-09</created><authors><author>"
                f"<keyname>Example</keyname><forenames>A.</forenames></author></authors>"
                f"<title>{title}</title><comments>9 pages</comments><abstract>{text}</abstract>"
                f"</{form}>"
            )
        head = f"<header><identifier>oai:arXiv.org:{p['id']}</identifier></header>"
        records.append(f"<record>{head}<metadata>{inner}</metadata></record>\n")
    head = '<OAI-PMH xmlns:oai_dc="http://x" xmlns:dc="http://y"><ListRecords>\n'
    return _xml(records, head, "</ListRecords></OAI-PMH>\n")


def pubmed(random: Random) -> File:
    records = [
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{n}</PMID><Article><Journal>'
        f"<JournalIssue><PubDate><Year>{p['year']}</Year><Month>May</Month></PubDate></JournalIssue>"
        f"<Title>Lamps</Title></Journal><ArticleTitle>{_escaped(p['title'])}</ArticleTitle>"
        f'<Abstract><AbstractText Label="AIM">Lamps of &#946; &eacute;lan.</AbstractText>'
        f"<AbstractText>{_escaped(p['text'])}</AbstractText></Abstract><AuthorList><Author>"
        f"<LastName>Example</LastName><ForeName>Ada</ForeName></Author></AuthorList></Article>"
        f"</MedlineCitation></PubmedArticle>\n"
        for n, p in enumerate(_papers(random), 1)
    ]
    head = '<!DOCTYPE PubmedArticleSet SYSTEM "https://example.org/x.dtd"><PubmedArticleSet>\n'
    return _xml(records, head, "</PubmedArticleSet>\n")


def parquet(random: Random, items: Sequence[Read | Rejected]) -> bytes:
    """Return a Parquet file of papers as another program writes it, or of ``items`` as kg does."""
    import pyarrow
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        if random.random() < 0.5:
            kg.parquet.write(path, items, {"part": "1"})
        else:
            papers = [{k: _valid(v) for k, v in p.items()} for p in _papers(random)]
            table = pyarrow.Table.from_pylist(papers)
            packing = random.choice(("none", "snappy", "zstd"))
            pyarrow.parquet.write_table(table, path, row_group_size=2, compression=packing)
        return path.read_bytes()


def _valid(value: Any) -> Any:
    """A value that another program could write: text without halves of surrogate pairs."""
    return _utf8(value).decode("utf-8", "replace") if isinstance(value, str) else value


FORMATS: dict[str, Callable[[Random], File]] = {
    "acl": acl,
    "atom": atom,
    "bibtex": bibtex,
    "csl": csl,
    "json": json_document,
    "jsonl": jsonl,
    "oai": oai,
    "pubmed": pubmed,
    "ris": ris,
    "table": table,
    "text": text,
}
"""Name of a kind of file to what makes one."""

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda raw: gzip.compress(raw, mtime=0),
    "bz2": bz2.compress,
    "xz": lambda raw: lzma.compress(raw, preset=0),
    "zst": lambda raw: zstandard.ZstdCompressor(write_checksum=True).compress(raw),
}


def archive(random: Random, members: list[bytes]) -> bytes:
    """Return a zip archive of ``members``, with names of every kind."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", random.choice((0, zipfile.ZIP_DEFLATED))) as made:
        for number, raw in enumerate(members):
            name = random.choice(("a.txt", "b/c.jsonl", "../d.json", "/e.bib", "f", "ü.xml", ".g"))
            made.writestr(zipfile.ZipInfo(f"{number}{name}"), raw, made.compression)
    return out.getvalue()
