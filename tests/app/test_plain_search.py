"""One key shows the selected note's rank in plain search, whichever engine answered."""

from __future__ import annotations

from tests.app.driving import ask, press, settled, until
from tests.app.engines import switch_to
from tests.app.looking import AppPilot, text_of, toast_text, view
from tests.support.trees import Tree

QUERY = "token store refresh rotation"


def results(pilot: AppPilot) -> str:
    return " ".join(text_of(pilot, "#results").split())


async def test_rank_in_plain_search_is_shown_below_selected_result(garden: Tree, pilot: AppPilot) -> None:
    plain = garden.session().preview(QUERY, engine="baseline")
    await ask(pilot, QUERY)
    await press(pilot, "escape")
    for engine in ("byterover", "knowing", "baseline"):
        await switch_to(pilot, engine)
        for step in range(2):
            await press(pilot, *(["ctrl+down"] * step))
            assert "Plain search:" not in results(pilot)
            place, hit = plain.place_of(view(pilot).selection.file)
            assert place is not None
            assert hit is not None
            message = f"Plain search: {place}{('st', 'nd', 'rd', 'th')[min(place, 4) - 1]} of {plain.total_found}"
            await press(pilot, "F")
            await until(pilot, lambda message=message: message in results(pilot))  # type: ignore[misc]
            assert text_of(pilot, "#results").count("Plain search:") == 1
        await press(pilot, "ctrl+up")


async def test_note_that_plain_search_misses_gets_the_reason(pilot: AppPilot) -> None:
    await ask(pilot, "tokens")
    await press(pilot, "escape")
    pilot.app.select("billing/refunds.md")
    await settled(pilot)
    await press(pilot, "F")
    message = "Plain search does not find it: neither title nor text contains any of the words"
    await until(pilot, lambda: message in toast_text(pilot))


async def test_f_without_a_selected_result_explains_what_is_needed(pilot: AppPilot) -> None:
    await ask(pilot, "zzzz")
    await press(pilot, "escape", "F")
    await until(pilot, lambda: "F then shows its rank in plain search" in toast_text(pilot))


async def test_first_note_of_all_other_engines_is_named_if_they_agree(pilot: AppPilot) -> None:
    await ask(pilot, "token rotation")
    await press(pilot, "escape", "F")
    await until(pilot, lambda: "Plain search:" in results(pilot))
    assert "other engines" not in results(pilot)
    await switch_to(pilot, "knowing")
    await press(pilot, "F")
    await until(pilot, lambda: "all 4 other engines put “" in results(pilot))
