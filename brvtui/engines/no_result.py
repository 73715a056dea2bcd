"""Finds the causes of an answer without results: filters that exclude documents, and words that no document matches.

Such words are looked up in the text of notes (``docs/explanation/architecture.md``, rule 10). For text that ByteRover
reads, the terms of the snapshot are enough. Only two kinds of notes are read again: notes that ByteRover reads only in
part and, for a word with punctuation inside it, notes that contain all parts of the word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui.derived import Key
from brvtui.engines.contract import Context, Engine, Query
from brvtui.snapshot.state import Snapshot
from brvtui.text.analysis import fold, raw_tokens, typed_word
from brvtui.trace import Hit, MissingWord, Trace, Whereabouts
from brvtui.tree.reading.files import Role

_MOST_WORDS, _MOST_BYTES, _MOST_TRIED = 32, 2_000_000, 3
"""Limits per query: the number of words, the number of bytes of text, and the number of character runs that are tried
as queries. Folding that much text takes a tenth of a second. A message names at most three runs.
"""
Ask = Callable[[str], Iterable[Hit]]
_CUT: Key[list[int]] = Key("notes that are read only in part")
_HAS_ARCHIVE: Key[bool] = Key("has archived full texts")


def missing_words(snapshot: Snapshot, query: str, words: Iterable[str], ask: Ask) -> tuple[MissingWord, ...]:
    """The places in notes where ``words`` occur. These are words that an engine derived from ``query`` and did not
    find.

    Looks up at most 32 words, each as it was typed, and reads at most 2 MB of notes. A word may therefore also be in
    notes that were not read. ``ask`` returns the results of a query; it is called to try runs of characters that
    contain a word. Raises only the exceptions of ``ask``.
    """
    texts: dict[int, str] = {}
    masks: dict[str, NDArray[np.bool_]] = {}
    searched = list(dict.fromkeys(words))[:_MOST_WORDS]
    missing = [_missing_word(snapshot, texts, masks, word, typed_word(word, query)) for word in searched]
    tried = [one for one in missing if one.where in (Whereabouts.SPELLING, Whereabouts.INSIDE)][:_MOST_TRIED]
    return tuple(replace(one, helps=one in tried and _helps(snapshot, one.run, ask)) for one in missing)


def _helps(snapshot: Snapshot, run: str, ask: Ask) -> bool:
    """True if a note that contains ``run`` is among the results of a search for ``run``."""
    having = snapshot.postings.has_any([snapshot.postings.vocabulary.containing(fold(run))[run]])
    return any(having[snapshot.by_path[hit.file]] for hit in ask(run) if hit.file in snapshot.by_path)


def _missing_word(
    snapshot: Snapshot, texts: dict[int, str], masks: dict[str, NDArray[np.bool_]], word: str, typed: str
) -> MissingWord:
    searched, postings, notes = typed or word, snapshot.postings, snapshot.notes
    folded, pieces = fold(searched), [piece for piece in raw_tokens(searched) if piece]
    parts = dict.fromkeys(map(fold, pieces))
    masks |= {x: postings.has_any([*postings.vocabulary.containing(x).values()]) for x in parts.keys() - masks.keys()}
    places = np.flatnonzero(np.logical_and.reduce([masks[part] for part in parts]))
    if len(pieces) == 1 and len(places):
        terms = postings.vocabulary.containing(fold(pieces[0]))
        alike = [term for term in terms if fold(term) == folded]
        where = Whereabouts.SPELLING if alike else Whereabouts.INSIDE
        if searched.lower() in alike:
            where, alike = Whereabouts.WHOLE, [searched.lower()]
        run = min(alike or terms, key=len)
        having = postings.has_any([terms[term] for term in alike or terms])
        file = notes[int(postings.has_any([terms[run]]).argmax())].path
        return MissingWord(word, typed, where, int(having.sum()), file, run)
    read = list(
        dict.fromkeys([*(places.tolist() if pieces else ()), *snapshot.derived.of(_CUT, lambda: _cut(snapshot))])
    )
    for place in read:
        if place not in texts and sum(notes[at].size for at in (*texts, place)) <= _MOST_BYTES:
            with suppress(OSError):
                texts[place] = fold(snapshot.read(notes[place].path).decode("utf-8", "replace"))
    holding = [place for place in read if folded and folded in texts.get(place, "")]
    if not holding:
        is_all_read = not _has_more_text(snapshot) and texts.keys() >= set(read)
        is_known = pieces and is_all_read
        return MissingWord(word, typed, Whereabouts.NOWHERE if is_known else Whereabouts.UNKNOWN)
    where = Whereabouts.WHOLE if holding[0] in places else Whereabouts.UNREAD
    return MissingWord(word, typed, where, len(holding), notes[holding[0]].path)


def _cut(snapshot: Snapshot) -> list[int]:
    """The positions of notes whose text is searched only in part."""
    return [place for place, note in enumerate(snapshot.notes) if note.cut_lines or note.cut_units or snapshot.spaces]


def _has_more_text(snapshot: Snapshot) -> bool:
    """True if there is text that was not searched: in unread or archived files, behind a symlink, or in code."""
    files = snapshot.files
    has_archive = snapshot.derived.of(_HAS_ARCHIVE, lambda: any(file.role is Role.ARCHIVED for file in files))
    return has_archive or bool(snapshot.unread or snapshot.project.link) or not snapshot.kind.has_files


def with_causes(
    engine: Engine[Any], context: Context[Any], query: Query, trace: Trace, words: Iterable[str], filters: Iterable[str]
) -> Trace:
    """``trace``, to which the causes are added if there are no results. If the scope or the options in ``filters``
    exclude documents, they are the cause. Otherwise, the cause is the searched ``words``, listed with the places where
    notes contain them in a form that the engine does not match.
    """
    set_filters = {name: value for name in filters if (value := query.options.get(name))}
    if trace.total_found:
        return trace
    trace = replace(trace, notices=(*trace.notices, *context.snapshot.unread))
    if set_filters or query.scope:
        options = {name: value for name, value in query.options.items() if name not in set_filters}
        unfiltered = engine.answer(context, Query(query.text, options=options, reworded=True))
        if unfiltered.total_found:
            left_out = {"scope": query.scope, **set_filters} if query.scope else set_filters
            text = " and ".join(f"{name} {value}" for name, value in left_out.items())
            return replace(trace, filters=text, filtered_out=unfiltered.total_found)

    def ask(run: str) -> Iterable[Hit]:
        tried = replace(query, text=run, run=False, services=False, reworded=True)
        return () if query.reworded else engine.answer(context, tried).hits

    return replace(trace, missing=missing_words(context.snapshot, query.text, words, ask))
