"""Links notes to code: finds the symbols and files that each note mentions, the notes about a symbol, and files that no
note mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from brvtui.corpus.code.records import CodeEdge, CodeGraph, CodeNode
from brvtui.corpus.code.relations import is_test_file

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot

# Each symbol of a repository is a page: it has a path below its file, a title, and source lines.


@dataclass(frozen=True, slots=True)
class SymbolPage:
    """A symbol as a document."""

    path: str
    """The path of the symbol's file, used as a folder, followed by the symbol's name: ``src/app.py/Server.run``."""
    symbol: CodeNode
    title: str
    """The symbol's name in its file, with the names of enclosing types."""


@dataclass(frozen=True)
class SymbolPages:
    """The pages of all symbols, ordered by file and line."""

    graph: CodeGraph = field(default_factory=lambda: CodeGraph("", (), ()))

    @cached_property
    def by_path(self) -> Mapping[str, SymbolPage]:
        """The pages, keyed by path."""
        pages: dict[str, SymbolPage] = {}
        for node in sorted(self.graph.nodes, key=lambda node: (node.path, node.line, node.id)):
            title = _title(node)
            path = name = f"{node.path}/{title.replace('/', '_')}"
            count = 1
            while path in pages:  # two titles can give one path, such as GET /a/b and GET /a_b
                count += 1
                path = f"{name}-{count}"
            pages[path] = SymbolPage(path, node, title)
        return pages

    @cached_property
    def path_of(self) -> Mapping[str, str]:
        """The path of each symbol's page, keyed by the symbol's id."""
        return {page.symbol.id: path for path, page in self.by_path.items()}

    @cached_property
    def of_file(self) -> Mapping[str, tuple[SymbolPage, ...]]:
        """The pages of each source file, in line order."""
        by_file: dict[str, list[SymbolPage]] = {}
        for page in self.by_path.values():
            by_file.setdefault(page.symbol.path, []).append(page)
        return {path: tuple(pages) for path, pages in by_file.items()}

    def lines_of(self, page: SymbolPage) -> tuple[int, int | None]:
        """The line numbers, from 1, of a symbol and of the next symbol that is not inside it (None if there
        is none).
        """
        inside = f"{page.symbol.id}."
        later = (other.symbol for other in self.of_file[page.symbol.path] if other.symbol.line > page.symbol.line)
        return page.symbol.line, next((other.line for other in later if not other.id.startswith(inside)), None)


def _title(node: CodeNode) -> str:
    if not node.line:  # not in a file: an environment variable or a command
        return f"{node.kind.replace('_', ' ')} {node.name}"
    for base in (node.path, node.path.rpartition("/")[0]):  # an id begins with a file or a package's folder
        if base and node.id.startswith(f"{base}."):
            return node.id[len(base) + 1 :]
    return node.id


DOCUMENTS = "documents"
_CONFIDENCE = 0.7
_NOTE = "note://"
_MOST_EDGES = 200
"""The maximum number of symbols linked to one note. A note that mentions more is about no symbol in particular."""
_FENCED = re.compile(r"^[ \t>]*(```+|~~~+).*?(?:^[ \t>]*\1|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\s]{2,200})`")
_PATH = re.compile(r"(?<![\w.-])[\w.-]++(?:/[\w.@-]++)++")
_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+")
_COMPOUND = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]")
_PLACE = re.compile(r"(?::\d+(?:[:-]\d+)?|#L?\d+(?:-L?\d+)?)$")
_SHORTEST_NAME = 4
_SHORTEST_PLAIN = 6
"""The minimum length of an unquoted name."""


class Naming(StrEnum):
    """The ways of mentioning code in a note."""

    PATH = "path"
    """A path in the text."""
    NAME = "name"
    """The name of a symbol."""


class CodeMention(NamedTuple):
    """A mention of code in a note."""

    note: str
    target: str
    """The id of a symbol, or the path of a file."""
    written: str
    how: Naming


@dataclass(frozen=True, slots=True)
class SpeakingNote:
    """A note together with its text."""

    note: str
    """The path of the note."""
    text: str


def speaking_note(notes: Snapshot, path: str) -> SpeakingNote:
    """The note at ``path`` with its text, which is empty if it cannot be read."""
    try:
        return SpeakingNote(path, notes.text(path))
    except OSError:
        return SpeakingNote(path, "")


