"""Train the extractor on annotated abstracts.

    python training/train.py --gold train.jsonl --encoder DIR --layers 9 --frozen 4 --out RUN
        [--passes 6] [--held-out 250 | --fold 1/3] [--seed 1]

Writes RUN/checkpoint.pt after each pass (`--resume` goes on from it), RUN/average.pt (the averaged
weights) and RUN/record.json (data, settings, losses). `export.py` makes the files that ship.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as fn

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import (
    Example,
    Taught,
    batches,
    by_source,
    chosen,
    example,
    gazetteer,
    head_batch,
    load,
    read_batch,
    taught_example,
    without_title,
)
from encoder import Encoder, pretrained
from network import Heads, Reader
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from kg.extract.model.features import TYPES, WIDTH
from kg.extract.model.names import normal
from kg.extract.model.nodes import HeadInput, head_input
from kg.extract.model.pieces import Pieces
from kg.extract.model.reading import read_input

SPURIOUS = 6
"""Most wrong nodes that are added to a paper."""
TAUGHT = 0.7
"""Weight of a paper that teachers labelled."""


class Model(nn.Module):
    def __init__(self, reader: Reader, heads: Heads) -> None:
        super().__init__()
        self.reader, self.heads = reader, heads


def build(
    folder: Path,
    layers: int = 0,
    frozen: int = 3,
    features_at: int | None = None,
    dropout: float = 0.2,
) -> Model:
    """A fresh model on the published encoder: see `pretrained`."""
    encoder = pretrained(folder, layers, frozen, features_at=features_at)
    return Model(Reader(encoder, dropout), Heads(dropout))


@torch.no_grad()
def cache(encoder: Encoder, xs: list[Example], pieces: Pieces) -> None:
    """Keep the frozen layers' output with each example: half of the encoder's cost, spent once."""
    for i in range(0, len(xs), 16):
        part = xs[i : i + 16]
        rb = read_batch([read_input(x.page, 0, x.n, pieces) for x in part])
        with torch.autocast("cpu", torch.bfloat16):
            low = encoder.lower(rb["ids"], rb["lengths"]).to(torch.bfloat16)
        for k, x in enumerate(part):
            x.low = low[k, : int(rb["lengths"][k])].clone()


def spurious(
    x: Example, probabilities: np.ndarray, rng: random.Random, most: int
) -> list[list[tuple[int, int]]]:
    """Places of names that the model itself believes in, and that are none."""
    something = 1 - probabilities[: x.n, :, 0]
    starts, widths = np.nonzero(something > 0.1)
    cells = sorted(
        ((float(something[s, w]), int(s), int(w)) for s, w in zip(starts, widths, strict=True)),
        reverse=True,
    )[:60]
    found: dict[str, list[tuple[int, int]]] = {}
    for p, s, w in cells:
        if s + w < x.n and (s, w) not in x.gold_cells and rng.random() < 0.3 + p:
            found.setdefault(normal(x.page.norms[s : s + w + 1]), []).append((s, s + w + 1))
    return [sorted(set(v)) for v in list(found.values())[:most]]


def node_arrays(
    x: Example, probabilities: np.ndarray, rng: random.Random | None
) -> tuple[HeadInput, int]:
    """The paper's entities (some places dropped), then wrong ones; and how many are wrong. Entities
    of a taught paper may be wrong themselves, so it gets no more."""
    ents = x.entities
    if rng is not None:
        ents = [[p for p in ps if len(ps) < 2 or rng.random() > 0.15] or ps[:1] for ps in ents]
    wrong = spurious(x, probabilities, rng, SPURIOUS) if rng is not None and not x.taught else []
    every = [*ents, *wrong]
    prob = []
    for ps in every:
        rows = [probabilities[s, e - s - 1] for s, e in ps if e - s <= WIDTH]
        prob.append(np.mean(rows, 0) if rows else np.eye(7, dtype=np.float32)[0])
    return head_input(x.page, x.n, every, prob, x.figures or [(0, 1)]), len(wrong)


def entropy(scores: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Cross entropy of the scores (..., k) with distributions (..., k), weighted, summed."""
    return -((scores.log_softmax(-1) * target).sum(-1) * weight).sum()


