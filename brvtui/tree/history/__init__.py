"""The notes of a tree at git revisions, read only. Nothing is checked out, and the work tree is not touched."""
