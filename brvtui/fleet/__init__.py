"""Queries over many memories: their addresses, opening them, and merging their answers."""
