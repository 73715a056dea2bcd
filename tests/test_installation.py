"""The command that installs an extra."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brvtui.installation import install_command

EDITABLE = {"url": "file:///src/brv%20tui", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///src/brv-tui", "dir_info": {}}
WHEEL = {"url": "file:///dist/brv_tui-0.1.0-py3-none-any.whl", "archive_info": {}}
GIT = {"url": "https://example.org/brv-tui", "vcs_info": {"vcs": "git", "commit_id": "0"}}
BRANCH = {**GIT, "vcs_info": {"vcs": "git", "requested_revision": "fix/one", "commit_id": "0"}}


@pytest.mark.parametrize(
    ("record", "tool", "command"),
    [
        (EDITABLE, "bin/pip", "{prefix}/bin/pip install -e '/src/brv tui[web]'"),
        (FOLDER, "pipx_metadata.json", "pipx install --force '/src/brv-tui[web]'"),
        (
            WHEEL,
            "uv-receipt.toml",
            "uv tool install --force 'brv-tui[web] @ file:///dist/brv_tui-0.1.0-py3-none-any.whl'",
        ),
        (GIT, "", "pip install 'brv-tui[web] @ git+https://example.org/brv-tui'"),
        (BRANCH, "", "pip install 'brv-tui[web] @ git+https://example.org/brv-tui@fix/one'"),
        (None, "", "pip install 'brv-tui[web]'"),
        ([], "", "pip install 'brv-tui[web]'"),
    ],
)
def test_install_command_uses_the_original_source_and_tool(
    record: Any, tool: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if record is None else json.dumps(record)
    installed = SimpleNamespace(read_text=lambda name: text if name == "direct_url.json" else None)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: installed)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if tool:
        (tmp_path / tool).parent.mkdir(exist_ok=True)
        (tmp_path / tool).touch()
    assert install_command("web") == command.format(prefix=tmp_path)
