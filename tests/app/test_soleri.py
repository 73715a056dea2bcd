"""Soleri's answers: why the first result is first, and the effect of a link."""

from __future__ import annotations

import re

from brvtui.app.query.retry import RetryPane
from brvtui.engines.soleri.comparing import differences
from brvtui.engines.soleri.sections import VaultSearch
from tests.app.driving import MakeApp, ask, at_all_sizes, at_two_sizes, settled
from tests.app.engines import switch_to
from tests.app.linked import HUB, HUB_TEXT
from tests.app.looking import AppPilot, flat, screen, shown, trace_of
from tests.support.trees import Tree


@at_all_sizes
async def test_headline_explains_the_first_result(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "refresh token", "escape")
    await switch_to(pilot, "soleri")
    trace = trace_of(pilot)
    best, second = trace.hits[:2]
    first = re.sub(r"[│\s]+", " ", "\n".join(shown(pilot).splitlines()[2:9]))
    lead = f"{best.score - second.score:.3f}".removeprefix("0")
    assert f"“{best.title}” is first" in first
    assert f"{lead} ahead of “{second.title}”: " in first
    for one in differences(*trace.section(VaultSearch).ranking[:2]):
        assert f"{one.name} {one.text(signed=True)}" in first


@at_two_sizes
async def test_effect_of_a_link_is_explained_in_one_sentence(
    garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    garden.file(HUB, HUB_TEXT)
    async with make_app(garden.root).run_test(size=size) as pilot:
        await ask(pilot, "token store", "escape")
        await switch_to(pilot, "soleri")
        trace = trace_of(pilot)
        linked = next(hit for hit in trace.hits if hit.file == HUB)
        pilot.app.select(linked.file)
        await settled(pilot)
        score = flat(pilot, "#score")
        assert f": +{linked.parts[-1].value:.3f}; " in score
        assert "1 step away from “Token store”" in score


async def test_retry_keys_belong_to_the_engine(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token", "escape")
    pane = screen(pilot).query_one(RetryPane)
    assert pane.choices
    assert pane.check_action("take", ())
    await switch_to(pilot, "soleri")
    assert not pane.choices
    assert not pane.check_action("take", ())
