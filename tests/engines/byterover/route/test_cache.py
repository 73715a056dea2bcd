"""The cache, rule by rule, compared with a naive model, and the changes that make its answers stale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.cache import (
    CacheContents,
    SeenTrees,
    cache_key,
    cache_tokens,
    changes_between,
    held_fingerprint,
    look_up,
    put,
)
from brvtui.session import Session
from brvtui.trace import Answer, State
from brvtui.trace.routing import TreeChanges
from tests.support.examples import examples
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree

NOW = 1_000_000_000.0
STOP = set(BRV3.query.stop_words)


def answer(text: str) -> Answer:
    return Answer("extractive", text, None, "", ("x/n.md",))


def stored(
    *queries: str,
    at: float = NOW,
    fingerprint: str = "f",
    state: CacheContents = CacheContents(),  # noqa: B008 - frozen
) -> CacheContents:
    for query in queries:
        state = put(state, query, 3, answer(f"answer to {query}"), True, fingerprint, at, BRV3)
    return state


def hit(
    state: CacheContents, query: str, after_ms: float = 0, fingerprint: str = "f", profile: Profile = BRV3
) -> tuple[str, str, str]:
    _, look, found = look_up(state, query, fingerprint, NOW + after_ms, profile)
    return look.exact.value, look.fuzzy.value, found.key if found else ""


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("  Alpha   BETA ", "alpha beta"),
        ("alpha\tbeta\u00a0\ngamma", "alpha beta gamma"),
        ("", ""),
        (" \n", ""),
        ("Gamma?", "gamma?"),
    ],
)
def test_cache_key_is_the_normalised_query(query: str, key: str) -> None:
    assert cache_key(query) == key


@pytest.mark.parametrize(
    ("key", "tokens"),
    [
        ("how is the alpha beta", {"alpha", "beta"}),
        ("alpha alpha beta", {"alpha", "beta"}),
        ("a b alpha c", {"alpha"}),
        ("gamma? gamma", {"gamma?", "gamma"}),
        ("the of", set()),
        ("😀 é", {"😀"}),
    ],
)
def test_cache_tokens_are_the_distinct_content_words(key: str, tokens: set[str]) -> None:
    assert cache_tokens(key, BRV3) == tokens


@pytest.mark.parametrize(("age_ms", "exact"), [(0, "hit"), (59_999, "hit"), (60_000, "hit"), (60_001, "missed")])
def test_answer_is_valid_for_exactly_a_minute(age_ms: float, exact: str) -> None:
    state = stored("alpha beta")
    assert hit(state, "ALPHA  beta ", age_ms)[0] == exact
    fuzzy = hit(state, "beta alpha", age_ms)[1]
    assert fuzzy == exact


@pytest.mark.parametrize(("age_ms", "exact"), [(59_999, "hit"), (60_000, "missed")])
def test_docs_profile_caches_answers_for_less_than_a_minute(age_ms: float, exact: str) -> None:
    assert hit(stored("alpha beta"), "alpha beta", age_ms, profile=DOCS)[0] == exact
    assert hit(stored("alpha beta"), "beta alpha", age_ms, profile=DOCS)[1] == exact


def test_different_fingerprint_is_a_miss() -> None:
    assert hit(stored("alpha beta"), "alpha beta", fingerprint="g") == ("missed", "missed", "")
    assert hit(stored("alpha beta"), "beta alpha", fingerprint="g") == ("missed", "missed", "")


def test_exact_hit_wins_over_an_equal_set_of_words() -> None:
    assert hit(stored("beta alpha", "alpha beta"), "alpha beta") == ("hit", "not_reached", "alpha beta")


@pytest.mark.parametrize(
    ("entry", "query", "fuzzy"),
    [
        ("alpha beta gamma delta", "alpha beta gamma epsilon", "hit"),  # 3 of 5
        ("alpha beta gamma", "alpha beta delta", "missed"),  # 2 of 4
        ("alpha beta", "alpha", "skipped"),
        ("alpha beta", "the of", "skipped"),
        ("alpha beta", "alpha b", "skipped"),
        ("alpha beta", "alpha the beta", "hit"),
        ("alpha gamma?", "alpha gamma", "missed"),
        ("alpha alpha beta", "beta alpha", "hit"),
    ],
)
def test_similarity_threshold_decides_a_fuzzy_hit(entry: str, query: str, fuzzy: str) -> None:
    assert hit(stored(entry), query)[1] == fuzzy


def test_fuzzy_check_shows_similarity_and_margin() -> None:
    _, look, _ = look_up(stored("alpha beta gamma delta"), "alpha beta gamma epsilon", "f", NOW, BRV3)
    check = look.fuzzy_check
    assert (check.value, check.passed) == (0.6, True)
    assert check.margin == pytest.approx(0.0)
    entry = look.entries[0]
    assert (entry.shared_tokens, entry.union_tokens, entry.similarity) == (3, 5, 0.6)


def test_fuzzy_match_picks_the_most_similar_then_oldest_entry() -> None:
    assert hit(stored("alpha beta gamma", "alpha beta"), "beta alpha")[2] == "alpha beta"
    assert hit(stored("alpha beta gamma", "alpha beta delta"), "beta alpha")[2] == "alpha beta gamma"


def test_cache_of_fifty_entries_evicts_the_oldest() -> None:
    state = stored(*(f"query number{n}" for n in range(50)))
    assert len(state.entries) == 50
    state = stored("one more", state=state)
    assert [entry.key for entry in state.entries][:2] == ["query number1", "query number2"]
    assert (len(state.entries), state.entries[-1].key) == (50, "one more")


def test_rewriting_a_key_keeps_its_position_and_evicts_nothing() -> None:
    state = stored("one", "two", "three")
    state = put(state, " TWO ", 4, answer("again"), True, "g", NOW + 5, BRV3)
    assert [(entry.key, entry.tier) for entry in state.entries] == [("one", 3), ("two", 4), ("three", 3)]


def test_requested_stale_entry_is_deleted_and_moves_to_the_end() -> None:
    state = stored("one", "two")
    after, look, found = look_up(state, "one", "f", NOW + 61_000, BRV3)
    assert found is None
    assert [entry.key for entry in after.entries] == ["two"]
    assert look.entries[0].state is State.MISSED
    again = put(after, "one", 3, answer("x"), True, "f", NOW + 61_000, BRV3)
    assert [entry.key for entry in again.entries] == ["two", "one"]


def test_fuzzy_lookup_deletes_no_entry() -> None:
    state = stored("alpha beta")
    after, _, _ = look_up(state, "beta alpha", "f", NOW + 61_000, BRV3)
    assert after == state


def test_cache_hit_does_not_refresh_an_entry() -> None:
    state = stored("alpha beta")
    after, _, _ = look_up(state, "alpha beta", "f", NOW + 30_000, BRV3)
    assert after == state


@pytest.mark.parametrize(("age_ms", "held"), [(0, True), (29_999, True), (30_000, False), (30_001, False)])
def test_fingerprint_is_cached_for_less_than_30_seconds(age_ms: float, held: bool) -> None:
    state, first = held_fingerprint(CacheContents(), "old", 3, NOW, BRV3)
    assert (first.value, first.held) == ("old", False)
    after, second = held_fingerprint(state, "new", 3, NOW + age_ms, BRV3)
    assert (second.value, second.held, second.current) == ("old" if held else "new", held, "new")
    assert second.left_s == pytest.approx(30 - age_ms / 1000 if held else 30)
    assert after.held.value == second.value


def test_nothing_is_cached_if_the_clock_runs_backwards() -> None:
    state, _ = held_fingerprint(CacheContents(), "old", 3, NOW, BRV3)
    assert held_fingerprint(state, "new", 3, NOW - 1, BRV3)[1].value == "new"


# Comparison with a naive model


class Model:
    """The rules of the cache with a dictionary, which keeps insertion order."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[float, str, str]] = {}

    def ask(self, query: str, fingerprint: str, now: float) -> tuple[int, str]:
        key = " ".join(query.lower().split())
        if key in self.entries:
            at, print_, text = self.entries[key]
            if now - at <= 60_000 and print_ == fingerprint:
                return 0, text
            del self.entries[key]
        words = self.words(key)
        best, answer = 0.0, ""
        for other, (at, print_, text) in self.entries.items():
            if now - at > 60_000 or print_ != fingerprint or len(words) < 2:
                continue
            similarity = len(words & self.words(other)) / len(words | self.words(other))
            if similarity >= 0.6 and similarity > best:
                best, answer = similarity, text
        if best:
            return 1, answer
        if key not in self.entries and len(self.entries) >= 50:
            del self.entries[next(iter(self.entries))]
        self.entries[key] = (now, fingerprint, f"{query}@{now}")
        return 3, ""

    @staticmethod
    def words(key: str) -> set[str]:
        return {word for word in key.split() if len(word) >= 2 and word not in STOP}


