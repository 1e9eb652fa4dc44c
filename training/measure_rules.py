"""Measure the rules of the pattern stage on annotated abstracts.

    python training/measure_rules.py GOLD.jsonl [--gazetteer FILE] [--out kg/extract/patterns]

Writes three files that the rules read:

``rules.tsv``    for each rule: finds, share of them that is right, and its weight in the sum that
                 gives the confidence (logistic regression over the rules that fired, by question)
``kinds.tsv``    for each cue about a name, the shares of the entity types among names that have it
``unnamed.txt``  forms that look like names and mostly are none, mined

A rule that was seen too rarely is left out, and its parents speak for it ("head:parsing:1",
"head:parsing", "head"). GOLD holds one JSON object a line in the form of the gold files. Later
stages are measured on what the earlier ones find, not on the annotated names, and each paper with a
gazetteer that was mined from other papers. Deterministic.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mine_gazetteer
import numpy as np

from kg.extract.abbreviations import abbreviations
from kg.extract.clean import clean
from kg.extract.document import Entity, border
from kg.extract.gazetteer import GAZETTEER, Gazetteer, Name, normal
from kg.extract.patterns.claims import grouped
from kg.extract.patterns.contribution import contribution, introductions
from kg.extract.patterns.cues import read_introductions, read_relations
from kg.extract.patterns.entities import EntityFinder
from kg.extract.patterns.kinds import cues
from kg.extract.patterns.measured import FORMS, TYPES, Kinds, Rules, parents
from kg.extract.patterns.phrases import Phrases
from kg.extract.patterns.relations import relations
from kg.extract.patterns.results import readings
from kg.extract.patterns.wordlists import read_words
from kg.extract.sentences import sentences

FOLDER = Path("kg/extract/patterns")
LEAST = 8
"""Finds that a rule or cue needs for a figure of its own."""

Table = dict[str, tuple[int, float, float]]
Finds = list[tuple[frozenset[str], bool]]


def fit(question: str, finds: Finds, strength: float = 2.0, steps: int = 500) -> Table:
    """Fit one weight for each rule (and each parent) that was seen :data:`LEAST` times or more."""
    seen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    rows = []
    for signs, ok in finds:
        paths = {p for sign in signs for p in parents(sign) if ":" in p}
        rows.append(sorted(paths))
        seen.update(paths)
        right.update(paths if ok else ())
    names = [name for name in sorted(seen) if seen[name] >= LEAST]
    number = {name: i for i, name in enumerate(names)}
    indices = [np.array([number[p] for p in row if p in number], dtype=np.int64) for row in rows]
    lengths = np.array([len(i) for i in indices])
    flat = np.concatenate(indices) if indices else np.zeros(0, dtype=np.int64)
    owner = np.repeat(np.arange(len(rows)), lengths)
    target = np.array([ok for _, ok in finds], dtype=float)
    weights, bias = np.zeros(len(names)), 0.0
    mean, square = np.zeros(len(names) + 1), np.zeros(len(names) + 1)
    for step in range(1, steps + 1):
        logits = bias + np.bincount(owner, weights=weights[flat], minlength=len(rows))
        error = 1 / (1 + np.exp(-logits)) - target
        gradient = np.bincount(flat, weights=error[owner], minlength=len(names))
        gradient = np.append(gradient + strength * weights, error.sum()) / len(rows)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * (1 - 0.9 * step / steps)
        move = rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        weights, bias = weights - move[:-1], bias - move[-1]
    table = {
        name: (seen[name], right[name] / seen[name], float(w))
        for name, w in zip(names, weights, strict=True)
    }
    table[question] = (len(finds), float(target.mean()), float(bias))
    print(f"{question}: {len(finds)} finds, {target.mean():.3f} right, {len(names)} rules")
    return table


class Paper:
    """An annotated abstract, in its clean form."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.cleaned = clean(row["text"])
        self.text = self.cleaned.text
        self.begin = border(self.text)
        self.sentences = sentences(self.text)
        self.pairs = abbreviations(self.text)
        back = {}
        if self.cleaned.starts:
            for at in range(len(self.text)):
                back.setdefault(self.cleaned.starts[at], at)
        ends = {e: i + 1 for i, e in enumerate(self.cleaned.ends)}
        self.mentions: list[list[tuple[int, int]]] = []
        for entity in row["entities"]:
            spans = []
            for m in entity["mentions"]:
                start, end = m["start"], m["end"]
                if self.cleaned.starts:
                    start, end = back.get(start, -1), ends.get(end, -1)
                if 0 <= start < end:
                    spans.append((start, end))
            self.mentions.append(spans)
        self.gazetteer = Gazetteer(())
        self.found: list[Entity] = []
        self.match: dict[int, int] = {}
        self.typed: dict[int, int] = {}

    def find(self, finder: EntityFinder) -> None:
        """Find the entities and match them with the annotated ones by the names that they share."""
        finder.gazetteer = self.gazetteer
        self.found = finder.find(self.text, self.sentences, self.pairs, self.begin)
        pairs = []
        for i, entity in enumerate(self.found):
            names = {self.text[m.start : m.end].casefold() for m in entity.mentions}
            for j, gold in enumerate(self.row["entities"]):
                shared = names & {m["text"].casefold() for m in gold["mentions"]}
                if shared:
                    same = gold["type"] == entity.type
                    pairs.append((not same, -len(shared), i, j))
        used: set[int] = set()
        for _, _, i, j in sorted(pairs):
            if i not in self.match and j not in used:
                self.match[i] = j
                used.add(j)
        self.typed = {
            i: j
            for i, j in self.match.items()
            if self.row["entities"][j]["type"] == self.found[i].type
        }


