"""Mine the words that phrase rules need from annotated abstracts: only single words come out.

    python training/mine_phrases.py GOLD.jsonl [--out kg/extract/patterns]

Writes two files:

``heads.tsv``     last words of lower-case names ("… recognition", "… distillation"): word, the
                  type that most such names have, and how often
``borders.txt``   words that stand before such a name and do not belong to it ("novel", "improve")

GOLD holds one JSON object a line with ``text`` and ``entities`` (``type``, ``mentions``).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path

from kg.extract.gazetteer import singular
from kg.extract.words import WORD

HYPHENS = frozenset("-‐‑–")
GENERIC_WORDS = (
    "model models method task system dataset benchmark framework approach problem data "
    "question text code image information use new large module mechanism algorithm challenge "
    "function objective annotation knowledge agent design processing collection interaction "
)
GENERIC = frozenset(GENERIC_WORDS.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--out", type=Path, default=Path("kg/extract/patterns"))
    args = parser.parse_args()
    heads: dict[str, Counter[str]] = defaultdict(Counter)
    seen: Counter[str] = Counter()
    before: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for line in args.gold.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        text = paper["text"]
        ends = {m["end"]: (m["start"], e["type"]) for e in paper["entities"] for m in e["mentions"]}
        forms = list(WORD.finditer(text))
        for i, form in enumerate(forms):
            word = form.group().lower()
            head = singular(word)
            seen[head] += 1
            if form.end() not in ends:
                continue
            start, kind = ends[form.end()]
            name = [f.group() for f in forms[max(0, i - 9) : i + 1] if f.start() >= start]
            if len(name) < 2 or not word.islower() or not word.isalpha():
                continue
            heads[head][kind] += 1
            inside.update({w.lower() for w in name[:-1] if w not in HYPHENS})
            first = i - len(name)
            if first >= 0 and text[forms[first].end() : start] == " ":
                previous = forms[first].group().lower()
                if previous.isalpha():
                    before[previous] += 1
    rows = []
    for head, kinds in sorted(heads.items()):
        count = sum(kinds.values())
        if count < 12 or count / seen[head] < 0.12 or head in GENERIC or len(head) < 4:
            continue
        rows.append(f"{head}\t{kinds.most_common(1)[0][0]}\t{count}\t{count / seen[head]:.2f}")
    words = [
        w for w, n in sorted(before.items()) if n >= 2 and n / (n + inside[w]) >= 0.5 and len(w) > 1
    ]
    (args.out / "heads.tsv").write_text(
        "# Last words of lower-case names, mined by training/mine_phrases.py.\n"
        "head\ttype\tmentions\tshare\n" + "\n".join(rows) + "\n",
        encoding="utf-8",
    )
    (args.out / "borders.txt").write_text(
        "# Words before a lower-case name that do not belong to it, mined by "
        "training/mine_phrases.py.\n" + "\n".join(words) + "\n",
        encoding="utf-8",
    )
    print(len(rows), "heads,", len(words), "border words")


if __name__ == "__main__":
    main()
