"""Variants: states with one or more parts replaced, in which queries run. Nothing is written to disk."""
