"""``brv-tui find``: searches in notes, topics and code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brvtui.session import finding
from brvtui.store import text_index
from tests.cli.conftest import Run
from tests.cli.test_code import repository as repository
from tests.cli.test_space import AT
from tests.cli.test_space import space as space
from tests.support.trees import Tree


def found(run: Run, *args: str, inside: bool = True) -> dict[str, Any]:
    code, out, _ = run("find", *args, "--format", "json", inside=inside)
    value: dict[str, Any] = json.loads(out)
    assert code == (0 if value["count"] else 1)
    return value


def test_found_notes_have_fields_line_and_highlights(run: Run) -> None:
    value = found(run, "refresh")
    assert [(note["path"], note["fields"], note["line"]) for note in value["notes"]] == [
        ("auth/jwt/rotation.md", ["title", "headings", "text"], 1),
        ("auth/jwt/expiry.md", ["text"], 3),
    ]
    assert (value["schema"], value["count"], value["of"]) == (1, 2, 4)
    [(start, end)] = value["notes"][1]["highlights"]
    assert value["notes"][1]["snippet"][start:end] == "refresh"
    code, out, err = run("find", "refresh", "--limit", "1")
    assert (code, err) == (0, "")
    assert "auth/jwt/rotation.md:1" in out
    assert "expiry" not in out
    assert "--limit 2" in out


@pytest.mark.parametrize(
    ("query", "count"), [("zyxw", 0), ('"', 0), ("OR", 0), ("cents -rounded", 0), ("roling~ OR cent*", 2)]
)
def test_any_text_is_a_valid_query(run: Run, query: str, count: int) -> None:
    assert found(run, query)["count"] == count


def test_only_frontmatter_title_and_tags_are_searched(run: Run, project: Tree) -> None:
    project.file("odd.md", "---\ntitle: Quokka\ntags: [wombat]\naccessCount: 61\n---\n# Numbat\n\nwallaby\n")
    assert [found(run, word)["count"] for word in ("accessCount", "61", "title:quokka", "tag:wombats")] == [0, 0, 1, 1]
    assert found(run, "wallaby")["notes"][0]["line"] == 8


def _words(count: int, between: str = " ", name: str = "w") -> str:
    return between.join(f"{name}{number}" for number in range(count))


@pytest.mark.parametrize("between", [" ", " OR ", " AND ", " NOT ", " -"])
def test_notice_of_a_cut_query_counts_words_but_not_operators(run: Run, between: str) -> None:
    assert [run("find", _words(count, between))[2] for count in (26, 50)] == ["", ""]
    assert "only the first 50 words" in run("find", _words(51, between))[2]


@pytest.mark.parametrize(
    ("query", "is_cut"),
    [
        (f"x ({_words(49, ' OR ')})", False),
        (f"x ({_words(50, ' OR ')})", True),
        (f"NOT ({_words(50, ' OR ')})", False),
        (f"({_words(7, ' OR ')}) ({_words(7, ' OR ', 'v')})", False),  # 49 alternatives
        (f"({_words(7, ' OR ')}) ({_words(8, ' OR ', 'v')})", True),
        (f'"{_words(50)}"', False),
        (f'"{_words(51)}"', True),
        ("OR " * 51, True),  # a query of only ORs searches for them as words
    ],
)
def test_notice_of_a_cut_query_counts_words_and_alternatives_of_groups(run: Run, query: str, is_cut: bool) -> None:
    assert ("only the first 50 words" in run("find", query)[2]) == is_cut


@pytest.mark.parametrize("engine", ["byterover", "soleri", "knowing"])
def test_missing_own_files_folder_is_not_reported_as_unreadable(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(tmp_path / "file" / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert run("find", "refresh")[2] == ""
    _, out, err = run("query", "refresh", "--engine", engine)
    assert (err, "cannot be read" in out) == ("", False)


def test_overlong_query_is_refused_in_one_line(run: Run) -> None:
    code, out, err = run("find", "x" * 10_001)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_escapes_in_a_found_note_are_not_printed(run: Run, project: Tree) -> None:
    project.note("odd/esc.md", "Odd \x1b[31mquokka", "a \x1b]0;quokka\x07 tail")
    _, out, _ = run("find", "quokka")
    assert "\x1b" not in out
    assert "\x07" not in out


def test_unreadable_notes_are_reported(run: Run, project: Tree) -> None:
    (project.tree / "odd.md").write_bytes(b"zyxw \0")
    (project.tree / "long.txt").write_text("zyxw")
    code, _, err = run("find", "zyxw")
    notice = err.strip().removeprefix("note: ")
    assert code == 1
    assert "odd.md (a NUL byte" in notice
    assert found(run, "zyxw")["notices"] == [notice]
    assert notice in " ".join(run("query", "zyxw")[1].split())
    assert run("find", "refresh")[2] == ""


def test_overly_deep_note_is_reported_with_unrelated_results(run: Run, project: Tree) -> None:
    project.file("/".join(["d"] * 201) + "/deep.md", "zyxw")
    assert "not read" in run("find", "refresh")[2]


def test_match_positions_come_from_a_limited_part_of_the_notes(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond this limit, only the beginning of each note is searched, but every note is still found."""
    monkeypatch.setattr(finding, "_MOST_SEARCHED", 30_000)
    monkeypatch.setattr(finding, "_ALWAYS_SEARCHED", 1_000)
    for name in ("a", "b", "c"):
        project.file(f"long/{name}.md", "pad pad pad\n" * 1_500 + "zyxw\n")
    value = found(run, "zyxw")
    assert [(note["path"], note["line"]) for note in value["notes"]] == [
        ("long/a.md", 1_501), ("long/b.md", 0), ("long/c.md", 0),
    ]  # fmt: skip


