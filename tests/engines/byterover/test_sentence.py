"""The sentence that gives the reason, clause by clause: each clause comes from the trace and is true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.sentence import costs, largest_cost, lead_words, sentence
from brvtui.engines.registry import verdict_sentence
from brvtui.notes.signals import SignalTarget
from brvtui.paint.hits import differences
from brvtui.paint.sentence import sentence_lines
from brvtui.saved.traces import trace_from_plain
from brvtui.snapshot import Snapshot
from brvtui.trace import Answer, Check, Completion, EndReason, Hit, ModelTurn, Trace, Usage, to_plain
from brvtui.trace.routing import Route
from tests.support.trees import BRV3, NOW_MS, Tree, stored

CORE = {"importance": 100.0, "maturity": "core"}


@pytest.fixture
def snapshot(tree: Tree) -> Snapshot:
    tree.note("x/n.md", "Quokka", "all about the quokka", **CORE)
    tree.note("x/m.md", "Wallaby", "wallaby jumping far")
    tree.note("x/o.md", "Numbat", "numbat", days=300)
    tree.note("y/p.md", "Bandicoot rules", "permissions of a bandicoot", **CORE)
    tree.note("y/q.md", "Bandicoot law", "permissions of a bandicoot", importance=90.0, maturity="core")
    tree.notes(60)
    return tree.snapshot()


def ask(snapshot: Snapshot, query: str, scope: str = "", state: CacheContents | None = None, later: float = 0) -> Trace:
    context = Context(snapshot, BRV3, NOW_MS + later)
    return route(context, state or CacheContents(), RouteRequest(query, scope))[0]


def said(snapshot: Snapshot, query: str, scope: str = "") -> str:
    return verdict_sentence(ask(snapshot, query, scope))


def after_run(snapshot: Snapshot, first: str, query: str, later: float = 12_000) -> str:
    _, state = route(Context(snapshot, BRV3, NOW_MS), CacheContents(), RouteRequest(first, run=True))
    return verdict_sentence(ask(snapshot, query, state=state, later=later))


SAID = [
    ("quokkq", "", ".* its title contains ‘quokka’, one letter from your ‘quokkq’; .*"),
    ("wallab", "", ".* its title contains ‘wallaby’, which begins with your ‘wallab’.*"),
    ("quokka al zyzzyva", "",
     ".*its title contains ‘quokka’ and its text ‘all’ \\(for your ‘al’\\).*, but nothing for ‘zyzzyva’.*"),
    ("x/o.md", "", r"Answered directly from “Numbat”: the query names its path; 1\.00.*"),
    ("y/", "", r".* is level with “.*a direct answer needs a lead of 0\.08 \(or a score of 0\.93\)"
     ".*: the query names its folder.*"),
    ("X", "", ".*; ByteRover took “X” for the folder “x”, but because the letter case differs, it searched there only "
     "for the last letter, ‘X’.*"),
    ("about the", "", ".*; every word is a stop word, so all of them were searched.*"),
    ("kubernetes", "",
     r"Not covered: no note contains ‘kubernetes’; ByteRover logs this as tier 2, as if notes had answered\."),
    ("kubernetes, istio envoy zyzzyva xylophone", "",
     "Not covered: no note contains ‘kubernetes’, ‘istio’, ‘envoy’, ‘zyzzyva’ or 1 more.*"),
    ("", "", "Not covered: the query contains no searchable words.*"),
    ("   ", "", "Not covered: the query contains no searchable words.*"),
    ("???", "", "Not covered: the query contains no searchable words.*"),
    ("quokka", "y", r".*; nothing was found in “y”, so the whole tree was searched\."),
    ("quokka", "zz", r".*; “zz” is not in the tree, so the whole tree was searched\."),
]  # fmt: skip


@pytest.mark.parametrize(("query", "scope", "pattern"), SAID)
def test_verdict_sentence_matches_its_pattern(snapshot: Snapshot, query: str, scope: str, pattern: str) -> None:
    assert re.fullmatch(pattern, said(snapshot, query, scope))


class TestAnsweredByNotes:
    def test_direct_answer_names_note_word_and_gate(self, snapshot: Snapshot) -> None:
        trace = ask(snapshot, "quokka")
        assert trace.section(Route).outcome == "direct"
        score = f"{trace.hits[0].score:.2f}"
        assert verdict_sentence(trace) == (
            f"Answered directly from “Quokka”: its title contains ‘quokka’; {score} ≥ 0.85, "
            "and no other note reaches 0.70."
        )

    def test_high_score_needs_no_lead(self, snapshot: Snapshot) -> None:
        trace = ask(snapshot, "bandicoot permissions")
        assert [hit.score for hit in trace.hits[:2]] == [1.0, 1.0]
        text = verdict_sentence(trace)
        assert text.startswith("Answered directly from “Bandicoot rules”: its title contains ‘bandicoot’")
        assert "; 1.00 ≥ 0.93: no lead is needed; level with “Bandicoot law”" in text
        assert text.endswith("; 1 more note is quoted with it.")

    def test_sentence_names_the_parts_that_explain_the_lead(self, tree: Tree) -> None:
        tree.note("x/new.md", "Numbat", "numbat", **CORE)
        tree.note("x/old.md", "Numbat", "numbat", importance=80.0, days=20)
        tree.notes(60)
        trace = ask(tree.snapshot(), "numbat")
        first, second = trace.hits[:2]
        assert first.score > second.score
        parts = {name: amount for name, amount in differences(first, second, 2) if amount > 0 and name != "cap"}
        largest = sorted(parts, key=lambda name: -parts[name])[:2]
        said = {"importance": "importance", "recency": "age", "maturity": "maturity", "relevance": "words"}
        reasons = " and ".join(said[name] for name in largest)
        assert f"; ahead of “Numbat” because of its {reasons}" in verdict_sentence(trace)

    def test_rounding_error_in_a_lead_is_explained(self) -> None:
        gap = Check("lead over the next", 0.85 - 0.77, "≥", 0.08, False, 0.85 - 0.77 - 0.08, "direct.min_gap", "")
        assert 0.85 - 0.77 < 0.08
        assert lead_words(gap) == "0.08 (less a rounding error) ahead of "
        assert lead_words(replace(gap, value=0.079)) == "0.079 ahead of "

    def test_unmatched_words_are_named_before_numbers(self, snapshot: Snapshot) -> None:
        shown = sentence(ask(snapshot, "quokka al zyzzyva"))
        texts = ["".join(line.plain for line in sentence_lines(shown, (width, width), 2)) for width in range(30, 120)]
        assert any("zyzzyva" in text and "≥" not in text for text in texts)
        assert not any("≥" in text and "zyzzyva" not in text for text in texts)
        assert all(text.count("(") == text.count(")") for text in texts if "…" not in text)


class TestNeedsAModel:
    def test_sentence_names_the_score_and_its_largest_cost(self, snapshot: Snapshot) -> None:
        trace = ask(snapshot, "wallaby")
        assert verdict_sentence(trace) == (
            f"Needs a model: “Wallaby” reaches {trace.hits[0].score:.2f} of the 0.85 that a direct answer needs: "
            f"its title contains ‘wallaby’; {largest_cost(trace.hits[0], 0.85)}."
        )
        assert largest_cost(trace.hits[0], 0.85)

    def test_sentence_names_the_cost_of_ageing(self, snapshot: Snapshot) -> None:
        trace = ask(snapshot, "numbat")
        score = trace.hits[0].score
        age = next(cost for cost in costs(trace.hits[0]) if cost.what == "300 days of age")
        assert verdict_sentence(trace) == (
            f"Needs an agent loop: the best note, “Numbat”, reaches {score:.2f} of the 0.70 that a note needs to be "
            f"quoted to a model: its title contains ‘numbat’; 300 days of age cost {age.amount:.2f}."
        )

    def test_cost_equals_the_difference_to_the_score_without_it(self, tree: Tree) -> None:
        tree.note("a/old.md", "Numbat", "numbat", days=40, importance=70.0)
        tree.notes(60)
        old = ask(tree.snapshot(), "numbat").hits[0]
        found = {cost.what: cost.amount for cost in costs(old)}
        tree.note("a/old.md", "Numbat", "numbat", days=1e-6, importance=70.0)
        fresh = ask(tree.snapshot(), "numbat").hits[0]
        assert old.score + found["40 days of age"] == pytest.approx(fresh.score)
        tree.note("a/old.md", "Numbat", "numbat", days=40, importance=70.0, maturity="validated")
        validated = ask(tree.snapshot(), "numbat").hits[0]
        assert old.score + found["being a draft"] == pytest.approx(validated.score)
        assert old.score + found["weak word matches"] == pytest.approx(round(old.ceiling.score, 2), abs=0.0051)

    def test_insufficient_lead_is_explained(self, tree: Tree) -> None:
        tree.note("a/one.md", "Dingo", "dingo", days=10, importance=50.0, maturity="validated")
        tree.note("a/two.md", "Dingo howls", "dingo", days=10, importance=50.0, maturity="validated")
        tree.notes(60)
        trace = ask(tree.snapshot(), "dingo")
        assert [hit.score for hit in trace.hits[:2]] == [0.91, 0.90]
        assert verdict_sentence(trace) == (
            "Needs a model: “Dingo”, 0.91, is 0.01 ahead of “Dingo howls”, and a direct answer needs a lead of 0.08 "
            "(or a score of 0.93); the first one matches: its title contains ‘dingo’."
        )

    def test_better_note_added_by_another_search_is_explained(self, tree: Tree) -> None:
        tree.note("a/both.md", "Emu", "emu kiwi", days=60, importance=80.0, maturity="validated")
        tree.note("a/kiwi.md", "Kiwi kiwi", "kiwi", **CORE)
        tree.notes(60)
        trace = ask(tree.snapshot(), "emu kiwi")
        assert [hit.score for hit in trace.hits[:2]] == [0.83, 1.0]
        assert verdict_sentence(trace).endswith(
            "; “Kiwi kiwi” (1.00) was added by a search for ‘kiwi’, but only the first result that reaches 0.70 counts."
        )

    def test_first_note_with_a_lower_score_than_an_added_one_is_explained(self, tree: Tree) -> None:
        tree.note("a/both.md", "Emu", "emu kiwi", days=20, importance=50.0, maturity="validated")
        tree.note("a/kiwi.md", "Kiwi kiwi", "kiwi", **CORE)
        tree.notes(60)
        text = said(tree.snapshot(), "emu kiwi")
        assert text.startswith(
            "Needs a model: “Emu”, 0.88, is 0.12 behind “Kiwi kiwi”, which a search for ‘kiwi’ added below it, and a "
            "direct answer needs a lead "
        )

    def test_match_found_only_by_another_search_is_reported(self, tree: Tree) -> None:
        tree.note("a/kiwi.md", "Kiwi", "kiwi", days=60)
        tree.notes(60)
        text = said(tree.snapshot(), "kiwi umlauts?")
        assert "its title contains ‘kiwi’ (found by a search for ‘kiwi’)" in text
        odd = "‘umlauts?’ is compared including its punctuation, but indexed terms never have any"
        assert f"; {odd}, so a search for the whole query finds nothing" in text

    def test_word_found_only_in_a_worse_match_is_named(self, tree: Tree) -> None:
        for number in range(11):
            tree.note(f"a/kiwi{number}.md", f"Kiwi {number}", "kiwi", days=30)
        tree.note("a/long.md", "Long", f"quagga {'emu ' * 200}", days=300, importance=1.0, maturity="draft")
        tree.notes(60)
        text = said(tree.snapshot(), "kiwi quagga")
        assert "none of the best matches contains ‘quagga’" in text
        assert "no note contains" not in text
        assert "no note contains ‘zyzzyva’; none of the best matches contains ‘quagga’" in said(
            tree.snapshot(), "kiwi quagga zyzzyva"
        )


class TestNotCovered:
    def test_another_form_of_a_missing_word_is_suggested(self, tree: Tree) -> None:
        tree.note("a/shears.md", "Pruning shears", "sharpen in march, oil after pruning")
        tree.notes(60)
        text = said(tree.snapshot(), "sharpening")
        assert text.startswith("Not covered: no note contains ‘sharpening’, but notes contain ‘sharpen’: try that; ")
        text = said(tree.snapshot(), "sharpening scissors marching")
        assert text.startswith(
            "Not covered: no note contains ‘sharpening’, ‘scissors’ or ‘marching’, but notes contain ‘sharpen’ and "
            "‘march’: try those; "
        )

    def test_empty_tree_is_the_reason(self, tree: Tree) -> None:
        assert said(tree.snapshot(), "kubernetes").startswith(
            "Not covered: the tree contains no notes that ByteRover reads"
        )

    def test_nearest_note_below_the_floor_is_named(self, tree: Tree) -> None:
        text = f"{'word ' * 300} kookaburra {'other ' * 300}"
        tree.note("a/old.md", "Something else", text, days=900, importance=5.0)
        tree.notes(60)
        trace = ask(tree.snapshot(), "kookaburr")
        nearest = trace.near_misses[0]
        assert verdict_sentence(trace).startswith(
            f"Not covered: the nearest, “Something else”, reaches {nearest.score:.2f} of the 0.45 that the best match "
            "needs: its text contains ‘kookaburra’, which begins with your ‘kookaburr’"
        )

    def test_unmatched_words_that_empty_the_answer_are_named(self, tree: Tree) -> None:
        tree.note("a/kiwi.md", "Other", "kiwi in a text", days=60)
        tree.notes(60)
        text = said(tree.snapshot(), "zyzzyva umlauts? plugh kiwi")
        assert text.startswith(
            "Not covered: no note contains ‘zyzzyva’ or ‘plugh’; "
            "‘umlauts?’ is compared including its punctuation, but indexed terms never have any"
        )
        assert "; the nearest, “Other”, reaches 0." in text
        assert " of the 0.85 that would make up for it: its path contains ‘kiwi’" in text

    def test_retry_ladder_results_are_offered(self, snapshot: Snapshot) -> None:
        assert "; its file name would find “" in said(snapshot, "wallabybandicoot") or "; a search for" in (
            said(snapshot, "quokka|zyzzyva")
        )


class TestScopes:
    def test_scope_option_does_not_change_the_sentence(self, snapshot: Snapshot) -> None:
        assert said(snapshot, "quokka", "x") == said(snapshot, "quokka")


class TestCached:
    def test_exact_cache_hit_names_the_earlier_answer(self, snapshot: Snapshot) -> None:
        text = after_run(snapshot, "Quokka facts", " QUOKKA  facts")
        assert text.startswith("From the cache: the same query was answered 12 s earlier, at tier ")
        assert text.endswith(", and since then no note's file time or signals have changed.")

    @pytest.mark.parametrize("query", ["quokka facts today", "quokka facts for today"])
    def test_cached_answer_mentions_signals_that_changed_since(self, tree: Tree, query: str) -> None:
        tree.note("x/n.md", "Quokka facts", "quokka facts today", **CORE)
        session = tree.session()
        first = session.run("quokka facts today")
        session.notes.apply(session.notes.plan_signals("x/n.md", stored(importance=1), SignalTarget.OVERLAY))
        session.load()
        trace = session.preview(query)
        assert (trace.tier, trace.answer.text) == (int(query != first.query), first.answer.text)
        assert verdict_sentence(trace).endswith(
            "; signals of 1 note have changed since, which the cache does not notice."
        )

    def test_fuzzy_cache_hit_names_the_similar_query(self, snapshot: Snapshot) -> None:
        text = after_run(snapshot, "replay the dead letter lane", "replay the dead letter lane safely")
        assert text.startswith(
            "From the cache: “replay the dead letter lane” is similar to your query: 4 of 5 words are the same "
        )
        assert "the same (0.80 ≥ 0.6); it was not covered 12 s earlier, and since then no note's file time" in text

    def test_fuzzy_cache_hit_names_the_tier_of_the_earlier_answer(self, snapshot: Snapshot) -> None:
        text = after_run(snapshot, "quokka facts for everybody", "quokka facts for everybody today")
        assert "; it was answered 12 s earlier, at tier " in text

    def test_cached_not_covered_answer_mentions_new_notes(self, snapshot: Snapshot, tree: Tree) -> None:
        _, state = route(Context(snapshot, BRV3, NOW_MS), CacheContents(), RouteRequest("kookaburra", run=True))
        tree.note("x/k.md", "Kookaburra", "a bird that laughs", **CORE)
        trace = ask(tree.snapshot(), "kookaburra", state=state, later=10_000)
        assert (trace.tier, trace.covered, len(trace.hits)) == (0, False, 1)
        assert verdict_sentence(trace) == (
            "From the cache: the same query was not covered 10 s earlier; "
            "notes have changed since, but the cache may need 30 s to notice."
        )

    def test_cached_answer_mentions_changed_notes(self, snapshot: Snapshot) -> None:
        _, state = route(Context(snapshot, BRV3, NOW_MS), CacheContents(), RouteRequest("quokka", run=True))
        asked = RouteRequest("quokka", touched={"x/n.md": NOW_MS + 5})
        trace, _ = route(Context(snapshot, BRV3, NOW_MS + 10_000), state, asked)
        assert trace.tier == 0
        assert "; notes have changed since, but the cache may need 30 s to notice." in verdict_sentence(trace)


class TestByAModel:
    @pytest.mark.parametrize(
        ("ended", "kind", "head"),
        [
            (EndReason.ANSWERED, "model", "Answered by m at h in 1 turn: “Wallaby” reaches "),
            (EndReason.FAILED, "extractive", "Needs a model, which failed: “Wallaby” reaches "),
            (EndReason.CANCELLED, "extractive", "Needs a model, which was stopped: “Wallaby” reaches "),
            (EndReason.ANSWERED, "extractive", "Needs a model, which wrote nothing: “Wallaby” reaches "),
        ],
    )
    def test_sentence_names_the_author_of_the_answer(
        self, snapshot: Snapshot, ended: EndReason, kind: str, head: str
    ) -> None:
        trace = ask(snapshot, "wallaby")
        usage = Usage(1, 1, False)
        done = Completion("m at h", ended, "", (ModelTurn(1, "", 0, usage),), (), usage, None, (), ())
        answer = replace(trace.answer, kind=kind, completion=done)
        assert verdict_sentence(replace(trace, answer=answer)).startswith(head)


def test_failed_search_gives_the_engines_reason(snapshot: Snapshot) -> None:
    failed = replace(snapshot, engine_failure="a/l.md cannot be indexed")
    text = said(failed, "quokka")
    assert text == "Needs an agent loop: a/l.md cannot be indexed."


@pytest.mark.parametrize("query", ["quokka", "wallaby", "numbat", "zebra", "bandicoot permissions", "x/o.md", ""])
def test_sentence_depends_only_on_the_trace_even_without_words(snapshot: Snapshot, query: str) -> None:
    trace = ask(snapshot, query)
    plain = to_plain(trace)
    assert verdict_sentence(trace_from_plain(plain)) == verdict_sentence(trace)
    without = verdict_sentence(trace_from_plain(_without_words(plain)))
    assert without.endswith(".")
    assert "contains ‘" not in without.removeprefix("Not covered: no note contains")


def _without_words(value: object) -> object:
    """A trace as an earlier version saved it."""
    if isinstance(value, dict):
        is_hit = "score" in value and "title" in value
        return {key: _without_words(one) for key, one in value.items() if not (is_hit and key == "words")}
    return [_without_words(one) for one in value] if isinstance(value, list) else value


def test_hit_without_a_text_score_has_no_costs() -> None:
    hit = Hit("a", "a", "A", "context", "path", 1.0, ())  # type: ignore[arg-type]
    assert (costs(hit), largest_cost(hit, 0.5)) == ([], "")
    assert Answer("direct", "", None, "", ()).completion is None


@pytest.mark.parametrize(("maturity", "importance"), [("draft", 100.0), ("core", 50.0)])
def test_equal_maturity_does_not_explain_a_lead(tree: Tree, maturity: str, importance: float) -> None:
    """The same factor changes a higher score more, which does not explain why that score is higher."""
    tree.note("a/limits.md", "Quokka", "quokka quokka", importance=importance, maturity=maturity)
    tree.note("b/other.md", "Other", "quokka and other animals", importance=importance, maturity=maturity)
    tree.notes(60)
    trace = ask(tree.snapshot(), "quokka")
    first, second = trace.hits[:2]
    assert any(name == "maturity" for name, _ in differences(first, second, 2))
    text = verdict_sentence(trace)
    assert "ahead of “Other” because of its" in text
    assert "maturity" not in text.partition("ahead of")[2]


def test_lead_names_the_part_that_works_against_it(tree: Tree) -> None:
    tree.note("a/old.md", "Quokka", "quokka", days=40, importance=100.0, maturity="core")
    tree.note("b/new.md", "Quokka two", "quokka", days=1)
    tree.notes(60)
    text = verdict_sentence(ask(tree.snapshot(), "quokka"))
    assert "ahead of “Quokka two” because of its" in text
    assert ", despite its age" in text
