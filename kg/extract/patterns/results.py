"""Results: which figures a paper reports, of what, on what, by which measure, against whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kg.extract.document import Entity
from kg.extract.patterns.contribution import Contribution
from kg.extract.patterns.figures import Figure, figures
from kg.extract.patterns.measured import Rules
from kg.extract.patterns.relations import bones
from kg.extract.patterns.skeleton import Anaphor, Skeleton, Thing

__all__ = ["Reading", "Reported", "readings", "results"]


class Reported(NamedTuple):
    """A result: the fields of :class:`kg.records.Result`, entities by index, None for the paper.

    ``subject`` is an index, -1 for the paper, or None where nobody is told.
    """

    start: int
    end: int
    subject: int | None
    benchmark: int | None
    metric: int | None
    value: float | None
    unit: str
    baseline: int | None
    baseline_value: float | None
    delta: float | None
    direction: str
    confidence: float
    rule: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A figure in the skeleton of its sentence, with the signs that tell what it is."""

    figure: Figure
    at: int
    bones: Skeleton
    span: tuple[int, int]
    signs: frozenset[str]
    roles: frozenset[str]


_FROM: Final = re.compile(r"\bfrom\s(?:[\w\-]+\s){0,3}\(?[~≈]?$")
_TO: Final = re.compile(
    r"\s?\)?(?:[^.;\uf600-\uf7ff]{0,40}?)\b(?:to|up to|down to)\s[^.;\uf600-\uf7ff]{0,25}$"
)
_UP: Final = (
    r"improv\w*|increas\w*|gain\w*|higher|better|outperform\w*|boost\w*|surpass\w*|exceed\w*|faster|"
    r"speed-?ups?|speeds?|accelerat\w*|ris(?:e|es|ing)|rais(?:e|es|ed|ing)|enhanc\w*|lift\w*|advance\w*|"
    r"jump\w*|grow\w*|beat\w*|more|over|superior|up|doubl\w*|greater|larger|best|state-of-the-art"
)
_DOWN: Final = (
    r"reduc\w*|decreas\w*|drop\w*|lower\w*|fewer|less|declin\w*|degrad\w*|worse\w*|fall\w*|loss\w*|"
    r"lost|cut\w*|sav(?:e|es|ed|ing|ings)|shrink\w*|smaller|behind|deteriorat\w*|slower|collapse\w*|"
    r"fell|halv\w*|eliminat\w*|compress\w*|down"
)
_TURN: Final = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
_CUE: Final = re.compile(
    r"\b(?P<c>achiev|improv|outperform|reduc|increas|gain|reach|obtain|surpass|exceed|report|attain|"
    r"accura|perform|result|experiment|evaluat|show|state-of-the-art|decreas|drop|speed|faster|"
    r"annotat|contain|consist|collect|only|train|param|dataset|languages|hours|average|respectively|"
    r"compared|baseline|up to|agreement|correlat|rate|cost|human|error|win)\w*",
    re.IGNORECASE,
)
_BASE: Final = re.compile(
    r"(?:compared (?:to|with)|versus|vs\.?|than|against|over|from|as opposed to|relative to|while|"
    r"baseline(?:'s|’s)?(?: of)?|instead of|where(?:as)?)\s[^,;\uf600-\uf7ff]{0,40}$",
    re.IGNORECASE,
)
_E: Final = "[\uf400-\uf5ff]"
_D: Final = "[\ue800-\uefff]"
_M: Final = "[\ue000-\ue7ff]"
_N: Final = "[\uf600-\uf7ff]"
_LIST: Final = r"(?:\s?(?:,|/|and|or|,\s?and|as well as|&|\(|\))\s?(?:[\w\-]+\s){0,3}?)"


def readings(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    begin: int,
) -> Iterator[Reading]:
    """Yield every figure of ``text`` outside names, with its signs."""
    taken = [(m.start, m.end) for e in entities for m in e.mentions]
    found = figures(text, taken)
    if not found:
        return
    for span in sentences:
        here = [f for f in found if span[0] <= f.start and f.end <= span[1]]
        if not here:
            continue
        things = [Thing(f.start, f.end, "figure", i) for i, f in enumerate(here)]
        skeleton = bones(text, span, entities, things)
        cues = {m["c"].lower() for m in _CUE.finditer(skeleton.text)}
        for sign, thing in skeleton.things.items():
            if thing.kind == "figure":
                at = skeleton.text.find(sign)
                if at < 0:
                    continue
                figure = here[thing.item]
                signs = frozenset(
                    _signs(figure, skeleton.text, at, cues, len(here), span[0] < begin)
                )
                yield Reading(
                    figure,
                    at,
                    skeleton,
                    span,
                    frozenset(f"figure:{s}" for s in signs),
                    frozenset(f"delta:{s}" for s in signs),
                )


_TOKEN: Final = re.compile(r"[\ue000-\uf8ff]|[\w\-]+|[^\w\s]")


def _class(word: str) -> str:
    code = ord(word[0])
    if code < 0xE000 or code > 0xF8FF:
        return word.lower()
    for low, name in (
        (0xF800, "@A"),
        (0xF600, "@N"),
        (0xF400, "@E"),
        (0xF000, "@T"),
        (0xE800, "@D"),
    ):
        if code >= low:
            return name
    return "@M"


