"""Extract: from the text of one paper to its records.

Heavy parts (the trained model) are loaded when the first text is read, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor

__all__ = ["DEFAULT", "load"]

DEFAULT: Final = "model"
"""Name of the extractor that is used unless another is named."""


def load(name: str = DEFAULT) -> Extractor:
    """Return the extractor called ``name``: ``model``, ``patterns``, or the folder of a model.

    Its version is known at once; the network is loaded when the first text is read.

    Raises
    ------
    InputError
        If there is none.
    """
    from kg.extract.pipeline import load as load_extractor

    return load_extractor(name)
