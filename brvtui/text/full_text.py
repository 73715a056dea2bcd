"""A project's full-text index, and searches in that index (``docs/explanation/architecture.md``, "The text index").

:mod:`brvtui.text.find_query` parses queries, and :mod:`brvtui.store.text_index` stores the index on disk. Scores are
sums of constants, so results depend only on the documents, not on the order of indexing.
"""

from __future__ import annotations

import heapq
import itertools
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy
from rapidfuzz.distance import Levenshtein

from brvtui.text.analysis import STOP_WORDS, encodable, fold
from brvtui.text.find_query import (
    BREAKS,
    FIELDS,
    RUN,
    UNSPACED,
    Match,
    QueryClause,
    Word,
    parsed,
    whole_phrase,
    words_in,
)

LONGEST_TEXT = 500_000
"""The maximum number of characters searched in each text."""


@dataclass(frozen=True, slots=True)
class TextDocument:
    """The searchable texts of one note, topic or symbol."""

    path: str
    title: str
    headings: str
    tags: str
    text: str
    first_line: int = 1
    """The line of the file at which ``text`` begins, after any frontmatter."""


_TOKEN = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]+"
_LONGEST_WORD = 8_000
"""The maximum length in bytes of an indexed word. The engine reads at most 2,000 characters of a line."""


def _grams(folded: str) -> str:
    """For each run of a script without spaces, its pairs of adjacent characters and its last character."""
    runs = RUN.findall(folded)
    return " ".join(run[place : place + 2] for run in runs for place in range(len(run)))


def _prepared(text: str) -> tuple[str, str]:
    """Two forms of ``text``: one for the fields with exact words, and a folded one for the fields with stems. Tantivy
    lower-cases both.
    """
    if text.isascii():
        return text, text
    broken = text.translate(BREAKS)
    return (broken, broken) if broken.isascii() else (broken.lower(), fold(broken))


# The index.


_WEIGHTS = {"title": 32, "title_stems": 30, "title_grams": 32, "headings": 16, "tags": 8, "path": 4, "text": 3}
_WEIGHTS |= {"tag_stems": 7, "stems": 2, "grams": 2}
_PHRASE = 1 << 16
"""The weight of a match of all words as one phrase, which is higher than any sum of the other weights."""
_STEMS = {"title": "title_stems", "tags": "tag_stems", "text": "stems"}
_GRAMS = {"title": "title_grams"}
_MOST_COMPARED = 25
"""The number of a document's stems and character pairs that are used to find similar documents."""
_KEY, _ID = "key", "id"


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field(_KEY, fast=True)
    builder.add_text_field(_ID, tokenizer_name="raw", index_option="basic")
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="position")
    for name in _STEMS.values():
        builder.add_text_field(name, tokenizer_name="stems", index_option="basic")
    for name in ("title_grams", "grams"):
        builder.add_text_field(name, tokenizer_name="grams", index_option="position")
    return builder.build()


def _stemmer() -> tantivy.TextAnalyzer:
    """An analyzer that stems a single word. It is not thread-safe."""
    whole = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
    return whole.filter(tantivy.Filter.stemmer("english")).build()


def _words_analyzer() -> tantivy.TextAnalyzerBuilder:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_TOKEN)).filter(tantivy.Filter.lowercase())
    return builder.filter(tantivy.Filter.remove_long(_LONGEST_WORD))


