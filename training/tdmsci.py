"""Compare the reader with published figures: train it on TDMSci, test on its test split.

    python training/tdmsci.py --data TDMSCI --encoder DIR [--layers 9 --frozen 4] [--from RUN]

TDMSCI holds `train.jsonl` and `test.jsonl`: a sentence a line, `text` and `entities` (`start`,
`end`, `label`: Task, Dataset or Metric). The network's first half alone, names known from the train
split only. `--from` begins with the weights of a run on abstracts instead of the published ones.
`--tags` decides for each word (begin, inside, outside) instead of for each span.
Prints strict F1 (both borders and the type) for each seed, the mean, and the spread.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as fn
from data import Example, batches, example, gazetteer, load
from network import WORD
from torch import nn
from train import Model, adam, build, cache, rate, read, span_loss

from kg.extract.model.features import TYPES
from kg.extract.model.pieces import Pieces

Span = tuple[int, int, str]


def as_paper(doc: dict) -> dict:
    """A sentence in the form of an annotated abstract: each mention is an entity of its own."""
    entities = [
        {
            "name": f"{m['text']}/{k}",
            "type": m["label"],
            "introduced": False,
            "mentions": [{"start": m["start"], "end": m["end"], "text": m["text"]}],
        }
        for k, m in enumerate(doc["entities"])
    ]
    return {**doc, "entities": entities, "relations": [], "results": []}


def tag_loss(tags: torch.Tensor, xs: list[Example]) -> torch.Tensor:
    """Cross entropy of tags (b, n, 13): outside, six types at their begin, six inside."""
    target = torch.full(tags.shape[:2], -1)
    for i, x in enumerate(xs):
        target[i, : x.n] = 0
        for s, w, t in x.spans:
            target[i, s : s + w + 1] = t + 6
            target[i, s] = t
    return fn.cross_entropy(tags.float().flatten(0, 1), target.flatten(), ignore_index=-1)


@torch.no_grad()
def predict_tags(model: Model, tagger: nn.Linear, xs: list[Example], pieces: Pieces) -> list[set]:
    model.eval()
    out: list[set[Span]] = []
    for x in xs:
        with torch.autocast("cpu", torch.bfloat16):
            row = tagger(read(model, [x], pieces)[0])[0, : x.n].argmax(-1).tolist()
        found: list[list[int]] = []
        for k, tag in enumerate(row):
            kind = (tag - 1) % 6 + 1
            if tag > 6 and found and found[-1][1:] == [k, kind]:
                found[-1][1] = k + 1
            elif tag:
                found.append([k, k + 1, kind])
        spans = x.page.spans
        out.append({(spans[s][0], spans[e - 1][1], TYPES[t - 1]) for s, e, t in found})
    return out


@torch.no_grad()
def predict(model: Model, xs: list[Example], pieces: Pieces, least: float) -> list[set[Span]]:
    model.eval()
    out: list[set[Span]] = []
    for x in xs:
        found: set[Span] = set()
        with torch.autocast("cpu", torch.bfloat16):
            p = read(model, [x], pieces)[1][0].float().softmax(-1).numpy()
        free = np.ones(x.n, bool)
        starts, widths = np.nonzero(1 - p[..., 0] >= least)
        cells = sorted((p[s, w, 0], s, w) for s, w in zip(starts, widths, strict=True))
        for _, s, w in cells:
            if s + w < x.n and free[s : s + w + 1].all():
                free[s : s + w + 1] = False
                kind = TYPES[int(p[s, w, 1:].argmax())]
                found.add((x.page.spans[s][0], x.page.spans[s + w][1], kind))
        out.append(found)
    return out


def f1(gold: list[set[Span]], got: list[set[Span]]) -> dict[str, float]:
    """Micro-averaged, over all and for each type."""
    right, all_gold, all_got = Counter(), Counter(), Counter()
    for g, p in zip(gold, got, strict=True):
        for counter, spans in ((right, g & p), (all_gold, g), (all_got, p)):
            for *_, kind in spans:
                counter.update((kind, "all"))
    return {k: round(2 * right[k] / (all_gold[k] + all_got[k]), 4) for k in sorted(all_gold)}


def run(
    train: list[Example],
    test: list[Example],
    gold: list[set[Span]],
    pieces: Pieces,
    o: argparse.Namespace,
    seed: int,
) -> dict[str, float]:
    torch.manual_seed(seed)
    rng = random.Random(seed)
    everything = list(range(len(train)))
    model = build(o.encoder, o.layers, o.frozen)
    tagger = nn.Linear(WORD, 13)
    if o.begin:
        model.load_state_dict(torch.load(o.begin / "average.pt", weights_only=True))
    cache(model.reader.encoder, sorted([*train, *test], key=lambda x: x.n), pieces)
    slow = [p for p in model.reader.encoder.parameters() if p.requires_grad]
    ids = {id(p) for p in slow}
    fast = [p for p in model.reader.parameters() if p.requires_grad and id(p) not in ids]
    fast += tagger.parameters()
    optimizer = adam(slow, fast, o.rate, o.head_rate)
    total, step = o.passes * len(batches(train, everything, o.batch, random.Random(0))), 0
    for _ in range(o.passes):
        model.train()
        for batch in batches(train, everything, o.batch, rng):
            for g in optimizer.param_groups:
                g["lr"] = g["base"] * rate(step / total, step / (total / 10))
            xs = [train[i] for i in batch]
            with torch.autocast("cpu", torch.bfloat16):
                words, spans, _ = read(model, xs, pieces)
                loss = tag_loss(tagger(words), xs) if o.tags else span_loss(spans, xs)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(slow + fast, 2.0)
            optimizer.step()
            step += 1
    if o.tags:
        return f1(gold, predict_tags(model, tagger, test, pieces))
    return f1(gold, predict(model, test, pieces, 0.5))


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--data", type=Path, required=True)
    a.add_argument("--encoder", type=Path, required=True)
    a.add_argument("--layers", type=int, default=0)
    a.add_argument("--frozen", type=int, default=3)
    a.add_argument("--from", dest="begin", type=Path)
    a.add_argument("--tags", action="store_true", help="tag words instead of scoring spans")
    a.add_argument("--passes", type=int, default=10)
    a.add_argument("--batch", type=int, default=16)
    a.add_argument("--rate", type=float, default=1.5e-4)
    a.add_argument("--head-rate", type=float, default=8e-4)
    a.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    a.add_argument("--threads", type=int, default=2)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    pieces = Pieces((o.encoder / "vocab.txt").read_text(encoding="utf-8").splitlines())
    train_docs = [as_paper(d) for d in load(o.data / "train.jsonl")]
    test_docs = load(o.data / "test.jsonl")
    gold = [{(m["start"], m["end"], m["label"]) for m in d["entities"]} for d in test_docs]
    names, shares = gazetteer(train_docs)
    train = [example(d, pieces, names, s) for d, s in zip(train_docs, shares, strict=True)]
    test = [example(as_paper(d), pieces, names, None) for d in test_docs]
    print(f"{len(train)} and {len(test)} sentences, {len(names)} names", flush=True)
    rows = []
    for seed in o.seeds:
        begun = time.time()
        rows.append(run(train, test, gold, pieces, o, seed))
        print(f"seed {seed}: {rows[-1]} in {time.time() - begun:.0f} s", flush=True)
    for kind in rows[0]:
        got = [r[kind] for r in rows]
        spread = statistics.stdev(got) if len(got) > 1 else 0.0
        print(f"{kind}: {statistics.mean(got):.4f} ± {spread:.4f}")


if __name__ == "__main__":
    main()
