"""Problems of a note while it is edited, with their positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.note_text import note_text
from brvtui.tree.editing.problems import KnownFiles, Problem, Severity, problems
from brvtui.tree.reading.links import Names
from tests.docs.pages import ROOT
from tests.support.trees import BRV3

SAMPLE = ROOT / "sample-tree" / ".brv" / "context-tree"
LIMITS = BRV3.limits
KNOWN = KnownFiles(
    Names(
        [
            "auth/tokens/rotation.md",
            "auth/tokens/Token Lifetimes.md",
            "_archived/a/b/c.full.md",
            "_archived/a/b/c.stub.md",
        ]
    )
)
PATH = "auth/tokens/edited.md"
UNREAD = "until then, none of the note's signals are read"


def found(text: str, known: KnownFiles = KNOWN) -> list[tuple[int, int, str]]:
    result = problems(PATH, note_text(b""), text, known, LIMITS)
    return [(problem.line, problem.column, problem.message) for problem in result]


def block(*lines: str, body: str = "") -> str:
    return "\n".join(("---", *lines, "---", body))


@pytest.mark.parametrize(
    "line", ["maturity: core", "importance: 0", "importance: 99.5", "recency: 1", "accessCount: 0"]
)
def test_valid_signals_have_no_problems(line: str) -> None:
    assert found(block(line)) == []


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("maturity: coer", 10, f"maturity must be draft, validated or core, perhaps core; {UNREAD}"),
        ("maturity: Validated", 10, f"maturity must be draft, validated or core, perhaps validated; {UNREAD}"),
        ("maturity: 3", 10, f"maturity must be draft, validated or core; {UNREAD}"),
        ("maturity:", 9, f"maturity must be draft, validated or core; {UNREAD}"),
        ("importance: 900", 12, f"importance must be a number from 0 to 100; {UNREAD}"),
        ("importance: -1", 12, f"importance must be a number from 0 to 100; {UNREAD}"),
        ("importance: 'x'", 12, f"importance must be a number from 0 to 100; {UNREAD}"),
        ("importance: .nan", 12, f"importance must be a number from 0 to 100; {UNREAD}"),
        ("recency: 1.01", 9, f"recency must be a number from 0 to 1; {UNREAD}"),
        ("recency: true", 9, f"recency must be a number from 0 to 1; {UNREAD}"),
        ("accessCount: 1.5", 13, f"accessCount must be a whole number, 0 or more; {UNREAD}"),
        ("updateCount: -1", 13, f"updateCount must be a whole number, 0 or more; {UNREAD}"),
    ],
)
def test_invalid_signals_are_reported(line: str, column: int, message: str) -> None:
    assert found(block("summary: T", line)) == [(2, column, message)]


@pytest.mark.parametrize(
    "value", ["2026-11-20T12:00:00.000Z", "'2026-11-20T12:00:00.000Z'", "2026-11-20", "'2026-11-20'"]
)
def test_valid_dates_have_no_problems(value: str) -> None:
    assert found(block(f"createdAt: {value}")) == []


@pytest.mark.parametrize("value", ["yesterday", "'2026-13-40T12:00:00Z'", "3", "", "[1]"])
def test_invalid_dates_are_reported(value: str) -> None:
    message = "updatedAt is not a date; write it as '2026-11-20T12:00:00.000Z'"
    assert [problem[2] for problem in found(block(f"updatedAt: {value}"))] == [message]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        (block("a: [1", "b: 2"), 1, 3, "did not find expected ',' or ']' while parsing a flow sequence"),
        (block("title: a: b"), 1, 8, "mapping values are not allowed in this context"),
        (block("- 1"), 1, 0, "the block is not a mapping of keys to values"),
        (block("a: 1", "b: 2", "a: 3"), 3, 0, "a occurs twice"),
        (block("a: 1", "... x: 1"), 1, 0, "a document-end marker inside the block"),
    ],
)
def test_frontmatter_ignored_by_the_engine_is_reported(text: str, line: int, column: int, said: str) -> None:
    assert found(text) == [(line, column, f"{said}; the engine does not read the frontmatter")]


def test_frontmatter_without_an_end_is_reported() -> None:
    assert found("---\na: 1\n") == [(0, 0, "no line --- ends the frontmatter, so the engine does not read it")]
    assert found("----\n") == []


def test_byte_order_mark_is_reported() -> None:
    note = note_text(b"\xef\xbb\xbf---\na: 1\n---\n")
    (problem,) = problems(PATH, note, note.text, KNOWN, LIMITS)
    assert problem.message == "there is a byte order mark before the frontmatter, so the engine does not read it"


def test_faulty_related_entries_are_reported() -> None:
    text = block(
        "related: [auth/tokens/rotation.md, '@auth/tokens/rotation', auth/tokens/token lifetimes.md,",
        "  auth/tokens/rotatoin.md, ../../etc/passwd.md, /etc/x.md, 3, zzz/qqq/www.md]",
    )
    assert found(text) == [
        (2, 2, "there is no note auth/tokens/rotatoin.md, perhaps auth/tokens/rotation.md"),
        (2, 27, "../../etc/passwd.md points outside the tree"),
        (2, 48, "/etc/x.md points outside the tree"),
        (2, 59, "each related entry must be the path of a note, as text"),
        (2, 62, "there is no note zzz/qqq/www.md"),
    ]
    assert found(block("related: auth/tokens/rotation.md")) == [
        (1, 9, "related must be a list, as in [domain/topic/note.md]")
    ]
    assert found(block("related:")) == []


def test_faulty_relations_in_text_are_reported() -> None:
    body = (
        "See @auth/tokens/gone.md and the package @scope/pkg/dist/index.\n"
        "## Relations\n@auth/tokens/rotation.md\n@auth/tokens/rotation\n@auth/tokens/lost\n## Facts\n@a/b/c\n"
    )
    assert found(body) == [
        (0, 4, "there is no note auth/tokens/gone.md"),
        (4, 0, "there is no note auth/tokens/lost"),
    ]


def test_faulty_stub_fields_are_reported() -> None:
    good = block("type: archive_stub", "original_path: a/b/c.md", "points_to: _archived/a/b/c.full.md")
    assert found(good) == []
    assert found(block("type: archive_stub", "original_path: ../x.md", "points_to: _archived/a/b/x.full.md")) == [
        (2, 15, "original_path must be the path of a file in the tree, ending in .md"),
        (3, 11, "there is no file _archived/a/b/x.full.md, so the note cannot be restored"),
    ]
    assert found(block("type: archive_stub", "original_path: auth/tokens/rotation.md", "points_to: 3")) == [
        (2, 15, "auth/tokens/rotation.md already exists, so the note cannot be restored there"),
        (3, 11, "points_to must be the path of a file in the tree, ending in .md"),
    ]
    assert [problem[:2] for problem in found(block("type: archive_stub"))] == [(1, 0), (1, 0)]
    assert found(block("type: note", "points_to: nowhere")) == []


def test_character_cut_at_byte_4096_is_reported() -> None:
    text = "xxx\n" * 1000 + "y" * 95 + "é after"
    (problem,) = problems(PATH, note_text(b""), text, KNOWN, LIMITS)
    assert (problem.line, problem.column, problem.severity) == (1000, 95, Severity.ERROR)
    assert "byte 4096 cuts a character" in problem.message
    assert found(f"x{text}") == []
    crlf = note_text(b"a\r\nb\r\n")
    assert problems(PATH, crlf, text, KNOWN, LIMITS) == ()
    (problem,) = problems(PATH, crlf, "xx\n" * 1000 + "y" * 95 + "é after", KNOWN, LIMITS)
    assert (problem.line, problem.column) == (1000, 95)


def test_note_ignored_by_the_engine_is_reported() -> None:
    note = note_text(b"ab\ncd\xff")
    (problem,) = problems(PATH, note, note.text, KNOWN, LIMITS)
    assert (problem.line, problem.column) == (1, 2)
    assert problem.message == "the engine does not see this note: not UTF-8 (byte 5)"
    note = note_text(b"\x01" * 20)
    assert "control characters" in problems(PATH, note, note.text, KNOWN, LIMITS)[0].message
    big = problems(PATH, note_text(b""), "a\n" * 6_000_000, KNOWN, LIMITS)
    assert big[0].message == "larger than 10 MB: the engine does not see this note"


def test_unsearched_parts_are_reported() -> None:
    text = "a\n" * 1999 + "last\nbeyond\n"
    message = "the engine reads only 2000 lines; the text from here on is not searched"
    assert found(text) == [(2000, 0, message)]
    assert found("é" * 2001) == [(0, 2000, "the engine reads only 2000 characters of a line; the rest is not searched")]


def test_sample_notes_have_one_problem() -> None:
    files = sorted(SAMPLE.rglob("*.md"))
    known = KnownFiles(Names(file.relative_to(SAMPLE).as_posix() for file in files))
    notes = [note_text(file.read_bytes()) for file in files]
    result = [problem.message for note in notes for problem in problems(PATH, note, note.text, known, LIMITS)]
    assert result == ["there is no note billing/payments/chargeback_evidence.md"]


@given(st.binary(max_size=60), st.text(st.sampled_from("---\n:'\"@ab/.md[]{}&*!|>#%- \t\ré\x1b日"), max_size=120))
def test_any_text_can_be_checked(data: bytes, text: str) -> None:
    note = note_text(data.replace(b"\0", b""))
    for edited in (note.text, text, f"---\nrelated: [{text}]\nmaturity: {text}\n---\n{note.text}"):
        lines = edited.split("\n")
        for problem in problems(PATH, note, edited, KNOWN, LIMITS):
            assert 0 <= problem.column <= len(lines[problem.line])
            assert isinstance(problem, Problem)
            assert "\n" not in problem.message


def test_long_note_in_a_large_tree_is_checked_quickly() -> None:
    paths = [f"domain{number % 20}/topic{number % 400}/note_{number}.md" for number in range(10_000)]
    known = KnownFiles(Names(paths))
    related = ", ".join([*paths[:20], *(f"domain1/topic1/missing_{number}.md" for number in range(20))])
    body = "# Title\n" + "Some words of a long note.\n" * 7_000 + "## Relations\n" + "@domain1/topic1/gone.md\n" * 50
    text = block("title: A note", f"related: [{related}]", "importance: 50", "maturity: draft", body=body)
    note = note_text(text.encode())
    assert len(problems(PATH, note, f"{note.text}x", known, LIMITS)) > 70


def test_frontmatter_below_the_first_line_is_reported() -> None:
    before = note_text(b"---\nmaturity: core\n---\n# Note\n")
    messages = [one.message for one in problems(PATH, before, f"x{before.text}", KNOWN, LIMITS)]
    assert messages == ["the frontmatter does not begin with --- in the first line, so the engine does not read it"]
    assert problems(PATH, note_text(b"# Note\n"), "# Other\n", KNOWN, LIMITS) == ()


def test_unresolved_conflict_is_reported() -> None:
    message = "an unresolved conflict: keep one side and remove the markers"
    for mine, theirs in (("mine", "theirs"), ("HEAD", "a1b2c3d (other words)")):
        text = f"# Note\n<<<<<<< {mine}\none\n=======\ntwo\n>>>>>>> {theirs}\n"
        assert found(text) == [(1, 0, message), (5, 0, "the conflict ends here")]
    assert found("# Note\nas in <<<<<<< mine\n") == []


def test_leftover_conflict_marker_is_reported() -> None:
    message = "a leftover conflict marker: remove this line"
    assert found("# A\n\nx\n>>>>>>> theirs\n") == [(3, 0, message)]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("<<<<<<< mine\n---\ntitle: A\n=======\n---\ntitle: B\n>>>>>>> theirs\n---\n# A\n", True),
        ("<<<<<<< mine\n# A\n=======\n---\ntitle: B\n---\n# A\n>>>>>>> theirs\n", True),
        ("<<<<<<< mine\n# A\n=======\n# B\n>>>>>>> theirs\n\nText.\n\n---\n\nA rule.\n\n---\n", False),
    ],
)
def test_frontmatter_after_a_conflict_is_reported(text: str, is_told: bool) -> None:
    messages = [message for _, _, message in found(text)]
    result = "the frontmatter does not begin with --- in the first line, so the engine does not read it"
    assert (result in messages) == is_told


def test_invalid_signals_are_reported_only_as_unread() -> None:
    text = block("importance: 300", body="# Title\n")
    off = KnownFiles(KNOWN.names, reads_signals=False)
    for known, so in ((KNOWN, UNREAD), (off, "no signals are read from frontmatter here")):
        (found,) = problems(PATH, note_text(text.encode()), text, known, LIMITS)
        assert found.message.startswith(f"importance must be a number from 0 to 100; {so}")


@pytest.mark.parametrize(("body", "is_told"), [("Words.\n", True), ("## Part\n", True), ("# The hose\n", False)])
def test_title_only_in_frontmatter_is_reported(body: str, is_told: bool) -> None:
    message = "not read: a note's title is its # heading or, if there is none, as here, its file name"
    assert found(block("title: The hose", body=body)) == ([(1, 0, message)] if is_told else [])


def test_space_after_the_first_fence_is_reported() -> None:
    before = note_text(b"---\nmaturity: core\n---\n# Note\n")
    edited = before.text.replace("---\n", "--- \n", 1)
    messages = [one.message for one in problems(PATH, before, edited, KNOWN, LIMITS)]
    assert messages == ["the frontmatter has a space after its ---, so the engine does not read it"]
