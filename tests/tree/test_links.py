"""Links and relations of notes: their positions, names and targets."""

from __future__ import annotations

import re
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.links import MOST_LINKS, LinkKind, LinkState, Names, Written, is_within, links_in, normalised

FRONT = "---\ntitle: T\nrelated: {related}\n---\n# T\n"


def found(text: str) -> list[tuple[str, str]]:
    return [(link.kind.value, link.target) for link in links_in(text)]


def targets(text: str) -> list[str]:
    return [link.target for link in links_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@auth/jwt/tokens.md", ["auth/jwt/tokens.md"]),
        ("see @Auth/JWT/Tokens now", ["Auth/JWT/Tokens"]),
        ("@a/b/c/d.md", ["a/b/c/d.md"]),
        ("@a/b/x.md @c/d/y.md @a/b/x.md", ["a/b/x.md", "c/d/y.md", "a/b/x.md"]),
        ("(@a/b/x.md), @a/b/y.md.", ["a/b/x.md", "a/b/y.md"]),
        ("me@a/b/x.md", ["a/b/x.md"]),
        ("```\n@a/b/x.md\n```", ["a/b/x.md"]),
        ("@alone and mail me@host, @a/b.md", []),
        ("@/a/b/c", []),
        ("@aa/bb/cc/dd/ee.md", []),
        ("@a/b/x.md-old", ["a/b/x"]),
        ("@a/b/x.m_d", ["a/b/x.m_d"]),
        ("@../../etc/passwd", []),
        ("", []),
    ],
)
def test_relations_in_text_are_found(text: str, expected: list[str]) -> None:
    assert targets(text) == expected
    assert all(link.kind is LinkKind.RELATION for link in links_in(text))


def test_relation_is_normalised_to_a_note_path() -> None:
    assert normalised("@Auth/My Note") == "auth/my_note.md"
    assert normalised("@@auth/my \t note.md") == "auth/my_note.md"
    assert normalised("auth/jwt/x.md") == "auth/jwt/x.md"


@pytest.mark.parametrize(
    ("related", "expected"),
    [
        ("[a/b/c.md, 'd/e/f.md', \"@g/h/i.md\"]", ["a/b/c.md", "d/e/f.md", "g/h/i.md"]),
        ("[a/b/c.md,\n  d/e/f.md]", ["a/b/c.md", "d/e/f.md"]),
        ("\n  - a/b/c.md\n  - '@d/e f/g'\n", ["a/b/c.md", "d/e f/g"]),
        ("a/b/c.md", ["a/b/c.md"]),
        ('["a/\\x62/c.md"]', ["a/b/c.md"]),
        ("['it''s/b/c.md']", ["it's/b/c.md"]),
        ("[1, true, null, 2026-01-02, a/b/c.md, '', '@']", ["a/b/c.md"]),
        ("{a: b}", []),
        ("[[a/b/c.md]]", []),
        ("[&x a/b/c.md, *x, !!str d/e/f.md, g/h/i.md]", ["g/h/i.md"]),
        ("|\n  a/b/c.md\n", []),
        ("['a/b/c.md\n  d']", []),
        ("[", []),
        ("", []),
    ],
)
def test_related_entries_are_found(related: str, expected: list[str]) -> None:
    assert targets(FRONT.format(related=related)) == expected
    crlf = FRONT.format(related=related).replace("\n", "\r\n")
    assert targets(crlf) == expected
    for link in links_in(crlf):
        assert yaml.safe_load(crlf[link.start : link.end]).lstrip("@") == link.target


def test_related_outside_frontmatter_is_ignored() -> None:
    assert links_in("related: [a/b/c.md]\n") == ()
    assert links_in("---\nmeta:\n  related: [a/b/c.md]\n---\n") == ()
    assert links_in("---\nrelated: [a/b/c.md]\nrelated: [d/e/f.md]\n---\n") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[t](x.md)", ["x.md"]),
        ("[t](../b/x.md 'title') and [u](<y z.md> \"title\")", ["../b/x.md", "y z.md"]),
        ("[t](n%20ote.md#part) [u](x.md?raw=1)", ["n ote.md", "x.md"]),
        ("![image](img/a.png)", ["img/a.png"]),
        ("[t](a(b).md)", ["a(b).md"]),
        ("[ref]: x.md\n   [other]: <y z.md>", ["x.md", "y z.md"]),
        ("[^1]: x.md", []),
        ("[t](https://example.org/x.md) [m](mailto:a@b) [p](//host/x.md) [f](#part) [e]()", []),
        ("`[t](x.md)` ``[t](`x.md)`` [u](y.md) `open", ["y.md"]),
        ("```\n[t](x.md)\n```\n[u](y.md)\n~~~~ text\n[t](x.md)\n~~~\n```\n~~~~\n[v](z.md)", ["y.md", "z.md"]),
        ("```\n[t](x.md)", []),
        ("```x``` `y`\n[t](x.md)", ["x.md"]),
        ("~~~ a`b\n[t](x.md)\n~~~\n[u](y.md)", ["y.md"]),
        ("- ```sh\n  [t](x.md)\n  ```\n[u](y.md)", ["y.md"]),
        ("1. a\n\n    ```sh\n    [t](x.md)\n    ```\n    [u](y.md)", ["y.md"]),
        ("> ```\r\n> [t](x.md)\r\n> ```\r\n> [u](y.md)\r\n", ["y.md"]),
        ("not a link](x.md) \\[t\\](y.md)", []),
        ("[t](x y.md) [t](x.md", []),
        ("[t] (x.md)", []),
    ],
)
def test_markdown_links_are_found(text: str, expected: list[str]) -> None:
    assert targets(text) == expected
    assert all(link.kind is LinkKind.MARKDOWN for link in links_in(text))


