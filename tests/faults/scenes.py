"""Actions under a fault, each run in a separate process: ``python -m tests.faults.scenes NAME FOLDER`` prints the
results in JSON.

A scene is a function of an empty folder. It reports the result of each action, and the tests check them.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from brvtui import faults
from brvtui.cli.program import main as command
from brvtui.engines.byterover.profile import load as profile
from brvtui.session import Session
from brvtui.store.crash_report import Circumstances, write_crash_report
from brvtui.store.drafts import DraftStore
from brvtui.store.kept_index import KeptIndex
from brvtui.tree.saving import leftovers
from brvtui.tree.saving.note_files import SaveError, read_note_file
from tests.docs.pages import ROOT
from tests.support.following import following
from tests.support.namespaces import (
    CANNOT,
    Refused,
    fill,
    leave_root,
    make_read_only,
    mount_small,
)
from tests.support.trees import Tree

Told = dict[str, Any]
_MANY = 600
"""The number of notes in a tree whose index is stored."""


def small(folder: Path, notes: int = 3) -> Tree:
    """A project with a few notes, or many."""
    tree = Tree(folder / "project")
    tree.note("auth/jwt/a.md", "Rotation", "tokens rotate")
    tree.note("ops/down/b.md", "Rollback", "roll back the release")
    tree.notes(notes)
    return tree


def tried(act: Callable[[], object]) -> str:
    """The result of ``act``: ``done``, or a one-line reason for its failure."""
    try:
        result = act()
    except OSError as error:
        return faults.error_line(error)
    except SaveError as error:
        return str(error)
    return "done" if result is None else str(result)


def queried(tree: Tree) -> list[Any]:
    """Runs a query in this process; returns the exit code, the errors, and whether the answer was found."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    words = ["brv-tui", "query", "tokens rotate", "--project", str(tree.root)]
    code: object = None
    with mock.patch.object(sys, "argv", words), redirect_stdout(out), redirect_stderr(err):
        try:
            command()
        except SystemExit as ended:
            code = ended.code
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]  # it is the BytesIO above
    return [code, texts[1], "auth/jwt/a.md" in texts[0]]


def saved(session: Session, path: str, text: bytes, new: bool = False) -> str:
    """The result of saving ``text``."""
    seen = None if new else read_note_file(session.project.tree, path)[1]
    return tried(lambda: type(session.notes.save(path, text, seen)).__name__)


def shut_out(folder: Path, seconds: float = 30.0) -> Told:
    """Actions with a read-only data folder, a read-only tree, and a note and a folder that may not be read.

    Waits up to ``seconds`` for each change that is followed.
    """
    tree = small(folder, _MANY)
    data = Path(os.environ["BRV_TUI_DATA_DIR"])
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(0o555)
    result: Told = {"query": queried(tree)}
    session = tree.session(now_ms=None)
    result["keep"] = tried(lambda: session.keep(everything=True))
    result["history"] = tried(lambda: session.history.add("tokens"))
    session.recording = True
    result["recorded"] = session.run("tokens rotate").notices[-1:]
    data.chmod(0o755)
    result["keep later"] = tried(lambda: session.keep(everything=True))

    _permit(tree.tree, 0o555, 0o444)
    result["save"] = saved(session, "auth/jwt/a.md", b"# Other\n")
    result["new"] = saved(session, "auth/jwt/new.md", b"# New\n", new=True)
    result["text"] = (tree.tree / "auth/jwt/a.md").read_text()
    result["query on it"] = queried(tree)
    _permit(tree.tree, 0o755, 0o644)

    with following(session) as followed:
        (tree.tree / "auth/jwt/a.md").chmod(0)
        (tree.tree / "ops").chmod(0)
        result["gone"] = followed.until(lambda: followed.lacks("auth/jwt/a.md", "ops/down/b.md"), seconds)
        result["unseen"] = {file.path: file.reason for file in session.snapshot.unseen}
        (tree.tree / "auth/jwt/a.md").chmod(0o644)
        (tree.tree / "ops").chmod(0o755)
        result["back"] = followed.until(lambda: followed.has("auth/jwt/a.md", "ops/down/b.md"), seconds)
        tree.note("ops/down/c.md", "New")
        result["followed"] = followed.until(lambda: followed.has("ops/down/c.md"), seconds)
    return result


def _permit(tree: Path, folders: int, files: int) -> None:
    for above, _, names in os.walk(tree):
        for name in names:
            (Path(above) / name).chmod(files)
        Path(above).chmod(folders)


def full_disk(folder: Path) -> Told:
    """Actions with the tool's own folders, and then the tree, on a full disk and then on a read-only disk."""
    disk = folder / "disk"
    mount_small(disk, "2m")
    os.environ["BRV_TUI_DATA_DIR"] = str(disk / "data")
    tree = small(folder, _MANY)
    session = tree.session(now_ms=None)
    session.history.add("before")
    drafts = DraftStore(tree.tree)
    drafts.keep("auth/jwt/a.md", b"draft", None, 0)
    filling = fill(disk)
    result: Told = {"query": queried(tree)}
    result["keep"] = tried(lambda: session.keep(everything=True))
    result["left of it"] = [place.name for place in KeptIndex(tree.tree).folder.glob("*kept*")]
    result["history"] = tried(lambda: session.history.add("after"))
    result["draft"] = tried(lambda: drafts.keep("auth/jwt/a.md", b"x" * 100_000, None, 0))
    result["crash"] = write_crash_report(RuntimeError("it broke"), Circumstances("a test"))
    draft = drafts.read("auth/jwt/a.md")
    result["still there"] = [session.history.read(), draft.data.decode() if draft else ""]
    filling.unlink()
    result["keep later"] = tried(lambda: session.keep(everything=True))
    session.close()
    result["kept"] = KeptIndex(tree.tree).read(profile("brv-3")) is not None

    own = small(disk / "own")
    session = own.session()
    fill(disk)
    result["save"] = saved(session, "auth/jwt/a.md", b"# Other\n" + b"x" * 100_000)
    result["new"] = saved(session, "auth/new/n.md", b"# New\n" + b"x" * 100_000, new=True)
    result["text"] = (own.tree / "auth/jwt/a.md").read_text()
    result["leftovers"] = [str(path) for path in own.tree.rglob("*") if leftovers.is_leftover(path.name)]
    make_read_only(disk)
    result["save read-only"] = saved(session, "auth/jwt/a.md", b"# Other\n")
    result["history read-only"] = tried(lambda: session.history.add("after"))
    result["query read-only"] = queried(own)
    return result


def run(name: str, folder: Path) -> Told:
    """Prepares this process for the scene, runs it, and returns its report."""
    if name == "full_disk":
        return full_disk(folder)
    # Only root may be able to read modules that are imported later, so they are imported before.
    with mock.patch.dict(os.environ, BRV_TUI_DATA_DIR=str(folder / "before/data")):
        shut_out(folder / "before", 0.2)
    leave_root(ROOT)
    place = folder / "own"
    place.mkdir()
    with mock.patch.dict(os.environ, BRV_TUI_DATA_DIR=str(place / "data"), BRV_DATA_DIR=str(place / "engine")):
        return shut_out(place)


if __name__ == "__main__":
    try:
        print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
    except Refused as refused:
        print(refused)
        sys.exit(CANNOT)
