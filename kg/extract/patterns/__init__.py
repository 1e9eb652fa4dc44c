"""Patterns: what rules and the gazetteer find, each rule with a name and a measured precision."""

from __future__ import annotations

from typing import Final

__all__ = ["RULES"]

RULES: Final = "1"
"""Version of the rules; raised whenever one of them changes what is extracted."""
