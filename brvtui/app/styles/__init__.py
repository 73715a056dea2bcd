"""Stylesheets. The app loads those of its first screen; others are loaded when their screen is first shown."""

from pathlib import Path


def sheet(name: str) -> Path:
    """Returns the path of the stylesheet ``name``."""
    return Path(__file__).with_name(f"{name}.tcss")
