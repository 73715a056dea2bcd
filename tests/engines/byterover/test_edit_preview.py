"""Edit and see: the preview of an edit equals the router's result once it is saved."""

from __future__ import annotations

import os
from math import exp
from pathlib import Path

import pytest

from brvtui.engines.edit_previews import EditPreview, Placement
from brvtui.session import Session
from brvtui.trace import Hit, Trace
from brvtui.trace.routing import Outcome, Route
from brvtui.tree.saving.note_files import Saved, read_note_file, save
from tests.support.trees import DAY_MS, NOW_MS, Tree

QUERY = "refresh token rotation"


@pytest.fixture
def library(tree: Tree) -> Tree:
    tree.note("auth/rotation.md", "Rotation", "A refresh token is used once. Rotation gives the next one.", days=20)
    tree.note("auth/lifetime.md", "Lifetime", "Refresh token lifetimes, before rotation.", days=5)
    for number in range(4):
        tree.note(f"auth/more{number}.md", f"More {number}", "A refresh token and its rotation.", days=30)
    tree.note("billing/dunning.md", "Dunning", "Three reminders.", days=2)
    tree.summary("auth", "Tokens", days=5)
    tree.notes(60, days=9)
    tree.read_frontmatter()
    return tree


def saved(tree: Tree, path: str, data: bytes, keep_mtime: bool) -> Trace:
    """The router's answer after the note was really saved, slightly later by the test's clock."""
    known = (tree.tree / path).exists()
    seen = read_note_file(tree.tree, path)[1] if known else None
    assert isinstance(save(tree.tree, path, data, seen, keep_mtime=keep_mtime), Saved)
    if not keep_mtime:
        os.utime(tree.tree / path, ns=((NOW_MS - 1) * 1_000_000, (NOW_MS - 1) * 1_000_000))
    return tree.session().preview(QUERY)


def places(hits: tuple[Hit, ...]) -> dict[str, Placement]:
    return {hit.path: Placement(rank, hit.score) for rank, hit in enumerate(hits, start=1)}


TEXTS = {
    "better": b"# Refresh token rotation\n\nRefresh token rotation, again: refresh token rotation.\n",
    "worse": b"# Rotation\n\nNothing much.\n",
    "gone": b"# Quite another thing\n",
    "signals": b"---\nimportance: 95\nmaturity: core\n---\n# Rotation\n\nA refresh token, rotation.\n",
    "unreadable": b"# Refresh token rotation\0",
}


CASES = [
    (path, text, keep_mtime)
    for path in ("auth/rotation.md", "auth/lifetime.md", "billing/new.md")
    for text in TEXTS
    for keep_mtime in (True, False)
    if not (keep_mtime and path == "billing/new.md")  # a new file has no old time
]


@pytest.mark.parametrize(("path", "text", "keep_mtime"), CASES)
def test_preview_equals_the_result_after_saving(path: str, text: str, keep_mtime: bool, library: Tree) -> None:
    session = library.session()
    before = session.preview(QUERY)
    made = session.preview_edit(QUERY, path, TEXTS[text], keep_mtime)
    after = saved(library, path, TEXTS[text], keep_mtime)
    for found, real in ((made.now, before), (made.after, after)):
        assert found.hits == real.hits
        assert (
            found.tier,
            found.outcome,
            found.verdict,
        ) == (real.tier, real.section(Route).outcome, real.verdict)
    assert {moved.path: moved.before for moved in made.results if moved.before} == places(before.hits)
    assert {moved.path: moved.after for moved in made.results if moved.after} == places(after.hits)
    assert [moved.path for moved in made.results][: len(after.hits)] == [hit.path for hit in after.hits]


class TestTheEditedNote:
    def preview(
        self, library: Tree, text: str, keep_mtime: bool = False, path: str = "auth/rotation.md"
    ) -> EditPreview:
        return library.session().preview_edit(QUERY, path, TEXTS[text], keep_mtime)

    def test_preview_has_the_new_score_and_its_parts(self, library: Tree) -> None:
        made = self.preview(library, "better", keep_mtime=True)
        assert made.after.own.text.raw > made.now.own.text.raw
        assert sum(part.value for part in made.after.own.parts) == pytest.approx(made.after.own.score, abs=1e-9)
        assert made.after.own in made.after.hits

    def test_preview_of_unchanged_text_resets_only_the_age(self, library: Tree) -> None:
        data = (library.tree / "auth" / "rotation.md").read_bytes()
        session = library.session()
        touched = session.preview_edit(QUERY, "auth/rotation.md", data)
        kept = session.preview_edit(QUERY, "auth/rotation.md", data, keep_mtime=True)
        assert kept.after.own == kept.now.own == touched.now.own
        assert touched.after.own.text == touched.now.own.text
        moment = 1 / DAY_MS
        assert (touched.after.own.signals.days, touched.after.own.signals.recency) == (moment, exp(-moment / 30))
        assert touched.after.own.score > touched.now.own.score

    def test_previewed_note_may_be_outside_the_results(self, library: Tree) -> None:
        made = self.preview(library, "worse", keep_mtime=True)
        assert "auth/rotation.md" not in {hit.file for hit in made.after.hits}
        assert made.after.own.score > 0
        assert next(moved for moved in made.results if moved.path == "auth/rotation.md").after is None

    def test_previewed_note_may_match_no_term(self, library: Tree) -> None:
        assert self.preview(library, "gone", path="billing/dunning.md").after.own is None

    def test_previewed_note_may_be_new(self, library: Tree) -> None:
        made = self.preview(library, "better", path="billing/new.md")
        assert made.now.own is None
        assert made.after.own is not None
        assert made.results[0].before is None
        assert (made.results[0].path, made.results[0].title) == ("billing/new.md", "Refresh token rotation")

    def test_previewed_note_may_be_unreadable(self, library: Tree) -> None:
        made = self.preview(library, "unreadable")
        assert made.after.own is None
        assert made.unseen == "a NUL byte in the first 4096 bytes"
        assert self.preview(library, "better").unseen == ""


def test_preview_shows_a_changed_tier(library: Tree) -> None:
    made = library.session().preview_edit(QUERY, "auth/lifetime.md", TEXTS["signals"])
    assert (made.now.tier, made.now.outcome) == (3, Outcome.SINGLE_CALL)
    assert (made.after.tier, made.after.outcome) == (2, Outcome.DIRECT)


def test_preview_respects_the_scope(library: Tree) -> None:
    session: Session = library.session()
    made = session.preview_edit(QUERY, "billing/dunning.md", TEXTS["better"], scope="auth")
    assert made.results
    assert all(moved.path.startswith("auth") for moved in made.results)


def test_preview_writes_no_file_and_uses_no_cache(library: Tree, tmp_path: Path) -> None:
    session = library.session()
    session.run(QUERY)
    files = {path: path.read_bytes() for path in library.root.rglob("*.md")}
    made = session.preview_edit(QUERY, "auth/rotation.md", TEXTS["better"])
    assert made.now.tier > 1
    assert {path: path.read_bytes() for path in library.root.rglob("*.md")} == files
    assert session.cache_now(QUERY).look.exact.value == "hit"
