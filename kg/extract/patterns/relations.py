"""Relations by cue words inside a sentence, as regular expressions over its skeleton.

Every rule names its predicate and its cue; ``t`` in its pattern is the list of objects, ``h``, where
it has one, the subject. Without ``h`` the subject is the nearest Method, Model or anaphor before
the cue, else the paper's chief contribution, else the paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kg.extract.patterns.contribution import Contribution
from kg.extract.patterns.entities import Entity
from kg.extract.patterns.measured import Rules
from kg.extract.patterns.skeleton import Anaphor, Skeleton, Thing, anaphora, members, rule, skeleton
from kg.schema import FAMILY, PAPER, PREDICATES

__all__ = ["Claim", "Relation", "bones", "claims", "grouped", "hedged", "negated", "relations"]


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


class Claim(NamedTuple):
    """All that is said of one (subject, predicate, object), by its best passage."""

    subject: int | None
    predicate: str
    object: int
    start: int
    end: int
    confidence: float
    rule: str
    negated: bool
    hedged: bool


_MODS: Final = r"(?:(?:the|a|an|its|our|their|both|all)\s)?(?:[\w’'\-,]+\s){0,4}?"
_FEW: Final = r"(?:(?:the|a|an|its|our|their|both|all)\s)?(?:[\w’'\-]+\s){0,2}?"
_GAP: Final = r"[^.;\ue000-\uf1ff]{0,70}?"
_DS: Final = rf"{_MODS}(?P<t>{{Ds}})"
_MS: Final = rf"{_MODS}(?P<t>{{Ms}})"
_SUBJECT: Final = rf"(?P<h>{{H}})(?:'s|’s)?\s{_GAP}"

_ADVERB: Final = r"(?:also|further|then|significantly|substantially|consistently|greatly|even|clearly|slightly|directly|thus|can|that|which|is|are|was|has been|been|have been)"
_KIND: Final = {"M": "method", "D": "data", "T": "task", "H": "method"}
_RULES: Final = tuple(
    (predicate, name, _KIND[re.search(r"\(\?P<t>\{(.)", pattern.replace("{{", "{"))[1]], rule(pattern))  # type: ignore[index]
    for predicate, name, pattern in (
        ("improves-over", "strict", rf"(?P<h>{{Ms}}|{{A}})\s(?:{_ADVERB}\s){{0,3}}(?:outperform|surpass|exceed|beat|outscore)(?:s|ed|ing|es)?\b(?!\sby)\s(?:both\s|even\s|the\s)?(?P<t>{{Ms}})"),
        ("improves-over", "strict", rf"(?P<h>{{Ms}}|{{A}})\s(?:{_ADVERB}\s){{0,3}}(?:improv(?:es|ed|ing)|gains?|advances)\s(?:upon|over|on)\s(?:both\s|even\s|the\s)?(?P<t>{{Ms}})"),
        ("improves-over", "strict", rf"(?P<h>{{Ms}}|{{A}})\s(?:{_ADVERB}\s){{0,2}}(?:better|superior|faster|more\s\w+|performs better)\s(?:than|to)\s(?P<t>{{Ms}})"),
        ("improves-over", "passive", r"(?P<t>{Ms})\s(?:is|are|was|were)\s(?:\w+\s){0,2}?(?:outperformed|surpassed|beaten|exceeded)\sby\s(?:the\s)?(?P<h>{Ms}|{A})"),
        ("builds-on", "strict", rf"(?P<h>{{Ms}}|{{A}}|{{Ds}})\s(?:{_ADVERB}\s){{0,3}}(?:extends?|based (?:up)?on|builds? (?:up)?on|built (?:up)?on|built on top of|derived from|inspired by|initiali[sz]ed (?:from|with)|(?:fine-?tuned|finetuned|distilled|adapted|trained|created|made) (?:version )?from|distils?|distills?|generali[sz]es|adapts?|modifies|a variant of|a version of|an extension of|combines|integrates|augments|incorporates|relies on)\s(?:the\s|a\s|an\s)?(?:[\w\-]+\s){{0,1}}?(?P<t>{{Ms}}|{{Ds}})"),
        ("compared-with", "strict", rf"(?P<h>{{Ms}}|{{A}})\s(?:{_ADVERB}\s|performs?\s|remains?\s|results?\s|performance\s|shows?\s){{0,3}}(?:on (?:a )?par with|comparably (?:to|with)|comparable (?:\w+\s)?(?:to|with)|competitive (?:\w+\s)?(?:to|with)|compared (?:to|with|against)|match(?:es|ed)?|rivals?|worse than|similarly to|compares? (?:favou?rably\s)?(?:to|with))\s(?:the\s|that of\s|a\s)?(?P<t>{{Ms}})"),
        ("trained-on", "strict", rf"(?P<h>{{Ms}}|{{A}})\s(?:\([^()]*\)\s)?(?:,\s)?(?:{_ADVERB}\s){{0,2}}(?:pre-?|fine-?|post-?|further\s|jointly\s)?(?:train|tun|finetun)ed\s(?:only\s|solely\s|entirely\s)?(?:on|with|using|from)\s(?:the\s|a\s)?(?:[\w\-,]+\s){{0,3}}?(?P<t>{{Ds}})"),
        ("trained-on", "object", rf"\b(?:pre-?|fine-?|post-?)?(?:train|tun|finetun)(?:e|s|es|ed|ing)?\s(?:the\s|a\s|our\s)?(?P<h>{{Ms}}|{{A}})\s(?:on|with|using)\s(?:the\s)?(?:[\w\-,]+\s){{0,3}}?(?P<t>{{Ds}})"),
        ("part-of", "strict", rf"(?P<h>{{Ms}}|{{Ds}})\s?,?\s(?:is|are|was|being)?\s?(?:a|an|one|the)?\s?(?:key|core|main|central)?\s?(?:component|part|module|subset|subsets|split|portion|subtask|stage)\s?(?:of|in|from)\s(?:the\s)?(?P<t>{{M}}|{{D}}|{{A}})"),
        ("applies-to", "strict", r"(?P<h>{H}|{D})\s?,?\s?(?:is\s)?(?:a|an|the|our)?\s?(?:[\w\-]+\s){0,4}?(?:for|to address|to tackle|to solve|designed for|applied to|tackles|addresses|solves)\s(?:the\s)?(?:[\w\-]+\s){0,2}?(?P<t>{Ts})"),
        ("evaluates-on", "object", rf"\b(?:evaluat|test|appl|assess|benchmark|validat|run|compar|experiment|instantiat)\w*\s(?:with\s)?{_FEW}(?P<h>{{Ms}})(?:\s\([^()]*\))?\s[^.;\ue000-\ue7ff]{{0,50}}?\b(?:on|across|using|over|in|with)\s{_DS}"),
        ("evaluates-on", "passive", rf"(?P<h>{{Ms}})\s(?:is|are|was|were|has been)\s(?:\w+\s){{0,2}}?(?:evaluated|tested|validated|assessed|benchmarked|scored|applied|run)\s(?:\w+\s){{0,3}}?(?:on|across|over|in|with)\s{_DS}"),
        ("evaluates-on", "scores", rf"(?P<h>{{H}})\s(?:also\s)?(?:achiev|reach|attain|obtain|score|get|yield|set|establish|show|perform)\w*\s[^.;]{{0,90}}?\b(?:on|across|over|in)\s{_DS}"),
        ("evaluates-on", "evaluate", rf"\b(?:evaluat|experiment|test(?:s|ed|ing)?\b|validat|assess|benchmark)[^.;]{{0,90}}?\b(?:on|across|over|using|with|in|:)\s{_DS}"),
        ("evaluates-on", "result", rf"\b(?:results?|performance|accuracy|scores?|achiev\w+|improv\w+|outperform\w*|gains?|attain\w*|obtain\w*|reach\w*|surpass\w*|reduc\w+|state-of-the-art|perform\w*|effective\w*|superior\w*)\b[^.;]{{0,110}}?\b(?:on|across|in|over|for)\s{_DS}"),
        ("evaluates-on", "figure", r"\d%?\s?\(?(?:[\w\-]+\s){0,3}?(?:on|in|for|across)\s(?:the\s)?(?P<t>{Ds})"),
        ("evaluates-on", "such", r"\b(?:benchmarks?|datasets?|data sets|test ?sets?|corpora|tasks?|environments?)\s?(?:,|:|\(|—|–)?\s?(?:\(?e\.g\.,?|i\.e\.,?|such as|including|like|namely|includes)?\s?(?P<t>{Ds})"),
        ("evaluates-on", "noun", r"\b(?:on|across|over|for|in|using)\s(?:the\s)?(?:[\w\-]+\s){0,3}?(?P<t>{Ds})\s(?:[\w\-]+\s){0,2}?(?:benchmarks?|datasets?|test ?sets?|tasks?|corpus|corpora|challenges?|leaderboard)"),
        ("evaluates-on", "on", r"\b(?:on|across)\s(?:the\s)?(?:[\w\-]+\s){0,2}?(?P<t>{Ds})"),
        ("improves-over", "outperform", rf"(?P<h>{{H}})(?:'s|’s)?\s[^.;\ue000-\ue7ff]{{0,60}}?\b(?:outperform|surpass|exceed|beat|outscore|overtake|outclass|dominat|top)(?:s|ed|ing|es)?\b\s(?:both\s|even\s|other\s)?{_MS}"),
        ("improves-over", "outperform-far", rf"\b(?:outperform|surpass|exceed|beat)(?:s|ed|ing|es)?\b(?!\sby)[^.;\ue000-\ue7ff]{{0,90}}?(?P<t>{{Ms}})"),
        ("improves-over", "better", rf"\b(?:better|higher|faster|lower|superior|stronger|smaller|fewer|less|more\s[\w\-]+)\s(?:[\w\-]+\s){{0,4}}?(?:than|to)\s(?:that of\s|those of\s)?{_MS}"),
        ("improves-over", "over", rf"\b(?:improv\w+|gains?|advantages?|increases?|speed-?up|advances?|boosts?|superiority|reductions?|win rate)\s[^.;\ue000-\ue7ff]{{0,60}}?\b(?:over|upon|against|on top of|relative to|compared (?:to|with))\s{_MS}"),
        ("improves-over", "compared", rf"\b(?:better|higher|lower|reduc\w+|improv\w+|superior|faster|gains?|increas\w+|sav\w+)\b[^.;]{{0,90}}?\b(?:compared (?:to|with)|in comparison (?:to|with)|relative to|versus|vs\.?|over)\s{_MS}"),
        ("improves-over", "rivals", rf"\b(?:outperform|surpass|beat|exceed|superior|better than|improv)\w*\b[^.;]{{0,90}}?\b(?:such as|including|like|e\.g\.,?|namely|i\.e\.,?)\s{_MS}"),
        ("compared-with", "compare", rf"\b(?:compar(?:e|es|ed|ing|ison|isons|able)|on par|competitive|match(?:es|ing)?|rival(?:s|ing)?|similar performance|contrast(?:ed)?)\b\s?(?:\w+\s){{0,3}}?(?:to|with|against|between|of)?\s{_MS}"),
        ("builds-on", "based", rf"\b(?:based on|built (?:up)?on(?: top of)?|builds? (?:up)?on|building (?:up)?on|on top of|grounded in|relies on|rely on|backbone)\s{_MS}"),
        ("builds-on", "extends", rf"\b(?:extend(?:s|ing)?|extension (?:of|to)|adapt(?:s|ed|ing)?|adaptation of|generaliz(?:es|ing|ation of)|modif(?:y|ies|ying|ied)|variants? of|version of|augment(?:s|ing)?|enhanc(?:es|ing)|improv(?:es|ing)|derived from|inspired by|motivated by|drawing (?:inspiration )?from)\s{_MS}"),
        ("builds-on", "tuned", rf"\b(?:fine-?tun(?:ed|ing|e|es)|initiali[sz]ed|distill(?:ed|ing)|pre-?trained|trained|continu\w+|adapted)\s(?:[\w\-]+\s){{0,2}}?(?:from|with|of|using|via|by|on)?\s?{_MS}"),
        ("builds-on", "combines", rf"\b(?:combin(?:es?|ing|ed|ation of)|integrat(?:es?|ing|ed|ion of)|incorporat(?:es?|ing|ed)|unif(?:y|ies|ying)|coupl(?:es?|ing|ed)|fus(?:es?|ing)|merg(?:es?|ing)|marr(?:y|ies)|unit(?:es|ing)|equip\w*|embed(?:s|ding))\s(?:[\w\-]+\s){{0,4}}?{_MS}"),
        ("builds-on", "with", rf"\b(?:with|into|and)\s{_FEW}(?P<t>{{Ms}})"),
        ("builds-on", "uses", rf"\b(?:us(?:es?|ing|ed)|utili[sz](?:es?|ing|ed)|leverag(?:es?|ing|ed)|employ(?:s|ing|ed)?|exploit(?:s|ing)?|appl(?:y|ies|ying)|adopt(?:s|ing|ed)?|harness(?:es|ing)?|introduc(?:es|ing)|invok(?:es|ing)|use of|power of|via|through|by|by means of|powered by|driven by|guided by)\s{_MS}"),
        ("builds-on", "hyphen", r"(?P<t>{M})(?:-|‐|‑|\s)(?:based|style|like|driven|inspired|enhanced|augmented|guided|powered|style|aware|equipped)\b"),
        ("builds-on", "apposed", r"(?P<h>{M})\s?(?:,|—|–|:|is|are)\s?(?:a|an|the|our|the first)\s(?:[\w\-,]+\s){0,5}?(?P<t>{Ms})"),
        ("builds-on", "apposed-far", r"(?P<h>{M})\s?(?:,|—|–|:|is|are)\s?(?:a|an|the|our|the first)\s[^.;\ue000-\ue7ff]{3,110}?(?P<t>{Ms})"),
        ("builds-on", "kind", r"\b(?:propos|introduc|present|develop|design)\w*\s(?:a|an|the|our)\s(?:[\w\-,]+\s){0,4}?(?P<t>{M})\s?(?:-based|method|model|framework|approach|architecture|algorithm|strategy|scheme|network|module|mechanism)"),
        ("builds-on", "propose", r"\b(?:propos|introduc|present|develop|design)\w*\s(?:[^.;]{0,160}?)(?P<t>{Ms})"),
        ("builds-on", "data", r"(?P<h>{D})[^.;\ue000-\uf1ff]{0,60}?\b(?:based on|built (?:up)?on|builds (?:up)?on|extends?|derived from|constructed from|extension of|collected from|from|version of|using|annotat\w+)\s(?:the\s)?(?:[\w\-]+\s){0,3}?(?P<t>{Ds})"),
        ("trained-on", "trained", rf"\b(?:pre-?train|fine-?tun|post-?train|train|instruction-?tun|finetun)\w*\b[^.;\ue800-\uefff]{{0,60}}?\b(?:on|with|using|over|from)\s{_DS}"),
        ("trained-on", "training", rf"\b(?:training (?:set|data|corpus)|trained)\b[^.;]{{0,50}}?(?P<t>{{Ds}})"),
        ("applies-to", "for", r"(?P<h>{H})[^.;]{0,120}?\bfor\s(?:the\s)?(?:[\w’'\-]+\s){0,4}?(?P<t>{Ts})"),
        ("applies-to", "for-any", r"\bfor\s(?:the\s)?(?:[\w’'\-]+\s){0,3}?(?P<t>{Ts})"),
        ("applies-to", "task", r"\b(?:tasks? of|problem of|task,|challenge of|focus(?:es|ing)? on|address(?:es|ing)?|tackl(?:es?|ing)|solv(?:es?|ing)|study|investigat\w+|approach to|aim(?:s|ed)? (?:at|to)|perform(?:s|ing)?|improv(?:es?|ing)|enhanc(?:es?|ing)|enabl(?:es?|ing)|support(?:s|ing)?|apply to|applied to|evaluat(?:es?|ing)|towards?)\s(?:the\s)?(?:[\w’'\-]+\s){0,4}?(?P<t>{Ts})"),
        ("applies-to", "on", r"\b(?:on|in|across|to|as)\s(?:the\s)?(?:[\w’'\-]+\s){0,4}?(?P<t>{Ts})"),
        ("applies-to", "tasks", r"(?P<t>{Ts})\s(?:tasks?|problems?|benchmarks?|datasets?|models?|systems?|methods?|frameworks?|performance)"),
        ("applies-to", "such", r"\b(?:tasks?|applications|problems|domains|challenges)\s?(?:,|:|\(|—|–)?\s?(?:\(?e\.g\.,?|i\.e\.,?|such as|including|like|namely)?\s?(?P<t>{Ts})"),
        ("part-of", "consists", r"(?P<t>{H})[^.;\ue000-\ue7ff]{0,60}?\b(?:consist(?:s|ing) of|compris(?:es|ing)|compos(?:ed|es)(?: of)?|contain(?:s|ing)?|includ(?:es|ing)|components?|modules?|stages|parts)\b[^.;\ue000-\ue7ff]{0,60}?(?P<h>{Ms})"),
        ("part-of", "subset", r"(?P<h>{D})[^.;\ue000-\uf1ff]{0,40}?\b(?:subset|part|split|portion|section|track|subtask)\b\s(?:of|from|in)\s(?:the\s)?(?:[\w\-]+\s){0,2}?(?P<t>{D})"),
    )
)  # fmt: skip

_NOT: Final = re.compile(
    r"\b(?:not(?! only| just| merely| limited)|n[’']t|never|cannot|fail(?:s|ed)? to|neither|nor|unable to|"
    r"without|no (?:improvement|gain|benefit|evidence|significant|better)|"
    r"struggl(?:es?|ing) to|under-?perform\w*|rather than|instead of|unlike|in contrast to)\b",
    re.IGNORECASE,
)
_MAYBE: Final = re.compile(
    r"\b(?:could|might|may|would|should|plan(?:s|ned)? to|future work|in (?:the )?future|"
    r"we (?:hope|expect|intend|aim|hypothesi[sz]e|conjecture|speculate)|whether|if|potential(?:ly)?|"
    r"possib(?:le|ly)|presumably|(?:is|are) (?:said|claimed|believed|reported|expected|assumed) to|"
    r"(?:has|have) been (?:claimed|reported|suggested)|allegedly|supposedly|going to|planned|"
    r"claim(?:s|ed)? that)\b",
    re.IGNORECASE,
)


def negated(clause: str) -> bool:
    """Whether the clause denies what it is about."""
    return bool(_NOT.search(clause))


def hedged(clause: str) -> bool:
    """Whether the clause plans, supposes or quotes what it is about."""
    return bool(_MAYBE.search(clause))


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
    return FAMILY.get(thing.kind, "method")


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


def _sentence(
    found: Skeleton, entities: Sequence[Entity], chief: Contribution
) -> Iterator[tuple[int | None, str, int, str, str]]:
    """Yield (subject, predicate, object, rule, clause) of one sentence."""
    if not found.things:
        return
    here = {_family(thing) for thing in found.things.values()}
    for predicate, name, kind, pattern in _RULES:
        if kind not in here:
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
                clause = found.text[match.start("h") : match.end()]
            else:
                heads = [_subject(found, match.start(), chief, entities)]
                clause = found.text[max(0, match.start() - 40) : match.end()]
            for how, subject in heads:
                who = "paper" if subject is None else how
                for tail in tails:
                    fits, object_ = resolve(tail, chief)
                    if fits and object_ is not None:
                        yield subject, predicate, object_, f"{predicate}:{name}:{who}", clause
                    # a method that the sentence has as subject, and the paper's own beside it
                    if how in ("new", "known") and fits and object_ is not None:
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
        for subject, predicate, object_, name, clause in _sentence(found, entities, chief):
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


def grouped(
    found: Sequence[Relation], entities: Sequence[Entity]
) -> dict[tuple[int | None, str, int], tuple[set[str], list[Relation]]]:
    """Return for each claim the signs that speak for it, and what was found.

    Passages that deny or only suppose it are signs of their own.
    """
    out: dict[tuple[int | None, str, int], tuple[set[str], list[Relation]]] = {}
    for relation in found:
        subject, predicate, object_ = relation[:3]
        signs, rows = out.setdefault((subject, predicate, object_), (set(), []))
        rows.append(relation)
        if relation.negated or relation.hedged:
            signs.add(f"{predicate}:{'negated' if relation.negated else 'hedged'}")
        else:
            signs.add(relation.rule)
    for (subject, predicate, object_), (signs, rows) in out.items():
        tail = entities[object_]
        head = "PAPER" if subject is None else entities[subject].type
        signs.add(f"{predicate}:types:{head}:{tail.type}")
        known = "known" if tail.rule.startswith("entity:gazetteer") else "new"
        signs.add(f"{predicate}:tail:{known}:{min(3, len(tail.mentions))}")
        signs.add(f"{predicate}:sure:{int(tail.confidence * 4)}")
        passages = len({r.start for r in rows if ":any:" not in r.rule})
        signs.add(f"{predicate}:passages:{min(3, passages)}")
    return out


def claims(
    found: Sequence[Relation],
    entities: Sequence[Entity],
    rules: Rules,
    threshold: float,
    least: Mapping[str, float] | None = None,
) -> list[Claim]:
    """Return each claim once, with its confidence and the passage that states it best.

    A claim that its passages only deny or suppose is returned as such, if the words are plain.
    ``least`` gives predicates a threshold of their own.
    """
    out: list[Claim] = []
    for (subject, predicate, object_), (signs, rows) in grouped(found, entities).items():
        plain = [r for r in rows if not r.negated and not r.hedged]
        cued = [r for r in rows if ":any:" not in r.rule]
        pool = [r for r in plain if ":any:" not in r.rule] or plain or cued or rows
        best = max(pool, key=lambda r: (rules.weight(r.rule), -r.start, r.rule))
        denied = bool(cued) and not any(r in plain for r in cued)
        if denied:
            best = max(cued, key=lambda r: (rules.weight(r.rule), -r.start, r.rule))
            signs = {s for s in signs if not s.endswith((":negated", ":hedged"))}
            signs |= {r.rule for r in cued}
        confidence = rules(predicate, signs)
        if confidence >= (least or {}).get(predicate, threshold):
            out.append(
                Claim(subject, predicate, object_, best.start, best.end, confidence, best.rule,
                      denied and best.negated, denied and best.hedged)
            )  # fmt: skip
    return out
