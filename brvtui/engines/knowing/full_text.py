"""The full-text channel: the search terms for FTS5, and the searched texts.

See ``docs/reference/knowing.md``, "Full text".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from brvtui.engines.knowing.keywords import KeywordSet, is_compound, lower, size, split_identifier
from brvtui.engines.knowing.model import Columns, Graph, Positions
from brvtui.engines.knowing.seed_rules import FullTextRules
from brvtui.engines.knowing.words import searched_columns
from brvtui.text.fts import FullText, FullTextError, IndexLayout, full_text, phrase

_LAYOUT = IndexLayout(Columns._fields, "unicode61 tokenchars '_' remove_diacritics 2")
_NAME, _PATH = "symbol_name", "file_path"
_OR = " OR "
_WORD = re.compile(r"\w+")
_MOST_PROBED = 100
"""The maximum number of compounds in a task that are searched one by one."""


class TermSource(StrEnum):
    """The origin of a search term."""

    KEYWORD = "keyword"
    DECOMPOSED = "part of a compound"
    PHRASE = "neighbouring words"
    PATH = "path term"
    RELATED = "related word"


class TextTerm(NamedTuple):
    """A term of a full-text search; a match with any one of the terms is enough."""

    text: str
    source: TermSource
    column: str = ""
    """The column to search; empty for all columns."""
    is_phrase: bool = False
    is_prefix: bool = False

    def expression(self, quoted: bool) -> str:
        """The term in FTS5 syntax. Terms are unquoted in the original program."""
        if quoted:
            text = phrase(self.text, self.is_prefix)
        elif self.is_phrase:
            text = f'"{self.text}"'
        else:
            text = self.text + "*" * self.is_prefix
        return f"{self.column}:{text}" if self.column else text


class TextHit(NamedTuple):
    """A node and its BM25 score, which is above 0."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class TextSearch:
    """The terms of a full-text search, and its hits."""

    terms: tuple[TextTerm, ...]
    expression: str
    hits: tuple[TextHit, ...]
    was_decomposed: bool = False
    """True if whole names matched nothing, so that their parts were searched instead."""
    error: str = ""
    """The error if FTS5 cannot parse the expression; always empty for quoted terms."""

    def keeping(self, allows: Callable[[str], bool]) -> TextSearch:
        """A copy with only the hits for whose ids ``allows`` returns True."""
        return replace(self, hits=tuple(hit for hit in self.hits if allows(hit.id)))


@dataclass(frozen=True, eq=False)
class SearchedTexts:
    """The indexed texts of a graph's nodes. Nodes that only connect others are left out."""

    rules: FullTextRules
    texts: dict[str, Columns]
    """The texts of each node, keyed by id, in the order of the graph."""
    ids: tuple[str, ...]
    full_text: FullText

    def search(self, terms: Sequence[TextTerm], limit: int) -> list[TextHit]:
        """The best ``limit`` nodes that match any of ``terms``. Raises :class:`brvtui.text.fts.FullTextError` if FTS5
        cannot parse an unquoted term.
        """
        results = self.full_text.search(self._expressions(terms), self.rules.columns.weights, limit) if terms else []
        return [TextHit(self.ids[place], score) for place, score in results]

    def holds(self, terms: Sequence[TextTerm]) -> bool:
        """True if any node matches one of ``terms``. Raises :class:`brvtui.text.fts.FullTextError` if FTS5 cannot parse
        an unquoted term.
        """
        return self.full_text.holds(self._expressions(terms))

    def _expressions(self, terms: Sequence[TextTerm]) -> list[str]:
        return [term.expression(self.rules.quoted) for term in terms]


def searched_texts(graph: Graph, rules: FullTextRules, last: SearchedTexts | None = None) -> SearchedTexts:
    """The index of the texts in ``graph``. Texts that are already in ``last`` are not indexed again."""
    texts = {node.id: searched_columns(node, rules) for node in graph.nodes if not node.is_connector}
    ids, documents = tuple(texts), list(texts.values())
    if last is None or last.rules != rules:
        return SearchedTexts(rules, texts, ids, full_text(_LAYOUT, documents))
    return SearchedTexts(rules, texts, ids, last.full_text.after(_unchanged_positions(last, texts), documents))


def _unchanged_positions(last: SearchedTexts, texts: dict[str, Columns]) -> Positions:
    """For each node, the position of its texts in ``last`` if they are unchanged; otherwise -1."""
    places = {id_: place for place, id_ in enumerate(last.ids)}
    positions = (places[id_] if last.texts.get(id_) == text else -1 for id_, text in texts.items())
    return np.fromiter(positions, np.int64, len(texts))


def keyword_terms(keywords: Sequence[str]) -> list[TextTerm]:
    """One term per keyword. Compounds are searched only in names."""
    return [
        TextTerm(keyword.replace('"', ""), TermSource.KEYWORD, _NAME, is_phrase=True)
        if is_compound(keyword)
        else TextTerm(keyword, TermSource.KEYWORD)
        for keyword in keywords
    ]