def one_hot(k: int, n: int) -> Tensor:
    return torch.eye(n)[k]


def span_loss(spans: Tensor, xs: list[Example]) -> Tensor:
    """Cross entropy of the span scores (b, n, WIDTH, 7), by paper and about 10.7 mentions."""
    b, n = spans.shape[:2]
    target = torch.zeros(spans.shape)
    target[..., 0] = 1
    valid = torch.zeros(spans.shape[:3])
    at = torch.arange(n)[:, None] + torch.arange(WIDTH)[None]
    for i, x in enumerate(xs):
        valid[i] = (at < x.n) * trust(x)
        if x.taught:
            where = torch.from_numpy(x.taught.spans).long()
            target[i, where[:, 0], where[:, 1]] = distributions(x.taught.span_types)
        for s, w, t in x.spans:
            target[i, s, w] = one_hot(t, 7)
    return entropy(spans, target, valid) / (10.7 * b)


def trust(x: Example) -> float:
    """The weight of a paper."""
    return TAUGHT if x.taught else 1.0


@dataclass
class Targets:
    """Distributions to learn for b papers, up to e nodes and f figures, each with its weight."""

    types: Tensor
    typed: Tensor
    introduced: Tensor
    relations: Tensor
    related: Tensor
    roles: Tensor
    role: Tensor
    asides: Tensor
    links: Tensor
    link: Tensor
    evidence: list[tuple[int, int, int, int, int]]
    """(paper, head, tail, first word, past the last) where a passage is known."""


def targets(xs: list[Example], wrong: list[int], e: int, f: int) -> Targets:
    b = len(xs)
    t = Targets(
        types=torch.zeros(b, e, 7),
        typed=torch.zeros(b, e),
        introduced=torch.zeros(b, e),
        relations=one_hot(0, 8).repeat(b, e, e, 1),
        related=torch.zeros(b, e, e),
        roles=torch.zeros(b, f, 12),
        role=torch.zeros(b, f),
        asides=torch.zeros(b, f),
        links=torch.zeros(b, f, 4, e + 1),
        link=torch.zeros(b, f, 4),
        evidence=[],
    )
    for i, x in enumerate(xs):
        k = 1 + len(x.entities)
        total = k + wrong[i]
        t.typed[i, 1:total] = trust(x)
        t.related[i, :total, 1:total] = trust(x)
        t.related[i, range(total), range(total)] = 0
        t.role[i, : len(x.figures)] = trust(x)
        if x.taught:
            taught_targets(t, i, x.taught, k, e)
            continue
        for j, (kind, new) in enumerate(zip(x.types, x.introduced, strict=True), 1):
            t.types[i, j], t.introduced[i, j] = one_hot(kind, 7), float(new)
        t.types[i, k:total, 0] = 1
        for h, d, r, s, z in x.relations:
            t.relations[i, h, d] = one_hot(r, 8)
            if z > s:
                t.evidence.append((i, h, d, s, z))
        for j in range(len(x.figures)):
            t.roles[i, j, x.roles[j]] = 1
            if x.roles[j] in (1, 3):
                t.asides[i, j] = 1
                t.roles[i, j, 4 + x.directions[j]] = t.roles[i, j, 7 + x.units[j]] = 1
                for c, v in enumerate(x.links[j]):
                    if v != -1:
                        t.links[i, j, c, e if v == -2 else v] = t.link[i, j, c] = 1
    return t


def taught_targets(t: Targets, i: int, taught: Taught, k: int, e: int) -> None:
    """The teachers' answers as paper i's targets: k nodes of at most e."""
    t.types[i, 1:k] = torch.from_numpy(taught.types)
    t.introduced[i, 1:k] = torch.from_numpy(taught.introduced)
    pairs = torch.from_numpy(taught.pairs).long()
    t.relations[i, pairs[:, 0], pairs[:, 1]] = distributions(taught.relations)
    f = len(taught.figures)
    if f:
        figures, links = torch.from_numpy(taught.figures), torch.from_numpy(taught.links)
        t.roles[i, :f] = figures
        t.asides[i, :f] = (figures[:, 1] + figures[:, 3]) * TAUGHT
        t.link[i, :f] = t.asides[i, :f, None]
        t.links[i, :f, :, :k] = links[:, :-1].transpose(1, 2)
        t.links[i, :f, :, e] = links[:, -1]


