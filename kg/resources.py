"""Find the files that ship beside the code: ``cypher/``, ``schemas/`` and the corpus."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CORPUS", "share"]

_PACKAGE = Path(__file__).resolve().parent

CORPUS = _PACKAGE / "corpus" / "abstracts.jsonl"
"""The shipped corpus of abstracts."""


def share(name: str) -> Path:
    """Return the directory ``cypher`` or ``schemas``, in a checkout or in an installed wheel.

    Raises
    ------
    FileNotFoundError
        If the installation is damaged.
    """
    for place in (_PACKAGE / "_share" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"{name}/ is missing from this installation of sotagraph")
