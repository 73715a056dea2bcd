"""Measures how well each engine finds the notes of public question sets: ``python -m benchmarks.quality``."""