def _signs(
    figure: Figure, text: str, at: int, cues: set[str], count: int, title: bool
) -> Iterator[str]:
    unit = figure.unit or "none"
    shape = "decimal" if "." in figure.written else "big" if figure.value >= 1000 else "whole"
    yield f"unit:{unit}"
    yield f"form:{unit}:{shape}"
    if figure.signed:
        yield "signed"
    if figure.low is not None:
        yield "range"
    before = [_class(w) for w in _TOKEN.findall(text[max(0, at - 60) : at])]
    after = [_class(w) for w in _TOKEN.findall(text[at + 1 : at + 60])]
    for i, word in enumerate(reversed(before[-3:])):
        yield f"before{i}:{word}"
    for i, word in enumerate(after[:3]):
        yield f"after{i}:{word}"
    if len(before) > 1:
        yield f"before:{before[-2]} {before[-1]}"
    if len(after) > 1:
        yield f"after:{after[0]} {after[1]}"
    yield f"around:{unit}:{before[-1] if before else '^'} {after[0] if after else '$'}"
    near = set(before[-6:]) | set(after[:6])
    for kind in ("@E", "@D", "@M", "@A"):
        if kind in near:
            yield f"near:{kind}"
    for kind, range_ in (("E", _E), ("D", _D), ("M", _M)):
        if re.search(range_, text):
            yield f"has:{kind}"
    for cue in cues:
        yield f"cue:{unit != 'none'}:{cue}"
    yield f"count:{min(5, count)}"
    if title:
        yield "title"


def results(
    text: str,
    sentences: Sequence[tuple[int, int]],
    entities: Sequence[Entity],
    chief: Contribution,
    begin: int,
    rules: Rules,
    threshold: float = 0.5,
) -> list[Reported]:
    """Return the results of ``text`` whose confidence is at least ``threshold``, in order."""
    kept: list[tuple[Reading, float]] = []
    for reading in readings(text, sentences, entities, begin):
        confidence = rules("figure", reading.signs)
        if confidence >= threshold:
            kept.append((reading, confidence))
    benchmarks = [i for i, e in enumerate(entities) if e.type == "Benchmark"]
    metrics = [i for i, e in enumerate(entities) if e.type == "Metric"]
    out: list[Reported] = []
    skip: set[int] = set()
    for index, (reading, confidence) in enumerate(kept):
        if index in skip:
            continue
        figure, bare = reading.figure, reading.bones.text
        tail = bare[: reading.at]
        pair = kept[index + 1][0] if index + 1 < len(kept) else None
        value = delta = base = None
        unit, name = figure.unit, "value"
        if (
            pair is not None
            and pair.bones is reading.bones
            and _FROM.search(tail)
            and _TO.match(bare[reading.at + 1 : pair.at])
        ):
            base, value, name = figure.value, pair.figure.value, "from-to"
            unit = pair.figure.unit or unit
            confidence = max(confidence, kept[index + 1][1])
            skip.add(index + 1)
        elif figure.unit in ("x", "pp") or rules("delta", reading.roles) >= 0.5:
            delta, name = figure.value, "delta"
        elif (
            out
            and index
            and kept[index - 1][0].bones is reading.bones
            and out[-1].value is not None
            and out[-1].baseline_value is None
            and out[-1].unit == figure.unit
            and _BASE.search(tail)
        ):
            out[-1] = out[-1]._replace(
                baseline_value=figure.value, rule="result:compared",
                direction="up" if (out[-1].value or 0) >= figure.value else "down",
            )  # fmt: skip
            continue
        else:
            value = figure.value
        direction = _direction(bare, reading.at, delta is not None)
        if base is not None and value is not None:
            direction = "up" if value >= base else "down"
        out.append(
            Reported(
                *reading.span,
                _head(reading, entities, chief),
                _benchmark(reading, benchmarks),
                _metric(reading, metrics),
                value,
                unit,
                _baseline(reading, chief),
                base,
                delta,
                direction,
                confidence,
                f"result:{name}",
            )
        )
    return out


def _direction(text: str, at: int, moved: bool) -> str:
    """Return the way the figure moved, by the nearest word of movement in its clause."""
    if not moved:
        return ""
    left = re.split(r"[;]", text[max(0, at - 90) : at])[-1]
    right = re.split(r"[;,]", text[at + 1 : at + 50])[0]
    best: tuple[int, str] | None = None
    for match in _TURN.finditer(right):
        best = (match.start(), "up" if match["up"] else "down")
        break
    for match in _TURN.finditer(left):
        distance = len(left) - match.end() + 3
        if best is None or distance < best[0]:
            best = (distance, "up" if match["up"] else "down")
    return best[1] if best else ""


