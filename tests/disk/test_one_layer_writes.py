"""Only ``brvtui.disk`` writes, renames, removes or locks files, and notes go through ``tree.saving``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import brvtui

PACKAGE = Path(brvtui.__file__).parent
_OS = {
    "chmod", "chown", "fchmod", "fchown", "fdopen", "ftruncate", "link", "makedirs", "mkdir", "mkfifo", "mknod",
    "open", "remove", "removedirs", "removexattr", "rename", "renames", "replace", "rmdir", "setxattr", "symlink",
    "truncate", "unlink", "utime",
}  # fmt: skip
"""Functions of ``os`` that change a file, or open one."""
_METHODS = {
    "chmod", "hardlink_to", "lchmod", "mkdir", "rename", "rmdir", "savez", "savez_compressed", "symlink_to", "touch",
    "tofile", "unlink", "write_bytes", "write_text",
}  # fmt: skip
"""Methods of paths, and functions of numpy, that change a file."""
_MODULES = {"fcntl", "shelve", "shutil", "sqlite3", "tempfile"}
_READING = {"r", "rb", "rt"}

KERNEL = ("disk", "tree/saving")
REASONS = {
    "regular_files.py: os.open": "opens to read: the one place that does",
    "tree/reading/inside.py: os.open": "opens folders, to follow a path without symlinks",
    **dict.fromkeys(
        (f"cli/demo.py: {name}" for name in ("mkdir", "shutil", "tempfile")),
        "copies the sample tree to a temporary folder, or to one that the user names",
    ),
    "cli/program.py: open": "the null device in place of a closed stream",
    "cli/program.py: os.open": "the null device in place of a closed stream",
    "store/kept_index.py: os.fdopen": "wraps a descriptor that regular_files opened to read",
    "store/vectors.py: savez": "into memory",
    "text/fts.py: sqlite3": "a database in memory",
    "programs.py: shutil": "looks for a program",
}


def writers(tree: ast.AST) -> Iterator[str]:
    """The calls in a module that may write a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (name for name in names if name.split(".")[0] in _MODULES)
            if isinstance(node, ast.ImportFrom) and node.module == "os":
                yield from (f"os.{alias.name}" for alias in node.names if alias.name in _OS)
        elif isinstance(node, ast.Call):
            yield from _called(node)


def _called(call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Name) and function.id == "open" and not _only_reads(call.args[1:], call.keywords):
        yield "open"
    if not isinstance(function, ast.Attribute):
        return
    of = function.value.id if isinstance(function.value, ast.Name) else ""
    name = function.attr
    if of == "os":
        yield from {f"os.{name}"} if name in _OS else ()
    elif of != "writing" and (
        name in _METHODS
        # the method of a path; a string's method takes two arguments, and a dataclass's or a date's takes keywords
        or (name == "replace" and len(call.args) == 1 and not call.keywords)
        or (name == "open" and _opens_path(call))
    ):
        yield name


def _opens_path(call: ast.Call) -> bool:
    """True for the method of a path with a mode for writing."""
    first = call.args[0] if call.args else next((word.value for word in call.keywords if word.arg == "mode"), None)
    if isinstance(first, ast.Constant):
        return isinstance(first.value, str) and first.value[:1] in set("waxr") and first.value not in _READING
    return first is not None and any(word.arg in ("encoding", "buffering", "newline") for word in call.keywords)


def _only_reads(rest: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    mode = rest[0] if rest else next((word.value for word in keywords if word.arg == "mode"), None)
    return mode is None or (isinstance(mode, ast.Constant) and mode.value in _READING)


def test_only_kernel_layers_write_files() -> None:
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        if not name.startswith(tuple(f"{layer}/" for layer in KERNEL)):
            found |= {f"{name}: {writer}" for writer in writers(ast.parse(file.read_text(encoding="utf-8")))}
    assert sorted(found - REASONS.keys()) == [], "write through brvtui.disk.writing, or give a reason here"
    assert sorted(REASONS.keys() - found) == [], "not needed any more"


def test_check_detects_every_way_to_write() -> None:
    for code in (
        "open(path, 'w')", "open(path, mode)", "open(path, mode='ab')", "path.open('r+b')", "path.open(mode='x')",
        "path.open(mode, encoding='utf-8')", "path.write_text('')", "path.write_bytes(b'')", "path.mkdir()",
        "os.replace(a, b)", "os.open(path, flags)", "from os import rename", "path.replace(other)", "path.unlink()",
        "import shutil", "from tempfile import mkstemp", "import fcntl", "np.savez(file)", "path.touch()",
    ):  # fmt: skip
        assert list(writers(ast.parse(code))), code
    for code in (
        "open(path)", "open(path, 'rb')", "path.open()", "area.open('', ())", "text.replace('a', 'b')",
        "replace(entry, a=1)", "writing.rename(a, b)",
    ):  # fmt: skip
        assert not list(writers(ast.parse(code))), code
