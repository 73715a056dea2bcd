"""docs/jeffs_brain.md against the profile: every constant is explained with its value."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from brvtui.engines.jeffs_brain.profile import load
from brvtui.ladder import STRATEGIES
from brvtui.services.legs import RerankRules
from tests.docs.pages import headings, page

PAGE = page("docs/jeffs_brain.md")
_SPAN = re.compile(r"`([a-z_0-9]+\.[a-z_0-9]+) = ([^`]+)`")
_WITHOUT_VALUE = ("query.english", "query.dutch", "ladder.stop_words", "intent.fact_paths")
_ANCHOR = re.compile(r"\]\(#([a-z0-9-]+)\)")


def constants() -> Iterator[tuple[str, Any]]:
    profile = load()
    for table in dataclasses.fields(profile):
        rules = getattr(profile, table.name)
        if dataclasses.is_dataclass(rules):
            for field in dataclasses.fields(rules):
                yield f"{table.name}.{field.name}", getattr(rules, field.name)


def test_every_constant_is_explained_with_its_value() -> None:
    explained = {name: tomllib.loads(f"value = {value}")["value"] for name, value in _SPAN.findall(PAGE)}
    known = dict(constants())
    assert {name: value for name, value in known.items() if name not in _WITHOUT_VALUE} == explained
    assert [name for name in _WITHOUT_VALUE if f"`{name}`" not in PAGE] == []


def test_the_lists_have_the_lengths_that_the_page_says() -> None:
    rules = load()
    assert f"`query.english` ({len(rules.query.english)})" in PAGE
    assert f"`query.dutch` ({len(rules.query.dutch)})" in PAGE
    assert f"none of the {len(rules.ladder.stop_words)} `ladder.stop_words`" in PAGE


def test_how_a_model_reranks() -> None:
    rules = RerankRules()
    assert (
        f"gets {rules.batch} documents at a time, {rules.parallel} batches at once, with temperature"
        f" {rules.temperature} and at most {rules.max_tokens:,} tokens to answer in, and is asked for scores from 0 to"
        f" {rules.scale}." in " ".join(PAGE.split())
    )


def test_every_link_leads_to_a_heading() -> None:
    assert set(_ANCHOR.findall(PAGE)) <= set(headings(PAGE))


def test_every_step_of_the_ladder_is_in_the_table() -> None:
    for number, strategy in enumerate(STRATEGIES):
        assert f"| {number} | `{strategy}` |" in PAGE
