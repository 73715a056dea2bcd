"""docs/reference/jeffs-brain.md and docs/reference/knowing.md against the code: constants with their values, lists,
switches."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from brvtui.engines.jeffs_brain.profile import load
from brvtui.engines.knowing.profile import load_profile
from brvtui.ladder import STRATEGIES
from brvtui.services.legs import RerankRules
from tests.docs.pages import page, section

JEFFS, KNOWING = page("docs/reference/jeffs-brain.md"), page("docs/reference/knowing.md")
_VALUE = re.compile(r"`([a-z_0-9]+(?:\.[a-z_0-9]+)+) = ([^`]+)`")
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)(?: = [^`]+)?`")
_WITHOUT_VALUE = ("query.english", "query.dutch", "ladder.stop_words", "intent.fact_paths")
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


def explained(text: str) -> list[tuple[str, Any]]:
    """The names and values on a page."""
    return [(name, tomllib.loads(f"value = {value}")["value"]) for name, value in _VALUE.findall(text)]


def test_every_jeffs_brain_constant_is_explained_with_its_value() -> None:
    known = {name: value for name, value in constants(load()) if "." in name and name not in _WITHOUT_VALUE}
    assert known == dict(explained(JEFFS))
    assert [name for name in _WITHOUT_VALUE if f"`{name}`" not in JEFFS] == []


def test_documented_list_lengths_are_correct() -> None:
    rules = load()
    assert f"`query.english` ({len(rules.query.english)})" in JEFFS
    assert f"`query.dutch` ({len(rules.query.dutch)})" in JEFFS
    assert f"not one of the {len(rules.ladder.stop_words)} `ladder.stop_words`" in JEFFS


def test_documented_reranking_limits_are_correct() -> None:
    rules = RerankRules()
    assert (
        f"gets batches of {rules.batch} documents, with {rules.parallel} batches in parallel, a temperature of"
        f" {rules.temperature} and at most {rules.max_tokens:,} tokens for its answer, and is asked for scores from 0"
        f" to {rules.scale}." in " ".join(JEFFS.split())
    )


def test_every_retry_ladder_step_is_documented() -> None:
    for number, strategy in enumerate(STRATEGIES):
        assert f"| {number} | `{strategy}` |" in JEFFS


def test_documented_constants_match_the_profile_of_the_knowing_engine() -> None:
    held, values = dict(constants(load_profile())), explained(KNOWING)
    assert len(values) > 60
    assert [(name, value) for name, value in values if held[name] != value] == []


def test_every_channel_and_seed_constant_is_explained() -> None:
    named = set(_NAMED.findall(KNOWING))
    held = [name for name, _ in constants(load_profile()) if name.partition(".")[0] in _OF_SEEDS]
    assert [name for name in held if name not in named and not name.startswith(_WITH_ITS_TABLE)] == []


def test_every_switch_of_the_program_profile_is_documented() -> None:
    text = resources.files("brvtui").joinpath("engines/knowing/profiles/knowing-code.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    changed = {f"{name}.{key}" for name in _OF_SEEDS for key in tables.get(name, {})}
    assert changed
    assert changed - set(_NAMED.findall(section(KNOWING, "Where the program differs"))) == set()
