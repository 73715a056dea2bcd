"""Plain search: tantivy's own answers and explanations, over the notes of one snapshot."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.baseline.engine import Baseline
from brvtui.engines.baseline.index import FIELDS, PlainIndex, index_of, searched_words
from brvtui.engines.contract import Context, EngineError, Query
from brvtui.engines.registry import verdict_sentence
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import find_note
from brvtui.trace import Explanation, MatchKind, Trace, adds_up, to_plain
from brvtui.typed_tables import ProfileError
from tests.support.trees import NOW_MS, Tree

WORDS = ["token", "tokens", "rotate", "rotating", "rotation", "refund", "store", "stores", "the", "of", "ship"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def context(snapshot: Snapshot) -> Context[Any]:
    return Context(snapshot, Baseline().constants(), NOW_MS)


def asked(tree: Tree, text: str, scope: str = "", **options: object) -> Trace:
    return Baseline().answer(context(tree.snapshot()), Query(text, scope, options=options))


def why(tree: Tree, text: str, note: str, scope: str = "") -> Explanation:
    made = context(tree.snapshot())
    return Baseline().why(made, Baseline().answer(made, Query(text, scope)), find_note(made.snapshot, note))


@pytest.fixture
def notes(tree: Tree) -> Tree:
    tree.note("auth/rotation.md", "Token rotation", "Refresh tokens are rotated on each use.")
    tree.note("auth/store.md", "Stores", "A store keeps tokens.")
    tree.note("pay/refund.md", "Refunds", "Money goes back to the card.")
    return tree


def direct(notes: list[tuple[str, str]], words: list[str]) -> list[tuple[float, int]]:
    """tantivy's own scores for notes with any of ``words``, with its English analyzer."""
    builder = tantivy.SchemaBuilder().add_integer_field("id", fast=True)
    for name in ("title", "text"):
        builder = builder.add_text_field(name, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    for place, (title, text) in enumerate(notes):
        writer.add_document(tantivy.Document(id=place, title=title, text=text))
    writer.commit()
    index.reload()
    hits = index.searcher().search(index.parse_query(" ".join(words), ["title", "text"]), len(notes)).hits
    places = index.searcher().fast_field_values("id", [address for _, address in hits])
    return [(score, int(place or 0)) for place, (score, _) in zip(places, hits, strict=True)]


@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=12), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
)
def test_results_equal_direct_tantivy_search(notes: list[tuple[str, str]], words: list[str]) -> None:
    searched = searched_words(" ".join(words))
    found = PlainIndex(notes).find(searched)
    expected = sorted(direct(notes, list(searched.values())), key=lambda one: (-one[0], one[1]))
    assert [one[0] for one in found] == [place for _, place in expected]
    assert [one[1] for one in found] == pytest.approx([score for score, _ in expected], rel=1e-6)


def test_scores_equal_tantivy_explanations(notes: Tree) -> None:
    trace, index = asked(notes, "rotating the tokens"), index_of(notes.snapshot())
    stems = searched_words("rotating the tokens")
    assert list(stems) == ["rotat", "token"]
    for hit, found in zip(trace.hits, index.find(stems), strict=True):
        explained = json.loads(index.index.query(stems, FIELDS).explain(index.index.searcher, found.address).to_json())
        assert hit.score == pytest.approx(explained["value"], rel=1e-6)
        assert adds_up(hit)
        parts = [part.value for part in hit.parts if part.name != "rounding"]
        assert parts == pytest.approx([each["value"] for each in explained["details"]], rel=1e-6)
        for part in hit.parts[: len(parts)]:
            assert part.amount is not None
            assert part.factor is not None
            assert part.value == pytest.approx(part.amount * part.factor)


def test_result_names_matching_words_and_their_forms(notes: Tree) -> None:
    first, second = asked(notes, "rotating the tokens").hits
    assert [(one.query, one.word, one.kind, one.fields) for one in first.words] == [
        ("rotating", "rotated", MatchKind.STEM, ("title", "text")),
        ("tokens", "tokens", MatchKind.EXACT, ("title", "text")),
    ]
    assert [part.name for part in first.parts][:3] == ["rotating in title", "rotating", "tokens in title"]
    assert (second.file, [one.word for one in second.words]) == ("auth/store.md", ["tokens"])


def test_answers_are_deterministic_and_ties_keep_snapshot_order(tree: Tree) -> None:
    for number in range(40):
        tree.note(f"a/{number}.md", "Same", "same words in each")
    snapshot = tree.snapshot()
    traces = [Baseline().answer(context(made), Query("same words")) for made in (snapshot, tree.snapshot())]
    plain = [{**to_plain(trace), "timings": {}, "snapshot": {}} for trace in traces]
    assert plain[0] == plain[1]
    listed = [*(hit.file for hit in traces[0].hits), *(miss.file for miss in traces[0].near_misses)]
    assert listed == [note.path for note in snapshot.notes][:20]
    assert [miss.rank for miss in traces[0].near_misses] == list(range(11, 21))


