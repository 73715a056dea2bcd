"""The versions of engines that were verified on this machine, in the tool's data folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.store.folders import data_folder
from brvtui.store.state_file import read_state_or_none, write_state


@dataclass(frozen=True, slots=True)
class VerifiedVersion:
    """The last verification of one version of an engine."""

    engine: str
    """Its name and version: ``byterover-cli 3.14.0``."""
    at_ms: float
    """When, in milliseconds since 1970."""
    queries: int
    same: int
    over: str
    """The project that was asked about."""


def verified_versions() -> list[VerifiedVersion]:
    """Every version that was verified, the last one first. Raises nothing."""
    value = read_state_or_none(data_folder() / _FILE)
    items = value if isinstance(value, list) else []
    return sorted(filter(None, map(_read, items)), key=lambda one: -one.at_ms)


def remember_verified(made: VerifiedVersion) -> None:
    """Keeps ``made`` in place of what was known of this version. Raises OSError when the folder cannot be written."""
    folder = data_folder()
    writing.make_folder(folder)
    with locked(folder):
        others = [one for one in verified_versions() if one.engine != made.engine]
        write_state(folder / _FILE, [asdict(one) for one in (made, *others)][:_MOST])


_FILE, _MOST = "verified.json", 100
_TEXTS, _NUMBERS = ("engine", "over"), ("at_ms", "queries", "same")


def _read(item: Any) -> VerifiedVersion | None:
    """The version that ``item`` of the file is; None for anything else."""
    if not isinstance(item, dict):
        return None
    is_whole = all(isinstance(item.get(name), str) for name in _TEXTS) and all(
        isinstance(item.get(name), (int, float)) and not isinstance(item.get(name), bool) for name in _NUMBERS
    )
    return VerifiedVersion(*(item[name] for name in VerifiedVersion.__dataclass_fields__)) if is_whole else None