def distributions(rows: np.ndarray) -> Tensor:
    """Rows of 16 bits, which sum to 1 again."""
    soft = torch.from_numpy(rows).float()
    return soft / soft.sum(-1, keepdim=True)


def read(model: Model, xs: list[Example], pieces: Pieces) -> tuple[Tensor, Tensor, Tensor]:
    """Word vectors (b, n, WORD), span scores (b, n, WIDTH, 7), and (b, n) 1 for words."""
    rb = read_batch([read_input(x.page, 0, x.n, pieces) for x in xs])
    low = nn.utils.rnn.pad_sequence([x.low for x in xs], batch_first=True)
    return *model.reader(**rb, low=low), rb["mask"]


def losses(
    model: Model, xs: list[Example], pieces: Pieces, rng: random.Random
) -> dict[str, Tensor]:
    b = len(xs)
    words, spans, mask = read(model, xs, pieces)
    out = {"span": span_loss(spans, xs)}

    with torch.no_grad():
        prob = spans.detach().softmax(-1).numpy()
    arrays, wrong = zip(*(node_arrays(x, prob[i], rng) for i, x in enumerate(xs)), strict=True)
    hb = head_batch(list(arrays))
    types, intro, rel, att, figs, links = model.heads(words, mask, **hb)
    e = types.shape[1]
    t = targets(xs, list(wrong), e, figs.shape[1])
    some = t.typed.sum().clamp(min=1)
    out["type"] = entropy(types, t.types, t.typed) / some
    new = fn.binary_cross_entropy_with_logits(intro, t.introduced, reduction="none")
    out["introduced"] = (new * t.typed).sum() / some
    out["relation"] = entropy(rel, t.relations, t.related) / (3.6 * b)
    if t.evidence:
        idx = torch.tensor(t.evidence)
        got = att[idx[:, 0], idx[:, 1], idx[:, 2]]
        at = torch.arange(got.shape[1])[None]
        inside = (at >= idx[:, 3:4]) & (at < idx[:, 4:5])
        out["evidence"] = -((got * inside).sum(-1) + 1e-4).log().mean()
    out["role"] = entropy(figs[..., :4], t.roles[..., :4], t.role) / (0.75 * b)
    out["aside"] = (
        entropy(figs[..., 4:7], t.roles[..., 4:7], t.asides)
        + entropy(figs[..., 7:], t.roles[..., 7:], t.asides)
    ) / (0.75 * b)
    real = torch.cat([hb["node_kind"][:, :e] != 3, torch.ones(b, 1, dtype=torch.bool)], 1)
    masked = links.masked_fill(~real[:, None, :, None], -1e4).transpose(2, 3)
    out["link"] = entropy(masked, t.links, t.link) / (0.75 * b)
    return out


WEIGHTS = {
    "span": 1.0,
    "type": 0.7,
    "introduced": 0.7,
    "relation": 1.0,
    "evidence": 0.1,
    "role": 0.3,
    "aside": 0.05,
    "link": 0.15,
}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def named(value: object) -> str:
    """A setting as it is recorded: of files only the names."""
    if isinstance(value, list):
        return ", ".join(map(named, value))
    return value.name if isinstance(value, Path) else str(value)


def fold(text: str) -> tuple[int, int]:
    """K/N as (K, N): the K-th of N folds, counted from 1."""
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n or n < 2:
        raise ValueError(text)
    return k, n


def rate(progress: float, warm: float) -> float:
    """Factor of the learning rate: up over the warm-up, then linearly down to 0.01."""
    return max(0.01, min(warm, 1.0, 1.03 * (1 - progress)))


