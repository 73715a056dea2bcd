"""The engine's own files, read only."""
