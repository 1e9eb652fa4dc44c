"""Coined names by their shape: CamelCase, acronyms, digits and hyphens, capitals in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Candidate", "capital", "coined", "cued", "shape", "title_case"]


class Candidate(NamedTuple):
    """A span that may name an entity.

    Attributes
    ----------
    start, end : characters of the text.
    rule : name of the rule that found it.
    type : entity type that the rule implies, or "".
    """

    start: int
    end: int
    rule: str
    type: str = ""


_SLASHES: Final = re.compile(r"[-‐‑/]")
_HYPHENS: Final = re.compile(r"[-‐‑]")
_CAMEL: Final = re.compile(r"[a-zß-ÿ][A-Z]|[A-Z]{2,}[a-z]")
_DIGIT: Final = re.compile(r"\d")
_JOIN: Final = r"(?:[-‐‑](?=\w)|\.(?=\d)|@(?=\w)|\^(?=\w)|&(?=[A-Z])|(?<=[A-Z])/(?=[A-Z]\b))"
_RUN: Final = re.compile(rf"(?<![\w@\\])\w+(?:{_JOIN}\w+)*(?:\+\+?|\*(?!\w))?")
_TAIL_WORDS: Final = (
    "based style like level trained pretrained pre enhanced driven aware specific guided "
    "augmented powered generated free tuned finetuned fine only oriented related inspired "
    "wise type family class scale shot sized annotated assisted centric agnostic induced "
    "derived equipped compatible infused informed conditioned supervised optimized bound "
    "intensive intensity constrained dependent independent friendly accelerated integrated "
    "empowered boosted labeled labelled hosted native capable ready side served initialized "
    "focused adapted sourced written translated speaking language domain side bit way hop "
    "step layer year day hour dimensional parameter to as a the in the-art art "
)
_TAIL: Final = frozenset(_TAIL_WORDS.split())
_LEAD_WORDS: Final = (
    "non pre post multi cross sub anti un semi self inter intra state large small low high "
    "long short few zero one two three four five fine coarse open closed real real-world "
    "human machine end token sentence word document task domain data model text vision image "
    "video audio speech language knowledge graph chain train test time cost state-of well "
    "hand well-known top best single double full half bi tri uni co re de out in on off up "
    "down first second third next pos plug black white gray grey deep near far mid general "
    "special "
)
_LEAD: Final = frozenset(_LEAD_WORDS.split())
_MODEL: Final = re.compile(
    r"(?:^|\b|[a-z])(?:Chat)?(?:GPT|LLaMA|LLAMA|Llama|Qwen|QwQ|Mistral|Mixtral|Gemma|Gemini|Claude|"
    r"PaLM|Flan|FLAN|T5|OPT|Phi|DeepSeek|Vicuna|Falcon|BLOOMZ?|Pythia|GLM|InternLM|InternVL|"
    r"Baichuan|CLIP|ViT|Whisper|LLaVA|Yi|StarCoder|CodeLlama|Alpaca|BERT|RoBERTa|OLMo|Kimi|Grok|"
    r"Command|MiniCPM|Codex|BART|Claude|Nemotron)"
)
_VERSION: Final = re.compile(
    r"(?:[ -](?:v?\d+(?:\.\d+)*(?:[BbMm](?![a-z]))?|[Ll]arge|[Bb]ase|[Ss]mall|[Mm]ini|[Nn]ano|XL|"
    r"XXL|Pro|"
    r"Flash|Turbo|turbo|Ultra|Opus|Sonnet|Haiku|Instruct|Chat|Coder|Max|Plus|VL|Lite|Thinking)\b"
    r"(?!%|\.\d| ?(?:x|×|points?|languages|tasks|datasets|benchmarks|layers)\b))+"
)
_NUMBER: Final = re.compile(r"[ -]?v?\d\.\d\b(?![\d.]|\s?(?:%|x\b|×|points?\b|±))")
_CONNECT_WORDS: Final = "of to and the in then as with by for on or a an via at vs "
_CONNECT: Final = frozenset(_CONNECT_WORDS.split())


def shape(name: str) -> str:
    """Return the shape of ``name``, or "" if it does not look coined.

    ``camel``, ``acronym2``, ``acronym3``, ``acronym4`` (or longer), ``alnum``, ``compound`` (a
    hyphen, and a part that is one of these), ``hyphen`` (all parts capitalised).

    Examples
    --------
    >>> [shape(n) for n in ("RoBERTa", "GLUE", "GPT4", "XLM-R", "Leap-of-Thought", "Large")]
    ['camel', 'acronym4', 'alnum', 'compound', 'hyphen', '']
    """
    parts = _SLASHES.split(name)
    kinds = [_part(part) for part in parts]
    if len(parts) == 1:
        return kinds[0]
    if any(kinds):
        return "compound"
    if (
        all(p[:1].isupper() or p in _CONNECT or p.isdigit() for p in parts)
        and parts[0][:1].isupper()
    ):
        return "hyphen"
    return ""


_SIZE: Final = re.compile(r"\d+(?:\.\d+)?[KMBTG]")


def _part(part: str) -> str:
    bare = part.rstrip("+*")
    stem = bare[:-1] if bare.endswith("s") and bare[:-1].isupper() else bare
    letters = [c for c in stem if c.isalpha()]
    if not letters or not any(c.isupper() for c in letters) or _SIZE.fullmatch(stem):
        return ""
    if "@" in stem:
        return "alnum"
    if any(c.isdigit() for c in stem):
        return "alnum" if len(letters) > 1 or len(stem) > 1 else ""
    if all(c.isupper() for c in letters):
        return "" if len(letters) < 2 else f"acronym{min(4, len(letters))}"
    if _CAMEL.search(stem):
        return "camel"
    return ""


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Cut generic first and last parts of a hyphenated run ("BERT-based", "non-GPT")."""
    run = text[start:end]
    parts = _HYPHENS.split(run)
    while len(parts) > 1 and parts[0].lower() in _LEAD and not _part(parts[0]):
        if parts[0][:1].isupper() and shape("-".join(parts[1:])) in ("", "hyphen"):
            break
        start += len(parts[0]) + 1
        parts = parts[1:]
    for i, part in enumerate(parts):
        if i and part in _TAIL:
            end = start + len("-".join(parts[:i]))
            break
    if end - start > 2 and text[end - 1] == "_":
        end -= 1
    return start, end