def adam(
    slow: list[nn.Parameter], fast: list[nn.Parameter], slow_rate: float, fast_rate: float
) -> torch.optim.Optimizer:
    """AdamW on the encoder's weights and on the new ones; each group keeps its full rate as "base",
    of which a step takes the part that :func:`rate` says."""
    groups = [
        {"params": params, "lr": base, "base": base}
        for params, base in ((slow, slow_rate), (fast, fast_rate))
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--gold", type=Path, required=True)
    a.add_argument("--out", type=Path, required=True)
    a.add_argument("--encoder", type=Path, required=True, help="a folder: see encoder.py")
    a.add_argument("--layers", type=int, default=0, help="lowest layers to take; 0: all")
    a.add_argument("--frozen", type=int, default=3, help="how many of them keep their weights")
    a.add_argument("--passes", type=int, default=6)
    a.add_argument("--batch", type=int, default=8)
    a.add_argument("--held-out", type=int, default=250)
    a.add_argument(
        "--fold",
        type=fold,
        help="K/N: hold the K-th of N parts of the papers out instead, to cross-validate",
    )
    a.add_argument("--rate", type=float, default=1.5e-4)
    a.add_argument("--head-rate", type=float, default=8e-4)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--limit", type=int, default=0, help="use this many papers only (to try things)")
    a.add_argument(
        "--steps", type=int, default=0, help="stop after this many steps (to try things)"
    )
    a.add_argument(
        "--features-at",
        type=int,
        help="the layer that takes what is known of each word; the first trained by default",
    )
    a.add_argument("--begin", type=Path, help="averaged weights of another run to begin with")
    a.add_argument("--taught", type=Path, action="append", default=[], help="what teach.py wrote")
    a.add_argument(
        "--often",
        default="",
        help="how often papers are shown in a pass, by the first part of their id: acl=0.6,daily=2",
    )
    a.add_argument(
        "--minutes",
        type=float,
        default=0,
        help="shorten the schedule so that it ends after this time",
    )
    a.add_argument("--resume", action="store_true")
    o = a.parse_args()
    if o.features_at is None:
        o.features_at = o.frozen
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    rng = random.Random(o.seed)
    o.out.mkdir(parents=True, exist_ok=True)

    docs = load(o.gold)
    order = list(range(len(docs)))
    random.Random(7).shuffle(order)
    held = set(order[o.fold[0] - 1 :: o.fold[1]] if o.fold else order[: o.held_out])
    train = [docs[i] for i in order if i not in held]
    if o.limit:
        train = train[: o.limit]
    pieces = Pieces((o.encoder / "vocab.txt").read_text(encoding="utf-8").splitlines())
    t0 = time.time()
    gaz, shares = gazetteer(train)
    examples = [example(d, pieces, gaz, s) for d, s in zip(train, shares, strict=True)]
    bare: list[Example | None] = []
    for d, s in zip(train, shares, strict=True):
        cut = without_title(d) if rng.random() < 0.6 else None
        bare.append(example(cut, pieces, gaz, s) if cut else None)
    for path in o.taught:
        for one in torch.load(path, weights_only=False):
            examples.append(taught_example(Taught(**one), pieces, gaz))
            bare.append(None)
    print(f"{len(examples)} papers read in {time.time() - t0:.0f} s; {len(gaz)} names", flush=True)
    (o.out / "gazetteer.json").write_text(json.dumps(gaz, ensure_ascii=False))
    (o.out / "held_out.json").write_text(json.dumps(sorted(docs[i]["id"] for i in held)))

    model = build(o.encoder, o.layers, o.frozen, o.features_at)
    if o.begin:
        model.load_state_dict(torch.load(o.begin))
    t0 = time.time()
    everything = sorted([*examples, *(x for x in bare if x)], key=lambda x: x.n)
    cache(model.reader.encoder, everything, pieces)
    print(f"frozen layers run in {time.time() - t0:.0f} s", flush=True)
    average = copy.deepcopy(model)
    slow = [p for p in model.reader.encoder.parameters() if p.requires_grad]
    ids = {id(p) for p in slow}
    fast = [p for p in model.parameters() if p.requires_grad and id(p) not in ids]
    optimizer = adam(slow, fast, o.rate, o.head_rate)
    often = by_source(o.often)
    per_pass = -(-len(chosen(examples, often, random.Random(0))) // o.batch)
    total, step, first = per_pass * o.passes, 0, 0
    history: list[dict] = []
    if o.resume and (o.out / "checkpoint.pt").exists():
        c = torch.load(o.out / "checkpoint.pt", weights_only=False)
        model.load_state_dict(c["model"])
        average.load_state_dict(c["average"])
        optimizer.load_state_dict(c["optimizer"])
        step, first, history = c["step"], c["pass"], c["history"]
        rng.setstate(c["rng"])
        torch.set_rng_state(c["torch_rng"])
    begun = time.time()

    def progress() -> float:
        spent = (time.time() - begun) / 60 / o.minutes if o.minutes else 0.0
        return max(step / total, spent)

    pairs = [
        (p, q)
        for p, q in zip(model.parameters(), average.parameters(), strict=True)
        if p.requires_grad
    ]
    for k in range(first, o.passes):
        model.train()
        sums: dict[str, float] = {}
        count, t0 = 0, time.time()
        for batch in batches(examples, chosen(examples, often, rng), o.batch, rng):
            for g in optimizer.param_groups:
                g["lr"] = g["base"] * rate(progress(), step / max(1, total // 20))
            xs = []
            for i in batch:
                other = bare[i]
                xs.append(other if other is not None and rng.random() < 0.35 else examples[i])
            with torch.autocast("cpu", torch.bfloat16):
                parts = losses(model, xs, pieces, rng)
            loss = sum(WEIGHTS[n] * v for n, v in parts.items())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(slow + fast, 2.0)
            optimizer.step()
            step += 1
            decay = min(0.998, (step + 1) / (step + 10))
            with torch.no_grad():
                torch._foreach_lerp_([q for _, q in pairs], [p for p, _ in pairs], 1 - decay)
            for n, v in parts.items():
                sums[n] = sums.get(n, 0.0) + float(v.detach())
            count += 1
            if count % 25 == 0:
                shown = " ".join(f"{n} {v / count:.3f}" for n, v in sums.items())
                print(
                    f"pass {k + 1} {count}/{per_pass} {(time.time() - t0) / count:.2f} s | {shown}",
                    flush=True,
                )
            if (o.steps and step >= o.steps) or progress() >= 1:
                break
        history.append(
            {
                "pass": k + 1,
                "minutes": round((time.time() - t0) / 60, 1),
                **{n: round(v / count, 4) for n, v in sums.items()},
            }
        )
        torch.save(
            {
                "model": model.state_dict(),
                "average": average.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step,
                "pass": k + 1,
                "history": history,
                "rng": rng.getstate(),
                "torch_rng": torch.get_rng_state(),
            },
            o.out / "checkpoint.tmp",
        )
        (o.out / "checkpoint.tmp").replace(o.out / "checkpoint.pt")
        torch.save(average.state_dict(), o.out / "average.tmp")
        (o.out / "average.tmp").replace(o.out / "average.pt")
        record = {
            "gold": {"file": o.gold.name, "sha256": digest(o.gold), "papers": len(docs)},
            "encoder": digest(o.encoder / "model.safetensors"),
            "begin": digest(o.begin) if o.begin else None,
            "taught": {path.name: digest(path) for path in o.taught},
            "settings": {n: named(v) for n, v in vars(o).items()},
            "weights": WEIGHTS,
            "steps": step,
            "history": history,
            "types": TYPES,
            "torch": torch.__version__,
        }
        (o.out / "record.json").write_text(json.dumps(record, indent=1))
        print(f"pass {k + 1} done in {(time.time() - t0) / 60:.1f} min", flush=True)
        if (o.steps and step >= o.steps) or progress() >= 1:
            break


if __name__ == "__main__":
    main()
