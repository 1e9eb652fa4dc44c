"""Fuzzing: many broken inputs for each reader, for extraction, assembly and export.

``python -m tests.fuzz --inputs 10000`` runs it, in the root of the repository. Everything is drawn
from a seed: input ``n`` of a target is the same on every machine.
"""
