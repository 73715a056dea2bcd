"""Stylesheets. The app has those of its first screen; any other is read when a screen that names it is first shown."""

from pathlib import Path


def sheet(name: str) -> Path:
    """The file of the stylesheet ``name``."""
    return Path(__file__).with_name(f"{name}.tcss")
