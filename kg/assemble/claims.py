"""Claims: what single papers state, said about the entities of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kg.assemble.belief import belief
from kg.assemble.decisions import NONE, Decisions
from kg.records import Evidence, Extraction, Mention, Result, Statement, paper_key
from kg.schema import FAMILY, PAPER, PREDICATES

__all__ = ["Facts", "Triple", "facts", "statement"]

Triple = tuple[str, str, str]
"""Subject, predicate and object, by key."""


@dataclass(slots=True)
class Facts:
    """What one paper says, about entities of the graph.

    Attributes
    ----------
    mentions, results : sorted.
    claims : each claim with its evidence in this paper, one piece for each passage.
    removed : ids of the results that decisions took out.
    """

    mentions: list[Mention]
    results: list[Result]
    claims: dict[Triple, list[Evidence]]
    removed: list[str]


def facts(
    extraction: Extraction, key_of: Mapping[str, str | None], decisions: Decisions = NONE
) -> Facts:
    """Return what ``extraction`` says, about entities of the graph.

    A statement about one entity and itself (its two names turned out to be one) says nothing and is
    left out. So is what a person's decision made meaningless: what is about a name that was decided
    to be no entity, and a statement one of whose ends was decided to be of a type that the
    predicate cannot have.

    Parameters
    ----------
    key_of : key of each of the paper's entities to the key in the graph, None if it is no entity.
    """
    keys: dict[str, str | None] = {**key_of, PAPER: paper_key(extraction.paper), "": ""}
    family = {e.key: FAMILY[e.type] for e in extraction.entities} | {PAPER: "paper", "": ""}
    moved = {k for k, key in keys.items() if key is None or key.partition("/")[0] != family[k]}
    mentions = [replace(m, entity=key) for m in extraction.mentions if (key := keys[m.entity])]
    claims: dict[Triple, dict[tuple[object, ...], Evidence]] = {}
    for s in extraction.statements:
        subject, obj = keys[s.subject], keys[s.object]
        if subject is None or obj is None or subject == obj:
            continue
        if (s.subject in moved or s.object in moved) and not _fits(subject, s.predicate, obj):
            continue
        passages = claims.setdefault((subject, s.predicate, obj), {})
        for e in s.evidence:
            span = (e.part, e.start, e.end)
            if span not in passages or _strength(e) > _strength(passages[span]):
                passages[span] = e
    results, removed = [], []
    for r in extraction.results:
        subject = keys[r.subject] or ""
        baseline = keys[r.baseline] or ""
        result = replace(
            r,
            subject=subject,
            benchmark=_of_family(keys[r.benchmark], "data"),
            metric=_of_family(keys[r.metric], "metric"),
            baseline=baseline if baseline != subject else "",
        )
        if decisions.rejects_result(result.id):
            removed.append(result.id)
        else:
            results.append(result)
    return Facts(
        sorted(mentions),
        sorted(results, key=lambda r: (r.part, r.start, r.end, r.id)),
        {claim: sorted(passages.values()) for claim, passages in claims.items()},
        removed,
    )


def _strength(e: Evidence) -> tuple[bool, float, str]:
    return e.asserts, e.confidence, e.extractor


def _of_family(key: str | None, family: str) -> str:
    return key if key and key.startswith(family + "/") else ""


def _fits(subject: str, predicate: str, obj: str) -> bool:
    """Whether a statement between entities of these families can be."""
    ends = (subject.partition("/")[0], obj.partition("/")[0])
    for subjects, objects in PREDICATES[predicate].signatures:
        heads = {FAMILY.get(t, "paper") for t in subjects}
        if ends[0] in heads and ends[1] in {FAMILY[t] for t in objects}:
            return True
    return False


def statement(
    claim: Triple, evidence: Iterable[Evidence], decisions: Decisions = NONE
) -> Statement:
    """Return the statement of ``claim`` with all its evidence, its belief and what people say."""
    passages = tuple(sorted(evidence))
    verdict = decisions.verdict(*claim)
    return Statement(*claim, passages, belief(passages, verdict), verdict)
