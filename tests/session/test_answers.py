"""Questions about an answer."""

from __future__ import annotations

import pytest

from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import explain_lines
from tests.support.trees import Tree


def test_the_detail_of_a_hit(quokkas: Tree) -> None:
    session = quokkas.session()
    found = session.probe("quokka")
    made = session.answers.detail(found, found.hits[0].file)
    assert made.score.raw == pytest.approx(found.hits[0].text.raw, rel=1e-12)
    with pytest.raises(KeyError):
        session.answers.detail(found, "nowhere.md")


def test_a_detail_is_made_on_the_snapshot_of_its_trace(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.probe("quokka")
    file = trace.hits[0].file
    before = session.answers.detail(trace, file)
    quokkas.file(file, "# Something else entirely\n", days=1)
    session.load()
    assert session.answers.detail(trace, file) == before
    assert before.hit is not None


def test_an_older_answer_is_explained_on_its_own_tree_while_that_is_there(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.probe("quokka")
    before = session.answers.explain("quokka", "x/n.md", trace=trace)
    for change in range(2):
        quokkas.file("x/n.md", f"# Something else {change}\n", days=1)
        session.load()
    assert session.answers.explain("quokka", "x/n.md", trace=trace) == before
    quokkas.file("x/n.md", "# Something else again\n", days=1)
    session.load()
    after = session.answers.explain("quokka", "x/n.md", trace=trace)
    assert after.notice == "the tree that this answer was made on is gone: explained on the tree as it is now"
    assert after.notice.split(":")[0] in "\n".join(line.plain for line in explain_lines(after, 120, UNICODE))
    assert not before.notice


def test_a_conflict_in_a_note_is_told(tree: Tree) -> None:
    marked = "# Rotation\n\n<<<<<<< HEAD\nrefresh daily\n=======\nrefresh hourly\n>>>>>>> topic\n"
    tree.file("auth/rotation.md", marked)
    tree.file("auth/talk.md", "# About conflicts\n\nrefresh: git writes `<<<<<<< HEAD` first, later `>>>>>>> topic`.\n")
    told = "auth/rotation.md: a conflict to decide (<<<<<<<): both sides are searched and quoted"
    session = tree.session()
    assert told in session.probe("refresh").notices
    assert told in tree.session().probe("refresh").notices, "from the kept index"
    tree.file("auth/rotation.md", marked.replace("<<<<<<< HEAD\n", "").replace(">>>>>>> topic\n", ""))
    session.refresh()
    assert not any("conflict" in notice for notice in session.probe("refresh").notices)


def test_an_older_answer_is_explained_at_its_own_time(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.probe("quokka")
    before = session.answers.detail(trace, "x/m.md") or session.answers.detail(trace, "x/n.md")
    later = session.clock() + 40 * 86_400_000
    session.clock = lambda: later
    after = session.answers.detail(trace, "x/m.md") or session.answers.detail(trace, "x/n.md")
    assert after == before


def test_signals_that_broken_frontmatter_loses_are_told(tree: Tree) -> None:
    tree.read_frontmatter()
    tree.file("auth/rotation.md", "---\ntitle: [Refresh\nimportance: 90\n---\n# Refresh rotation\n\nrefresh refresh")
    tree.note("auth/other.md", "Other", "refresh things")
    session = tree.session()
    trace = session.probe("refresh rotation")
    told = "auth/rotation.md: the frontmatter cannot be used, so the signals are those of a new note"
    assert told in trace.notices
    assert "repair it" in session.answers.explain("refresh rotation", "auth/rotation.md", "", trace).notice
    assert session.answers.explain("refresh rotation", "auth/other.md", "", trace).notice == ""
    again = tree.session()  # from the kept index
    assert told in again.probe("refresh rotation").notices
    tree.settings("")  # signals are not read from frontmatter
    assert "signals.frontmatter" in tree.session().answers.explain("refresh", "auth/rotation.md").notice
