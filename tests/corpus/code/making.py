"""Small repositories and their graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from brvtui.corpus.code.index import build_index
from brvtui.corpus.code.languages import language_of
from brvtui.corpus.code.reader_process import Source
from brvtui.corpus.code.reading import grammar, read_source
from brvtui.corpus.code.records import CodeFile, CodeGraph, SkippedSource
from brvtui.corpus.code.rules import CodeLimits, CodeRules, code_rules


def write(root: Path, files: dict[str, str]) -> Path:
    """Writes the texts of ``files`` by their paths below ``root``."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def read_here(sources: Iterable[Source], rules: CodeRules) -> Iterator[CodeFile | SkippedSource]:
    """The parsed content of each file, in order. This process reads the files, because they are harmless in tests."""
    for path, source in sources:
        language = language_of(path)
        if language is not None:
            grammar(language)
            yield read_source(path, source, language, rules)


def graph_of(root: Path, files: dict[str, str]) -> CodeGraph:
    """The graph of a repository with ``files``."""
    return build_index(write(root, files), read=read_here).graph()


def limited(**limits: float) -> CodeRules:
    """The usual rules with other limits."""
    rules = code_rules()
    changed: CodeLimits = replace(rules.limits, **limits)
    return replace(rules, limits=changed)


def kinds(graph: CodeGraph) -> dict[str, str]:
    """The kind of each symbol."""
    return {node.id: node.kind for node in graph.nodes}


def ends(graph: CodeGraph, *types: str) -> set[tuple[str, str, str]]:
    """The source, type and target of the edges of ``types``, or of all edges."""
    return {(edge.source, edge.type, edge.target) for edge in graph.edges if not types or edge.type in types}
