"""Who is meant by "our method", "it" and "we": the contribution of the paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kg.extract.document import Entity
from kg.extract.patterns.cues import Cue
from kg.extract.patterns.measured import Rules
from kg.extract.patterns.skeleton import Thing, skeleton

__all__ = ["Contribution", "chief_of", "contribution", "introductions"]

_OURS: Final = re.compile(
    r"\b(?:we|our|this paper|this work|the paper|proposed|(?:extension|variant|resulting \w+),?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What the paper puts forward.

    Attributes
    ----------
    introduced : entity index to confidence.
    method, data : index of the chief Method or Model, Dataset or Benchmark; or None.
    """

    introduced: dict[int, float]
    method: int | None
    data: int | None


def introductions(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    begin: int,
    cues: Sequence[Cue],
) -> list[tuple[int, str]]:
    """Return (entity index, rule) of every sign that the paper introduces an entity."""
    found: list[tuple[int, str]] = []
    for index, entity in enumerate(entities):
        kind = "data" if entity.type in ("Dataset", "Benchmark") else entity.type.lower()
        if any(m.start == 0 and begin and re.match(r"[\"”]?\s?[:—–]", text[m.end : m.end + 3])
               for m in entity.mentions):  # fmt: skip
            found.append((index, f"introduced:colon:{kind}"))
        elif begin and any(m.start < begin for m in entity.mentions):
            found.append((index, f"introduced:title:{kind}"))
        known = "known" if entity.rule.startswith("entity:gazetteer") else "new"
        found.append((index, f"introduced:times:{min(4, len(entity.mentions))}:{kind}"))
        found.append((index, f"introduced:type:{kind}:{known}"))
    for start, end in sentences:
        if start < begin:
            continue
        things = [
            Thing(m.start, m.end, e.type, i)
            for i, e in enumerate(entities)
            for m in e.mentions
            if start <= m.start and m.end <= end
        ]
        if not things:
            continue
        bones = skeleton(text, start, end, things)
        for _, name, _, pattern in cues:
            for match in pattern.finditer(bones.text):
                thing = bones.things[match["x"]]
                ours = "ours" if _OURS.search(bones.text, 0, match.start("x")) else "theirs"
                entity = entities[thing.item]
                known = "known" if entity.rule.startswith("entity:gazetteer") else "new"
                kind = "data" if entity.type in ("Dataset", "Benchmark") else entity.type.lower()
                found.append((thing.item, f"introduced:{name}:{known}:{kind}:{ours}"))
    return found


def contribution(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    begin: int,
    rules: Rules,
    cues: Sequence[Cue],
    threshold: float = 0.4,
) -> Contribution:
    """Return what the paper introduces, and the chief of it."""
    signs: dict[int, set[str]] = {}
    for index, name in introductions(text, sentences, entities, begin, cues):
        signs.setdefault(index, set()).add(name)
    introduced: dict[int, float] = {}
    for index, names in signs.items():
        confidence = rules("introduced", names)
        if confidence >= threshold:
            introduced[index] = confidence
    return chief_of(introduced, entities)


def chief_of(introduced: dict[int, float], entities: Sequence[Entity]) -> Contribution:
    """Return the contribution whose parts and confidences are ``introduced``."""

    def chief(*types: str) -> int | None:
        of_type = [i for i in introduced if entities[i].type in types]
        return max(
            of_type, key=lambda i: (introduced[i], len(entities[i].mentions), -i), default=None
        )

    return Contribution(introduced, chief("Method", "Model"), chief("Dataset", "Benchmark"))
