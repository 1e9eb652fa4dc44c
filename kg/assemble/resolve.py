"""Resolution: which entities of single papers are one entity of the graph.

An entity of a paper belongs to the group (node) of its name. Each surface form of a group has the
rule by which it stands for it:

``spelling``
    it folds to the group's name (:func:`kg.assemble.names.fold`);
``alias``
    the curated alias file says so;
``abbreviation``
    it abbreviates the group's name, and a paper says so;
``decision``
    a person says so (:mod:`kg.assemble.decisions`);
``type``
    it has the same name in another family, and that family is so plainly a slip that it moved here;
``paper``
    one paper uses it for the same thing; that joins no other paper's entity.

No rule is transitive over papers: that one paper says "extractive QA" and "QA" for one thing does
not make them one everywhere.

A short acronym means what its own paper says. Where its paper does not say, it is what the other
papers define it as, if they all agree; otherwise it stays an entity of its own.

The functions here are the whole of the rules, and pure. What an entity's own paper tells of it is
its :class:`Occurrence`; only :func:`settled` (what an acronym means) and :func:`slips` (which
family a name belongs to) look at several papers, and each at the papers of one name. So a paper
that is added or removed can be followed through, name by name (:mod:`kg.assemble.incremental`).
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations
from typing import Final

from kg.assemble.decisions import NONE, Decisions
from kg.assemble.names import abbreviates, fold, is_acronym, is_coined
from kg.assemble.nodes import Node
from kg.records import Entity, Extraction
from kg.schema import FAMILY

__all__ = [
    "RULES",
    "Local",
    "Occurrence",
    "Placed",
    "aliases",
    "expanded",
    "occurrences",
    "place",
    "resolve",
    "settled",
    "slips",
]

RULES: Final = ("paper", "type", "decision", "abbreviation", "alias", "spelling")
"""The rules by which a name belongs to an entity, from the weakest to the strongest."""

Local = tuple[str, str]
"""(paper id, key of the entity in that paper's extraction)."""

_CAPITALISED: Final = re.compile(r"[A-Z][A-Za-z0-9]{3,7}")
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


@cache
def _acronyms() -> dict[Node, str]:
    """Return (family, folded acronym) to the common words that it abbreviates in the alias file."""
    long: dict[Node, set[str]] = defaultdict(set)
    with (files("kg.assemble") / "aliases.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader((r for r in lines if r.strip() and r[0] != "#"), delimiter="\t")
        for row in rows:
            for short, full in permutations((row["canonical"], row["alias"])):
                phrase = " " in full and full.islower()
                if phrase and is_acronym(short) and abbreviates(short, full):
                    long[row["family"], fold(short)].add(full)
    return {node: next(iter(full)) for node, full in long.items() if len(full) == 1}


@lru_cache(maxsize=1 << 16)
def expanded(name: str, family: str) -> str:
    """Return ``name`` with the acronyms among its words written out, as the alias file has them.

    Only acronyms of common words: BERT embeddings stay what they are.

    Examples
    --------
    >>> expanded("extractive QA", "task")
    'extractive question answering'
    """
    words = name.split()
    if len(words) < 2:
        return name
    known = _acronyms()
    return " ".join(
        known.get((family, fold(word)), word) if is_acronym(word) else word for word in words
    )


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An entity of one paper, as far as its own paper and the alias file tell what it is.

    Attributes
    ----------
    node : where its name leads, unless ``asks`` and the other papers say otherwise.
    rule : the rule that leads there.
    asks : whether its name is an acronym, or spelt like one in other letters, that neither its
        paper nor the alias file defines.
    coined : whether the spelling of its name is that of a proper name.
    bound : whether a statement or result of its paper depends on its family.
    defines : (folded acronym, folded expansion) that its names give.
    """

    entity: Entity
    node: Node
    rule: str
    asks: bool = False
    coined: bool = False
    bound: bool = False
    defines: tuple[tuple[str, str], ...] = ()


def occurrences(extraction: Extraction) -> list[Occurrence]:
    """Return the entities of one paper as occurrences, in their order."""
    bound = _bound(extraction)
    return [_occurrence(e, e.key in bound) for e in extraction.entities]


def _occurrence(entity: Entity, bound: bool) -> Occurrence:
    known = aliases()
    family, form = FAMILY[entity.type], fold(entity.name)
    if not form:  # no letter, digit or sign that folding keeps
        return Occurrence(entity, (family, entity.name), "spelling", bound=bound)
    acronym = is_acronym(entity.name)
    asks, rule = False, "spelling"
    if acronym:
        expansion = _expansion(entity.name, entity.names)
        if expansion is not None:
            form, rule = fold(expansion), "abbreviation"
        else:
            asks = (family, form) not in known
    elif _CAPITALISED.fullmatch(entity.name):  # Llama is what papers define LLaMA as
        asks = (family, form) not in known
    full = fold(expanded(entity.name, family))
    if rule == "spelling" and full != form and (family, form) not in known:
        form, rule = full, "alias"
    canonical = known.get((family, form))
    if canonical is not None and fold(canonical) != form:
        form, rule = fold(canonical), "alias"
    coined = is_coined(entity.name) and not acronym
    return Occurrence(entity, (family, form), rule, asks, coined, bound, _defines(entity))


def _expansion(acronym: str, names: Iterable[str]) -> str | None:
    """Return the name among ``names`` that ``acronym`` abbreviates: the shortest such one."""
    found = [n for n in names if not is_acronym(n) and abbreviates(acronym, n)]
    return min(found, key=lambda n: (len(n), n), default=None)


def _defines(entity: Entity) -> tuple[tuple[str, str], ...]:
    known, family = aliases(), FAMILY[entity.type]
    names = {entity.name, *entity.names}
    out = []
    for acronym in filter(is_acronym, names):
        if expansion := _expansion(acronym, names):
            form = fold(expansion)
            out.append((fold(acronym), fold(known.get((family, form), form))))
    return tuple(sorted(out))


def _bound(extraction: Extraction) -> set[str]:
    """Return the keys of entities whose family a statement or result of the paper depends on."""
    keys = {k for s in extraction.statements for k in (s.subject, s.object)}
    keys |= {k for r in extraction.results for k in (r.subject, r.benchmark, r.metric, r.baseline)}
    return keys


def settled(acronym: str, expansions: Mapping[str, int]) -> str | None:
    """Return what a folded ``acronym`` means where its paper does not say, or None.

    Parameters
    ----------
    expansions : each folded expansion that papers give it, with their number.
    """
    if len(expansions) == 1 and (
        len(acronym) >= _LONG_ACRONYM or sum(expansions.values()) >= _DEFINERS
    ):
        return next(iter(expansions))
    return None


def slips(counts: Mapping[str, int], coined: bool) -> tuple[str, frozenset[str]]:
    """Return the family that prevails for a name, and those that are plainly a slip for it.

    Parameters
    ----------
    counts : each family in which the name occurs, with the number of occurrences.
    coined : whether the name is spelt as a proper name anywhere: that means one thing.
    """
    first, most = min(counts.items(), key=lambda c: (-c[1], c[0]))
    wrong = {f for f, n in counts.items() if f != first and (coined or n * 3 <= most)}
    return first, frozenset(wrong)


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an occurrence belongs in the end.

    Attributes
    ----------
    natural : the node to which the rules lead.
    node : the node to which decisions then lead; None if they say that it is no entity.
    rules : each of its names, with the rule by which it stands for the node.
    """

    natural: Node
    node: Node | None
    rules: tuple[tuple[str, str], ...]


def place(
    occurrence: Occurrence, paper: str, first: Node, natural: Node, decisions: Decisions = NONE
) -> Placed:
    """Return where ``occurrence`` belongs, and why.

    Parameters
    ----------
    first : its node, or what :func:`settled` made of it.
    natural : ``first``, or the family to which it slipped.
    """
    node, decided = decisions.place(natural, occurrence.entity.name, paper)
    entity = occurrence.entity
    rule = occurrence.rule if first == occurrence.node else "abbreviation"
    over = "decision" if decided else "type" if natural != first else ""
    full = [n for n in {entity.name, *entity.names} if fold(n) == first[1]]
    rules = []
    for name in sorted({entity.name, *entity.names}):
        why = rule if name == entity.name else _rule(name, first, full, decisions)
        rules.append((name, over if over and why != "paper" else why))
    return Placed(natural, None if decisions.rejects(node) else node, tuple(rules))


def _rule(name: str, node: Node, full: list[str], decisions: Decisions) -> str:
    """Return the rule by which ``name`` stands for ``node`` beside the entity's own name."""
    form = fold(name)
    if decisions.keeps_apart(node, form):
        return "paper"
    if form == node[1]:
        return "spelling"
    full_form = fold(expanded(name, node[0]))
    if node[1] in (full_form, fold(aliases().get((node[0], form), ""))):
        return "alias"
    if is_acronym(name) and any(abbreviates(name, n) for n in full):
        return "abbreviation"
    return "paper"


def resolve(extractions: Iterable[Extraction], decisions: Decisions = NONE) -> dict[Local, Placed]:
    """Return where each entity of each paper belongs, sorted.

    The result depends on the set of extractions only, not on their order. Time grows linearly with
    the number of entities.
    """
    found = {
        (x.paper, o.entity.key): o
        for x in sorted(extractions, key=lambda x: x.paper)
        for o in occurrences(x)
    }
    meaning: dict[Node, Counter[str]] = defaultdict(Counter)
    for o in found.values():
        for acronym, expansion in o.defines:
            meaning[FAMILY[o.entity.type], acronym][expansion] += 1
    first: dict[Local, Node] = {}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    coined: set[str] = set()
    for local, o in found.items():
        family, form = o.node
        if o.asks:
            form = settled(form, meaning.get(o.node, {})) or form
        first[local] = family, form
        counts[form][family] += 1
        if o.coined:
            coined.add(form)
    out = {}
    for local, o in found.items():
        family, form = natural = first[local]
        if len(counts[form]) > 1 and not o.bound:
            prevailing, wrong = slips(counts[form], form in coined)
            if family in wrong:
                natural = prevailing, form
        out[local] = place(o, local[0], first[local], natural, decisions)
    return dict(sorted(out.items()))
