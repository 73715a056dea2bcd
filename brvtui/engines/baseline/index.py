"""An in-memory tantivy index of a snapshot's notes, with tantivy's explanation of each score."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import tantivy

from brvtui.derived import Key
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import encodable, fold
from brvtui.text.find_query import UNSPACED
from brvtui.text.memory_index import MemoryIndex, MemoryMatch
from brvtui.trace import Hit, MatchedWord, MatchKind, Origin, Part

FIELDS = ("title", "text")
_LONGEST_WORD = 8_000
_COMBINING = re.compile("[\u0300-\u036f]")
_CHARACTER = re.compile(f"[{UNSPACED}]")
"""A character in Hangul or in a script without spaces (Han, Kana, Thai …). Each such character is a word."""


def _prepared(text: str) -> str:
    text = encodable(fold(text) if _COMBINING.search(text) else text)
    return text if text.isascii() else _CHARACTER.sub(r" \g<0> ", text)


def _analyzer(*filters: tantivy.Filter) -> tantivy.TextAnalyzer:
    """An analyzer for prepared text that ignores case and accents. It is not thread-safe."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(_LONGEST_WORD))
    for one in (tantivy.Filter.lowercase(), tantivy.Filter.ascii_fold(), *filters):
        builder = builder.filter(one)
    return builder.build()


def words_with_stems(text: str) -> list[tuple[str, str]]:
    """The words of ``text`` in order, each with its stem."""
    prepared, stemmer = _prepared(text), _analyzer(tantivy.Filter.stemmer("english"))
    return list(zip(_analyzer().analyze(prepared), stemmer.analyze(prepared), strict=True))


def searched_words(query: str) -> dict[str, str]:
    """The first word in ``query`` for each stem. Stop words are used only if there are no other words."""
    kept = frozenset(_analyzer(tantivy.Filter.stopword("english")).analyze(_prepared(query)))
    words = [(stem, word) for word, stem in words_with_stems(query) if word in kept or not kept]
    return {**dict(words), **dict(reversed(words))}


class PlainIndex:
    """An index of the stems in notes' titles and texts. The methods may be called from any thread."""

    def __init__(self, notes: Iterable[tuple[str, str]]) -> None:
        """Indexes ``notes``: the title and text of each note, in the order of the snapshot."""
        texts = (tuple(map(_prepared, note)) for note in notes)
        self.index = MemoryIndex(FIELDS, _analyzer(tantivy.Filter.stemmer("english")), texts)

    def find(self, stems: Iterable[str]) -> list[MemoryMatch]:
        """All notes with any of ``stems``, best first. Notes with equal scores are in the order of the snapshot."""
        return self.index.matches(self.index.query(stems, FIELDS))

    def hit(self, snapshot: Snapshot, asked: Mapping[str, str], found: MemoryMatch) -> Hit:
        """The hit for the match ``found``, with one part per field. ``asked`` maps stems to query words."""
        note, score, address = snapshot.notes[found.position], found.score, found.address
        pairs = [pair for each in (note.title, snapshot.readable(note.path)) for pair in words_with_stems(each)]
        words, forms, matched = {word for word, _ in pairs}, {stem: word for word, stem in pairs}, list[MatchedWord]()
        parts: list[Part] = []
        for stem, word in asked.items():
            numbers = {name: each for name in FIELDS if (each := self._explained(stem, name, address))}
            for name, each in numbers.items():
                frequency, length, holding, notes = (round(each[key]) for key in ("freq", "dl", "n", "N"))
                explanation = f"idf × tf: in {holding} of {notes} notes, {frequency}× in about {length} words"
                explanation += f" (average: {each['avgdl']:.4g})"
                label, value, idf = word if name == "text" else f"{word} in title", each["TermQuery"], each["idf"]
                parts.append(Part(label, value, idf, value / idf, explanation))
            kind, form = (MatchKind.EXACT, word) if word in words else (MatchKind.STEM, forms.get(stem, stem))
            matched += [MatchedWord(word, form, kind, 0, tuple(numbers))] if numbers else []
        if rest := score - sum(part.value for part in parts):
            parts.append(Part("rounding", rest, note="tantivy adds 32-bit numbers"))
        path, all_parts = note.result_path, tuple(parts)
        return Hit(path, note.path, note.title, note.kind, Origin.TEXT, score, all_parts, words=tuple(matched))

    def _explained(self, stem: str, field: str, address: tantivy.DocAddress) -> dict[str, float]:
        """The numbers in tantivy's explanation for ``stem`` in ``field``, keyed by name; empty if there is no match."""
        try:
            explanation = self.index.query([stem], [field]).explain(self.index.searcher, address)
        except ValueError:
            return {}
        return dict(_numbers(json.loads(explanation.to_json())))


def _numbers(explanation: dict[str, Any]) -> Iterator[tuple[str, float]]:
    yield explanation["description"].partition(",")[0], float(np.float32(explanation["value"]))
    for each in explanation.get("details", ()):
        yield from _numbers(each)


_INDEX: Key[PlainIndex] = Key("index of plain search")
_building = threading.Lock()


def index_of(snapshot: Snapshot) -> PlainIndex:
    """The index of the notes of ``snapshot``, built on first use."""
    notes = ((note.title, snapshot.readable(note.path)) for note in snapshot.notes)
    with _building:  # locked, because several threads may need the index at once, and it is large
        return snapshot.derived.of(_INDEX, lambda: PlainIndex(notes))