def test_limit_applies_and_counts_are_conserved(notes: Tree) -> None:
    trace = asked(notes, "tokens", top_k=1)
    assert (len(trace.hits), trace.total_found, trace.matched) == (1, 2, 2)
    assert [(one.came_in, one.dropped, one.went_out) for one in trace.stages] == [(3, 1, 2), (2, 1, 1)]
    assert trace.options == {"top_k": 1}
    for options, said in (({"top_k": 0}, "at least one"), ({"top_k": "3"}, "type int"), ({"k": 3}, "no option k")):
        with pytest.raises(EngineError, match=said):
            asked(notes, "tokens", **options)
    with pytest.raises(ProfileError, match="no profile brv-3: use baseline or the path"):
        Baseline().constants("brv-3")


def test_scope_limits_results_to_folder(notes: Tree) -> None:
    assert {hit.file for hit in asked(notes, "money tokens", "auth/").hits} == {"auth/rotation.md", "auth/store.md"}
    nothing = asked(notes, "money", "auth")
    assert "1 note matches, but the filter scope auth removes it" in verdict_sentence(nothing)
    assert asked(notes, "money", "au").filtered_out == 1


def test_missing_note_gets_the_reason(notes: Tree) -> None:
    for number in range(12):
        notes.note(f"more/{number}.md", "Tokens", "tokens")
    notes.file("auth/_index.md", "---\ntype: summary\n---\ntokens\n")
    notes.file("ops/odd.txt", "tokens")
    assert why(notes, "tokens", "more/0.md").use.endswith("of 14")
    for query, note, scope, said, numbers in (
        ("tokens", "auth", "", "a folder, which plain search does not rank", "searched: tokens"),
        (
            "tokens",
            "ops/odd.txt",
            "",
            "not a searchable note in the tree",
            "the file exists, but is not read: the ending must be .md in lower case",
        ),
        ("!?", "pay/refund.md", "", "the query has no word to search for", "searched: nothing"),
        ("refund", "pay/refund.md", "auth", "outside the searched folder", "searched: refund"),
        ("tokens", "pay/refund.md", "", "neither title nor text contains any of the words", "searched: tokens"),
        (
            "tokens",
            "auth/rotation.md",
            "",
            "below the last result in the answer",
            "rank 13 of 14, score 0.21; the answer lists only 10",
        ),
    ):
        found = why(notes, query, note, scope)
        assert found.reason is not None
        assert (found.reason.text, found.numbers) == (said, numbers)
        assert found.remedy is not None
        assert (found.remedy.rank == 1) is (not scope and note.startswith(("pay", "auth/r")))
    assert Baseline().detail(context(notes.snapshot()), asked(notes, "card"), "auth/store.md") is None
    with pytest.raises(KeyError):
        Baseline().detail(context(notes.snapshot()), asked(notes, "card"), "gone.md")


def test_edited_note_is_found_by_its_new_words(notes: Tree) -> None:
    assert not asked(notes, "quokka").hits
    notes.note("auth/store.md", "Stores", "a quokka")
    assert [hit.file for hit in asked(notes, "quokkas").hits] == ["auth/store.md"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Café", "cafe"), ("Cafe\u0301", "café"), ("STRASSE", "straße"), ("漢字の検索", "検索"), ("한국어로", "한국어"),
        ("ระบบฐานข้อมูล", "ระบบ"), ("İstanbul", "İSTANBUL"), ("snake_case-word", "case"), ("the of", "of the"),
        ("ＡＢＣ", "abc"), ("don’t panic", "don't"),
    ],
)  # fmt: skip
def test_notes_are_found_across_scripts_and_spellings(tree: Tree, text: str, query: str) -> None:
    tree.note("a/b.md", "Title", f"some {text} here")
    tree.note("a/c.md", "Other", "x")
    assert [hit.file for hit in asked(tree, query).hits] == ["a/b.md"]


def test_stop_words_are_searched_only_without_other_words(notes: Tree) -> None:
    assert searched_words("to be or not to be") == {word: word for word in ("to", "be", "or", "not")}
    assert searched_words("not the token, the Tokens") == {"token": "token"}
    assert searched_words(" ") == {}
    assert "the query contains no searchable words" in verdict_sentence(asked(notes, "?!"))
    assert "no note contains ‘quokka’" in verdict_sentence(asked(notes, "the quokka"))


def test_empty_tree_has_no_results(tree: Tree) -> None:
    assert (asked(tree, "tokens").hits, asked(tree, "tokens").covered) == ((), False)


HOSTILE = {
    "words": " ".join(f"{one:03x}" for one in range(2_500)),
    "letters": "a" * 10_000,
    "marks": "a" + "\u0301" * 9_999,
    "operators": '"+-&|!(){}[]^~*?:\\/ AND OR NOT title:x IN [a TO z] ' * 150,
    "surrogates": "\ud800 \udfff" * 3_000,
    "controls": "\x1b]0;x\x07\x00\x9b31m " * 800,
    "one script": "漢" * 10_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_queries_and_notes_are_cheap(tree: Tree, kind: str) -> None:
    for number in range(30):
        tree.note(f"a/{number}.md", "Title", HOSTILE[kind] * 3)
    made = context(tree.snapshot())
    index_of(made.snapshot)
    began = time.process_time()
    trace = Baseline().answer(made, Query(HOSTILE[kind]))
    assert time.process_time() - began < 4
    assert all(adds_up(hit) for hit in trace.hits)
    assert len(json.dumps(to_plain(trace))) < 2_000_000
    if kind == "words":
        assert trace.notices == ("only the first 200 words are searched",)