def blind(papers: list[Paper], gold: Path, gazetteer: Path, folds: int = 4) -> None:
    """Give each paper a gazetteer that was mined and measured without its own part of the papers.

    Otherwise every mined name would look more trustworthy than it is in a paper never seen.
    """
    texts = mine_gazetteer.read_gold(gold)
    present = mine_gazetteer.read_rows(gazetteer)
    hand = [
        mine_gazetteer.Row(r.name, r.type, r.match, r.origin) for r in present if r.origin == "hand"
    ]
    options = argparse.Namespace(papers=2, precision=0.6, agreement=0.7)
    for fold in range(folds):
        others = [t for i, t in enumerate(texts) if i % folds != fold]
        names = Gazetteer(
            Name(
                row.name,
                row.type,
                row.match == "cased",
                0.8 if row.precision == "-" else float(row.precision),
                0.9 if row.agreement == "-" else float(row.agreement),
                int(row.papers),
                int(row.seen),
            )
            for row in mine_gazetteer.mine(others, hand, options)
        )
        for paper in papers[fold::folds]:
            paper.gazetteer = names


def unnamed(papers: Iterable[Paper], finder: EntityFinder) -> list[str]:
    """Return forms that look like names and mostly are none."""
    forms: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for paper in papers:
        gold = {paper.text[a:b] for spans in paper.mentions for a, b in spans}
        found = finder.candidates(paper.text, paper.sentences, paper.pairs, paper.begin)
        surfaces = {
            paper.text[a:b]
            for (a, b), (rules, _) in found.items()
            if not any(r.startswith(("entity:head", "entity:gazetteer")) for r in rules)
            and finder.gazetteer.get(paper.text[a:b]) is None
        }
        for surface in surfaces:
            form = " ".join(normal(surface))
            forms[form] += 1
            named[form] += surface in gold
    return [f for f, n in sorted(forms.items()) if n >= 3 and named[f] / n < 0.2]


def entity_finds(papers: Iterable[Paper], finder: EntityFinder) -> Finds:
    finds: Finds = []
    for paper in papers:
        gold = {span for spans in paper.mentions for span in spans}
        finder.gazetteer = paper.gazetteer
        found = finder.candidates(paper.text, paper.sentences, paper.pairs, paper.begin)
        finds += [(frozenset(rules), span in gold) for span, (rules, _) in sorted(found.items())]
    return finds


def kinds(papers: Iterable[Paper]) -> dict[str, tuple[float, ...]]:
    count: dict[str, Counter[str]] = defaultdict(Counter)
    known: set[tuple[str, str]] = set()
    for paper in papers:
        for entity, spans in zip(paper.row["entities"], paper.mentions, strict=True):
            name = (entity["name"].lower(), entity["type"])
            for cue in {"", "form", *cues(paper.text, spans)}:
                # the form of a name tells about names never seen: a frequent one counts once
                if name not in known or not cue.startswith((*FORMS, "form")):
                    count[cue][entity["type"]] += 1
            known.add(name)
    prior = {t: count[""][t] / count[""].total() for t in TYPES}
    return {
        cue: tuple((c[t] + 3 * prior[t]) / (c.total() + 3) for t in TYPES)
        for cue, c in sorted(count.items())
        if c.total() >= LEAST and not set(cue) & set("\t\n\r\x0b\x0c\x85\u2028\u2029")
    }


