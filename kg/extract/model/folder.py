"""The folder of a model: which files it has, and what ``model.json`` says of it.

Nothing here loads the networks, so that a model's version can be had in a moment.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from kg.errors import InputError

__all__ = ["FILES", "FORMAT", "SHIPPED", "described"]

SHIPPED: Final = Path(__file__).parent / "data"
"""The model that comes with the package."""
FORMAT: Final = 1
"""The layout of a model's folder that this code reads."""
FILES: Final = ("model.json", "reader.onnx", "heads.onnx", "vocab.txt", "names.tsv.gz")


def described(folder: Path = SHIPPED) -> dict[str, Any]:
    """Return what ``model.json`` says: ``version``, ``settings``, and the record of the training.

    Raises
    ------
    kg.errors.InputError
        If a file is missing, ``model.json`` is damaged, or the model's format is not known.
    """
    for name in FILES:
        if not (folder / name).is_file():
            raise InputError(
                f"not a model: {folder} has no {name}; make one with training/export.py"
            )
    try:
        about: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        if about.get("format") == FORMAT:
            return {**about, "version": str(about["version"]), "settings": about["settings"]}
    except (ValueError, AttributeError, KeyError, OSError) as error:
        raise InputError(f"the model in {folder} cannot be read: {error!r}") from error
    raise InputError(f"{folder}: a model of format {about.get('format')}; this code reads {FORMAT}")
