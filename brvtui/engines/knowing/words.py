"""Splits names into words: camel case, underscores and paths (``docs/reference/knowing.md``, "Words in names")."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from brvtui.engines.knowing.keywords import lower, size
from brvtui.engines.knowing.model import Columns, Node
from brvtui.engines.knowing.seed_rules import FullTextRules

_ACRONYMS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HUMPS = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_RISES = re.compile("[._]|(?<=[a-z])(?=[A-Z])")
_CUTS = re.compile("[/.:(), *]")
_IDENTIFIERS = re.compile("[A-Za-z0-9_]+")
_SCHEME = "://"


def camel_words(text: str, acronyms: bool = True) -> list[str]:
    """Splits ``text`` at capitals. For example, ``HTMLParser`` becomes HTML and Parser.

    Without ``acronyms``, splits only after a lower-case letter or a digit. For example, ``SQLiteStore`` becomes SQLite
    and Store.
    """
    return [word for word in (_ACRONYMS if acronyms else _HUMPS).split(text) if word]


def identifiers(content: str, shortest: int) -> list[str]:
    """The distinct identifiers in ``content`` with at least ``shortest`` characters. Those that differ only in case are
    listed once, in their first spelling.
    """
    spellings: dict[str, str] = {}
    for word in _IDENTIFIERS.findall(content):
        if len(word) >= shortest:
            spellings.setdefault(word.lower(), word)
    return list(spellings.values())


def meaningful_words(qualified_name: str, generic: Collection[str], shortest: int) -> list[str]:
    """The words of a name, without the path and the part before the first dot.

    Words in ``generic`` and words shorter than ``shortest`` bytes are left out.
    """
    tail = qualified_name.rpartition("/")[2]
    name = tail.partition(".")[2] if "." in tail else tail
    return [word for word in _RISES.split(name) if size(word) >= shortest and lower(word) not in generic]


def file_part(qualified_name: str, extensions: Sequence[str]) -> str:
    """The part of a qualified name up to the end of the file name. The file name ends with the first of ``extensions``
    that occurs in the qualified name.

    If no extension occurs, or if nothing follows it, the result is the text up to the first dot after the last slash.
    Without a slash, it is the whole name.
    """
    for extension in extensions:
        at = qualified_name.rfind(extension)
        if at >= 0:
            if at + len(extension) < len(qualified_name):
                return qualified_name[: at + len(extension)]
            break
    slash = qualified_name.rfind("/")
    dot = qualified_name.find(".", slash + 1) if slash >= 0 else -1
    return qualified_name if dot < 0 else qualified_name[:dot]


def symbol_part(qualified_name: str, extensions: Sequence[str]) -> str:
    """A qualified name without its scheme and path, and without a file name that has one of ``extensions``."""
    name = qualified_name.rpartition(_SCHEME)[2].rpartition("/")[2]
    for extension in extensions:
        _, separator, symbol = name.partition(extension)
        if separator:
            return symbol
    return name


def searchable(text: str, rules: FullTextRules) -> str:
    """``text`` as it is stored in the full-text index: each piece that contains several words is followed by those
    words.
    """
    words: list[str] = []
    for piece in filter(None, _CUTS.split(text)):
        words.append(piece)
        humps = long_camel_words(piece, rules)
        words += humps if len(humps) > 1 else ()
        words += (word for word in piece.split("_") if word and word != piece)
    return " ".join(words)


def concepts(path: str, rules: FullTextRules) -> str:
    """The words in a path that describe a file's subject: names of folders and of the file, whole and split."""
    words: list[str] = []
    for component in path.replace("\\", "/").split("/"):
        if lower(component) in rules.plain_folders:
            continue
        dot = component.rfind(".")
        stem = component[:dot] if dot > 0 else component
        words += (word for word in (*long_camel_words(stem, rules), stem) if size(word) >= rules.concept_least)
    return " ".join(words)


def searched_columns(node: Node, rules: FullTextRules) -> Columns:
    """The texts of ``node`` that full-text search indexes. For a symbol, they are derived from its other fields."""
    if node.columns is not None:
        return node.columns
    return Columns(
        searchable(symbol_part(node.qualified_name, rules.extensions), rules),
        concepts(node.path, rules),
        searchable(node.qualified_name, rules),
        searchable(node.signature, rules),
        node.path,
        node.doc,
    )


def long_camel_words(text: str, rules: FullTextRules) -> list[str]:
    """The camel-case words in ``text`` that are long enough to be searched for."""
    return [word for word in camel_words(text, rules.acronyms) if size(word) >= rules.camel_least]
