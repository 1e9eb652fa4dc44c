"""Further pre-training: let the encoder guess masked words of abstracts that nobody annotated.

    python training/pretrain.py --encoder bge --layers 9 --frozen 4 --without train.jsonl
        --without dev.jsonl --steps 600 --out bge-ml PAPERS...

PAPERS are files in any format that `kg build` reads. Writes a folder that the other scripts take as
`--encoder`, with the loss (nats a masked word piece, on papers kept aside) in `pretrain.json`.
Words are masked whole: 15 % of them, of which 80 % become the mask, 10 % others, 10 % stay.
The guess is made by one layer and the encoder's own embeddings, which keep their weights as the
`--frozen` lowest layers do, so what this teaches fits the training that follows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
import torch.nn.functional as fn
from encoder import Encoder, pretrained, store
from teach import papers
from torch import Tensor, nn
from train import adam, rate

sys.path.insert(0, str(Path(__file__).parent.parent))
from kg.extract.model.pieces import Pieces
from kg.extract.words import words

SHARE = 0.15
ASIDE = 256
"""Papers to measure on."""

Text = list[tuple[int, ...]]
"""The word pieces of each word."""


class Guess(nn.Module):
    """Vectors (k, d) of masked places to scores (k, vocabulary)."""

    def __init__(self, embeddings: nn.Embedding) -> None:
        super().__init__()
        size, width = embeddings.weight.shape
        self.embeddings = [embeddings]  # in a list: they are the encoder's parameters
        self.dense, self.norm = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(fn.gelu(self.dense(x)))
        return x @ self.embeddings[0].weight.T.to(x.dtype) + self.bias


def cut(text: str, pieces: Pieces, most: int) -> Text:
    """The first words of a text, `most` pieces of them."""
    out: Text = []
    total = 0
    for s, e in words(text):
        own = pieces.split(text[s:e])
        total += len(own)
        if total > most:
            break
        out.append(own)
    return out


def masked(
    texts: list[Text], pieces: Pieces, mask: int, size: int, rng: random.Random
) -> tuple[Tensor, Tensor, Tensor]:
    """Ids (b, p) with some words masked, lengths (b,), and the pieces to guess (b, p), -1 for the
    others."""
    rows, targets = [], []
    for text in texts:
        ids, target = [pieces.cls], [-1]
        for word in text:
            if rng.random() >= SHARE:
                ids += word
                target += [-1] * len(word)
                continue
            dice = rng.random()
            target += word
            ids += [
                mask if dice < 0.8 else rng.randrange(1000, size) if dice < 0.9 else p for p in word
            ]
        rows.append(torch.tensor([*ids, pieces.sep]))
        targets.append(torch.tensor([*target, -1]))
    lengths = torch.tensor([len(r) for r in rows])
    pad = nn.utils.rnn.pad_sequence
    return pad(rows, True), lengths, pad(targets, True, -1)


def loss(
    encoder: Encoder, guess: Guess, batch: tuple[Tensor, Tensor, Tensor]
) -> tuple[Tensor, int]:
    """Mean cross entropy of the masked pieces, and how many there are."""
    ids, lengths, target = batch
    with torch.autocast("cpu", torch.bfloat16):
        with torch.no_grad():
            low = encoder.lower(ids, lengths)
        x = encoder.upper(low, lengths, torch.zeros((), dtype=low.dtype))
        where = target >= 0
        scores = guess(x[where])
    return fn.cross_entropy(scores.float(), target[where]), int(where.sum())


def shown(texts: list[Text], size: int, rng: random.Random) -> Iterator[list[Text]]:
    """Batches of texts of like length, without end."""
    while True:
        order = rng.sample(texts, len(texts))
        for i in range(0, len(order), 8 * size):
            part = sorted(order[i : i + 8 * size], key=lambda t: sum(map(len, t)))
            parts = [part[k : k + size] for k in range(0, len(part), size)]
            yield from rng.sample(parts, len(parts))


@torch.no_grad()
def measure(encoder: Encoder, guess: Guess, batches: list[tuple[Tensor, Tensor, Tensor]]) -> float:
    encoder.eval()
    parts = [loss(encoder, guess, b) for b in batches]
    encoder.train()
    return sum(float(v) * n for v, n in parts) / sum(n for _, n in parts)


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("papers", type=Path, nargs="+")
    a.add_argument("--encoder", type=Path, required=True, help="a folder: see encoder.py")
    a.add_argument("--layers", type=int, default=0, help="lowest layers to take; 0: all")
    a.add_argument("--frozen", type=int, default=4, help="how many of them keep their weights")
    a.add_argument("--without", type=Path, action="append", default=[])
    a.add_argument("--most", type=int, default=0, help="papers; 0: all")
    a.add_argument("--steps", type=int, default=600)
    a.add_argument("--batch", type=int, default=16)
    a.add_argument("--pieces", type=int, default=320, help="of each paper, at most")
    a.add_argument("--rate", type=float, default=2e-4)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--out", type=Path, required=True)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    rng = random.Random(o.seed)
    vocabulary = (o.encoder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    pieces, mask = Pieces(vocabulary), vocabulary.index("[MASK]")
    found = papers(o.papers, o.without, o.most)
    texts = [t for t in (cut(text, pieces, o.pieces) for text in found) if t]
    aside, texts = texts[:ASIDE], texts[ASIDE:]
    print(f"{len(texts)} papers to learn from, {len(aside)} to measure on", flush=True)

    def batch(of: list[Text], dice: random.Random) -> tuple[Tensor, Tensor, Tensor]:
        return masked(of, pieces, mask, len(vocabulary), dice)

    still = random.Random(0)
    tests = [batch(aside[k : k + 16], still) for k in range(0, len(aside), 16)]
    encoder = pretrained(o.encoder, o.layers, o.frozen)
    guess = Guess(encoder.words)
    slow = [p for p in encoder.parameters() if p.requires_grad]
    fast = list(guess.parameters())
    optimizer = adam(slow, fast, o.rate, 5 * o.rate)
    encoder.train()
    begun, total = time.time(), 0.0
    for step, part in zip(range(o.steps), shown(texts, o.batch, rng), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = group["base"] * rate(step / o.steps, (step + 1) / (0.06 * o.steps + 1))
        value, _ = loss(encoder, guess, batch(part, rng))
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_([*slow, *fast], 1.0)
        optimizer.step()
        total += float(value.detach())
        if (step + 1) % 25 == 0:
            each = (time.time() - begun) / (step + 1)
            print(f"{step + 1} of {o.steps}, {each:.2f} s each, loss {total / 25:.3f}", flush=True)
            total = 0.0
    store(encoder, o.encoder, o.out)
    record = {
        "steps": o.steps,
        "batch": o.batch,
        "papers": len(texts),
        "seed": o.seed,
        "loss": round(measure(encoder, guess, tests), 4),
    }
    (o.out / "pretrain.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record))


if __name__ == "__main__":
    main()