def coined(text: str) -> Iterator[Candidate]:
    """Yield the coined names of ``text``; the rule is the shape."""
    for match in _RUN.finditer(text):
        start, end = match.span()
        run = match[0]
        if run.islower() or run.isdigit():
            continue
        start, end = _trim(text, start, end)
        name = text[start:end]
        kind = shape(name)
        if not kind and "-" in name and _MODEL.match(name) and _DIGIT.search(name):
            kind = "compound"
        if not kind and _MODEL.fullmatch(name):
            version = _VERSION.match(text, end)
            if version:
                yield Candidate(start, version.end(), "camel-model")
            continue
        if not kind or len(name) > 40:
            continue
        if _MODEL.search(name):
            version = _VERSION.match(text, end)
            if version:
                end = version.end()
            yield Candidate(start, end, f"{kind}-model")
            continue
        if kind == "hyphen" and name.split("-")[0].lower() in _LEAD:
            continue
        yield Candidate(start, end, kind)
        number = _NUMBER.match(text, end) if kind in ("camel", "acronym4") else None
        if number:
            yield Candidate(start, number.end(), f"{kind}-version")


_CAP: Final = r"[A-ZÀ-Þ](?:[\w’'+]|\.(?=\d))*(?:[-‐‑]\w+)*(?<![’'])"
_SMALL: Final = r"(?:of|for|and|in|the|to|with)"
_ROW: Final = re.compile(rf"(?<![\w-]){_CAP}(?:[ ](?:{_SMALL}[ ](?:the[ ])?)?{_CAP}){{1,7}}")


