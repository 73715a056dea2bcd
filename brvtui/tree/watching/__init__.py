"""Watches folders for changes, through the system's events or by polling."""
