"""Which encoder, and how many of its layers? A linear tagger on each layer's output, none trained.

    python training/probe.py --gold train.jsonl --encoder DIR [--encoder DIR …] [--layers 6 9 12]

Trains on 700 papers and tests on 200 others (drawn by the seed): F1 of mentions with their types,
and the loss by word. A layer that tells more without training is a better one to build on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as fn

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import load, read_batch
from encoder import pretrained

from kg.extract.model.features import TYPES, Page, read_page
from kg.extract.model.pieces import Pieces
from kg.extract.model.reading import ReadInput, read_input

TAGS = 2 * len(TYPES) + 1
"""0: outside; 1 + 2 t: first word of type t; 2 + 2 t: a later one."""


def tags(doc: dict, page: Page, n: int) -> np.ndarray:
    starts = {s: i for i, (s, _) in enumerate(page.spans)}
    ends = {e: i for i, (_, e) in enumerate(page.spans)}
    out = np.zeros(n, int)
    for e in doc["entities"]:
        for m in e["mentions"]:
            a, b = starts.get(m["start"]), ends.get(m["end"])
            if a is not None and b is not None and b < n:
                out[a] = 1 + 2 * TYPES.index(e["type"])
                out[a + 1 : b + 1] = out[a] + 1
    return out


def mentions(row: np.ndarray) -> set[tuple[int, int, int]]:
    out, i = set(), 0
    while i < len(row):
        j = i + 1
        if row[i] % 2:
            while j < len(row) and row[j] == row[i] + 1:
                j += 1
            out.add((i, j, int(row[i])))
        i = j
    return out


@torch.no_grad()
def vectors(folder: Path, inputs: list[ReadInput], layers: list[int]) -> dict[int, list]:
    """Layer to the vectors (n, 2 d) of each paper's words: first piece, and mean of the pieces."""
    encoder = pretrained(folder, frozen=99, dropout=0.0).eval()
    out: dict[int, list] = {k: [None] * len(inputs) for k in layers}
    order = sorted(range(len(inputs)), key=lambda i: len(inputs[i].ids))
    for at in range(0, len(order), 16):
        part = order[at : at + 16]
        rb = read_batch([inputs[i] for i in part])
        n = rb["ids"].shape[1]
        mask = encoder.mask(n, rb["lengths"])
        with torch.autocast("cpu", torch.bfloat16):
            x = encoder.norm(encoder.words(rb["ids"]) + encoder.places.weight[:n] + encoder.kind)
            for k, layer in enumerate(encoder.layers, 1):
                x = layer(x, mask)
                if k in out:
                    for row, i in enumerate(part):
                        z, pool = x[row].float(), torch.as_tensor(inputs[i].pool)
                        first = z[torch.as_tensor(inputs[i].first)]
                        out[k][i] = torch.cat([first, pool @ z[: pool.shape[1]]], -1)
    return out


def probe(
    vectors: list[torch.Tensor], gold: list[np.ndarray], cut: int, seed: int
) -> tuple[float, float]:
    torch.manual_seed(seed)
    x, y = torch.cat(vectors[:cut]), torch.tensor(np.concatenate(gold[:cut]))
    middle, spread = x.mean(0), x.std(0) + 1e-3
    x = (x - middle) / spread
    linear = torch.nn.Linear(x.shape[1], TAGS)
    optimizer = torch.optim.Adam(linear.parameters(), 2e-3)
    for _ in range(6):
        for batch in torch.randperm(len(x)).split(512):
            loss = fn.cross_entropy(linear(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    right = wrong = words = 0
    total = 0.0
    with torch.no_grad():
        for v, row in zip(vectors[cut:], gold[cut:], strict=True):
            z = linear((v - middle) / spread)
            total += float(fn.cross_entropy(z, torch.tensor(row), reduction="sum"))
            words += len(row)
            a, b = mentions(z.argmax(-1).numpy()), mentions(row)
            right += 2 * len(a & b)
            wrong += len(a) + len(b)
    return right / wrong, total / words


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--gold", type=Path, required=True)
    a.add_argument("--encoder", type=Path, action="append", required=True)
    a.add_argument("--layers", type=int, nargs="+", default=[6, 8, 9, 10, 12])
    a.add_argument("--seed", type=int, default=3)
    o = a.parse_args()
    docs = load(o.gold)
    random.Random(o.seed).shuffle(docs)
    docs = docs[:900]
    for folder in o.encoder:
        pieces = Pieces((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
        depth = json.loads((folder / "config.json").read_text())["num_hidden_layers"]
        pages = [read_page(d["text"], pieces, {}) for d in docs]
        inputs = [read_input(p, 0, min(len(p.spans), 300), pieces) for p in pages]
        gold = [tags(d, p, len(x.first)) for d, p, x in zip(docs, pages, inputs, strict=True)]
        layers = [k for k in o.layers if k <= depth]
        for k, found in vectors(folder, inputs, layers).items():
            score, loss = probe(found, gold, 700, o.seed)
            print(f"{folder.name} layer {k}: F1 {score:.3f}, loss {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
