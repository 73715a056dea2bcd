"""Notes that take long or much memory to parse: aliases that multiply, deep nesting, very many links."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_LONG = 400_000


def bomb(levels: int, times: int) -> str:
    """YAML in which each level repeats the one before; quoted keys need no space before an alias."""
    rows = [",".join(f'"{n}":*a{level}' for n in range(times)) for level in range(levels - 1)]
    return "\n".join(
        ['a0: &a0 {"k":1}', *(f"a{level}: &a{level} {{{row}}}" for level, row in enumerate(rows, start=1))]
    )


FRONTMATTER = {
    "aliases of quoted keys, 713 bytes": bomb(12, 5),
    "aliases in 400 levels": bomb(400, 2),
    "3 levels of 900 aliases": bomb(3, 900),
    "merge keys": "\n".join(["a0: &a0 {k: 1}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60))]),
    "an alias to what holds it": "a: &a {<<: *a}",
    "deep lists": "a: " + "[" * 30_000,
    "deep maps": "a: " + '{"a":' * 10_000,
    "deep blocks": "".join(f"{' ' * level}a:\n" for level in range(350)),
    "a number of 60,000 digits": "a: " + "9" * 60_000,
    "a number in base 60": "a: 1" + ":59" * 20_000,
    "13,000 keys": "".join(f"k{n}: \n" for n in range(8_000)),
    "one key 10,000 times": "a:\n" * 10_000,
}
TEXTS = {
    "30,000 entries of related and 47,000 relations": (
        "---\nrelated: [" + "a," * 30_000 + "]\n---\n" + "@a/b/c " * 47_000
    ),
    "67,000 links on one line": "[a](b)" * (_LONG // 6),
    "brackets that are no links": "](a" * (_LONG // 3),
    "parentheses": "[](x" + "](x)" * (_LONG // 4),
    "runs of backticks": "".join("`" * (n % 300 + 1) + " " for n in range(2_600)),
    "10 MB of links": "[a](b)\n" * 1_400_000,
    "10 MB of relations": "@a/b/c " * 1_400_000,
    "10 MB on one line": "x" * 9_999_000,
    "headings": "# \n" * 100_000,
}


def _project(text: str, name: str = "note.md") -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / ".brv" / "context-tree" / "yard"
        tree.mkdir(parents=True)
        (folder / ".brv" / "config.json").write_text("{}")
        (folder / ".brv" / "brv-tui.toml").write_text("[signals]\nfrontmatter = true\n")
        (tree / "gate.md").write_text("# North gate\n\nopens at six [note](note.md)\n")
        (tree / name).write_text(text)
        return ["explain", "north gate", "yard/gate.md", "--project", folder]

    return prepare


_READ_LINKS = """
import sys
from pathlib import Path
from brvtui.session import Session
session = Session.open(Path(sys.argv[-1]))
session.load()
assert session.notes.links().backlinks("yard/note.md")
session.close()
"""
_COMPARE = """
from brvtui.tree.editing.merging import difference, merged
few, mixed = "a\\n" * 1_999, "a\\nb\\n" * 999
assert difference(few, mixed)
assert merged("a\\n", few, mixed).text
"""


def _all() -> Iterator[Attack]:
    for what, block in FRONTMATTER.items():
        text = f"---\nimportance: 50\n{block}\n---\n# Note\n\nnorth gate\n"
        yield Attack(f"a note with {what}", _project(text))
        yield Attack(f"a summary with {what}", _project(text.replace("importance: 50", "type: summary"), "_index.md"))
    for what, text in TEXTS.items():
        yield Attack(f"a note with {what}", _project(text), ("-c", _READ_LINKS))
    yield Attack("a text that another program changed, the same lines everywhere", lambda _: (), ("-c", _COMPARE))


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
