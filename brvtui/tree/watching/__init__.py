"""Watching folders for changes, by the system's events or by polling."""
