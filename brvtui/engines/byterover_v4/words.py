"""What a query asks for: its words without stop words, and those that a document must hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brvtui.engines.byterover_v4.profile import WordRules
from brvtui.tree.reading.whitespace import spaced_words


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A query as V4 reads it."""

    cleaned: str
    """What is searched: the words but for stop words, or the query as typed where nothing else is left."""
    dropped: tuple[str, ...]
    """The stop words that are not searched, as typed."""
    significant: tuple[str, ...]
    """The runs of ASCII letters and digits of which a document must hold one, somewhere; empty: all stay."""


def asked_words(query: str, rules: WordRules) -> AskedWords:
    """How V4 reads ``query``."""
    words = spaced_words(query)
    stop = frozenset(rules.stop_words)
    kept = [word for word in words if word.lower() not in stop]
    cleaned = " ".join(kept) if kept else query
    dropped = tuple(word for word in words if word.lower() in stop) if kept else ()
    significant = re.findall(f"[a-z0-9]{{{rules.significant_length},}}", cleaned.lower())
    return AskedWords(cleaned, dropped, tuple(significant))