def _aligned(reading: Reading, kind: str) -> Thing | None:
    """Return the member of a list of things that stands as far along as the figure in its list."""
    text, things = reading.bones.text, reading.bones.things
    for numbers in re.finditer(rf"{_N}(?:\s?{_E})?(?:{_LIST}{_N}(?:\s?{_E})?)+", text):
        if not numbers.start() <= reading.at < numbers.end():
            continue
        count = re.findall(_N, numbers[0])
        place = count.index(text[reading.at])
        best: tuple[int, str] | None = None
        for row in re.finditer(rf"{kind}(?:{_LIST}{kind})+", text):
            names = re.findall(kind, row[0])
            if len(names) == len(count):
                distance = abs(row.start() - numbers.start())
                if best is None or distance < best[0]:
                    best = (distance, names[place])
        if best:
            return things[best[1]]
    return None


def _near(reading: Reading, kind: str, after: str, before: str) -> int | None:
    """Return the entity of ``kind`` that the patterns bind to the figure, else the nearest."""
    text, things, at = reading.bones.text, reading.bones.things, reading.at
    aligned = _aligned(reading, kind)
    if aligned is not None:
        return aligned.item
    match = re.match(rf"{after}(?P<x>{kind})", text[at + 1 :])
    if match:
        return things[match["x"]].item
    match = re.search(rf"(?P<x>{kind}){before}$", text[:at])
    if match:
        return things[match["x"]].item
    best: tuple[float, int] | None = None
    for found in re.finditer(kind, text):
        distance = float(abs(found.start() - at))
        between = text[min(found.start(), at) : max(found.start(), at)]
        distance += 25 * len(re.findall(rf"[;]|{_N}", between[1:]))
        if best is None or distance < best[0]:
            best = (distance, things[found[0]].item)
    return best[1] if best else None


def _metric(reading: Reading, metrics: Sequence[int]) -> int | None:
    if reading.figure.unit == "x" and not re.search(_E, reading.bones.text):
        return None
    found = _near(
        reading,
        _E,
        r"\s?\(?(?:(?:absolute|relative|average|improvement|gain|increase|in|of|on|the|drop|higher|"
        r"lower|better|reduction|decrease|points?|\w+)\s){0,3}?",
        r"\s?(?:scores?|rates?)?\s?(?:of|by|to|at|is|=|:|\(|from|was|reaches|up to|improvement|"
        r"gain|"
        r"above|over|around|approximately|about|~|≈|\s){0,4}",
    )
    if found is None and len(metrics) == 1:
        return metrics[0]
    return found


def _benchmark(reading: Reading, benchmarks: Sequence[int]) -> int | None:
    found = _near(
        reading,
        _D,
        rf"[^;{_N[1:-1]}]{{0,40}}?\b(?:on|in|for|across|over|of)\s(?:the\s)?(?:[\w\-]+\s){{0,3}}?",
        r"\s?(?:\(|:|=|by|of)\s?",
    )
    if found is None and len(benchmarks) == 1:
        return benchmarks[0]
    return found


def _head(reading: Reading, entities: Sequence[Entity], chief: Contribution) -> int | None:
    """Return the subject: -1 for the paper, None where nobody is told."""
    text, things = reading.bones.text, reading.bones.things
    paper = -1 if chief.method is None else chief.method
    match = re.match(rf"\s?(?:for|by|with|using|from|\()\s?(?P<x>{_M})", text[reading.at + 1 :])
    if match:
        return things[match["x"]].item
    other: int | None = None
    for sign in text[: reading.at]:
        thing = things.get(sign)
        if thing is None:
            continue
        if thing.kind == "anaphor" and thing.item != Anaphor.DATA:
            return paper
        if thing.kind in ("Method", "Model"):
            if thing.item in chief.introduced:
                return thing.item
            other = thing.item if other is None else other
    if other is None and _NOBODY.search(text[: reading.at]):
        return None
    return paper if other is None else other


_NOBODY: Final = re.compile(
    r"\b(?:best|top|strongest|most|many|all|existing|current|leading|frontier|"
    r"(?:even )?state-of-the-art)(?:[- ]performing)?\s(?:[\w\-]+\s){0,3}?"
    r"(?:models?|systems?|LLMs?|VLMs?|methods?|teams?|agents?|submissions?)\s(?:[\w\-]+\s){0,3}?(?:achiev|reach|score|obtain|attain|get|yield|only|struggl|"
    r"solve|fail|drop|perform)",
    re.IGNORECASE,
)
_RIVAL: Final = re.compile(
    rf"\b(?:over|than|compared (?:to|with)|against|outperform\w*|surpass\w*|exceed\w*|beat\w*|"
    rf"versus|vs\.?|relative to|improv\w+)\s(?:[\w’'\-]+\s){{0,5}}?(?P<x>{_M})"
)


def _baseline(reading: Reading, chief: Contribution) -> int | None:
    aligned = _aligned(reading, _M)
    if aligned is not None and aligned.item not in chief.introduced:
        return aligned.item
    text = reading.bones.text
    best: tuple[int, int] | None = None
    for match in _RIVAL.finditer(text):
        item = reading.bones.things[match["x"]].item
        if item in chief.introduced:
            continue
        distance = abs(match.start() - reading.at)
        if distance < 140 and (best is None or distance < best[0]):
            best = (distance, item)
    return best[1] if best else None
