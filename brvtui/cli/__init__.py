"""``brv-tui``: opens the app, or answers headless with the same engine (README.md, "Headless")."""

from brvtui.cli.program import cli, main

__all__ = ["cli", "main"]
