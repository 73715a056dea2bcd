"""Editing a note: what is held of it, what workers do with it, and what they tell the editor's screen."""
