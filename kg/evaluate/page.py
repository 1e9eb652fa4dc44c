"""An HTML page of abstracts with gold and extracted spans and relations side by side."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from kg.evaluate.score import Document, End, align, ends_of, mention_spans, relations_of
from kg.schema import ENTITY_TYPES

__all__ = ["page"]

_STYLE: Final = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.6; }
body { max-width: 84rem; margin: 0 auto; padding: 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; }
article { border-top: 1px solid #8888; padding: 1rem 0; }
mark { color: #fff; border-radius: 3px; padding: 0 .2em; }
mark.wrong { outline: 2px solid #d00; }
li.right::marker { content: "\\2713  "; color: #080; }
li.wrong::marker { content: "\\2717  "; color: #d00; }
h2 { font-size: 1rem; font-family: ui-monospace, monospace; }
.legend mark { margin-right: .5em; }
"""

_RESULT_FIELDS: Final = (
    "head", "benchmark", "metric", "value", "unit", "baseline", "baseline_value", "delta",
    "direction",
)  # fmt: skip


def page(gold: Iterable[Document], predicted: Iterable[Document]) -> str:
    """Return the page: for each paper gold on the left, the extraction on the right.

    A span or relation that the other side lacks is marked as wrong (on the left: missed).
    """
    by_id = {d["id"]: d for d in predicted}
    legend = "".join(
        f'<mark style="background:{t.colour}">{t.name}</mark>' for t in ENTITY_TYPES.values()
    )
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Gold and extracted</title><style>{_STYLE}</style>",
        "<h1>Gold (left) and extracted (right)</h1>",
        f'<p class="legend">{legend} A red border or &#10007;: the other side lacks it.</p>',
    ]
    empty: Document = {"entities": [], "relations": [], "results": []}
    for g in gold:
        p = by_id.get(g["id"], empty)
        text = str(g.get("text") or p.get("text") or "")
        a, b = mention_spans(g, text), mention_spans(p, text)
        golden, found = list(g["entities"]), list(p["entities"])
        left_ends, right_ends = ends_of(golden), ends_of(found, align(golden, found))
        left, right = relations_of(g, left_ends), relations_of(p, right_ends)
        parts.append(
            f'<article><h2>{escape(str(g["id"]))}</h2><div class="pair">'
            f"<div><p>{_marked(text, a, b)}</p>{_list(g, left_ends, right)}</div>"
            f"<div><p>{_marked(text, b, a)}</p>{_list(p, right_ends, left)}</div>"
            "</div></article>"
        )
    return "\n".join(parts) + "</html>\n"


def _marked(text: str, spans: set[tuple[int, int, str]], other: set[tuple[int, int, str]]) -> str:
    out: list[str] = []
    at = 0
    for start, end, kind in sorted(spans):
        if start < at:
            continue
        wrong = "" if (start, end, kind) in other else ' class="wrong"'
        out.append(escape(text[at:start]))
        out.append(
            f'<mark{wrong} style="background:{ENTITY_TYPES[kind].colour}" title="{kind}">'
            f"{escape(text[start:end])}</mark>"
        )
        at = end
    return "".join(out) + escape(text[at:])


def _list(document: Document, ends: dict[str, End], other: set[tuple[End, str, End]]) -> str:
    items: list[str] = []
    for r in document.get("relations", ()):
        (key,) = relations_of({"relations": [r]}, ends)
        state = "right" if key in other else "wrong"
        confidence = f" ({r['confidence']:.2f})" if "confidence" in r else ""
        line = f"{r['head']} — {r['type']} → {r['tail']}{confidence}"
        items.append(f'<li class="{state}">{escape(line)}</li>')
    for r in document.get("results", ()):
        line = ", ".join(f"{k} {r[k]}" for k in _RESULT_FIELDS if r.get(k) is not None)
        items.append(f"<li>{escape(line)}</li>")
    return f"<ul>{''.join(items)}</ul>"
