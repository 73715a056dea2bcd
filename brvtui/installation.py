"""Finds the files of the installed brv-tui, and the command that adds an extra to it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_NAME = "brv-tui"


def packaged_file(name: str, *source: str) -> Path:
    """The file ``name`` of the installed package or, in a checkout, the file at ``source`` in the repository."""
    package = Path(__file__).parent
    packaged = package / name
    return packaged if packaged.is_file() else package.parent.joinpath(*source)


def install_command(extra: str) -> str:
    """Returns the shell command that reinstalls brv-tui from the same source, with ``extra`` added."""
    where = _direct_url()
    url, folder = str(where.get("url", "")), where.get("dir_info")
    if folder is not None:
        wanted = f"{unquote(urlsplit(url).path)}[{extra}]"
    else:
        versioned = where.get("vcs_info", {})
        kind, revision = versioned.get("vcs", ""), versioned.get("requested_revision", "")
        source = f"{kind}{'+' if kind else ''}{url}{'@' if revision else ''}{revision}"
        wanted = f"{_NAME}[{extra}]" + (f" @ {source}" if url else "")
    editable = "-e " if folder is not None and folder.get("editable") else ""
    return f"{_installer()} {editable}{shlex.quote(wanted)}"


def _direct_url() -> dict[str, Any]:
    """Returns the record of where brv-tui was installed from (PEP 610); empty if this is a package index or unknown."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _installer() -> str:
    """Returns the command that installs packages into this Python. pipx and uv leave a marker file in its folder."""
    place = Path(sys.prefix)
    if (place / "pipx_metadata.json").is_file():
        return "pipx install --force"
    if (place / "uv-receipt.toml").is_file():
        return "uv tool install --force"
    pip = place / "bin" / "pip"
    return f"{shlex.quote(str(pip)) if pip.is_file() else 'pip'} install"
