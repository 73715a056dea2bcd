"""The screen Notes: the tree, one note, and what is known of it."""
