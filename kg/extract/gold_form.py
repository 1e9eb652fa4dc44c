"""The form of the annotated files: one JSON object a paper, offsets in one text."""

from __future__ import annotations

from typing import Any

from kg.records import Extraction, Paper, Part

__all__ = ["to_gold"]


def to_gold(paper: Paper, extraction: Extraction) -> dict[str, Any]:
    """Return ``extraction`` in the form of the annotated files.

    The text is the abstract, or title, blank line, abstract; offsets count in it. Statements that
    the paper only denies or supposes are left out, as the annotation guidelines have it.
    """
    shift: dict[Part, int] = {"title": 0, "text": len(paper.title) + 2 if paper.title else 0}

    def place(part: Part, start: int, end: int) -> dict[str, Any]:
        return {"start": start + shift[part], "end": end + shift[part]}

    entities = []
    for entity in extraction.entities:
        found = [m for m in extraction.mentions if m.entity == entity.key]
        entities.append(
            {
                "name": entity.name,
                "type": entity.type,
                "introduced": bool(entity.introduced_in),
                "confidence": entity.confidence,
                "mentions": sorted(
                    ({**place(m.part, m.start, m.end), "text": m.surface} for m in found),
                    key=lambda m: (m["start"], m["end"]),
                ),
            }
        )
    relations = [
        {
            "head": s.subject,
            "type": s.predicate,
            "tail": s.object,
            "confidence": e.confidence,
            "evidence": place(e.part, e.start, e.end),
        }
        for s in extraction.statements
        for e in s.evidence[:1]
        if s.asserted
    ]
    results = [
        {
            "head": r.subject or None,
            "benchmark": r.benchmark or None,
            "metric": r.metric or None,
            "value": r.value,
            "unit": r.unit or None,
            "baseline": r.baseline or None,
            "baseline_value": r.baseline_value,
            "delta": r.delta,
            "direction": r.direction or None,
            "confidence": r.confidence,
            "evidence": place(r.part, r.start, r.end),
        }
        for r in extraction.results
    ]
    return {
        "id": paper.id,
        "text": f"{paper.title}\n\n{paper.text}" if paper.title else paper.text,
        "entities": entities,
        "relations": relations,
        "results": results,
    }
