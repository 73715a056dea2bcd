"""Watches folders for changes, through system events or by polling."""
