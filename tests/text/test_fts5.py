"""FTS5's analyser and closed form beside SQLite's own FTS5."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.jeffs_brain.chunks import COLUMNS, Chunk
from brvtui.engines.jeffs_brain.index import index_chunks
from brvtui.text.fts5 import PORTER, stem, words
from brvtui.text.query_language import Operator, Parsed, Token, TokenKind
from tests.support.hybrid import JEFFS

CLOSE = 1e-12
_SOUNDS = [
    "cat", "cats", "caresses", "ponies", "ties", "relational", "rational", "hopping", "hoping", "falling", "fizzed",
    "trekking", "technology", "technological", "technologies", "apology", "assembly", "assemblies", "invisibly",
    "possibly", "nobly", "probably", "ably", "formality", "sensibility", "agreed", "feed", "plastered", "sing",
    "motoring", "conflated", "troubled", "sized", "filing", "happy", "sky", "sensitivity", "controlling", "rolled",
    "adjustment", "replacement", "adoption", "irritant", "homologous", "effective", "rate", "cease", "go", "is", "a",
    "kubernetes", "kubernets", "photosynthesis", "x" * 63 + "ing", "x" * 64 + "ing", "42nds", "naïvely", "日本語",
    "ßing",
]  # fmt: skip


def has_fts5() -> bool:
    with sqlite3.connect(":memory:") as database:
        return any("ENABLE_FTS5" in option for (option,) in database.execute("pragma compile_options"))


pytestmark = pytest.mark.skipif(not has_fts5(), reason="this Python's SQLite is built without FTS5")


def fts5_words(texts: Sequence[str], tokenizer: str) -> list[list[str]]:
    """The terms that FTS5 makes of each text."""
    database = sqlite3.connect(":memory:")
    database.execute(f"create virtual table t using fts5(a, tokenize='{tokenizer}')")
    database.execute("create virtual table v using fts5vocab(t, 'instance')")
    database.executemany("insert into t(rowid, a) values (?, ?)", enumerate(texts))
    made: list[list[str]] = [[] for _ in texts]
    for term, row in database.execute("select term, doc from v order by doc, offset"):
        made[row].append(term)
    return made


def test_stems() -> None:
    assert [[stem(word)] for found in map(words, _SOUNDS) for word in found] == fts5_words(_SOUNDS, "porter unicode61")


@given(st.lists(st.text("abceghiklmnoprstuvyz", min_size=1, max_size=12), min_size=1, max_size=30))
def test_stems_of_any_letters_are_nearly_all_the_same(found: list[str]) -> None:
    """The known rest: a double y before -ed or -ing, and words that are nothing but an ending."""
    for word, other in zip(found, fts5_words(found, "porter unicode61"), strict=True):
        if "yy" not in word and len(word) > 5 and "logi" not in word[:-4] and "bli" not in word[:-4]:
            assert [stem(word)] == other


def characters() -> Iterator[str]:
    """Letters, marks and signs of Latin, Greek and Cyrillic."""
    yield from map(chr, range(1, 0x0530))


def test_which_characters_make_words() -> None:
    known = {0x37F, 0x528, 0x52A, 0x52C, 0x52E}  # capitals newer than FTS5's tables, which leave them as they are
    assigned = [character for character in characters() if ord(character) not in known and character.isprintable()]
    texts = [f"q{character}z" for character in assigned]
    made = fts5_words(texts, "unicode61")
    assert [(text, words(text)) for text in texts] == list(zip(texts, made, strict=True))


_WORDS = ["alpha", "alphabet", "beta", "betas", "gamma", "delta", "run", "running", "x"]
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)
_CHUNKS = st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS, _TEXTS, _TEXTS), min_size=1, max_size=12)
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


def rendered(tokens: Sequence[Token]) -> str:
    """The expression as FTS5 itself wants it: NOT alone, where the documented text has AND NOT."""
    made = ""
    for token in tokens:
        text = f'"{token.text}"' + ("*" if token.kind is TokenKind.PREFIX else "")
        made += f" {token.operator or Operator.OR} {text}" if made else text
    return made


@given(_CHUNKS, st.lists(_TOKENS, min_size=1, max_size=4))
def test_matches_and_scores_are_those_of_fts5(found: list[tuple[str, ...]], tokens: list[Token]) -> None:
    """NOT beside another alternative is compared by its matches alone: FTS5 counts the unwanted phrase there."""
    chunks = [Chunk(f"c{number}", *texts) for number, texts in enumerate(found)]
    database = sqlite3.connect(":memory:")
    columns = ", ".join(COLUMNS)
    database.execute(f"create virtual table t using fts5({columns}, tokenize='porter unicode61')")
    rows = [(number, *chunk.columns) for number, chunk in enumerate(chunks)]
    database.executemany("insert into t(rowid, path, title, summary, tags, content) values (?, ?, ?, ?, ?, ?)", rows)
    weights = ", ".join(map(str, JEFFS.columns.weights))
    expected = {
        f"c{number}": -value
        for number, value in database.execute(
            f"select rowid, bm25(t, {weights}) from t where t match ?", [rendered(tokens)]
        )
    }
    made = {
        hit.candidate.id: hit.value
        for hit in index_chunks(chunks, JEFFS).bm25(Parsed("", tuple(tokens), True), len(chunks))
    }
    assert made.keys() == expected.keys()
    joined = {token.operator for token in tokens[1:]}
    if not (Operator.NOT in joined and joined & {None, Operator.OR, Operator.AND}):
        for name, value in expected.items():
            assert math.isclose(made[name], value, rel_tol=CLOSE, abs_tol=CLOSE)


def test_a_word_of_several_terms_is_a_phrase() -> None:
    chunks = [Chunk("a", "", "user name", "", "", ""), Chunk("b", "", "name user", "", "", "")]
    query = Parsed("user_name", (Token(TokenKind.TERM, "user_name"),), False)
    assert [hit.candidate.id for hit in index_chunks(chunks, JEFFS).bm25(query, 10)] == ["a"]


def test_a_word_without_a_term_matches_nothing() -> None:
    index = index_chunks([Chunk("a", "", "dash —", "", "", "")], JEFFS)
    dash = Token(TokenKind.TERM, "—")
    assert index.bm25(Parsed("—", (dash,), False), 10) == []
    assert index.bm25(Parsed("", (dash, Token(TokenKind.TERM, "dash", Operator.AND)), True), 10) == []
    assert len(index.bm25(Parsed("", (dash, Token(TokenKind.TERM, "dash")), True), 10)) == 1


def test_counting_is_the_same_as_listing() -> None:
    length, counts = PORTER.counted("Running runs, and a runner ran")
    assert (length, counts["run"]) == (6, 2)
