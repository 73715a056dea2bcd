"""The score of one note, and its parts by term and field: pure functions of a search and its snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.search.matching import text_scores
from brvtui.engines.byterover.search.scoring import text_hits
from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.ranking import bm25
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import from_utf16, terms
from brvtui.text.constants import TextRules
from brvtui.text.segment import FIELDS, NoteTerms
from brvtui.text.vocabulary import KINDS
from brvtui.trace import Contribution, Detail, Hit, Trace

FORMULA = "weight × boost × idf × (d + tf (k + 1) / (tf + k (1 − b + b length / average)))"
TANTIVY_FORMULA = "boost × tantivy's BM25 (k 1.2, b 0.75, lengths quantised)"


def detail(context: Context, search: Search, path: str) -> Detail:
    """Every contribution to the text score of the note at ``path`` (a hit's ``file``), heaviest first.

    There are no contributions if no query term matches the note. Raises KeyError if the snapshot has no such note.
    """
    snapshot, profile = context.snapshot, context.constants
    position = snapshot.by_path[path]
    by_tantivy = profile.text.relevance == "tantivy"
    contributions: list[Contribution] = []
    matched = 0
    note = snapshot.postings.note(position)
    frequencies = {int(row): int(tf) for row, tf in zip(note.rows, note.tf, strict=True)}
    for token, times in Counter(terms(search.lint.filtered)).items():
        own_terms = _contributions(snapshot, profile.text, token, note, frequencies)
        if by_tantivy:
            own_terms = _by_tantivy(snapshot, token, position, own_terms)
        own = [replace(item, value=item.value * times) for item in own_terms]
        matched += bool(own)
        contributions += own
    total = sum(item.value for item in contributions)
    contributions.sort(key=lambda item: -item.value)
    score = text_scores(np.asarray([total]), np.asarray([matched]))[0]
    return Detail(path, tuple(contributions), score, TANTIVY_FORMULA if by_tantivy else FORMULA)


def _contributions(
    snapshot: Snapshot, text: TextRules, token: str, note: NoteTerms, tfs: Mapping[int, int]
) -> Iterator[Contribution]:
    """Yields the contributions of ``token`` to the score of ``note``. ``tfs`` are its term frequencies by row."""
    postings = snapshot.postings
    expansion = postings.exact(token) if text.relevance == "tantivy" else postings.expand(token, text)
    for place, identity in enumerate(expansion.ids.tolist()):
        for field, name in enumerate(FIELDS):
            tf = tfs.get(identity * len(FIELDS) + field)
            if tf is None:
                continue
            df = postings.df(identity, field)
            idf = bm25.idf(len(postings), df)
            length, average = note.lengths[field], postings.averages[field]
            norm = bm25.length_norm(np.asarray(float(length)), average, text.k, text.b)
            score = bm25.term_score(np.asarray(idf), np.asarray(float(tf)), norm, text.k, text.d)
            weight = float(expansion.weights[place])
            yield Contribution(
                query_term=from_utf16(token),
                term=from_utf16(postings.ids.terms[identity]),
                kind=KINDS[expansion.kinds[place]],
                field=name,
                tf=tf,
                df=df,
                idf=idf,
                length=length,
                average_length=average,
                weight=weight,
                boost=text.boost[name],
                value=weight * text.boost[name] * float(score),
            )


def _by_tantivy(snapshot: Snapshot, token: str, position: int, exact: Iterator[Contribution]) -> Iterator[Contribution]:
    for item in exact:
        score = float(snapshot.relevance_index.field_scores(token, item.field)[position])
        yield replace(item, value=item.boost * score)


def score_of(context: Context, found: Search, position: int) -> Hit | None:
    """The hit for the note at ``position``, even if it is not a result; None if no term matches it."""
    return scored(context, detail(context, found, context.snapshot.notes[position].path))


def scored(context: Context, terms_of_note: Detail) -> Hit | None:
    """The hit for the note whose detail is ``terms_of_note``; None if no term matches the note."""
    if terms_of_note.score is None or not terms_of_note.contributions:
        return None
    return text_hits(context, [context.snapshot.by_path[terms_of_note.path]], [terms_of_note.score])[0]


def search_of(trace: Trace, file: str) -> Search:
    """The search that found the hit ``file``: an entity search or, if none did, the main search."""
    entity = next((hit.found_by for hit in trace.hits if hit.file == file), "")
    for entity_search in trace.section(EntityStep).searches:
        if entity and entity_search.entity == entity:
            return entity_search.search
    return trace.section(Search)
