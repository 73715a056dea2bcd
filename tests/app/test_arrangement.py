"""Where panes stand: within the screen, never over each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.arrangement import EDITOR, NOTES, QUERY, VERDICT, Arrangement, Place, arrange, is_too_small, is_wide


def _apart(one: Place, other: Place) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


@pytest.mark.parametrize("plan", [QUERY, NOTES, EDITOR], ids=["query", "notes", "editor"])
@given(st.integers(60, 320), st.integers(18, 120), st.data())
def test_panes_fill_the_screen_without_overlap(plan: Arrangement, width: int, height: int, data: st.DataObject) -> None:
    body = height - 5
    tab, maximised = data.draw(st.sampled_from(plan.tabs)), data.draw(st.sampled_from(("", *plan.panes)))
    places = arrange(plan, width, body, is_wide(width, height), tab, maximised)
    for place in places.values():
        assert place.x >= 0
        assert place.y >= 0
        assert place.width >= 20
        assert place.height >= 3
        assert place.x + place.width <= width
        assert place.y + place.height <= body
    assert all(_apart(one, other) for one, other in combinations(places.values(), 2))
    assert sum(place.width * place.height for place in places.values()) == width * body


def test_a_plan_with_nothing_beside_gives_a_tab_the_whole_narrow_screen() -> None:
    assert arrange(EDITOR, 80, 20, False, "ranking") == {"ranking": Place(0, 0, 80, 20)}


@pytest.mark.parametrize(
    ("size", "wide"), [((110, 30), True), ((109, 30), False), ((110, 29), False), ((80, 24), False)]
)
def test_what_is_wide(size: tuple[int, int], wide: bool) -> None:
    assert is_wide(*size) is wide


def test_wide_shows_all_and_narrow_one_tab() -> None:
    assert arrange(QUERY, 120, 30, True, "score").keys() == set(QUERY.panes)
    assert arrange(QUERY, 80, 20, False, "cache").keys() == {VERDICT, "results", "cache"}
    assert arrange(QUERY, 120, 30, True, "score", "cache").keys() == {VERDICT, "cache"}


def test_the_least_usable_size() -> None:
    assert not is_too_small(60, 18)
    assert is_too_small(59, 18)
    assert is_too_small(60, 17)
