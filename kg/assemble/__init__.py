"""Assemble: the extractions of all papers become one graph."""
