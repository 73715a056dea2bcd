"""The user's settings files and theme files, for tests."""

from __future__ import annotations

from pathlib import Path

from brvtui.config import user_file


def own(text: str | bytes) -> Path:
    """The user's settings file with this content."""
    return _written(user_file(), text)


def own_theme(text: str | bytes, name: str = "mine.toml") -> Path:
    """One of the user's theme files with this content."""
    return _written(user_file().parent / "themes" / name, text)


def _written(file: Path, text: str | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file
