"""Entities by gazetteer and patterns.

Candidates come from the gazetteer, from the shape of names, from words that announce a name, from
defined abbreviations and from head nouns. Each has the measured precision of its rule; the sure
ones are found everywhere in the abstract, and the spellings of one name become one entity.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from kg.extract.abbreviations import Pair
from kg.extract.document import Entity, Finding
from kg.extract.gazetteer import Found, Gazetteer, Name, normal
from kg.extract.patterns.kinds import cues, defined_as
from kg.extract.patterns.measured import TYPES, Kinds, Rules
from kg.extract.patterns.names import Candidate, capital, coined, cued, shape, title_case
from kg.extract.patterns.phrases import Phrases

__all__ = ["EntityFinder"]

FOLDER: Final = Path(__file__).parent
_URL: Final = re.compile(
    r"(?:https?://|www\.|(?<![\w.])(?:github|gitlab|huggingface|bit|tinyurl|goo|osf|zenodo)\.\w+)"
    r"[^\s)\]}>,]*",
    re.IGNORECASE,
)
_CONTEXT: Final = frozenset(("place", "times", "words", "before", "after", "subject", "defined"))
"""Signs that speak for a candidate, but find none."""
_LAST: Final = re.compile(r"(\w+|[^\w\s])\s?$")
_NEXT: Final = re.compile(r"\s?(\w+|[^\w\s])")
_DETERMINER: Final = re.compile(
    r"(?:the|a|an|our|its|their|this|these|proposed|novel|new|original|standard|popular|"
    r"The|A|An|Our|Its|This|These|We)\s+"
)
_TRAIL: Final = re.compile(
    r"\s+(?:datasets?|benchmarks?|corpus|corpora|frameworks?|approach(?:es)?|methods?|methodology|"
    r"algorithms?|systems?|toolkit|tasks?|models?|architectures?|leaderboard|test ?sets?|"
    r"techniques?)$"
)


class EntityFinder:
    """Finds the entities of a text.

    Parameters
    ----------
    gazetteer : the well-known names.
    phrases : the head nouns.
    rules, kinds : measured figures of the rules.
    refused : forms that look like names and are none, in lower case ("llms").
    threshold : least confidence of what is kept, 0 to 1.
    """

    def __init__(
        self,
        gazetteer: Gazetteer,
        phrases: Phrases,
        rules: Rules,
        kinds: Kinds,
        refused: frozenset[str],
        threshold: float = 0.4,
    ) -> None:
        self.gazetteer = gazetteer
        self.phrases = phrases
        self.rules = rules
        self.kinds = kinds
        self.refused = refused
        self.threshold = threshold

    def candidates(
        self,
        text: str,
        sentences: Sequence[tuple[int, int]],
        pairs: Sequence[Pair],
        begin: int,
        known: Sequence[Found] | None = None,
    ) -> dict[tuple[int, int], tuple[set[str], set[str]]]:
        """Return for each span that may be a name the rules that found it and the types implied.

        Parameters
        ----------
        text : title, blank line, abstract; or the abstract alone.
        sentences, pairs : its sentences and its abbreviations.
        begin : where the abstract starts.
        known : what the gazetteer finds, if it was asked already.
        """
        starts = frozenset(start for start, _ in sentences)
        found = [
            *coined(text),
            *capital(text, starts, begin),
            *title_case(text, starts, begin),
            *cued(text, starts, begin),
            *self.phrases.find(text, begin),
        ]
        for a, b, c, d in pairs:
            length = min(4, b - a)
            found.append(Candidate(a, b, f"abbreviation:{length}"))
            found.append(Candidate(c, d, f"abbreviation-long:{length}"))
        for name in self.gazetteer.find(text) if known is None else known:
            found.append(Candidate(name.start, name.end, _trust(name.name), name.name.type))
        addresses = [m.span() for m in _URL.finditer(text)]
        out: dict[tuple[int, int], tuple[set[str], set[str]]] = {}
        for candidate in found:
            start, end = self._trimmed(text, candidate)
            surface = text[start:end]
            if len(surface) < 2:
                continue
            if candidate.rule.startswith("row") and self._refuses(surface.rpartition(" ")[2]):
                continue
            if self._refuses(surface) and not candidate.rule.startswith("gazetteer"):
                continue
            if any(a < end and start < b for a, b in addresses):
                continue
            rules, types = out.setdefault((start, end), (set(), set()))
            if not rules:
                rules.add("entity:place:" + ("title" if start < begin else "text"))
                rules.add("entity:times:" + str(min(3, text.count(surface))))
                rules.add("entity:words:" + str(min(5, surface.count(" ") + 1)))
                rules.update("entity:" + sign for sign in _around(text, start, end, starts))
            rules.add("entity:" + candidate.rule)
            if candidate.type:
                types.add(candidate.type)
        return out

    def _trimmed(self, text: str, candidate: Candidate) -> tuple[int, int]:
        start, end = candidate.start, candidate.end
        while (match := _DETERMINER.match(text, start, end)) is not None:
            start = match.end()
        trail = _TRAIL.search(text, start, end)
        if trail and not candidate.rule.startswith("head"):
            end = trail.start()
        while start < end and text[start] in " \"'“”‘’`(*":
            start += 1
        while start < end and text[end - 1] in " \"'“”‘’`,;:.)":
            end -= 1
        if end - start > 2 and text[end - 2 : end] in ("'s", "’s"):
            end -= 2
        return start, end

    def _refuses(self, name: str) -> bool:
        low = name.lower()
        return low in self.refused or " ".join(normal(name)) in self.refused

    def find(
        self,
        text: str,
        sentences: Sequence[tuple[int, int]],
        pairs: Sequence[Pair],
        begin: int = 0,
    ) -> list[Entity]:
        """Return the entities of ``text`` in the order of their first mentions."""
        looked_up = self.gazetteer.find(text)
        known = {normal(text[f.start : f.end]): f.name for f in looked_up}
        findings = []
        found = self.candidates(text, sentences, pairs, begin, looked_up)
        for (start, end), (rules, _) in found.items():
            confidence = self.rules("entity", rules)
            if confidence >= self.threshold:
                own = [r for r in rules if r.split(":")[1] not in _CONTEXT]
                findings.append(Finding(start, end, self.rules.best(own), confidence))
        mentions = self._everywhere(text, _choose(findings))
        return self._clusters(text, mentions, pairs, known)

    def _everywhere(self, text: str, kept: Sequence[Finding]) -> list[Finding]:
        """Add every other place where a kept name stands, as written."""
        best: dict[str, Finding] = {}
        for finding in kept:
            name = text[finding.start : finding.end]
            if name not in best or finding.confidence > best[name].confidence:
                best[name] = finding
        found = {(f.start, f.end): f for f in kept}
        for name, finding in best.items():
            if name.islower() and finding.rule.startswith("entity:head"):
                continue
            at = text.find(name)
            while at >= 0:
                end = at + len(name)
                if (
                    (at, end) not in found
                    and not (at and (text[at - 1].isalnum() or text[at - 1] == "_"))
                    and not (text[end : end + 1].isalnum())
                    and not re.match(r"[-‐‑.]\d", text[end : end + 2])
                ):
                    found[at, end] = Finding(at, end, finding.rule, finding.confidence)
                at = text.find(name, at + 1)
        return _choose(found.values())

    def _clusters(
        self,
        text: str,
        mentions: Sequence[Finding],
        pairs: Sequence[Pair],
        known: dict[tuple[str, ...], Name],
    ) -> list[Entity]:
        """Group mentions of one name; abbreviation and long form are one."""
        same: dict[tuple[str, ...], tuple[str, ...]] = {}
        for a, b, c, d in pairs:
            same[normal(text[a:b])] = normal(text[c:d])
        groups: dict[tuple[str, ...], list[Finding]] = {}
        for mention in mentions:
            key = normal(text[mention.start : mention.end])
            groups.setdefault(same.get(key, key), []).append(mention)
        entities: list[Entity] = []
        taken: set[str] = set()
        for group in groups.values():
            spans = [(m.start, m.end) for m in group]
            bias: dict[str, float] = defaultdict(float)
            for key in {normal(text[a:b]) for a, b in spans}:
                if key in known:
                    name = known[key]
                    bias[name.type] += 6 * name.agreement * (1 if name.papers > 2 else 0.6)
            for finding in group:
                if finding.rule.startswith("entity:head:"):
                    kind = self.phrases.heads.get(finding.rule.split(":")[2])
                    if kind:
                        bias[kind] += 1.5
            found = set(cues(text, spans))
            if {"k:corpus", "t:unscored"} <= found:
                bias["Dataset"] += 2.5  # called a corpus, and nothing in the text is scored
            shares = self.kinds(found, bias)
            best = max(range(len(TYPES)), key=lambda i: (shares[i], -i))
            surface = _name({text[a:b] for a, b in spans}, text)
            if surface in taken:
                continue
            taken.add(surface)
            top = max(group, key=lambda m: (m.confidence, -m.start))
            entities.append(Entity(surface, TYPES[best], top.confidence, top.rule, group))
        return entities


def _around(text: str, start: int, end: int, starts: frozenset[int]) -> Iterator[str]:
    """Yield signs about the words beside a candidate."""
    before = _LAST.search(text, max(0, start - 24), start)
    after = _NEXT.match(text, end, end + 24)
    yield "before:" + (before[1].lower() if before else "")
    yield "after:" + (after[1].lower() if after else "")
    if start in starts and after:
        yield "subject:" + after[1].lower()
    noun = defined_as(text, end)
    if noun:
        yield "defined:" + noun


def _trust(name: Name) -> str:
    """Return the rule's name for a name of the gazetteer, by how far it can be trusted."""
    if not name.seen:
        return f"gazetteer:unseen:{name.type}"
    if not name.papers:
        return f"gazetteer:never:{min(3, name.seen)}"
    papers = str(name.papers) if name.papers < 3 else "5" if name.papers < 6 else "many"
    return f"gazetteer:{papers}:{round(name.precision * 10)}"


def _choose(findings: Iterable[Finding]) -> list[Finding]:
    """Keep what does not overlap: the longer and surer first; sorted by place."""

    def worth(f: Finding) -> tuple[float, int, int]:
        listed = 0.25 if f.rule.startswith("entity:gazetteer") else 0.0
        return (-(f.confidence + listed + 0.02 * (f.end - f.start)), f.start, f.end)

    kept: list[Finding] = []
    for finding in sorted(findings, key=worth):
        place = bisect_left(kept, finding.start, key=lambda f: f.start)
        before = place > 0 and kept[place - 1].end > finding.start
        after = place < len(kept) and kept[place].start < finding.end
        if not before and not after:
            kept.insert(place, finding)
    return kept


def _name(surfaces: set[str], text: str) -> str:
    """Return the name of an entity: a proper short name if there is one, else the longest."""
    proper = [s for s in surfaces if " " not in s and shape(s)]
    if proper:
        return max(proper, key=lambda s: (text.count(s), len(s), s))
    return max(surfaces, key=lambda s: (len(s), s))
