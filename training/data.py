"""From annotated abstracts to training examples and batches."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from kg.extract.model.decode import RELATIONS
from kg.extract.model.features import (
    KEY_WIDTH,
    TYPES,
    WIDTH,
    Page,
    names_in,
    read_page,
)
from kg.extract.model.figures import figures
from kg.extract.model.names import normal, normal_word
from kg.extract.model.nodes import HeadInput, figure_words
from kg.extract.model.pieces import Pieces
from kg.extract.model.reading import ReadInput, windows
from kg.extract.model.results import DIRECTIONS, ROLES, UNITS
from kg.extract.sentences import sentences
from kg.extract.words import words

LINK_KEYS = ("head", "benchmark", "metric", "baseline")


def load(path: Path) -> list[dict]:
    return [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def held_out(path: Path) -> set[str]:
    """The ids of the papers that a run held out, from its held_out.json."""
    return set(json.loads(path.read_text(encoding="utf-8")))


def without_title(doc: dict) -> dict | None:
    """The same annotations on the abstract alone; None if there is no title."""
    cut = doc["text"].find("\n\n")
    if not 0 < cut < 300:
        return None
    k = cut + 2
    ents = []
    for e in doc["entities"]:
        ms = [
            {**m, "start": m["start"] - k, "end": m["end"] - k}
            for m in e["mentions"]
            if m["start"] >= k
        ]
        if ms:
            ents.append({**e, "mentions": ms})
    names = {e["name"] for e in ents} | {"PAPER"}

    def move(ev: dict) -> dict:
        return {"start": ev["start"] - k, "end": ev["end"] - k}

    rels = [
        {**r, "evidence": move(r["evidence"])}
        for r in doc["relations"]
        if r["head"] in names and r["tail"] in names and r["evidence"]["start"] >= k
    ]
    res = [
        {**r, "evidence": move(r["evidence"])}
        for r in doc["results"]
        if r["evidence"]["start"] >= k and all(r.get(x) is None or r[x] in names for x in LINK_KEYS)
    ]
    return {**doc, "text": doc["text"][k:], "entities": ents, "relations": rels, "results": res}


def own_counts(doc: dict) -> tuple[dict[str, set[int]], set[str]]:
    """(normal name to its types in this paper, all normal names that its text contains)."""
    text = doc["text"]
    spans = words(text)
    norms = [normal_word(text[s:e]) for s, e in spans]
    sents = sentences(text)
    sentence = np.zeros(len(spans), np.int64)
    at = 0
    for i, (s, _) in enumerate(spans):
        while at + 1 < len(sents) and s >= sents[at][1]:
            at += 1
        sentence[i] = at
    typed: dict[str, set[int]] = {}
    for e in doc["entities"]:
        for m in e["mentions"]:
            ws = [normal_word(m["text"][s:t]) for s, t in words(m["text"])]
            if len(ws) <= KEY_WIDTH:
                typed.setdefault(normal(ws), set()).add(TYPES.index(e["type"]))
    return typed, set(names_in(norms, sentence))


def gazetteer(
    docs: list[dict],
) -> tuple[dict[str, tuple[int, ...]], list[dict[str, tuple[int, ...]]]]:
    """Counts over all papers, and each paper's own share of them."""
    own = [own_counts(d) for d in docs]
    counts: dict[str, list[int]] = {}
    for typed, _ in own:
        for key, types in typed.items():
            row = counts.setdefault(key, [0] * 7)
            for t in types:
                row[t] += 1
    shares: list[dict[str, tuple[int, ...]]] = []
    for typed, found in own:
        share = {}
        for key in (found | set(typed)) & counts.keys():
            counts[key][6] += 1
            share[key] = (*(int(t in typed.get(key, ())) for t in range(6)), 1)
        shares.append(share)
    return {k: tuple(v) for k, v in counts.items()}, shares


