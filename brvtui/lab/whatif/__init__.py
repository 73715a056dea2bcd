"""Variants of the state in which queries run: one or more parts are replaced. Nothing is written to disk."""
