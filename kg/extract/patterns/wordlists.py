"""Word lists: one form a line, ``#`` starts a comment line."""

from __future__ import annotations

from pathlib import Path

from kg.extract.gazetteer import normal

__all__ = ["read_words"]


def read_words(path: Path) -> frozenset[str]:
    """Return the forms of the file, as written and in their normal form."""
    forms = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        form = line.strip()
        if form and not form.startswith("# "):
            forms.add(form.lower())
            forms.add(" ".join(normal(form)))
    return frozenset(forms - {""})
