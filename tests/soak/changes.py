"""Random changes to a context tree, at a fixed rate, like those made by editors, agents and the engine.

``python -m tests.soak.changes PROJECT`` reads a number of seconds from each line of its input, makes changes for that
time, and prints a line of JSON with the number of changes of each kind so far.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

from brvtui.tree.engine_files.sidecar import project_data, signals_folder
from brvtui.tree.reading.files import Role, role_of
from tests.support.generated import WORDS

DOMAINS = ("auth", "billing", "ingest", "ops", "Caps", "_archived")
_DAY_S = 86_400
_ODD_LASTS = 40
"""The number of changes before an odd file is removed. Until then, the program must read the whole tree."""


class Changes:
    """Changes one project. No other process writes to the notes that it creates."""

    def __init__(self, root: Path, notes: int, seed: int, keeps_tree: bool = False) -> None:
        """Set ``keeps_tree`` if others write to the tree, because replacing the whole tree would lose their changes."""
        self.tree = root / ".brv" / "context-tree"
        self.signals = signals_folder(project_data(root))
        self.made: Counter[str] = Counter()
        self._wanted = notes
        self._pick = random.Random(seed)
        self._number = 0
        self._planted: deque[tuple[int, Path]] = deque()
        """Odd files, each with the number of the change before which it is removed."""
        kinds: dict[str, tuple[float, Callable[[], None]]] = {
            "edit": (200, self._edit),
            "edit by renaming": (100, self._edit_by_renaming),
            "create": (120, self._create),
            "delete": (110, self._delete),
            "move": (70, self._move),
            "touch": (80, self._touch),
            "frontmatter": (80, self._frontmatter),
            "signals": (120, self._signals),
            "summary": (40, self._summary),
            "abstract": (20, self._abstract),
            "context": (15, self._context),
            "folder moved": (6, self._folder_moved),
            "folder replaced": (8, self._folder_replaced),
            "folder deleted": (3, self._folder_deleted),
            "odd": (4, self._odd),
            "tree replaced": (0.0 if keeps_tree else 0.5, self._tree_replaced),
        }
        self._kinds = {kind: make for kind, (_, make) in kinds.items()}
        self._weights = {kind: weight for kind, (weight, _) in kinds.items()}
        self._paths: list[str] = []
        self._derived: list[str] = []
        """Summaries, contexts and abstracts. Their number is limited, and the oldest one is removed first."""
        self._look()

    def fill(self) -> None:
        """Creates the wanted number of notes."""
        while len(self._paths) < self._wanted:
            self._create()
        for _ in range(self._wanted // 5):
            self._summary()
            self._signals()

    def run(self, seconds: float, rate: float) -> None:
        """Makes ``rate`` changes a second if possible, each at its time; late changes are made immediately."""
        began = time.monotonic()
        for number in range(round(seconds * rate)):
            early = began + number / rate - time.monotonic()
            if early > 0:
                time.sleep(early)
            elif time.monotonic() - began > seconds:
                return
            self.one()

    def one(self) -> None:
        """Makes one change."""
        while self._planted and self._planted[0][0] < self.made.total():
            remove(self._planted.popleft()[1])
        (kind,) = self._pick.choices(list(self._weights), list(self._weights.values()))
        if kind in ("create", "delete"):
            kind = "create" if len(self._paths) < self._wanted else "delete"
        self._kinds[kind]()
        self.made[kind] += 1

    # notes

    def _create(self) -> None:
        path = f"{self._folder()}/{self._name()}"
        self._write(path, self._text())
        self._paths.append(path)

    def _edit(self) -> None:
        self._write(self._some(), self._text())

    def _edit_by_renaming(self) -> None:
        place = self.tree / self._some()
        beside = place.with_name(f".{place.name}.swp")
        beside.write_text(self._text())
        beside.replace(place)

    def _delete(self) -> None:
        path = self._paths.pop(self._pick.randrange(len(self._paths)))
        (self.tree / path).unlink()
        (self.signals / f"{path}.json").unlink(missing_ok=True)

    def _move(self) -> None:
        before, after = self._some(), f"{self._folder()}/{self._name()}"
        (self.tree / after).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / before).rename(self.tree / after)
        (self.signals / f"{before}.json").unlink(missing_ok=True)
        self._paths[self._paths.index(before)] = after

    def _touch(self) -> None:
        self._age(self.tree / self._some())

    def _frontmatter(self) -> None:
        place = self.tree / self._some()
        body = place.read_text(errors="replace").split("\n---\n")[-1]
        place.write_text(self._block() + body)

    def _summary(self) -> None:
        order = self._pick.choice((0, 1, 2, 3, 3, 7, '"x"'))
        text = f"---\ntype: summary\ncondensation_order: {order}\ntoken_count: {self._number}\n---\n{self._prose()}\n"
        self._derive(f"{self._some().rpartition('/')[0]}/_index.md", text)

    def _context(self) -> None:
        self._derive(f"{self._some().rpartition('/')[0]}/context.md", f"# {self._words(2)}\n\n{self._prose()}\n")

    def _abstract(self) -> None:
        path = self._some().removesuffix(".md")
        self._derive(f"{path}.{self._pick.choice(('abstract', 'abstract', 'overview'))}.md", self._prose())

    def _signals(self) -> None:
        note = self._some() if self._pick.random() < 0.9 else f"{self._folder()}/_index.md"
        place = self.signals / f"{note}.json"
        if self._pick.random() < 0.15:
            place.unlink(missing_ok=True)
            return
        value = {
            "importance": self._pick.choice((0, 100, self._pick.uniform(0, 100))),
            "recency": self._pick.random(),
            "maturity": self._pick.choice(("draft", "validated", "core", "unknown")),
            "accessCount": self._pick.randrange(9),
            "updateCount": self._pick.randrange(9),
        }
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_suffix(".tmp")
        beside.write_text(json.dumps({"createdAt": 1, "updatedAt": self._number, "value": value}))
        beside.replace(place)

    # folders

    def _folder_moved(self) -> None:
        folder, away = self._deep_folder(), f"{self._pick.choice(DOMAINS)}/moved_{self._next()}"
        if folder:
            (self.tree / away).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / folder).rename(self.tree / away)
            shutil.rmtree(self.signals / folder, ignore_errors=True)
            self._look()

    def _folder_replaced(self) -> None:
        folder = self._deep_folder()
        if folder:
            place, beside = self.tree / folder, self.tree.parent / f"new_{self._next()}"
            shutil.copytree(place, beside, symlinks=True)
            for file in beside.rglob("note_*.md"):
                if self._pick.random() < 0.5:
                    file.write_text(self._text())
            away = beside.with_name(f"{beside.name}_old")
            place.rename(away)
            beside.rename(place)
            shutil.rmtree(away)

    def _folder_deleted(self) -> None:
        folder = self._deep_folder()
        if folder:
            shutil.rmtree(self.tree / folder)
            shutil.rmtree(self.signals / folder, ignore_errors=True)
            self._look()

    def _tree_replaced(self) -> None:
        beside = self.tree.with_name(f"tree_{self._next()}")
        shutil.copytree(self.tree, beside, symlinks=True)
        shutil.rmtree(self.tree)
        beside.rename(self.tree)

    def _odd(self) -> None:
        """Adds an odd entry, such as a link or a broken signal file, which is removed later."""
        place = self.tree / self._pick.choice(DOMAINS) / f"odd_{self._next()}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        what = self._pick.randrange(8)
        if what == 0:
            place.symlink_to(self.tree / self._some())
        elif what == 1:
            place = place.with_suffix("")
            place.symlink_to(self.tree.parent)
        elif what == 2:
            place = place.with_name(f".hidden_{self._number}")
            place.mkdir()
            (place / "n.md").write_text(self._text())
        elif what == 3:
            place = place.with_suffix(".MD")
            place.write_text(self._text())
        elif what == 4:
            place.write_bytes(self._text().encode() + b"\0\xff")
        elif what == 5:
            place = place.with_name(f"a:{place.name}")
            place.write_text(self._text())
        elif what == 6:
            place.mkdir()
            (place / "n.md").write_text(self._text())
        else:
            place = self.signals / self._some()
            place = place.with_name(f"{place.name}.json")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("{broken")
        self._planted.append((self.made.total() + _ODD_LASTS, place))

    # contents of notes

    def _write(self, path: str, text: str) -> None:
        place = self.tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        if self._pick.random() < 0.4:
            self._age(place)

    def _derive(self, path: str, text: str) -> None:
        self._write(path, text)
        self._derived.append(path)
        while len(self._derived) > self._wanted // 3:
            (self.tree / self._derived.pop(0)).unlink(missing_ok=True)

    def _age(self, place: Path) -> None:
        """Sets a random file time: new, old, tomorrow, or a time that becomes a whole day old within seconds."""
        soon = _DAY_S - self._pick.uniform(0, 20)
        days = self._pick.choice((0, -1, self._pick.random(), self._pick.uniform(1, 40), self._pick.uniform(40, 400)))
        moment = time.time() - self._pick.choice((soon, days * _DAY_S, days * _DAY_S))
        os.utime(place, (moment, moment))

    def _look(self) -> None:
        """Reads the tree again after folders changed."""
        files = sorted(self.tree.rglob("*.md"))
        paths = [file.relative_to(self.tree).as_posix() for file in files if file.name.startswith(("note_", "_", "c"))]
        self._paths = [path for path in paths if role_of(path) in (Role.NOTE, Role.STUB)]
        self._derived = [path for path in paths if role_of(path) not in (Role.NOTE, Role.STUB)]

    def _some(self) -> str:
        return self._pick.choice(self._paths or ["none.md"])

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _name(self) -> str:
        return f"note_{self._next()}{'.stub' if self._pick.random() < 0.1 else ''}.md"

    def _block(self) -> str:
        fields = [
            f"importance: {self._pick.randrange(101)}",
            f"maturity: {self._pick.choice(('draft', 'validated', 'core', 'other'))}",
            f"related: ['@{self._some()}', {self._pick.choice(DOMAINS)}]",
            f"updatedAt: 2026-0{self._pick.randrange(1, 10)}-01",
            "tags: [a, b",
        ]
        return "---\n" + "\n".join(self._pick.sample(fields, self._pick.randrange(4))) + "\n---\n"

    def _text(self) -> str:
        before = self._block() if self._pick.random() < 0.3 else ""
        link = f"[see](/{self._some()}) @{self._some()}" if self._pick.random() < 0.5 else ""
        return f"{before}# {self._words(2)}\n\n{self._prose()}\n{link}\n"

    def _prose(self) -> str:
        """Sentences, with a word that no other note has."""
        lines = [self._words(self._pick.randint(1, 12)) for _ in range(self._pick.randint(1, 8))]
        return ".\n".join([*lines, f"{self._pick.randbytes(4).hex()} {self._next()}"])

    def _words(self, count: int) -> str:
        return " ".join(self._pick.choices(WORDS, k=count))

    def _folder(self) -> str:
        inner = (self._pick.choice(("jwt", "core", "deep", "x y", "é")) for _ in range(self._pick.randrange(3)))
        return "/".join((self._pick.choice(DOMAINS), *inner))

    def _deep_folder(self) -> str:
        """A folder directly below a domain, with a note in or below the folder; empty if there is none."""
        for _ in range(20):
            parts = self._some().split("/")
            if len(parts) > 2:
                return "/".join(parts[:2])
        return ""


def remove(place: Path) -> None:
    """Removes a file, a link or a folder if it exists."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--keeps-tree", action="store_true", help="others write into the tree too")
    options = parser.parse_args(arguments)
    changes = Changes(options.project, options.notes, options.seed, options.keeps_tree)
    changes.fill()
    for line in sys.stdin:
        changes.run(float(line), options.rate)
        print(json.dumps(changes.made), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
