"""Evaluate: what was extracted against what people annotated."""

from kg.evaluate.score import Count, score

__all__ = ["Count", "score"]
