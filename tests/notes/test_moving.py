"""Moving notes and folders: links are updated in their own style, and no other byte changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.lab.backlinks import LinkReader
from brvtui.notes.moving import relinked
from brvtui.notes.operations import Notes
from brvtui.notes.plan import Move, MoveFolder, NoteError, Plan, Write, path_after
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.links import LinkState, Names, links_in
from brvtui.tree.reading.signals import Source, defaults
from tests.notes.conftest import Files, files_of
from tests.support.examples import examples
from tests.support.trees import BRV3, Tree, stored

OVERLAY = stored(importance=77, source=Source.OVERLAY)


def lines_of(plan: Plan) -> list[tuple[str, int, str, str]]:
    """The changed lines: the note's path before the move, the line's number, and the line before and after."""
    lines = []
    for step in plan.steps:
        if isinstance(step, Write) and step.before and step.after:
            path = path_after(step.path, plan.reverse().steps)
            texts = (held.data.decode("utf-8", "surrogateescape").split("\n") for held in (step.before, step.after))
            pairs = enumerate(zip(*texts, strict=True), start=1)
            lines += [(path, number, old.rstrip("\r"), new.rstrip("\r")) for number, (old, new) in pairs if old != new]
    return lines


def after(tree: Tree, path: str, target: str) -> Plan:
    """Moves the note at ``path``, and returns the applied plan."""
    notes = tree.session().notes
    plan = notes.plan_move(path, target)
    notes.apply(plan)
    return plan


def text(tree: Tree, path: str) -> str:
    return (tree.tree / path).read_bytes().decode()


@pytest.fixture
def yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", "# North\n", days=5)
    tree.file("yard/gates/south.md", "# South\n", days=6)
    return tree


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("see @yard/gates/north.md.", "see @yard/doors/back_door.md."),
        ("@yard/gates/north", "@yard/doors/back_door"),
        ("@Yard/Gates/North.md", "@yard/doors/back_door.md"),
        ("[n](../gates/north.md)", "[n](../doors/back_door.md)"),
        ("[n](../gates/north)", "[n](../doors/back_door)"),
        ("[n](<../gates/north.md#part> 'title')", "[n](<../doors/back_door.md#part> 'title')"),
        ("[n](yard/gates/north.md?raw)", "[n](yard/doors/back_door.md?raw)"),
        ("[n](./../gates/north.md)", "[n](../doors/back_door.md)"),
        ("[ref]: ../gates/north.md", "[ref]: ../doors/back_door.md"),
        ("@yard/gates/north.md [n](../gates/north.md)", "@yard/doors/back_door.md [n](../doors/back_door.md)"),
        ("`[n](../gates/north.md)`", None),
        ("@yard/gates/south.md [s](../gates/south.md)", None),
        ("@yard/gates/gone.md", None),
    ],
)
def test_links_in_text_follow_a_move(yard: Tree, written: str, expected: str | None) -> None:
    before = f"# Rounds\r\n\r\n{written}\r\nend é\n"
    yard.file("yard/night/rounds.md", before)
    plan = after(yard, "yard/gates/north.md", "yard/doors/back_door.md")
    assert text(yard, "yard/night/rounds.md") == before.replace(written, expected or written)
    assert lines_of(plan) == ([("yard/night/rounds.md", 3, written, expected)] if expected else [])
    assert plan.notices == ()


@pytest.mark.parametrize(
    ("related", "expected"),
    [
        ("[yard/gates/north.md]", "[yard/doors/back_door.md]"),
        ("[a/b/c.md, '@yard/gates/north.md' ,x]", "[a/b/c.md, '@yard/doors/back_door.md' ,x]"),
        ('["yard/gates/north"]', '["yard/doors/back_door"]'),
        ("yard/gates/north.md # why", "yard/doors/back_door.md # why"),
        (
            "\n  - yard/gates/north.md # why\n  - 'Yard/Gates/North'",
            "\n  - yard/doors/back_door.md # why\n  - 'yard/doors/back_door'",
        ),
    ],
)
def test_related_entries_follow_a_move(yard: Tree, related: str, expected: str) -> None:
    before = f"---\ntitle:   T  # kept\nrelated: {related}\n---\n# T\n"
    yard.file("yard/night/rounds.md", before)
    after(yard, "yard/gates/north.md", "yard/doors/back_door.md")
    assert text(yard, "yard/night/rounds.md") == before.replace(related, expected)


@pytest.mark.parametrize(
    ("target", "in_flow", "in_block", "markdown"),
    [
        ("a/b c, d.md", "'a/b c, d.md'", "a/b c, d.md", "../../a/b%20c,%20d.md"),
        ("a/it's: x.md", "'a/it''s: x.md'", "'a/it''s: x.md'", "../../a/it%27s:%20x.md"),
        ("@a/b.md", "'@a/b.md'", "'@a/b.md'", "../../@a/b.md"),
        ("日本/ノート.md", "日本/ノート.md", "日本/ノート.md", "../../日本/ノート.md"),
        ("a/100% (new)#1.md", "a/100% (new)#1.md", "a/100% (new)#1.md", "../../a/100%25%20%28new%29%231.md"),
    ],
)
def test_names_with_special_characters_are_quoted_in_links(
    yard: Tree, target: str, in_flow: str, in_block: str, markdown: str
) -> None:
    front = "---\nrelated: [yard/gates/north.md, x]\n---\n[n](../gates/north.md)\n"
    yard.file("yard/night/flow.md", front)
    yard.file("yard/night/block.md", "---\nrelated:\n  - yard/gates/north.md\n---\n")
    after(yard, "yard/gates/north.md", target)
    assert text(yard, "yard/night/flow.md") == f"---\nrelated: [{in_flow}, x]\n---\n[n]({markdown})\n"
    assert text(yard, "yard/night/block.md") == f"---\nrelated:\n  - {in_block}\n---\n"
    index = LinkReader().index(yard.snapshot())
    assert len(index.backlinks(target)) == 3


@pytest.mark.parametrize("target", ["doors/back.md", "a/b/back door.md", "a/b/café.md", "a/b/c/d/e.md"])
def test_relation_that_cannot_express_the_new_path_is_reported(yard: Tree, target: str) -> None:
    yard.file("yard/night/rounds.md", "# R\n\n@yard/gates/north.md\n")
    plan = after(yard, "yard/gates/north.md", target)
    assert text(yard, "yard/night/rounds.md") == "# R\n\n@yard/gates/north.md\n"
    said = "is not updated, because such a link cannot point to"
    assert plan.notices == (f"yard/night/rounds.md, line 3: @yard/gates/north.md {said} {target}",)


def test_normalised_relation_follows_a_move_to_a_capitalised_name(yard: Tree) -> None:
    yard.file("yard/night/rounds.md", "@YARD/gates/north.md @yard/gates/north.md\n")
    after(yard, "yard/gates/north.md", "yard/Doors/Back.md")
    assert text(yard, "yard/night/rounds.md") == "@yard/doors/back.md @yard/Doors/Back.md\n"


def test_links_in_the_moved_note_are_adjusted(yard: Tree) -> None:
    yard.file("yard/gates/img/plan.png", b"png")
    own = "[s](south.md) ![p](img/plan.png) [me](north.md) @yard/gates/south.md [x](gone.md) [d](src/a.py)\n"
    yard.file("yard/gates/north.md", own, days=5)
    plan = after(yard, "yard/gates/north.md", "north.md")
    expected = (
        "[s](yard/gates/south.md) ![p](yard/gates/img/plan.png) [me](north.md) @yard/gates/south.md [x](gone.md) "
        "[d](src/a.py)\n"
    )
    assert text(yard, "north.md") == expected
    assert lines_of(plan) == [("yard/gates/north.md", 1, own.rstrip("\n"), expected.rstrip("\n"))]


def test_move_keeps_invalid_utf8_bytes(yard: Tree) -> None:
    start = b"x" * 5_000 + b"\n"  # the engine decides by the first 4,096 bytes whether a file is binary
    yard.file("yard/night/rounds.md", start + b"\xe4\xff [n](../gates/north.md) \xc3\n")
    after(yard, "yard/gates/north.md", "yard/gates/n.md")
    assert (yard.tree / "yard/night/rounds.md").read_bytes() == start + b"\xe4\xff [n](../gates/n.md) \xc3\n"


def test_folder_moves_with_its_contents(yard: Tree, files: Callable[[], Files]) -> None:
    yard.file("yard/gates/south.md", "[n](north.md) @yard/gates/north.md [r](../night/rounds.md) [f](.)\n", days=6)
    yard.file("yard/gates/inner/deep.md", "[s](../south.md)\n")
    yard.file("yard/gates/plan.png", b"png")
    yard.file("yard/gates/_index.md", "---\ntype: summary\n---\n[n](north.md)\n")
    yard.file("yard/night/rounds.md", "[n](../gates/north.md) [f](../gates) @yard/gates/inner/deep.md\n")
    before = files()
    notes = yard.session().notes
    plan = notes.plan_move("yard/gates", "doors")
    notes.apply(plan)
    assert isinstance(plan.steps[0], MoveFolder)
    assert set(files()) == {path.replace("yard/gates/", "doors/") for path in before}
    assert text(yard, "doors/south.md") == "[n](north.md) @yard/gates/north.md [r](../yard/night/rounds.md) [f](.)\n"
    assert text(yard, "doors/inner/deep.md") == "[s](../south.md)\n"
    assert text(yard, "yard/night/rounds.md") == "[n](../../doors/north.md) [f](../../doors) @doors/inner/deep.md\n"
    assert [line.partition(":")[0] for line in plan.notices] == ["yard/gates/south.md, line 1"]
    notes.undo()
    assert files() == before


def test_derived_files_move_with_their_note(yard: Tree, files: Callable[[], Files]) -> None:
    for end in ("abstract", "overview"):
        yard.file(f"yard/gates/north.{end}.md", "short")
    before = files()
    plan = after(yard, "yard/gates/north.md", "yard/gates/n.md")
    assert [step.target for step in plan.steps if isinstance(step, Move)] == [
        "yard/gates/n.md",
        "yard/gates/n.abstract.md",
        "yard/gates/n.overview.md",
    ]
    assert files()["yard/gates/n.md"] == before["yard/gates/north.md"]


@pytest.mark.parametrize("keep", [True, False])
def test_changed_links_keep_file_times_on_request(yard: Tree, files: Callable[[], Files], keep: bool) -> None:
    yard.file("yard/night/rounds.md", "@yard/gates/north.md\n", days=9)
    before = files()
    notes = yard.session().notes
    notes.apply(notes.plan_move("yard/gates/north.md", "yard/gates/n.md", keep_mtimes=keep))
    assert (files()["yard/night/rounds.md"][1] == before["yard/night/rounds.md"][1]) is keep
    assert files()["yard/gates/n.md"] == before["yard/gates/north.md"]
    notes.undo()
    assert files() == before


@pytest.mark.parametrize(
    ("path", "target", "message"),
    [
        ("yard/gates/gone.md", "x/y.md", "no such note or folder"),
        (
            "yard/.hidden.md",
            "yard/hidden.md",
            "the engine does not see it, and links to it would not be updated: rename",
        ),
        ("yard/gates/north.md", "yard/gates/south.md", "already exists"),
        ("yard/gates/north.md", "yard/gates/north.md", "already exists"),
        ("yard/gates/north.md", "yard/gates/north", r"must end in \.md"),
        ("yard/gates/north.md", "../north.md", "points outside the tree"),
        ("yard/gates/north.md", "/north.md", "points outside the tree"),
        ("yard/gates/north.md", ".yard/north.md", "begins with a dot"),
        ("yard/gates/north.md", "yard//north.md", "not the path of a note"),
        ("yard/gates/north.md", "yard/_index.md", "is the name of a file that is generated from notes"),
        ("yard/gates/north.md", "yard/n.abstract.md", "is the name of a file that is generated from notes"),
        ("yard/gates/north.md", "_archived/n.md", "restore the note first"),
        ("yard/gates/north.md", "context.md", "all of the engine's searches fail"),
        ("yard/gates/north.md", "yard\\north.md", "the engine reads"),
        ("_archived/yard/a.stub.md", "yard/a.md", "restore the note first"),
        ("yard/_index.md", "yard/a.md", "is the name of a file that is generated from notes"),
        ("yard", "yard/gates/yard", "is the folder yard or a place inside it"),
        ("yard", "yard", "is the folder yard or a place inside it"),
        ("yard/gates", "yard/night", "already exists"),
        ("yard", "_archived/x", "restore the note first"),
        ("_archived", "old", "restore the note first"),
        ("yard", "../yard", "points outside the tree"),
    ],
)
def test_invalid_moves_are_refused(
    yard: Tree, files: Callable[[], Files], path: str, target: str, message: str
) -> None:
    yard.file("yard/_index.md", "x")
    yard.file("yard/.hidden.md", "x")
    yard.file("yard/night/rounds.md", "x")
    yard.file("_archived/yard/a.stub.md", "x")
    before = files()
    with pytest.raises(NoteError, match=message):
        yard.session().notes.plan_move(path, target)
    assert files() == before


def test_move_to_a_path_with_a_derived_file_is_refused(yard: Tree) -> None:
    yard.file("yard/gates/north.abstract.md", "short")
    yard.file("yard/gates/n.abstract.md", "other")
    with pytest.raises(NoteError, match=r"yard/gates/n\.abstract\.md: already exists"):
        yard.session().notes.plan_move("yard/gates/north.md", "yard/gates/n.md")


def test_sidecar_signals_are_kept_and_reported(yard: Tree) -> None:
    kept = yard.sidecar_file("yard/gates/north.md", {"importance": 72.5, "maturity": "core"})
    plan = after(yard, "yard/gates/north.md", "yard/gates/n.md")
    said = (
        "becomes a new note for ByteRover, whose own store has its signals under the old name (importance 72.5, core)"
    )
    assert plan.notices == (f"yard/gates/north.md: {said}",)
    assert kept.exists()
    yard.sidecar_file("yard/gates/n.md", {"importance": 10})
    yard.sidecar_file("yard/gates/south.md", {"importance": 10})
    plan = yard.session().notes.plan_move("yard/gates", "doors")
    assert plan.notices == ("2 notes become new for ByteRover, whose own store has their signals under the old names",)


def test_signals_file_entry_at_the_old_path_is_reported(yard: Tree, tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text('{"yard/gates/north.md": {"importance": 40}, "yard/gates/south.md": {"importance": 41}}')
    notes = yard.session(signals_file=given).notes
    assert notes.plan_move("yard/gates/north.md", "yard/gates/n.md").notices == (
        "yard/gates/north.md: the signals file still has the old path; change it there, or its signals are lost",
    )
    assert notes.plan_move("yard/gates", "doors").notices[0].startswith("2 notes: the signals file still has")


def test_overlay_signals_move_with_the_note(yard: Tree) -> None:
    overlay = Overlay(yard.tree)
    overlay.write({"yard/gates/north.md": OVERLAY, "yard/gates/n.md": stored(source=Source.OVERLAY)})
    notes = yard.session().notes
    notes.apply(notes.plan_move("yard/gates/north.md", "yard/gates/n.md"))
    assert overlay.read(defaults(BRV3.signals)) == {"yard/gates/n.md": OVERLAY}
    notes.undo()
    assert len(overlay.read(defaults(BRV3.signals))) == 2


def test_stub_for_the_old_path_is_kept_and_reported(yard: Tree) -> None:
    yard.file("_archived/yard/gates/north.stub.md", "see @yard/gates/north.md")
    plan = after(yard, "yard/gates/north.md", "yard/gates/n.md")
    assert plan.notices == ("_archived/yard/gates/north.stub.md: will return to its old path when restored",)
    assert text(yard, "_archived/yard/gates/north.stub.md") == "see @yard/gates/north.md"
    for number in range(4):
        yard.file(f"_archived/yard/gates/{number}.stub.md", "x")
    plan = yard.session().notes.plan_move("yard/gates", "doors")
    assert plan.notices == ("5 archived notes below _archived/yard/gates will return to their old paths when restored",)


def test_move_to_a_name_with_a_colon_warns_about_signals(yard: Tree) -> None:
    plan = yard.session().notes.plan_move("yard/gates/north.md", "yard/gates/n:1.md")
    assert plan.notices == (
        "yard/gates/n:1.md: because of the : in this name, ByteRover 3.14 ignores the stored signals of all notes",
    )


def test_move_does_not_change_shared_notes(yard: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.file("a/b.md", "@yard/gates/north.md\n")
    yard.source(("lib", other))
    assert lines_of(after(yard, "yard/gates/north.md", "yard/gates/n.md")) == []
    with pytest.raises(NoteError, match="no such note"):
        yard.session().notes.plan_move("[lib]:a/b.md", "a/c.md")


def test_move_is_refused_if_a_linking_note_changed(yard: Tree, files: Callable[[], Files]) -> None:
    yard.file("yard/night/rounds.md", "@yard/gates/north.md\n")
    notes = yard.session().notes
    plan = notes.plan_move("yard/gates/north.md", "yard/gates/n.md")
    yard.file("yard/night/rounds.md", "somebody else's @yard/gates/north.md\n")
    before = files()
    with pytest.raises(NoteError, match=r"yard/night/rounds\.md: the file has changed"):
        notes.apply(plan)
    assert files() == before


def test_newly_written_link_follows_a_move(yard: Tree) -> None:
    session = yard.session()
    yard.file("yard/night/rounds.md", "@yard/gates/north.md\n")
    plan = session.notes.plan_move("yard/gates/north.md", "yard/gates/n.md")
    assert lines_of(plan) == [("yard/night/rounds.md", 1, "@yard/gates/north.md", "@yard/gates/n.md")]


PARTS = st.sampled_from(["a", "b", "note", "My Note", "x-y", "é", "it's", "n(1)", "100%", "[z]", "c#", "日本"])
PATHS = st.lists(PARTS, min_size=1, max_size=4).map(lambda parts: f"{'/'.join(parts)}.md")


@given(st.lists(PATHS, min_size=3, max_size=6, unique=True), PATHS, st.data())
@examples(50)
def test_every_link_keeps_its_target_after_a_move(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], target: str, data: st.DataObject
) -> None:
    tree = Tree(tmp_path_factory.mktemp("tree") / "p")
    for path in paths:
        linked = data.draw(st.lists(st.sampled_from(paths), max_size=3))
        below = os.path.dirname(path)
        entries = ", ".join(f'"{other}"' for other in linked)
        links = " ".join(
            f"[t](<{os.path.relpath(other, below or '.').replace('%', '%25').replace('#', '%23')}>)" for other in linked
        )
        relations = " ".join(f"@{other}" for other in linked)
        tree.file(path, f"---\nrelated: [{entries}]\n---\n{links}\n{relations}\n", days=3)
    moving = data.draw(st.sampled_from(paths))
    before = files_of(tree.tree)
    notes: Notes = tree.session().notes
    leads = {path: [(found.state, found.path) for found in notes.links().links_of(path)] for path in paths}
    if (tree.tree / target).exists():
        with pytest.raises(NoteError, match="already exists"):
            notes.plan_move(moving, target)
        return
    plan = notes.plan_move(moving, target)
    notes.apply(plan)
    moved = {path: target if path == moving else path for path in paths}
    left = len([notice for notice in plan.notices if "such a link cannot name" in notice])
    lost = 0
    for path in paths:
        now = [(found.state, found.path) for found in notes.links().links_of(moved[path])]
        wanted = [(state, moved.get(name, name)) for state, name in leads[path]]
        lost += sum(one != other for one, other in zip(now, wanted, strict=True) if other[0] is LinkState.NOTE)
    assert lost <= left
    assert all(step.path != moving or not isinstance(step, Write) for step in plan.steps)
    notes.undo()
    assert files_of(tree.tree) == before


CANONICAL = st.sampled_from(["a/b/n.md", "a/c/n.md", "a/b/m.md", "a/b/d/n.md"])


@given(CANONICAL, CANONICAL)
def test_moving_back_restores_every_byte(tmp_path_factory: pytest.TempPathFactory, path: str, target: str) -> None:
    tree = Tree(tmp_path_factory.mktemp("tree") / "p")
    tree.file(path, "# N\n[z](../z.md)\n".replace("../", "../" * (path.count("/") - 1)), days=4)
    tree.file("a/z.md", f"---\nrelated: [{path}, x]\n---\n@{path} [n]({path.removeprefix('a/')}) `@{path}`\n", days=5)
    before = files_of(tree.tree)
    if path == target:
        return
    after(tree, path, target)
    assert files_of(tree.tree) != before
    after(tree, target, path)
    assert files_of(tree.tree) == before


def test_ten_thousand_links_follow_a_move(tree: Tree) -> None:
    tree.note("a/b/hub.md", "Hub")
    for number in range(500):
        tree.file(f"a/c/n{number:03d}.md", "@a/b/hub.md\n" * 20)
    plan = tree.session().notes.plan_move("a/b/hub.md", "a/b/center.md")
    assert len(lines_of(plan)) == 10_000


def test_failed_folder_move_is_undone(yard: Tree, monkeypatch: pytest.MonkeyPatch, files: Callable[[], Files]) -> None:
    yard.file("yard/night/rounds.md", "@yard/gates/north.md\n")
    before = files()
    notes = yard.session().notes
    plan = notes.plan_move("yard/gates", "yard/doors")

    def place(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("brvtui.tree.saving.folders.rename_to_free", place)
    with pytest.raises(NoteError, match="Invalid cross-device link"):
        notes.apply(plan)
    assert files() == before
    assert not Path(yard.tree / "yard/doors").exists()


NAMES = Names(
    ["a/b/n.md", "a/b/other.md", "x/y z.md", "x/q/w.md", "A/B/N m.md", "top.md", "it's/b/c.md", "tab\there/a/b.md"]
)


@pytest.mark.parametrize(
    ("text", "target", "result"),
    [
        ("@a/b/n.md", "x/q/w.md", "@x/q/w.md"),
        ("@a/b/n", "x/q/w.md", "@x/q/w"),
        ("@a/b/n.md", "x/y z.md", None),
        ("@a/b/n.md", "top.md", None),
        ("@A/B/n.md", "A/B/N m.md", "@a/b/n_m.md"),
        ("[t](n.md)", "a/b/other.md", "other.md"),
        ("[t](./n.md)", "a/b/other.md", "./other.md"),
        ("[t](./n.md)", "top.md", "../../top.md"),
        ("[t](n)", "x/y z.md", "../../x/y%20z"),
        ("[t](<n.md>)", "x/y z.md", "../../x/y z.md"),
        ("[t](a/b/n.md)", "x/q/w.md", "x/q/w.md"),
        ("---\nrelated: [a/b/n.md]\n---\n", "x/y z.md", "x/y z.md"),
        ("---\nrelated: ['a/b/n.md']\n---\n", "x/y z.md", "'x/y z.md'"),
        ("---\nrelated: ['@a/b/n']\n---\n", "it's/b/c.md", "'@it''s/b/c'"),
        ('---\nrelated: ["a/b/n.md"]\n---\n', "tab\there/a/b.md", '"tab\\there/a/b.md"'),
        ("---\nrelated: ['a/b/n.md']\n---\n", "tab\there/a/b.md", '"tab\\there/a/b.md"'),
        ("---\nrelated: [a/b/n.md]\n---\n", "gone/a/b.md", None),
    ],
)
def test_link_is_rewritten_for_the_new_target(text: str, target: str, result: str | None) -> None:
    (link,) = links_in(text)
    found = NAMES.resolve(link, "a/b/source.md")
    assert found.path in ("a/b/n.md", "A/B/N m.md")
    assert relinked(text, found, "a/b/source.md", target, NAMES) == result
