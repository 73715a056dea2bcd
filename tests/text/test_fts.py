"""FTS5 search compared with a plain SQLite table and with the formula for its scores, also after updates."""

from __future__ import annotations

import math
import operator
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.fts import FullText, FullTextError, IndexLayout, full_text, phrase
from brvtui.text.query_language import Operator, ParsedQuery, Token, TokenKind, alternatives
from tests.support.fts_counts import Counting, idf, score, words_of

CLOSE = 1e-12
LAYOUT = IndexLayout(("path", "title", "content"))
WEIGHTS = (3.0, 10.0, 1.0)
_WORDS = ["alpha", "alphabet", "beta", "betas", "gamma", "delta", "run", "running", "x"]
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)
_DOCUMENT = st.tuples(_TEXTS, _TEXTS, _TEXTS)
_DOCUMENTS = st.lists(_DOCUMENT, min_size=1, max_size=12)
_OPERATORS = st.sampled_from([None, Operator.AND, Operator.OR, Operator.NOT])
_TOKENS = st.one_of(
    st.builds(Token, st.just(TokenKind.TERM), st.sampled_from(_WORDS), _OPERATORS),
    st.builds(Token, st.just(TokenKind.PREFIX), st.sampled_from(["al", "be", "ru", "zz"]), _OPERATORS),
    st.builds(
        Token,
        st.just(TokenKind.PHRASE),
        st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(" ".join),
        _OPERATORS,
    ),
)


def by_sqlite(documents: Sequence[Sequence[str]], expression: str) -> list[tuple[int, float]]:
    """The results from a plain FTS5 table, best first; equal scores are in document order."""
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table t using fts5(path, title, content, tokenize='porter unicode61')")
    rows = [(number, *texts) for number, texts in enumerate(documents)]
    database.executemany("insert into t(rowid, path, title, content) values (?, ?, ?, ?)", rows)
    found = database.execute(
        "select rowid, -bm25(t, 3, 10, 1) as s from t where t match ? order by s desc, rowid", [expression]
    ).fetchall()
    database.close()
    return found


def found(index: FullText, *asked: str, limit: int = 99) -> list[int]:
    """The positions of the documents that an index finds."""
    return [position for position, _ in index.search(asked, WEIGHTS, limit)]


def rendered(tokens: Sequence[Token]) -> str:
    """The tokens in the syntax of FTS5, which has NOT instead of the documented AND NOT."""
    result = ""
    for token in tokens:
        text = f'"{token.text}"' + ("*" if token.kind is TokenKind.PREFIX else "")
        result += f" {token.operator or Operator.OR} {text}" if result else text
    return result


@given(_DOCUMENTS, st.lists(_TOKENS, min_size=1, max_size=4), st.integers(-1, 12))
def test_matches_scores_and_order_equal_sqlite_fts5(
    documents: list[tuple[str, ...]], tokens: list[Token], limit: int
) -> None:
    index = full_text(LAYOUT, documents)
    asked = alternatives(ParsedQuery("", tuple(tokens), True))
    assert index.search(asked, WEIGHTS, limit) == by_sqlite(documents, rendered(tokens))[: max(0, limit)]


@given(_DOCUMENTS, st.lists(_TOKENS, min_size=1, max_size=4))
def test_scores_equal_the_bm25_formula_of_the_counts(documents: list[tuple[str, ...]], tokens: list[Token]) -> None:
    """Each phrase that is joined by OR or AND adds its own score."""
    index = full_text(LAYOUT, documents)
    counting = Counting(index)
    phrases = [phrase(token.text, token.kind is TokenKind.PREFIX) for token in tokens]
    for asked in (phrases, [" AND ".join(phrases)]):
        for position, found_score in index.search(asked, WEIGHTS, len(documents)):
            total = 0.0
            for token in tokens:
                counts = counting.counts(token.text, token.kind is TokenKind.PREFIX, position)
                frequency = sum(map(operator.mul, WEIGHTS, counts.frequencies))
                total += score(idf(counts.documents, counts.holders), frequency, counts.length, counts.average)
            assert math.isclose(total, found_score, rel_tol=CLOSE, abs_tol=CLOSE)


def test_index_term_counts_are_correct() -> None:
    index = Counting(full_text(LAYOUT, [("a/run", "Running runs", "a run, a run"), ("", "", "walk on"), ("", "", "")]))
    counts = index.counts("run", False, 0)
    assert (counts.documents, counts.holders, counts.frequencies, counts.length) == (3, 1, (1, 2, 2), 8)
    assert math.isclose(counts.average, 10 / 3, rel_tol=CLOSE)
    assert index.counts("a ru", True, 0).frequencies == (1, 0, 2)
    assert index.counts("run", False, 1).frequencies == (0, 0, 0)
    assert index.counts("—", False, 0).holders == 0


def test_words_equal_those_of_the_tokenizer() -> None:
    assert words_of(LAYOUT, "Running user_names, naïvely") == ["run", "user", "name", "naiv"]
    code = IndexLayout(("doc",), "unicode61 tokenchars '_' remove_diacritics 2")
    assert words_of(code, "Running user_names") == ["running", "user_names"]


