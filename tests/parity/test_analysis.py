"""The words into which ByteRover 3.14 cuts 1,000 texts on the sample tree, recorded by observing its own search."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines import registry
from brvtui.engines.byterover.engine import ByteRover
from brvtui.engines.byterover.profile import Context
from brvtui.engines.contract import Analyses
from brvtui.engines.contract import Context as EngineContext
from brvtui.loading import load
from brvtui.text.analysis import from_utf16
from brvtui.tree.reading.project import find_project
from tests.parity.test_sample import answers as answers
from tests.parity.test_sample import copied as copied
from tests.parity.test_sample import now_ms as now_ms
from tests.support import recorded
from tests.support.trees import BRV3

ANALYSES = recorded.REPOSITORY / "tests" / "data" / "parity" / "analysis.json.gz"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress(ANALYSES.read_bytes()))["rows"]
    return found


@pytest.fixture(scope="module")
def context(copied: Path, now_ms: float) -> Context:
    snapshot = load(find_project(copied), BRV3, now_ms)
    assert snapshot is not None
    return Context(snapshot, BRV3, now_ms)


def check(rows: Sequence[dict[str, Any]], context: Context) -> None:
    engine, different = ByteRover(), []
    for row in rows:
        steps = {step.name: list(step.tokens) for step in engine.analysis(context, row["query"])}
        real = row["search"]
        if real is None:  # the text is the name of a note, so its words are not searched
            expected: dict[str, list[str]] = {"text": [], "terms": [], "unmatched": []}
        else:
            expected = {name: [from_utf16(term) for term in real[name]] for name in ("terms", "unmatched")}
            # the engine keeps a blank at the end, which has no effect on the words
            expected |= {name: [text] if (text := real[name].strip()) else [] for name in ("text", "scope")}
        ours = {name: steps[name] for name in expected}
        if ours != expected:
            different.append((row["query"], expected, ours))
    assert different == []


def test_words_scopes_and_unmatched_terms_match_a_sample_of_the_recording(
    rows: list[dict[str, Any]], context: Context
) -> None:
    check(rows[::8], context)


@pytest.mark.long
def test_words_scopes_and_unmatched_terms_match_the_whole_recording(
    rows: list[dict[str, Any]], context: Context
) -> None:
    check(rows, context)


def test_recording_covers_scripts_scopes_and_unmatched_terms(rows: list[dict[str, Any]]) -> None:
    searches = [row["search"] for row in rows]
    assert len(rows) == 1_000
    assert sum(not row["query"].isascii() for row in rows) >= 200
    assert sum(bool(one and one["scope"]) for one in searches) >= 20
    assert None in searches
    assert sum(bool(one and one["unmatched"]) for one in searches) >= 200


def cases(name: str) -> list[dict[str, Any]]:
    """The recorded cases in the file ``name`` of the tests' data."""
    found: list[dict[str, Any]] = recorded.read(recorded.REPOSITORY / "tests" / "data" / f"{name}.json")["cases"]
    return found


_loaded = lru_cache(registry.load)


def steps_of(context: Context, engine: str, profile: str, text: str) -> dict[str, list[str]]:
    """The tokens of each step of ``engine``."""
    analysed = _loaded(engine)
    assert isinstance(analysed, Analyses)
    own = EngineContext(context.snapshot, analysed.constants(profile), context.now_ms)
    return {step.name: list(step.tokens) for step in analysed.analysis(own, text)}


def test_jeffs_brain_tokens_match_the_recorded_parser(context: Context) -> None:
    for case in cases("jeffs_brain/query_parse"):
        steps = steps_of(context, "jeffs_brain", "", case["input"]["query"])
        assert steps["terms"] == [token["text"] for token in case["expected"]["tokens"]], case["name"]
        assert steps["text"] == list(filter(None, [case["expected"]["raw"]]))


def test_soleri_expressions_match_the_recorded_queries(context: Context) -> None:
    agreed = [case for case in cases("soleri/fts_query") if case["authority"] == "agree"]
    assert len(agreed) >= 10
    for case in agreed:
        steps = steps_of(context, "soleri", "", case["input"]["query"])
        assert steps["expression"] == list(filter(None, [case["expected"]["fts_query"]])), case["name"]


def test_soleri_compared_words_match_the_recorded_tokenizer(context: Context) -> None:
    for case in cases("soleri/tokenizer"):
        assert steps_of(context, "soleri", "", case["input"]["text"])["compared"] == case["expected"]["tokens"]


def test_knowing_keywords_match_the_recorded_keywords(context: Context) -> None:
    for case in cases("knowing/keyword_set"):
        steps, wanted = steps_of(context, "knowing", "knowing-code", case["input"]["task"]), case["expected"]
        assert steps["keywords"] == [*wanted["exact"], *wanted["compounds"]], case["name"]
        if not case.get("contains_invalid_utf8"):
            assert sorted(steps["terms"]) == sorted(wanted["components"]), case["name"]