_SINGLE: Final = re.compile(rf"(?<![\w\-‐‑.]){_CAP}(?![\w\-‐‑])")


def capital(text: str, starts: frozenset[int], begin: int) -> Iterator[Candidate]:
    """Yield single capitalised words from offset ``begin`` on that start no sentence."""
    seen = set()
    for match in _SINGLE.finditer(text, begin):
        word = match[0]
        if match.start() in starts or word in seen or len(word) < 3 or word.isupper():
            continue
        seen.add(word)
        alone = "twice" if text.count(word, begin) > 1 else "once"
        both = "both" if _stands(word.lower(), text) else "only"
        yield Candidate(*match.span(), f"capital:{alone}:{both}")


def _stands(word: str, text: str) -> bool:
    r"""Whether ``\bword\b`` matches in ``text``; to compile it for each word would take longer."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if _wordly(text[at - 1 : at]) != _wordly(word[0]) and (
            _wordly(word[-1]) != _wordly(text[end : end + 1])
        ):
            return True
        at = text.find(word, at + 1)
    return False


def _wordly(character: str) -> bool:
    return character.isalnum() or character == "_"


def title_case(text: str, starts: frozenset[int], begin: int) -> Iterator[Candidate]:
    """Yield rows of capitalised words from offset ``begin`` on.

    ``starts`` are the offsets at which sentences start: there a capital says nothing, so that the
    first word is left out unless it is a shape of its own.
    """
    for match in _ROW.finditer(text, begin):
        start, end = match.span()
        words = list(re.finditer(r"\S+", match[0]))
        if start in starts:
            # drop the first word and the small words after it
            at = 1
            while at < len(words) and words[at][0].islower():
                at += 1
            if len(words) - at < 2:
                continue
            start += words[at].start()
            words = words[at:]
        capitals = sum(w[0][:1].isupper() for w in words)
        if capitals >= 2 and " and " not in match[0]:
            yield Candidate(start, end, f"row{min(4, capitals)}")


_QUOTE: Final = "[\"“'‘`]?"
_BESIDE: Final = re.compile(
    rf"\b(?:propos|introduc|present|develop|releas)\w*\s[^.;]{{3,120}}?,?\sand\s(?P<n>{_CAP}),\s(?:an?|the|our)\s"
)
_CALLED: Final = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|denoted(?: as| by)?|titled|entitled|namely|"
    r"referred to as|abbreviated as|(?:[Ww]e|which we) (?:call|term|name|dub)"
    rf"(?: (?:it|this|them|the(?: \w+){{1,3}}))?)[ ]*[:,]?[ ]*(?:as[ ])?(?:the[ ])?{_QUOTE}"
    rf"(?P<n>{_CAP}(?:[ ](?:{_SMALL}[ ])?{_CAP}){{0,7}})"
)
_QUOTED: Final = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|referred to as|(?:we|which we) (?:call|term|name|dub)"
    r"(?: (?:it|this|them|the \w+))?)[ ]+(?:as[ ])?[\"“‘`](?P<n>[^\"”’`\n,.]{3,60})[\"”’`,]"
)
_PROPOSE: Final = re.compile(
    r"\b(?:propos|introduc|present|develop|releas|describ|creat|design|devis|contribut|build|unveil|"
    r"report on|offer|provid|formulat)(?:e|es|ed|ing|s)?[ ](?:and \w+[ ])?(?:here[ ])?(?:the[ ])?"
    rf"{_QUOTE}(?P<n>{_CAP}(?:[ ](?:{_SMALL}[ ])?{_CAP}){{0,7}})"
    r"(?=[\"”’`]?(?:[,:(.;—–]|[ ](?:a|an|to|which|that|for|as|is|our|the|—|–|-|\()[ (]?))"
)
_OURS: Final = re.compile(
    r"\b(?:the (?:newly )?(?:proposed|introduced|presented|resulting)|[Oo]ur(?: proposed| new)?)[ ]"
    rf"(?:\w+[ ]){{0,3}}?(?:(?:method|approach|model|framework|system|algorithm|benchmark|dataset|"
    r"corpus|technique|architecture)(?:,| called| named)[ ])?"
    rf"{_QUOTE}(?P<n>{_CAP}(?:[ ]{_CAP}){{0,5}})"
)
_COLON: Final = re.compile(r"[\"“]?(?P<n>[^:\n\"”]{2,60}?)[\"”]?(?:\s*:\s|\s+[—–]\s)")
_DATA_NOUNS: Final = (
    r"datasets?|data sets?|benchmarks?|corpus|corpora|test ?sets?|test suite|challenge|"
    r"shared task|treebanks?|leaderboard|competition|suite|arena|testbed|environment"
)
_MODEL_NOUNS: Final = r"model|models|family|series|checkpoints?|language model|LLM|LLMs|backbone"
_METHOD_NOUNS: Final = (
    r"algorithm|optimizer|loss|attention|framework|toolkit|library|architecture|parser|method|"
    r"network|kernel|regularization|decoding|sampling|system|platform|pipeline|tool|agent|"
    r"technique|approach|module|layer|encoder|decoder|tokenizer|distance|estimator|transform"
)
_METRIC_NOUNS: Final = r"scores?|metric|measure|index|coefficient|correlation"
_NOUNS: Final = {
    "data": (_DATA_NOUNS, "Benchmark"),
    "model": (_MODEL_NOUNS, "Model"),
    "method": (_METHOD_NOUNS, "Method"),
    "metric": (_METRIC_NOUNS, "Metric"),
}
_BEFORE_NOUN: Final = {
    rule: (
        re.compile(
            rf"(?<![\w-])(?P<n>{_CAP}(?:[ ](?:{_SMALL}[ ])?{_CAP}){{0,4}})[”\"’]?[ ]"
            rf"(?:{nouns})(?![\w-])"
        ),
        kind,
    )
    for rule, (nouns, kind) in _NOUNS.items()
}


def cued(text: str, starts: frozenset[int], begin: int) -> Iterator[Candidate]:
    """Yield names that words about them announce.

    Rules: ``called`` ("dubbed X"), ``ours`` ("the proposed X"), ``quoted`` ("termed 'x y'"),
    ``proposed`` ("we introduce X, a"),
    ``colon`` (a title "X: …"), ``noun-…`` ("the X dataset").

    Parameters
    ----------
    text : title and abstract, or abstract.
    starts : where sentences start.
    begin : where the abstract starts.
    """
    for match in _CALLED.finditer(text, begin):
        yield Candidate(*match.span("n"), "called")
    for match in _OURS.finditer(text, begin):
        yield Candidate(*match.span("n"), "ours")
    for match in _QUOTED.finditer(text, begin):
        yield Candidate(*match.span("n"), "quoted")
    for pattern in (_PROPOSE, _BESIDE):
        for match in pattern.finditer(text, begin):
            yield Candidate(*match.span("n"), "proposed")
    if begin:
        match_ = _COLON.match(text)
        if match_ and match_.end() < begin:
            name = match_["n"]
            count = len(name.split())
            known = name in text[begin:]
            if count <= 4 or shape(name):
                kind = shape(name.replace(" ", "-")) or "other"
                rule = "colon-known" if known else f"colon-{'coined' if kind != 'other' else kind}"
                yield Candidate(*match_.span("n"), rule if count < 3 or known else "colon-long")
    for rule, (pattern, kind) in _BEFORE_NOUN.items():
        for match in pattern.finditer(text, begin):
            start, end = match.span("n")
            if start in starts:
                first = re.match(r"\S+[ ]+(?:[a-z]+[ ]+)?", text[start:end])
                if not first:
                    continue
                start += first.end()
            if start < end:
                yield Candidate(start, end, f"noun-{rule}", kind)
