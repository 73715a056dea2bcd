"""Paths that lead out of the tree, from any source, are refused with a message to the user.

See also: ``tests/tree/test_links.py`` (where links lead), ``tests/tree/test_saving.py`` (writing through links),
``tests/engines/byterover/route/test_manifest.py`` (paths in a manifest), ``tests/notes/test_moving.py`` (new names).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.app.notes.reading import page_document
from brvtui.cli.program import main
from brvtui.engines.byterover.sections import Search
from brvtui.notes.plan import NoteError
from brvtui.report.saved import Form, rendered
from brvtui.snapshot.naming import UnknownNote
from brvtui.trace import Trace, to_plain
from brvtui.tree.editing.note_text import note_text
from brvtui.tree.editing.problems import KnownFiles, Severity, problems
from brvtui.tree.reading.inside import PathError, parts_of, read_inside
from brvtui.tree.reading.links import LinkState, links_in
from brvtui.tree.saving.note_files import SaveError
from tests.support.trees import BRV3, Tree, paths

SECRET = "SECRET"
MOST = 1_000_000
Run = Callable[..., tuple[int, str, str]]

LEADING_OUT = ["../../secret.md", "../../../secret.md", "x/../../../secret.md", "/etc/passwd", "{root}/secret.md"]
"""Paths relative to the tree's root; ``{root}`` is the project's folder."""


@pytest.fixture
def project(tree: Tree) -> Tree:
    """A project with a secret file beside its tree."""
    (tree.root / "secret.md").write_text(f"# {SECRET}\n\nquokka {SECRET}\n")
    (tree.root / "outside").mkdir()
    (tree.root / "outside" / "n.md").write_text(f"# {SECRET}\n\nquokka {SECRET}\n")
    tree.note("x/good.md", "Quokka", "all about the quokka")
    tree.notes(30)
    return tree


@pytest.fixture
def links(project: Tree) -> Tree:
    """The project with symlinks: to files and folders outside and inside, to themselves, and to missing files."""
    for name, target in (
        ("x/out.md", project.root / "secret.md"),
        ("x/outdir", project.root / "outside"),
        ("x/up", Path("../..")),
        ("x/loop", Path("loop")),
        ("x/loop.md", Path("loop.md")),
        ("x/gone.md", Path("nowhere.md")),
        ("x/inside", Path("../pad")),
    ):
        (project.tree / name).symlink_to(target)
    return project


@pytest.fixture
def run(project: Tree, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process; returns exit code, output and errors, which must not contain the secret."""

    def called(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["brv-tui", *arguments, "--project", str(project.root)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert SECRET not in out + err
        return int(ended.value.code or 0), out, err

    return called


def everything(trace: Trace) -> str:
    return json.dumps(to_plain(trace))


# names given by the user


@pytest.mark.parametrize("name", [*LEADING_OUT, "x/outdir/../../secret.md", "..\\..\\secret.md"])
def test_explain_command_refuses_paths_outside_the_tree(run: Run, project: Tree, name: str) -> None:
    code, out, err = run("explain", "quokka", name.format(root=project.root))
    assert (code, out) == (3, "")
    assert err.startswith("brv-tui: ")
    assert "points outside the tree; choose a note in " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["%2e%2e/%2e%2e/secret.md", "C:\\secret.md", "n" * 300, "x/" * 3_000])
def test_encoded_or_foreign_path_names_no_note(run: Run, name: str) -> None:
    code, out, err = run("explain", "quokka", name)
    assert (code, out) == (3, "")
    assert f"no note {name[:100]}" in err
    assert len(err) < 600


def test_absolute_note_path_is_accepted(project: Tree) -> None:
    assert project.session().explainer.explain("quokka", str(project.tree / "x/good.md")).found


def test_name_with_a_null_byte_is_unknown(project: Tree) -> None:
    with pytest.raises(UnknownNote, match="no note x/good"):
        project.session().explainer.explain("quokka", "x/good\0.md")


@pytest.mark.parametrize("query", ["../../secret.md", "../.. quokka", "x/../../secret.md quokka"])
def test_query_with_a_path_outside_the_tree_is_reported(run: Run, project: Tree, query: str) -> None:
    _, out, _ = run("query", query, "--full")
    assert "points outside the tree" in " ".join(out.split())
    assert SECRET not in everything(project.session().run(query))


@pytest.mark.parametrize("query", ["/etc/passwd", "%2e%2e%2fsecret.md quokka", "..\\secret.md", "a\0/b", "/" * 5_000])
def test_unresolvable_path_in_a_query_is_searched_as_words(project: Tree, query: str) -> None:
    trace = project.session().run(query)
    assert SECRET not in everything(trace)
    assert trace.section(Search).scope.path == ""


@pytest.mark.parametrize("scope", [*LEADING_OUT, "x/..", "x/outdir", "..\\x", "%2e%2e"])
def test_scope_outside_the_tree_is_reported(run: Run, links: Tree, scope: str) -> None:
    wanted = scope.format(root=links.root)
    _, out, _ = run("query", "quokka", "--full", "--scope", wanted)
    assert f"no scope: you chose {wanted}, which is not in the tree".replace(" ", "") in "".join(out.split())


@pytest.mark.parametrize("path", ["../../secret.md", "/etc/passwd", "x/outdir/n.md"])
def test_replay_command_refuses_to_touch_files_outside_the_tree(
    run: Run, links: Tree, tmp_path: Path, path: str
) -> None:
    steps = tmp_path / "steps.json"
    steps.write_text(json.dumps([{"query": "quokka", "touch": path}]))
    code, _, err = run("replay", "--sequence", str(steps))
    assert code == 2
    assert f"no file {path} in " in err


TOO_LONG = ["n" * 253 + ".md", "é" * 130 + ".md", "x/" * 1_100 + "n.md"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        *((path, "points outside the tree") for path in LEADING_OUT),
        ("x/a\0b.md", "not the path of a note"),
        ("x//n.md", "not the path of a note"),
        ("..\\..\\n.md", "begins with a dot"),
        *((path, "the name is too long") for path in TOO_LONG),
    ],
)
def test_writing_outside_the_tree_is_refused(project: Tree, path: str, said: str) -> None:
    notes = project.session().notes
    wanted = path.format(root=project.root)
    with pytest.raises(PathError, match=said):
        parts_of(wanted)
    with pytest.raises(SaveError, match=said):
        notes.save(wanted, b"x", None)
    with pytest.raises(NoteError, match=said):
        notes.plan_move("x/good.md", wanted)
    with pytest.raises(NoteError, match=f"{said}|cannot restore"):
        notes.plan_archive(wanted)


