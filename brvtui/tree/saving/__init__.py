"""Writing to a tree: notes are saved, moved and removed whole or not at all, and changes by others are noticed."""
