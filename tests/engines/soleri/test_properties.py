"""Invariants of the vault search, and the sentence about a score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, replace
from operator import mul

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brvtui.engines.soleri.ageing import forecast
from brvtui.engines.soleri.comparing import OTHERS, composition, differences, first_without_links, separating_terms
from brvtui.engines.soleri.engine import Soleri
from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.matching import terms
from brvtui.engines.soleri.memories import FeedbackCounts, adapted_weights
from brvtui.engines.soleri.profile import load_profile
from brvtui.engines.soleri.search import VaultRanking, VaultRequest, guarded, search
from brvtui.engines.soleri.sections import SIGNALS, RankedEntry, SharedTerm, VaultSearch
from brvtui.engines.soleri.signals import temporal_decay
from brvtui.engines.soleri.vault import Filters, Vault, link_graph
from brvtui.engines.soleri.vectors import uncounted
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.hits import differences as lead_differences
from brvtui.paint.sentence import plain, sentence_lines
from brvtui.trace import DocumentForecast, Hit, Origin, Part
from tests.engines.soleri.recorded import tier_of
from tests.engines.soleri.test_engine import NOTES, ask
from tests.support.trees import Tree

PROFILE = load_profile("")
NOW = 1_767_225_600.0
WORDS = ("cache", "token", "retry", "queue", "index", "rotate", "rotation", "error", "deploy", "user")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
entries = st.builds(
    VaultEntry,
    id=st.just(""),
    type=st.sampled_from(("rule", "pattern")),
    domain=st.sampled_from(("auth", "data")),
    title=texts,
    severity=st.sampled_from(("critical", "warning", "suggestion", "other")),
    description=texts,
    tags=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
    context=texts,
    updated_at=st.floats(NOW - 1e8, NOW),
    valid_until=st.one_of(st.none(), st.floats(NOW - 1e6, NOW + 1e6)),
)
vaults = st.lists(entries, min_size=1, max_size=40)
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


def numbered(made: Sequence[VaultEntry]) -> list[VaultEntry]:
    return [
        VaultEntry(f"e{place:02}", *astuple(entry)[1:])  # gives each entry a unique id
        for place, entry in enumerate(made)
    ]


def ranked(
    made: Sequence[VaultEntry], query: str, limit: int = 5, links: Sequence[tuple[str, str]] = ()
) -> VaultRanking:
    vault = Vault((tier_of("agent", 1.0, made),), link_graph(links))
    return search(vault, VaultRequest(query, limit), PROFILE, PROFILE.weights, NOW)


@given(vaults, queries, st.data())
def test_signals_stay_in_their_ranges_and_add_up(made: list[VaultEntry], query: str, data: st.DataObject) -> None:
    held = numbered(made)
    ids = [entry.id for entry in held]
    links = data.draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=12))
    ranking = ranked(held, query, 5, links)
    for found in ranking.ranked:
        assert math.isclose(sum(map(mul, found.signals.in_order, astuple(ranking.weights))), found.score)
        assert all(0 <= value <= 1 + 1e-9 for value in astuple(found.signals))
        assert found.signals.graph_proximity in (0, 1 / 3, 1 / 2)
        assert found.score <= 0.825 + 1e-9
    scores = [found.score for found in ranking.ranked]
    assert scores == sorted(scores, reverse=True)
    assert ranking.returned <= len(ranking.ranked)


@given(vaults, queries, st.data())
def test_no_query_exceeds_an_entrys_ceiling(made: list[VaultEntry], query: str, data: st.DataObject) -> None:
    held = numbered(made)
    ids = [entry.id for entry in held]
    links = data.draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=12))
    vault = Vault((tier_of("agent", 1.0, held),), link_graph(links))
    asked = data.draw(st.sampled_from([query, *(entry.compared for entry in held)]))
    tags = data.draw(st.sampled_from([entry.tags for entry in held]))
    request = VaultRequest(asked, 5, Filters(data.draw(st.sampled_from(("", "auth", "data")))), tags)
    for found in search(vault, request, PROFILE, PROFILE.weights, NOW).ranked:
        ahead = forecast(found.entry, vault, PROFILE.weights, NOW, PROFILE)
        assert found.score <= ahead.ceiling + 1e-9
        assert math.isclose(ahead.ceiling, ahead.reach + sum(part.value for part in ahead.lacks))
        assert ahead.ceiling <= ahead.reach == 0.825


def test_entry_reaches_its_ceiling_with_its_own_words() -> None:
    best = VaultEntry("a", "rule", "auth", "cache token", "critical", "", ("retry",), updated_at=NOW)
    near = VaultEntry("b", "rule", "auth", "cache", "critical", "queue", updated_at=NOW)
    vault = Vault((tier_of("agent", 1.0, [best, near]),), link_graph([("a", "b")]))
    request = VaultRequest("cache token retry", 5, Filters("auth"), ("retry",))
    first = search(vault, request, PROFILE, PROFILE.weights, NOW).ranked[0]
    assert first.entry is best
    assert math.isclose(first.score, 0.825)
    assert not forecast(best, vault, PROFILE.weights, NOW, PROFILE).lacks
    lacks = {part.name: part.value for part in forecast(near, vault, PROFILE.weights, NOW, PROFILE).lacks}
    assert lacks == {"tags": -0.1}


@given(entries, st.floats(0, 1_000))
def test_decay_changes_on_the_forecast_days(entry: VaultEntry, day: float) -> None:
    vault = Vault((tier_of("agent", 1.0, [entry]),))
    ahead = forecast(entry, vault, PROFILE.weights, NOW, PROFILE, day)
    assert ahead.ceiling_then == forecast(entry, vault, PROFILE.weights, NOW + day * 86_400, PROFILE).ceiling
    for event in ahead.events:
        at = NOW + event.days * 86_400
        decay = temporal_decay(entry, at, PROFILE.decay)
        if "halved" in event.text:
            assert 0 < event.days <= 365
            assert math.isclose(decay, float(event.text.rpartition(" ")[2]), abs_tol=1e-3)
        elif "begins to fall" in event.text:
            assert math.isclose(decay, 1, rel_tol=1e-6)
            assert temporal_decay(entry, at + 60, PROFILE.decay) < 1
        else:
            assert entry.is_listable(at - 1)
            assert not entry.is_listable(at + 1)
            assert decay < 1e-6


@given(vaults, queries)
def test_tied_results_keep_the_pool_order(made: list[VaultEntry], query: str) -> None:
    ranking = ranked(numbered(made), query)
    place = {hit.entry.id: at for at, hit in enumerate(ranking.pool.found)}
    for first, second in zip(ranking.ranked, ranking.ranked[1:], strict=False):
        if first.score == second.score:
            assert place[first.entry.id] < place[second.entry.id]


@given(vaults, queries, st.sampled_from(("", "auth", "data")))
def test_federation_of_one_tier_equals_a_plain_search(made: list[VaultEntry], query: str, domain: str) -> None:
    tier = tier_of("agent", 1.0, numbered(made))
    request = VaultRequest(query, 5, Filters(domain))
    alone, federated = (
        search(Vault((tier,), federated=together), request, PROFILE, PROFILE.weights, NOW) for together in (False, True)
    )
    assert [(found.entry.id, found.score) for found in alone.results] == [
        (found.entry.id, found.score) for found in federated.results
    ]


def stem(word: str) -> str:
    """The Porter stem of a word, as far as :data:`WORDS` need it."""
    return "rotat" if word.startswith("rotat") else word


@given(vaults, queries)
def test_bm25_equals_the_sqlite_formula(made: list[VaultEntry], query: str) -> None:
    held = numbered(made)
    documents = [
        [
            [stem(word) for word in text.split()]
            for text in (entry.id, entry.title, entry.description, entry.context, " ".join(entry.tags))
        ]
        for entry in held
    ]
    asked = [stem(term) for term in terms(query, PROFILE.as_run)]
    holders = {term: sum(any(term in column for column in columns) for columns in documents) for term in asked}
    lengths = [sum(map(len, columns)) for columns in documents]
    average = sum(lengths) / len(lengths)
    expected = {}
    for entry, columns, length in zip(held, documents, lengths, strict=True):
        score = 0.0
        for term in asked:
            frequency = sum(
                weight * column.count(term) for weight, column in zip(PROFILE.columns.weights, columns, strict=True)
            )
            idf = max(math.log((len(held) - holders[term] + 0.5) / (holders[term] + 0.5)), 1e-6)
            score += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / average)) if frequency else 0.0
        if score:
            expected[entry.id] = score
    found = tier_of("agent", 1.0, held).search(query, PROFILE, NOW, len(held), include_expired=True)
    assert {hit.entry.id for hit in found} == expected.keys()
    for hit in found:
        assert math.isclose(hit.bm25, expected[hit.entry.id], rel_tol=1e-12)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 9), st.booleans())
def test_adapted_weights_keep_their_sum_and_range(
    accepted: int, modified: int, dismissed: int, failed: int, hybrid: bool
) -> None:
    counts = FeedbackCounts(accepted, modified, dismissed, failed)
    weights = adapted_weights(counts, hybrid, PROFILE)
    assert math.isclose(sum(astuple(weights)), 0.9 if counts.rows < 30 else 1.0)
    assert 0.2 <= weights.semantic <= 0.5


def test_weights_change_at_the_thirtieth_counted_row() -> None:
    at = {rows: adapted_weights(FeedbackCounts(accepted=rows, failed=50), False, PROFILE) for rows in (29, 30, 31)}
    assert at[29] == PROFILE.weights
    assert at[30].semantic == at[31].semantic == 0.5
    even = adapted_weights(FeedbackCounts(accepted=15, dismissed=15), False, PROFILE)
    assert math.isclose(even.severity, 0.1 * 0.65 / 0.55)


def test_guard_acts_only_strictly_between_its_bounds() -> None:
    rules = PROFILE.guard
    assert not guarded(20, 10, 20, rules).acts
    assert guarded(21, 10, 21, rules).acts
    assert guarded(49, 20, 49, rules).acts
    assert not guarded(50, 20, 50, rules).acts


@given(vaults, queries, st.integers(1, 400))
def test_budget_is_respected_and_the_first_result_always_fits(made: list[VaultEntry], query: str, budget: int) -> None:
    vault = Vault((tier_of("agent", 1.0, numbered(made)),))
    ranking = search(vault, VaultRequest(query, 10, max_tokens=budget), PROFILE, PROFILE.weights, NOW)
    assume(ranking.results)
    tokens = [found.entry.budgeted_tokens for found in ranking.results]
    assert len(tokens) == 1 or sum(tokens) <= budget


@pytest.mark.parametrize("words", ["a b", "a", "b a a", "a zz", "é b", "a b\u00a0b"])
def test_queries_of_many_words_score_as_in_fts5(words: str) -> None:
    one = VaultEntry("", "rule", "auth", "a b", "warning", "a é b b", context="x")
    tier = tier_of("agent", 1.0, numbered([one, replace(one, title="b"), replace(one, title="c", description="a")]))
    query = " ".join([words] * 70)
    assert len(query.split()) > 64
    expected = tier.text.search([query], PROFILE.columns.weights, 9)
    found = tier.search(query, PROFILE, NOW, 9)
    assert [entry.entry.id for entry in found] == [tier.entries[position].id for position, _ in expected]
    assert [entry.bm25 for entry in found] == pytest.approx([score for _, score in expected], rel=1e-9)
    assert found or "zz" in words


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
def test_differences_sum_to_the_gap(first: list[float], second: list[float]) -> None:
    made = differences(placed(first), placed(second))
    assert sum(one.thousandths for one in made) == round((sum(first) - sum(second)) * 1000)
    exact = {name: one - other for name, one, other in zip(SIGNALS, first, second, strict=True)}
    for one in made:
        if one.name != OTHERS:
            assert one.thousandths / 1000 == pytest.approx(exact[one.name], abs=0.0010001)


@given(VALUES)
def test_parts_in_the_sentence_sum_to_the_score(values: list[float]) -> None:
    assert sum(one.thousandths for one in composition(placed(values))) == round(sum(values) * 1000)


@given(VALUES, VALUES)
def test_sentence_has_the_differences_shown_with_the_scores(first: list[float], second: list[float]) -> None:
    one, other = placed(first), placed(second)
    beside = {name: round(value * 1000) for name, value in lead_differences(one.hit, other.hit, 3)}
    told = {made.name: made.thousandths for made in differences(one, other) if made.name != OTHERS}
    assert told.items() <= beside.items()


def test_sentence_names_only_deciding_words_and_differences() -> None:
    first = placed([0.15, 0, 0.04, 0.09, 0, 0, 0.075], ("token", 0.3), ("refresh", 0.13))
    second = placed([0.14, 0, 0.04, 0.086, 0, 0, 0.075], ("token", 0.4))
    made = differences(first, second)
    assert [(one.name, one.thousandths) for one in made] == [("words", 10), ("age", 4)]
    assert separating_terms(first, second) == (("refresh",), ("token",))


def test_result_that_would_be_first_without_links_is_found() -> None:
    first, second = placed([0.1] * 7), placed([0.1] * 7)
    assert first_without_links([first, second]) is None
    risen = [replace(first, first_rank=3), replace(second, first_rank=2), replace(first, first_rank=1)]
    assert first_without_links(risen) == (3, risen[2])


def test_link_is_shown_as_written_in_either_direction() -> None:
    graph = link_graph([("pagination", "limits"), ("limits", "gateway")])
    assert graph.namers(("gateway", "limits", "pagination")) == ("limits", "pagination")
    assert graph.namers(("pagination", "limits", "gateway")) == ("pagination", "limits")


def test_ignored_words_are_named_once() -> None:
    assert uncounted("Why are the tokens, the db-tokens of v2 kept?") == ("why", "are", "the", "of", "v2")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "how",
            "; your words find it, but none of them counts: "
            "TF-IDF compares only words of at least three characters (a–z, 0–9, hyphen), and ignores stop words.",
        ),
        ("how to stow", "; it contains none of your words that count as a whole word."),
        ("stow", "; it contains only other forms of your words, which add nothing."),
        ("stowing", "; its title contains ‘stowing’."),
    ],
)
def test_entry_without_counted_words_gets_a_reason(garden: Tree, query: str, said: str) -> None:
    garden.file("fruit/how.md", "# Stowing\n\nHow to keep kumquats.\n", 1.0)
    trace = ask(garden.snapshot(), query)
    assert trace.hits[0].path == "fruit/how.md"
    shown = Soleri().presentation
    assert plain(shown.sentence(trace)).endswith(said)
    came = "title" if "title" in said else "other forms" if "other" in said else "no word counts"
    assert shown.remark(trace, trace.hits[0]).startswith(came) or trace.hits[0].words


def test_sentence_and_panes_describe_the_effect_of_links(garden: Tree) -> None:
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
    assert f" because of links: without them, “{second.hit.title}” would be (now number 2); the first is " in text
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


def test_shares_of_common_terms_follow_from_the_shown_numbers(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token rotation")
    best = trace.hits[0]
    lines = lines_of(Soleri().presentation.place(trace, best.file, UNICODE), 60, UNICODE)
    rows = [one.plain for one in lines if " ÷ " in one.plain]
    sums = [row.split() for row in rows if row.split()[0] != "shared" and "terms" not in row]
    assert sums
    for _, adds, in_query, _, here, _, lengths in sums:
        assert float(adds) == pytest.approx(float(in_query) * float(here) / float(lengths), rel=0.02, abs=0.001)
    assert sum(float(row[1]) for row in sums) == pytest.approx(best.parts[0].amount or 0, abs=0.001 * len(sums))


def test_effect_of_links_is_shown_with_the_first_score(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token")
    section = trace.section(VaultSearch)
    first, second = section.ranking[:2]
    risen = replace(first, first_rank=2, path=(second.id, first.id), named_by=(first.id,))
    swapped = replace(section, ranking=(risen, replace(second, first_rank=1), *section.ranking[2:]))
    blocks = Soleri().presentation.place(replace(trace, sections=(swapped,)), first.hit.file, UNICODE)
    text = " ".join(" ".join(one.plain for one in lines_of(blocks, 60, UNICODE)).split())
    assert f"rank 2 → 1; without links, “{second.hit.title}” would be first (now number 2)" in text


def test_deciding_links_come_first_in_the_short_sentence(garden: Tree) -> None:
    trace = ask(garden.snapshot(), "refresh token rotation")
    section = trace.section(VaultSearch)
    first, second = section.ranking[:2]
    swapped = replace(section, ranking=(replace(first, first_rank=2), replace(second, first_rank=1)))
    clauses = Soleri().presentation.sentence(replace(trace, sections=(swapped,)))
    for width in (60, 76, 100):
        text = " ".join(one.plain for one in sentence_lines(clauses, (width, width), 2))
        assert "because of links" in text


def test_sentence_names_the_entry_for_which_a_word_counts() -> None:
    first = placed([0.15, 0, 0.04, 0.09, 0, 0, 0], ("token", 0.3), ("refresh", 0.1))
    second = placed([0.14, 0, 0.04, 0.086, 0, 0, 0], ("token", 0.2), ("refresh", 0.15))
    assert separating_terms(first, second) == (("token",), ("refresh",))
    assert separating_terms(second, first) == (("refresh",), ("token",))
    assert separating_terms(first, first) == ((), ())
