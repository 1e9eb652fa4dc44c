"""Read XML: ACL Anthology, arXiv (OAI-PMH, Atom), Dublin Core, PubMed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from kg.read.identity import names, person
from kg.read.items import Fields, Flaw
from kg.read.text import one_line
from kg.read.xml_records import Record, records

__all__ = ["RECORDS", "read_xml"]

_ATOM_ID: Final = re.compile(r"https?://")


def read_xml(chunks: Iterable[bytes]) -> Iterator[Fields | Flaw]:
    """Yield each paper of an XML document; what it is, is told by its elements."""
    meta: Element | None = None
    for record in records(chunks, RECORDS):
        if isinstance(record, Flaw):
            yield record
            continue
        if record.element.tag == "meta":  # of a volume of the ACL Anthology
            meta = record.element
            continue
        if record.element.tag == "paper":
            yield _acl(record, meta)
            continue
        yield from _READERS[record.element.tag](record)


def _text(element: Element | None) -> str:
    """Return all text in ``element``; formulas go in ``$…$``."""
    if element is None:
        return ""
    parts: list[str] = []

    def walk(node: Element) -> None:
        formula = node.tag == "tex-math"
        parts.append("$" if formula else "\n" if node.tag == "br" else "")
        parts.append(node.text or "")
        for child in node:
            walk(child)
            parts.append(child.tail or "")
        parts.append("$" if formula else "")

    walk(element)
    return "".join(parts)


def _find(element: Element | None, *paths: str) -> str:
    """Return the text of the first of ``paths`` that has any."""
    if element is None:
        return ""
    return next((t for p in paths if (t := _text(element.find(p))).strip()), "")


def _every(element: Element, path: str) -> list[str]:
    return [t for e in element.iterfind(path) if (t := one_line(_text(e)))]


def _acl(record: Record, meta: Element | None) -> Fields:
    paper = record.element
    abstracts = paper.findall("abstract")
    abstract = next((a for a in abstracts if _text(a).strip()), None)
    key = _acl_key(record)
    return Fields(
        text=_text(abstract),
        title=_find(paper, "title"),
        venue=_find(meta, "booktitle", "journal-title", "venue"),
        url=f"https://aclanthology.org/{key}/" if key else "",
        doi=_find(paper, "doi"),
        ids=[key],
        own_id=key,
        dates=[f"{_find(meta, 'month')} {_find(meta, 'year')}".strip()],
        authors=[
            " ".join(p for p in (_find(a, "first"), _find(a, "last")) if p)
            for a in paper.iterfind("author")
        ],
        withdrawn=paper.find("retracted") is not None or paper.find("removed") is not None,
        has_text=True,
    )


def _acl_key(record: Record) -> str:
    """Return the identifier of a paper: as its url has it, else made from collection and volume."""
    told = _find(record.element, "url").strip()
    if told and not _ATOM_ID.match(told):
        return told
    around = {name: attributes.get("id", "") for name, attributes in record.around}
    collection, volume = around.get("collection", ""), around.get("volume", "")
    number = record.element.get("id", "")
    if not (collection and volume and number.isdecimal()):
        return told
    if "." in collection:
        return f"{collection}-{volume}.{number}"
    workshops = collection[0] == "W" or collection == "C69"
    if workshops or (collection == "D19" and volume.isdecimal() and int(volume) >= 5):
        return f"{collection}-{volume:>02}{number:>02}"
    return f"{collection}-{volume}{number:>03}"


def _oai(record: Record) -> Iterator[Fields | Flaw]:
    header = record.element.find("header")
    if header is not None and header.get("status") == "deleted":
        yield Flaw("empty", f"deleted by the source ({_find(header, 'identifier').strip()})")
        return
    metadata = record.element.find("metadata")
    inner = None if metadata is None else next(iter(metadata), None)
    if inner is None:
        yield Flaw("empty", f"a record without metadata ({_find(header, 'identifier').strip()})")
        return
    known = [_find(header, "identifier")]
    yield _dublin_core(inner, known) if inner.tag == "dc" else _arxiv(inner, known)


def _arxiv(paper: Element, ids: list[str]) -> Fields:
    authors = [
        " ".join(one_line(p) for n in ("forenames", "keyname", "suffix") if (p := _find(a, n)))
        for a in paper.iterfind("authors/author")
    ]
    versions = [_text(d) for d in paper.iterfind("version/date")]
    told = _find(paper, "authors") if not authors else ""
    key = _find(paper, "id").strip()
    return Fields(
        text=_find(paper, "abstract"),
        title=_find(paper, "title"),
        venue=_find(paper, "journal-ref"),
        url=f"https://arxiv.org/abs/{key}" if key else "",
        doi=_find(paper, "doi"),
        ids=[key, *ids],
        dates=[*versions[:1], _find(paper, "created"), _find(paper, "updated")],
        authors=authors or names(told),
        comment=_find(paper, "comments"),
        has_text=True,
    )


def _dublin_core(paper: Element, ids: list[str]) -> Fields:
    descriptions = [_text(d) for d in paper.iterfind("description")]
    comments = [d for d in descriptions if d.strip().startswith("Comment:")]
    abstracts = [d for d in descriptions if d not in comments and d.strip()]
    identifiers = _every(paper, "identifier")
    return Fields(
        text=next(iter(abstracts), ""),
        title=_find(paper, "title"),
        venue=_find(paper, "source"),
        url=next((i for i in identifiers if _ATOM_ID.match(i)), ""),
        doi=next((i for i in identifiers if "10." in i and "arxiv.org" not in i), ""),
        ids=[*ids, *identifiers],
        dates=list(_every(paper, "date")),
        authors=[person(a) for a in _every(paper, "creator")],
        comment=" ".join(comments),
        has_text=True,
    )


def _bare(record: Record) -> Iterator[Fields | Flaw]:
    inner = record.element
    yield _dublin_core(inner, []) if inner.tag == "dc" else _arxiv(inner, [])


def _atom(record: Record) -> Iterator[Fields | Flaw]:
    entry = record.element
    links = [e.get("href", "") for e in entry.iterfind("link") if e.get("rel") != "related"]
    key = _find(entry, "id").strip()
    if "arxiv.org/api/errors" in key:
        yield Flaw("broken", f"an error of the service: {one_line(_find(entry, 'summary'))[:200]}")
        return
    yield Fields(
        text=_find(entry, "summary", "abstract", "content"),
        title=_find(entry, "title"),
        venue=_find(entry, "journal_ref"),
        url=next((u for u in (*links, key) if _ATOM_ID.match(u)), ""),
        doi=_find(entry, "doi"),
        ids=[key, *links],
        own_id="" if _ATOM_ID.match(key) else key,
        dates=[_find(entry, "published"), _find(entry, "updated")],
        authors=[n for a in entry.iterfind("author") if (n := one_line(_find(a, "name")))],
        comment=_find(entry, "comment"),
        has_text=True,
    )


def _pubmed(record: Record) -> Iterator[Fields | Flaw]:
    article = record.element.find("MedlineCitation/Article")
    if article is None:
        yield Flaw("broken", f"line {record.line}: a PubmedArticle without an Article")
        return
    sections = []
    for part in article.iterfind("Abstract/AbstractText"):
        label, text = part.get("Label", ""), one_line(_text(part))
        sections.append(f"{label}: {text}" if label and text else text)
    authors = [
        one_line(f"{_find(a, 'ForeName', 'Initials')} {_find(a, 'LastName', 'CollectiveName')}")
        for a in article.iterfind("AuthorList/Author")
    ]
    issue = article.find("Journal/JournalIssue/PubDate")
    dates = [_pubmed_date(d) for d in (issue, article.find("ArticleDate")) if d is not None]
    dois = _every(article, "ELocationID[@EIdType='doi']")
    dois += _every(record.element, "PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
    pmid = _find(record.element, "MedlineCitation/PMID").strip()
    kinds = _every(article, "PublicationTypeList/PublicationType")
    yield Fields(
        text="\n".join(s for s in sections if s),
        title=_find(article, "ArticleTitle", "VernacularTitle"),
        venue=_find(article, "Journal/Title", "Journal/ISOAbbreviation"),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else "",
        doi=next(iter(dois), ""),
        ids=dois,
        own_id=f"pmid:{pmid}" if pmid else "",
        dates=list(dates),
        authors=[a for a in authors if a],
        withdrawn="Retracted Publication" in kinds,
        has_text=True,
    )


def _pubmed_date(date: Element) -> str:
    if date.find("Year") is None:
        return _find(date, "MedlineDate")
    parts = [_find(date, part).strip() for part in ("Year", "Month", "Day")]
    told = [p for p in parts if p]
    return "-".join(told) if all(p.isdecimal() for p in told) else " ".join(reversed(told))


_READERS: Final[dict[str, Callable[[Record], Iterator[Fields | Flaw]]]] = {
    "record": _oai,
    "arXiv": _bare,
    "arXivRaw": _bare,
    "dc": _bare,
    "entry": _atom,
    "PubmedArticle": _pubmed,
}

RECORDS: Final = frozenset(_READERS) | {"paper", "meta"}
"""Names of the elements that are records."""
