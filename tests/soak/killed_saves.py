"""Saves that are killed, or disturbed by another writer, after each of their system calls.

``python -m tests.soak.killed_saves --edits 1000`` runs all of them in a temporary folder (``--in DIR``: below DIR) and
prints what was tried. It stops with a message at any wrong state.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from brvtui.tree.saving import exchange, leftovers
from brvtui.tree.saving.file_version import FileVersion
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, move, read_note_file, remove, save
from tests.support.tracing import CannotTrace, Child

NOTE, OTHER = "auth/jwt/note.md", "ops/moved.md"
CANNOT_TRACE = 77
_LATER = 86_400 + leftovers.OLD_SECONDS
_MODE = 0o640

Files = dict[str, bytes]


@dataclass(frozen=True)
class Edit:
    """One random change, with the contents of the tree before and after it."""

    kind: str
    old: bytes
    new: bytes

    @property
    def before(self) -> Files:
        return {} if self.kind == "create" else {NOTE: self.old}

    @property
    def after(self) -> Files:
        return {"remove": {}, "move": {OTHER: self.old}}.get(self.kind, {NOTE: self.new})


@dataclass
class Tried:
    """The results of a run."""

    edits: int = 0
    states: int = 0
    kills: int = 0
    disturbed: int = 0
    disturbed_kills: int = 0
    most_calls: int = 0
    drafts: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)


class Wrong(AssertionError):
    """A wrong state."""


class Run:
    """Edits of one note in a separate folder."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.pick = random.Random(seed)
        self.tried = Tried()

    def edit(self, kinds: tuple[str, ...] = ("save", "save", "keep_mtime", "create", "remove", "move")) -> Edit:
        """Returns a random edit of a random text."""
        old = self.pick.randbytes(self.pick.choice((0, 1, 40, 400, 9_000)))
        start, end = sorted(self.pick.choices(range(len(old) + 1), k=2))
        new = old[:start] + self.pick.randbytes(self.pick.randrange(60)) + old[end:]
        return Edit(self.pick.choice(kinds), old, new if new != old else old + b"\n")

    def killed(self, edit: Edit, every: bool) -> None:
        """Checks the tree after each system call, then kills the process after each call, or after a random one."""
        seen = self.lay(edit)
        states = 0
        child = Child(act(self.root, edit, seen))
        for states in child.calls():
            self.look(edit, f"after call {states}", (*edit.before, *edit.after))
        if child.exit_code != 0:
            raise Wrong(f"{edit.kind}: exit code {child.exit_code}")
        self.settled(edit, (edit.after,))
        self.tried.edits += 1
        self.tried.states += states
        self.tried.most_calls = max(self.tried.most_calls, states)
        for number in range(1, states + 1) if every else (self.pick.randint(1, states),):
            self.kill_at(edit, number)

    def kill_at(self, edit: Edit, number: int) -> None:
        seen = self.lay(edit)
        child = Child(act(self.root, edit, seen))
        for count in child.calls():
            if count == number:
                child.kill()
                break
        self.look(edit, f"killed after call {number}", (*edit.before, *edit.after))
        self.settled(edit, (edit.before, edit.after))
        self.tried.kills += 1

    def look(self, edit: Edit, when: str, paths: tuple[str, ...]) -> None:
        """Checks that the notes are those from before or after the edit."""
        held = {path: data for path in set(paths) if (data := contents(self.root / path)) is not None}
        if held not in (edit.before, edit.after, *linked(edit)):
            sizes = {path: len(data) for path, data in held.items()}
            raise Wrong(f"{edit.kind}, {when}: holds {sizes}, wanted {len(edit.old)} or {len(edit.new)} bytes")

    def settled(self, edit: Edit, allowed: tuple[Files, ...]) -> None:
        """Checks that, after the next opening, only the files of an ``allowed`` state exist, with their permissions."""
        texts: list[leftovers.UnsavedText] = []
        leftovers.clear_leftovers(self.root, time.time(), lambda text: not texts.append(text))
        for text in texts:
            if (text.path, text.data) != (NOTE, edit.new):
                raise Wrong(f"{edit.kind}: {text.path} would get a draft of {len(text.data)} bytes")
        self.tried.drafts += len(texts)
        held = all_files(self.root)
        if held not in (*allowed, *linked(edit)):
            raise Wrong(f"{edit.kind}: left {sorted(held)}")
        if edit.kind != "create" and any((self.root / path).stat().st_mode & 0o777 != _MODE for path in held):
            raise Wrong(f"{edit.kind}: other permissions")

    def disturbed(self, edit: Edit, theirs: bytes, how: str, write_at: int, kill_at: int = 0) -> bool:
        """Makes another program write after one system call, and perhaps kills the process after a later call.

        The other text must be in the note at the end, or in a named file. Returns False if there are fewer calls.
        """
        seen = self.lay(edit)
        answer = self.root.parent / "answer.json"
        answer.unlink(missing_ok=True)
        reached = killed = False
        with Writer(self.root / NOTE, theirs, how) as writer:
            child = Child(act(self.root, edit, seen, answer))
            for count in child.calls():
                self.tried.most_calls = max(self.tried.most_calls, count)
                if count == write_at:
                    writer.write()
                    reached = True
                if count == kill_at:
                    child.kill()
                    killed = True
                    break
        if not reached:
            return False
        self.tried.disturbed += 1
        self.tried.disturbed_kills += killed
        result = {} if killed else json.loads(answer.read_text())
        said = str(result.get("said", "killed"))
        self.tried.outcomes[said] = self.tried.outcomes.get(said, 0) + 1
        self.nothing_lost(edit, theirs, how, result, f"{how} after call {write_at}, {said}")
        return True

    def nothing_lost(self, edit: Edit, theirs: bytes, how: str, told: dict[str, str], when: str) -> None:
        """Checks that the other text exists in some file, and that it is in the note if the result is a conflict."""
        if told.get("said") == "error":
            raise Wrong(f"{edit.kind}, {when}: {told['kept']}")
        place = contents(self.root / NOTE)
        named = {path: contents(self.root / path) for path in filter(None, [told.get("kept")])}
        drafts: list[bytes] = []
        leftovers.clear_leftovers(self.root, time.time() + _LATER, lambda text: not drafts.append(text.data))
        if how == "remove":
            if place is not None and told.get("said") == "conflict":
                raise Wrong(f"{edit.kind}, {when}: a removed note is back")
            return
        found = (place, contents(self.root / OTHER), *named.values(), *drafts)
        if theirs not in found:
            raise Wrong(f"{edit.kind}, {when}: the other text is lost; in place {place!r:.60}, kept {sorted(named)}")
        if told.get("said") == "conflict" and place != theirs:
            raise Wrong(f"{edit.kind}, {when}: a conflict that left another text in place")

    def lay(self, edit: Edit) -> FileVersion | None:
        """Writes the tree as it was before the edit."""
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / NOTE).parent.mkdir(parents=True)
        if edit.kind == "create":
            return None
        (self.root / NOTE).write_bytes(edit.old)
        (self.root / NOTE).chmod(_MODE)
        return read_note_file(self.root, NOTE)[1]


