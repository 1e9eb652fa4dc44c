"""Who is meant by "our method", "it" and "we": the contribution of the paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kg.extract.patterns.entities import Entity
from kg.extract.patterns.measured import Rules
from kg.extract.patterns.skeleton import Thing, rule, skeleton

__all__ = ["Contribution", "chief_of", "contribution", "introductions"]

_VERB: Final = (
    r"(?:propos|introduc|present|develop|releas|construct|creat|design|devis|contribut|build|built|"
    r"unveil|describ|formulat|curat|collect|suggest|offer|provid|establish|implement|put forward|"
    r"compil|publish|open-?sourc|annotat|train|call|name|dub|term|report on|make available)"
    r"(?:e[sd]?|ing|s|ed)?"
)
_WE: Final = (
    r"(?:we|this paper|this work|this article|this study|the paper|our work|our paper|the authors|"
    r"this thesis|this demo|this report|here|paper)"
)
_SKIP: Final = r"(?:(?!\b(?:based|using|for|by|on|from|to|with|that|which|where|of|in|via|through)\b)[^.;:\ue000-\uf8ff]){0,60}?"
_ANY: Final = r"(?:[^.;\ue800-\uf5ff]){0,140}?"
_RULES: Final = tuple(
    (name, rule(pattern))
    for name, pattern in (
        (
            "verb",
            rf"\b(?:[\uf800-\uf8ff]|{_WE})(?:,)?\s[^.;\ue000-\uf8ff]{{0,40}}?\b{_VERB}\s{_SKIP}"
            r"(?P<x>[\ue000-\uf3ff])(?!\s?(?:-based|’s|'s|data\b|-style))",
        ),
        ("listed", rf"\b{_VERB}\s{_SKIP}[\ue000-\uf3ff][^.;:\ue000-\uf8ff]{{0,80}}?\band\s{_SKIP}(?P<x>[\ue000-\uefff])"),
        (
            "called",
            r"\b(?:called|named|dubbed|termed|coined|titled|namely|denoted (?:as|by)|referred to as|"
            r"(?:which )?we (?:call|term|name|dub)(?: it| this \w+)?|abbreviated as|i\.e\.,?|as)"
            r"[ ]?[\"“'‘]?(?:the )?(?P<x>[\ue000-\uf3ff])",
        ),
        ("our", r"\b(?:our|Our)\s(?:[\w\-]+\s){0,2}?(?P<x>[\ue000-\uefff])"),
        ("proposed", r"\bthe (?:newly )?(?:proposed|introduced|presented)\s(?:[\w\-]+\s){0,2}?(?P<x>[\ue000-\uefff])"),
        ("apposed", r"(?:framework|method|approach|model|system|algorithm|dataset|benchmark|corpus|architecture|mechanism|strategy|technique|task|module|metric|toolkit|agent|pipeline|paradigm)s?\s?(?:,|:|—|–|-|\()\s?[\"“'‘]?(?P<x>[\ue000-\uf3ff])"),
        ("novel", r"(?P<x>[\ue000-\uefff])\s?(?:,|is|—|–|:|\()\s?(?:a|an|the|our)\s(?:[\w\-]+,?\s){0,3}?(?:novel|new|first|simple|unified|comprehensive|large-scale|open-source|lightweight)\b"),
        ("appositive", r"(?P<x>[\ue000-\uefff])\s?(?:,|—|–|:)\s?(?:a|an|the first|our)\s"),
        ("subject", r"^(?P<x>[\ue000-\uefff])\s[a-z]+s\b"),
        ("results", r"\b(?:show|demonstrate|indicate|reveal|confirm|verif|validat|find)\w*\s(?:that|the)\s(?:[\w’'\-]+\s){0,5}?(?P<x>[\ue000-\ue7ff])"),
    )
)  # fmt: skip


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
    text: str, sentences: Sequence[tuple[int, int]], entities: Sequence[Entity], begin: int
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
        for name, pattern in _RULES:
            for match in pattern.finditer(bones.text):
                thing = bones.things[match["x"]]
                entity = entities[thing.item]
                known = "known" if entity.rule.startswith("entity:gazetteer") else "new"
                kind = "data" if entity.type in ("Dataset", "Benchmark") else entity.type.lower()
                found.append((thing.item, f"introduced:{name}:{known}:{kind}"))
    return found


def contribution(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    begin: int,
    rules: Rules,
    threshold: float = 0.5,
) -> Contribution:
    """Return what the paper introduces, and the chief of it."""
    signs: dict[int, set[str]] = {}
    for index, name in introductions(text, sentences, entities, begin):
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
