"""The tool's own folders. Nothing is made until something is written."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs

_APP = "brv-tui"
_DIGEST = 16


def data_folder() -> Path:
    """Where the tool keeps what the user made: overlays, histories. ``BRV_TUI_DATA_DIR`` overrides it."""
    given = os.environ.get("BRV_TUI_DATA_DIR")
    return Path(given) if given else Path(platformdirs.user_data_dir(_APP))


def tree_folder(tree: Path) -> Path:
    """The folder for one context tree, by its real path."""
    digest = hashlib.sha256(os.fsencode(tree.resolve())).hexdigest()[:_DIGEST]
    return data_folder() / "trees" / f"{tree.resolve().parent.parent.name or 'tree'}-{digest}"
