"""Saves, moves and removes notes of a tree. Each operation is atomic and never overwrites others' changes."""
