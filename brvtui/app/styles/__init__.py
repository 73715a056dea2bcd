"""Stylesheets. The app loads the sheets of a screen when that screen is first shown."""

from pathlib import Path


def sheet(name: str) -> Path:
    """Returns the path of the stylesheet ``name``."""
    return Path(__file__).with_name(f"{name}.tcss")
