"""The constants for reading a repository, from ``rules.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

from brvtui.typed_tables import Count, Positive, Share, TableKeys, typed

CONFIDENCES = TableKeys(
    (
        "accesses_field",
        "callback",
        "calls",
        "co_tested_with",
        "contains",
        "decorates",
        "executes_process",
        "extends",
        "handles_route",
        "hint_of_implementor",
        "implements",
        "imports",
        "inherits",
        "overrides",
        "reads_env",
        "resolved",
        "throws",
        "type_hint_of",
    )
)


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Limits for one file and for a whole repository."""

    file_bytes: Count
    file_seconds: Positive
    megabyte_seconds: Positive
    spare_seconds: Positive
    file_megabytes: Count
    file_entries: Count
    files: Count
    repository_entries: Count
    derived_edges: Count
    name_bytes: Count
    doc_bytes: Count


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The names of folders with source files, and of folders to skip."""

    skipped: tuple[str, ...]
    hidden_but_read: tuple[str, ...]
    package_files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GeneratedRules:
    """Markers that identify generated files."""

    header_bytes: Count
    markers: tuple[str, ...]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimilarityRules:
    """Limits on the pairs of similar functions in a file."""

    above: Share
    shortest_word: Count
    fewest_words: Count
    edges_per_node: Count
    largest_group: Count


@dataclass(frozen=True, slots=True)
class CoTestedRules:
    """Limits on the pairs of symbols used by one test file."""

    targets_per_file: Count
    pairs_per_file: Count


@dataclass(frozen=True, slots=True)
class CommonNames:
    """Names that have the same meaning in all languages."""

    fields: tuple[str, ...]
    callbacks: tuple[str, ...]
    routes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageNames:
    """Names in the standard library of one language."""

    env_calls: tuple[str, ...]
    process_calls: tuple[str, ...]
    builtins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeRules:
    """All rules for reading a repository."""

    limits: CodeLimits
    folders: FolderRules
    generated: GeneratedRules
    confidence: Annotated[dict[str, float], CONFIDENCES]
    similarity: SimilarityRules
    co_tested: CoTestedRules
    common: CommonNames
    python: LanguageNames
    go: LanguageNames
    javascript: LanguageNames
    rust: LanguageNames
    java: LanguageNames
    csharp: LanguageNames
    unread: dict[str, str]
    """The names of unsupported languages, keyed by file extension."""


@cache
def code_rules() -> CodeRules:
    """The built-in rules."""
    text = files(__package__).joinpath("rules.toml").read_text(encoding="utf-8")
    return typed(CodeRules, tomllib.loads(text), "", "rules.toml")
