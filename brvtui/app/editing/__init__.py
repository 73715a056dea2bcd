"""Changing notes: the editor, plans that are shown before they are carried out, drafts, and undoing."""
