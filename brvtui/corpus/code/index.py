"""The index of one repository, which consists of the contents of each file and the graph."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from brvtui.corpus.code import relations
from brvtui.corpus.code.finding import FoundSource, SourceListing, list_sources, read_found
from brvtui.corpus.code.linking import Linker
from brvtui.corpus.code.memory import GraphMemory
from brvtui.corpus.code.modules import ModuleMap
from brvtui.corpus.code.reader_process import PARSER_FAILS, Source, read_in_processes
from brvtui.corpus.code.records import CodeEdge, CodeFile, CodeGraph, CodeNode, SkippedSource
from brvtui.corpus.code.rules import CodeRules, code_rules

Read = Callable[[Iterable[Source], CodeRules], Iterable[CodeFile | SkippedSource]]
"""A function that parses files and returns the results in order."""
Progress = Callable[[int, int], None]
_TOO_MANY_EDGES = "the types in this code lead to more edges than the limit allows; the rest are left out"
_TOO_MANY_IMPORTS = "some files import so many names that not all of them were looked up in every module"
_FULL = "left out: the repository has more symbols than the limit; open one of its folders"
_DEPENDS_ON_OTHERS = (_FULL, PARSER_FAILS)
"""The reasons for skipping a file that may no longer apply after other files have changed."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A source file with its state when it was read, and its contents (``file``; None if it was skipped)."""

    found: FoundSource
    file: CodeFile | None
    skipped: SkippedSource | None = None
    digest: str = ""
    """The SHA-256 of the file's bytes; empty if the file was skipped."""

    @property
    def entries(self) -> int:
        """The number of symbols and references in the file."""
        return len(self.file.symbols) + len(self.file.references) if self.file else 0


@dataclass(frozen=True)
class CodeIndex:
    """A repository's contents. A newer index shares unchanged files with an older one."""

    repository: str
    """The prefix of qualified names in this repository: ``name://name``."""
    files: Mapping[str, IndexedFile]
    """The files, keyed by path, in path order."""
    listing: SourceListing
    rules: CodeRules
    memory: GraphMemory

    def graph(self) -> CodeGraph:
        """The symbols and edges of all files, in an order that depends only on the contents."""
        with self.memory.lock:
            return self._graph()

    def _graph(self) -> CodeGraph:
        files = {path: one.file for path, one in self.files.items() if one.file is not None}
        linker = Linker(files, ModuleMap(files, self.listing.modules), self.rules)
        nodes, rules = linker.nodes, self.rules
        by_file = self.memory.edges(linker, files, self.listing.modules)
        members = relations.Members(nodes)
        written = [edge for edges in by_file.values() for edge in edges]
        candidates = relations.go_candidates(members, nodes)
        limit = rules.limits.derived_edges
        written += relations.go_implementations(islice(candidates, limit), members, rules)
        derived = chain(
            relations.inherited(written, members, rules),
            relations.overriding(written, members, rules),
            relations.hints_of_implementers(written, rules),
        )
        others = (  # their number is limited by the number of symbols, or by their own rules
            relations.membership(members, rules),
            *(self.memory.similar.edges(base, own) for base, own in _by_base(files, nodes).items()),
            *(relations.tested_together(path, own, nodes, rules) for path, own in by_file.items()),
        )
        edges: dict[CodeEdge, None] = dict.fromkeys(chain(written, islice(derived, limit), *others))
        is_cut = next(candidates, None) is not None or next(derived, None) is not None
        cut = _TOO_MANY_EDGES if is_cut else _TOO_MANY_IMPORTS if linker.is_cut else ""
        return CodeGraph(self.repository, tuple(nodes.values()), tuple(edges), self.skipped(), cut)

    def skipped(self) -> tuple[SkippedSource, ...]:
        """Skipped files and files with a problem, sorted by path."""
        left = [*self.listing.skipped]
        for path, one in self.files.items():
            if one.skipped is not None:
                left.append(one.skipped)
            elif one.file is not None and one.file.problem:
                left.append(SkippedSource(path, one.file.problem))
        return tuple(sorted(left))


