"""Notes that need much time or memory to parse, show or compare: aliases, nesting, links, marks, lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from brvtui.app.markdown import MARKED, MOST_CHARS, MOST_MARKS
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
    "900 lists in one another": "a: " + "[" * 900 + "]" * 900,
    "900 lists in one another on a line": "a: \n  " + "- " * 900 + "x",
    "9,000 related notes": "related: [" + "a/b.md," * 9_000 + "]",
    "one related note 20,000 times": "x: &x [a, b]\nrelated: [" + "*x," * 16_000 + "]",
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
    "10 MB of parentheses in a link": "[a](" + "b()" * 3_300_000,
    "10 MB of links without end on one line": "[" + "a](b:" * 2_000_000,
    "headings": "# \n" * 100_000,
    "5 million lines": "\n" * 5_000_000,
}
MARKS = {
    "brackets": "[",
    "images": "![",
    "links in one another": "[a](b",
    "wiki links": "[[a]] ",
    "stars": "*a",
    "stars and underscores": "**a* _b__ ",
    "tildes": "~~a~",
    "escapes": "\\",
    "entities": "&#",
    "comments": "a <!--",
    "character data": "a <![CDATA[",
    "addresses": "<http:a",
    "backticks": "`a\n",
    "quotes": "> ",
    "lists and quotes": "> - ",
    "lists with quotes": "- > a\n",
    "numbers": "1. a\n",
    "headings of one letter": "# a\n",
    "underlined headings": "a\n=\n",
    "definitions": "[a]: b\n",
    "open definitions": "[a]: b 'x\n",
    "open labels": "[a\n",
    "rows": "|a|b|\n|-|-|\n|x|y|\n",
    "fences": "```\n",
    "lines": "\n",
    "tabs": "\t",
    "spaces and a letter": " " * 100 + "a",
    "colours": "\x1b[31m",
    "emoji": "👩‍👩‍👧",
    "relations": "@a/b/c ",
    "links": "[a](b.md) ",
}
WHOLE = {
    "a table of 500 columns": ("|a" * 500 + "|\n" + "|-" * 500 + "|\n") + "|\n" * 58_000,
    "a cell of 900,000 letters beside 99": "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|x" * 99 + "|" + "y" * 900_000,
    "a long address 20,000 times": "[a]: " + "b" * 20_000 + "\n\n" + "[a]" * 20_000,
    "1,000 quotes in one another": "\n".join(">" * min(n, 1_000) + " a" for n in range(1_900)),
    "1,000 lists in one another": "\n".join("  " * n + "- a" for n in range(1_000)),
}

_HEADINGS = {
    "blanks in a heading": "## x" + " " * 9_900_000 + "b",
    "blanks in 4,900 headings": ("## x" + " " * 1_990 + "b\n") * 4_900,
    "number signs in a heading": "## x" + " #" * 4_900_000 + "b",
}
_MARKED_LINES = {"stars": "*" * 497, "brackets": "[" * 497, "x": "x" * 496 + "a", "colons": "at " + ":" * 490}


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


def _copies(text: str, count: int, *arguments: str) -> Callable[[Path], Sequence[str | Path]]:
    """A command about a project with ``count`` notes that contain ``text``."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        for number in range(count):
            (folder / ".brv" / "context-tree" / "yard").mkdir(parents=True, exist_ok=True)
            (folder / ".brv" / "context-tree" / "yard" / f"{number}.md").write_text(f"# Note {number}\n\n{text}")
        return [*arguments, "--project", folder]

    return prepare


def _marked(mark: str, most: int) -> Callable[[Path], Sequence[str | Path]]:
    """A project whose note repeats ``mark``: 10 MB of it, or so often that it is rendered with ``most`` marks."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        times = 9_900_000 // len(mark.encode())
        if most:
            times = min((MOST_CHARS - 100) // len(mark), (most - 100) // max(1, len(MARKED.findall(mark))))
        return _project(f"# Note\n\n{mark * times}\n")(folder)

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
_SHOW = """
import sys
from pathlib import Path
from brvtui.app.notes.reading import page_document
from brvtui.session import Session
session = Session.open(Path(sys.argv[-1]))
session.load()
page = session.about("yard/note.md")
assert page.text
assert page_document(page, 40, {raw}).lines
session.close()
"""
_MATCH = """
from brvtui.report.markdown_text import path
from brvtui.text.full_text import TextDocument, content_words
from brvtui.tree.editing.new_notes import keywords_of
assert not content_words(TextDocument("a.md", "", "", "", "\\n" * 500_000))
assert keywords_of("a" + "!" * 500_000 + "a", ())
assert path("a" * 500_000 + "<")
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
        yield Attack(f"a note with {what}", _project(text), _READ_LINKS)
    for what, text in _HEADINGS.items():
        for engine in ("knowing", "soleri"):
            prepare = _copies(text, 1, "query", "north gate", "--engine", engine)
            yield Attack(f"{what}, read by {engine}", prepare)
    for mark, line in _MARKED_LINES.items():
        prepare = _copies(f"{line}\n" * 400, 10, "health")
        yield Attack(f"10 notes of lines of {mark}, health", prepare, cpu_seconds=8.0)
    yield Attack("line breaks, marks and letters without end", lambda _: (), _MATCH)
    for what, text in WHOLE.items():
        yield Attack(f"{what}, shown", _project(text), _SHOW.format(raw=False))
    for what, mark in MARKS.items():
        yield Attack(f"as many {what} as are rendered", _marked(mark, MOST_MARKS), _SHOW.format(raw=False))
        for raw in (False, True):
            program = _SHOW.format(raw=raw)
            yield Attack(f"10 MB of {what}, shown {'raw' if raw else 'as they can be'}", _marked(mark, 0), program)
    yield Attack("a text that another program changed, the same lines everywhere", lambda _: (), _COMPARE)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
