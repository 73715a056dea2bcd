"""Judgments: queries with their relevant documents, in a file beside the tree (``docs/how-to/measure-answers.md``)."""