OPERATION = st.tuples(
    st.lists(
        st.sampled_from(["alpha", "Beta", "gamma", "DELTA", "the", "a", "x", "gamma?"]), min_size=1, max_size=5
    ).map(" ".join),
    st.sampled_from([0, 1, 1000, 15_000, 30_000, 60_000, 60_001]),
    st.sampled_from("fffg"),
)


@examples(80)
@given(st.lists(OPERATION, max_size=40), st.booleans())
def test_cache_matches_a_naive_model(operations: list[tuple[str, int, str]], crowded: bool) -> None:
    state, model, now = CacheContents(), Model(), NOW
    filler = [(f"filler number{n}", 0, "f") for n in range(48)] if crowded else []
    for query, wait, fingerprint in [*filler, *operations]:
        now += wait
        state, look, found = look_up(state, query, fingerprint, now, BRV3)
        tier = 0 if look.exact is State.HIT else 1 if found else 3
        expected, text = model.ask(query, fingerprint, now)
        assert (tier, found.text if found else "") == (expected, text)
        if not found:
            state = put(state, query, 3, answer(f"{query}@{now}"), True, fingerprint, now, BRV3)
        assert [entry.key for entry in state.entries] == list(model.entries)


@pytest.fixture
def clock() -> list[float]:
    return [float(NOW_MS)]


