"""The folders in which the engine keeps runtime data of projects (``docs/engine.md``, "Signals")."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

_LONGEST_NAME = 200
_KEPT_OF_LONG_NAME = 185
_HASH_DIGITS = 12
_FORBIDDEN = re.compile('["*:<>?|]')


def data_folder(environment: dict[str, str] | None = None) -> Path:
    """The engine's data folder of this user."""
    env = dict(os.environ) if environment is None else environment
    if env.get("BRV_DATA_DIR"):
        return Path(env["BRV_DATA_DIR"])
    if env.get("XDG_DATA_HOME"):
        return Path(env["XDG_DATA_HOME"]) / "brv"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "brv"
    if sys.platform == "win32" and env.get("LOCALAPPDATA"):
        return Path(env["LOCALAPPDATA"]) / "brv"
    return Path.home() / ".local" / "share" / "brv"


def project_folder_name(project: Path) -> str:
    """The name of a project's folder: the components of its real path, escaped and joined."""
    parts = [part for part in project.resolve().as_posix().split("/") if part]
    joined = "--".join(_escape(part) for part in parts)
    if len(joined) <= _LONGEST_NAME:
        return joined
    digest = hashlib.sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()[:_HASH_DIGITS]
    return f"{joined[:_KEPT_OF_LONG_NAME]}---{digest}"


def project_data(project: Path) -> Path:
    """The engine's data folder of ``project``. It need not exist."""
    return data_folder() / "projects" / project_folder_name(project)


def _escape(part: str) -> str:
    escaped = part.replace("%", "%25").replace("--", "%2D%2D")
    return _FORBIDDEN.sub(lambda found: f"%{ord(found.group()):02X}", escaped)
