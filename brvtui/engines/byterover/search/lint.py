"""The analysis of a query before the search: stop words, tokens and index terms.

See ``docs/reference/byterover.md``, "The query".
"""

from __future__ import annotations

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.sections import QueryLint, QueryWord
from brvtui.text.analysis import from_utf16, terms, utf16, without_stop_words
from brvtui.text.postings import Postings
from brvtui.tree.reading.javascript import spaced_words


def filtered_query(text: str, profile: Profile) -> str:
    """``text`` without stop words."""
    return without_stop_words(text, frozenset(profile.query.stop_words))


def query_words(text: str, profile: Profile) -> list[str]:
    """The words of ``text`` in lower case without stop words, used to choose excerpts."""
    return spaced_words(filtered_query(text, profile).lower())


def significant_words(filtered: str, profile: Profile) -> tuple[str, ...]:
    """The distinct words in the filtered query that the unmatched-word rule applies to, in order."""
    min_length = profile.out_of_domain.word_length
    if profile.out_of_domain.compare == "tokens":
        candidates = [from_utf16(term) for term in terms(filtered)]
    else:
        candidates = spaced_words(filtered.lower())
    return tuple(dict.fromkeys(word for word in candidates if len(utf16(word)) >= min_length))


def lint(text: str, profile: Profile, postings: Postings) -> QueryLint:
    """The analysis of ``text``, word by word: its stop words and tokens, words that can never equal a token, and the
    index terms that match the tokens.
    """
    stop_words = frozenset(profile.query.stop_words)
    filtered = filtered_query(text, profile)
    all_stop = filtered == text and all(word in stop_words for word in spaced_words(text.lower()))
    min_length = profile.out_of_domain.word_length
    words = []
    for word in spaced_words(text):
        lower = word.lower()
        tokens = tuple(from_utf16(term) for term in terms(word))
        stop = lower in stop_words and not all_stop
        words.append(QueryWord(word, tokens, stop, not stop and len(utf16(lower)) >= min_length, tokens != (lower,)))
    tokens = tuple(terms(filtered))
    notes = []
    if all_stop and words:
        notes.append("every word is a stop word, so all are kept")
    if words and not tokens:
        notes.append("no token is left, so nothing can be found")
    return QueryLint(
        text,
        filtered,
        tuple(words),
        tuple(from_utf16(token) for token in tokens),
        tuple(postings.describe(token, profile.text) for token in dict.fromkeys(tokens)),
        tuple(notes),
    )
