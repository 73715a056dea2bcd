"""The tool's own files: damaged, replaced by traps, left by killed writers, or open to other users."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_NOTE = "yard/gate.md"
_MAKE = """
import os, stat, sys, time
from pathlib import Path
from brvtui.session import Session
from brvtui.store.app_state import History, LayoutStore
from brvtui.store.drafts import DraftStore
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference
from brvtui.store.edit_record import read_record, write_record
from brvtui.store.overlay import Overlay
from brvtui.store.vectors import VectorStore
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.tree.reading.signals import NoteSignals, Source
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.store.feedback import FeedbackFile
from brvtui.logbook import SessionLog
import numpy

os.umask(0o022)
root = Path(sys.argv[-1])
tree = root / ".brv" / "context-tree"
own = Path(os.environ["BRV_TUI_DATA_DIR"])
DraftStore(tree).keep("yard/gate.md", b"typed", None, 1)
History(tree, 9).add("north gate")
LayoutStore(tree).write({"Query": {}})
Overlay(tree).write({"yard/gate.md": NoteSignals(77.0, 1.0, "draft", 0, 0, source=Source.OVERLAY)})
earlier = Difference({"yard/gate.md": EditedFile("yard/gate.md", b"# Gate", 1)}, frozenset())
write_record(tree, earlier, time.time() * 1000)
SessionLog(tree).add(LoggedQuery(1.0, "north gate", "brv-tui", "completed"))
FeedbackFile(tree, "byterover").add(Feedback("north gate", "yard/gate.md", next(iter(Usefulness)), 1.0))
VectorStore(tree, "m").write({"a": numpy.ones(3, dtype=numpy.float32)})

def used():
    session = Session.open(root)
    session.load()
    session.recording = True
    assert session.run("north gate").hits
    for act in (lambda: session.history.add("north gate"), lambda: LayoutStore(tree).write({"Notes": {}})):
        try:
            act()
        except OSError:
            pass  # said in one line, as of a full disk
    session.logbook.read(9)
    try:
        read_record(tree, NoteSignals(50.0, 1.0, "draft", 0, 0, source=Source.OVERLAY))
    except (OSError, ValueError):
        pass  # eval and diff refuse to compare with a revision
    try:
        FeedbackFile(tree, "byterover").counts()
    except OSError:
        pass  # said in a notice
    VectorStore(tree, "m").read()
    session.close()
    return session.snapshot.notices

def at(pattern):
    (found,) = own.rglob(pattern)
    return found
"""
_FILES = {
    "the drafts": "drafts/*.json",
    "the history": "history.json",
    "the layout": "layout.json",
    "recorded signals": "overlay.json",
    "the texts before edits": "before-edits.json",
    "the log": "queries.jsonl",
    "feedback": "feedback/*.jsonl",
    "vectors": "vectors/*.npz",
}
_DAMAGES = {
    "have a flipped bit": "data = bytearray(file.read_bytes()); data[len(data) // 2] ^= 1; file.write_bytes(data)",
    "are cut to half": "os.truncate(file, file.stat().st_size // 2)",
    "are a pipe": "file.unlink(); os.mkfifo(file)",
    "are a link to /dev/zero": "file.unlink(); file.symlink_to('/dev/zero')",
    "are a folder": "file.unlink(); file.mkdir()",
    "grow to 1 GB": "os.truncate(file, 1 << 30)",
}
_KEPT = {"before-edits.json", "drafts/*.json", "history.json", "layout.json", "overlay.json"}
"""Files that may hold what a user wrote: damaged, they are set aside and named."""
_OPEN = """
used()
roots = (own / "cache", own / "config")  # the user may give these: they stay as they are
places = [place for place in own.rglob("*") if place not in roots]
open_to_others = [place for place in places if place.lstat().st_mode & 0o077]
assert not open_to_others, open_to_others
"""
_LEFT_OPEN = """
for place in [*own.rglob("*")]:
    place.chmod(0o777 if place.is_dir() else 0o666)
"""
_KILLED = """
import subprocess
text = b"# Gate\\n\\nnorth gate\\n" + b"opens " * 300_000
script = '''
import os, signal, sys, threading, time
from pathlib import Path
from brvtui.tree.saving.note_files import read_note_file, save
tree, at = Path(sys.argv[1]), float(sys.argv[2])
threading.Timer(at, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
while True:
    data, version = read_note_file(tree, "yard/gate.md")
    save(tree, "yard/gate.md", data[:1_800_000] + os.urandom(8).hex().encode(), version)
'''
(tree / "yard/gate.md").write_bytes(text)
for turn in range(6):
    done = subprocess.run([sys.executable, "-c", script, str(tree), str(0.2 + turn * 0.013)])
    assert done.returncode == -9, done
named = used()
assert not [*tree.rglob(".brv-tui-*")], named
drafts = [draft.data for draft in DraftStore(tree).all() if draft.data != b"typed"]
assert all(data[:1_800_000] == text[:min(len(data), 1_800_000)] for data in drafts), [*map(len, drafts)]
"""


def _project(folder: Path) -> Sequence[str | Path]:
    note = folder / ".brv" / "context-tree" / _NOTE
    note.parent.mkdir(parents=True)
    (folder / ".brv" / "config.json").write_text("{}")
    note.write_text("# Gate\n\nnorth gate opens\n")
    return [folder]


def _damaged(pattern: str, damage: str) -> str:
    kept = 'assert any(".broken: damaged" in notice for notice in told), told' if _is_named(pattern, damage) else ""
    return f'{_MAKE}\nfile = at("{pattern}")\n{damage}\ntold = used()\n{kept}\n'


def _is_named(pattern: str, damage: str) -> bool:
    return pattern in _KEPT and "unlink" not in damage


ATTACKS = (
    *(
        Attack(f"{what} {how}", _project, _damaged(pattern, damage))
        for what, pattern in _FILES.items()
        for how, damage in _DAMAGES.items()
    ),
    Attack("others look at what is written", _project, f"{_MAKE}{_OPEN}"),
    Attack("others look at what was left open", _project, f"{_MAKE}{_LEFT_OPEN}{_OPEN}"),
    Attack("writers of a note are killed", _project, f"{_MAKE}{_KILLED}"),
)

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
