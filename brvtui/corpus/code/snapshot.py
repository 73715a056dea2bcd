"""A repository as a snapshot: every symbol is a read-only note in a folder that represents its file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from brvtui.corpus.code.documents import Documentation, SpeakingNote, SymbolPage, SymbolPages
from brvtui.corpus.code.index import CodeIndex
from brvtui.derived import Key
from brvtui.snapshot import Note, Parsed, Snapshot
from brvtui.snapshot.records import columns_of
from brvtui.snapshot.state import FINGERPRINT
from brvtui.text.postings import build
from brvtui.text.segment import TermIds, note_terms
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import Role, TreeFile, UnseenFile
from brvtui.tree.reading.inside import read_inside
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import defaults

_DECORATOR = ("@", "#[")
_DOCUMENTATION: Key[Documentation] = Key("documentation")


@dataclass(frozen=True, slots=True, eq=False)
class RepositorySnapshot(Snapshot):
    """One state of a repository. Each symbol is a note, whose text is the symbol's source."""

    pages: SymbolPages = field(default_factory=SymbolPages)
    speaking: tuple[SpeakingNote, ...] = ()
    """The notes in the repository's context tree, with their texts."""

    @property
    def documentation(self) -> Documentation:
        """The links between the repository's notes and its code."""
        return self.derived.of(_DOCUMENTATION, lambda: Documentation(self.pages.graph, self.speaking))

    @property
    def fingerprint(self) -> str:
        """A digest of the notes and of the source files' paths, times and sizes."""
        return self.derived.of(FINGERPRINT, self._fingerprint)

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for path, pages in self.pages.of_file.items():
            entry = self.parsed[pages[0].path]
            line = f"{path}\0{entry.mtime_ns}\0{entry.ctime_ns}\0{entry.size}\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
        for note in self.speaking:
            digest.update(f"{note.note}\0{note.text}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def location(self, path: str) -> Path:
        """The source file of the symbol at ``path``. Raises OSError if there is no such symbol."""
        return self.project.tree / self._page(path).symbol.path

    def text(self, path: str) -> str:
        """The source text of the symbol at ``path``, as currently on disk: the lines up to the next symbol that is not
        inside it.

        Raises OSError if the file no longer exists or cannot be read.
        """
        page = self._page(path)
        if not page.symbol.line:
            return f"{page.title}, first used in {page.symbol.path}\n"
        source = read_inside(self.project.tree, page.symbol.path, self.limits.max_file_bytes)
        first, after = self.pages.lines_of(page)
        lines = source.decode("utf-8", "replace").splitlines(keepends=True)
        begin = _above_decorators(lines, first - 1)
        end = len(lines) if after is None else _above_decorators(lines, after - 1)
        return "".join(lines[begin : max(end, first)]).rstrip() + "\n"

    def read(self, path: str) -> bytes:
        """The result of :meth:`text` as bytes. Raises OSError."""
        return self.text(path).encode()

    def _page(self, path: str) -> SymbolPage:
        page = self.pages.by_path.get(path)
        if page is None:
            raise FileNotFoundError(2, "no such symbol", path)
        return page


def _above_decorators(lines: Sequence[str], place: int) -> int:
    """The index of the first of the decorators or annotations directly above the line with index ``place``; ``place``
    if there are none.
    """
    while 0 < place <= len(lines) and lines[place - 1].lstrip().startswith(_DECORATOR):
        place -= 1
    return place


def repository_snapshot(
    project: FoundProject,
    index: CodeIndex,
    constants: TreeConstants,
    now_ms: float,
    before: RepositorySnapshot | None,
    speaking: tuple[SpeakingNote, ...] = (),
) -> RepositorySnapshot:
    """The snapshot of the repository in ``index``. Unchanged entries of ``before`` are reused.

    ``speaking`` are the notes in the repository's context tree. Code has no signals, so all symbols have the default
    ones.
    """
    pages = SymbolPages(index.graph())
    known: Mapping[str, Parsed] = before.parsed if before is not None else {}
    parsed: dict[str, Parsed] = {}
    for path, page in pages.by_path.items():
        found = index.files[page.symbol.path].found
        entry = Parsed("", path, found.mtime_ns, found.size, found.inode, found.ctime_ns, page.title, is_note=True)
        last = known.get(path)
        parsed[path] = last if last == entry else entry
    notes = tuple(
        Note(path, path, "", entry.title, Role.NOTE, entry.size, entry.mtime_ms, 0, 0, 0)
        for path, entry in parsed.items()
    )
    signals = (defaults(constants.signals),) * len(notes)
    ids = TermIds()
    nothing = note_terms("", "", "", ids)
    return RepositorySnapshot(
        project=project,
        generation=before.generation + 1 if before is not None else 1,
        loaded_ms=now_ms,
        limits=constants.limits,
        notes=notes,
        by_path={note.path: place for place, note in enumerate(notes)},
        signals=signals,
        columns=columns_of(notes, signals, parsed),
        postings=build([nothing] * len(notes), ids),
        files=tuple(TreeFile(path, one.size, one.mtime_ns, one.inode, one.ctime_ns) for path, one in parsed.items()),
        unseen=tuple(UnseenFile(one.path, one.reason) for one in pages.graph.skipped),
        notices=(*project.notices, *filter(None, [pages.graph.cut])),
        parsed=parsed,
        pages=pages,
        speaking=speaking,
    )
