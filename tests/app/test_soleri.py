"""What a newcomer reads of Soleri's answers: why the first result is first, and what a link added."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from brvtui.app.app import BrvTui
from tests.app.driving import NARROW, SIZES, WIDE, ask, settled, shown, text_of, view
from tests.app.engines import switch_to
from tests.app.linked import HUB, HUB_TEXT
from tests.support.trees import Tree


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_the_first_line_says_why_the_first_result_is_first(app: BrvTui, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await ask(pilot, "refresh token")
        await pilot.press("escape")
        await switch_to(pilot, "soleri")
        trace = view(pilot).answer.trace
        assert trace is not None
        best = trace.hits[0]
        heaviest = max(best.parts, key=lambda part: part.value)
        reasons, _, rest = trace.verdict.partition(" put ")
        assert f"{heaviest.value:.3f}".removeprefix("0") in reasons
        assert rest.startswith(f"{best.title} first")
        first = "\n".join(line for line in shown(pilot).splitlines()[2:9])
        assert reasons in re.sub(r"[│\s]+", " ", first)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
async def test_what_a_link_added_is_said_in_a_sentence(
    garden: Tree, make_app: Callable[..., BrvTui], size: tuple[int, int]
) -> None:
    garden.file(HUB, HUB_TEXT)
    async with make_app(garden.root).run_test(size=size) as pilot:
        await ask(pilot, "token store")
        await pilot.press("escape")
        await switch_to(pilot, "soleri")
        trace = view(pilot).answer.trace
        assert trace is not None
        linked = next(hit for hit in trace.hits if hit.file == HUB)
        pilot.app.select(linked.file)
        await settled(pilot)
        score = " ".join(text_of(pilot, "#score").split())
        assert f": +{linked.parts[-1].value:.3f}; " in score
        assert "linked with Token store" in score


async def test_before_an_answer_the_parts_are_those_of_the_engine(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "importance" in text_of(pilot, "#score")
        await pilot.press("escape")
        await switch_to(pilot, "soleri")
        assert "semantic" in text_of(pilot, "#score")
        assert "importance" not in text_of(pilot, "#score")
        assert "tier" not in text_of(pilot, "#results").partition("most important")[0]
