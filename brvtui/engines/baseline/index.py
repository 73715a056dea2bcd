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
from brvtui.text.full_text import UNSPACED
from brvtui.trace import Hit, MatchedWord, MatchKind, Origin, Part

_FIELDS = ("title", "text")
_KEY, _STEMS, _LONGEST_WORD, _WRITER_BYTES = "key", "stems", 8_000, 50_000_000
_COMBINING = re.compile("[\u0300-\u036f]")
_CHARACTER = re.compile(f"[{UNSPACED}]")
"""A character of Hangul, or of a script without spaces (Han, Kana, Thai …): each counts as a word."""


def _prepared(text: str) -> str:
    text = encodable(fold(text) if _COMBINING.search(text) else text)
    return text if text.isascii() else _CHARACTER.sub(r" \g<0> ", text)


def _analyzer(*filters: tantivy.Filter) -> tantivy.TextAnalyzer:
    """An analyzer for prepared text that ignores case and accents. It is not thread-safe."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(_LONGEST_WORD))
    for one in (tantivy.Filter.lowercase(), tantivy.Filter.ascii_fold(), *filters):
        builder = builder.filter(one)
    return builder.build()


def _words(text: str) -> list[tuple[str, str]]:
    """The words of ``text`` in order, each with its stem."""
    prepared, stemmer = _prepared(text), _analyzer(tantivy.Filter.stemmer("english"))
    return list(zip(_analyzer().analyze(prepared), stemmer.analyze(prepared), strict=True))


def searched_words(query: str) -> dict[str, str]:
    """The first word of ``query`` for each stem, by stem. Stop words are left out unless there are no other words."""
    kept = frozenset(_analyzer(tantivy.Filter.stopword("english")).analyze(_prepared(query)))
    words = [(stem, word) for word, stem in _words(query) if word in kept or not kept]
    return {**dict(words), **dict(reversed(words))}


Found = tuple[int, float, tantivy.DocAddress]
"""A matching note: its position in the snapshot, tantivy's score, and its address in the index."""


class PlainIndex:
    """An index of the stems in titles and texts of notes. Its methods may be called from any thread."""

    def __init__(self, notes: Iterable[tuple[str, str]]) -> None:
        """``notes`` are the title and the text of each note, in the order of the snapshot."""
        builder = tantivy.SchemaBuilder().add_unsigned_field(_KEY, fast=True)
        for name in _FIELDS:
            builder = builder.add_text_field(name, tokenizer_name=_STEMS, index_option="freq")
        self._schema = builder.build()
        index = tantivy.Index(self._schema)
        index.config_reader("manual")  # otherwise a thread polls for commits
        index.register_tokenizer(_STEMS, _analyzer(tantivy.Filter.stemmer("english")))
        writer = index.writer(_WRITER_BYTES, 1)
        for position, texts in enumerate(notes):
            prepared = dict(zip(_FIELDS, map(_prepared, texts), strict=True))
            writer.add_document(tantivy.Document.from_dict({_KEY: position, **prepared}, self._schema))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def query(self, stems: Iterable[str], fields: Iterable[str] = _FIELDS) -> tantivy.Query:
        """The query for any of ``stems`` in any of ``fields``."""
        terms = [tantivy.Query.term_query(self._schema, name, stem, "freq") for stem in stems for name in fields]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])

    def find(self, stems: Iterable[str]) -> list[Found]:
        """Every note with any of ``stems``, best first; notes with equal scores are in the order of the snapshot."""
        hits = self.searcher.search(self.query(stems), max(self.searcher.num_docs, 1), count=False).hits
        keys = self.searcher.fast_field_values(_KEY, [address for _, address in hits])
        found = ((int(key or 0), *hit) for key, hit in zip(keys, hits, strict=True))
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def hit(self, snapshot: Snapshot, asked: Mapping[str, str], found: Found) -> Hit:
        """``found`` as a result for the words ``asked``. Its score has a part for each matching word and field."""
        note, score, address = snapshot.notes[found[0]], *found[1:]
        pairs = [pair for each in (note.title, snapshot.readable(note.path)) for pair in _words(each)]
        words, forms, matched = {word for word, _ in pairs}, {stem: word for word, stem in pairs}, list[MatchedWord]()
        parts: list[Part] = []
        for stem, word in asked.items():
            told = {name: each for name in _FIELDS if (each := self._explained(stem, name, address))}
            for name, each in told.items():
                numbers = (
                    f"{each['freq']:.0f}× in about {each['dl']:.0f} words; {each['n']:.0f} of {each['N']:.0f} notes"
                )
                label, value, idf = word if name == "text" else f"{word} in title", each["TermQuery"], each["idf"]
                parts.append(Part(label, value, idf, value / idf, numbers))
            kind, form = (MatchKind.EXACT, word) if word in words else (MatchKind.STEM, forms.get(stem, stem))
            matched += [MatchedWord(word, form, kind, 0, tuple(told))] if told else []
        if rest := score - sum(part.value for part in parts):
            parts.append(Part("rounding", rest, note="tantivy adds 32-bit numbers"))
        path, kept = note.result_path, tuple(parts)
        return Hit(path, note.path, note.title, note.kind, Origin.TEXT, score, kept, words=tuple(matched))

    def _explained(self, stem: str, field: str, address: tantivy.DocAddress) -> dict[str, float]:
        """The numbers of tantivy's explanation for ``stem`` in ``field``, by name; empty if it does not match."""
        try:
            told = self.query([stem], [field]).explain(self.searcher, address)
        except ValueError:
            return {}
        return dict(_numbers(json.loads(told.to_json())))


def _numbers(explanation: dict[str, Any]) -> Iterator[tuple[str, float]]:
    yield explanation["description"].partition(",")[0], float(np.float32(explanation["value"]))
    for each in explanation.get("details", ()):
        yield from _numbers(each)


_INDEX: Key[PlainIndex] = Key("index of plain search")
_making = threading.Lock()


def index_of(snapshot: Snapshot) -> PlainIndex:
    """The index of the notes of ``snapshot``, built when it is first needed."""
    notes = ((note.title, snapshot.readable(note.path)) for note in snapshot.notes)
    with _making:  # it is large, and asked for by several threads at once
        return snapshot.derived.of(_INDEX, lambda: PlainIndex(notes))
