"""sotagraph: knowledge graphs from the abstracts of machine-learning papers."""

from __future__ import annotations

__version__ = "0.1.0"