@dataclass
class Taught:
    """What the teachers make of one text: e entities (without the paper), f figures.

    `spans`: (k, 2) first word and width - 1, with `span_types` (k, 7). `places`: of each entity.
    `types` (e, 7), `introduced` (e,). `pairs`: (p, 2) of nodes, 0 the paper, with `relations`
    (p, 8). `figures` (f, 12): three distributions side by side; `links` (f, e + 2, 4), the last row
    for none. All are probabilities.
    """

    text: str
    spans: np.ndarray
    span_types: np.ndarray
    places: list[list[tuple[int, int]]]
    types: np.ndarray
    introduced: np.ndarray
    pairs: np.ndarray
    relations: np.ndarray
    figures: np.ndarray
    links: np.ndarray


@dataclass
class Example:
    doc: dict
    page: Page
    n: int
    spans: list[tuple[int, int, int]]
    entities: list[list[tuple[int, int]]]
    types: list[int]
    introduced: list[bool]
    relations: list[tuple[int, int, int, int, int]]
    figures: list[tuple[int, int]]
    roles: list[int]
    directions: list[int]
    units: list[int]
    links: list[tuple[int, int, int, int]]
    gold_cells: set[tuple[int, int]] = field(default_factory=set)
    low: torch.Tensor | None = None
    """(pieces, d) what the encoder's frozen layers make of the text, bfloat16."""
    taught: Taught | None = None
    """Probabilities to learn instead of annotations."""


def example(doc: dict, pieces: Pieces, gaz: dict, own: dict | None) -> Example:
    page = read_page(doc["text"], pieces, gaz, own)
    n = windows(page)[0][1] if page.spans else 0
    start = {s: i for i, (s, _) in enumerate(page.spans[:n])}
    end = {e: i + 1 for i, (_, e) in enumerate(page.spans[:n])}
    spans, entities, types, introduced, index = [], [], [], [], {"PAPER": 0}
    for e in doc["entities"]:
        t = TYPES.index(e["type"])
        places = sorted(
            (start[m["start"]], end[m["end"]])
            for m in e["mentions"]
            if m["start"] in start and m["end"] in end
        )
        for s, x in places:
            if x - s <= WIDTH:
                spans.append((s, x - s - 1, t + 1))
        if places:
            index[e["name"]] = len(entities) + 1
            entities.append(places)
            types.append(t + 1)
            introduced.append(bool(e["introduced"]))
    relations = []
    for r in doc["relations"]:
        if r["head"] in index and r["tail"] in index:
            a, b = r["evidence"]["start"], r["evidence"]["end"]
            ws = [i for i in range(n) if a <= page.spans[i][0] < b]
            relations.append(
                (
                    index[r["head"]],
                    index[r["tail"]],
                    RELATIONS.index(r["type"]) + 1,
                    ws[0] if ws else 0,
                    ws[-1] + 1 if ws else 0,
                )
            )
    places, roles, directions, units, links, raw = [], [], [], [], [], []
    for f in figures(doc["text"]):
        p = figure_words(page, f.start, f.end)
        if p[1] <= n:
            places.append(p)
            raw.append(f)
            roles.append(0)
            directions.append(0)
            units.append(0)
            links.append((-1, -1, -1, -1))
    for r in doc["results"]:
        for role in (1, 3, 2):
            v = r.get(ROLES[role])
            if v is None:
                continue
            for k, f in enumerate(raw):
                inside = r["evidence"]["start"] <= f.start < r["evidence"]["end"]
                if inside and roles[k] == 0 and abs(f.value - abs(float(v))) < 1e-6:
                    roles[k] = role
                    directions[k] = DIRECTIONS.index(r["direction"])
                    units[k] = UNITS.index(r["unit"]) if r["unit"] in UNITS else 0
                    links[k] = tuple(index.get(r.get(x), -1) if r.get(x) else -2 for x in LINK_KEYS)
                    break
    return Example(
        doc,
        page,
        n,
        spans,
        entities,
        types,
        introduced,
        relations,
        places,
        roles,
        directions,
        units,
        links,
        {(s, w) for s, w, _ in spans},
    )


