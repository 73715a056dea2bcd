"""Projects of so many different words that an index of all of them would fill the memory."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_CPU_SECONDS, _MEMORY_MB = 40.0, 2_000
"""Twice of what the costliest takes, as other processes share the cores; without limits, each takes 3 to 10 GB."""
_WORDS = 200_000
"""In a file of 1.8 MB."""


def _words(number: int) -> str:
    return " ".join(f"w{word:07}" for word in range(number * _WORDS, (number + 1) * _WORDS))


def _lines(number: int) -> str:
    """The same in lines that the engine reads as a whole."""
    words = _words(number).split()
    return "\n".join(" ".join(words[place : place + 200]) for place in range(0, _WORDS, 200))


def _nine_mb(number: int) -> str:
    return "\n".join(_lines(part) for part in range(number * 5, number * 5 + 5))


def _in_fact(number: int) -> str:
    return f"<bv-topic><bv-fact>{_words(number)}</bv-fact></bv-topic>"


def _in_summary(number: int) -> str:
    return f'<bv-topic summary="{_words(number)}"><bv-fact>x</bv-fact></bv-topic>'


def _characters(number: int) -> str:
    pick = random.Random(number)
    return "".join(chr(pick.randrange(0x4E00, 0x9FFF)) for _ in range(650_000))


def _notes(
    arguments: Sequence[str], text_of: Callable[[int], str], count: int
) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / ".brv" / "context-tree" / "yard"
        tree.mkdir(parents=True)
        (folder / ".brv" / "config.json").write_text("{}")
        for number in range(count):
            (tree / f"{number}.md").write_text(f"# Note {number}\n\n{text_of(number)}\n", "utf-8")
        return [*arguments, "--project", folder]

    return prepare


def _space(html_of: Callable[[int], str], count: int) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / ".brv" / "context-tree" / "yard"
        tree.mkdir(parents=True)
        for number in range(count):
            (tree / f"{number}.html").write_text(html_of(number), "utf-8")
        return ["query", "north gate", "--root", tree.parent]

    return prepare


def _all() -> Iterator[Attack]:
    query, migrate = ("query", "north gate"), ("migrate", "--dry-run", "north gate")
    for what, prepare in {
        "notes": _notes(query, _lines, 36),
        "notes of 9 MB, migrated": _notes(migrate, _nine_mb, 8),
        "notes, migrated": _notes(migrate, _lines, 36),
        "notes that are not lines, migrated": _notes(migrate, _words, 36),
        "topics": _space(_in_fact, 36),
        "attributes": _space(_in_summary, 36),
    }.items():
        yield Attack(f"7,200,000 different words in {what}", prepare, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    characters = _space(lambda number: f"<bv-topic><bv-fact>{_characters(number)}</bv-fact></bv-topic>", 12)
    yield Attack("7,800,000 pairs of characters", characters, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    copies = _notes(query, lambda _: _lines(0), 200)
    yield Attack("200 copies of a note of 200,000 words", copies, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
