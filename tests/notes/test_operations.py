"""Operations of a session on notes: changes, undo, and stored signals."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment, JudgmentsError
from brvtui.notes.plan import FileContent, NoteError, Plan, Write
from brvtui.notes.signals import SignalTarget
from brvtui.store.overlay import Overlay
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, read_note_file
from tests.notes.conftest import Files, files_of
from tests.support.examples import examples
from tests.support.threads import failures_in_threads
from tests.support.trees import BRV3, Tree, stored


@pytest.fixture
def yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", "# North gate\n\nopens at six, to the south @yard/gates/south.md\n", days=5)
    tree.file("yard/gates/south.md", "# South gate\n\nopens at seven\n", days=6)
    tree.notes(10)
    return tree


def test_links_and_backlinks_of_a_note_are_listed(yard: Tree) -> None:
    notes = yard.session().notes
    assert [found.path for found in notes.links().links_of("yard/gates/north.md")] == ["yard/gates/south.md"]
    assert [found.source for found in notes.links().backlinks("yard/gates/south.md")] == ["yard/gates/north.md"]


def test_undo_drops_a_change_to_a_removed_note(yard: Tree) -> None:
    notes = yard.session().notes
    notes.apply(notes.plan_signals("yard/gates/south.md", stored(importance=70), SignalTarget.FRONTMATTER))
    notes.apply(notes.plan_signals("yard/gates/north.md", stored(importance=70), SignalTarget.FRONTMATTER))
    (yard.tree / "yard/gates/north.md").unlink()
    with pytest.raises(NoteError) as result:
        notes.undo()
    assert str(result.value) == (
        "yard/gates/north.md: there is no such file: signals of yard/gates/north.md can no longer be undone; "
        "the next undo is the change before it"
    )
    notes.undo()
    assert notes.journal.done == ()


def test_backlinks_come_from_the_newest_snapshot(yard: Tree) -> None:
    session = yard.session()
    assert len(session.notes.links().backlinks("yard/gates/south.md")) == 1
    yard.file("yard/gates/east.md", "@yard/gates/south.md")
    session.load()
    assert len(session.notes.links().backlinks("yard/gates/south.md")) == 2


def test_changes_can_be_searched_immediately(yard: Tree) -> None:
    session = yard.session()
    notes = session.notes
    done = notes.apply(notes.plan_move("yard/gates/south.md", "yard/gates/sunny.md"))
    assert (done.title, done.notices) == ("move yard/gates/south.md to yard/gates/sunny.md", ())
    assert "yard/gates/sunny.md" in session.snapshot.by_path
    notes.apply(notes.plan_archive("yard/gates/sunny.md"))
    assert "_archived/yard/gates/sunny.stub.md" in session.snapshot.by_path
    assert notes.journal.done == ("move yard/gates/south.md to yard/gates/sunny.md", "archive yard/gates/sunny.md")


def test_judgments_follow_moves_undo_and_redo(yard: Tree) -> None:
    notes, file = yard.session().notes, JudgmentsFile.of(find_project(yard.root))
    file.change(lambda _: (Judgment("q", "south", documents=(JudgedDocument("yard/gates/south.md", 3),)),))

    def judged() -> list[str]:
        return [document.path for judgment in file.read() for document in judgment.documents]

    notes.apply(notes.plan_move("yard/gates/south.md", "yard/sunny.md"))
    assert judged() == ["yard/sunny.md"]
    notes.apply(notes.plan_move("yard", "court"))
    assert judged() == ["court/sunny.md"]
    notes.undo()
    assert judged() == ["yard/sunny.md"]
    notes.redo()
    assert judged() == ["court/sunny.md"]


def test_move_with_a_broken_judgments_file_is_reported(yard: Tree) -> None:
    notes, file = yard.session().notes, JudgmentsFile.of(find_project(yard.root))
    file.path.parent.mkdir(parents=True)
    file.path.write_text("[[query]\n")
    with pytest.raises(JudgmentsError) as broken:
        file.read()
    done = notes.apply(notes.plan_move("yard/gates/south.md", "yard/gates/sunny.md"))
    assert done.notices == (f"judged queries still use its old path: {broken.value}",)


def test_changes_can_be_searched_immediately_while_watching(yard: Tree) -> None:
    session = yard.session()
    assert not session.watch(lambda: None).why
    try:
        session.load()
        session.notes.apply(session.notes.plan_move("yard", "court"))
        assert {path for path in session.snapshot.by_path if "gates" in path} == {
            "court/gates/north.md",
            "court/gates/south.md",
        }
        _, seen = read_note_file(yard.tree, "court/gates/south.md")
        session.notes.save("court/gates/south.md", b"# South\n\nzebra\n", seen)
        assert [hit.path for hit in session.preview("zebra").hits] == ["court/gates/south.md"]
        session.notes.undo()
        assert session.preview("zebra").hits == ()
        session.notes.undo()
        assert "yard/gates/north.md" in session.snapshot.by_path
    finally:
        session.close()


def test_all_changes_are_undone_in_order_and_redone(yard: Tree, files: Callable[[], Files]) -> None:
    session = yard.session()
    notes = session.notes
    states = [files()]

    def did() -> None:
        states.append(files())

    _, seen = read_note_file(yard.tree, "yard/gates/north.md")
    assert isinstance(notes.save("yard/gates/north.md", b"# North\n@yard/gates/south.md\n", seen), Saved)
    did()
    assert isinstance(notes.save("yard/new/east.md", b"# East\n", None), Saved)
    did()
    notes.apply(notes.plan_move("yard/gates/south.md", "yard/new/west.md"))
    did()
    notes.apply(notes.plan_archive("yard/new/east.md"))
    did()
    notes.apply(notes.plan_restore("_archived/yard/new/east.stub.md"))
    did()
    assert notes.journal.done == (
        "edit yard/gates/north.md",
        "new note yard/new/east.md",
        "move yard/gates/south.md to yard/new/west.md",
        "archive yard/new/east.md",
        "restore yard/new/east.md",
    )
    for number, state in enumerate(reversed(states[:-1]), start=1):
        undone = notes.undo()
        assert {path: data for path, (data, _) in files().items()} == {path: data for path, (data, _) in state.items()}
        assert undone.title in notes.journal.undone
        assert len(notes.journal.done) == 5 - number
    assert files() == states[0]
    assert session.snapshot.by_path.keys() >= {"yard/gates/south.md"}
    for state in states[1:]:
        notes.redo()
        assert {path: data for path, (data, _) in files().items()} == {path: data for path, (data, _) in state.items()}


def test_conflict_is_returned_and_not_journaled(yard: Tree) -> None:
    notes = yard.session().notes
    _, seen = read_note_file(yard.tree, "yard/gates/north.md")
    yard.file("yard/gates/north.md", "theirs")
    conflict = notes.save("yard/gates/north.md", b"mine", seen)
    assert isinstance(conflict, Conflict)
    assert conflict.theirs == b"theirs"
    assert isinstance(notes.save("yard/gates/north.md", b"mine", None), Conflict)
    assert notes.journal.done == ()
    assert isinstance(notes.save("yard/gates/north.md", b"mine", conflict.version), Saved)
    notes.undo()
    assert (yard.tree / "yard/gates/north.md").read_text() == "theirs"


def test_saving_a_removed_note_is_a_conflict(yard: Tree) -> None:
    notes = yard.session().notes
    _, seen = read_note_file(yard.tree, "yard/gates/north.md")
    (yard.tree / "yard/gates/north.md").unlink()
    assert notes.save("yard/gates/north.md", b"mine", seen) == Conflict(None, None)
    with pytest.raises(SaveError):
        notes.save("../out.md", b"mine", None)


def test_save_can_keep_the_modification_time(yard: Tree, files: Callable[[], Files]) -> None:
    notes = yard.session().notes
    before = files()
    _, seen = read_note_file(yard.tree, "yard/gates/north.md")
    notes.save("yard/gates/north.md", b"mine", seen, keep_mtime=True)
    assert files()["yard/gates/north.md"] == (b"mine", before["yard/gates/north.md"][1])
    notes.undo()
    assert files() == before
    notes.redo()
    assert files()["yard/gates/north.md"] == (b"mine", before["yard/gates/north.md"][1])


def test_undo_never_overwrites_a_change_by_another_program(yard: Tree, files: Callable[[], Files]) -> None:
    notes = yard.session().notes
    notes.apply(notes.plan_archive("yard/gates/north.md"))
    yard.file("yard/gates/north.md", "written again")
    before = files()
    with pytest.raises(NoteError, match=r"^yard/gates/north\.md: already exists"):
        notes.undo()
    assert files() == before
    assert notes.journal.done == ("archive yard/gates/north.md",)
    (yard.tree / "yard/gates/north.md").unlink()
    notes.undo()
    assert (yard.tree / "yard/gates/north.md").read_text().startswith("# North gate")


def test_refused_plan_is_not_journaled(yard: Tree) -> None:
    notes = yard.session().notes
    with pytest.raises(NoteError):
        notes.apply(Plan("odd", (Write("yard/gates/north.md", FileContent(b"other"), None),)))
    assert notes.journal.done == ()


def test_sidecar_is_never_written(yard: Tree) -> None:
    yard.sidecar_file("yard/gates/south.md", {"importance": 61, "maturity": "draft"})
    kept = {path: path.read_bytes() for path in yard.sidecar.rglob("*") if path.is_file()}
    notes = yard.session().notes
    notes.apply(notes.plan_move("yard/gates/south.md", "yard/gates/sunny.md"))
    notes.undo()
    notes.apply(notes.plan_archive("yard/gates/south.md"))
    notes.apply(notes.plan_restore("_archived/yard/gates/south.stub.md"))
    assert {path: path.read_bytes() for path in yard.sidecar.rglob("*") if path.is_file()} == kept


def test_concurrent_changes_from_threads_are_all_applied(yard: Tree) -> None:
    notes = yard.session().notes

    def work(number: int) -> None:
        for turn in range(5):
            assert isinstance(notes.save(f"yard/t{number}/n{turn}.md", b"# N\n", None), Saved)
            notes.links().backlinks("yard/gates/south.md")
        notes.undo()

    assert failures_in_threads(work) == []
    assert len(notes.journal.done) == 16
    assert len(list(Path(yard.tree / "yard").rglob("n[0-9].md"))) == 16


PLACES = ["a/n.md", "a/b/n.md", "a/b/m.md", "c/n.md", "n.md", "d/e/f.md"]
FOLDERS = ["a", "a/b", "c", "d", "x/y"]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("save"), st.sampled_from(PLACES), st.sampled_from(PLACES)),
            st.tuples(st.just("move"), st.sampled_from(PLACES), st.sampled_from(PLACES)),
            st.tuples(st.just("move"), st.sampled_from(FOLDERS), st.sampled_from(FOLDERS)),
            st.tuples(st.just("archive"), st.sampled_from(PLACES), st.just("")),
            st.tuples(st.just("restore"), st.sampled_from(PLACES), st.just("")),
            st.tuples(st.just("signals"), st.sampled_from(PLACES), st.sampled_from(list(SignalTarget))),
        ),
        max_size=8,
    )
)
@examples(60)
def test_every_change_can_be_undone_and_redone(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str, str]]
) -> None:
    tree = Tree(tmp_path_factory.mktemp("tree") / "p")
    tree.file("a/n.md", "# N\n\n[m](b/m.md) @a/b/m.md\n", days=3)
    tree.file("a/b/m.md", "---\nrelated: [a/n.md]\n---\n# M\n\n[n](../n.md)\n", days=4)
    notes = tree.session().notes
    before, recorded = files_of(tree.tree), tree_overlay(tree)
    for act, path, other in acts:
        with suppress(NoteError, SaveError):
            if act == "save":
                exists = (tree.tree / path).is_file()
                seen = read_note_file(tree.tree, path)[1] if exists else None
                notes.save(path, f"# S\n\n@{other} [o]({other})\n".encode(), seen)
            elif act == "move":
                notes.apply(notes.plan_move(path, other))
            elif act == "archive":
                notes.apply(notes.plan_archive(path))
            elif act == "restore":
                notes.apply(notes.plan_restore(archived_as(path).stub))
            else:
                notes.apply(notes.plan_signals(path, stored(importance=len(path)), SignalTarget(other)))
    after = {path: data for path, (data, _) in files_of(tree.tree).items()}
    done = len(notes.journal.done)
    for _ in range(done):
        notes.undo()
    assert (files_of(tree.tree), tree_overlay(tree)) == (before, recorded)
    assert sorted(path.name for path in tree.tree.iterdir()) == ["a"]
    for _ in range(done):
        notes.redo()
    assert {path: data for path, (data, _) in files_of(tree.tree).items()} == after


def tree_overlay(tree: Tree) -> dict[str, NoteSignals]:
    return Overlay(tree.tree).read(defaults(BRV3.signals))


BASE = defaults(BRV3.signals)
NEW = stored(importance=72.5, recency=0.5, maturity="validated", access_count=3, update_count=1)
NOTE = "---\r\ntitle:   North # kept\r\nimportance: 10\r\n---\r\n# North\r\n"


@pytest.fixture
def marked_yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", NOTE, days=5)
    tree.read_frontmatter()
    return tree


def test_signals_are_written_to_the_overlay(marked_yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    session = marked_yard.session()
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.OVERLAY))
    said = "only brv-tui reads these signals; ByteRover's own store is not changed"
    assert done.notices == (f"yard/gates/north.md: {said}",)
    assert files() == before
    assert session.snapshot.signals == (replace(NEW, source=Source.OVERLAY),)
    session.notes.undo()
    assert session.snapshot.signals[0].source is Source.FRONTMATTER
    assert Overlay(marked_yard.tree).read(BASE) == {}


def test_signals_are_written_to_the_frontmatter(marked_yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    session = marked_yard.session()
    plan = session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER)
    done = session.notes.apply(plan)
    assert done.notices == (
        "yard/gates/north.md: ByteRover 3.14 does not read signals from frontmatter; brv-tui does, because "
        "signals.frontmatter is on",
    )
    data, mtime = files()["yard/gates/north.md"]
    assert data.decode() == (
        "---\r\ntitle:   North # kept\r\nimportance: 72.5\r\nrecency: 0.5\r\nmaturity: validated\r\naccessCount: 3\r\n"
        "updateCount: 1\r\n---\r\n# North\r\n"
    )
    assert mtime == before["yard/gates/north.md"][1]
    assert session.snapshot.signals == (replace(NEW, source=Source.FRONTMATTER),)
    session.notes.undo()
    assert files() == before


def test_unread_frontmatter_signals_are_reported(marked_yard: Tree) -> None:
    marked_yard.settings("")
    session = marked_yard.session()
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER))
    assert done.notices == (
        "yard/gates/north.md: ByteRover 3.14 does not read signals from frontmatter, and brv-tui does only if "
        "signals.frontmatter is on",
    )
    assert session.snapshot.signals[0].source is Source.DEFAULT


def test_writing_signals_can_reset_the_age(marked_yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    notes = marked_yard.session().notes
    notes.apply(notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER, keep_mtime=False))
    assert files()["yard/gates/north.md"][1] > before["yard/gates/north.md"][1]


@pytest.mark.parametrize(("overlay", "winner"), [(True, "brv-tui's own data"), (False, "ByteRover's own store")])
def test_overriding_signals_are_reported(marked_yard: Tree, overlay: bool, winner: str) -> None:
    kept = marked_yard.sidecar_file("yard/gates/north.md", {"importance": 61})
    before = kept.read_bytes()
    if overlay:
        Overlay(marked_yard.tree).write({"yard/gates/north.md": replace(NEW, source=Source.OVERLAY)})
    notes = marked_yard.session().notes
    done = notes.apply(notes.plan_signals("yard/gates/north.md", stored(importance=80), SignalTarget.FRONTMATTER))
    assert done.notices[-1] == f"yard/gates/north.md: {winner} also has signals for it, and they take precedence"
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    ("signals", "notices"),
    [
        (stored(importance=50, maturity="validated"), ()),
        (
            stored(importance=50, maturity="core"),
            ("the next access hit makes it validated: a core note keeps its maturity at an importance of 60 or more",),
        ),
        (
            stored(importance=64, maturity="draft"),
            ("the next access hit makes it validated: a draft note is promoted at an importance of 65 or more",),
        ),
    ],
)
def test_effect_of_the_next_access_hit_is_reported(
    marked_yard: Tree, signals: NoteSignals, notices: tuple[str]
) -> None:
    plan = marked_yard.session().notes.plan_signals("yard/gates/north.md", signals, SignalTarget.OVERLAY)
    assert plan.notices[:-1] == notices


@pytest.mark.parametrize("where", list(SignalTarget))
def test_signals_file_overrides_overlay_and_frontmatter(marked_yard: Tree, tmp_path: Path, where: SignalTarget) -> None:
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"yard/gates/north.md": {"importance": 30}}), encoding="utf-8")
    session = marked_yard.session(signals_file=given)
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, where))
    assert done.notices[1:] == (
        "yard/gates/north.md: the signals file also has signals for it, and they take precedence",
    )
    assert session.snapshot.signals[0].importance == 30


@pytest.mark.parametrize(
    "signals",
    [
        stored(importance=100.5),
        stored(importance=-1),
        stored(importance=float("nan")),
        stored(recency=1.5),
        stored(maturity="old"),
        stored(access_count=-1),
        stored(update_count=1.5),
    ],
)
@pytest.mark.parametrize("where", list(SignalTarget))
def test_invalid_signals_are_rejected(
    marked_yard: Tree, signals: NoteSignals, where: SignalTarget, files: Callable[[], Files]
) -> None:
    before = files()
    with pytest.raises(NoteError, match="these signals are not valid"):
        marked_yard.session().notes.plan_signals("yard/gates/north.md", signals, where)
    assert files() == before


@pytest.mark.parametrize("text", ["---\ntitle: [\n---\n", "---\na: &x 1\nimportance: *x\n---\n", b"\0binary"])
def test_signals_are_not_written_to_broken_frontmatter(marked_yard: Tree, text: str | bytes) -> None:
    marked_yard.file("yard/bad.md", text)
    with pytest.raises(NoteError, match=r"^yard/bad\.md: "):
        marked_yard.session().notes.plan_signals("yard/bad.md", NEW, SignalTarget.FRONTMATTER)
    with pytest.raises(NoteError, match=r"^gone\.md: "):
        marked_yard.session().notes.plan_signals("gone.md", NEW, SignalTarget.FRONTMATTER)
