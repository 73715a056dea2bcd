"""Editing notes: the editor, its drafts, and plans that are previewed, applied, undone and redone."""
