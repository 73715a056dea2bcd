"""Copies and exports what the app shows."""
