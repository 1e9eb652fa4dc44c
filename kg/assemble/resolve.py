"""Resolution: which entities of single papers are one entity of the graph.

An entity of a paper belongs to the group (node) of its name. Each surface form of a group has the
rule by which it stands for it:

``spelling``
    it folds to the group's name (:func:`kg.assemble.names.fold`);
``abbreviation``
    it abbreviates the group's name, and a paper says so;
``alias``
    the curated alias file says so;
``paper``
    one paper uses it for the same thing; that joins no other paper's entity;
``type``
    it has the same name in another family, and that family is so plainly a slip that it moved here.

No rule is transitive over papers: that one paper says "extractive QA" and "QA" for one thing does
not make them one everywhere.

A short acronym means what its own paper says. Where its paper does not say, it is what the other
papers define it as, if they all agree; otherwise it stays an entity of its own.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from kg.assemble.names import abbreviates, fold, is_acronym, is_coined
from kg.records import Entity, Extraction
from kg.schema import FAMILY

__all__ = ["Local", "Resolution", "aliases", "resolve"]

Node = tuple[str, str]
"""(family, folded name)."""

Meanings = dict[Node, Counter[str]]
"""(family, folded acronym) to its folded expansions with their numbers of papers."""

RULES: Final = ("type", "paper", "abbreviation", "alias", "spelling")
"""The rules by which a name belongs to an entity, from the weakest to the strongest."""

Local = tuple[str, str]
"""(paper id, key of the entity in that paper's extraction)."""

_LONG_ACRONYM: Final = 4
_DEFINERS: Final = 2
"""An acronym of fewer than 4 signs is settled only when at least 2 papers define it."""


@cache
def aliases() -> dict[Node, str]:
    """Return (family, folded alias) to the canonical name, from ``aliases.tsv``."""
    out: dict[Node, str] = {}
    with (files("kg.assemble") / "aliases.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader((r for r in lines if r.strip() and r[0] != "#"), delimiter="\t")
        for row in rows:
            for name in (row["alias"], row["canonical"]):
                out[row["family"], fold(name)] = row["canonical"]
    return out


@dataclass(slots=True)
class Resolution:
    """The outcome: which group each entity of each paper belongs to, and why.

    Attributes
    ----------
    group : (paper, local key) to the node of its group.
    members : node to the (paper, local key) of its members, sorted.
    reasons : node to {surface name: rule}.
    """

    group: dict[Local, Node] = field(default_factory=dict)
    members: dict[Node, list[Local]] = field(default_factory=dict)
    reasons: dict[Node, dict[str, str]] = field(default_factory=dict)


def _expansion(acronym: str, names: Iterable[str]) -> str | None:
    """Return the name among ``names`` that ``acronym`` abbreviates: the shortest such one."""
    found = [n for n in names if not is_acronym(n) and abbreviates(acronym, n)]
    return min(found, key=lambda n: (len(n), n), default=None)


def resolve(extractions: Iterable[Extraction]) -> Resolution:
    """Resolve the entities of ``extractions``.

    The result depends on the set of extractions only, not on their order. Time grows linearly with
    the number of entities.
    """
    by_paper = sorted(extractions, key=lambda x: x.paper)
    known = aliases()
    meaning = _meanings(by_paper, known)
    node_of: dict[Local, Node] = {}
    rules: dict[Local, dict[str, str]] = {}
    for extraction in by_paper:
        for entity in extraction.entities:
            local = extraction.paper, entity.key
            node, rule = _node(entity, known, meaning)
            node_of[local], rules[local] = node, _rules(entity, node, rule, known)
    node_of = _merge_families(by_paper, node_of, rules)
    out = Resolution(group=node_of)
    for local in sorted(node_of):
        node = node_of[local]
        out.members.setdefault(node, []).append(local)
        reasons = out.reasons.setdefault(node, {})
        for name, rule in rules[local].items():
            reasons[name] = max(rule, reasons.get(name, rule), key=RULES.index)
    return out


def _meanings(extractions: list[Extraction], known: Mapping[Node, str]) -> Meanings:
    """Return (family, folded acronym) to the expansions that papers give it, with paper counts."""
    meaning: Meanings = defaultdict(Counter)
    for extraction in extractions:
        for entity in extraction.entities:
            family = FAMILY[entity.type]
            names = {entity.name, *entity.names}
            for acronym in sorted(filter(is_acronym, names)):
                if expansion := _expansion(acronym, names):
                    form = fold(expansion)
                    form = fold(known.get((family, form), form))
                    meaning[family, fold(acronym)][form] += 1
    return meaning


def _agreed(acronym: str, expansions: Mapping[str, int]) -> str | None:
    """Return the one expansion that papers give a folded ``acronym``, if that is settled."""
    if len(expansions) == 1 and (
        len(acronym) >= _LONG_ACRONYM or sum(expansions.values()) >= _DEFINERS
    ):
        return next(iter(expansions))
    return None


def _node(entity: Entity, known: Mapping[Node, str], meaning: Meanings) -> tuple[Node, str]:
    """Return the node of ``entity`` and the rule that leads from its name to the node."""
    family = FAMILY[entity.type]
    form = fold(entity.name)
    if not form:  # no letter, digit or sign that folding keeps
        return (family, entity.name), "spelling"
    rule = "spelling"
    if is_acronym(entity.name):
        expansion = _expansion(entity.name, entity.names)
        if expansion is not None:
            form, rule = fold(expansion), "abbreviation"
        elif (family, form) not in known:
            agreed = _agreed(form, meaning.get((family, form), {}))
            if agreed is not None:
                return (family, agreed), "abbreviation"
    canonical = known.get((family, form))
    if canonical is not None and fold(canonical) != form:
        return (family, fold(canonical)), "alias"
    return (family, form), rule


def _rules(entity: Entity, node: Node, rule: str, known: Mapping[Node, str]) -> dict[str, str]:
    """Return each name of ``entity`` and the rule by which it stands for ``node``."""
    out = {}
    names = sorted({entity.name, *entity.names})
    full = [n for n in names if fold(n) == node[1]]
    for name in names:
        form = fold(name)
        if name == entity.name:
            out[name] = rule
        elif form == node[1]:
            out[name] = "spelling"
        elif fold(known.get((node[0], form), "")) == node[1]:
            out[name] = "alias"
        elif is_acronym(name) and any(abbreviates(name, n) for n in full):
            out[name] = "abbreviation"
        else:
            out[name] = "paper"
    return out


def _merge_families(
    extractions: list[Extraction],
    node_of: dict[Local, Node],
    rules: dict[Local, dict[str, str]],
) -> dict[Local, Node]:
    """Move entities whose family is plainly a slip to the family that prevails for the name."""
    papers: dict[str, Counter[str]] = defaultdict(Counter)
    coined: dict[str, bool] = {}
    fixed: set[Local] = set()
    for extraction in extractions:
        for entity in extraction.entities:
            family, form = node_of[extraction.paper, entity.key]
            papers[form][family] += 1
            coined[form] = coined.get(form, False) or (
                is_coined(entity.name) and not is_acronym(entity.name)
            )
        fixed |= {(extraction.paper, key) for key in _bound(extraction)}
    out = dict(node_of)
    for local, (family, form) in node_of.items():
        counts = papers[form]
        if len(counts) < 2 or local in fixed:
            continue
        (first, most), *_ = sorted(counts.items(), key=lambda c: (-c[1], c[0]))
        if family != first and (coined[form] or counts[family] * 3 <= most):
            out[local] = (first, form)
            rules[local] = dict.fromkeys(rules[local], "type")
    return out


def _bound(extraction: Extraction) -> set[str]:
    """Return the keys of entities whose family a statement or result of the paper depends on."""
    keys = {k for s in extraction.statements for k in (s.subject, s.object)}
    keys |= {k for r in extraction.results for k in (r.subject, r.benchmark, r.metric, r.baseline)}
    return keys
