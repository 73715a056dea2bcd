"""docs/knowing.md against the code: constants with their values, switches of the program, links to headings."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from brvtui.engines.knowing.profile import load_profile
from tests.docs.pages import headings, page, section

PAGE = page("docs/knowing.md")
_VALUE = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+) = ([^`]+)`")
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)(?: = [^`]+)?`")
_ANCHOR = re.compile(r"\]\(#([a-z0-9-]+)\)")
_OF_SEEDS = (
    *("keywords", "tiered", "full_text", "equivalence", "paths", "fusion"),
    *("noise", "noise_of_notes", "seeds", "session", "use", "learning", "pack_cache"),
)
_WITH_ITS_TABLE = ("full_text.columns.", "noise_of_notes.", "seeds.medium.", "seeds.large.", "seeds.small.")


def constants(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every constant by its dotted name."""
    for field in dataclasses.fields(value):
        inner = getattr(value, field.name)
        if dataclasses.is_dataclass(inner):
            yield from constants(inner, f"{where}{field.name}.")
        else:
            yield f"{where}{field.name}", inner


def test_every_value_on_the_page_is_the_profiles() -> None:
    held = dict(constants(load_profile()))
    said = _VALUE.findall(PAGE)
    assert len(said) > 60
    for name, text in said:
        assert held[name] == tomllib.loads(f"value = {text}")["value"], name


def test_every_constant_of_channels_and_seeds_is_explained() -> None:
    named = set(_NAMED.findall(PAGE))
    held = [name for name, _ in constants(load_profile()) if name.partition(".")[0] in _OF_SEEDS]
    missing = [name for name in held if name not in named and not name.startswith(_WITH_ITS_TABLE)]
    assert missing == []


def test_every_switch_of_the_program_is_in_the_table() -> None:
    text = resources.files("brvtui").joinpath("engines/knowing/profiles/knowing-code.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    table = section(PAGE, "Where the program differs")
    changed = {f"{name}.{key}" for name in _OF_SEEDS for key in tables.get(name, {})}
    assert changed
    assert changed - set(_NAMED.findall(table)) == set()


def test_links_lead_to_headings() -> None:
    assert set(_ANCHOR.findall(PAGE)) <= set(headings(PAGE))
