"""Judgments: queries with the documents that they should find, in a file beside the tree (``docs/lab.md``)."""
