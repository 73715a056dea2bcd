"""Other wordings of a query that may bring a note in, least change first. Whether one does is found by asking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brvtui.engines.byterover.reasons.reasons import Loss
from brvtui.engines.byterover.sections import Search
from brvtui.trace import Trace
from brvtui.tree.reading.whitespace import spaced_words

_MOST_WORDS_DROPPED = 4
_STOP_WORD = "about"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed query and the change in words."""

    text: str
    query: str


def query_changes(loss: Loss, trace: Trace, title: str) -> Iterator[Change]:
    """Wordings to try for a note called ``title`` that was lost for ``loss``; each differs from the query."""
    seen = {trace.query}
    for change in _candidates(loss, trace, title):
        if change.query.strip() and change.query not in seen:
            seen.add(change.query)
            yield change


def _candidates(loss: Loss, trace: Trace, title: str) -> Iterator[Change]:
    words = spaced_words(trace.query)
    if loss is Loss.UNMATCHED_WORD:
        yield from unpunctuated(trace)
        rest = [word for word in words if word.lower() not in trace.section(Search).unmatched_words]
        yield Change(f"leave out {_listed(trace.section(Search).unmatched_words)}", " ".join(rest))
    if loss in (Loss.PATH, Loss.SCOPE):
        yield Change(f"begin with a stop word, such as “{_STOP_WORD}”", f"{_STOP_WORD} {trace.query.strip()}")
        yield Change("begin with another word", " ".join([*words[1:], *words[:1]]))
        yield Change("write the words without the path", " ".join(words[1:]))
        yield Change("separate the words of the path", trace.query.replace("/", " ").strip())
        yield Change("put the title before it", f"{title} {trace.query}".replace("/", " "))
    if loss in (Loss.NO_TERM, Loss.AND, Loss.NO_WORDS):
        yield from unpunctuated(trace)
    if loss is Loss.AND:
        yield from without_words(words)
    yield Change(f"add the words of its title ({title})", f"{trace.query} {title}")
    yield Change("ask for its title", title)


def unpunctuated(trace: Trace) -> Iterator[Change]:
    """The query without the punctuation that keeps words from equalling a token, then without any."""
    for word in trace.section(Search).lint.words:
        if word.mismatch and not word.stop_word and word.tokens:
            bare = " ".join(word.tokens)
            stripped = "".join(character for character in word.word if not character.isalnum())
            what = f"remove the {stripped}" if len(stripped) == 1 else f"write {word.word} as {bare}"
            yield Change(what, trace.query.replace(word.word, bare, 1))
    bare_query = " ".join(" ".join(word.tokens) for word in trace.section(Search).lint.words)
    yield Change("remove the punctuation", bare_query)


def without_words(words: list[str]) -> Iterator[Change]:
    """The query without each of ``words``, then without the last ones."""
    for place, word in enumerate(words):
        yield Change(f"leave out “{word}”", " ".join(words[:place] + words[place + 1 :]))
    for dropped in range(2, min(_MOST_WORDS_DROPPED, len(words) - 1) + 1):
        left = words[:-dropped]
        yield Change(f"leave out the last {dropped} words", " ".join(left))


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)
