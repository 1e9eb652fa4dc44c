"""Train a small convolutional spaCy tagger on the same papers, to compare the network with.

    python training/convolution.py --gold train.jsonl --held-out RUN/held_out.json --out DIR
    python training/convolution.py --test dev.jsonl --out DIR      # figures and speed

A `HashEmbedCNN` of the width of spaCy's small pipelines tags mentions; names that are equal, or
abbreviation and full form, are one entity; what is introduced, relations and figures are found by
this package's patterns on these entities.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Adam

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import held_out, load
from scoring import counts, f1

from kg.extract.components import PATTERNS, StageComponent, pipeline
from kg.extract.document import Document, Entity, Finding
from kg.extract.gold_form import to_gold
from kg.extract.model.names import normal, normal_word
from kg.extract.pipeline import Extractor
from kg.extract.words import words
from kg.records import Paper

TOKENIZER = {"nlp": {"tokenizer": {"@tokenizers": "kg_words"}}}
TAGGER = {
    "model": {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "width": 96,
            "depth": 4,
            "embed_size": 2000,
            "window_size": 1,
            "maxout_pieces": 3,
            "subword_features": True,
            "pretrained_vectors": None,
        },
    }
}


def tagger() -> Language:
    nlp = spacy.blank("en", config=TOKENIZER)
    nlp.add_pipe("ner", config=TAGGER)
    return nlp


def annotated(nlp: Language, doc: dict) -> Example:
    made = nlp.make_doc(doc["text"])
    spans = [(m["start"], m["end"], e["type"]) for e in doc["entities"] for m in e["mentions"]]
    spans.sort(key=lambda s: (s[0] - s[1], s[0]))
    kept, free = [], [True] * (len(doc["text"]) + 1)
    for start, end, kind in spans:
        if all(free[start:end]) and made.char_span(start, end) is not None:
            free[start:end] = [False] * (end - start)
            kept.append((start, end, kind))
    return Example.from_dict(made, {"entities": sorted(kept)})


def train(docs: list[dict], out: Path, passes: int, seed: int) -> None:
    spacy.util.fix_random_seed(seed)
    nlp = tagger()
    examples = [annotated(nlp, d) for d in docs]
    optimizer = Adam(0.001, L2=0.01, grad_clip=1.0, use_averages=True)
    nlp.initialize(lambda: examples, sgd=optimizer)
    rng = random.Random(seed)
    for k in range(passes):
        begun, losses = time.time(), {}
        rng.shuffle(examples)
        for batch in minibatch(examples, 8):
            nlp.update(batch, sgd=optimizer, drop=0.2, losses=losses)
        with nlp.use_params(optimizer.averages):
            nlp.to_disk(out)
        took = time.time() - begun
        print(f"pass {k + 1} {losses['ner']:.0f} {took:.0f} s", flush=True)


class Entities:
    """The stage that sets the entities."""

    def __init__(self, tagger: Path) -> None:
        self.nlp = spacy.load(tagger)

    def __call__(self, document: Document) -> None:
        text = document.text
        found: dict[str, list[tuple[int, int, str]]] = {}
        for span in self.nlp(text).ents:
            key = normal([normal_word(span.text[s:e]) for s, e in words(span.text)])
            found.setdefault(key, []).append((span.start_char, span.end_char, span.label_))
        home = {(s, e): key for key, places in found.items() for s, e, _ in places}
        for short_start, short_end, start, end in document.abbreviations:
            short, full = home.get((short_start, short_end)), home.get((start, end))
            if short and full and short != full and short in found and full in found:
                found[full] += found.pop(short)
        used = set()
        for places in found.values():
            kind = Counter(k for _, _, k in places).most_common(1)[0][0]
            name = min((text[s:e] for s, e, _ in places), key=len)
            if name in used:
                continue
            used.add(name)
            one = Entity(name, kind, 0.7, "convolution")
            one.mentions.extend(Finding(s, e, "convolution", 0.7) for s, e, _ in sorted(places))
            document.entities.append(one)


@Language.factory("convolution_entities", default_config={"tagger": ""})
def create(nlp: Language, name: str, tagger: str) -> StageComponent:
    return StageComponent(Entities(Path(tagger)))


def extractor(out: Path) -> Extractor:
    first, second, _, *rest = PATTERNS
    names = (first, second, "convolution_entities", *rest)
    options = {"convolution_entities": {"tagger": str(out)}}
    return Extractor(lambda: pipeline(names, options), "convolution")


def test(path: Path, out: Path) -> None:
    docs, reader = load(path), extractor(out)
    papers = []
    for d in docs:
        title, blank, text = d["text"].partition("\n\n")
        papers.append(Paper(d["id"], text, title) if blank else Paper(d["id"], title))
    begun = time.process_time()
    found = list(reader.pipe(papers))
    spent = time.process_time() - begun
    rows = [counts(d, to_gold(p, x)) for d, p, x in zip(docs, papers, found, strict=True)]
    print({k: round(v, 3) for k, v in f1(rows).items()})
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"{len(docs) / spent:.1f} papers a second of one core, {size / 1e6:.1f} MB")


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--gold", type=Path)
    a.add_argument("--held-out", type=Path)
    a.add_argument("--test", type=Path)
    a.add_argument("--out", type=Path, required=True)
    a.add_argument("--passes", type=int, default=6)
    a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    if o.gold:
        held = held_out(o.held_out) if o.held_out else set()
        train([d for d in load(o.gold) if d["id"] not in held], o.out, o.passes, o.seed)
    if o.test:
        test(o.test, o.out)


if __name__ == "__main__":
    main()
