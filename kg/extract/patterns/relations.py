"""Relations by cue words inside a sentence, and by what the abstract as a whole suggests.

The cues stand in ``relations.tsv``; each names its predicate. How far a rule can be trusted depends
also on its subject, which is part of the rule's name: the paper's ``own``, a ``new`` or a ``known``
name, ``ours`` (an anaphor), the unnamed ``paper``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from kg.extract.document import Entity
from kg.extract.patterns.contribution import Contribution
from kg.extract.patterns.cues import Cue
from kg.extract.patterns.moods import hedged, negated
from kg.extract.patterns.skeleton import Anaphor, Skeleton, Thing, anaphora, members, skeleton
from kg.schema import FAMILY, PAPER, PREDICATES

__all__ = ["PLAIN", "Relation", "bones", "relations"]


class Relation(NamedTuple):
    """A statement that a sentence makes; subject is an entity's index or None for the paper."""

    subject: int | None
    predicate: str
    object: int
    start: int
    end: int
    rule: str
    negated: bool
    hedged: bool


PLAIN: Final = frozenset(("strict", "passive", "object"))
"""Rules whose subject stands in the words themselves."""


def bones(
    text: str, span: tuple[int, int], entities: Sequence[Entity], more: Sequence[Thing] = ()
) -> Skeleton:
    """Return the skeleton of a sentence with its mentions and anaphora, and with ``more``."""
    start, end = span
    things = [
        Thing(m.start, m.end, e.type, i)
        for i, e in enumerate(entities)
        for m in e.mentions
        if start <= m.start and m.end <= end
    ]
    return skeleton(text, start, end, [*things, *more, *anaphora(text[start:end], start)])


def resolve(thing: Thing, chief: Contribution) -> tuple[bool, int | None]:
    """Return whether the thing can be a subject, and which entity it is (None: the paper)."""
    if thing.kind != "anaphor":
        return True, thing.item
    if thing.item == Anaphor.DATA:
        return chief.data is not None, chief.data
    return True, chief.method


def _family(thing: Thing) -> str:
    return FAMILY.get(thing.kind, "head")


def _standing(index: int | None, own: bool, entities: Sequence[Entity]) -> str:
    """Return what kind of subject an entity is: the paper's own, a new name, a known one."""
    if own or index is None:
        return "own"
    return "known" if entities[index].rule.startswith("entity:gazetteer") else "new"


def _subject(
    skeleton_: Skeleton, before: int, chief: Contribution, entities: Sequence[Entity]
) -> tuple[str, int | None]:
    """Return how the subject of a cue at ``before`` was found, and the subject."""
    head = skeleton_.text[:before]
    for sign in reversed(head):
        thing = skeleton_.things.get(sign)
        if thing is None:
            continue
        if thing.kind in ("Method", "Model"):
            own = thing.item in chief.introduced
            return _standing(thing.item, own, entities), thing.item
        if thing.kind == "anaphor" and thing.item != Anaphor.DATA:
            return ("ours", chief.method)
    return ("none", chief.method)


_CUT: Final = re.compile(r"[,;:]\s|\s(?:and|but|while|whereas|although)\s")


def _clause(text: str, start: int, end: int) -> str:
    """Return the words from ``start`` to ``end``, and those before in the same clause."""
    before = max(0, start - 60)
    cuts = [m.end() for m in _CUT.finditer(text, before, start)]
    return text[cuts[-1] if cuts else before : end]


