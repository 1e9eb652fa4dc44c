"""Let trained models label papers that nobody annotated, for the next model to learn from.

    python training/teach.py --teacher DIR [--teacher DIR] [--without GOLD.jsonl] [--most 1000]
        --out taught.pt PAPERS...

PAPERS are files in any format that `kg build` reads; those that a file of `--without` has are left
out, so nothing that is measured on is learnt from. The teachers' probabilities are averaged, over
spans first, then over the nodes that are chosen by the averaged spans. `train.py --taught` takes
the result. Export the teachers without `--gold`: a name that only a held-out paper has must not
reach the new model through them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import Taught, load

import kg.read
from kg.extract.document import border
from kg.extract.model.decode import Settings
from kg.extract.model.extractor import Extractor
from kg.extract.model.figures import figures
from kg.extract.model.grouping import groups
from kg.extract.model.long import parts
from kg.extract.model.reading import windows
from kg.extract.model.results import softmax

SURE = 0.02
"""Spans and pairs that are something with less than this probability are nothing."""
FIGURE_ANSWERS = ((0, 4), (4, 7), (7, 12))
"""Role, direction, unit: columns of the network's figure answers."""


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _mean(xs: list[np.ndarray]) -> np.ndarray:
    return np.mean(xs, 0).astype(np.float32)


def teach(teachers: list[Extractor], text: str) -> Taught | None:
    """What the teachers think, on average; None for a text that is empty or read in parts."""
    if len(parts(text)) > 1:
        return None
    read = [t.read(text) for t in teachers]
    page = read[0][0]
    if not page.spans or len(windows(page)) > 1:
        return None
    spans = _mean([r[1] for r in read])
    own = Settings()
    found = groups(page, spans, own.span_low, own.share)
    numbers = figures(text)
    if not found:
        return None
    answers = [t.answer(r[0], r[2], found, numbers) for t, r in zip(teachers, read, strict=True)]
    at = np.argwhere(1 - spans[..., 0] > SURE)
    relations = _mean([softmax(a.relations) for a in answers])
    pairs = np.argwhere(1 - relations[..., 0] > SURE)
    f = len(numbers)
    return Taught(
        text,
        at.astype(np.int16),
        spans[at[:, 0], at[:, 1]].astype(np.float16),
        [list(g.places) for g in found],
        _mean([softmax(a.types) for a in answers])[1:],
        _mean([_sigmoid(a.introduced) for a in answers])[1:],
        pairs.astype(np.int16),
        relations[pairs[:, 0], pairs[:, 1]].astype(np.float16),
        np.concatenate(
            [_mean([softmax(a.figures[:f, i:j]) for a in answers]) for i, j in FIGURE_ANSWERS], -1
        ),
        _mean([softmax(a.links[:f].transpose(0, 2, 1)) for a in answers]).transpose(0, 2, 1),
    )


def _key(text: str) -> str:
    """The letters of a text's abstract: the same for one paper from two sources."""
    body = text[border(text) :]
    return "".join(c for c in body.casefold() if c.isalnum())[:150]


def papers(paths: list[Path], without: list[Path], most: int) -> list[str]:
    """Texts of papers, each once, in an order that depends on the texts alone."""
    known = {_key(d["text"]) for path in without for d in load(path)}
    found: dict[str, str] = {}
    for item in kg.read.read(paths):
        if isinstance(item, kg.read.Read) and _key(item.paper.text) not in known:
            found.setdefault(_key(item.paper.text), item.paper.text)
    order = sorted(found.values(), key=lambda t: hashlib.sha256(t.encode()).digest())
    return order[:most] if most else order


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("papers", type=Path, nargs="+")
    a.add_argument("--teacher", type=Path, action="append", required=True)
    a.add_argument("--without", type=Path, action="append", default=[])
    a.add_argument("--most", type=int, default=0, help="papers; 0: all")
    a.add_argument("--out", type=Path, required=True)
    o = a.parse_args()
    teachers = [Extractor.load(t) for t in o.teacher]
    texts = papers(o.papers, o.without, o.most)
    begun = time.time()
    taught = []
    for k, text in enumerate(texts, 1):
        one = teach(teachers, text)
        if one is not None:
            taught.append(one)
        if k % 200 == 0:
            print(f"{k} of {len(texts)}, {(time.time() - begun) / k:.3f} s each", flush=True)
    torch.save([vars(t) for t in taught], o.out)
    print(f"{len(taught)} papers of {len(texts)} in {o.out}")


if __name__ == "__main__":
    main()