class Writer:
    """Another program that writes into a note, replaces it, writes through an open file, or removes it."""

    HOWS = ("into", "in place", "open", "remove")

    def __init__(self, file: Path, data: bytes, how: str) -> None:
        self.file, self.data, self.how = file, data, how

    def __enter__(self) -> Writer:
        self.opened = self.file.open("r+b", buffering=0) if self.how == "open" and self.file.exists() else None
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened:
            self.opened.close()

    def write(self) -> None:
        if self.opened:
            self.opened.truncate(0)
            self.opened.write(self.data)
        elif self.how == "remove":
            self.file.unlink(missing_ok=True)
        elif self.how == "in place":
            other = self.file.with_name("theirs.tmp")
            other.write_bytes(self.data)
            other.replace(self.file)
        else:
            was = self.file.stat() if self.file.exists() else None
            self.file.write_bytes(self.data)
            if was:
                os.utime(self.file, ns=(was.st_atime_ns, was.st_mtime_ns))


def act(root: Path, edit: Edit, seen: FileVersion | None, answer: Path | None = None) -> Callable[[], int]:
    """Runs in the child. The result is its exit code, and is written to ``answer``."""

    def run() -> int:
        try:
            done = asked(root, edit, seen)
        except SaveError as error:
            said, kept = "error", str(error)
        else:
            said, kept = ("saved" if isinstance(done, Saved) else "conflict"), done.kept
        if answer:
            answer.write_text(json.dumps({"said": said, "kept": kept}))
        return 0 if said == "saved" else 1

    return run


def asked(root: Path, edit: Edit, seen: FileVersion | None) -> Saved | Conflict:
    if edit.kind == "remove" and seen:
        return remove(root, NOTE, seen)
    if edit.kind == "move" and seen:
        return move(root, NOTE, OTHER, seen)
    return save(root, NOTE, edit.new, seen, keep_mtime=edit.kind == "keep_mtime")


def linked(edit: Edit) -> list[Files]:
    """The state in which a note that is being moved has both names, if moves use hard links."""
    has_both = edit.kind == "move" and exchange._renameat2() is None
    return [edit.before | edit.after] if has_both else []


def contents(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def all_files(root: Path) -> Files:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def disturbances(run: Run, every: bool, rounds: int, stride: int) -> None:
    """Disturbs edits by a write of each kind after their system calls, and then also by kills."""
    for _ in range(rounds):
        for kind, how in itertools.product(("save", "keep_mtime", "create", "remove", "move"), Writer.HOWS):
            edit = run.edit((kind,))
            theirs = run.pick.randbytes(len(edit.old)) + b"theirs"
            at = run.pick.randint(1, stride)
            while run.disturbed(edit, theirs, how, at):
                later = range(at, run.tried.most_calls + 1) if every else (run.pick.randint(at, run.tried.most_calls),)
                for kill_at in later:
                    run.disturbed(edit, theirs, how, at, kill_at)
                at += run.pick.randint(1, 2 * stride - 1)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--killed-at-one", action="store_true", help="kill each edit after one call, not after each")
    parser.add_argument("--rounds", type=int, default=4, help="rounds of other writers")
    parser.add_argument("--stride", type=int, default=1, help="calls, on average, from one disturbed to the next")
    parser.add_argument("--every-pair", action="store_true", help="kill after each call that follows the other writer")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--in", dest="folder", type=Path)
    options = parser.parse_args(arguments)
    place = Path(tempfile.mkdtemp(dir=options.folder))
    began = time.monotonic()
    try:
        run = Run(place / "tree", options.seed)
        for _ in range(options.edits):
            run.killed(run.edit(), not options.killed_at_one)
        disturbances(run, options.every_pair, options.rounds, options.stride)
        with_swap = json.dumps(vars(run.tried))
        exchange._renameat2 = lambda: None  # type: ignore[assignment]
        other = Run(place / "tree", options.seed)
        for _ in range(max(options.edits // 10, 1)):
            other.killed(other.edit(), not options.killed_at_one)
    except CannotTrace as error:
        print(error)
        return CANNOT_TRACE
    except Wrong as error:
        print(f"WRONG: {error}")
        return 1
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(with_swap)
    print(json.dumps(vars(other.tried)))
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