def build_index(
    root: Path,
    repository: str = "",
    rules: CodeRules | None = None,
    before: CodeIndex | None = None,
    read: Read = read_in_processes,
    progress: Progress | None = None,
) -> CodeIndex:
    """The index of the repository at ``root``. Files that have not changed since ``before`` are not read again.

    ``repository`` is the prefix of qualified names; by default, it is ``name://name`` with the folder's name. ``read``
    parses files. ``progress`` is called with the number of files read and the total. Raises NoGrammar if a grammar is
    missing, and OSError if ``root`` is not a readable folder.
    """
    rules = rules or code_rules()
    with os.scandir(root):  # an unreadable repository must not look empty
        pass
    name = root.resolve().name or "repository"
    repository = repository or f"{name}://{name}"
    listing = list_sources(root, rules)
    files = _Reading(root, rules, before, progress).files(listing.files, read)
    is_same = before is not None and before.repository == repository and before.rules == rules
    memory = before.memory if before and is_same else GraphMemory(repository, rules)
    return CodeIndex(repository, files, listing, rules, memory)


class _Reading:
    """Reads the files of one repository in path order, until the limit on entries is reached."""

    def __init__(self, root: Path, rules: CodeRules, before: CodeIndex | None, progress: Progress | None) -> None:
        self._root, self._rules, self._progress = root, rules, progress
        self._before = before.files if before else {}
        self._entries = 0
        self._queue: deque[IndexedFile | _PendingFile] = deque()

    def files(self, listed: Iterable[FoundSource], read: Read) -> dict[str, IndexedFile]:
        indexed: dict[str, IndexedFile] = {}
        listed = list(listed)
        for one in read(self._changed(listed), self._rules):
            self._take_finished(indexed)
            awaited = self._queue.popleft()
            assert isinstance(awaited, _PendingFile)
            if isinstance(one, SkippedSource):
                self._store(indexed, IndexedFile(awaited.found, None, one))
            else:
                self._store(indexed, IndexedFile(awaited.found, one, digest=awaited.digest))
            if self._progress is not None:
                self._progress(len(indexed), len(listed))
        self._take_finished(indexed)
        for found in listed[len(indexed) :]:
            indexed[found.path] = IndexedFile(found, None, SkippedSource(found.path, _FULL))
        return indexed

    def _changed(self, listed: Iterable[FoundSource]) -> Iterator[Source]:
        """Yields the files that must be read. The results for all other files are queued."""
        for found in listed:
            if self._is_full:
                return
            one = self._reuse_or_read(found)
            if isinstance(one, bytes):
                yield found.path, one
            else:
                self._queue.append(one)

    def _reuse_or_read(self, found: FoundSource) -> IndexedFile | bytes:
        """The file's contents if they are known; otherwise, queues the file and returns its bytes."""
        old = self._before.get(found.path)
        if old is not None and old.found == found and not (old.skipped and old.skipped.reason in _DEPENDS_ON_OTHERS):
            return old
        source = read_found(self._root, found.path, self._rules)
        if isinstance(source, SkippedSource):
            return IndexedFile(found, None, source)
        digest = hashlib.sha256(source).hexdigest()
        if old is not None and old.file is not None and old.digest == digest:
            return IndexedFile(found, old.file, digest=digest)
        self._queue.append(_PendingFile(found, digest))
        return source

    def _take_finished(self, indexed: dict[str, IndexedFile]) -> None:
        while self._queue and isinstance(self._queue[0], IndexedFile):
            one = self._queue.popleft()
            assert isinstance(one, IndexedFile)
            self._store(indexed, one)

    def _store(self, indexed: dict[str, IndexedFile], one: IndexedFile) -> None:
        self._entries += one.entries
        if self._is_full:
            one = IndexedFile(one.found, None, SkippedSource(one.found.path, _FULL))
        indexed[one.found.path] = one

    @property
    def _is_full(self) -> bool:
        return self._entries > self._rules.limits.repository_entries


class _PendingFile(NamedTuple):
    """A file that is being parsed, and the SHA-256 of its bytes."""

    found: FoundSource
    digest: str


def _by_base(files: Mapping[str, CodeFile], nodes: Mapping[str, CodeNode]) -> dict[str, list[CodeNode]]:
    """The symbols of each file, or of each folder that is a package."""
    groups: dict[str, list[CodeNode]] = {}
    for node in nodes.values():
        file = files.get(node.path)
        if file is not None:
            groups.setdefault(file.base, []).append(node)
    return groups