def _sentence(
    found: Skeleton, entities: Sequence[Entity], chief: Contribution, cues: Iterable[Cue]
) -> Iterator[tuple[int | None, str, int, str, str]]:
    """Yield (subject, predicate, object, rule, clause) of one sentence."""
    if not found.things:
        return
    here = {_family(thing) for thing in found.things.values()}
    if "method" in here:
        here.add("head")
    for predicate, name, family, pattern in cues:
        if family and family not in here:
            continue
        for match in pattern.finditer(found.text):
            groups = match.groupdict()
            tails = members(match["t"], found.things)
            heads: list[tuple[str, int | None]]
            if groups.get("h"):
                heads = []
                for thing in members(match["h"], found.things):
                    fits, index = resolve(thing, chief)
                    if fits:
                        own = thing.kind == "anaphor" or index in chief.introduced
                        heads.append((_standing(index, own, entities), index))
                clause = _clause(found.text, min(match.start("h"), match.start("t")), match.end())
            else:
                heads = [_subject(found, match.start(), chief, entities)]
                clause = _clause(found.text, match.start(), match.end())
            for how, subject in heads:
                who = "paper" if subject is None else how
                for tail in tails:
                    fits, object_ = resolve(tail, chief)
                    if fits and object_ is not None:
                        yield subject, predicate, object_, f"{predicate}:{name}:{who}", clause
                    # a method that the sentence has as subject, and the paper's own beside it
                    if (
                        how in ("new", "known")
                        and name not in PLAIN
                        and fits
                        and object_ is not None
                    ):
                        yield (
                            chief.method,
                            predicate,
                            object_,
                            f"{predicate}:{name}:"
                            + ("paper-too" if chief.method is None else "too"),
                            clause,
                        )


def _whole(
    entities: Sequence[Entity], chief: Contribution, begin: int
) -> Iterator[tuple[int | None, str, int, str]]:
    """Yield what the abstract as a whole suggests: (subject, predicate, object, rule)."""
    who = "paper" if chief.method is None else "chief"
    introduces = chief.data is not None
    for index, entity in enumerate(entities):
        if index in chief.introduced:
            continue
        title = any(m.start < begin for m in entity.mentions)
        often = "often" if len(entity.mentions) > 2 else "seldom"
        place = "title" if title else "text"
        if entity.type == "Benchmark":
            yield chief.method, "evaluates-on", index, f"evaluates-on:any:{who}:{place}"
        elif entity.type == "Task":
            yield chief.method, "applies-to", index, f"applies-to:any:{who}:{place}:{often}"
            if introduces:
                yield chief.data, "applies-to", index, f"applies-to:any:data:{place}:{often}"
        elif entity.type in ("Method", "Model"):
            kind = entity.type.lower()
            yield chief.method, "builds-on", index, f"builds-on:any:{who}:{kind}:{place}:{often}"
            if introduces and chief.data is not None and entity.type == "Model":
                yield index, "evaluates-on", chief.data, f"evaluates-on:introduced:{kind}:{who}"
        elif entity.type == "Dataset":
            yield chief.method, "evaluates-on", index, f"evaluates-on:dataset:{who}"
            yield chief.method, "trained-on", index, f"trained-on:any:{who}"
    if introduces and chief.method is not None and chief.data is not None:
        yield chief.method, "evaluates-on", chief.data, "evaluates-on:introduced:own"


def relations(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    chief: Contribution,
    begin: int,
    cues: Sequence[Cue],
) -> list[Relation]:
    """Return every relation that a rule finds; those of one claim are not yet made one.

    Relations that the schema's signatures forbid, and of a thing with itself, are left out.
    """
    out: list[Relation] = []

    def add(
        subject: int | None,
        predicate: str,
        object_: int,
        span: tuple[int, int],
        name: str,
        clause: str,
    ) -> None:
        kind = PAPER if subject is None else entities[subject].type
        if subject == object_ or not PREDICATES[predicate].allows(kind, entities[object_].type):
            return
        if (
            predicate != "evaluates-on"
            and object_ in chief.introduced
            and subject not in (chief.introduced)
        ):
            return
        out.append(
            Relation(subject, predicate, object_, *span, name, negated(clause), hedged(clause))
        )

    passages: dict[int, tuple[int, int]] = {}
    for span in sentences:
        found = bones(text, span, entities)
        title = span[0] < begin
        for thing in found.things.values():
            if thing.kind != "anaphor":
                old = passages.get(thing.item)
                if old is None or (old[0] < begin <= span[0]):
                    passages[thing.item] = span
        for subject, predicate, object_, name, clause in _sentence(found, entities, chief, cues):
            add(subject, predicate, object_, span, name + (":title" if title else ""), clause)
    for subject, predicate, object_, name in _whole(entities, chief, begin):
        passage = passages.get(object_)
        if passage is not None:
            clause = text[passage[0] : passage[1]]
            add(
                subject,
                predicate,
                object_,
                passage,
                name,
                clause if predicate == "builds-on" else "",
            )
    return out
