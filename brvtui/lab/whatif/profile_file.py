"""A profile file: the constants that differ from a built-in profile, as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OF_PROFILE = ("name", "summary", "engine")


def profile_file(name: str, extends: str, base: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """The text of a profile called ``name``: ``made``, by what differs from ``base``, the profile ``extends``."""
    lines = [f"extends = {json.dumps(extends)}", f"name = {json.dumps(name, ensure_ascii=False)}"]
    lines.append(f"summary = {json.dumps(f'{extends} with constants changed in the Lab')}")
    top = {key: value for key, value in made.items() if key not in _OF_PROFILE}
    return "\n".join([*lines, *_tables("", base, top), ""])


def _tables(where: str, base: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    plain = [
        f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in made.items()
        if not isinstance(value, dict) and base.get(key) != value
    ]
    lines = ([f"\n[{where}]"] if where else []) + plain if plain else []
    for key, value in made.items():
        if isinstance(value, dict):
            inner = f"{where}.{_key(key)}" if where else _key(key)
            lines += _tables(inner, base.get(key, {}), value)
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)