def test_topics_are_found_by_their_visible_text(run: Run, space: Path) -> None:
    given = ("--project", str(space), *AT)
    value = found(run, "refresh token", *given, inside=False)
    assert {note["path"] for note in value["notes"]} >= {"auth/jwt.html"}
    assert not any("<" in note["snippet"] for note in value["notes"])
    assert found(run, "bv topic", *given, inside=False)["count"] == 0


def test_find_command_searches_symbols_in_code(run: Run, repository: Path) -> None:
    value = found(run, "title:rotate", "--repo", str(repository), inside=False)
    assert len(value["notes"]) == 1
    assert value["notes"][0]["path"].startswith("src/tokens.py")


def test_damaged_index_is_reported_and_listed_by_cache(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "WORTH_KEEPING", 1)
    first = found(run, "refresh")
    folder = text_index.text_index(project.tree).folder
    assert str(folder) in run("cache", "info", now=False)[1]
    (folder / "state").write_bytes(b"junk")
    code, out, err = run("find", "refresh", "--format", "json")
    again = json.loads(out)
    assert (code, again["notes"]) == (0, first["notes"])
    assert [f"note: {again['notices'][0]}\n"] == [err]
    run("cache", "clear", now=False)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("line", "count", "is_cut"),
    [("a" * 1_500, 400, True), ("\u00e9" * 1_500, 300, False), ("a", 2_100, True), ("a" * 2_100, 1, True)],
    ids=["characters", "bytes", "lines", "long line"],
)
def test_partly_searched_note_is_named(run: Run, project: Tree, line: str, count: int, is_cut: bool) -> None:
    project.note("a/long.md", "Long", f"{line}\n" * count)
    assert any("a/long.md" in notice for notice in found(run, "refresh")["notices"]) is is_cut


@pytest.mark.parametrize("joint", [" ", ".", " OR "])
def test_ignored_words_are_reported(run: Run, joint: str) -> None:
    words = [f"word{number}" for number in range(51)]
    assert found(run, joint.join(words[:50]))["notices"] == []
    [notice] = found(run, joint.join(words))["notices"]
    assert "50 words" in notice


def test_ignored_alternatives_are_reported(run: Run) -> None:
    groups = [f"(a{number} OR b{number})" for number in range(6)]
    assert found(run, " ".join(groups[:5]))["notices"] == []
    [notice] = found(run, " ".join(groups))["notices"]
    assert "alternatives" in notice


def test_words_that_never_occur_together_are_counted_separately(run: Run, project: Tree) -> None:
    project.note("ops/budget.md", "Budget", "a budget for retries")
    code, out, _ = run("find", "refresh budget zzz")
    assert code == 1
    assert "‘refresh’ 2, ‘budget’ 1, ‘zzz’ 0" in out
    assert "alone" not in run("find", "zzz")[1]
    assert "alone" not in run("find", '"refresh budget"')[1], "a phrase is not split"
