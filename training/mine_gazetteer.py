"""Mine the gazetteer's names from annotated abstracts, and measure the names written by hand.

    python training/mine_gazetteer.py GOLD.jsonl [--gazetteer kg/extract/gazetteer.tsv]
        [--papers 2] [--precision 0.6] [--agreement 0.7] [--check DEV.jsonl]

GOLD holds one JSON object a line with ``text`` and ``entities`` (``type``, ``mentions`` with
``start`` and ``end``). Rows whose origin is ``hand`` stay in the file as they are, only their
measured figures are renewed; all rows whose origin is ``mined`` are made anew. Only names go in.

A name is kept if it is an entity in at least ``--papers`` papers, if wherever its string stands in
GOLD it is an entity's mention in at least ``--precision`` of the cases, and if one family of types
(Method and Model, Dataset and Benchmark, Task, Metric) accounts for ``--agreement`` of its papers;
its type is the commonest one. Look-up is by the longest name, from left to right, over words;
hyphens do not count. ``--check`` looks the names up in other annotated abstracts and prints how
precise and how complete that is; nothing is written then.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kg.extract.words import words
from kg.schema import FAMILY

HYPHENS = frozenset("-‐‑‒–")
COLUMNS = ("name", "type", "match", "origin", "papers", "seen", "inside", "precision", "agreement")
HEADER = """\
# Well-known names of the field: what each is, and how far the bare name can be trusted.
# Edit freely: add a row with origin "hand" (its last five columns may be "-") and keep the file
# sorted by running: python training/mine_gazetteer.py GOLD.jsonl   (rows of origin "mined" are
# made anew, rows of origin "hand" stay).
#
# name       the usual spelling; between its words a space and a hyphen are the same
# type       what it is where nothing else is told: Method, Model, Dataset, Benchmark, Task, Metric
# match      any: case does not count; cased: only as written (in lower case it is a common word)
# origin     mined: from annotated abstracts; hand: written from knowledge of the field
# papers     in how many annotated papers it is an entity
# seen       in how many places of them the look-up finds the name
# inside     in how many of these places it is only a part of a longer name ("BERT" in "BERT-base")
# precision  in which share of the places (those inside count as wrong) it is an entity by itself
# agreement  in which share of those papers it is of this type
#
"""

Key = tuple[str, ...]
Span = tuple[int, int]


@dataclass
class Text:
    """An annotated abstract: its words without hyphens, and the type of each mention."""

    id: str
    text: str
    spans: list[Span]
    forms: list[str]
    gold: dict[Span, str]


@dataclass
class Name:
    """What is known of one name."""

    surfaces: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    papers: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Row:
    """One line of the gazetteer."""

    name: str
    type: str
    match: str
    origin: str
    papers: str = "-"
    seen: str = "-"
    inside: str = "-"
    precision: str = "-"
    agreement: str = "-"

    def line(self) -> str:
        return "\t".join(getattr(self, c) for c in COLUMNS)


def order(row: Row) -> tuple[str, str]:
    return (row.name.casefold(), row.name)


def cut(text: str) -> tuple[list[Span], list[str]]:
    """Return spans and forms of the words of ``text``, hyphens left out."""
    spans = [(a, b) for a, b in words(text) if text[a:b] not in HYPHENS]
    return spans, [text[a:b] for a, b in spans]


def read_gold(path: Path) -> list[Text]:
    out = []
    for line in path.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        text = paper["text"]
        gold = {(m["start"], m["end"]): e["type"] for e in paper["entities"] for m in e["mentions"]}
        out.append(Text(paper["id"], text, *cut(text), gold))
    return out


def read_rows(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    cells = [ln.split("\t") for ln in lines if ln and not ln.startswith("#")]
    return [Row(**dict(zip(cells[0], row, strict=False))) for row in cells[1:]]


def folded(forms: list[str]) -> Key:
    return tuple(f.casefold() for f in forms)


class Lookup:
    """The longest name at each word, from left to right."""

    def __init__(self, rows: list[Row]) -> None:
        self.cased = {tuple(cut(r.name)[1]): r for r in rows if r.match == "cased"}
        self.any = {folded(cut(r.name)[1]): r for r in rows if r.match == "any"}
        keys = {folded(list(k)) for k in self.cased} | set(self.any)
        self.longest: dict[str, int] = defaultdict(int)
        for key in keys:
            self.longest[key[0]] = max(self.longest[key[0]], len(key))

    def __call__(self, text: Text) -> Iterator[tuple[Span, Row]]:
        low, i = folded(text.forms), 0
        while i < len(low):
            for n in range(min(self.longest.get(low[i], 0), len(low) - i), 0, -1):
                row = self.cased.get(tuple(text.forms[i : i + n])) or self.any.get(low[i : i + n])
                if row:
                    yield (text.spans[i][0], text.spans[i + n - 1][1]), row
                    i += n
                    break
            else:
                i += 1


def candidates(texts: list[Text], papers: int, agreement: float) -> list[Row]:
    """Return a row, not measured yet, for each name that is an entity in enough papers."""
    names: dict[Key, Name] = defaultdict(Name)
    ordinary: Counter[str] = Counter()
    for text in texts:
        seen: dict[Key, Counter[str]] = defaultdict(Counter)
        for (a, b), kind in text.gold.items():
            forms = cut(text.text[a:b])[1]
            if forms:
                key = folded(forms)
                names[key].surfaces[text.text[a:b]] += 1
                names[key].papers.add(text.id)
                seen[key][kind] += 1
        for key, kinds in seen.items():
            names[key].types[max(sorted(kinds), key=kinds.__getitem__)] += 1
        taken = {i for a, b in text.gold for i in range(a, b)}
        ordinary.update(
            f for (a, _), f in zip(text.spans, text.forms, strict=True) if a not in taken
        )
    rows = []
    for key, name in names.items():
        surface = usual(name.surfaces)
        if len(name.papers) < papers or not sound(surface):
            continue
        kind = max(sorted(name.types), key=name.types.__getitem__)
        families: Counter[str] = Counter()
        for one, n in name.types.items():
            families[FAMILY[one]] += n
        if families[FAMILY[kind]] < agreement * families.total():
            continue
        lower = " ".join(key)
        proper = re.fullmatch("[A-Z][a-z]+", surface) and lower not in name.surfaces
        word = ordinary[lower] > 0 or len(lower) < 3 or proper
        cased = len(key) == 1 and surface != lower and bool(word)
        rows.append(Row(surface, kind, "cased" if cased else "any", "mined"))
    return rows


def usual(surfaces: Counter[str]) -> str:
    """Return the commonest spelling; of several words, the one without capitals if that is used."""
    best = min(surfaces, key=lambda s: (-surfaces[s], s))
    if len(cut(best)[0]) == 1:
        return best
    return best.lower() if surfaces[best.lower()] * 4 >= surfaces.total() else best


def sound(name: str) -> bool:
    """Whether a string can be a name at all: a letter in it, no bracket, slash, sign or break."""
    return bool(
        re.search(r"[^\W\d_]", name)
        and not re.search(r"[\s]{2,}|[\n\t()\[\]{}<>\"“”‘;:,?!=~^_|\\$%]", name)
        and len(name) > 1
        and name[0] not in "-‐–/.'’"
        and name[-1] not in "-‐–/.'’"
    )


def measure(texts: list[Text], rows: list[Row]) -> list[Row]:
    """Return ``rows`` with their figures by looking them up in ``texts``."""
    lookup = Lookup(rows)
    found: Counter[Row] = Counter()
    right: Counter[Row] = Counter()
    inside: Counter[Row] = Counter()
    kinds: dict[Row, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for text in texts:
        for span, row in lookup(text):
            found[row] += 1
            if span in text.gold:
                right[row] += 1
                kinds[row][text.gold[span]].add(text.id)
            elif any(a <= span[0] and span[1] <= b for a, b in text.gold):
                inside[row] += 1
    out = []
    for row in rows:
        n, by = found[row], kinds[row]
        papers = len(set().union(*by.values())) if by else 0
        same = len(by.get(row.type, set()))
        share = f"{same / sum(map(len, by.values())):.2f}" if by else "-"
        precision = f"{right[row] / n:.2f}" if n else "-"
        figures = (str(papers), str(n), str(inside[row]), precision, share)
        out.append(Row(row.name, row.type, row.match, row.origin, *figures))
    return out


def mine(texts: list[Text], hand: list[Row], args: argparse.Namespace) -> list[Row]:
    """Return the rows to write: ``hand`` and what ``texts`` give beside it, measured, sorted."""
    own = {folded(cut(r.name)[1]) for r in hand}
    found = candidates(texts, args.papers, args.agreement)
    rows = [r for r in found if folded(cut(r.name)[1]) not in own]
    while True:  # what is dropped no longer hides the shorter names inside it
        measured = measure(texts, hand + rows)
        kept = [r for r in measured if r.origin == "hand" or good(r, args)]
        if len(kept) == len(hand) + len(rows):
            return sorted(kept, key=order)
        rows = [Row(r.name, r.type, r.match, r.origin) for r in kept if r.origin == "mined"]


def good(row: Row, args: argparse.Namespace) -> bool:
    return int(row.papers) >= args.papers and float(row.precision) >= args.precision


def check(texts: list[Text], rows: list[Row]) -> str:
    """Return a table of how plain look-up of ``rows`` does on ``texts``, by origin and type."""
    lookup = Lookup(rows)
    hits: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    gold: Counter[str] = Counter(kind for t in texts for kind in t.gold.values())
    for text in texts:
        for span, row in lookup(text):
            for line in ("all", row.origin, row.type):
                hits[line][0] += 1
                hits[line][1] += span in text.gold
                hits[line][2] += text.gold.get(span) == row.type
    gold["all"] = sum(gold.values())
    out = [f"{'':12}{'found':>7}{'span P':>8}{'typed P':>8}{'recall':>8}"]
    for line, (n, right, typed) in sorted(hits.items()):
        recall = f"{typed / gold[line]:8.3f}" if gold[line] else f"{'':8}"
        out.append(f"{line:12}{n:7}{right / n:8.3f}{typed / n:8.3f}{recall}")
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--gazetteer", type=Path, default=Path("kg/extract/gazetteer.tsv"))
    parser.add_argument("--papers", type=int, default=2)
    parser.add_argument("--precision", type=float, default=0.6)
    parser.add_argument("--agreement", type=float, default=0.7)
    parser.add_argument("--check", type=Path, help="other annotated abstracts; writes nothing")
    args = parser.parse_args()
    present = read_rows(args.gazetteer)
    hand = [Row(r.name, r.type, r.match, r.origin) for r in present if r.origin == "hand"]
    rows = mine(read_gold(args.gold), hand, args)
    if args.check:
        print(check(read_gold(args.check), rows))
        return
    lines = "".join(row.line() + "\n" for row in rows)
    args.gazetteer.write_text(HEADER + "\t".join(COLUMNS) + "\n" + lines, encoding="utf-8")
    print(f"{args.gazetteer}: {len(rows)} names", Counter(r.origin for r in rows), file=sys.stderr)


if __name__ == "__main__":
    main()
