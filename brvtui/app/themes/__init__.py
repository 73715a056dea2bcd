"""Colour themes: their files, colours derived for roles that a theme lacks, and the styles of text."""