def introduced_finds(papers: Iterable[Paper]) -> Finds:
    finds: Finds = []
    cues = read_introductions()
    for paper in papers:
        signs: dict[int, set[str]] = defaultdict(set)
        for index, name in introductions(
            paper.text, paper.sentences, paper.found, paper.begin, cues
        ):
            signs[index].add(name)
        for index, names in sorted(signs.items()):
            j = paper.match.get(index)
            right = j is not None and bool(paper.row["entities"][j]["introduced"])
            finds.append((frozenset(names), right))
    return finds


def relation_finds(papers: Iterable[Paper], rules: Rules) -> dict[str, Finds]:
    finds: dict[str, Finds] = defaultdict(list)
    introducing, relating = read_introductions(), read_relations()
    for paper in papers:
        number = {e["name"]: j for j, e in enumerate(paper.row["entities"])}
        number["PAPER"] = -1
        gold = {(number[r["head"]], r["type"], number[r["tail"]]) for r in paper.row["relations"]}
        chief = contribution(
            paper.text, paper.sentences, paper.found, paper.begin, rules, introducing
        )
        found = relations(paper.text, paper.sentences, paper.found, chief, paper.begin, relating)
        for (subject, predicate, object_), (signs, _) in grouped(found, paper.found).items():
            head = -1 if subject is None else paper.typed.get(subject, -2)
            tail = paper.typed.get(object_, -2)
            finds[predicate].append((frozenset(signs), (head, predicate, tail) in gold))
    return finds


def figure_finds(papers: Iterable[Paper]) -> tuple[Finds, Finds]:
    figures: Finds = []
    deltas: Finds = []
    for paper in papers:
        rows = paper.row["results"]
        if not rows and sum(map(ord, paper.row["id"])) % 3:
            continue
        role = {}
        for row in rows:
            for key in ("baseline_value", "value", "delta"):
                if row[key] is not None:
                    role[round(abs(float(row[key])), 4)] = key
        for reading in readings(paper.text, paper.sentences, paper.found, paper.begin):
            key = role.get(round(reading.figure.value, 4))
            figures.append((reading.signs, key is not None))
            if key in ("value", "delta"):
                deltas.append((reading.roles, key == "delta"))
    return figures, deltas


def write(path: Path, comment: str, rows: Iterable[str]) -> None:
    text = f"# {comment}; written by training/measure_rules.py.\n" + "\n".join(rows) + "\n"
    path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--gazetteer", type=Path, default=GAZETTEER)
    parser.add_argument("--out", type=Path, default=FOLDER)
    args = parser.parse_args()
    lines = args.gold.read_text(encoding="utf-8").splitlines()
    papers = [Paper(json.loads(line)) for line in lines]
    blind(papers, args.gold, args.gazetteer)
    gazetteer, phrases = Gazetteer.read(args.gazetteer), Phrases.read()
    refused = read_words(FOLDER / "refused.txt")

    finder = EntityFinder(gazetteer, phrases, Rules({}), Kinds({}), refused)
    forms = unnamed(papers, finder)
    write(args.out / "unnamed.txt", "Forms that look like names and mostly are none", forms)
    refused |= read_words(args.out / "unnamed.txt")

    shares = kinds(papers)
    rows = ["\t".join([cue, *(f"{s:.4f}" for s in row)]) for cue, row in shares.items()]
    head = "\t".join(["cue", *TYPES])
    write(args.out / "kinds.tsv", "Shares of the entity types by cue", [head, *rows])

    finder = EntityFinder(
        gazetteer, phrases, Rules({}), Kinds.read(args.out / "kinds.tsv"), refused
    )
    table = fit("entity", entity_finds(papers, finder))
    finder.rules = Rules(table)
    for paper in papers:
        paper.find(finder)
    table |= fit("introduced", introduced_finds(papers))
    for predicate, finds in sorted(relation_finds(papers, Rules(table)).items()):
        table |= fit(predicate, finds)
    figures, deltas = figure_finds(papers)
    table |= fit("figure", figures)
    table |= fit("delta", deltas)
    rows = [
        f"{name}\t{n}\t{share:.3f}\t{weight:.3f}"
        for name, (n, share, weight) in sorted(table.items())
        if abs(weight) >= 0.02 and not set(name) & set("\t\n\r\x0b\x0c\x85\u2028\u2029")
    ]
    write(args.out / "rules.tsv", "Rules", ["rule\tfinds\tprecision\tweight", *rows])


if __name__ == "__main__":
    main()