def taught_example(taught: Taught, pieces: Pieces, gaz: dict) -> Example:
    """A paper that teachers labelled: what they chose as entities, and figures, without answers."""
    page = read_page(taught.text, pieces, gaz, None)
    numbers = [figure_words(page, f.start, f.end) for f in figures(taught.text)]
    return Example(
        {"id": "taught", "text": taught.text},
        page,
        windows(page)[0][1],
        spans=[],
        entities=taught.places,
        types=[],
        introduced=[],
        relations=[],
        figures=numbers,
        roles=[],
        directions=[],
        units=[],
        links=[],
        taught=taught,
    )


def by_source(option: str) -> dict[str, float]:
    """Read "acl=0.6,daily=2": a number for the papers whose id begins so."""
    return {k: float(v) for k, _, v in (x.partition("=") for x in option.split(",") if x)}


def source(doc: dict) -> str:
    """The first part of a paper's id: "acl" of "acl-2022.acl-long.52"."""
    return doc["id"].partition("-")[0]


def chosen(examples: list[Example], often: dict[str, float], rng: random.Random) -> list[int]:
    """The examples of one pass: each as often as `often` says of its source (default 1); 0.4 is a
    chance of 0.4."""
    out = []
    for i, x in enumerate(examples):
        times = often.get(source(x.doc), 1.0)
        out += [i] * (int(times) + (rng.random() < times % 1))
    return out


def batches(
    examples: list[Example], which: list[int], size: int, rng: random.Random
) -> list[list[int]]:
    """Indices in batches of like length."""
    order = list(which)
    rng.shuffle(order)
    out = []
    for i in range(0, len(order), size * 24):
        part = sorted(order[i : i + size * 24], key=lambda k: examples[k].n)
        out += [part[j : j + size] for j in range(0, len(part), size)]
    rng.shuffle(out)
    return out


def _pad(arrays: list[np.ndarray], value: float = 0) -> torch.Tensor:
    shape = tuple(max(a.shape[k] for a in arrays) for k in range(arrays[0].ndim))
    out = np.full((len(arrays), *shape), value, arrays[0].dtype)
    for i, a in enumerate(arrays):
        out[(i, *[slice(0, s) for s in a.shape])] = a
    return torch.from_numpy(out)


def read_batch(inputs: list[ReadInput]) -> dict[str, torch.Tensor]:
    out = {
        k: _pad([getattr(x, k) for x in inputs])
        for k in ("ids", "home", "first", "pool", "hashes", "flags", "known")
    }
    out["lengths"] = torch.tensor([len(x.ids) for x in inputs])
    out["mask"] = _pad([np.ones(len(x.first), np.float32) for x in inputs])
    return out


def head_batch(inputs: list[HeadInput]) -> dict[str, torch.Tensor]:
    """Pads entities and figures apart, so that all papers' figures begin at the same node."""
    e = max(x.near.shape[0] for x in inputs)
    f = max(x.f_near.shape[0] for x in inputs)
    m = max(len(x.start) for x in inputs)
    b = len(inputs)
    node = np.zeros((b, e + f, m), np.float32)
    info = np.zeros((b, e + f, inputs[0].info.shape[1]), np.float32)
    kind = np.full((b, e + f), 3, np.int64)
    for i, x in enumerate(inputs):
        k, g = x.near.shape[0], x.f_near.shape[0]
        p = len(x.start)
        for to, frm, c in ((0, 0, k), (e, k, g)):
            node[i, to : to + c, :p] = x.node[frm : frm + c]
            info[i, to : to + c] = x.info[frm : frm + c]
            kind[i, to : to + c] = x.kind[frm : frm + c]
    return {
        "m_start": _pad([x.start for x in inputs]),
        "m_end": _pad([x.end for x in inputs]),
        "m_node": torch.from_numpy(node),
        "node_info": torch.from_numpy(info),
        "node_kind": torch.from_numpy(kind),
        "near": _pad([x.near for x in inputs], 26),
        "stand": _pad([x.stand for x in inputs]),
        "f_stand": _pad([x.f_stand for x in inputs]),
        "f_near": _pad([x.f_near for x in inputs], 26),
    }
