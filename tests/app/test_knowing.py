"""Answers of knowing: reasons for results without a matching word, and the context for the agent."""

from __future__ import annotations

from brvtui.engines.knowing.sections import GraphRetrieval
from tests.app.driving import MakeApp, ask, at_all_sizes, at_two_sizes, press, settled
from tests.app.engines import switch_to
from tests.app.linked import HUB, HUB_TEXT
from tests.app.looking import AppPilot, brv, flat, shown, text_of, view
from tests.support.trees import Tree


def graph_of(pilot: object) -> GraphRetrieval:
    trace = view(pilot).answer.trace  # type: ignore[arg-type]
    assert trace is not None
    return trace.section(GraphRetrieval)


@at_all_sizes
async def test_panes_show_the_answers_of_knowing(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation", "escape")
    await switch_to(pilot, "knowing")
    assert "KNOWING" in shown(pilot)
    assert "is first of" in shown(pilot)
    section = graph_of(pilot)
    for key, pane, text in (
        ("f3", "#score", "walk paths"),
        ("f4", "#route", "the walk ·"),
        ("f6", "#graph", "result 1"),
        ("f7", "#answer", f"{section.used:,} tokens"),
    ):
        await press(pilot, key)
        assert text in text_of(pilot, pane).replace("\n ", " "), pane


@at_two_sizes
async def test_note_without_a_matching_word_lists_the_links_to_it(
    garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    garden.file(HUB, HUB_TEXT)
    garden.file("ops/handover.md", "# Handover\n\nWhoever leaves says what is open.\n")
    garden.file(
        "auth/jwt/entry.md", "---\nrelated: [ops/handover.md]\n---\n# Token entry\n\nA token store begins here.\n"
    )
    async with make_app(garden.root).run_test(size=size) as pilot:
        await ask(pilot, "token store", "escape")
        await switch_to(pilot, "knowing")
        placed = graph_of(pilot).placed("ops/handover.md")
        assert placed is not None
        assert not placed.found_by
        pilot.app.select("ops/handover.md")  # type: ignore[attr-defined]
        await settled(pilot)
        score = flat(pilot, "#score")
        assert "none of your words led to it; the walk reached it through links" in score
        assert "Token entry → related → here" in score


async def test_packed_context_is_displayed_and_can_be_copied(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation", "escape")
    await switch_to(pilot, "knowing")
    await press(pilot, "f7", "l")
    assert "auth/jwt" in text_of(pilot, "#answer")
    await press(pilot, "y")
    assert brv(pilot).sharing.copied == graph_of(pilot).context.replace("\x1b", "␛").replace("\a", "␇")
