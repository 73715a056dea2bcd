"""Listed entries become members; unusable ones become lines."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from brvtui.fleet import finding
from brvtui.fleet.finding import entry_for, fleet_of, fleet_over
from brvtui.fleet.fleet_file import AbsenceKind, FleetEntry, FleetError, add_entry, read_entries
from tests.support.trees import Tree

MakeTree = Callable[[str], Tree]


def test_folders_globs_and_repositories_become_members(make_tree: MakeTree, tmp_path: Path) -> None:
    for name in ("a/shop", "b/shop", "orders"):
        make_tree(name).note("d/t/n.md", "A note")
    (tmp_path / "empty").mkdir()
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "mirror.git")], check=True)
    file = tmp_path / "fleet.toml"
    file.write_text(
        'name = "all"\n[[member]]\npath = "*"\nowner = "ops"\n[[member]]\npath = "*/shop"\n'
        '[[member]]\npath = "orders"\n[[member]]\npath = "gone"\n[[member]]\npath = "x"\nspeed = 3\n[[member]]\n'
    )
    made = fleet_of(file)
    assert made.name == "all"
    assert [(one.name, one.owner) for one in made.members] == [
        ("mirror", "ops"), ("orders", "ops"), ("shop", ""), ("b-shop", ""), ("gone", "")
    ]  # fmt: skip
    assert made.members[0].repository == str(tmp_path / "mirror.git")
    lines = [one.why for one in made.absent]
    assert lines == [
        f"{file}: member 5: unknown key speed; known: name, path, repository, spaces, revision, folder, engine, "
        "profile, weight, owner",
        f"{file}: member 6: must have exactly one of path, repository and spaces",
    ]
    assert {one.kind for one in made.absent} == {AbsenceKind.ENTRY}
    assert made.notices == (
        f"{tmp_path}/*: 4 places are not memories (no .brv, and no bare repository)",
        f"{tmp_path}/orders: is listed more than once; it counts as one member, orders",
    )


@pytest.mark.parametrize("folder", ["", ".", "private", ".brv", "a/../.brv/context-tree/.."])
@pytest.mark.parametrize("place", ['repository = "../priv"', 'path = "../pri?"'])
def test_fleet_file_in_a_folder_reads_only_context_trees_in_git(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, place: str
) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "priv")], check=True)
    monkeypatch.chdir(make_tree("clone").root)
    file = Path("fleet.toml")
    trees = "".join(
        f"[[member]]\n{place}\nfolder = '{tree}'\n" for tree in ("/.brv/context-tree/", "a/.brv/context-tree")
    )
    file.write_text(f"{trees}[[member]]\n{place}\nfolder = '{folder}'\n")
    found = fleet_of(file, given=False)
    assert [one.folder for one in found.members] == [".brv/context-tree", "a/.brv/context-tree"]
    allow = "if you trust this file, name it with --fleet fleet.toml"
    assert [one.why for one in found.absent] == [
        f"{tmp_path}/priv: {folder or '.'} is not a .brv/context-tree; {allow}"
    ]
    assert [one.folder for one in fleet_of(file).members][2:] == [folder]


def test_glob_that_matches_no_memory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    made = fleet_over(["p*"], tmp_path)
    assert not made.members
    assert [one.why for one in made.absent] == [
        f"{tmp_path}/p*: no memory there; choose folders with a .brv, or bare repositories"
    ]


def test_each_space_in_a_data_folder_is_a_member(tmp_path: Path) -> None:
    spaces = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
    for number, space in enumerate(spaces):
        tree = tmp_path / "data" / "projects" / space / "context-tree"
        tree.mkdir(parents=True)
        (tree.parent / "metadata.json").write_text(f'{{"space_name": "Space {number}"}}')
    made = fleet_over(["data"], tmp_path)
    assert [one.name for one in made.members] == ["Space 0", "Space 1"]
    assert made.members[0].path.endswith(f"{spaces[0]}/context-tree")


def test_adding_a_member_keeps_the_file_and_refuses_duplicates(tmp_path: Path, make_tree: MakeTree) -> None:
    make_tree("shop")
    file = tmp_path / "fleet.toml"
    file.write_text('# ours\nname = "all"\n\n[[member]]\npath = "a" # first\n')
    add_entry(file, entry_for("shop", tmp_path, FleetEntry(owner="ops", weight=2.0)))
    assert file.read_text().startswith('# ours\nname = "all"\n\n[[member]]\npath = "a" # first\n')
    assert read_entries(file)[1][1] == FleetEntry(path="shop", owner="ops", weight=2.0)
    for spelling in ("shop", "./shop", str(tmp_path / "shop")):
        with pytest.raises(FleetError, match="shop is listed already"):
            add_entry(file, FleetEntry(path=spelling))


@pytest.mark.parametrize("target", ["outside/fleet.toml", "outside"])
def test_link_out_of_the_folder_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_tree: MakeTree, target: str
) -> None:
    project = make_tree("shop").root
    monkeypatch.chdir(project)
    file = Path("fleet.toml")
    file.symlink_to(Path("..", target))
    with pytest.raises(
        FleetError, match=r"^fleet\.toml: a symlink points outside the project; replace it with a file$"
    ):
        add_entry(file, FleetEntry(path="."), given=False)
    assert not (tmp_path / "outside").exists()


def test_no_folder_is_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").symlink_to("missing/fleet.toml")
    with pytest.raises(FileNotFoundError):
        add_entry(tmp_path / "fleet.toml", FleetEntry(path="."))
    assert not (tmp_path / "missing").exists()


def test_members_added_concurrently_are_all_kept(tmp_path: Path) -> None:
    file, names = tmp_path / "new" / "fleet.toml", [f"m{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: add_entry(file, FleetEntry(path=name)), names))
    assert sorted(entry.path for entry in read_entries(file)[1]) == sorted(names)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"\xff", "cannot be read as a fleet"),
        (b"members = 3\n", "members cannot be used: a fleet has a name and "),
        (b"member = 3\n", "member or name cannot be used"),
    ],
)
def test_invalid_fleet_file_is_refused(tmp_path: Path, text: bytes, line: str) -> None:
    file = tmp_path / "fleet.toml"
    file.write_bytes(text)
    with pytest.raises(FleetError, match=line):
        fleet_of(file)


def test_revision_without_a_repository_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text('[[member]]\npath = "here"\nrevision = "HEAD~1"\n')
    assert "a revision needs a repository" in fleet_of(file).absent[0].why
    with pytest.raises(FleetError, match="a revision needs a repository"):
        entry_for("here", tmp_path, FleetEntry(revision="HEAD~1"))


def test_revision_of_a_pattern_applies_only_to_its_repositories(make_tree: MakeTree, tmp_path: Path) -> None:
    make_tree("srv/shop").note("d/t/n.md", "A note")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "srv" / "mirror.git")], check=True)
    why = f"{tmp_path}/srv/shop: only repositories have a revision; list this folder without one"
    file = tmp_path / "fleet.toml"
    for pattern, members in (("srv/*", [("mirror", "main")]), ("srv/s*", [])):
        file.write_text(f'[[member]]\npath = "{pattern}"\nrevision = "main"\n')
        fleet = fleet_of(file)
        assert [(one.name, one.revision) for one in fleet.members] == members
        assert [(one.member, one.why) for one in fleet.absent] == [("shop", why)]
    assert entry_for("srv/*", tmp_path, FleetEntry(revision="main")).path == "srv/*"


def test_vanished_folder_leaves_the_other_members(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree("b/shop").note("d/t/n.md", "A note")
    (tmp_path / "a").mkdir()
    scan = os.scandir

    def scandir(folder: str) -> object:
        if folder == f"{tmp_path}/a":
            (tmp_path / "a").rmdir()
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [one.name for one in fleet_over(["*/*"], tmp_path).members] == ["shop"]


def test_pattern_stops_at_its_limits_and_keeps_its_results(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree("shop").note("d/t/n.md", "A note")
    for number in range(30):
        (tmp_path / "deep" / f"{number}" / "inner").mkdir(parents=True)
    monkeypatch.setattr(finding, "_MOST_LOOKED", 60)
    made = fleet_over(["**"], tmp_path)
    assert "shop" in [one.name for one in made.members]
    why = f"{tmp_path}/**: stopped after 60 files and folders; choose folders further down"
    assert [one.why for one in made.absent] == [why]
    monkeypatch.setattr(finding, "_MOST_SECONDS", 0.0)
    assert "stopped after 0 files and folders" in fleet_over(["**"], tmp_path).absent[0].why


@pytest.mark.parametrize("part", ["[" * 50_000, "[!" * 50_000, "*a" * 50_000, "?" * 50_000])
def test_overlong_pattern_is_refused(part: str, tmp_path: Path) -> None:
    made = fleet_over([f"x/{part}"], tmp_path)
    assert made.members == ()
    assert "more than 1,000 characters" in made.absent[0].why
    assert len(made.absent[0].why) < 400


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("**", 2),
        ("**/", 2),
        ("**/shop", 1),
        ("sh[o]p/../*", 1),
        ("*/*", 1),
        ("links/**", 0),
        ("no/*/such", 0),
        ("[", 0),
    ],
)
def test_memory_reached_through_several_links_is_found_once(
    make_tree: MakeTree, tmp_path: Path, pattern: str, count: int
) -> None:
    make_tree("shop").note("d/t/n.md", "A note")
    (tmp_path / "links").mkdir()
    for number in range(3):
        (tmp_path / "links" / f"{number}").symlink_to(tmp_path / "shop")
    assert len(fleet_over([pattern], tmp_path).members) == count
