"""Rows of results: matched words, distinguishable titles, and numbers with names."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from brvtui.engines.byterover.presentation import ByteRoverPresentation
from brvtui.paint.glyphs import ASCII, UNICODE
from brvtui.paint.hits import (
    ResultRow,
    added_rule,
    chips,
    hit_lines,
    lead_lines,
    marks_explained,
    near_miss_lines,
    shares_of_lead,
    title_room,
)
from brvtui.paint.sentence import told_apart
from brvtui.paint.steps import check_line, outcome, strip
from brvtui.trace import Check, Hit, Kind, MatchedWord, MatchKind, NearMiss, Origin, Part, Scale, State, Step, TextScore

WORDS = (
    MatchedWord("resends", "resends", MatchKind.EXACT, 0, ("text",)),
    MatchedWord("carr", "carrier", MatchKind.PREFIX, 3, ("title", "text")),
    MatchedWord("evnts", "events", MatchKind.FUZZY, 1, ("title",)),
    MatchedWord("deduped", "deduped", MatchKind.STEM, 0, ("path",)),
)
HIT = Hit("a/b/c.md", "a/b/c.md", "Carrier events", Kind.CONTEXT, Origin.TEXT, 0.83, (), words=WORDS)
MISS = NearMiss("a/d.md", "a/d.md", "Other", Kind.CONTEXT, "draft", 6, 0.4, "past the limit", 1.0, WORDS[:1])


def test_matched_words_follow_their_field_and_show_their_kind() -> None:
    result = chips(WORDS, 100)
    assert result.plain == "title ^carrier ~events path /deduped text =resends"
    roles = dict(result.spans)
    assert (roles["^carrier"], roles["~events"], roles["=resends"]) == ("accent", "warn", "ok")


def test_words_matched_by_a_folder_have_no_field_name() -> None:
    assert chips([MatchedWord("a", "a", MatchKind.EXACT, 0, ("below",))], 20).plain == "=a"


def test_field_names_become_a_dot_if_space_is_short() -> None:
    words = (WORDS[1], WORDS[0])
    assert chips(words, 29).plain == "title ^carrier text =resends"
    assert chips(words, 27).plain == "title ^carrier · =resends"
    assert chips(words[1:], 8).plain == "=resends"


def test_marks_are_explained_if_there_is_room() -> None:
    kinds = [word.kind for word in WORDS[:2]]
    assert marks_explained(kinds, "", 40) == "= same  ^ longer"
    assert marks_explained(kinds, "w4: 4th by words", 40) == "= same  ^ longer  w4: 4th by words"
    assert marks_explained(kinds, "w4: 4th by words", 20) == "= same  ^ longer"
    assert marks_explained(kinds, "", 15) == "= same ^ longer"
    assert marks_explained(kinds, "", 14) == marks_explained([], "", 40) == ""


def test_single_word_search_results_follow_a_separate_rule() -> None:
    by_eta = replace(HIT, found_by="eta")
    assert "then, added by the search for “eta”" in added_rule(by_eta, "", 60, UNICODE)[0].plain
    assert "then, added for “eta”" in added_rule(by_eta, "", 30, UNICODE)[0].plain
    assert added_rule(by_eta, "eta", 60, UNICODE) == added_rule(HIT, "", 60, UNICODE) == []


def _scored(file: str, score: float, recency: float, found_by: str = "", raw: float = 1.0) -> Hit:
    parts = (Part("relevance", score - recency), Part("recency", recency))
    text = TextScore(raw, 1, raw, 0.5)
    return replace(HIT, file=file, score=score, parts=parts, found_by=found_by, text=text)


def test_cap_of_the_result_ahead_is_attributed_to_that_result() -> None:
    capped, other = _scored("a", 1.0, 0.3), _scored("b", 0.9, 0.1)
    capped = replace(capped, parts=(*capped.parts, Part("cap", -0.1)))
    (behind,) = lead_lines((capped, other), other, 2, 200)
    assert "the cap of number 1 (0.10)" in behind.plain
    (ahead,) = lead_lines((capped, other), capped, 2, 200)
    assert "its cap (0.10)" in ahead.plain


def test_score_lead_names_the_parts_that_differ() -> None:
    hits = (
        _scored("a", 0.9, 0.3),
        _scored("b", 0.8, 0.1, raw=9.0),
        _scored("c", 0.8, 0.1),
        _scored("d", 1.0, 0, "eta"),
    )
    leads = [" ".join(line.plain.strip() for line in lead_lines(hits, hit, 2, 200)) for hit in hits]
    ahead = "0.10 ahead of number 2 because of recency (0.20), despite relevance (0.10)"
    assert leads[0] == f"{ahead}; 0.10 behind number 4, which the search for “eta” added"
    lower = (*hits[:3], replace(hits[3], score=0.85))
    assert lead_lines(lower, hits[0], 2, 200)[0].plain.endswith(
        "; 0.05 ahead of number 4, which the search for “eta” added"
    )
    assert lead_lines((*hits[:3], replace(hits[3], score=0.8)), hits[0], 2, 200)[0].plain.strip() == ahead
    assert leads[1] == "0.10 behind number 1 because of recency (0.20), despite relevance (0.10)"
    assert leads[3] == "added by the search for “eta”: added results come last, whatever their scores"
    level = hits[1:3]
    assert lead_lines(level, hits[1], 2, 200)[0].plain == " level with number 2, whose words match less well"
    assert lead_lines(level, hits[2], 2, 200)[0].plain == " level with number 1, whose words match better"
    assert lead_lines(hits[:1], hits[0], 2, 200) == []


@pytest.mark.parametrize("width", range(5, 60))
def test_words_that_do_not_fit_are_counted(width: int) -> None:
    result = chips(WORDS, width)
    shown = sum(word.word in result.plain for word in WORDS)
    assert result.width <= width
    assert shown == len(WORDS) or f" +{len(WORDS) - max(1, shown)}" in result.plain
    assert chips((), width).plain == ""


@pytest.mark.parametrize("width", [24, 33, 43, 80, 160])
@pytest.mark.parametrize("selected", [True, False])
@pytest.mark.parametrize("remark", ["", "by “carrier”"])
def test_rows_show_matched_words_and_the_selected_row_its_path(width: int, selected: bool, remark: str) -> None:
    row = ResultRow(told_apart([HIT.title], title_room(Scale(), width))[0], "core", remark, "", selected)
    result = hit_lines(HIT, 1, row, Scale(), width, UNICODE)
    assert all(line.width <= width for line in result)
    assert "0.83" in result[0].plain
    assert "^carrier" in result[1].plain or "^c" in result[1].plain
    assert any("c.md" in line.plain for line in result) or not selected


def test_warning_about_a_changed_file_replaces_the_remark() -> None:
    row = ResultRow("Carrier events", "core", "by “carrier”", "changed on disk", True)
    first, second, *_ = hit_lines(HIT, 1, row, Scale(), 80, UNICODE)
    assert UNICODE.warn in first.plain
    assert "changed on disk" in second.plain
    assert "by “carrier”" not in second.plain


@pytest.mark.parametrize("width", [1, 6, 10, 18, 25])
@pytest.mark.parametrize("warning", ["", "changed on disk"])
@pytest.mark.parametrize("remark", ["", "by “carrier”"])
def test_selected_row_is_drawn_at_any_width(width: int, warning: str, remark: str) -> None:
    result = hit_lines(HIT, 1, ResultRow("Carrier events", "core", remark, warning, True), Scale(), width, UNICODE)
    assert len(result) > 1


@pytest.mark.parametrize("width", [24, 43, 80, 160])
@pytest.mark.parametrize("warning", ["", "changed on disk"])
def test_long_remark_of_the_selected_result_is_shown_in_full(width: int, warning: str) -> None:
    remark = "from Token rotation: related → Sessions → linked from → Rollback of a release → contains"
    result = hit_lines(HIT, 1, ResultRow("Carrier", "core", remark, warning, True), Scale(), width, UNICODE)
    assert all(line.width <= width for line in result)
    assert (warning or remark) in " ".join(" ".join(line.plain for line in result).split())


def test_near_miss_shows_its_words_when_selected() -> None:
    row = ResultRow("Other", "draft", "+1 rank", "")
    assert len(near_miss_lines(MISS, row, Scale(), 60, UNICODE)) == 1
    chosen = near_miss_lines(MISS, ResultRow("Other", "draft", "+1 rank", "", True), Scale(), 60, UNICODE)
    assert "text =resends  a/d.md" in chosen[1].plain


class TestTitles:
    def test_fitting_titles_are_unchanged(self) -> None:
        assert told_apart(["One", "Two words"], 9) == ["One", "Two words"]

    def test_shared_beginnings_are_shortened(self) -> None:
        titles = ["uzzapp_deck_export_pdf", "uzzapp_deck_export_images", "uzzapp_deck_export_video"]
        assert told_apart(titles, 18) == ["uzzapp_deck_ex…pdf", "uzzapp_deck…images", "uzzapp_deck_…video"]
        assert told_apart(titles, 8) == ["uzza…pdf", "…images", "…video"]

    def test_unique_title_keeps_both_ends(self) -> None:
        assert told_apart(["Pelican Parcel webhooks"], 18) == ["Pelican P…webhooks"]
        assert told_apart(["incident_black_friday_backlog"], 18) == ["incident_bl…acklog"]

    def test_titles_are_distinguishable_at_any_sufficient_width(self) -> None:
        pick = random.Random(5)
        for _ in range(300):
            common = "shared words of all " * pick.randint(0, 2)
            titles = [common + "".join(pick.choices("abcd _é語", k=pick.randint(1, 9))) for _ in range(5)]
            width = pick.randint(12, 40)
            result = told_apart(titles, width)
            assert all(cell_len(title) <= width for title in result)
            if all(cell_len(title) - len(common) < width - 1 for title in titles) and common:
                distinct = {title.strip() for title in titles}
                assert len({title.strip() for title in result}) >= len(distinct) - 1, (titles, result, width)

    def test_control_characters_in_titles_are_replaced(self) -> None:
        assert "\x1b" not in told_apart(["a\x1b[31mred"], 40)[0]


OUTLOOK = {step.name: step for step in ByteRoverPresentation.outlook}


@pytest.mark.parametrize(
    ("check", "step", "shown"),
    [
        (Check("notes found", 18, "<", 3, False, 15, "", ""), "entity_search", "found 18 ≥ 3"),
        (Check("notes found", 2, "<", 3, True, -1, "", ""), "entity_search", "found 2 < 3"),
        (Check("top score", 0.83, "≥", 0.85, False, -0.02, "", ""), "direct", "top 0.83 < .85"),
        (Check("lead over the next", 0.06, "≥", 0.08, False, -0.02, "", ""), "direct", "lead 0.06 < .08"),
        (Check("results", 0.0, ">", 0.0, False, 0.0, "", ""), "out_of_domain", "results 0 ≤ 0"),
        (Check("unmatched words", 2, "=", 0, False, -2, "", ""), "out_of_domain", "unmatched 2 ≠ 0"),
        (Check("best score", 1.0, "≥", 0.7, True, 0.3, "", ""), "single_call", "best 1.00 ≥ .70"),
    ],
)
def test_route_value_is_shown_as_a_named_comparison(check: Check, step: str, shown: str) -> None:
    assert outcome(check, OUTLOOK[step]) == shown
    ended = Step(step, None, step, State.PASSED if check.passed else State.SKIPPED, (check,), "")
    result = strip([ended], {}, ByteRoverPresentation.outlook, 20, ASCII, values=True)
    assert shown in result[2].plain


@pytest.mark.parametrize(("value", "shown"), [(0.83, "best .83 ≥ .70"), (1.0, "best 1 ≥ .70")])
def test_route_value_is_shortened_to_fit(value: float, shown: str) -> None:
    check = Check("best score", value, "≥", 0.7, True, value - 0.7, "", "")
    assert outcome(check, OUTLOOK["single_call"], short=True) == shown
    step = Step("single_call", None, "single_call", State.PASSED if check.passed else State.SKIPPED, (check,), "")
    result = strip([step], {}, ByteRoverPresentation.outlook, 16, ASCII, values=True)
    assert result[2].plain.strip() == shown


def test_check_names_its_requirement() -> None:
    check = Check("notes found", 3, "<", 3, False, 0, "", "")
    step = Step("entity_search", None, "entity searches", State.PASSED if check.passed else State.SKIPPED, (check,), "")
    assert "3  needs < 3" in check_line(check, step, 80, UNICODE).plain


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9), st.lists(st.floats(-1, 1), min_size=1, max_size=9))
def test_displayed_differences_sum_to_displayed_scores(own: list[float], others: list[float]) -> None:
    hit, other = (
        replace(HIT, score=sum(parts), parts=tuple(Part(f"part {place}", value) for place, value in enumerate(parts)))
        for parts in (own, others)
    )
    shares = shares_of_lead(hit, other, 2, 2)
    assert round(sum(value for _, value in shares), 2) == round(hit.score - other.score, 2)
    assert len(shares) <= 4
