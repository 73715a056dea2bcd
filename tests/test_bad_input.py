"""Bad input gives a clear message, and other notes still work."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui import faults
from brvtui.session import Session
from brvtui.trace import to_plain
from brvtui.trace.routing import Route
from brvtui.tree.reading import contents
from brvtui.tree.reading.project import ProjectError
from tests.support.trees import NOW_MS, READS_FRONTMATTER, Tree, paths
from tests.test_layers import PACKAGE

MEGABYTE = 1024 * 1024


@pytest.fixture
def good(tree: Tree) -> Tree:
    """A tree with one good note, to which bad input is added."""
    tree.note("x/good.md", "Quokka", "all about the quokka")
    tree.read_frontmatter()
    tree.notes(30)
    return tree


def reasons(tree: Tree) -> dict[str, str]:
    return {file.path: file.reason for file in tree.snapshot().unseen}


def still_works(tree: Tree) -> None:
    """Checks that search and router find the good note, and that everything can be written as JSON."""
    assert "x/good.md" in paths(tree.search("quokka"))
    session = tree.session()
    trace = session.preview("quokka")
    assert "x/good.md" in paths(trace)
    assert json.loads(json.dumps(to_plain(trace)).encode())["query"] == "quokka"


def test_project_without_a_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".brv").mkdir()
    (tmp_path / ".brv" / "config.json").write_text("{}")
    with pytest.raises(ProjectError, match="no context tree there"):
        Session.open(tmp_path)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="no such folder"):
        Session.open(tmp_path / "none")


def test_empty_tree_can_be_queried(tree: Tree) -> None:
    session = tree.session()
    assert session.preview("quokka").section(Route).outcome == "not_covered"
    assert session.search("quokka", 10).hits == ()
    assert session.snapshot.notes == ()


def test_file_is_refused_as_a_project(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_text("x")
    with pytest.raises(ProjectError, match="not a folder"):
        Session.open(file)


def test_tree_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".brv").mkdir()
    (tmp_path / ".brv" / "config.json").write_text("{}")
    (tmp_path / ".brv" / "context-tree").write_text("x")
    with pytest.raises(ProjectError):
        Session.open(tmp_path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything, whatever the mode says")
def test_note_without_read_permission_is_reported(good: Tree) -> None:
    place = good.file("x/shut.md", "# Shut\nquokka")
    place.chmod(0)
    try:
        assert reasons(good) == {"x/shut.md": "cannot be read: Permission denied"}
        still_works(good)
    finally:
        place.chmod(0o644)


def test_unreadable_note_is_reported(good: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    good.file("x/shut.md", "# Shut\nquokka")
    read_regular = contents.read_regular

    def refusing(path: Path, most: int) -> bytes:
        if path.name == "shut.md":
            raise PermissionError(13, "Permission denied")
        return read_regular(path, most)

    monkeypatch.setattr(contents, "read_regular", refusing)
    assert reasons(good) == {"x/shut.md": "cannot be read: Permission denied"}
    still_works(good)


def test_note_outside_utf8_is_reported(good: Tree) -> None:
    good.file("x/latin.md", "# Café\nquokka".encode("latin-1"))
    assert reasons(good) == {"x/latin.md": "not UTF-8 (byte 5)"}
    still_works(good)


def test_note_with_an_early_nul_byte_is_reported(good: Tree) -> None:
    good.file("x/nul.md", b"# N\0\nquokka")
    assert "NUL byte" in reasons(good)["x/nul.md"]
    still_works(good)


def test_late_nul_bytes_count_as_text(good: Tree) -> None:
    good.file("x/late.md", b"# Late\nquokka\n" + b"a b c\n" * 700 + b"\0")
    assert reasons(good) == {}
    assert "x/late.md" in paths(good.search("quokka"))


def test_note_of_50_megabytes_is_reported(good: Tree) -> None:
    with (good.tree / "x" / "huge.md").open("wb") as file:
        file.truncate(50 * MEGABYTE)
    assert reasons(good) == {"x/huge.md": "larger than 10 MB"}
    still_works(good)


def test_huge_note_is_not_read(good: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    with (good.tree / "x" / "huge.md").open("wb") as file:
        file.truncate(50 * MEGABYTE)
    read_regular = contents.read_regular

    def refusing(path: Path, most: int) -> bytes:
        assert path.name != "huge.md"
        return read_regular(path, most)

    monkeypatch.setattr(contents, "read_regular", refusing)
    still_works(good)


@pytest.mark.parametrize(
    "block",
    [
        "a: [1",
        "importance: 10\nb: @x",
        "importance: !!bool x",
        "importance: !!int ''",
        "a: 1\na: 2\nimportance: 3",
        "importance: *x",
    ],
)
def test_broken_frontmatter_does_not_hide_a_note(good: Tree, block: str) -> None:
    good.file("x/broken.md", f"---\n{block}\n---\n# Broken\nquokka")
    good.file("x/_index.md", f"---\ntype: summary\n{block}\ncondensation_order: 1\n---\n")
    assert reasons(good) == {}
    assert "x/broken.md" in paths(good.search("quokka", profile=READS_FRONTMATTER))
    assert good.snapshot().summaries == {}
    still_works(good)


def test_symlink_loop_is_reported(good: Tree) -> None:
    (good.tree / "x" / "a.md").symlink_to("b.md")
    (good.tree / "x" / "b.md").symlink_to("a.md")
    (good.tree / "x" / "around").symlink_to("..")
    found = reasons(good)
    assert set(found) == {"x/a.md", "x/b.md", "x/around"}
    assert "symbolic links" in found["x/a.md"]
    still_works(good)


def test_note_with_a_path_of_300_characters_is_found(good: Tree) -> None:
    long = "/".join(["d" * 60] * 4) + "/" + "n" * 60 + ".md"
    assert len(long) > 300
    good.file(long, "# Long\nquokka")
    assert long in paths(good.search("quokka"))
    assert paths(good.search(long)) == [long]
    still_works(good)


def test_overlong_path_as_a_query_is_not_covered(good: Tree) -> None:
    assert good.ask("/".join(["d" * 60] * 5)).section(Route).outcome == "not_covered"


@pytest.mark.parametrize(
    "name",
    [
        "[red]",
        "[red]bold[/red]",
        "\x1b[31mred\x1b[0m",
        "new\nline",
        "\x1b]0;title\x07",
        "tab\there",
        "\u202eright",
        "a\u200bb",
        "%s{0}",
    ],
    ids=repr,
)
def test_names_with_terminal_controls_are_handled(good: Tree, name: str) -> None:
    good.file(f"x/{name}.md", f"# {name}\nquokka, and a few words more")
    found = good.search("quokka")
    assert f"x/{name}.md" in paths(found)
    if not any(character in name for character in "\n\t"):
        assert paths(good.search(f"x/{name}.md")) == [f"x/{name}.md"]
    still_works(good)


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")
@pytest.mark.parametrize("place", ["x/caf\udce9.md", "caf\udce9/n.md"])
def test_names_outside_utf8_are_handled(good: Tree, place: str) -> None:
    good.file(place, "# Caf\nquokka")
    good.file(f"{place.removesuffix('.md')}_more.abstract.md", "x")
    assert place in paths(good.search("quokka"))
    session = good.session()
    assert session.explainer.explain("quokka", place).found
    trace = session.run("quokka")
    plain = json.loads(json.dumps(to_plain(trace)).encode("utf-8"))
    assert place in [hit["path"] for hit in plain["hits"]]
    assert json.dumps(to_plain(session.explainer.explain("zzz", place))).encode()
    still_works(good)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   \t\n",
        "the of and",
        "?!... --- ///",
        "日本語の文書",
        "😀🎉👩‍👩‍👧‍👦",
        "שלום עולם مرحبا",
        "\u202eolleh",
        "\x1b[31mred",
        "[red]quokka[/red]",
        "a\0b",
        "\udcff\ud800",
        "%s %d {0} \\",
        "../../etc/passwd",
        "/" * 300,
        "__proto__ constructor",
    ],
    ids=repr,
)
def test_unusual_queries_are_answered_and_cached(good: Tree, query: str) -> None:
    session = good.session()
    trace = session.run(query)
    assert trace.query == query
    assert json.dumps(to_plain(trace)).encode()
    assert session.cache_now(query).look.key is not None
    assert session.run(query).tier == 0
    session.explainer.explain(query, "x/good.md")


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("x" * 10_000, False),
        ("quokka " * 1428, True),
        ("quokka " + " ".join(f"word{n}" for n in range(1200)), True),
        ("/" * 10_000, False),
        ("quokka/" * 1428, True),
        ("?" * 10_000, False),
        ("é" * 10_000, False),
    ],
    ids=["one word", "one word again and again", "many words", "slashes", "a path", "punctuation", "beyond ascii"],
)
def test_query_of_10000_characters_is_answered(good: Tree, query: str, finds: bool) -> None:
    assert len(query) > 9_000
    trace = good.ask(query)
    assert trace.query == query
    assert paths(trace) == (["x/good.md"] if finds else [])


def test_heading_with_escapes_stays_the_title(good: Tree) -> None:
    good.file("x/odd.md", "# \x1b[2J[bold]quokka[/bold]\n")
    assert "\x1b[2J[bold]quokka[/bold]" in [hit.title for hit in good.search("quokka").hits]


def test_tree_below_a_folder_with_an_odd_name_is_read(make_tree: Callable[[str], Tree]) -> None:
    tree = make_tree("pro [red] ject:\x1b")
    tree.note("x/good.md", "Quokka", "all about the quokka")
    tree.notes(30)
    still_works(tree)
    assert tree.session().preview("quokka").snapshot.project == "pro [red] ject:\x1b"


@pytest.mark.parametrize("now_ms", [0.0, float(NOW_MS) * 1000 / 2000, 4e12])
def test_extreme_clock_times_are_accepted(good: Tree, now_ms: float) -> None:
    assert paths(good.search("quokka", now_ms=now_ms)) == ["x/good.md"]
    assert good.ask("quokka", now_ms=now_ms).snapshot.clock.endswith("Z")


def test_file_times_before_1970_are_accepted(good: Tree) -> None:
    os.utime(good.tree / "x" / "good.md", ns=(-86_400_000_000_000, -86_400_000_000_000))
    still_works(good)


def test_deeply_nested_frontmatter_is_ignored(tree: Tree) -> None:
    nested = "\n".join("  " + "[" * 1_900 for _ in range(300))
    tree.file("x/deep.md", f"---\nimportance: 5\nk:\n{nested}\n---\n# Deep\n\nquokka\n")
    assert paths(tree.search("quokka", profile=READS_FRONTMATTER)) == ["x/deep.md"]


def test_frontmatter_with_multiplying_aliases_is_ignored(tree: Tree) -> None:
    lines = ["a0: &a0 {x: 1}"] + [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 40)]
    tree.file("x/bomb.md", "---\nimportance: 5\n" + "\n".join(lines) + "\n---\n# Bomb\n\nquokka\n")
    assert paths(tree.search("quokka", profile=READS_FRONTMATTER)) == ["x/bomb.md"]


def test_frontmatter_with_very_many_keys_is_ignored(tree: Tree) -> None:
    keys = "\n".join(f"key{n}: 1" for n in range(1_900))
    tree.file("x/keys.md", f"---\nimportance: 5\n{keys}\n---\n# Keys\n\nquokka\n")
    assert paths(tree.search("quokka", profile=READS_FRONTMATTER)) == ["x/keys.md"]


def test_pipe_is_not_read(tree: Tree) -> None:
    tree.note("x/good.md", "Quokka", "quokka")
    os.mkfifo(tree.tree / "x" / "pipe.md")
    os.mkfifo(tree.tree / "_manifest.json")
    assert paths(tree.search("quokka")) == ["x/good.md"]
    assert ("x/pipe.md", "not a regular file") in [(file.path, file.reason) for file in tree.snapshot().unseen]


def test_folder_a_thousand_levels_deep_is_reported(tree: Tree) -> None:
    start = Path.cwd()
    os.chdir(tree.tree)
    try:
        for _ in range(1_200):
            os.mkdir("d")
            os.chdir("d")
        Path("n.md").write_text("# Quokka\n\nquokka\n")
    finally:
        os.chdir(start)
    tree.note("x/good.md", "Quokka", "quokka")
    try:
        assert "x/good.md" in paths(tree.search("quokka"))
    finally:
        subprocess.run(["rm", "-rf", str(tree.tree / "d")], check=True)  # Python's own removal would recurse too deeply


def test_shared_source_with_an_overlong_root_is_skipped(tree: Tree) -> None:
    tree.note("x/good.md", "Quokka", "quokka")
    entry = {"alias": "lib", "projectRoot": "/" + "x" * 5_000, "readOnly": True, "addedAt": "2026-01-01T00:00:00Z"}
    tree.sources_file({"version": 1, "sources": [entry]})
    assert paths(tree.search("quokka")) == ["x/good.md"]


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_error_fits_on_one_line_and_names_its_file(number: int) -> None:
    line = faults.error_line(OSError(number, "what the system\nsays", "/somewhere/n.md"), "elsewhere")
    assert line.startswith("/somewhere/n.md: ")
    assert "; " in line


def test_error_names_the_most_specific_file() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert faults.error_line(full, Path("/data")) == "/data: the disk is full; free some space and try again"
    assert faults.error_line(full) == "input or output: the disk is full; free some space and try again"
    assert faults.error_line(OSError(errno.EIO, "x", b"/by/bytes")).startswith("/by/bytes: the disk is failing")
    assert faults.error_line(OSError("nothing is known")) == "input or output: nothing is known; fix that and try again"


def test_reason_is_the_system_message_or_the_error_type() -> None:
    assert faults.reason(OSError(errno.EACCES, "Permission denied", "n.md")) == "Permission denied"
    assert faults.reason(ValueError("no number")) == "no number"
    assert faults.reason(ValueError()) == "ValueError"


def test_only_one_module_formats_system_errors() -> None:
    found = [
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search(r"(?<!\bos)\.strerror\b", file.read_text(encoding="utf-8"))
    ]
    assert found == ["faults.py"]
