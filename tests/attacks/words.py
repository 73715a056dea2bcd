"""Projects with so many words, notes or imports that reading them without limits would exhaust memory or time."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_CPU_SECONDS, _MEMORY_MB = 40.0, 2_000
"""Twice what the most expensive attack needs, because other processes share the cores. Without the limits, attacks use
3 to 10 GB.
"""
_WORDS = 200_000
"""The number of words in a file of 1.8 MB."""


def _words(number: int) -> str:
    return " ".join(f"w{word:07}" for word in range(number * _WORDS, (number + 1) * _WORDS))


def _lines(number: int) -> str:
    """The same words in lines that the engine reads completely."""
    words = _words(number).split()
    return "\n".join(" ".join(words[place : place + 200]) for place in range(0, _WORDS, 200))


def _nine_mb(number: int) -> str:
    return "\n".join(_lines(part) for part in range(number * 5, number * 5 + 5))


def _short_words() -> str:
    """4 MB of short words, all of which the engine reads."""
    return "\n".join(["a b " * 499] * 1_990)


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


def _revision(count: int) -> Callable[[Path], Sequence[str | Path]]:
    """A small repository with ``count`` notes in one commit."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / ".brv" / "context-tree"
        tree.mkdir(parents=True)
        (tree / "a.md").write_text("# North gate\n")
        paths = (f".brv/context-tree/d{number // 1_000}/n{number}.md" for number in range(count))
        files = "".join(f"M 100644 :1 {path}\n" for path in paths)
        head = "commit refs/heads/many\ncommitter a <a@b> 1700000000 +0000\ndata 1\nm\n"
        text = f"blob\nmark :1\ndata 13\n# North gate\n\n{head}{files}\n"
        subprocess.run(["git", "init", "-q", folder], check=True)
        subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input=text.encode(), check=True)
        return ["diff", "north gate", "--rev", "many", "--project", folder]

    return prepare


def _imports(name: str, line: Callable[[int], str], count: int) -> Callable[[Path], Sequence[str | Path]]:
    """Files that import all names from each other, and use a name that none of them defines."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        lines = "\n".join(map(line, range(count)))
        for number in range(count):
            (folder / name.format(number)).write_text(f"{lines}\n{_ASKS[name[-2:]].format(number)}\n")
        return ["code", "open the gate", "--repo", folder]

    return prepare


_ASKS = {"py": "def gate{0}(): Other.nosuch{0}()", "ts": "export function gate{0}() {{ Other.nosuch{0}() }}"}


def _package(count: int) -> Callable[[Path], Sequence[str | Path]]:
    """Files of one package, each of which extends the class in the previous file and calls functions of other files."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        for number in range(count):
            body = f"void f{number}() {{ f0(); this.zz(); super.f0(); new C0().q(); }}"
            text = f"package p; class C{number} extends C{number - 1} {{ {body} }}\n"
            (folder / f"C{number}.java").write_text(text)
        return ["code", "open the gate", "--repo", folder]

    return prepare


_NESTED = {
    "in each other": [("A{}.java", "class A{", "}"), ("f{}.py", "f(", ")"), ("f{}.ts", "f(", ")")],
    "beside quoted ones": [("f{}.py", "f(')',", ")"), ("f{}.ts", "f(')',", ")"), ("f{}.go", 'f(")",', ")")],
    "beside ones in comments": [
        ("f{}.py", "f(#)\n", ")"),
        ("A{}.java", "class A{/*}*/", "}"),
        ("f{}.rs", "f(/*)*/", ")"),
    ],
    "in parameters": [("f{}.rs", "fn f(a:[u8;{", "}]){}"), ("f{}.ts", "function f(a=", "){}")],
    "of unclear meaning": [
        ("f{}.ts", "(a,b=(", ""),
        ("f{}.cs", "(a)", ""),
        ("A{}.java", "A<", ""),
        ("f{}.cs", "A<", ""),
    ],
}
"""Brackets nested thousands deep: a file name, the text that opens a level, and the text that closes it."""


def _nested(forms: Sequence[tuple[str, str, str]]) -> Callable[[Path], Sequence[str | Path]]:
    """200 files of at most 28 kB."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        for number in range(200):
            name, opening, closing = forms[number % len(forms)]
            depth = min(4_000, 28_000 // len(opening + closing))
            (folder / name.format(number)).write_text(opening * depth + closing * depth)
        return ["code", "open the gate", "--repo", folder]

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
    yield Attack("400,000 notes of a revision", _revision(400_000), cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    for what, forms in _NESTED.items():
        name = f"200 files of brackets {what}"
        yield Attack(name, _nested(forms), cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    yield Attack("10,000 classes of one package", _package(10_000), cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    for name, line in {
        "m{}.py": lambda number: f"from m{number} import *",
        "m{}.ts": lambda number: f"export * from './m{number}'",
    }.items():
        prepare = _imports(name, line, 400)
        yield Attack(
            f"400 files {name} that import each other", prepare, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB
        )
    copies = _notes(query, lambda _: _lines(0), 200)
    yield Attack("200 copies of a note of 200,000 words", copies, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)
    for what, prepare in {
        "7,200,000 different words": _notes(("find", "north gate"), _lines, 36),
        "30 copies of a note of 200,000 words": _notes(("find", "north gate"), lambda _: _lines(0), 30),
        "20 notes of 2,000,000 short words": _notes(("find", "north gate"), lambda _: _short_words(), 20),
        "such notes, all of which match": _notes(("find", '"a a" OR note a'), lambda _: _short_words(), 20),
    }.items():
        yield Attack(f"finding in {what}", prepare, cpu_seconds=_CPU_SECONDS, memory_mb=_MEMORY_MB)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