@pytest.mark.parametrize(
    "path", [*LEADING_OUT, "x/a\0b.md", "x/outdir/n.md", "x/up/x/good.md", "x/out.md", *TOO_LONG[:2]]
)
def test_reading_outside_the_tree_is_refused(links: Tree, path: str) -> None:
    """Drafts, saved traces and logs may contain such paths."""
    session = links.session()
    wanted = path.format(root=links.root)
    with pytest.raises(OSError, match=r"points outside|behind|too long"):
        session.snapshot.text(wanted)
    page = session.about(wanted)
    assert page.text == ""
    assert page.problem.startswith("cannot be shown: ")
    assert page.problem in " ".join(line.plain.strip() for line in page_document(page, 200, False).lines)
    assert session.around(wanted).links == ()


# contents of notes

WRITTEN = [
    "../../secret.md",
    "../../../../../etc/passwd",
    "/etc/passwd",
    "/x/good.md",
    "..\\secret.md",
    "x\\..\\..\\secret.md",
]


@pytest.mark.parametrize("target", WRITTEN)
@pytest.mark.parametrize(
    "form", ["[t]({})", "[t](<{}>)", "[t]: {}", "---\nrelated: ['{}']\n---\n", "---\nrelated: '@{}'\n---\n"]
)
def test_links_out_of_the_tree_are_refused(project: Tree, form: str, target: str) -> None:
    project.file("x/linking.md", form.format(target) + "\n", 1)
    session = project.session()
    (found,) = session.notes.links().links_of("x/linking.md")
    assert (found.state, found.path) == (LinkState.REFUSED, "")
    text = (project.tree / "x/linking.md").read_text()
    known = KnownFiles(session.about("x/linking.md").names)
    found_wrong = problems("x/linking.md", note_text(text.encode()), text, known, BRV3.limits)
    messages = {(one.severity, one.line, one.message) for one in found_wrong}
    assert (Severity.ERROR, found.link.line - 1, f"{found.link.target} points outside the tree") in messages
    page = page_document(session.about("x/linking.md"), 120, False)
    if not form.startswith("[t]: "):  # link definitions are not shown
        assert "(outside the tree)" in " ".join(line.plain for line in page.lines)
    assert all(not placed.target.path for placed in page.links)


