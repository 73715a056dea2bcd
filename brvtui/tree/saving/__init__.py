"""Saves, moves and removes notes. Each operation is atomic, and never overwrites someone else's changes."""
