"""Variants of the state in which queries run, with one or more parts replaced. Nothing is written to disk."""
