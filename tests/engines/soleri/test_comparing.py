"""What the sentence says of a score: its named parts and differences sum, and links are said as the notes have them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.soleri.comparing import OTHERS, composition, differences, first_without_links, separating_terms
from brvtui.engines.soleri.engine import Soleri
from brvtui.engines.soleri.sections import SIGNALS, RankedEntry, SharedTerm, VaultSearch
from brvtui.engines.soleri.vault import link_graph
from brvtui.engines.soleri.vectors import uncounted
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.hits import differences as lead_differences
from brvtui.paint.sentence import plain, sentence_lines
from brvtui.trace import DocumentForecast, Hit, Origin, Part
from tests.engines.soleri.test_engine import NOTES, ask
from tests.support.trees import Tree

VALUES = st.lists(st.floats(-0.15, 0.35), min_size=len(SIGNALS), max_size=len(SIGNALS))


@pytest.fixture
def garden(tree: Tree) -> Tree:
    for path, text in NOTES.items():
        tree.file(path, text, 1.0)
    return tree


def placed(values: list[float], *terms: tuple[str, float]) -> RankedEntry:
    parts = tuple(Part(name, value) for name, value in zip(SIGNALS, values, strict=True))
    hit = Hit("a.md", "a.md", "A", "note", Origin.TEXT, sum(values), parts)
    shared = tuple(SharedTerm(term, 1.0, 1.0, adds) for term, adds in terms)
    return RankedEntry(hit, "a", "project", 1, None, None, None, 1, (), DocumentForecast(1, 1, (), 1, ()), shared)


@given(VALUES, VALUES)
def test_the_named_differences_and_the_others_sum_to_the_gap(first: list[float], second: list[float]) -> None:
    made = differences(placed(first), placed(second))
    assert sum(one.thousandths for one in made) == round((sum(first) - sum(second)) * 1000)
    exact = {name: one - other for name, one, other in zip(SIGNALS, first, second, strict=True)}
    for one in made:
        if one.name != OTHERS:
            assert one.thousandths / 1000 == pytest.approx(exact[one.name], abs=0.0010001)


@given(VALUES)
def test_the_named_parts_and_the_others_sum_to_the_score(values: list[float]) -> None:
    assert sum(one.thousandths for one in composition(placed(values))) == round(sum(values) * 1000)


@given(VALUES, VALUES)
def test_the_sentence_has_the_differences_that_stand_beside_the_scores(first: list[float], second: list[float]) -> None:
    one, other = placed(first), placed(second)
    beside = {name: round(value * 1000) for name, value in lead_differences(one.hit, other.hit, 3)}
    told = {made.name: made.thousandths for made in differences(one, other) if made.name != OTHERS}
    assert told.items() <= beside.items()


def test_a_part_that_both_have_is_no_difference_and_words_name_those_that_decide() -> None:
    first = placed([0.15, 0, 0.04, 0.09, 0, 0, 0.075], ("token", 0.3), ("refresh", 0.13))
    second = placed([0.14, 0, 0.04, 0.086, 0, 0, 0.075], ("token", 0.4))
    made = differences(first, second)
    assert [(one.name, one.thousandths) for one in made] == [("words", 10), ("age", 4)]
    assert separating_terms(first, second) == (("refresh",), ("token",))


def test_who_would_be_first_without_links() -> None:
    first, second = placed([0.1] * 7), placed([0.1] * 7)
    assert first_without_links([first, second]) is None
    risen = [replace(first, first_rank=3), replace(second, first_rank=2), replace(first, first_rank=1)]
    assert first_without_links(risen) == (3, risen[2])


def test_a_link_is_said_as_it_is_written_whatever_way_it_was_followed() -> None:
    graph = link_graph([("pagination", "limits"), ("limits", "gateway")])
    assert graph.namers(("gateway", "limits", "pagination")) == ("limits", "pagination")
    assert graph.namers(("pagination", "limits", "gateway")) == ("pagination", "limits")


def test_words_that_do_not_count_are_named_once() -> None:
    assert uncounted("Why are the tokens, the db-tokens of v2 kept?") == ("why", "are", "the", "of", "v2")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "how",
            "; your words find it, but none of them counts: "
            "TF-IDF compares runs of three or more of a–z, 0–9 and hyphens that are not stop words.",
        ),
        ("how to stow", "; none of your words that count is in it whole."),
        ("stow", "; it holds only other forms of your words, which add nothing."),
        ("stowing", "; its title holds ‘stowing’."),
    ],
)
def test_why_an_entry_came_of_which_no_word_counts(garden: Tree, query: str, said: str) -> None:
    garden.file("fruit/how.md", "# Stowing\n\nHow to keep kumquats.\n", 1.0)
    trace = ask(garden.snapshot(), query)
    assert trace.hits[0].path == "fruit/how.md"
    shown = Soleri().presentation
    assert plain(shown.sentence(trace)).endswith(said)
    came = "title" if "title" in said else "other forms" if "other" in said else "no word counts"
    assert shown.remark(trace, trace.hits[0]).startswith(came) or trace.hits[0].words


def test_the_sentence_and_the_panes_say_what_links_did(garden: Tree) -> None:
    garden.file("auth/hub.md", "---\ntitle: Hub\nrelated: [auth/sessions/cookies]\n---\nNothing of it.\n", 1.0)
    trace = ask(garden.snapshot(), "why the refresh token")
    shown = Soleri().presentation
    section = trace.section(VaultSearch)
    first, second = section.ranking[:2]
    text = plain(shown.sentence(trace))
    assert f"ahead of “{second.hit.title}”: " in text
    swapped = replace(section, ranking=(replace(first, first_rank=2), replace(second, first_rank=1)))
    text = plain(shown.sentence(replace(trace, sections=(swapped,))))
    assert f"“{first.hit.title}” is first of " in text
    assert f" because of links: without them “{second.hit.title}” would be (number 2 now); the first is " in text
    linked = next(one for one in section.ranking if one.id == "auth/hub")
    lines = " ".join(
        " ".join(one.plain for one in lines_of(shown.place(trace, linked.hit.file, UNICODE), 60, UNICODE)).split()
    )
    assert "“Hub” names “" in lines
    assert "in related" in lines
    assert "not counted: why, the (TF-IDF compares" in lines
    steps = len(linked.path) - 1
    assert f"{steps} step{'s' if steps > 1 else ''} away from “" in lines
    assert ("over “" in lines) == (steps > 1)
    assert linked.first_rank != section.ranking.index(linked) + 1
    assert shown.remark(trace, linked.hit).endswith(f"link, was {linked.first_rank or 'out'}")
    route = " ".join(one.plain for one in lines_of(shown.flow(trace, UNICODE), 60, UNICODE))
    for rank, id_ in enumerate(section.seeds, 1):
        title = next(one.hit.title for one in section.ranking if one.id == id_)
        assert f"{rank} {title}, now " in route


def test_the_rows_of_shared_terms_come_out_by_their_own_numbers(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token rotation")
    best = trace.hits[0]
    lines = lines_of(Soleri().presentation.place(trace, best.file, UNICODE), 60, UNICODE)
    rows = [one.plain for one in lines if " ÷ " in one.plain]
    sums = [row.split() for row in rows if row.split()[0] != "shared" and "terms" not in row]
    assert sums
    for _, adds, in_query, _, here, _, lengths in sums:
        assert float(adds) == pytest.approx(float(in_query) * float(here) / float(lengths), rel=0.02, abs=0.001)
    assert sum(float(row[1]) for row in sums) == pytest.approx(best.parts[0].amount or 0, abs=0.001 * len(sums))


def test_without_links_is_said_beside_the_first_score_too(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token")
    section = trace.section(VaultSearch)
    first, second = section.ranking[:2]
    risen = replace(first, first_rank=2, path=(second.id, first.id), named_by=(first.id,))
    swapped = replace(section, ranking=(risen, replace(second, first_rank=1), *section.ranking[2:]))
    blocks = Soleri().presentation.place(replace(trace, sections=(swapped,)), first.hit.file, UNICODE)
    text = " ".join(" ".join(one.plain for one in lines_of(blocks, 60, UNICODE)).split())
    assert f"rank 2 → 1; without links “{second.hit.title}” would be first: it is number 2 now" in text


def test_where_links_decide_the_short_sentence_says_so_before_it_names_differences(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token rotation")
    section = trace.section(VaultSearch)
    first, second = section.ranking[:2]
    swapped = replace(section, ranking=(replace(first, first_rank=2), replace(second, first_rank=1)))
    clauses = Soleri().presentation.sentence(replace(trace, sections=(swapped,)))
    for width in (60, 76, 100):
        text = " ".join(one.plain for one in sentence_lines(clauses, (width, width), 2))
        assert "because of links" in text


def test_the_sentence_says_for_which_entry_a_word_counts() -> None:
    first = placed([0.15, 0, 0.04, 0.09, 0, 0, 0], ("token", 0.3), ("refresh", 0.1))
    second = placed([0.14, 0, 0.04, 0.086, 0, 0, 0], ("token", 0.2), ("refresh", 0.15))
    assert separating_terms(first, second) == (("token",), ("refresh",))
    assert separating_terms(second, first) == (("refresh",), ("token",))
    assert separating_terms(first, first) == ((), ())
