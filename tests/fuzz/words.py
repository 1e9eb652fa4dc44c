"""What the inputs are made of: plain sentences of the field, and pieces that break things."""

from __future__ import annotations

from random import Random

NAMES = (
    *("LanternNet", "BERT", "GPT-3.5", "Llama-2-7B", "ResNet-50", "$\\beta$-VAE", "T5", "[MASK]"),
    *("CIFAR-10", "CIFAR-100", "GLUE", "SQuAD 2.0", "MS MARCO", "the Penn Treebank", "XSum"),
    *("C^3", "A|B", "Crohn's corpus", '"Wick"', "`SCHEMA`", "<unk>", "2d-conv", "ELMo", "word2vec"),
)
TASKS = ("parsing", "machine translation", "question answering", "object detection", "retrieval")
METRICS = ("accuracy", "BLEU", "F1", "ROUGE-L", "perplexity", "mAP", "word error rate")
SENTENCES = (
    "We present {a}, a model for {t}.",
    "{a} outperforms {b} on {c} by {n}% {m}.",
    "Our method builds on {a} and is trained on {c}.",
    "On {c}, {a} improves {m} from {n} to {k}\\pm0.{n}.",
    "It does not outperform {a} on {b}.",
    "Direct Lantern Tuning (DLT) is compared with {a}, {b} and {c}, respectively.",
    "{a} reaches {n} and {k} {m} on {b} and {c}, respectively",
    "We plan to evaluate it on {b}; code is at https://example.org/{n}.",
    "Experiments show that {a} is {n}x faster than {b} (Wick Wax Loss; WWL)!",
    "Although {t} is hard, we extend {a} to {t} with {n} examples, e.g. in Fig. {k}.",
)
WHOLE = (
    # control characters, line ends, marks that are not seen, noncharacters, surrogates
    *("\x00", "\x08eta", "\x0crac", "\t", "\r", "\r\n", "\n", "\n\n", "\x1b[31m", "\x7f", "\x85"),
    *("\u2028", "\u200b", "\ufeff", "\u00ad", "\ufb01", "\ufffe", "\ufdd0", "\ud800", "\udfff"),
    # combining characters, other scripts, emoji, letters whose length changes with their case
    *("e\u0301", "a" + "\u0300" * 40, "\u202eabc\u202c", "שלום", "مرحبا", "模型。", "\U0001f600"),
    *(
        "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "İ",
        "ß",
        "Ǆ",
        "ﷺ",
        "½",
        "²",
        "٣",
    ),
    *("Ⅷ", "𝔅ERT", "\U0010ffff", "\ue000"),
    # LaTeX, Markdown, HTML, much of it unclosed
    *(
        "\\",
        "\\\\",
        "$",
        "$$",
        "{",
        "}",
        "{{",
        "\\frac{1}{",
        "\\textbf{",
        "\\begin{a}",
        "\\(",
        "\\)",
    ),
    *(
        "\\cite[",
        "\\href{",
        "\\footnote{",
        "\\pm",
        "^{",
        "_{",
        "**",
        "__",
        "*",
        "_",
        "`",
        "``",
        "~",
    ),
    *("<i>", "</i>", "<b", "<", ">", "</", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#0;", "&"),
    *(
        "&#xD800;",
        "&lol;",
        "<jats:p>",
        "<tex-math>",
        "(",
        ")",
        "[",
        "]",
        "((",
        "](http://",
        "%",
        "@",
    ),
    # what begins and ends records and cells
    *("@misc{a,", "TY  - JOUR", "ER  - ", '"', '""', "'", ",", ";", ":", "|", "#", "\u2026", "..."),
    # numbers, abbreviations, addresses
    *("{,}", "1e999", "-0", "0x10", "99999999999999999999", "3.5%", "±", "–", "—", "’", "“", "N/A"),
    *("i.e.", "et al.", "www.", "http://", "10.1000/x", "arXiv:2401.00001", "e9"),
)
"""Pieces that go into texts."""

RAW = (
    # broken sequences of UTF-8, byte order marks, line ends
    *(
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\x80",
    ),
    *(b"\xf4\x90\x80\x80", b"\xe9", b"\x85", b"\r", b"\n", b"\r\n", b"\n\n", b"\t"),
    # JSON and tables
    *(b'"', b"'", b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"null", b"NaN"),
    *(b"1e999", b"-"),
    # XML
    *(b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"&", b"&#0;", b"&#xfffe;"),
    *(b"&x;", b'<!DOCTYPE a [<!ENTITY x "y">]>', b"<paper>", b"<record>", b"</entry>"),
    # BibTeX, RIS, and what other files begin with
    *(b"@misc{", b"@", b"#", b"TY  - ", b"ER  - ", b"AB  - ", b"%", b"PK\x03\x04", b"\x1f\x8b"),
    *(b"\x1b[0m", b"\x0c", b"\x1a"),
)
"""Pieces that go into files."""


def sentence(random: Random) -> str:
    a, b, c = random.sample(NAMES, 3)
    return random.choice(SENTENCES).format(
        a=a,
        b=b,
        c=c,
        t=random.choice(TASKS),
        m=random.choice(METRICS),
        n=random.randint(0, 99),
        k=random.randint(0, 99),
    )


def plain(random: Random, most: int = 6) -> str:
    """An abstract as people write it."""
    return " ".join(sentence(random) for _ in range(random.randint(1, most)))


def odd(random: Random, largest: int = 100_000) -> str:
    """An abstract that something has been done to; at most about ``largest`` characters."""
    text = plain(random)
    for _ in range(random.randint(0, 4)):
        at = random.randint(0, len(text))
        to = min(len(text), at + random.randint(0, 30))
        piece = random.choice(WHOLE)
        what = random.randrange(8)
        if what == 0:
            text = text[:at] + text[to:]
        elif what == 1:
            text = text[:at] + piece + text[at:to] + random.choice(WHOLE) + text[to:]
        elif what == 2:
            text = text[:at] + "".join(random.choices(WHOLE, k=random.randint(1, 12))) + text[to:]
        elif what == 3:
            text = text[:at] + text[at:to] * random.randint(2, 8) + text[to:]
        elif what == 4:
            text = text[:at] + text[at:to].swapcase() + text[to:]
        elif what == 5:
            text = text.replace(random.choice(" .,aeiou"), piece)
        else:
            text = text[:at] + piece + text[at:]
    if random.random() < 0.04:
        piece = "".join(random.choices((*WHOLE, " ", "a", "A", "1", "-"), k=random.randint(1, 3)))
        size = int(1000 * (largest / 1000) ** random.random())
        at = random.randint(0, len(text))
        text = text[:at] + piece * (size // len(piece) + 1) + text[at:]
    return text
