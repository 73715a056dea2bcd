"""The notes of a tree as git has them, read only. Nothing is checked out, and the work tree is not touched."""
