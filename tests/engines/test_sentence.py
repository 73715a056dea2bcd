"""The sentences of engines without tiers, and the sentence of an engine without its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.registry import verdict_sentence
from brvtui.engines.sentence import default_sentence
from brvtui.paint.line import Line
from brvtui.paint.sentence import Headline, answered_words, clause, headline_lines, plain, sentence_lines, title
from brvtui.saved.traces import trace_from_plain
from brvtui.trace import Check, MatchedWord, MatchKind, State, Step, Trace, to_plain
from tests.support.trees import Tree


@pytest.fixture
def library(tree: Tree) -> Tree:
    tree.note("auth/rotation.md", "Refresh tokens", "they are rotated once")
    tree.note("auth/other.md", "Sessions", "refresh a session")
    return tree


class TestJeffsBrain:
    def ask(self, library: Tree, query: str) -> Trace:
        return library.session().preview(query, engine="jeffs_brain")

    def test_sentence_names_ranks_words_and_lead(self, library: Tree) -> None:
        trace = self.ask(library, "refresh token")
        first, second = (hit.places[0].value for hit in trace.hits[:2])
        assert 0 < first - second < 0.001
        assert verdict_sentence(trace) == (
            "“Refresh tokens” is first of 2: #1 by words, its title contains ‘refresh’ and a form of your ‘token’; "
            f"BM25 {first:.3f}, less than 0.001 ahead of “Sessions”."
        )

    def test_scores_equal_after_rounding_are_called_level(self, library: Tree) -> None:
        trace = self.ask(library, "refresh token")
        first, second = trace.hits
        (place,) = second.places
        level = replace(second, places=(replace(place, value=first.places[0].value - 1e-12),))
        assert ", level with “Sessions”." in verdict_sentence(replace(trace, hits=(first, level)))

    def test_each_result_has_its_matched_words(self, library: Tree) -> None:
        first, second = self.ask(library, "refresh rotating").hits
        assert [(word.query, word.kind, word.fields[0]) for word in first.words] == [
            ("refresh", MatchKind.EXACT, "title"),
            ("rotating", MatchKind.STEM, "path"),
        ]
        assert [word.query for word in second.words] == ["refresh"]

    def test_missing_words_explain_an_empty_result(self, library: Tree) -> None:
        assert verdict_sentence(self.ask(library, "kubernetes ingress")) == (
            "Not found: no note contains ‘kubernetes’ or ‘ingress’; no rung of the retry ladder finds a note."
        )
        assert verdict_sentence(self.ask(library, "")) == "Not found: the query has no word to search for."

    def test_retry_ladder_result_is_explained(self, library: Tree) -> None:
        trace = self.ask(library, "rotationx")
        found = "as typed, the query finds nothing; the retry ladder found this note by the similarity of its name"
        assert found in verdict_sentence(trace)
        assert trace.hits[0].words == ()


class TestSoleri:
    def test_sentence_names_deciding_parts_and_lead(self, library: Tree) -> None:
        trace = library.session().preview("refresh tokens", engine="soleri")
        text = verdict_sentence(trace)
        assert text.startswith(f"“Refresh tokens” is first of {trace.total_found}")
        assert f"; its {trace.hits[0].score:.3f}: ".replace("0.", ".") in text
        assert (
            "; its title contains ‘refresh’ and ‘tokens’" in text
            or "; its title contains ‘tokens’ and ‘refresh’" in text
        )

    def test_missing_words_explain_an_empty_vault_result(self, library: Tree) -> None:
        session = library.session()
        text = verdict_sentence(session.preview("kubernetes ingress", engine="soleri"))
        assert text == "Not found: no entry contains ‘kubernetes’ or ‘ingress’."
        assert verdict_sentence(session.preview("", engine="soleri")).startswith("Not found: the query contains no")


class TestAnyEngine:
    def test_default_sentence_names_words_and_lead(self, library: Tree) -> None:
        library.note("auth/third.md", "Refreshing", "refresh")
        trace = replace(library.session().preview("refresh"), steps=())
        lead = trace.hits[0].score - trace.hits[1].score
        pairs = zip(trace.hits[0].parts, trace.hits[1].parts, strict=True)
        apart = sorted(((one.name, one.value - other.value) for one, other in pairs), key=lambda pair: -abs(pair[1]))
        (ahead, by), (against, loss) = apart[:2]
        named = f"because of {ahead} ({by:.2f}), despite {against} ({-loss:.2f})"
        assert plain(default_sentence(trace)) == (
            f"“{trace.hits[0].title}” is first of {trace.total_found} with {trace.hits[0].score:.2f}: its title "
            f"contains ‘refresh’; {lead:.2f} ahead of “{trace.hits[1].title}” {named}."
        )

    def test_default_sentence_names_the_deciding_step(self, library: Tree) -> None:
        check = Check("top", 0.9, "≥", 0.85, True, 0.05, "", "")
        step = Step("direct", 2, "direct answer", State.TAKEN, (check,), "")
        trace = replace(library.session().preview("refresh"), steps=(step,))
        assert plain(default_sentence(trace)).startswith("Answered by direct answer (top 0.90 ≥ 0.85): “")

    def test_default_sentence_explains_an_empty_result(self, library: Tree) -> None:
        trace = replace(library.session().preview("zyzzyva"), verdict="no note was near", covered=False)
        assert plain(default_sentence(trace)) == "Not covered: no note was near."

    def test_missing_engine_gets_the_default_sentence(self, library: Tree) -> None:
        plain_trace = {**to_plain(library.session().preview("refresh")), "engine": "gone"}
        assert " is first of " in verdict_sentence(trace_from_plain(plain_trace))


class TestLines:
    SENTENCE = (
        clause("Needs a model: "),
        clause(title("A note")),
        clause(" reaches 0.8", weight=5),
        clause("; so", weight=1),
    )

    def test_short_sentence_is_complete(self) -> None:
        assert [line.plain for line in sentence_lines(self.SENTENCE, (80, 80), 1)] == [plain(self.SENTENCE)]

    def test_least_important_clauses_are_dropped_first(self) -> None:
        (line,) = sentence_lines(self.SENTENCE, (36, 36), 1)
        assert line.plain == "Needs a model: “A note” reaches 0.8."
        assert ("A note", "bold strong") in line.spans

    def test_long_decisive_clause_is_cut(self) -> None:
        words = clause(": its text has ‘list’ (one letter from your ‘lost’) and ‘set’ (one from ‘sea’)", weight=70)
        head, nothing = clause("Answered from A"), clause(weight=90)
        short, long = sentence_lines((head, words, nothing, clause("; so", weight=5)), (40, 40), 2)
        assert short.plain == "Answered from A: its text has ‘list’"
        assert long.plain == "(one letter from your ‘lost’) and ‘set’…"
        assert len(sentence_lines((clause("Answered from A"), words), (24, 24), 1)) == 1, "too little of it fits"

    @pytest.mark.parametrize("width", range(1, 50))
    @pytest.mark.parametrize("most", [1, 2, 3])
    def test_cut_sentence_fits_and_ends_with_an_ellipsis(self, width: int, most: int) -> None:
        made = sentence_lines(self.SENTENCE, (width, width), most)
        assert len(made) <= most
        assert all(line.width <= width for line in made)
        assert made[-1].plain[-1] in ".…"

    def test_control_characters_in_titles_are_visible(self) -> None:
        text = plain((clause(title("a\x1b[31mred")),))
        assert "\x1b" not in text
        assert isinstance(sentence_lines((), (10, 10), 1)[0], Line)

    def test_long_title_leaves_room_for_the_reason(self) -> None:
        text = plain((clause(title("word " * 200)), clause(": why")))
        assert len(text) < 100
        assert text.endswith("why.")


def test_plural_field_names_get_a_plural_verb() -> None:
    def said(*fields: str) -> str:
        words = [MatchedWord(name, name, MatchKind.EXACT, 0, (name,)) for name in fields]
        return plain((clause(answered_words(words, " ".join(fields))),))

    assert said("keywords") == "its keywords contain ‘keywords’."
    assert said("keywords", "title") == "its title contains ‘title’ and its keywords ‘keywords’."


@given(st.integers(40, 130), st.integers(1, 3), st.lists(st.integers(1, 12), min_size=1, max_size=30))
def test_milliseconds_never_shorten_the_sentence(width: int, limit: int, words: list[int]) -> None:
    text = " ".join("w" * size for size in words)
    shown = Headline("TIER 2", "ok", (clause(text),))
    timed, bare = (
        " ".join(line.plain for line in headline_lines(shown, total, "", width, limit)).split() for total in (12.3, 0.0)
    )
    assert timed in (bare, [*bare, "12.3", "ms"])
