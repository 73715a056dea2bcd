"""Colour themes: their files, derived colours for roles that a theme does not set, and text styles."""