def test_links_have_their_positions_in_the_text() -> None:
    text = FRONT.format(related="[é/b/c.md, '@d/e/f.md']") + "see @a/b/c.md,\r\nand [日本](x%20y.md#part)\n"
    lines = text.split("\n")
    seen = []
    for link in links_in(text):
        written = text[link.start : link.end]
        assert lines[link.line - 1][link.column :].startswith(written)
        seen.append((written, link.line, link.quote, link.in_flow))
    assert seen == [
        ("é/b/c.md", 3, "", True),
        ("'@d/e/f.md'", 3, "'", True),
        ("@a/b/c.md", 6, "", False),
        ("x%20y.md", 7, "", False),
    ]


NAMES = Names(["a/b/c.md", "a/b/My Note.md", "a/b/x-y.md", "a/b/X-Y.md", "a/d.md", "root.md", "a/b/context.md"])


@pytest.mark.parametrize(
    ("text", "state", "path", "written", "ending"),
    [
        ("@a/b/c.md", "note", "a/b/c.md", "path", True),
        ("@a/b/c", "note", "a/b/c.md", "path", False),
        ("@A/B/C.md", "note", "a/b/c.md", "normalised", True),
        ("@a/b/my_note", "note", "a/b/My Note.md", "normalised", False),
        ("@a/b/x-y.md", "note", "a/b/x-y.md", "path", True),
        ("@A/b/x-y.md", "broken", "", "path", True),
        ("@a/b/gone.md", "broken", "", "path", True),
        ("[t](c.md)", "note", "a/b/c.md", "relative", True),
        ("[t](./c)", "note", "a/b/c.md", "relative", False),
        ("[t](My%20Note.md)", "note", "a/b/My Note.md", "relative", True),
        ("[t](../d.md)", "note", "a/d.md", "relative", True),
        ("[t](a/d.md)", "note", "a/d.md", "path", True),
        ("[t](../../root.md)", "note", "root.md", "relative", True),
        ("[t](../../../root.md)", "refused", "", "path", True),
        ("[t](../../../../etc/passwd)", "refused", "", "path", True),
        ("[t](/root.md)", "refused", "", "path", True),
        ("[t](..\\d.md)", "refused", "", "path", True),
        ("[t](..)", "folder", "a", "relative", True),
        ("[t](a/b)", "folder", "a/b", "path", True),
        ("[t](gone.md)", "broken", "", "path", True),
        ("[t](img/a.png)", "foreign", "a/b/img/a.png", "relative", True),
    ],
)
def test_links_resolve_to_notes_files_or_folders(text: str, state: str, path: str, written: str, ending: bool) -> None:
    (link,) = links_in(text)
    result = NAMES.resolve(link, "a/b/source.md")
    assert (result.state, result.path, result.written, result.ending) == (
        LinkState(state),
        path,
        Written(written),
        ending,
    )


@pytest.mark.parametrize(
    ("entry", "state", "path"),
    [
        ("root.md", "note", "root.md"),
        ("a/b", "folder", "a/b"),
        ("a/b/My Note", "note", "a/b/My Note.md"),
        ("'@A/b/My  Note.md'", "note", "a/b/My Note.md"),
        ("../root.md", "refused", ""),
        ("/root.md", "refused", ""),
        ("'..\\root.md'", "refused", ""),
        ("c.md", "broken", ""),
    ],
)
def test_related_entries_resolve_to_notes_or_folders(entry: str, state: str, path: str) -> None:
    (link,) = links_in(FRONT.format(related=f"[{entry}]"))
    result = NAMES.resolve(link, "a/b/source.md")
    assert (result.state.value, result.path) == (state, path)


SYNTAX = st.text(st.sampled_from("@/ab.-_ é\n[]()<>`~#'\"\\:%\r|&*{},"))


