"""The tools that a model may call: their results, and their refusals of invalid calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.byterover.completion.note_tools import TOOLS, NoteTools, Result
from brvtui.engines.byterover.profile import Context, Profile
from tests.support.trees import BRV3, NOW_MS, Tree, changed

STUB = "---\ntype: archive_stub\noriginal_path: a/old.md\npoints_to: {full}\n---\nold cue"


@pytest.fixture
def filled(tree: Tree) -> Tree:
    tree.file("auth/n.md", "---\nrelated: [auth/jwt/m.md, a/none.md]\n---\n# N\n\nsee @auth/jwt/m and @../../etc/x/y")
    tree.note("auth/jwt/m.md", "M", "quokka text")
    tree.file("auth/context.md", "what auth is")
    tree.summary("auth/jwt", "what jwt is")
    tree.file("_archived/a/old.stub.md", STUB.format(full="_archived/a/old.full.md"))
    tree.file("_archived/a/old.full.md", "the whole old note")
    return tree


def ask(tree: Tree, name: str, arguments: Any, profile: Profile = BRV3) -> tuple[Result, dict[str, Any]]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    result = NoteTools(Context(tree.snapshot(profile), profile, NOW_MS)).call(name, given)
    value: dict[str, Any] = json.loads(result.text)
    return result, value


def test_search_tool_returns_matching_notes(filled: Tree) -> None:
    _, value = ask(filled, "search", {"query": "quokka", "limit": 3})
    assert [(one["path"], one["title"]) for one in value["results"]] == [("auth/jwt/m.md", "M")]
    assert value["totalFound"] == 1
    _, value = ask(filled, "search", {"query": "text", "scope": "auth/jwt/"})
    assert [one["path"] for one in value["results"]] == ["auth/jwt/m.md"]


def test_null_argument_counts_as_missing(filled: Tree) -> None:
    given = {"query": "quokka", "scope": None, "limit": None}
    assert ask(filled, "search", given)[1] == ask(filled, "search", {"query": "quokka"})[1]


@pytest.mark.parametrize("limit", [0, -1, True, "3", 1.5])
def test_invalid_limit_is_refused(filled: Tree, limit: Any) -> None:
    assert (
        ask(filled, "search", {"query": "x", "limit": limit})[0].refused == "limit must be a whole number of 1 or more"
    )


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("search", {"query": "a" * 501}, "the query is longer than 500 characters"),
        ("read_note", {"path": "a" * 4096}, "the arguments are longer than 4096 characters"),
        ("search", {"query": "a", "scope": "nowhere"}, "there is no folder nowhere to search in"),
        ("search", {"query": "a", "scope": "../.."}, "there is no folder ../.. to search in"),
        ("search", {"query": json.loads("[" * 900 + "]" * 900)}, "the arguments are not a JSON object"),
    ],
)
def test_oversized_arguments_are_refused(filled: Tree, name: str, arguments: Any, why: str) -> None:
    assert ask(filled, name, arguments)[0].refused.startswith(why)


def test_read_note_returns_title_and_text(filled: Tree) -> None:
    for name in ("auth/jwt/m.md", ".brv/context-tree/auth/jwt/m.md", "./auth/jwt/m.md", " auth/jwt/m.md "):
        result, value = ask(filled, "read_note", {"path": name})
        assert (result.read, value["title"], value["text"]) == (("auth/jwt/m.md",), "M", "# M\n\nquokka text\n")


def test_read_note_returns_a_folders_summary(filled: Tree) -> None:
    assert ask(filled, "read_note", {"path": "auth"})[0].read == ("auth/context.md",)
    assert ask(filled, "read_note", {"path": "auth/jwt"})[0].read == ("auth/jwt/_index.md",)


def test_long_note_is_cut(filled: Tree) -> None:
    small = changed(BRV3, agent={"note_chars": 5})
    _, value = ask(filled, "read_note", {"path": "auth/jwt/m.md"}, small)
    assert (value["text"], value["cutAfter"], value["of"]) == ("# M\n\n", 5, 17)


def test_list_folder_returns_folders_and_notes(filled: Tree) -> None:
    _, value = ask(filled, "list_folder", {"path": "auth"})
    assert [(one["kind"], one["path"]) for one in value["entries"]] == [("folder", "auth/jwt"), ("note", "auth/n.md")]
    _, value = ask(filled, "list_folder", {})
    assert "auth" in [one["path"] for one in value["entries"]]
    _, value = ask(filled, "list_folder", {"path": "auth"}, changed(BRV3, agent={"most_listed": 1}))
    assert (len(value["entries"]), value["leftOut"]) == (1, 1)
    assert ask(filled, "list_folder", {"path": "auth/n.md"})[0].refused
    assert ask(filled, "list_folder", {"path": "nowhere"})[0].refused


def test_follow_relations_returns_linked_notes(filled: Tree) -> None:
    result, value = ask(filled, "follow_relations", {"path": "auth/n.md"})
    assert {"path": "auth/jwt/m.md", "title": "M", "as": "relation"} in value["relations"]
    assert {"path": "a/none.md", "title": "", "as": "broken"} in value["relations"]
    assert result.read == (), "a link is no text"


def test_expand_stub_returns_the_archived_note(filled: Tree) -> None:
    result, value = ask(filled, "expand_stub", {"path": "_archived/a/old.stub.md"})
    assert (value["text"], result.read) == ("the whole old note", ("_archived/a/old.full.md",))
    assert "no stub" in ask(filled, "expand_stub", {"path": "auth/n.md"})[0].refused


@pytest.mark.parametrize("full", ["../../secret.md", "/etc/passwd", "_archived/../../secret.md", "auth/n.md"])
def test_stub_cannot_point_outside_the_tree(filled: Tree, full: str) -> None:
    (filled.root / "secret.md").write_text("secret")
    filled.file("_archived/a/bad.stub.md", STUB.format(full=full))
    result, value = ask(filled, "expand_stub", {"path": "_archived/a/bad.stub.md"})
    assert "no stub" in result.refused
    assert list(value) == ["error"]


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd", "/etc/passwd", "auth/../../../etc/passwd", "..", "../secret.md", ".git/config", "a\0b.md",
        "auth//n.md", "[other]:../x.md", "~/x.md", "auth/none.md", ".brv/context-tree/../secret.md",
    ],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["read_note", "list_folder", "follow_relations", "expand_stub"])
def test_no_tool_leads_out_of_the_tree(filled: Tree, tool: str, path: str) -> None:
    (filled.root / "secret.md").write_text("secret")
    (filled.root / ".brv" / "secret.md").write_text("secret")
    result, value = ask(filled, tool, {"path": path})
    assert result.refused
    assert result.read == ()
    assert list(value) == ["error"]


def test_newly_created_symlink_is_not_followed(filled: Tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "jwt").mkdir(parents=True)
    (outside / "jwt" / "m.md").write_text("secret")
    tools = NoteTools(Context(filled.snapshot(), BRV3, NOW_MS))
    note = filled.tree / "auth" / "jwt" / "m.md"
    note.unlink()
    note.symlink_to(outside / "jwt" / "m.md")
    assert "points outside the tree" in tools.call("read_note", '{"path": "auth/jwt/m.md"}').refused
    note.unlink()
    (filled.tree / "auth" / "jwt").rename(tmp_path / "jwt")
    (filled.tree / "auth" / "jwt").symlink_to(outside / "jwt")
    assert "secret" not in tools.call("read_note", '{"path": "auth/jwt/m.md"}').text


def test_removed_or_binary_note_is_reported(filled: Tree) -> None:
    tools = NoteTools(Context(filled.snapshot(), BRV3, NOW_MS))
    filled.file("auth/n.md", b"\0")
    assert "NUL" in tools.call("read_note", '{"path": "auth/n.md"}').refused
    (filled.tree / "auth" / "n.md").unlink()
    assert "cannot be read" in tools.call("read_note", '{"path": "auth/n.md"}').refused


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        "3",
        "null",
        '{"path": }',
        "[" * 100_000,
        r'{"path": "\ud800"}',
        r'{"\ud800": 1}',
        '{"a": [NaN, 1e400]}',
    ],
)
def test_arguments_that_are_not_an_object_are_refused(filled: Tree, arguments: str) -> None:
    assert "not a JSON object" in ask(filled, "read_note", arguments)[0].refused


@pytest.mark.parametrize("arguments", [{}, {"path": 3}, {"path": ""}, {"path": None}])
def test_invalid_path_is_refused(filled: Tree, arguments: Any) -> None:
    assert ask(filled, "read_note", arguments)[0].refused == "path must be a text"


def test_unknown_tool_is_refused(filled: Tree) -> None:
    assert "there is no tool 'shell'" in ask(filled, "shell", {})[0].refused


def test_misspelt_note_gets_a_suggestion(filled: Tree) -> None:
    assert "did you mean auth/jwt/m.md?" in ask(filled, "read_note", {"path": "auth/jwt/n.md"})[0].refused


def test_every_tool_is_described() -> None:
    for tool in TOOLS:
        assert tool.description
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])


def test_read_note_reads_notes_from_a_shared_source(filled: Tree, tmp_path: Path) -> None:
    other = Tree(tmp_path / "other")
    other.note("a/b.md", "B", "from elsewhere, see @a/c/d.md")
    other.note("a/c/d.md", "D", "d")
    filled.source(("shared", other))
    _, value = ask(filled, "read_note", {"path": "[shared]:a/b.md"})
    assert "from elsewhere" in value["text"]
    _, value = ask(filled, "follow_relations", {"path": "[shared]:a/b.md"})
    assert value["relations"] == [{"path": "[shared]:a/c/d.md", "title": "D", "as": "relation"}]
