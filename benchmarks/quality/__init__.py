"""How well every engine finds the notes of public question sets: ``python -m benchmarks.quality``."""
