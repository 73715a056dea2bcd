"""The retry ladder over any search function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.search.search import SearchOptions, retry, search
from brvtui.ladder import REFRESH, STRATEGIES, STRONGEST, TRIGRAMS, Climbed, Searches, climb, not_climbed, sanitised
from brvtui.services.legs import LegError
from brvtui.trace import MOST_LISTED, Kind, Listed, Origin, Rung, State, adds_up
from brvtui.tree.reading.javascript import trim
from tests.support.hybrid import JEFFS
from tests.support.trees import BRV3, NOW_MS, Tree

RULES = JEFFS.ladder
_QUERIES = st.text() | st.lists(st.sampled_from(["the", "tips", "go", "alpha?", "BETA", "foo-bar", "!!", "AND"])).map(
    " ".join
)


def ran(made: Climbed[str]) -> tuple[Rung, ...]:
    """The steps that searched without an error."""
    return tuple(rung for rung in made.rungs if rung.ran)


class Search:
    """Finds a note at the given call, and records its queries."""

    def __init__(self, finds_at: int = 99, fails_at: int = 99) -> None:
        self.finds_at = finds_at
        self.fails_at = fails_at
        self.asked: list[str] = []
        self.fuzzy_asked: list[list[str]] = []

    def _answer(self) -> list[str]:
        call = len(self.asked) + len(self.fuzzy_asked)
        if call == self.fails_at:
            raise LegError("no index")
        return ["note"] if call == self.finds_at else []

    def text(self, text: str) -> Sequence[str]:
        self.asked.append(text)
        return self._answer()

    def fuzzy(self, tokens: Sequence[str]) -> Sequence[str]:
        self.fuzzy_asked.append(list(tokens))
        return self._answer()

    def searches(self, refresh: Callable[[], None] = lambda: None) -> Searches[str]:
        return Searches(self.text, self.fuzzy, refresh)


@given(_QUERIES, st.integers(1, 6))
def test_ladder_stops_at_the_first_hit(query: str, finds_at: int) -> None:
    asked = Search(finds_at)
    made = climb(query, (query, []), asked.searches(), RULES)
    calls = len(asked.asked) + len(asked.fuzzy_asked)
    assert calls <= finds_at
    assert bool(made.found) is (calls == finds_at)
    assert [rung.strategy for rung in made.rungs] == list(STRATEGIES)
    hits = [rung.number for rung in made.rungs if rung.state is State.HIT]
    if hits:
        assert all(rung.state is State.NOT_REACHED for rung in made.rungs[hits[0] + 1 :])
        assert made.strategy == made.rungs[hits[0]].strategy
    assert len(ran(made)) == calls + 1


@given(_QUERIES)
@example("\x1f")
def test_ladder_never_repeats_a_query_without_new_information(query: str) -> None:
    """No query is empty, and the strongest term is never the whole query.

    Steps 3 and 4 may repeat a text and then report it.
    """
    asked = Search()
    made = climb(query, (query, []), asked.searches(), RULES)
    assert all(trim(text) for text in asked.asked)
    assert all(tokens and all(tokens) for tokens in asked.fuzzy_asked)
    strongest = made.rungs[1]
    assert strongest.strategy == STRONGEST
    assert not (strongest.ran and strongest.query == trim(query).lower())
    seen = {query}
    for rung in ran(made)[1:]:
        if rung.strategy != TRIGRAMS:
            assert ("the same text as" in rung.why) is (rung.query in seen)
            seen.add(rung.query)


@given(_QUERIES)
def test_successful_search_skips_the_ladder(query: str) -> None:
    asked = Search(1)
    refreshed: list[bool] = []
    made = climb(query, (query, ["note"]), asked.searches(lambda: refreshed.append(True)), RULES)
    assert (asked.asked, asked.fuzzy_asked, refreshed) == ([], [], [])
    assert made.found == ("note",)
    assert {rung.state for rung in made.rungs[1:]} == {State.NOT_REACHED}


def test_successful_step_includes_its_best_results() -> None:
    made = climb("alpha beta", ("", []), Searches(lambda text: [f"{text} {n}" for n in range(25)]), RULES)
    rungs = made.with_listed(lambda name: Listed(name, name, name, None, "", 1.0), "score")
    assert [(rung.strategy, rung.hits) for rung in rungs if rung.listed] == [(STRONGEST, 25)]
    assert [result.path for result in rungs[1].listed] == [f"alpha {n}" for n in range(MOST_LISTED)]
    assert {rung.unit for rung in rungs if not rung.listed} == {""}


def test_error_ends_the_ladder() -> None:
    asked = Search(fails_at=2)
    made = climb("what is foo-bar?", ("", []), asked.searches(), RULES)
    assert made.error == "no index"
    assert [rung.state for rung in made.rungs] == [
        State.MISSED, State.MISSED, State.SKIPPED, State.FAILED, State.NOT_REACHED, State.NOT_REACHED,
    ]  # fmt: skip
    assert len(ran(made)) == 2


def test_refresh_follows_the_strongest_term_without_a_row() -> None:
    asked = Search()
    moments: list[int] = []
    made = climb("foo-bar?", ("", []), asked.searches(lambda: moments.append(len(asked.asked))), RULES)
    assert moments == [1]
    assert REFRESH not in [rung.strategy for rung in ran(made)]


def test_unused_ladder_gives_its_reason_on_every_step() -> None:
    made = not_climbed("alpha", (), "not wanted")
    assert [rung.strategy for rung in ran(made)] == ["initial"]
    assert {rung.why for rung in made.rungs[1:]} == {"not wanted"}
    assert ran(not_climbed("alpha", (), "boom", failed=True)) == ()


def test_ladder_skips_its_last_step_without_names() -> None:
    made = climb("alpha?", ("", []), Searches(lambda text: ()), RULES)
    assert made.rungs[-1].why == "there are no names to compare"


@given(st.text())
def test_sanitising_is_idempotent(query: str) -> None:
    assert sanitised(sanitised(query)) == sanitised(query)


def test_ladder_finds_notes_with_byterovers_search(tree: Tree) -> None:
    tree.note("auth/photosynthesis.md", "Leaves", "about light")
    tree.note("auth/tea.md", "Tea", "green cups")
    snapshot = tree.snapshot()
    options = SearchOptions(5)

    def ask(query: str) -> tuple[State, str, list[str]]:
        found = search(Context(snapshot, BRV3, NOW_MS), query, options)
        made = retry(Context(snapshot, BRV3, NOW_MS), found, options)
        assert all(adds_up(hit) for hit in made.hits)
        return made.state, made.why, [hit.path for hit in made.hits]

    assert ask("green cups")[0] is State.NOT_REACHED
    assert ask("zzzz qqqq") == (State.MISSED, "no rung of the ladder found a note", [])
    found = search(Context(snapshot, BRV3, NOW_MS), "fotosyntesis", options)
    assert not found.hits
    made = retry(Context(snapshot, BRV3, NOW_MS), found, options)
    assert made.why == "1 note by their names, at trigram_fuzzy"
    assert made.found == ("auth/photosynthesis.md",)
    (hit,) = made.hits
    assert (hit.origin, hit.text, hit.parts[0].note) == (Origin.NAME, None, "the similarity of its name")
    listed = Listed(hit.path, hit.file, "Leaves", Kind.CONTEXT, "draft", hit.score)
    assert [(rung.strategy, rung.listed) for rung in made.rungs if rung.listed] == [(TRIGRAMS, (listed,))]
