"""Saves, moves and removes notes of a tree: each whole or not at all, and never over a change by somebody else."""
