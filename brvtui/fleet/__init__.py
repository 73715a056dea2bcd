"""Queries many memories together: finds and opens them, and merges their answers."""