@pytest.mark.parametrize("target", WRITTEN)
def test_relations_cannot_express_outside_paths(target: str) -> None:
    """Relation paths contain no backslash, no dot before the extension, and no leading slash."""
    assert links_in(f"see @{target} there") == ()


@pytest.mark.parametrize(
    "target", ["%2e%2e/%2e%2e/secret.md", "..%2f..%2fsecret.md", "%2Fetc%2Fpasswd", "..%5Csecret.md"]
)
def test_percent_encoded_links_out_of_the_tree_are_refused(project: Tree, target: str) -> None:
    (link,) = links_in(f"[t]({target})")
    names = project.session().about("x/good.md").names
    assert names.resolve(link, "x/linking.md").state is LinkState.REFUSED


@pytest.mark.parametrize("target", ["a%00b.md", "n" * 5_000 + ".md", "x/" * 3_000 + "n.md"])
def test_link_to_an_impossible_path_is_broken(project: Tree, target: str) -> None:
    project.file("x/linking.md", f"[t]({target})\n", 1)
    session = project.session()
    assert [found.state for found in session.notes.links().links_of("x/linking.md")] == [LinkState.BROKEN]
    assert "(no such note)" in " ".join(
        line.plain for line in page_document(session.about("x/linking.md"), 120, False).lines
    )


@pytest.mark.parametrize(
    "path",
    [*WRITTEN, "../_archived/x/a.full.md", "_archived/../../../secret.full.md", "a\\0b.md", "x/./a.md", "~/a.md\\n"],
)
@pytest.mark.parametrize("field", ["points_to", "original_path"])
def test_stub_pointing_out_of_the_tree_is_refused(project: Tree, field: str, path: str) -> None:
    fields = {"points_to": "_archived/x/a.full.md", "original_path": "x/a.md", field: path}
    block = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    text = f"---\n{block}type: archive_stub\n---\nquokka\n".replace("\\\\0", "\\0").replace("\\\\n", "\\n")
    project.file("_archived/x/a.stub.md", text, 1)
    project.file("_archived/x/a.full.md", "the full text", 1)
    before = contents(project.root)
    session = project.session()
    with pytest.raises(NoteError, match=r"points outside the tree|path of a note|does not end in \.md|not a full text"):
        session.notes.plan_restore("_archived/x/a.stub.md")
    assert contents(project.root) == before
    known = KnownFiles(session.about("_archived/x/a.stub.md").names)
    result = problems("_archived/x/a.stub.md", note_text(text.encode()), text, known, BRV3.limits)
    assert any(field in problem.message for problem in result)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


# symbolic links


def test_symlinks_are_reported_and_not_followed(links: Tree) -> None:
    session = links.session()
    reasons = {file.path: file.reason for file in session.snapshot.unseen}
    assert reasons["x/out.md"] == "a symlink to a file outside the tree"
    assert reasons["x/outdir"] == reasons["x/up"] == reasons["x/inside"] == "folders behind symlinks are not read"
    assert "symbolic links" in reasons["x/loop.md"]
    assert "No such file" in reasons["x/gone.md"]
    assert len(session.snapshot.notes) == 31
    trace = session.run("quokka")
    assert paths(trace) == ["x/good.md"]
    saved = session.explainer.saved(trace)
    assert not any(SECRET.encode() in rendered(saved, form) for form in Form)
    assert session.explainer.explain("quokka", "x/out.md").numbers == "a symlink to a file outside the tree"