@given(_DOCUMENTS, st.lists(st.lists(st.tuples(st.integers(-4, 11), _DOCUMENT), max_size=12), max_size=5))
def test_updated_index_equals_a_fresh_index(
    documents: list[tuple[str, ...]], changes: list[list[tuple[int, tuple[str, ...]]]]
) -> None:
    """An update lists the next documents: each has its previous position, used at most once, or is new."""
    index = full_text(LAYOUT, documents)
    for change in changes:
        before, seen = index.documents, set()
        kept, following = [], []
        for place, text in change:
            stays = 0 <= place < len(before) and place not in seen
            seen.add(place)
            kept.append(place if stays else -1)
            following.append(before[place] if stays else text)
        index = index.after(np.asarray(kept, dtype=np.int64), following)
        for asked in (["alpha", "run"], ['"running x" OR al*'], ["x NOT gamma"]):
            result, expected = index.search(asked, WEIGHTS, 99), by_sqlite(following, " OR ".join(asked))
            assert result == expected


def test_repeated_insertions_renumber_documents() -> None:
    index = full_text(LAYOUT, [("", "", "first"), ("", "", "last")])
    for _ in range(40):
        count = len(index.documents)
        documents = [index.documents[0], ("", "", "alpha"), *index.documents[1:]]
        index = index.after(np.asarray([0, -1, *range(1, count)]), documents)
        assert found(index, "alpha") == list(range(1, count))
        assert (found(index, "first"), found(index, "last")) == ([0], [count])


def test_update_leaves_the_earlier_index_unchanged() -> None:
    index = full_text(LAYOUT, [("", "", "alpha"), ("", "", "beta")])
    later = index.after(np.asarray([1, -1]), [("", "", "beta"), ("", "", "alpha alpha")])
    assert (found(index, "alpha"), found(later, "alpha"), found(later, "beta")) == ([0], [1], [0])


def test_split_alternatives_score_like_one_expression() -> None:
    documents = [("", f"w{number} w{number % 7}", f"w{number // 3} common") for number in range(200)]
    asked = [f'"w{number}"' for number in range(150)] + ['"common"']
    result, expected = full_text(LAYOUT, documents).search(asked, WEIGHTS, 50), by_sqlite(documents, " OR ".join(asked))
    assert len(expected) == 200
    assert [position for position, _ in result] == [position for position, _ in expected[:50]]
    for (_, one), (_, other) in zip(result, expected, strict=False):
        assert math.isclose(one, other, rel_tol=CLOSE)


def test_repeated_alternatives_count_repeatedly() -> None:
    documents = [("", f"w{number % 7}", f"w{number // 9} common") for number in range(90)]
    asked = ['"w1"'] * 70 + ['"common"'] * 3 + ['"w2"']
    result, expected = full_text(LAYOUT, documents).search(asked, WEIGHTS, 90), by_sqlite(documents, " OR ".join(asked))
    assert [position for position, _ in result] == [position for position, _ in expected]
    assert all(math.isclose(one, other, rel_tol=CLOSE) for (_, one), (_, other) in zip(result, expected, strict=True))


def test_empty_query_finds_no_documents() -> None:
    assert full_text(LAYOUT, [("", "", "alpha")]).search([], WEIGHTS, 9) == []


@given(st.text() | st.text('alph "*()^:-\0\ud800', max_size=20), st.booleans())
def test_any_text_can_be_a_phrase(text: str, is_prefix: bool) -> None:
    index = full_text(LAYOUT, [("", text, "alpha"), ("", "", "beta")])
    words = words_of(LAYOUT, text)
    assert found(index, phrase(text, is_prefix)) == ([0, 1][: 1 + (words == ["beta"])] if words else [])


def test_invalid_fts5_expression_is_reported() -> None:
    with pytest.raises(FullTextError, match="syntax error"):
        full_text(LAYOUT, []).search(["a AND"], WEIGHTS, 9)
    with pytest.raises(FullTextError, match="tokenizer"):
        full_text(IndexLayout(("a",), "none such"), [])


def test_threads_search_while_another_index_is_built() -> None:
    documents = [("", f"w{number}", "alpha beta" if number % 3 else "gamma") for number in range(600)]
    index = full_text(LAYOUT, documents)
    expected = index.search(['"alpha"', '"gamma"'], WEIGHTS, 600)

    def follow(number: int) -> FullText:
        kept = np.arange(600)
        kept[number] = -1
        return index.after(kept, [*documents[:number], ("", "", "delta"), *documents[number + 1 :]])

    with ThreadPoolExecutor(4) as pool:
        searches = [pool.submit(index.search, ['"alpha"', '"gamma"'], WEIGHTS, 600) for _ in range(40)]
        others = [pool.submit(follow, number) for number in range(0, 600, 100)]
        assert all(search.result() == expected for search in searches)
        assert [found(other.result(), "delta") for other in others] == [[number] for number in range(0, 600, 100)]


def test_document_lists_may_exceed_the_sqlite_parameter_limit() -> None:
    index = full_text(IndexLayout(("title",)), [("gate" if place % 2 else "yard",) for place in range(200)])
    index._database.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 100)
    assert index.holding('"gate"', ["title"], range(200)) == set(range(1, 200, 2))
