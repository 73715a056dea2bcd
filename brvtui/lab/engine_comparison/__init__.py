"""Engines beside each other: one query through all of them, and which is best on judged queries (``docs/lab.md``)."""