@pytest.mark.parametrize(
    "name", ["x/out.md", "x/outdir/n.md", "x/outdir/new.md", "x/up/new.md", "x/loop/n.md", "x/loop.md"]
)
def test_writing_through_a_symlink_is_refused(links: Tree, name: str) -> None:
    before = contents(links.root)
    with pytest.raises(SaveError, match=r"points outside the tree|not a folder of the tree|leads nowhere"):
        links.session().notes.save(name, b"x", None)
    assert contents(links.root) == before


@pytest.fixture
def exchanged(project: Tree) -> Tree:
    """A project in which a note's folder, after it was read, was replaced by a symlink to a folder outside."""
    project.note("y/n.md", "Quokka", "another quokka")
    return project


def test_folder_that_becomes_a_symlink_is_no_longer_read(exchanged: Tree) -> None:
    session = exchanged.session()
    (exchanged.tree / "y").rename(exchanged.tree / "z")
    (exchanged.tree / "y").symlink_to(exchanged.root / "outside")
    assert SECRET not in session.about("y/n.md").text
    assert session.about("y/n.md").problem == "cannot be shown: behind a symlink, which may lead out of the tree"
    trace = session.run("quokka")
    assert "y/n.md" in paths(trace)
    assert SECRET not in everything(trace)
    assert session.notes.links().links_of("y/n.md") == ()


def test_read_inside_follows_no_symlinks(links: Tree) -> None:
    assert read_inside(links.tree, "x/good.md", MOST).startswith(b"# Quokka")
    for path in ("x/out.md", "x/outdir/n.md", "x/up/x/good.md", "x/inside/p001.md", "x/loop.md", "x/loop/n.md"):
        with pytest.raises(OSError, match="behind a symlink"):
            read_inside(links.tree, path, MOST)
    for path in ("", "..", ".", "x/..", "x/good.md/", "x/good.md/n.md", "x"):
        with pytest.raises(OSError):  # noqa: PT011 - each says what the system says
            read_inside(links.tree, path, MOST)


# shared sources


@pytest.mark.parametrize(
    "root",
    [
        *("../other", "other", "", "{root}/../nowhere", "{root}/secret.md", "{root}/loop"),
        *("a\0b", "/" + "x" * 5_000, "%2e%2e/other", "..\\other"),
    ],
)
def test_shared_source_that_is_not_a_project_is_skipped(run: Run, project: Tree, root: str) -> None:
    """Only absolute paths are accepted, but a source may be anywhere on the disk."""
    (project.root / "loop").symlink_to("loop")
    wanted = root.format(root=project.root)
    entry = {"alias": "lib", "projectRoot": wanted, "readOnly": True, "addedAt": "2026-01-01T00:00:00Z"}
    project.sources_file({"version": 1, "sources": [entry]})
    code, out, _ = run("query", "quokka")
    assert code == 0
    assert "shared source lib: no project at" in " ".join(out.split())
    assert "left out" in " ".join(out.split())


def test_shared_source_links_stay_inside_the_source(project: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    (other.root / "secret.md").write_text(SECRET)
    other.note(
        "lib/n.md", "Quokka", "quokka [t](../../../secret.md) [u](../../../../project/.brv/context-tree/x/good.md)"
    )
    (other.tree / "lib/out.md").symlink_to(other.root / "secret.md")
    (other.tree / "lib/outdir").symlink_to(project.root / "outside")
    project.source(("lib", other))
    session = project.session()
    assert [found.state for found in session.notes.links().links_of("[lib]:lib/n.md")] == [LinkState.REFUSED] * 2
    assert "[lib]:lib/n.md" in paths(session.preview("quokka"))
    for path in ("[lib]:lib/out.md", "[lib]:lib/outdir/n.md", "[lib]:../../secret.md"):
        assert SECRET not in session.about(path).text
        assert session.about(path).problem
