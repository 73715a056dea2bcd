"""Caches parts of a repository's graph, so that updating the graph after a file change is fast."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from brvtui.corpus.code.linking import LinkedFile, Linker, package_of
from brvtui.corpus.code.records import CodeEdge, CodeFile, CodeNode
from brvtui.corpus.code.rules import CodeRules, SimilarityRules

# Similar functions: functions of one file with similar names.


SIMILARITY = "similarity"
_FUNCTIONS = frozenset({"function", "method"})
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-ÿ])")


def words_of(text: str, shortest: int) -> frozenset[str]:
    """The lower-case words of identifiers in ``text``, split at punctuation, ``_`` and capitals."""
    humps = (hump.lower() for word in _WORD.findall(text) for hump in _HUMP.split(word))
    return frozenset(word for word in humps if len(word.encode()) >= shortest)


class SimilarFunctions:
    """The similar functions of each file, cached until a function in the file changes."""

    def __init__(self, repository: str, rules: SimilarityRules) -> None:
        """Stores the rules and ``repository``, the prefix of all qualified names. Its words are part of the words that
        are compared.
        """
        self._repository, self._rules = repository, rules
        self._known: dict[str, tuple[tuple[CodeNode, ...], list[CodeEdge]]] = {}

    def edges(self, base: str, nodes: Iterable[CodeNode]) -> list[CodeEdge]:
        """One edge per pair of similar functions among ``nodes``, the symbols of ``base``."""
        functions = tuple(sorted(node for node in nodes if node.kind in _FUNCTIONS))
        known = self._known.get(base)
        if known is None or known[0] != functions:
            known = self._known[base] = (functions, similar_pairs(functions, self._repository, self._rules))
        return known[1]


def similar_pairs(functions: Sequence[CodeNode], repository: str, rules: SimilarityRules) -> list[CodeEdge]:
    """One edge per pair of similar ``functions``, most similar pairs first.

    Similarity is the Jaccard index of the words in qualified names and signatures. The number of pairs per function is
    limited; of equally similar pairs, the earlier ones are kept.
    """
    common = words_of(repository, rules.shortest_word)
    words = [common | words_of(f"{node.id} {node.signature}", rules.shortest_word) for node in functions]
    eligible = [place for place, word_set in enumerate(words) if len(word_set) >= rules.fewest_words]
    if len(eligible) > rules.largest_group:
        return []
    bits = {word: 1 << place for place, word in enumerate(set().union(*words))}
    sets = [(sum(bits[word] for word in words[one]), len(words[one]), one) for one in eligible]
    pairs: list[tuple[float, int, int]] = []
    for at, (own, own_size, one) in enumerate(sets):
        for their, size, other in sets[at + 1 :]:
            shared = (own & their).bit_count()
            share = shared / (own_size + size - shared)
            if share > rules.above:
                pairs.append((-share, one, other))
    pairs.sort()
    taken: Counter[int] = Counter()
    edges: list[CodeEdge] = []
    for share, one, other in pairs:
        if taken[one] < rules.edges_per_node and taken[other] < rules.edges_per_node:
            taken.update((one, other))
            edges.append(CodeEdge(functions[one].id, functions[other].id, "similar_to", -share, SIMILARITY))
    return edges


_Modules = tuple[tuple[str, str], ...]


class GraphMemory:
    """Caches the similar functions and the links of a repository's last graph. Only one graph is built at a time."""

    def __init__(self, repository: str, rules: CodeRules) -> None:
        """Creates an empty memory. ``repository`` is the prefix of qualified names."""
        self.lock = Lock()
        """A lock that is held while a graph is built."""
        self.similar = SimilarFunctions(repository, rules.similarity)
        self.relinked: tuple[str, ...] = ()
        """The paths of the files that were linked again for the last graph."""
        self._files: Mapping[str, CodeFile] = {}
        self._modules: _Modules = ()
        self._linked: dict[str, LinkedFile] = {}
        self._was_cut = False

    def edges(self, linker: Linker, files: Mapping[str, CodeFile], modules: _Modules) -> dict[str, list[CodeEdge]]:
        """The edges of each of ``files``. A file is linked again only if names in it may now refer to other symbols.

        This applies to changed files, to files that looked for a symbol in a changed file, and to files that looked for
        a member of a type whose supertypes have changed. All files are linked again if a file was added, removed or
        moved to another package, or if the last graph was cut.
        """
        before, known = self._files, self._linked
        changed = [path for path, file in files.items() if before.get(path) is not file]
        if self._was_cut or modules != self._modules or not _is_same_map(before, files, changed):
            known = {}
        bases = {
            base
            for path in changed
            for of in (files[path], before.get(path))
            if of is not None
            for base in (of.base, package_of(of.language, of.package))
        }
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
        self._was_cut = linker.is_cut
        return {path: one.edges for path, one in linked.items()}


def _is_same_map(before: Mapping[str, CodeFile], files: Mapping[str, CodeFile], changed: list[str]) -> bool:
    """True if imports still refer to the same files, because no file was added, removed or moved to another package."""
    return before.keys() == files.keys() and all(
        before[path][:4] == files[path][:4]
        for path in changed  # path, language, base and package
    )


def _still_holds(last: LinkedFile, linker: Linker, changed: set[str]) -> bool:
    return last.bases.isdisjoint(changed) and all(
        linker.supertypes(type_id) == above for type_id, above in last.supertypes.items()
    )
