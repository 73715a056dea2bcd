"""Measures links, similar notes, moving and archiving in this process, on notes that link to each other.

    python -m benchmarks.notes FOLDER [--notes 10000] [--rounds 5]

If FOLDER does not exist, it is created: a project with this number of notes, each with five links. Prints milliseconds:
the median, and the lowest and the highest round. Each round undoes its own changes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.rounds import Times
from benchmarks.timings import peak_mb, setting
from brvtui.lab.backlinks import LinkReader
from brvtui.session import Session

_FRONT = (
    "---\ntitle: Note {number}\nsummary: {summary}\ntags: [a, b]\nrelated: [{related}]\nkeywords: [x]\n"
    "createdAt: '2026-01-02T08:00:00.000Z'\nupdatedAt: '2026-01-02T08:00:00.000Z'\n---\n"
)
_VOWELS, _CONSONANTS = "aeiou", "bcdfglmnprst"


def path_of(number: int) -> str:
    """The path of the note with this number, in one of 20 domains and 200 topics."""
    return f"d{number % 20}/t{number % 200}/note_{number}.md"


def make(root: Path, count: int) -> None:
    """A project of ``count`` notes, always the same."""
    rng = random.Random(3)
    words = ["".join(rng.choice(letters) for letters in (_CONSONANTS, _VOWELS) * 3) for _ in range(20_000)]
    tree = root / ".brv" / "context-tree"
    tree.mkdir(parents=True)
    (root / ".brv" / "config.json").write_text("{}")
    for number in range(count):
        others = [path_of(rng.randrange(count)) for _ in range(4)]
        summary = " ".join(rng.choices(words, k=8))
        front = _FRONT.format(number=number, summary=summary, related=", ".join(others[:2]))
        body = f"# Note {number}\n\n{' '.join(rng.choices(words, k=250))}\n\n[next](note_{(number + 200) % count}.md)\n"
        place = tree / path_of(number)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{front}{body}\n## Relations\n@{others[2]}\n@{others[3]}\n", encoding="utf-8")


def one_round(session: Session, path: str, timed: Callable[[str, Callable[[], object]], None]) -> None:
    """Runs everything once, first without any known links, and calls ``timed`` with each measured function."""
    reader = LinkReader()
    snapshot = session.snapshot
    timed("links of all notes, nothing known", lambda: reader.index(snapshot))
    timed("similar notes", lambda: session.finder.similar(path, 10))
    notes = session.notes
    notes.links().backlinks(path)
    timed("links and backlinks of a note", lambda: (notes.links().links_of(path), notes.links().backlinks(path)))
    timed("move a note: the plan", lambda: notes.plan_move(path, "d0/new/place.md"))
    timed("move a note: done", lambda: notes.apply(notes.plan_move(path, "d0/new/place.md")))
    timed("undo", notes.undo)
    timed("move a domain: the plan", lambda: notes.plan_move("d1", "renamed"))
    timed("move a domain: done", lambda: notes.apply(notes.plan_move("d1", "renamed")))
    timed("undo of that", notes.undo)
    timed("archive a note", lambda: notes.apply(notes.plan_archive(path)))
    notes.undo()


def main() -> None:
    """Reads the arguments and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if not args.folder.exists():
        make(args.folder, args.notes)
    session = Session.open(args.folder)
    session.load()
    print(f"{len(session.snapshot.notes)} notes; {setting()}")
    times = Times()
    times.timed("similar notes, with the index to make", lambda: session.finder.similar(path_of(0), 10))
    for number in range(args.rounds):
        one_round(session, path_of(number * 37), times.timed)
    for name, half, least, most in times.rows():
        print(f"{name:40} {half:9.1f}  ({least:.1f} to {most:.1f})")
    print(f"most memory {peak_mb():.0f} MB")


if __name__ == "__main__":
    main()
