"""The trained extractor: an abstract in, entities, relations and results out, with places."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kg.errors import InputError
from kg.extract.model.decode import Answers, Settings, decode
from kg.extract.model.features import WIDTH, Page, read_page
from kg.extract.model.figures import Figure, figures
from kg.extract.model.folder import SHIPPED, described
from kg.extract.model.grouping import Group, groups
from kg.extract.model.long import joined, parts, too_much
from kg.extract.model.nodes import figure_words, head_input
from kg.extract.model.pieces import Pieces
from kg.extract.model.reading import read_input, windows
from kg.extract.model.results import softmax

__all__ = ["Extractor"]

EMPTY: Mapping[str, list[Any]] = {"entities": [], "relations": [], "results": []}
Floats = NDArray[np.float32]


class Extractor:
    """Reads abstracts with a trained model.

    Deterministic: the answer depends on the text and the model only, not on other texts nor on the
    number of threads or processes. Make one with :meth:`load`. It can be used from several threads.

    Attributes
    ----------
    version : 12 hexadecimal digits that change with the weights or the thresholds.
    settings : the thresholds in force.
    """

    def __init__(
        self,
        reader: onnxruntime.InferenceSession,
        heads: onnxruntime.InferenceSession,
        pieces: Pieces,
        names: Mapping[str, tuple[int, ...]],
        settings: Settings,
        version: str,
    ) -> None:
        self._reader, self._heads = reader, heads
        self._pieces, self._names = pieces, names
        self.settings, self.version = settings, version

    @classmethod
    def load(
        cls, path: str | Path | None = None, *, threads: int = 1, **overrides: Any
    ) -> Extractor:
        """Load a model.

        Parameters
        ----------
        path
            A folder that ``training/export.py`` wrote; the shipped model if None.
        threads
            Threads for one text, 1 or more; more processes gain more than more threads.
        **overrides
            Fields of :class:`~kg.extract.model.decode.Settings` to use instead of the model's own.

        Raises
        ------
        kg.errors.InputError
            If a file is missing or damaged, or the model's format or a setting is not known.

        Notes
        -----
        Costs about 0.3 s and 120 MB.
        """
        folder = SHIPPED if path is None else Path(path)
        about = described(folder)
        try:
            settings = Settings.make({**about["settings"], **overrides})
            vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
            pieces = Pieces(v for v in vocabulary if v)
            names: dict[str, tuple[int, ...]] = {}
            with gzip.open(folder / "names.tsv.gz", "rt", encoding="utf-8", newline="\n") as rows:
                for row in rows:
                    key, *counts = row.rstrip("\n").split("\t")
                    names[key] = tuple(map(int, counts))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            reader, heads = (
                onnxruntime.InferenceSession(
                    str(folder / f), options, providers=["CPUExecutionProvider"]
                )
                for f in ("reader.onnx", "heads.onnx")
            )
        except Exception as error:  # onnxruntime raises classes of its own
            raise InputError(f"the model in {folder} cannot be read: {error}") from error
        return cls(reader, heads, pieces, names, settings, about["version"])

    def predict(self, text: str) -> dict[str, list[dict[str, Any]]]:
        """Extract from one text.

        Parameters
        ----------
        text
            An abstract, or a title, a blank line and the abstract. Any string, of any length.

        Returns
        -------
        dict
            ``entities``, ``relations``, ``results`` in the form of the annotated files; offsets are
            into `text`; ``text[start:end]`` is a mention's ``text``; ``confidence`` is 0 to 1.
        """
        cuts = parts(text)
        if len(cuts) > 1:
            return self._in_parts(text, cuts)
        page, probabilities, vectors = self.read(text)
        if not page.spans:
            return {k: list(v) for k, v in EMPTY.items()}
        found = groups(page, probabilities, self.settings.span_low, self.settings.share)
        numbers = figures(text)
        if not found and not numbers:
            return {k: list(v) for k, v in EMPTY.items()}
        if too_much(len(page.spans), len(found), len(numbers)):
            return self._in_parts(text, parts(text, 0, len(text) // 2))
        answers = self.answer(page, vectors, found, numbers)
        return decode(page, found, numbers, answers, self.settings)

    def _in_parts(self, text: str, cuts: list[tuple[int, int]]) -> dict[str, list[dict[str, Any]]]:
        return joined((start, self.predict(text[start:end])) for start, end in cuts)

    def predict_batch(self, texts: Iterable[str]) -> list[dict[str, list[dict[str, Any]]]]:
        """Extract from each text; the same as :meth:`predict` on one after the other."""
        return [self.predict(text) for text in texts]

    def read(self, text: str) -> tuple[Page, Floats, Floats]:
        """Run the network's first half.

        Returns
        -------
        page
            n words and what is known of them.
        probabilities
            (n, WIDTH, 7): the span (first word, width - 1) is nothing or one of six types; sum 1.
        vectors
            (n, d) of the words in their context.
        """
        page = read_page(text, self._pieces, self._names)
        spans, vectors = [], []
        for begin, end in windows(page):
            x = read_input(page, begin, end, self._pieces)
            v, s = self._reader.run(["words", "spans"], vars(x))
            outside = np.arange(end - begin)[:, None] + np.arange(WIDTH)[None] >= end - begin
            s[outside] = [40.0, 0, 0, 0, 0, 0, 0]
            spans.append(softmax(s))
            vectors.append(v)
        if not spans:
            return page, np.zeros((0, WIDTH, 7), np.float32), np.zeros((0, 1), np.float32)
        return page, np.concatenate(spans), np.concatenate(vectors)

    def answer(
        self, page: Page, vectors: Floats, found: list[Group], numbers: list[Figure]
    ) -> Answers:
        """Run the network's second half on the nodes that were chosen: see :class:`Answers`."""
        places = [figure_words(page, f.start, f.end) for f in numbers] or [(0, 1)]
        x = head_input(
            page,
            len(page.spans),
            [g.places for g in found],
            [g.probabilities for g in found],
            places,
        )
        out = self._heads.run(None, {"words": vectors, **vars(x)})
        return Answers(*out)
