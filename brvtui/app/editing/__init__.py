"""Changing notes: the editor, drafts, and plans that are shown before they are carried out, undone, redone."""
