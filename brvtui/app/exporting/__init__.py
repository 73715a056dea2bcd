"""Copies and exports the displayed content."""
