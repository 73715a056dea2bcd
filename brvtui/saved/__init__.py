"""Traces kept in files, and opened again without the tree."""
