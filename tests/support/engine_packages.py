"""Declares an engine like an installed package, during a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brvtui.engines import registry


@contextmanager
def declared(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str) -> Iterator[None]:
    """Puts a package into ``folder`` that declares the engine ``name`` at ``place``, written ``module:Class``."""
    package = folder / "site" / f"{name}-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (package / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {place}\n")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(package.parent)
        _forget_engines()
        yield
    _forget_engines()


def _forget_engines() -> None:
    for cached in (registry.names, registry.declaration, registry._places):
        cached.cache_clear()
