"""Evaluation: how well an engine answers judged queries, and what a change does to that (``docs/lab.md``)."""
