"""Hostile and odd input for all readers of text: a short run in the suite, a long one with ``python -m tests.fuzz``."""
