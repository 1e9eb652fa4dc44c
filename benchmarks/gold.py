"""Real extractions without an extractor: the annotations of a gold file as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg.records import Entity, Evidence, Extraction, Mention, Paper, Result, Statement
from kg.schema import PAPER, PREDICATES

CONFIDENCE = 0.8
EXTRACTOR = "gold:annotations@1"


def read_gold(path: Path) -> Iterator[tuple[Paper, Extraction]]:
    """Yield each annotated paper with its annotations as an extraction."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            yield Paper(document["id"], document["text"]), extraction_of(document)


def extraction_of(document: dict[str, Any]) -> Extraction:
    paper, text = document["id"], document["text"]
    entities, mentions = {}, []
    for e in document["entities"]:
        names = tuple(sorted({e["name"], *(m["text"] for m in e["mentions"])}))
        introduced = (paper,) if e["introduced"] else ()
        entities[e["name"]] = Entity(
            e["name"], e["name"], e["type"], names, introduced, confidence=CONFIDENCE
        )
        mentions += [
            Mention(paper, "text", m["start"], m["end"], m["text"], e["type"], e["name"],
                    CONFIDENCE, EXTRACTOR)
            for m in e["mentions"]
        ]  # fmt: skip
    known = entities.keys() | {PAPER}
    evidence: dict[tuple[str, str, str], list[Evidence]] = {}
    for r in document["relations"]:
        if {r["head"], r["tail"]} <= known and r["type"] in PREDICATES:
            start, end = r["evidence"]["start"], r["evidence"]["end"]
            evidence.setdefault((r["head"], r["type"], r["tail"]), []).append(
                Evidence(paper, "text", start, end, text[start:end], CONFIDENCE, EXTRACTOR)
            )
    results = []
    for r in document["results"]:
        start, end = r["evidence"]["start"], r["evidence"]["end"]
        ends = [r[k] if r[k] in known else "" for k in ("head", "benchmark", "metric", "baseline")]
        figures = [r["value"], r["baseline_value"], r["delta"]]
        if all(f is None for f in figures):
            continue
        results.append(
            Result(paper, "text", start, end, text[start:end], *ends[:3], figures[0],
                   r["unit"] or "", ends[3], figures[1],
                   None if figures[2] is None else abs(figures[2]), r["direction"] or "",
                   CONFIDENCE, EXTRACTOR)
        )  # fmt: skip
    return Extraction(
        paper,
        tuple(entities.values()),
        tuple(sorted(set(mentions))),
        tuple(Statement(*claim, tuple(sorted(set(es)))) for claim, es in evidence.items()),
        tuple(results),
    )
