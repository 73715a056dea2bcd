"""Spaces that are synced with the vendor's service, as its daemon left them on disk (``docs/byterover_v4.md``).

Nothing here asks the service. Messages of :class:`brvtui.tree.spaces.locating.SpaceError` are those that V4 prints.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brvtui.regular_files import read_regular
from brvtui.tree.reading.json_file import LARGEST_JSON, read_json_or_none
from brvtui.tree.spaces.json_text import parse_json
from brvtui.tree.spaces.locating import METADATA, TREE, SpaceError, SpaceFolder, space_folders

_DAEMON = ("projects", ".daemon")


def check_cloud(space: SpaceFolder) -> None:
    """Raises :class:`SpaceError` where V4 refuses a query of ``space``, which a marker or a binding named.

    A local space has no team. One with a team must be ready and readable.
    """
    try:
        data = read_regular(space.tree.parent / METADATA, LARGEST_JSON)
    except OSError:
        return
    try:
        metadata: Any = parse_json(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise SpaceError(
            f"Cloud space status is invalid: invalid metadata JSON: {error}", "cloud-status-unavailable"
        ) from None
    team = metadata.get("team_id") if isinstance(metadata, dict) else None
    if team is None and not _sync_file(space.data, space.id, "capability").is_file():
        return
    if not is_readable(space.data, space.id):
        raise SpaceError("The cloud space is not ready: its first synchronization has not ended.", "cloud-not-ready")


def is_readable(data: Path, identity: str) -> bool:
    """Whether the synced space ``identity`` may be read, and was synced once."""
    capability, status = (read_json_or_none(_sync_file(data, identity, name)) for name in ("capability", "status"))
    return (
        isinstance(capability, dict)
        and capability.get("can_read") is True
        and isinstance(status, dict)
        and status.get("bootstrapReady") is True
        and _sync_file(data, identity, "baseline").is_file()
    )


def readable_spaces(data: Path) -> list[SpaceFolder]:
    """Every synced space of ``data`` that may be read; none where nobody is signed in."""
    if not data.joinpath(*_DAEMON, "auth.json").is_file():
        return []
    made = []
    for folder in space_folders(data):
        metadata = read_json_or_none(folder / METADATA)
        team, name = (metadata.get("team_id"), metadata.get("space_name")) if isinstance(metadata, dict) else (None, "")
        if isinstance(team, str) and is_readable(data, folder.name) and (folder / TREE).is_dir():
            made.append(SpaceFolder(folder / TREE, data, "cloud", folder.name, str(name or ""), team=team))
    return made


def _sync_file(data: Path, identity: str, name: str) -> Path:
    return data.joinpath(*_DAEMON, "spaces", identity, "sync", f"{name}.json")
