"""The only code that reads files: regular files up to a size limit."""

from __future__ import annotations

import ast
import os
import tracemalloc
from pathlib import Path

import pytest

import brvtui
from brvtui.regular_files import open_regular, read_regular, read_within
from brvtui.text.query_language import AliasError, read_aliases
from brvtui.tree.reading.project import ProjectError, find_project

pytestmark = pytest.mark.timeout(60)


def test_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    assert read_regular(file, 3) == b"abc"
    with pytest.raises(OSError, match="larger than 2 bytes"):
        read_regular(file, 2)
    file.write_bytes(b"")
    assert read_regular(file, 0) == b""


def test_links_are_followed_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    link = tmp_path / "link"
    link.symlink_to("file")
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(link, 10)
    assert read_regular(link, 10, follow_links=True) == b"abc"


@pytest.mark.parametrize(
    "target", ["../out/file", "hop/file", "hop/../out/file", "/etc/hostname", "chain", "../out/no"]
)
def test_links_out_of_a_folder_are_refused(target: str, tmp_path: Path) -> None:
    for folder in ("project", "out"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_bytes(b"abc")
    project = tmp_path / "project"
    (project / "hop").symlink_to("../out")
    (project / "chain").symlink_to("hop/file")
    (project / "link").symlink_to(target)
    with pytest.raises(OSError, match="a symlink points outside the project"):
        read_within(project, project / "link", 10)


def test_links_inside_a_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_bytes(b"abc")
    (tmp_path / "project" / "link").symlink_to("file")
    (tmp_path / "named").symlink_to("project")
    for folder in (tmp_path / "project", tmp_path / "named"):
        assert read_within(folder, folder / "link", 3) == read_within(folder, folder / "file", 3) == b"abc"
        with pytest.raises(FileNotFoundError):
            read_within(folder, folder / "missing", 3)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev/null"])
def test_device_is_refused(device: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(device)
    with pytest.raises(OSError, match=r"not a regular file|No such device"):
        read_regular(link, 10, follow_links=True)


def test_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(tmp_path / "pipe")
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_oversized_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(OSError, match="larger than"):
            read_regular(tmp_path / "sparse", 100_000_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc")
def test_file_without_a_stated_size_is_read_up_to_the_limit() -> None:
    with pytest.raises(OSError, match="larger than 100 bytes"):
        read_regular(Path("/proc/self/maps"), 100)


@pytest.mark.parametrize("target", ["/dev/zero", "/proc/kmsg", "sparse", "pipe"])
def test_project_pointer_must_be_a_regular_file(target: str, tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / ".brv").symlink_to(target)
    with pytest.raises((ProjectError, OSError)):
        find_project(tmp_path)
    with pytest.raises(AliasError, match="cannot be read as aliases"):
        read_aliases(tmp_path / ".brv")


_PACKAGE = Path(brvtui.__file__).parent
_READS = ("read_text", "read_bytes")
_OTHERWISE = {
    "installation.py": "the record of this installation",
    "corpus/code/rules.py": "a table of the package",
    "engines/profile_files.py": "the profiles of the package",
    "web/server.py": "a page of the package",
    "tree/watching/watch.py": "the system's table of mounts",
}


def reads(file: Path) -> bool:
    """True if the module opens a file, other than a package resource, for reading without the common reader."""
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or "resources.files" in ast.unparse(call.func):
            continue
        if isinstance(call.func, ast.Attribute) and call.func.attr in _READS:
            return True
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr == "open" and call.args:
            mode = call.args[0]
            if isinstance(mode, ast.Constant) and isinstance(mode.value, str) and mode.value.startswith("r"):
                return True
    return False


def test_every_module_reads_files_through_regular_files() -> None:
    found = {file.relative_to(_PACKAGE).as_posix() for file in _PACKAGE.rglob("*.py") if reads(file)}
    assert found == _OTHERWISE.keys()