@given(st.one_of(st.text(), SYNTAX), SYNTAX)
def test_links_of_any_text_stay_in_the_tree(body: str, related: str) -> None:
    for text in (body, FRONT.format(related=related) + body, FRONT.format(related=f"[{related}]") + body):
        before = 0
        for link in links_in(text):
            assert before <= link.start < link.end <= len(text)
            before = link.end
            start = sum(len(line) for line in text.split("\n")[: link.line - 1]) + link.line - 1
            assert start + link.column == link.start
            result = NAMES.resolve(link, "a/b/source.md")
            assert ".." not in result.path.split("/")
            assert not result.path.startswith("/")
            if result.state in (LinkState.NOTE, LinkState.FOLDER):
                assert result.path in NAMES.files | NAMES.folders


@pytest.mark.parametrize(
    "text",
    [
        "`" * 200_000,
        "` " * 100_000 + "[a](b.md)",
        "[" * 200_000 + "](b.md)",
        "[a](" * 50_000,
        "[a](b(" * 50_000,
        "[a](b 'c " * 50_000,
        "[a](b.md)" + " " * 200_000 + "x",
        "](" + " " * 200_000,
        "@a/b/" + "c" * 200_000 + "/",
        "@" + "a/" * 100_000,
        FRONT.format(related="[" * 100_000),
        FRONT.format(related="[" + "a/b/c.md, " * 5_000 + "]"),
    ],
    ids=range(12),
)
@pytest.mark.timeout(60)
def test_links_in_hostile_texts_are_found_in_time(text: str) -> None:
    """Quadratic time would take an hour for such a text."""
    links_in(text)


_LONG = 400_000


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("---\nrelated: [" + "a," * 30_000 + "]\n---\n" + "@a/b/c " * 47_000, id="related and relations"),
        pytest.param("[a](b)" * (_LONG // 6), id="links on one line"),
        pytest.param("](a" * (_LONG // 3), id="no link on one line"),
        pytest.param("[](x" + "](x)" * (_LONG // 4), id="parentheses"),
        pytest.param("".join("`" * (number % 300 + 1) + " " for number in range(2_600)), id="backticks"),
    ],
)
def test_long_notes_are_read_in_linear_time(text: str) -> None:
    """Some of these texts once took a minute and now take half a second; the limit allows for a busy machine."""
    began = time.process_time()
    links_in(text)
    assert time.process_time() - began < 3


def test_only_the_first_links_of_very_many_are_read() -> None:
    text = "---\nrelated: [a.md]\n---\n" + "[a](b) @c/d/e\n" * MOST_LINKS
    found = links_in(text)
    assert len(found) == MOST_LINKS
    assert [link.target for link in found[:5]] == ["a.md", "b", "c/d/e", "b", "c/d/e"]
    assert found[-1].line == MOST_LINKS // 2 + 3


@given(st.lists(st.integers(0, 60), unique=True).map(sorted), st.integers(0, 61))
def test_is_within_equals_a_linear_search(edges: list[int], place: int) -> None:
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    assert is_within(place, spans) == any(start <= place < end for start, end in spans)


def relations(text: str) -> tuple[str, ...]:
    """The relations in the text as the engine lists them: normalised, without duplicates, in order."""
    return tuple(dict.fromkeys(normalised(link.target) for link in links_in(text) if link.kind is LinkKind.RELATION))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@auth/jwt/tokens.md", ("auth/jwt/tokens.md",)),
        ("see @Auth/JWT/Tokens now", ("auth/jwt/tokens.md",)),
        ("@a/b/c/d.md", ("a/b/c/d.md",)),
        ("@a/b/x.md @c/d/y.md @a/b/x.md @A/B/X", ("a/b/x.md", "c/d/y.md")),
        (
            "## Relations\n@one/two/three.md\n@four/five-six/seven_8.md\n",
            ("one/two/three.md", "four/five-six/seven_8.md"),
        ),
        ("(@a/b/x.md), @a/b/y.md.", ("a/b/x.md", "a/b/y.md")),
        ("@alone and mail me@host", ()),
        ("@/a/b/c", ()),
        ("", ()),
    ],
)
def test_engine_relations_in_text_are_found(text: str, found: tuple[str, ...]) -> None:
    assert relations(text) == found


def test_normalised_relation_is_a_lower_case_path() -> None:
    assert normalised("@Auth/My Note") == "auth/my_note.md"
    assert normalised("auth/jwt/x.md") == "auth/jwt/x.md"


@given(st.one_of(st.text(), st.text(st.sampled_from("@/ab.-_ é\n"))))
def test_relations_of_any_text_stay_in_the_tree(text: str) -> None:
    found = relations(text)
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+){1,3}\.[a-z0-9]+(\.md)?", relation, re.ASCII) for relation in found)
