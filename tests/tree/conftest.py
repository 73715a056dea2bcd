"""A small tree for tests of saving, with and without the system's own renames."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.tree.saving import exchange

OLD = b"# Old\n"
NOTE = "auth/jwt/note.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "auth" / "jwt").mkdir(parents=True)
    (folder / NOTE).write_bytes(OLD)
    (folder / NOTE).chmod(0o644)
    return folder


@pytest.fixture(params=["renameat2", "without"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with the system's own renames and atomic swap, and without them."""
    if request.param == "without":
        monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    elif exchange._renameat2() is None:
        pytest.skip("no renameat2 here")
    return request.param