def open_index(folder: Path | None = None) -> tantivy.Index:
    """The index in ``folder``, created if the folder is empty; a new index in memory if ``folder`` is None."""
    index = tantivy.Index(_schema(), str(folder) if folder else None)
    index.config_reader("manual")  # otherwise, a thread would poll for commits
    index.register_tokenizer("words", _words_analyzer().build())
    index.register_tokenizer("stems", _words_analyzer().filter(tantivy.Filter.stemmer("english")).build())
    index.register_tokenizer("grams", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


class IndexedBatch(NamedTuple):
    """Documents to add, each with a unique key, and the keys of documents to remove."""

    added: Iterable[tuple[int, TextDocument]]
    removed: Iterable[int] = ()


def write(index: tantivy.Index, change: IndexedBatch, heap_bytes: int) -> None:
    """Removes and adds documents in one commit, and waits until all merges have ended.

    Raises ValueError, or one of tantivy's own exceptions if one of its threads fails.
    """
    writer = index.writer(heap_bytes, 1)
    for key in change.removed:
        writer.delete_documents_by_term(_ID, str(key))
    for key, document in change.added:
        writer.add_document(_written(key, document))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()


def _written(key: int, document: TextDocument) -> tantivy.Document:
    entry = tantivy.Document()
    entry.add_unsigned(_KEY, key)
    entry.add_text(_ID, str(key))
    folded = {}
    for name in FIELDS:
        words, folded[name] = _prepared(encodable(getattr(document, name)[:LONGEST_TEXT]))
        entry.add_text(name, words)
    for name, stems in _STEMS.items():
        entry.add_text(stems, folded[name])
    if not all(map(str.isascii, folded.values())):
        entry.add_text("title_grams", _grams(folded["title"]))
        entry.add_text("grams", _grams("\n".join(folded.values())))
    return entry


def _compiled(alternatives: Sequence[Sequence[QueryClause]]) -> tantivy.Query:
    """Compiles a query for tantivy, with weights that depend only on the fields."""
    return _any(_all_of(clauses) for clauses in alternatives)


def _all_of(clauses: Sequence[QueryClause]) -> tantivy.Query:
    must, without = tantivy.Occur.Must, tantivy.Occur.MustNot
    conditions = [(without if clause.excluded else must, _clause_query(clause)) for clause in clauses]
    if all(clause.excluded for clause in clauses):
        conditions.append((must, tantivy.Query.const_score_query(tantivy.Query.all_query(), 0.0)))
    if whole := whole_phrase(clauses):
        phrase = _any(
            _weighted(tantivy.Query.phrase_query(_schema(), name, list(whole.words)), _PHRASE + _WEIGHTS[name])
            for name in FIELDS
        )
        conditions.append((tantivy.Occur.Should, phrase))
    return tantivy.Query.boolean_query(conditions)


def _clause_query(clause: QueryClause) -> tantivy.Query:
    if clause.match is Match.GRAMS:
        fields = (
            [_GRAMS[clause.field]]
            if clause.field in _GRAMS
            else ["grams"]
            if clause.field
            else ["grams", "title_grams"]
        )
        return _any(_weighted(_grams_query(name, clause.words[0]), _WEIGHTS[name]) for name in fields)
    fields = [clause.field] if clause.field else list(FIELDS)
    terms = [_weighted(_term_query(name, clause), _WEIGHTS[name]) for name in fields]
    if clause.match is Match.WORD and (stem := _stem(_stemmer(), clause.words[0])):
        stems = (_STEMS[name] for name in fields if name in _STEMS)
        terms += [_weighted(tantivy.Query.term_query(_schema(), name, stem, "basic"), _WEIGHTS[name]) for name in stems]
    return _any(terms)


def _term_query(name: str, clause: QueryClause) -> tantivy.Query:
    words, schema = clause.words, _schema()
    if clause.match is Match.PHRASE:
        return tantivy.Query.phrase_query(schema, name, list(words))
    if clause.match is Match.PREFIX:
        return _prefix_query(name, words[0])
    if clause.match is Match.FUZZY:
        return tantivy.Query.fuzzy_term_query(schema, name, words[0], clause.distance, False)
    return tantivy.Query.term_query(schema, name, words[0], "basic")


def _grams_query(name: str, run: str) -> tantivy.Query:
    grams = _grams(run).split(" ")[:-1]
    if not grams:
        return _prefix_query(name, run)
    if len(grams) == 1:
        return tantivy.Query.term_query(_schema(), name, grams[0], "basic")
    return tantivy.Query.phrase_query(_schema(), name, list(grams))


def _prefix_query(name: str, prefix: str) -> tantivy.Query:
    """The query for words that begin with ``prefix``, which must contain only letters, marks and digits."""
    try:
        return tantivy.Query.regex_query(_schema(), name, f"{prefix}.*")
    except ValueError:  # the automaton of a very long word would be too large
        return tantivy.Query.term_query(_schema(), name, prefix, "basic")


def _weighted(query: tantivy.Query, weight: int) -> tantivy.Query:
    return tantivy.Query.const_score_query(query, float(weight))


def _any(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.disjunction_max_query(list(queries))


def _stem(stemmer: tantivy.TextAnalyzer, word: str) -> str:
    stems = stemmer.analyze(fold(word))
    return stems[0] if stems else ""


_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~).*", re.MULTILINE)
_LEAST_LATIN = 3


def content_words(document: TextDocument) -> Counter[str]:
    """Counts the words in a document's title, tags and body, without stop words, numbers and very short words."""
    texts = (document.title, document.tags, _FENCE.sub("", document.text[:LONGEST_TEXT]))
    words = Counter(word.text for text in texts for word in words_in(encodable(text[:LONGEST_TEXT])))
    for word in [*words]:
        if word in STOP_WORDS or sum(map(str.isalpha, word)) < (_LEAST_LATIN if fold(word).isascii() else 1):
            del words[word]
    return words


# Finding.


class DocumentMatch(NamedTuple):
    """The path of a matching document, and its score, which is a sum of weights."""

    path: str
    score: float


class IndexPart:
    """The searchable state of an index at one time. Later changes to the index do not affect it."""

    def __init__(self, index: tantivy.Index, keys: Mapping[str, int]) -> None:
        """Opens the current state of ``index``. ``keys`` maps the path of each document to the document's key."""
        self.searcher = index.searcher()
        self.keys = keys
        self._paths = sorted(keys)
        self._ranks = np.full(max(keys.values(), default=-1) + 1, -1, dtype=np.int64)
        self._ranks[[keys[path] for path in self._paths]] = np.arange(len(self._paths))

    def find(self, query: tantivy.Query, limit: int, hidden: Iterable[str]) -> tuple[list[DocumentMatch], int]:
        """The ``limit`` best matches, sorted by score (best first) and path, and the total number of matches."""
        if not self._paths:
            return [], 0
        hits = self.searcher.search(query, len(self._paths), count=False).hits
        keys = self.searcher.fast_field_values(_KEY, [address for _, address in hits])
        scores = np.fromiter((score for score, _ in hits), dtype=np.float64, count=len(hits))
        ranks = self._ranks[np.asarray(keys, dtype=np.int64)]
        without = [self._ranks[self.keys[path]] for path in hidden if path in self.keys]
        shown = np.flatnonzero(~np.isin(ranks, without)) if without else np.arange(len(ranks))
        best = shown[np.lexsort((ranks[shown], -scores[shown]))][:limit]
        return [DocumentMatch(self._paths[ranks[place]], float(scores[place])) for place in best], len(shown)


@dataclass(frozen=True, slots=True, eq=False)
class FullTextView:
    """The documents of one snapshot: the index on disk, and newer documents in memory, which hide their old versions on
    disk.
    """

    kept: IndexPart | None
    newer: IndexPart | None = None
    hidden: frozenset[str] = frozenset()
    """The paths of documents in ``kept`` that have since been changed or removed."""

    def find(self, query: str, limit: int, is_typing: bool = False) -> tuple[list[DocumentMatch], int]:
        """The ``limit`` best matches of ``query``, sorted by score (best first) and path, and the total number of
        matches.

        Matches in the title have the highest weight, followed by headings, tags, the path and the text. A match of all
        words as one phrase has more weight than any other match.
        """
        if not (alternatives := parsed(query, is_typing)):
            return [], 0
        return self._found(_compiled(alternatives), limit)

    def _found(
        self, query: tantivy.Query, limit: int, without: Set[str] = frozenset()
    ) -> tuple[list[DocumentMatch], int]:
        found: list[DocumentMatch] = []
        total = 0
        for part, hidden in ((self.kept, self.hidden | without), (self.newer, without)):
            if part is not None:
                documents, count = part.find(query, limit, hidden)
                found, total = found + documents, total + count
        return sorted(found, key=lambda one: (-one.score, one.path))[:limit], total

    def similar(self, document: TextDocument, limit: int) -> list[DocumentMatch]:
        """The ``limit`` documents most similar to ``document``, best first, without ``document`` itself.

        The score is the sum of the idf of shared word stems and character pairs. Only the 25 of ``document`` with the
        highest tf × idf are used. Documents that have been removed still affect the idf until tantivy merges their
        segment.
        """
        count = sum(len(part.keys) for part in (self.kept, self.newer) if part is not None)
        stemmer, terms = _stemmer(), Counter[tuple[tuple[str, ...], str]]()
        for word, times in content_words(document).items():
            grams = _grams(fold(word)).split()
            for term in grams or [_stem(stemmer, word)]:
                terms[("grams",) if grams else tuple(_STEMS.values()), term] += times
        weighed = []
        for (fields, term), times in terms.items():
            holding = self._holding(fields, term)
            idf = math.log1p((max(count, holding) - holding + 0.5) / (holding + 0.5))
            weighed.append((times * idf, idf, fields, term))
        queries = []
        for _, idf, fields, term in heapq.nlargest(_MOST_COMPARED, weighed):
            query = _any(tantivy.Query.term_query(_schema(), field, term, "basic") for field in fields)
            queries.append((tantivy.Occur.Should, tantivy.Query.const_score_query(query, idf)))
        return self._found(tantivy.Query.boolean_query(queries), limit, {document.path})[0]

    def rarest(self, words: Iterable[str], most: int) -> tuple[str, ...]:
        """Up to ``most`` of ``words``: those that occur in the fewest documents, rarest first. Strings that no document
        contains as a word, such as runs of scripts without spaces, are left out.
        """
        counts = {word: self._holding(tuple(_STEMS), word) for word in words}
        return tuple(heapq.nsmallest(most, filter(counts.get, counts), lambda word: (counts[word], word)))

    def _holding(self, fields: Iterable[str], term: str) -> int:
        """The number of documents that contain ``term`` in one of ``fields``, taken from the field where it is most
        frequent.
        """
        parts = [part for part in (self.kept, self.newer) if part is not None]
        return max(sum(part.searcher.doc_freq(field, term) for part in parts) for field in fields)

    def excerpt(self, query: str, document: TextDocument, is_typing: bool = False) -> Excerpt:
        """The fields and the line of ``document`` that match ``query``."""
        part = self.newer if self.newer is not None and document.path in self.newer.keys else self.kept
        alternatives = parsed(query, is_typing)
        clauses = [clause for of in alternatives for clause in of if not clause.excluded]
        finder = _MatchFinder(clauses)
        fields = []
        for name in FIELDS:
            of_field = _MatchFinder(clause for clause in clauses if clause.field in ("", name))
            if next(of_field.matches(getattr(document, name)), None):
                fields.append(name)
        whole = _MatchFinder(phrase for of in alternatives if (phrase := whole_phrase(of)))
        first = next(itertools.chain(whole.matches(document.text), finder.matches(document.text)), None)
        if first is None or part is None:
            return Excerpt(tuple(fields), 0, "", ())
        line = document.first_line + document.text.count("\n", 0, first.start)
        return Excerpt(tuple(fields), line, *_snippet(part.searcher, document, first, finder))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The fields of a document that match a query, and the number of a matching line (0 if no line of the text
    matches).

    The line is the one with the first match of all words as one phrase or, if there is none, with the first match of
    any word. ``snippet`` is an extract of the text as a single line, and ``highlights`` are the starts and ends of the
    matches in it.
    """

    fields: tuple[str, ...]
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]


_BEFORE, _WINDOW, _SNIPPET = 60, 400, 160
"""Numbers of characters: the maximum before the first match, the size of the window from which a snippet is chosen, and
the length of the snippet.
"""


class _MatchFinder:
    """Finds the words in a text that match a query, by the same rules as the index."""

    def __init__(self, clauses: Iterable[QueryClause]) -> None:
        listed = list(clauses)
        by_match = {match: [clause for clause in listed if clause.match is match] for match in Match}
        self._exact = {clause.words[0] for clause in by_match[Match.WORD]}
        self._prefixes = tuple(clause.words[0] for clause in by_match[Match.PREFIX])
        self._fuzzy = [(clause.words[0], clause.distance) for clause in by_match[Match.FUZZY]]
        self._phrases = {clause.words for clause in by_match[Match.PHRASE]}
        self.runs = [clause.words[0] for clause in by_match[Match.GRAMS]]
        self._stemmer = _stemmer()
        self._stems = {_stem(self._stemmer, word) for word in self._exact}
        self._known: dict[str, bool] = {}
        self._is_empty = not listed

    def matches(self, text: str) -> Iterator[Word]:
        """Yields the matches in ``text`` in order. A matching phrase is one match."""
        last: deque[Word] = deque(maxlen=max(map(len, self._phrases), default=0))
        for word in () if self._is_empty else words_in(text[:LONGEST_TEXT]):
            if word.is_unspaced:
                yield from self._in_run(word)
                continue
            last.append(word)
            for phrase in self._phrases:
                if word.text == phrase[-1] and tuple(one.text for one in last)[-len(phrase) :] == phrase:
                    yield Word(" ".join(phrase), last[-len(phrase)].start, word.end)
            if word.text not in self._known:
                self._known[word.text] = self._is_asked_for(word.text)
            if self._known[word.text]:
                yield word

    def _in_run(self, word: Word) -> Iterator[Word]:
        for run in self.runs:
            if (at := word.text.find(run)) >= 0:
                yield Word(run, word.start + at, word.start + at + len(run))
            elif run in fold(word.text):
                yield word

    def _is_asked_for(self, word: str) -> bool:
        return (
            word in self._exact
            or word.startswith(self._prefixes)
            or any(Levenshtein.distance(word, one, score_cutoff=limit) <= limit for one, limit in self._fuzzy)
            or (bool(self._stems) and _stem(self._stemmer, word) in self._stems)
        )


def _snippet(
    searcher: tantivy.Searcher, document: TextDocument, first: Word, finder: _MatchFinder
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A snippet of the text of ``document`` near the match ``first``, as a single line, and the matches in it."""
    text = document.text
    begin = max(0, first.start - _BEFORE)
    while 0 < begin < first.start and text[begin - 1].isalnum():
        begin += 1
    window = encodable(text[begin : begin + _WINDOW])
    words = {part for word in finder.matches(window) for part in word.text.split(" ")}
    terms = [(tantivy.Occur.Should, tantivy.Query.term_query(_schema(), "text", term)) for term in sorted(words)]
    generator = tantivy.SnippetGenerator.create(searcher, tantivy.Query.boolean_query(terms), _schema(), "text")
    generator.set_max_num_chars(_SNIPPET)
    entry = tantivy.Document()
    entry.add_text("text", window)
    snippet = generator.snippet_from_doc(entry)
    fragment = snippet.fragment() or window[:_SNIPPET]
    encoded = fragment.encode()
    places = [tuple(len(encoded[:end].decode()) for end in (one.start, one.end)) for one in snippet.highlighted()]
    for run in finder.runs:
        places += [found.span() for found in re.finditer(re.escape(run), fragment.lower())]
    return re.sub(r"\s", " ", fragment), tuple(sorted({(start, end) for start, end in places}))
