"""Opening the app in this terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from brvtui.cli.common import BAD_USAGE, Failure, shared

_DRIVER = "TEXTUAL_DRIVER"
"""Set by textual-serve: the app then speaks to a browser, over pipes."""


@click.command("open", epilog="\b\nExample:\n  brv-tui open sample-tree --profile docs")
@click.argument("project", required=False, type=click.Path(path_type=Path))
@shared
def open_app(project: Path | None, profile: str | None, now: float | None, signals: Path | None) -> int:
    """Open the app on PROJECT, or on a saved trace (FILE.json); the same as naming it alone."""
    served = os.environ.get(_DRIVER, "").startswith("textual.drivers.web_driver:")
    if not served and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("no terminal here to open the app in: use brv-tui query, explain or replay", BAD_USAGE)
    from brvtui.app import run

    return run(project, profile, now, signals)