@pytest.fixture
def session(tree: Tree, clock: list[float]) -> Session:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=2)
    tree.note("x/gone.md", "Wallaby", days=2)
    tree.notes(12, days=2)
    made = Session.open(tree.root)
    made.clock = lambda: clock[0]
    made.load()
    return made


def test_stale_answer_is_served_while_the_old_fingerprint_is_cached(
    session: Session, tree: Tree, clock: list[float]
) -> None:
    session.run("quokka facts")
    assert session.cache_now("quokka facts").changes == {}
    assert session.cache_now("quokka facts").index_left_s == 0
    clock[0] += 10_000
    tree.note("x/n.md", "Quokka", "other text", days=1)
    tree.note("x/new.md", "New")
    (tree.tree / "x/gone.md").unlink()
    session.load()
    clock[0] += 2_000
    now = session.cache_now("quokka facts")
    wanted = TreeChanges(("x/n.md",), ("x/new.md",), ("x/gone.md",))
    assert now.changes == {"quokka facts": wanted}
    assert now.look.exact.value == "hit", "the fingerprint of before is held for 30 s"
    assert (now.fingerprint.held, now.fingerprint.left_s) == (True, 18.0)
    assert now.index_left_s == 3.0
    clock[0] += 19_000
    now = session.cache_now("quokka facts")
    assert now.look.exact.value != "hit"
    assert (now.changes, now.index_left_s) == ({"quokka facts": wanted}, 0.0)


def test_changes_outside_the_fingerprint_keep_the_cache_valid(session: Session, tree: Tree) -> None:
    session.run("quokka facts")
    tree.summary("x")
    session.load()
    now = session.cache_now("quokka facts")
    assert (now.changes, now.index_left_s) == ({}, 0.0)


def test_restored_tree_keeps_the_cache_valid(session: Session, tree: Tree) -> None:
    session.run("quokka facts")
    tree.age("x/n.md", 1)
    session.load()
    assert session.cache_now("x").changes["quokka facts"].changed == ("x/n.md",)
    tree.age("x/n.md", 2)
    session.load()
    assert session.cache_now("x").changes == {}


def test_only_the_most_recent_trees_are_remembered(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    seen = SeenTrees()
    first = tree.snapshot()
    seen.see(first)
    for days in range(1, 9):
        tree.age("x/n.md", days)
        seen.see(tree.snapshot())
    assert seen.since(first.fingerprint) is None
    assert seen.since("never seen") is None


def test_clock_set_back_ends_the_index_window(tree: Tree) -> None:
    seen = SeenTrees()
    for days in (1, 2):
        tree.note("x/n.md", "Quokka", days=days)
        seen.see(tree.snapshot())
    assert seen.index_left_s(NOW_MS + 1_000, 5) == 4.0
    assert seen.index_left_s(NOW_MS - 1_000, 5) == 0.0


def test_unchanged_tree_has_no_changes(tree: Tree) -> None:
    tree.notes(3)
    files = tree.snapshot().files
    assert changes_between(files, files) == TreeChanges()
