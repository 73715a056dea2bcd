"""Paths of the tool's own folders. Nothing here creates a folder."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

_APP = "brv-tui"
_DIGEST = 16


def data_folder() -> Path:
    """The folder for the user's data: overlays, drafts, histories. ``BRV_TUI_DATA_DIR`` overrides the default."""
    override = os.environ.get("BRV_TUI_DATA_DIR")
    return Path(override) if override else Path(platformdirs.user_data_dir(_APP))


def config_folder() -> Path:
    """Returns the folder for settings and themes.

    ``BRV_TUI_CONFIG_DIR`` overrides the default. Without it, the folder is in ``BRV_TUI_DATA_DIR``, if that is set.
    """
    override, data = os.environ.get("BRV_TUI_CONFIG_DIR"), os.environ.get("BRV_TUI_DATA_DIR")
    if override:
        return Path(override)
    return Path(data) / "config" if data else Path(platformdirs.user_config_dir(_APP))


def cache_folder() -> Path:
    """Returns the folder for files that can be recomputed.

    ``BRV_TUI_CACHE_DIR`` overrides the default. Without it, the folder is in ``BRV_TUI_DATA_DIR``, if that is set.
    """
    override, data = os.environ.get("BRV_TUI_CACHE_DIR"), os.environ.get("BRV_TUI_DATA_DIR")
    if override:
        return Path(override)
    return Path(data) / "cache" if data else Path(platformdirs.user_cache_dir(_APP))


def pictures_folder() -> Path:
    """Returns the user's folder for pictures, which may not exist."""
    return Path(platformdirs.user_pictures_dir())


def tree_folder(tree: Path) -> Path:
    """Returns the folder for the user's data about one context tree, which is identified by its real path."""
    return data_folder() / "trees" / _name_of(tree)


def runs_file(tree: Path, engine: str) -> Path:
    """Returns the file that keeps the state of ``engine``'s runs in one tree or repository between processes."""
    return tree_folder(tree) / "runs" / f"{engine}.json"


def tree_cache(tree: Path) -> Path:
    """Returns the folder for recomputable files about one context tree, which is identified by its real path."""
    return cache_folder() / "trees" / _name_of(tree)


def repository_cache(root: Path) -> Path:
    """The folder for recomputable files about the code of one repository, which is identified by its real path."""
    return cache_folder() / "repositories" / f"{root.resolve().name or 'repository'}-{_digest_of(root)}"


@cache  # an open tree keeps its folders, even if a symlink replaces a part of its path
def _name_of(tree: Path) -> str:
    return f"{tree.resolve().parent.parent.name or 'tree'}-{_digest_of(tree)}"


def _digest_of(folder: Path) -> str:
    import hashlib

    return hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:_DIGEST]


def with_home(place: str) -> Path:
    """Returns ``place`` with a leading ``~`` or ``~user`` expanded; unchanged if there is no such user."""
    try:
        return Path(place).expanduser()
    except RuntimeError:
        return Path(place)


def shown_path(path: Path) -> str:
    """Returns ``path`` as users write it, with ``~`` for their home folder."""
    home = Path.home()
    return str(Path("~") / path.relative_to(home)) if path.is_relative_to(home) else str(path)
