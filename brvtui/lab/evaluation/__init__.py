"""Evaluation of an engine with judged queries, and of the effect of changes (``docs/how-to/measure-answers.md``)."""
