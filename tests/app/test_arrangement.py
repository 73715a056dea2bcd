"""Arrangement of panes: within the screen, and never overlapping."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.arrangement import (
    LEAST_COLUMNS,
    LEAST_ROWS,
    STRIP,
    Area,
    Arrangement,
    Layout,
    Split,
    apportion,
    arrange,
    edge_at,
    edges_beside,
    is_too_small,
    is_wide,
    layout_from,
    moved,
    tile,
)
from brvtui.app.editing.screen import EDITOR
from brvtui.app.maturity.screen import MATURITY
from brvtui.app.notes.screen import NOTES
from brvtui.app.query.digest import DIGEST
from brvtui.app.query.route import VERDICT
from brvtui.app.query.screen import QUERY

PLANS = {"query": QUERY, "notes": NOTES, "editor": EDITOR, "maturity": MATURITY}
NAMES = ("route", "three columns", "four columns", "results", "score", "retry beside cache", "tree", "text", "narrow")


def _apart(one: Area, other: Area) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


def layouts(plan: Arrangement) -> st.SearchStrategy[Layout]:
    """Layouts that may have been stored by this version or another one."""
    shares = st.dictionaries(st.sampled_from(NAMES), st.lists(st.floats(0.01, 500), min_size=1, max_size=4).map(tuple))
    hidden = st.frozensets(st.sampled_from((*plan.panes, "gone")), max_size=len(plan.panes) - 1)
    some = hidden.filter(lambda chosen: bool(set(plan.panes) - chosen))
    return st.builds(Layout, shares, some, st.just(frozenset()))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@given(st.integers(60, 320), st.integers(18, 120), st.data())
def test_panes_fill_the_screen_without_overlap(plan: Arrangement, width: int, height: int, data: st.DataObject) -> None:
    body = height - 5
    tab, maximised = data.draw(st.sampled_from(plan.tabs)), data.draw(st.sampled_from(("", *plan.panes)))
    layout = data.draw(layouts(plan))
    areas = arrange(plan, width, body, is_wide(width, height), tab, maximised, layout).areas
    for name, place in areas.items():
        assert place.x >= 0
        assert place.y >= 0
        assert place.width >= 20
        assert place.height >= (1 if name == DIGEST else 3)
        assert place.x + place.width <= width
        assert place.y + place.height <= body
    assert all(_apart(one, other) for one, other in combinations(areas.values(), 2))
    assert sum(place.width * place.height for place in areas.values()) == width * body


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_any_size_is_arranged_while_a_screen_is_resized(plan: Arrangement) -> None:
    layouts = (Layout(), Layout(hidden=plan.with_own_head), Layout(hidden=plan.aside))
    for width, height, wide, layout in product((0, 80, 130, 200), range(60), (False, True), layouts):
        areas = arrange(plan, width, height, wide, plan.tabs[0], "", layout).areas
        assert all(place.width >= 0 and place.height >= 0 for place in areas.values())


def test_narrow_editor_gives_one_tab_the_whole_screen() -> None:
    assert arrange(EDITOR, 80, 20, False, "ranking").areas == {"ranking": Area(0, 0, 80, 20)}


@pytest.mark.parametrize(
    ("size", "wide"), [((110, 30), True), ((109, 30), False), ((110, 29), False), ((80, 24), False)]
)
def test_wide_layout_needs_110_columns_and_30_rows(size: tuple[int, int], wide: bool) -> None:
    assert is_wide(*size) is wide


def test_wide_screen_shows_all_panes_and_narrow_screen_one_tab() -> None:
    assert arrange(QUERY, 120, 30, True, "score").areas.keys() == set(QUERY.panes)
    assert arrange(QUERY, 80, 20, False, "cache").areas.keys() == {VERDICT, DIGEST, "results", "cache"}
    assert arrange(QUERY, 120, 30, True, "score", "cache").areas.keys() == {VERDICT, "cache"}


def test_smallest_usable_size_is_60_by_18() -> None:
    assert not is_too_small(60, 18)
    assert is_too_small(59, 18)
    assert is_too_small(60, 17)


def test_space_of_hidden_panes_goes_to_other_panes() -> None:
    areas = arrange(QUERY, 120, 30, True, "score", "", Layout(hidden=frozenset({"tree", "cache"}))).areas
    assert areas.keys() == set(QUERY.panes) - {"tree", "cache"}
    assert areas["results"].x == 0
    assert areas["retry"].x + areas["retry"].width == 120


def test_verdict_stays_when_its_pane_is_hidden() -> None:
    areas = arrange(QUERY, 120, 30, True, "score", "", Layout(hidden=frozenset({"route"}))).areas
    assert areas[VERDICT] == Area(0, 0, 120, 4)
    assert min(place.y for name, place in areas.items() if name != VERDICT) == 4


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [({"results"}, {VERDICT, "cache"}), ({"cache"}, {VERDICT, "results"}), (set(), {VERDICT, "results", "cache"})],
)
def test_narrow_screen_omits_hidden_panes(hidden: set[str], shown: set[str]) -> None:
    areas = arrange(QUERY, 80, 20, False, "cache", "", Layout(hidden=frozenset(hidden))).areas
    assert areas.keys() == {DIGEST, *shown}


@pytest.mark.parametrize(
    ("hidden", "rows"), [({"retry", "cache"}, 7), ({"retry"}, 4), ({"cache"}, 3)], ids=["both", "retry", "cache"]
)
def test_digest_takes_rows_from_results_for_each_hidden_pane(hidden: set[str], rows: int) -> None:
    layout = Layout(hidden=frozenset({"answer", *hidden}))
    areas = arrange(QUERY, 120, 30, True, "score", "", layout).areas
    alone = arrange(QUERY._replace(digested={}), 120, 30, True, "score", "", layout).areas
    results, digest = areas["results"], areas[DIGEST]
    assert digest.height == rows
    assert digest.y == results.y + results.height
    assert results._replace(height=results.height + rows) == alone["results"]


def test_digest_leaves_room_for_four_results() -> None:
    hidden = frozenset(QUERY.aside)
    low = arrange(QUERY, 110, 22, True, "score", "", Layout(hidden=hidden)).areas
    assert (low["results"].height, low[DIGEST].height) == (12, 6)
    assert DIGEST not in arrange(QUERY, 110, 18, True, "score", "", Layout(hidden=hidden)).areas
    assert DIGEST not in arrange(QUERY, 80, 19, False, "score").areas


@given(st.lists(st.tuples(st.floats(0.01, 1e6), st.integers(1, 40)), min_size=1, max_size=6), st.integers(6, 400))
def test_apportion_distributes_all_cells(parts: list[tuple[float, int]], total: int) -> None:
    weights, minimum = [weight for weight, _ in parts], [floor for _, floor in parts]
    cells = apportion(weights, total, minimum)
    assert sum(cells) == total
    assert all(own >= 1 for own in cells)
    if sum(minimum) <= total:
        assert all(own >= floor for own, floor in zip(cells, minimum, strict=True))


def test_apportioning_keeps_the_designed_sizes() -> None:
    assert apportion((24, 43, 53), 120, (20, 20, 20)) == [24, 43, 53]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@given(st.integers(110, 320), st.integers(30, 120), st.integers(-400, 400), st.data())
def test_edge_moves_with_the_mouse_up_to_its_limits(
    plan: Arrangement, width: int, height: int, by: int, data: st.DataObject
) -> None:
    layout = data.draw(layouts(plan))
    before = arrange(plan, width, height, True, plan.tabs[0], "", layout)
    if not before.edges:
        return
    edge = data.draw(st.sampled_from(before.edges))
    result = moved(layout, edge, by)
    after = arrange(plan, width, height, True, plan.tabs[0], "", result)
    (same,) = (one for one in after.edges if (one.split, one.first) == (edge.split, edge.first))
    minimum = LEAST_COLUMNS if edge.across else LEAST_ROWS
    smallest = min(place.width if edge.across else place.height for place in after.areas.values())
    assert smallest >= minimum
    room = (edge.cells[edge.first] - edge.least[0], edge.cells[edge.second] - edge.least[1])
    assert same.at - edge.at == max(-room[0], min(by, room[1]))
    assert moved(result, same, edge.at - same.at) == result or same.at != edge.at
    assert layout_from(result.plain()) == result


@given(st.integers(160, 320), st.integers(30, 120), st.data())
def test_collapsed_panes_become_strips_and_others_grow(width: int, height: int, data: st.DataObject) -> None:
    layout = data.draw(layouts(MATURITY))
    collapsed = data.draw(st.frozensets(st.sampled_from(MATURITY.panes[:3])))
    whole = arrange(MATURITY, width, height, True, "draft", "", layout)
    result = arrange(MATURITY, width, height, True, "draft", "", layout._replace(collapsed=collapsed))
    assert result.areas.keys() == whole.areas.keys()
    assert sum(area.width * area.height for area in result.areas.values()) == width * height
    columns = {name: area.width for name, area in result.areas.items() if name in MATURITY.panes[:3]}
    strips = collapsed & columns.keys()
    if strips == columns.keys():
        assert result.areas == whole.areas, "one of them has to show why there is nothing"
    else:
        assert {columns[name] for name in strips} <= {STRIP}
        assert all(columns[name] >= whole.areas[name].width for name in columns.keys() - strips)
    if strips and strips < columns.keys():
        assert not [edge for edge in result.edges if edge.before | edge.after <= columns.keys()]
    assert "collapsed" not in layout._replace(collapsed=collapsed).plain()


@pytest.mark.parametrize("pane", QUERY.panes)
def test_every_pane_can_grow(pane: str) -> None:
    tiled = arrange(QUERY, 140, 50, True, "score")
    for across in (True, False):
        found = list(edges_beside(tiled, pane, across))
        if pane == "route" and across:
            assert found == []
            continue
        edge, direction = found[0]
        after = arrange(QUERY, 140, 50, True, "score", "", moved(Layout(), edge, 2 * direction))
        one, other = tiled.areas[pane], after.areas[pane]
        assert (other.width - one.width if across else other.height - one.height) == 2


def test_edge_at_finds_the_edge_under_the_mouse() -> None:
    tiled = arrange(QUERY, 120, 30, True, "score")
    tree, results, answer = (tiled.areas[name] for name in ("tree", "results", "answer"))
    for x in (tree.width - 1, tree.width):
        edge = edge_at(tiled, x, tree.y + 5)
        assert edge is not None
        assert (edge.split, edge.at) == ("three columns", tree.width)
    under = edge_at(tiled, results.x + 10, results.y + results.height - 1)
    assert under is not None
    assert (under.split, under.at) == ("results", answer.y)
    assert edge_at(tiled, results.x + 10, answer.y) is None  # the title line, which contains clickable tabs
    assert edge_at(tiled, results.x + 10, results.y + 2) is None


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {"shares": [], "hidden": {}},
        {"shares": {"x": [0]}, "hidden": [1]},
        {"shares": {"x": ["1"], "y": [True], "z": [-1.0], "w": [1e300], "v": [], "u": 3}},
    ],
)
def test_invalid_layout_becomes_the_default(plain: object) -> None:
    assert layout_from(plain) == Layout()


def test_panes_do_not_overlap_on_a_tiny_screen() -> None:
    split = Split("x", True, ("a", "b", "c"), (30, 30, 30))
    areas = tile(split, Area(0, 0, 10, 2), Layout()).areas
    assert sum(place.width for place in areas.values()) == 10
