"""The full-text index: matches, their order and excerpts, compared with the postings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.analysis import utf16
from brvtui.text.find_query import Match, QueryClause, parsed, words_in
from brvtui.text.full_text import (
    FullTextView,
    IndexedBatch,
    IndexPart,
    TextDocument,
    content_words,
    open_index,
    write,
)
from brvtui.text.postings import build
from brvtui.text.segment import TermIds, note_terms
from brvtui.text.vocabulary import KINDS
from brvtui.trace import MatchKind
from tests.support.trees import BRV3, changed

ROTATION = TextDocument(
    "auth/rotation.md",
    "Refresh token rotation",
    "Refresh token rotation\nThe ladder",
    "auth, session",
    "# Refresh token rotation\n\nThe “gate” rotates naïve `keys` daily.\n\n## The ladder\n\nΟΔΟΣ in İzmir, foo_bar.\n",
)
TOKYO = TextDocument(
    "notes/tokyo.md", "東京の天気", "", "", "# 東京の天気\n\n使用Redis缓存。東京都に住む。สวัสดีครับ 서울에서\n"
)
OTHER = TextDocument("other.md", "Other", "", "", "token refresh, cafe\u0301, ladders and more ladders\n")
ALL = (ROTATION, TOKYO, OTHER)


def full_text(documents: Sequence[TextDocument]) -> FullTextView:
    """An index of ``documents`` in memory."""
    index = open_index()
    write(index, IndexedBatch(enumerate(documents)), 15_000_000)
    return FullTextView(IndexPart(index, {document.path: key for key, document in enumerate(documents)}))


@pytest.fixture(scope="module")
def index() -> FullTextView:
    return full_text(ALL)


FOUND = {
    "token": [ROTATION, OTHER],
    "refresh token": [ROTATION, OTHER],
    '"token refresh"': [OTHER],
    "token -rotation": [OTHER],
    "token NOT rotates": [OTHER],
    "ladder": [ROTATION, OTHER],
    "gate OR cafe": [ROTATION, OTHER],
    "rotating": [ROTATION],
    "gat*": [ROTATION],
    "gaet~2": [ROTATION],
    "gats~": [ROTATION],
    "naive": [ROTATION],
    "CAFÉ": [OTHER],
    "οδοσ": [ROTATION],
    "οδος": [ROTATION],
    "foo_bar": [ROTATION],
    "bar": [ROTATION],
    "title:other": [OTHER],
    "headings:ladder": [ROTATION],
    "tag:session": [ROTATION],
    "path:notes": [TOKYO],
    "京都": [TOKYO],
    "都": [TOKYO],
    "東京の天気": [TOKYO],
    "東天": [],
    "redis 缓存": [TOKYO],
    "สวัสดี": [TOKYO],
    "서울": [TOKYO],
    "-token": [TOKYO],
    "(gate OR cafe) refresh": [ROTATION, OTHER],
    "(gate OR cafe) -(daily OR redis)": [OTHER],
    "token -(gate cafe)": [ROTATION, OTHER],
    "title:(other OR rotation) ladders": [OTHER, ROTATION],
    "((gate (daily": [ROTATION],
    "cafe) gate() OR :)": [],
    "refresh (token": [ROTATION, OTHER],
    "()": [],
    "absent": [],
    "absent OR": [],
    "": [],
    '"': [],
    "-": [],
    "***": [],
}


@pytest.mark.parametrize("query", FOUND)
def test_query_finds_documents_in_order(index: FullTextView, query: str) -> None:
    found, count = index.find(query, 10)
    assert [document.path for document in found] == [document.path for document in FOUND[query]]
    assert count == len(found)


def test_last_word_is_a_prefix_only_while_typing(index: FullTextView) -> None:
    assert index.find("rota", 10)[0] == []
    assert [one.path for one in index.find("token rota", 10, True)[0]] == [ROTATION.path]
    assert index.find("rota ", 10, True)[0] == []


def test_fields_and_phrases_determine_the_order() -> None:
    index = full_text(
        [
            TextDocument("a/zebra.md", "", "", "", ""),
            TextDocument("b.md", "", "", "", "zebra"),
            TextDocument("c.md", "", "", "zebra", ""),
            TextDocument("d.md", "", "zebra", "", ""),
            TextDocument("e.md", "zebra", "", "", ""),
            TextDocument("w.md", "crossing zebra", "", "", ""),
            TextDocument("x.md", "", "", "", "zebra crossing"),
        ]
    )
    assert [one.path[0] for one in index.find("zebra -crossing", 10)[0]] == ["e", "d", "c", "a", "b"]
    assert [one.path[0] for one in index.find("zebra", 10)[0]] == ["e", "w", "d", "c", "a", "b", "x"]
    assert [one.path[0] for one in index.find("zebra crossing", 10)[0]] == ["x", "w"]


def test_newer_documents_hide_stored_ones() -> None:
    newer = full_text(
        [TextDocument("other.md", "Changed", "", "", "zebra"), TextDocument("a.md", "New", "", "", "token")]
    )
    both = FullTextView(full_text(ALL).kept, newer.kept, frozenset({"other.md", TOKYO.path}))
    assert [one.path for one in both.find("token", 10)[0]] == [ROTATION.path, "a.md"]
    assert [one.path for one in both.find("zebra OR 東京", 10)[0]] == ["other.md"]
    assert both.find("token", 1)[1] == 2


@pytest.mark.parametrize(
    ("query", "document", "fields", "line", "marked"),
    [
        ("token", ROTATION, ("title", "headings", "text"), 1, ["token"]),
        ("daily", ROTATION, ("text",), 3, ["daily"]),
        ("rotate", ROTATION, ("title", "headings", "path", "text"), 1, ["rotation", "rotates"]),
        ('"gate rotates"', ROTATION, ("text",), 3, ["gate", "rotates"]),
        ("session", ROTATION, ("tags",), 0, []),
        ("heading:ladder", ROTATION, ("headings",), 5, ["ladder"]),
        ("naive", ROTATION, ("text",), 3, ["naïve"]),
        ("京都", TOKYO, ("text",), 3, ["京都"]),
        ("redis", TOKYO, ("text",), 3, ["Redis"]),
        ("laders~ -absent", OTHER, ("text",), 1, ["ladders", "ladders"]),
    ],
)
def test_excerpt_shows_the_matches_of_a_document(
    index: FullTextView, query: str, document: TextDocument, fields: tuple[str, ...], line: int, marked: list[str]
) -> None:
    excerpt = index.excerpt(query, document)
    assert (excerpt.fields, excerpt.line) == (fields, line)
    assert [excerpt.snippet[start:end] for start, end in excerpt.highlights] == marked
    assert "\n" not in excerpt.snippet


@pytest.mark.parametrize(("query", "line", "snippet"), [("gate", 5, "The gate opens"), ("sluice", 0, "")])
def test_excerpt_has_the_line_number_in_the_file(query: str, line: int, snippet: str) -> None:
    document = TextDocument("a.md", "sluice gate", "", "", "\nThe gate opens", first_line=4)
    excerpt = full_text([document]).excerpt(query, document)
    assert (excerpt.line, excerpt.snippet.strip()) == (line, snippet)


def test_hostile_texts_and_queries_are_cheap() -> None:
    run, han = "x" * 400_000, "漢" * 200_000
    documents = [
        TextDocument("run.md", run, "", "", f"{run} needle"),
        TextDocument("han.md", "", "", "", han),
        TextDocument("half.md", "\ud800 title", "", "", "lone \udfff surrogate \0 nul"),
        TextDocument("bad\udcff.md", "twin", "", "", ""),
        TextDocument("bad\udcfe.md", "twin", "", "", ""),
    ]
    index = full_text(documents)
    assert [one.path for one in index.find("needle", 5)[0]] == ["run.md"]
    assert [one.path for one in index.find("surrogate", 5)[0]] == ["half.md"]
    assert index.find("漢" * 5_000, 5)[1] == 1
    assert index.find("漢字" * 2, 5)[1] == 0
    assert [one.path for one in index.find("twin", 5)[0]] == [documents[4].path, documents[3].path]
    for query in (
        "x" * 10_000,
        "x" * 9_999 + "*",
        "x" * 9_000 + "~2",
        "a~2 " * 2_500,
        "e* OR " * 1_600,
        '"' * 10_000,
        "(" * 10_000,
        "(a OR b) " * 1_000,
        "-(a b) " * 1_000,
        "f(" * 5_000,
    ):
        index.find(query, 5, True)
    assert index.excerpt("needle", documents[0]).line == 1
    assert len(parsed("word " * 2_000)[0]) == 1
    assert len(parsed(" ".join(f"w{number}" for number in range(900)))[0]) == 50


def test_malformed_query_searches_for_its_words() -> None:
    assert parsed("OR") == [[QueryClause(Match.WORD, ("or",))]]
    assert parsed("title:") == [[QueryClause(Match.WORD, ("title",))]]
    assert parsed('"open') == [[QueryClause(Match.WORD, ("open",))]]


# The postings tokenise symbols, tabs and scripts without spaces differently, so these texts have none of them.


LETTERS = st.sampled_from("abcABCéÉßжЖΣσıİñ0Ⅷ\u0301")
WORDS = st.text(LETTERS, min_size=1, max_size=5)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(" ,.-\n—_’")), max_size=8).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


@given(st.lists(TEXTS, min_size=1, max_size=5), WORDS, st.integers(1, 2))
def test_postings_and_full_text_find_the_same_documents(texts: list[str], typed: str, distance: int) -> None:
    """The headings field is not stemmed."""
    ids = TermIds()
    postings = build([note_terms("", text, "", ids) for text in texts], ids)
    index = full_text([TextDocument(f"{number}", "", text, "", "") for number, text in enumerate(texts)])
    rules = changed(BRV3, text={"fuzzy_ratio": 10.0, "fuzzy_max": distance}).text

    def found(query: str) -> set[int]:
        return {int(one.path) for one in index.find(query, 10)[0]}

    for word in {one.text for text in (*texts, typed) for one in words_in(text)}:
        term, alike = postings.exact(utf16(word)), postings.expand(utf16(word), rules)
        longer = alike.ids[alike.kinds != KINDS.index(MatchKind.FUZZY)]
        by_marks = {"": term.ids, "*": longer, f"~{distance}": alike.ids}
        for mark, terms in by_marks.items():
            expected = set(np.flatnonzero(postings.has_any(terms)).tolist()) if len(terms) else set()
            query = f"heading:{word}{mark}"
            assert found(f"{query} OR heading:{word}*" if mark[:1] == "~" else query) == expected


def test_only_the_beginning_of_long_texts_is_searched() -> None:
    """If the limit cuts a word, the index and the excerpt contain only its first part."""
    long = f"begin {'x ' * 249_995}middle end"
    document = TextDocument("a.md", long, long, long, long)
    index = full_text([document])
    assert [index.find(word, 9)[1] for word in ("begin", "midd", "middle", "end")] == [1, 1, 0, 0]
    assert index.excerpt("begin", document).line == 1
    assert index.excerpt("end", document).fields == ()
    assert index.similar(TextDocument("b.md", "", "", "", f"{' ' * 500_000}begin"), 9) == []


def test_content_words_exclude_markup_numbers_and_stop_words() -> None:
    text = "The `yaml` of k8s and oauth2:\n```sh\nrun 61 x a1b2\n```\nÄh, да я 東京 with it"
    words = content_words(TextDocument("a.md", "Quokka", "", "tag-one", text))
    assert set(words) == {"quokka", "tag", "one", "yaml", "oauth2", "run", "да", "я", "東京"}


def test_rarest_words_are_words_of_documents() -> None:
    documents = [TextDocument(f"{number}", "", "", "", text) for number, text in enumerate(("quokka", "quokka 東京 a"))]
    index = full_text(documents)
    assert index.rarest(["quokka", "東京", "gone", "a"], 9) == ("a", "quokka")
    assert index.rarest(["quokka", "a"], 1) == ("a",)