def decomposed_terms(keywords: Sequence[str], rules: FullTextRules) -> list[TextTerm]:
    """Terms for the keywords, with each compound replaced by its parts, in lower case and as written, without
    duplicates.

    Parts are searched only in names. Only the last segments of a dotted name are used. Parts that are too short, or
    whose lower-case form has already occurred, are left out.
    """
    terms: dict[str, TextTerm] = {}
    for keyword in keywords:
        if not is_compound(keyword):
            if size(keyword) >= rules.decomposed_least:
                terms.setdefault(keyword, TextTerm(keyword, TermSource.KEYWORD))
            continue
        segments = keyword.split(".")
        if len(segments) > 1:
            segments = [text for text in segments[-rules.decomposed_segments :] if not _is_dunder(text)]
        for part in (part for segment in segments for part in split_identifier(segment)):
            low = lower(part)
            if size(low) >= rules.decomposed_least and low not in terms:
                for text in (low, part):
                    terms.setdefault(text, TextTerm(text, TermSource.DECOMPOSED, _NAME))
    return list(terms.values())


def related_words(keywords: Sequence[str], rules: FullTextRules, limit: int) -> list[str]:
    """The first ``limit`` words that the thesaurus lists for the keywords, without the keywords themselves."""
    related = (word for keyword in keywords for word in rules.thesaurus.get(lower(keyword), ()))
    return list(dict.fromkeys(word for word in related if word not in keywords))[:limit]


def expression(terms: Sequence[TextTerm], quoted: bool) -> str:
    """The ``terms`` joined into one FTS5 expression."""
    return _OR.join(term.expression(quoted) for term in terms)


def text_search(keywords: KeywordSet, path_terms: Sequence[str], index: SearchedTexts, task: str = "") -> TextSearch:
    """Searches the texts of nodes for the keywords, for phrases and related words derived from them, and for
    ``path_terms``.

    If the whole keywords match nothing, compounds are split into their parts. If ``rules.decomposed_each`` is set,
    single compounds in ``task`` that match no node are also split.
    """
    rules = index.rules
    first = keywords.primary if rules.primary_alone else keywords.all
    terms = keyword_terms(first) or keyword_terms(keywords.all)
    was_decomposed = not terms or finds_nothing(terms, index)
    if was_decomposed:
        terms = decomposed_terms(first, rules) or decomposed_terms(keywords.all, rules) or terms
    elif rules.decomposed_each:
        written = [text for text in keywords.primary if is_compound(text) and lower(text) in lower(task)]
        lost = [text for text in written[:_MOST_PROBED] if finds_nothing(keyword_terms([text]), index)]
        was_decomposed = bool(lost)
        others = [term for term in terms if term not in keyword_terms(lost)]
        terms = list(dict.fromkeys([*decomposed_terms(lost, rules), *others]))
    terms += _added_terms(keywords, path_terms, rules)
    try:
        hits, error = index.search(terms, rules.limit), ""
    except FullTextError as refused:
        hits, error = [], str(refused)
    return TextSearch(tuple(terms), expression(terms, rules.quoted), tuple(hits), was_decomposed, error)


def finds_nothing(terms: Sequence[TextTerm], index: SearchedTexts) -> bool:
    """True if FTS5 can parse ``terms``, but no node matches them."""
    try:
        return not index.holds(terms)
    except FullTextError:
        return False


def _added_terms(keywords: KeywordSet, path_terms: Sequence[str], rules: FullTextRules) -> Iterator[TextTerm]:
    for pair in islice(pairwise(keywords.parts), rules.phrases):
        if all(size(word) >= rules.phrase_least for word in pair):
            yield TextTerm(" ".join(pair), TermSource.PHRASE, is_phrase=True)
    for term in path_terms:
        yield TextTerm(term, TermSource.PATH, _PATH, is_prefix=True)
    for word in related_words(keywords.all, rules, rules.expansions):
        yield TextTerm(word, TermSource.RELATED)


def stand_ins(
    texts: Columns, search: TextSearch, keywords: KeywordSet, rules: FullTextRules
) -> tuple[tuple[str, str], ...]:
    """The related words in ``search`` that a node's ``texts`` contain, each with the keyword it replaces."""
    related = [term.text for term in search.terms if term.source is TermSource.RELATED]
    if not related:
        return ()
    words = {word for text in texts for word in _WORD.findall(text.lower())}
    return tuple(
        (word, keyword)
        for word in related
        if word.lower() in words
        for keyword in keywords.all
        if word in rules.thesaurus.get(keyword.lower(), ())
    )


def _is_dunder(text: str) -> bool:
    return text.startswith("__") and text.endswith("__")
