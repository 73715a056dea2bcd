"""Hostile and odd input for whatever reads text: short in the suite, long with ``python -m tests.fuzz``."""
