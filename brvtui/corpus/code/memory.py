"""What graphs of one repository have in common, so that a changed file costs little more than itself."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from brvtui.corpus.code.linking import LinkedFile, Linker
from brvtui.corpus.code.records import CodeEdge, CodeFile
from brvtui.corpus.code.rules import CodeRules
from brvtui.corpus.code.similarity import SimilarFunctions

_Modules = tuple[tuple[str, str], ...]


class GraphMemory:
    """The similar functions and the links of files of the last graph of a repository. One graph is made at a time."""

    def __init__(self, repository: str, rules: CodeRules) -> None:
        """``repository`` is what qualified names begin with."""
        self.lock = Lock()
        """Held while a graph is made."""
        self.similar = SimilarFunctions(repository, rules.similarity)
        self.relinked: tuple[str, ...] = ()
        """The paths of the files that were linked anew for the last graph."""
        self._files: Mapping[str, CodeFile] = {}
        self._modules: _Modules = ()
        self._linked: dict[str, LinkedFile] = {}

    def edges(self, linker: Linker, files: Mapping[str, CodeFile], modules: _Modules) -> dict[str, list[CodeEdge]]:
        """The edges of each of the ``files``. Links again those whose names may mean something else than before.

        That are files that changed, those that looked for a symbol where one did, and those that looked for a member of
        a type that has other types above it now; all files when one is new, gone, or in another package.
        """
        before, known = self._files, self._linked
        changed = [path for path, file in files.items() if before.get(path) is not file]
        if modules != self._modules or not _is_same_map(before, files, changed):
            known = {}
        bases = {of.base for path in changed for of in (files[path], before.get(path)) if of is not None}
        linked: dict[str, LinkedFile] = {}
        relinked: list[str] = []
        for path, file in files.items():
            last = known.get(path)
            if last is not None and _still_holds(last, linker, bases):
                linked[path] = last
            else:
                relinked.append(path)
                linked[path] = linker.link(file)
        self._files, self._modules, self._linked, self.relinked = files, modules, linked, tuple(relinked)
        return {path: one.edges for path, one in linked.items()}


def _is_same_map(before: Mapping[str, CodeFile], files: Mapping[str, CodeFile], changed: list[str]) -> bool:
    """Whether imports still mean the same files: none is new or gone, none is in another package."""
    return before.keys() == files.keys() and all(
        before[path][:4] == files[path][:4]
        for path in changed  # path, language, base and package
    )


def _still_holds(last: LinkedFile, linker: Linker, changed: set[str]) -> bool:
    return last.bases.isdisjoint(changed) and all(
        linker.supertypes(type_id) == above for type_id, above in last.supertypes.items()
    )
