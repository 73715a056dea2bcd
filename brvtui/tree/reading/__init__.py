"""Reads a project: its files, their texts as the engine reads them, frontmatter, links, signals and hierarchy."""
