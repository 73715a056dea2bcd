"""Reads a project: its files, their text as the engine reads it, frontmatter, links, signals, hierarchy."""