class CodeNames:
    """Finds a repository's files and symbols by the names that notes use.

    Ambiguous names are ignored: a name must belong to exactly one file, one symbol, or one symbol outside tests.
    """

    def __init__(self, graph: CodeGraph) -> None:
        """Indexes the symbols of ``graph`` and their files."""
        self._files: dict[str, list[str]] = {}
        for path in sorted({node.path for node in graph.nodes if "://" not in node.id}):
            self._files.setdefault(path.rpartition("/")[2], []).append(path)
        self._symbols: dict[str, list[CodeNode]] = {}
        for node in graph.nodes:
            if node.kind != "route_handler" and "://" not in node.id:
                self._symbols.setdefault(node.name, []).append(node)

    def mentions(self, note: SpeakingNote) -> list[CodeMention]:
        """The mentions of code in ``note``, one per target: paths first, then names in backticks, then other words."""
        mentions: dict[str, CodeMention] = {}
        text = _FENCED.sub("", note.text)
        for match in _PATH.finditer(text):
            written = match[0].rstrip(".")
            self._add(mentions, note.note, written, self.file(written), Naming.PATH)
        for match in _QUOTED.finditer(text):
            path = self.file(match[1]) if "." in match[1] else ""
            if path:
                self._add(mentions, note.note, match[1], path, Naming.PATH)
            else:
                self._add(mentions, note.note, match[1], self.symbol(match[1]), Naming.NAME)
        for match in _NAME.finditer(_QUOTED.sub("", text)):
            if len(match[0]) >= _SHORTEST_PLAIN and _COMPOUND.search(match[0]):
                self._add(mentions, note.note, match[0], self.symbol(match[0]), Naming.NAME)
        return list(mentions.values())

    @staticmethod
    def _add(mentions: dict[str, CodeMention], note: str, written: str, target: str, how: Naming) -> None:
        if target:
            mentions.setdefault(target, CodeMention(note, target, written, how))

    def file(self, written: str) -> str:
        """The path of the only file whose path equals ``written`` or ends with it; empty if there is not exactly
        one.
        """
        path = _PLACE.sub("", written.strip().strip("`").rstrip(".,;:")).removeprefix("./")
        ends = [
            known
            for known in self._files.get(path.rpartition("/")[2], ())
            if f"/{known}".endswith(f"/{path}") or f"/{path}".endswith(f"/{known}")
        ]
        return path if path in ends else ends[0] if len(ends) == 1 else ""

    def symbol(self, written: str) -> str:
        """The id of the only symbol that matches ``written``, which may include enclosing names; empty if there is not
        exactly one.
        """
        name = written.partition("(")[0].replace("::", ".").replace("#", ".").replace("->", ".").strip(".")
        last = name.rpartition(".")[2]
        if not _NAME.fullmatch(name) or len(name) < _SHORTEST_NAME:
            return ""
        matches = [node for node in self._symbols.get(last, ()) if _dotted(node).endswith(f".{name}")]
        outside = [node for node in matches if not is_test_file(node.path)]
        best = outside or matches
        return best[0].id if len(best) == 1 else ""


def note_id(note: str) -> str:
    """The graph id of the note at the path ``note``."""
    return f"{_NOTE}{note}"


def note_path(id_: str) -> str:
    """The path of the note with the graph id ``id_``."""
    return id_.removeprefix(_NOTE)


def nearest_of_each_note(mentions: Sequence[CodeMention]) -> list[CodeMention]:
    """The first of the ``mentions`` in each note, in order."""
    first: dict[str, CodeMention] = {}
    for one in mentions:
        first.setdefault(one.note, one)
    return list(first.values())


def _dotted(node: CodeNode) -> str:
    """A symbol's id as one dotted name, without the file extension: ``.src.app.web.Server.run``."""
    stem, dot, _ = node.path.rpartition(".")
    inside = node.id.removeprefix(node.path) if node.id.startswith(f"{node.path}.") else f".{node.id}"
    return f".{(stem if dot and inside != f'.{node.id}' else '').replace('/', '.')}{inside.replace('/', '.')}"


class Documentation:
    """The links between notes and code."""

    def __init__(self, graph: CodeGraph, notes: Iterable[SpeakingNote]) -> None:
        """Links ``notes`` to the code in ``graph``."""
        self.names = CodeNames(graph)
        """Finds this code by the names that notes use."""
        notes = tuple(notes)
        self.is_empty = not notes
        """True if there are no notes."""
        self.mentions: tuple[CodeMention, ...] = tuple(one for note in notes for one in self.names.mentions(note))
        """All mentions, grouped by note."""
        self._paths: Mapping[str, str] = {node.id: node.path for node in graph.nodes if "://" not in node.id}
        self._by_target: dict[str, list[CodeMention]] = {}
        for mention in self.mentions:
            self._by_target.setdefault(mention.target, []).append(mention)
        self._outermost: dict[str, list[str]] = {}
        for id_, path in self._paths.items():
            if self._paths.get(id_.rpartition(".")[0]) != path:  # in Go, a type may be in another file
                self._outermost.setdefault(path, []).append(id_)

    @property
    def has_code(self) -> bool:
        """True if any source file was read."""
        return bool(self._paths)

    def edges(self) -> list[CodeEdge]:
        """An edge from each note (:func:`note_id`) to each mentioned symbol.

        A mention of a file is treated as a mention of its outermost symbols. Only the first 200 symbols of a note are
        used.
        """
        targets: dict[str, dict[str, str]] = {}
        for mention in self.mentions:
            of_note = targets.setdefault(mention.note, {})
            for id_ in (mention.target,) if mention.target in self._paths else self._outermost[mention.target]:
                of_note.setdefault(id_, mention.how.value)
        return [
            CodeEdge(note_id(note), id_, DOCUMENTS, _CONFIDENCE, how)
            for note, named in targets.items()
            for id_, how in islice(named.items(), _MOST_EDGES)
        ]

    def notes_about(self, target: str) -> list[CodeMention]:
        """The mentions in notes of a symbol, of its type and of its file, in this order.

        For a file path, the result includes mentions of everything in the file.
        """
        mentions = [*self._by_target.get(target, ())]
        path = self._paths.get(target)
        if path is None:
            inside = (id_ for id_, of in self._paths.items() if of == target)
            return [*mentions, *(one for id_ in inside for one in self._by_target.get(id_, ()))]
        above = target.rpartition(".")[0]
        if above in self._paths:
            mentions += self._by_target.get(above, ())
        return [*mentions, *self._by_target.get(path, ())]

    @cached_property
    def files_without_note(self) -> list[str]:
        """The files that no note mentions, either directly or by mentioning a symbol. Test files are left out."""
        spoken = {self._paths.get(target, target) for target in self._by_target}
        return sorted({path for path in self._paths.values() if path not in spoken and not is_test_file(path)})
