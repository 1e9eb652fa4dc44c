"""The names that sources give to the fields of a paper, in the form that :func:`simple` gives.

Where several fields of a record could be meant, the first name of a list wins.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "ANSWERS",
    "AUTHORS",
    "COMMENT",
    "DATES",
    "DOI",
    "IDS",
    "INDEX",
    "INNER",
    "LISTS",
    "NESTS",
    "OWN_ID",
    "TEXT",
    "TITLE",
    "URL",
    "VENUE",
    "WITHDRAWN",
    "simple",
]

TEXT: Final = (
    "abstract",
    "abstracttext",
    "abstractnote",
    "abstracts",
    "summary",
    "text",
    "description",
)
"""Names of the field that holds the abstract, the best first."""

LISTS: Final = frozenset(
    {"data", "results", "resultsdata", "items", "papers", "notes", "works", "records"}
    | {"documents", "docs", "entries", "hits", "rows", "articles", "publications"}
)
"""Names under which services put their list of records."""

ANSWERS: Final = frozenset(["message", "response", "hits", "result"])
"""Names under which services put the object that has the list."""

NESTS: Final = ("paper", "citingpaper", "citedpaper", "source", "metadata", "attributes", "work")
"""Names under which a record has the paper itself."""

INDEX: Final = ("abstractinvertedindex", "invertedindex", "indexedabstract")
"""Names of an abstract that is an index: each word with its positions."""

TITLE: Final = (
    "title",
    "displayname",
    "papertitle",
    "documenttitle",
    "articletitle",
    "titles",
)
IDS: Final = (
    "arxivid",
    "arxiv",
    "arxiveprints",
    "eprint",
    "aclid",
    "acl",
    "anthologyid",
    "ids",
    "externalids",
    "identifier",
    "doi",
    "dois",
    "paperid",
    "id",
    "entryid",
    "url",
    "abs",
    "absurl",
    "pdf",
    "pdfurl",
    "landingpageurl",
)
OWN_ID: Final = ("id", "paperid", "corpusid", "pmid", "forum")
"""Names of an id that counts only in its source, if none of the others is there."""

DATES: Final = (
    "versions",
    "published",
    "publicationdate",
    "publishedat",
    "publisheddate",
    "publishedonline",
    "date",
    "created",
    "submitteddate",
    "preprintdate",
    "issued",
    "pdate",
    "cdate",
    "coverdate",
    "updatedate",
    "updated",
    "year",
    "publicationyear",
    "pubyear",
)
VENUE: Final = (
    "journalref",
    "venue",
    "containertitle",
    "journal",
    "booktitle",
    "publicationvenue",
    "publicationtitle",
    "sourcetitle",
    "conference",
    "proceedings",
    "primarylocation",
    "hostvenue",
)
AUTHORS: Final = (
    "authorsparsed",
    "authorships",
    "authors",
    "author",
    "authornames",
    "authortext",
    "creators",
    "creator",
)
URL: Final = ("url", "link", "abs", "absurl", "landingpageurl", "primarylocation", "entryid")
DOI: Final = ("doi", "dois", "externalids", "ids")
COMMENT: Final = ("comments", "comment", "arxivcomment")
WITHDRAWN: Final = ("isretracted", "retracted", "withdrawn", "iswithdrawn")
INNER: Final = ("value", "name", "displayname", "title", "fullname", "text", "href", "url", "en")
"""Names, in an object that stands for a text, of the text."""

_NOT_SIMPLE: Final = re.compile(r"[^a-z0-9]+")


def simple(name: str) -> str:
    """Return the name of a field without case and punctuation."""
    return _NOT_SIMPLE.sub("", name[:100].lower())
