"""Every constant of every profile is read by code: none is there only to be looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import brvtui
from brvtui.engines import registry

PACKAGE = Path(brvtui.__file__).parent


@cache
def read_names() -> frozenset[str]:
    """The attributes that code of the package reads, and the texts by which it may ask for one."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return frozenset(found)


def constants(held: Any, path: str = "") -> Iterator[str]:
    """The names of all constants of a profile, with the tables around them."""
    for field in fields(held):
        value = getattr(held, field.name)
        if is_dataclass(value):
            yield from constants(value, f"{path}{field.name}.")
        yield f"{path}{field.name}"


@pytest.mark.parametrize("engine", registry.names())
def test_every_constant_is_read(engine: str) -> None:
    held = registry.load(engine)
    for profile in held.profiles:
        unread = [name for name in constants(held.constants(profile)) if name.rpartition(".")[2] not in read_names()]
        assert unread == [], profile
