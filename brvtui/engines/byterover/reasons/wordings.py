"""Other wordings of a query that may bring a note in, least change first. Whether one does is found by asking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brvtui.engines.byterover.sections import QueryWord, Search
from brvtui.text.analysis import from_utf16, terms
from brvtui.trace import Trace
from brvtui.tree.reading.whitespace import spaced_words

_MOST_WORDS_DROPPED = 4
STOP_WORD = "about"
EVERY_WORD = "write every word as notes do"


@dataclass(frozen=True, slots=True)
class Wording:
    """A changed query and the change in words."""

    text: str
    query: str


def unpunctuated(trace: Trace) -> Iterator[Wording]:
    """The query without the punctuation that keeps words from equalling a token, then without any."""
    for word in trace.section(Search).lint.words:
        if word.mismatch and not word.stop_word and word.tokens:
            bare = " ".join(word.tokens)
            stripped = "".join(character for character in word.word if not character.isalnum())
            what = f"remove the {stripped}" if len(stripped) == 1 else f"write {word.word} as {bare}"
            yield Wording(what, _rewritten(trace, {word.word: bare}))
    words = spaced_words(trace.query)
    if any(not word.isalnum() for word in words):
        yield Wording("remove the punctuation", " ".join(" ".join(map(from_utf16, terms(word))) for word in words))


def as_in_notes(trace: Trace) -> Iterator[Wording]:
    """The query with other forms of words that are in no note, as the notes have them."""
    lint = trace.section(Search).lint
    near = {expansion.term: expansion.near for expansion in lint.expansions if expansion.near}
    first = {term: forms[0] for term, forms in near.items()}
    changed = {word.word: word for word in lint.words if not first.keys().isdisjoint(word.tokens)}
    for word in changed.values():
        for term in dict.fromkeys(word.tokens):
            for form in near.get(term, ()):
                written = _written(word, {term: form})
                yield Wording(f"write {word.word} as {written}", _rewritten(trace, {word.word: written}))
    if len(changed) > 1:
        yield Wording(EVERY_WORD, _rewritten(trace, {name: _written(word, first) for name, word in changed.items()}))


def _written(word: QueryWord, forms: Mapping[str, str]) -> str:
    """``word`` with each of its tokens in the form that ``forms`` has for it, if any."""
    return " ".join(forms.get(token, token) for token in word.tokens)


def _rewritten(trace: Trace, words: Mapping[str, str]) -> str:
    """The query with each of ``words`` written as the mapping has it, also where a word of it names a folder."""
    return " ".join(words.get(word, word) for word in spaced_words(trace.query))


def without_words(words: list[str]) -> Iterator[Wording]:
    """The query without each of ``words``, then without the last ones."""
    for place, word in enumerate(words):
        yield Wording(f"leave out “{word}”", " ".join(words[:place] + words[place + 1 :]))
    for dropped in range(2, min(_MOST_WORDS_DROPPED, len(words) - 1) + 1):
        left = words[:-dropped]
        yield Wording(f"leave out the last {dropped} words", " ".join(left))
