"""After edits, the toast, the Lab, ``eval --baseline-rev`` and ``diff --rev`` agree on the earlier answers."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.app.editing.note_on_disk import on_disk
from brvtui.engines.contract import Query
from brvtui.lab.evaluation.comparing import Assessment, QueryChange
from brvtui.lab.evaluation.evaluate import result_of
from brvtui.lab.evaluation.results import DEFAULT_METRICS, QueryResult
from brvtui.lab.judgments.file import JudgmentsFile, with_grade
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import Variant
from brvtui.notes.signals import SignalTarget
from brvtui.session import Session
from brvtui.session.diffing import DiffPlan, diff_answers
from brvtui.session.edit_effect import EditEffect, effect_of_edits
from brvtui.session.evaluating import EvaluationPlan, assess
from brvtui.session.held_notes import HeldNotes, hold
from brvtui.store.edit_record import read_record, record_file
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.files import Role, role_of
from brvtui.tree.reading.signals import defaults
from tests.app.garden import plant
from tests.support.trees import NOW_MS, Tree
from tests.tree.test_repository import run_git

JUDGED = {
    "refresh token rotated out": {"auth/jwt/refresh_rotation.md": 3, "auth/oauth/key_rotation.md": 1},
    "signing keys": {"auth/oauth/key_rotation.md": 3},
    "sessions end after hours": {"auth/jwt/session_expiry.md": 3},
    "tokens kept hashed": {"auth/jwt/token_store.md": 3, "auth/oauth/scopes.md": 1},
    "invoice number": {"billing/invoices/numbering.md": 3, "billing/refunds.md": 2},
    "roll back image": {"deploy/rollback.md": 3},
    "deploy friday": {"deploy/freeze_window.md": 3},
}
WORDS = ("refresh", "token", "rotated", "signing keys", "sessions", "invoice", "number", "roll back", "deploy", "note")


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The garden with judged queries, committed ten days ago."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{NOW_MS // 1000 - 10 * 86_400} +0000")
    tree = plant(tmp_path / "garden")
    tree.read_frontmatter()
    session = tree.session()
    finder = DocumentFinder(session.snapshot)

    def judged(now: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        for text, grades in JUDGED.items():
            for path, grade in grades.items():
                now = with_grade(now, text, "", finder.judged(path, grade), True)
        return now

    JudgmentsFile.of(session.project).change(judged)
    run_git(tree.root, "init", "-q")
    commit(tree)
    return tree


def commit(tree: Tree) -> None:
    run_git(tree.root, "add", "-A")
    run_git(tree.root, "commit", "-q", "-m", "notes")


def held_by(session: Session) -> HeldNotes:
    """The notes that the app stores when it opens the project, to compare them with later edits."""
    held = hold(session.snapshot, read_record(session.project.tree, defaults(session.profile.signals)))
    assert held is not None
    return held


def effect_of(session: Session, held: HeldNotes) -> EditEffect:
    """The effect of edits that the toast reports. Records the notes before the edits, as the app does."""
    judgments, earlier = JudgmentsFile.of(session.project).read(), held.recorded(session.snapshot)
    effect = effect_of_edits(session, earlier, judgments, (), session.engine, "", lambda: False)
    assert effect is not None
    return effect


def evaluated(tree: Tree, engine: str, revision: str = "HEAD") -> Assessment:
    """The evaluation against ``revision`` in another process."""
    session = tree.session(engine=engine)
    plan = EvaluationPlan(DEFAULT_METRICS, Query(""), revision=revision)
    return assess(session, JudgmentsFile.of(session.project).read(), plan, lambda done, of: None)


def ranked(result: QueryResult) -> list[tuple[str, float]]:
    return [(each.path, each.score) for each in result.results]


def assert_all_agree(tree: Tree, session: Session, held: HeldNotes) -> int:
    """Compares the toast, the Lab, ``eval`` and ``diff`` for every judged query. Returns the number of worse ones."""
    effect = effect_of(session, held)
    assessment = evaluated(tree, session.engine)
    assert assessment.comparison is not None
    changes = {change.now.id: change for change in assessment.comparison.changes}
    runner = session.variants
    states = [runner.state(each) for each in (Variant(), Variant(earlier=effect.earlier), Variant(revision="HEAD"))]
    other = tree.session(engine=session.engine)
    changed = [name for name, change in changes.items() if ranked(change.now) != ranked(change.before)]
    diffed = changed[:1] or [*changes][:1]  # explaining every note of every query would take too long
    for judgment in JudgmentsFile.of(session.project).read():
        now, before, lab = (runner.result(state, judgment) for state in states)
        change = changes[judgment.id]
        assert ranked(before) == ranked(lab) == ranked(change.before)
        assert ranked(now) == ranked(change.now)
        assert [before.outcome, lab.outcome] == [change.before.outcome] * 2
        for metric in DEFAULT_METRICS:
            values = [QueryChange(now, each).difference(metric) for each in (before, lab)]
            assert values == [change.difference(metric)] * 2
        if judgment.id in diffed:
            plan = DiffPlan(Query(judgment.text), other.clock(), revision="HEAD")
            traces = diff_answers(other, plan).traces
            results = [ranked(result_of(judgment, trace)) for trace in (traces.then, traces.now)]
            assert results == [ranked(change.before), ranked(change.now)]
    is_worse = [change for change in changes.values() if change.is_worse(DEFAULT_METRICS[0])]
    assert len(effect.worse) == len(is_worse)
    otherwise = {change.now.id for change in changes.values() if change.is_otherwise}
    assert {change.now.id for change in effect.judged_otherwise} == otherwise
    return len(is_worse)


class RandomEditor:
    """Makes random edits in an open project, as the app and other programs do."""

    def __init__(self, tree: Tree, session: Session, seed: int) -> None:
        self.rng = random.Random(seed)
        self.tree = tree
        self.session = session
        self.number = 0

    def note(self) -> str:
        roles = (Role.NOTE, Role.CONTEXT)
        return self.rng.choice([note.path for note in self.session.snapshot.notes if role_of(note.path) in roles])

    def words(self, most: int) -> str:
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, most)))

    def edit(self) -> str:
        """Makes one edit, and returns its name."""
        self.number += 1
        kinds: list[Callable[[], None]] = [
            self.change_text, self.change_title, self.set_frontmatter, self.set_overlay, self.archive, self.restore,
            self.delete, self.add, self.move, self.touch, self.undo, self.write_outside,
        ]  # fmt: skip
        kind = self.rng.choice(kinds)
        kind()
        self.session.load()
        return kind.__name__

    def save(self, path: str, text: str) -> None:
        disk = on_disk(self.session, path)
        self.session.notes.save(path, text.encode(), disk.version, keep_mtime=self.rng.random() < 0.2)

    def text(self, path: str) -> str:
        return (self.tree.tree / path).read_bytes().decode("utf-8", "replace")

    def change_text(self) -> None:
        path = self.note()
        text = self.text(path)
        self.save(path, text[: self.rng.randint(len(text) // 2, len(text))] + f"\n{self.words(9)}\n")

    def change_title(self) -> None:
        path = self.note()
        head, _, rest = self.text(path).partition("# ")
        self.save(path, f"{head}# {self.words(3)}\n{rest.partition(chr(10))[2]}")

    def set_frontmatter(self) -> None:
        self.set_signals(SignalTarget.FRONTMATTER)

    def set_overlay(self) -> None:
        self.set_signals(SignalTarget.OVERLAY)

    def set_signals(self, target: SignalTarget) -> None:
        path, snapshot = self.note(), self.session.snapshot
        now = snapshot.signals[snapshot.by_path[path]]
        level, importance = self.rng.choice(("draft", "validated", "core")), float(self.rng.randint(1, 99))
        signals = replace(now, maturity=level, importance=importance)
        self.session.notes.apply(self.session.notes.plan_signals(path, signals, target))

    def archive(self) -> None:
        path = self.note()
        if self.text(path).isprintable() or "\ufffd" not in self.text(path):
            self.session.notes.apply(self.session.notes.plan_archive(path))

    def restore(self) -> None:
        stubs = [note.path for note in self.session.snapshot.notes if role_of(note.path) is Role.STUB]
        stubs = [path for path in stubs if "old_flow" not in path]
        if stubs:
            self.session.notes.apply(self.session.notes.plan_restore(self.rng.choice(stubs)))

    def delete(self) -> None:
        (self.tree.tree / self.note()).unlink()

    def add(self) -> None:
        text = f"# {self.words(3)}\n\n{self.words(20)}\n"
        self.session.notes.save(f"added/note{self.number}.md", text.encode(), None)

    def move(self) -> None:
        notes = self.session.notes
        notes.apply(notes.plan_move(self.note(), f"moved/note{self.number}.md", self.rng.random() < 0.5))

    def touch(self) -> None:
        path = self.note()
        self.save(path, self.text(path) + " ")
        self.save(path, self.text(path)[:-1])

    def undo(self) -> None:
        if self.session.notes.journal.depth:
            self.session.notes.undo()

    def write_outside(self) -> None:
        self.tree.file(self.note(), f"# {self.words(3)}\n\n{self.words(20)}\n", self.rng.choice((0, 3, 90)))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("engine", "edits", "seed"),
    [
        ("byterover", 8, 0),
        pytest.param("byterover", 50, 1, marks=pytest.mark.long),
        pytest.param("soleri", 20, 2, marks=pytest.mark.long),
        pytest.param("jeffs_brain", 20, 3, marks=pytest.mark.long),
    ],
)
def test_toast_lab_eval_and_diff_agree_after_every_edit(garden: Tree, engine: str, edits: int, seed: int) -> None:
    session = garden.session(engine=engine)
    held, editor = held_by(session), RandomEditor(garden, session, seed)
    worse = [assert_all_agree(garden, session, held)]
    for number in range(edits):
        name = editor.edit()
        try:
            worse.append(assert_all_agree(garden, session, held))
        except AssertionError as error:
            raise AssertionError(f"edit {number}, {name}: {error}") from error
        if number == edits // 2:  # the app restarts
            session.close()
            session = editor.session = garden.session(engine=engine)
            held = held_by(session)
    assert worse[0] == 0
    assert max(worse) > 0


def test_edit_that_only_renews_a_note_has_the_same_effect_everywhere(garden: Tree) -> None:
    """The example of issue 44: git has no file times, so ``eval`` once found no change after such an edit."""
    for path, days in (("zoo/old.md", 300), ("zoo/new.md", 20)):
        garden.file(path, "# Zebra\n\nStripes of the zebra.\n", days)
    session = garden.session()
    document = DocumentFinder(session.snapshot).judged("zoo/new.md", 3)
    JudgmentsFile.of(session.project).change(lambda now: with_grade(now, "zebra stripes", "", document, True))
    commit(garden)
    held = held_by(session)
    garden.file("zoo/old.md", "# Zebra\n\nStripes of this zebra.\n", 0)
    session.load()
    assert assert_all_agree(garden, session, held) == 1
    comparison = evaluated(garden, "byterover").comparison
    assert comparison is not None
    assert "file times of 1 note at HEAD: 1 recorded before the edit" in comparison.notices
    record_file(session.project.tree).unlink()
    comparison = evaluated(garden, "byterover").comparison
    assert comparison is not None
    assert "file times of 1 note at HEAD: 1 from the last commit" in comparison.notices


def test_unreadable_record_stops_comparisons_with_a_revision(garden: Tree) -> None:
    session = garden.session()
    record_file(session.project.tree).mkdir(parents=True)
    with pytest.raises(RevisionError, match=r"before-edits\.json: cannot be read, so the file times .*; remove it$"):
        evaluated(garden, "byterover")


def test_fresh_checkout_compares_changed_notes_without_their_age(garden: Tree, tmp_path: Path) -> None:
    """As in CI: no record, and every file is as new as the checkout."""
    path = "auth/jwt/refresh_rotation.md"
    garden.file(path, f"{(garden.tree / path).read_text()}More.\n")
    (garden.tree / "billing/refunds.md").unlink()
    commit(garden)
    run_git(tmp_path, "clone", "-q", str(garden.root), "clone")
    clone = Tree.__new__(Tree)
    clone.root, clone.tree = tmp_path / "clone", tmp_path / "clone" / ".brv" / "context-tree"
    for seconds, file in enumerate(sorted(clone.tree.rglob("*.md"))):
        os.utime(file, (NOW_MS / 1000 - 60 + seconds, NOW_MS / 1000 - 60 + seconds))
    session = clone.session()
    difference = session.variants.reverting(session.variants.state(Variant(revision="HEAD~1"))).difference
    times = {file.path: file.mtime_ns for file in session.snapshot.files}
    assert difference.edits[path].mtime_ns == times[path]
    assert difference.edits["billing/refunds.md"].mtime_ns == min(times.values())
    assert sorted(difference.edits) == [path, "billing/refunds.md"]
    assert difference.times == "file times of 2 notes at HEAD~1: 2 renewed by a checkout"


def test_frontmatter_dates_notes_whose_first_commit_is_the_only_one(garden: Tree) -> None:
    text = "---\nupdatedAt: '2026-11-01T12:00:00Z'\n---\n# Dated\n\nA dated note.\n"
    garden.file("dated.md", text, 19)
    run_git(garden.root, "add", "-A")
    run_git(garden.root, "commit", "-q", "--amend", "-m", "first")
    garden.file("dated.md", "# Dated\n\nOther words.\n")
    session = garden.session()
    difference = session.variants.reverting(session.variants.state(Variant(revision="HEAD"))).difference
    assert difference.edits["dated.md"].mtime_ns == 1_793_534_400_000_000_000
    assert difference.times == "file times of 1 note at HEAD: 1 from updatedAt"
