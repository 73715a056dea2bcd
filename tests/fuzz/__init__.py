"""Hostile and odd input for everything that reads text: short in the suite, long with ``python -m tests.fuzz``."""
