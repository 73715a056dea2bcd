"""Evaluation of an engine with judged queries, and of the effect of changes (``docs/lab.md``)."""
