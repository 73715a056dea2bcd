"""Finds the smallest changes after which a query is answered at tier 2.

See ``docs/reference/byterover.md``, "What it would take".

Every change in the result was tried with the router. A lever is called impossible only if that is proven.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from brvtui.engines.ageing.rules import inputs_of
from brvtui.engines.byterover.counterfactuals.case import LEADING, Case, SizedChange, impossible, verified
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.reasons.why_not import Loss, Wording, as_in_notes, unpunctuated, without_words
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.byterover.search.scope import look_up_path
from brvtui.engines.byterover.sections import Search
from brvtui.engines.changes import (
    MOST_TITLES,
    Cancelled,
    Reworded,
    SignalsSet,
    TimeSet,
    after_hits,
    higher_importances,
    higher_maturities,
    lower_importances,
    lower_maturities,
    signals_in_words,
    titles,
)
from brvtui.engines.contract import trial_limit
from brvtui.engines.counterfactuals import Counterfactual, Counterfactuals, Lever, LeverStatus
from brvtui.ranking.ceiling import HORIZON_DAYS
from brvtui.ranking.decay import MS_PER_DAY, just_before_ms
from brvtui.ranking.maturity import LEVELS
from brvtui.text.analysis import from_utf16, terms, typed_words
from brvtui.text.segment import FIELDS
from brvtui.trace import Hit, Ladder, MatchKind, NearMiss, Origin, Trace
from brvtui.trace.routing import Outcome, Route, SearchOutcome
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.javascript import spaced_words
from brvtui.tree.reading.signals import NoteSignals
from brvtui.wording import counted

_WITHOUT_MODEL = (Outcome.DIRECT, Outcome.EXACT_CACHE, Outcome.FUZZY_CACHE)
_WITH_MATCH = (Lever.HITS, Lever.AGE, Lever.MATURITY, Lever.IMPORTANCE, Lever.RUNNER_UP)
"""The levers that affect a note only if a word of the query matches it."""
_OF_THE_TREE = (*_WITH_MATCH, Lever.TITLE)
STEPS_A_DAY = 10
"""The number of ages that are tried per day."""
_MOST_ADDED = 6
_MOST_CHARS = 100_000
"""The number of characters of a note that are searched for words to add to a query."""
_FENCES = ("```", "~~~")


def find_counterfactuals(
    context: Context, trace: Trace, path: str = "", cancelled: Callable[[], bool] = lambda: False
) -> Counterfactuals | None:
    """The smallest changes to the snapshot of ``context`` or to the query of ``trace`` after which the query is
    answered directly.

    The first result must then be the note at ``path`` or, without ``path``, the best result or the nearest miss. The
    result is None if the query already needs no model, or if ``cancelled`` becomes true.
    """
    snapshot, profile = context.snapshot, context.constants
    outcome = trace.section(Route).outcome
    if outcome in _WITHOUT_MODEL and not (path and outcome is Outcome.DIRECT):
        return None
    file = path or _nearest(context, trace)
    if not file:
        return _of_no_note(profile, trace)
    if file not in snapshot.by_path:
        ways = _all_impossible(tuple(Lever), "the file is not searched")
        if any(summary.file == file for summary in snapshot.summaries.values()):
            why = "it represents its folder: name one of the notes in the folder"
            ways = tuple(Counterfactual(lever, LeverStatus.OPEN, why) for lever in Lever)
        name = file.rpartition("/")[2]
        return Counterfactuals(trace.query, outcome, file, name, None, None, profile.direct.min_top, ways)
    case = Case(context, trace, snapshot.by_path[file], cancelled)
    if outcome is Outcome.DIRECT and trace.hits and _leads(trace, file, profile):
        return None
    try:
        ways = _ways(case)
    except Cancelled:
        return None
    score = next((hit.score for hit in trace.hits if hit.file == file and hit.origin is not Origin.PROPAGATED), None)
    if score is None and case.relevance > 0:
        score = case.seen(case.max_score(relevance=case.relevance))
    return Counterfactuals(
        trace.query, outcome, file, case.note.title, score, case.max_score(), profile.direct.min_top, ways
    )  # fmt: skip


def _leads(trace: Trace, file: str, profile: Profile) -> bool:
    first = next((hit for hit in trace.hits if hit.score >= profile.direct.prefetch), None)
    return first is not None and first.file == file


def _nearest(context: Context, trace: Trace) -> str:
    """The path of the note that came closest to leading a direct answer; empty if no note matches.

    The gates examine the first result that reaches the prompt, even if entity searches added a better one after it.
    """
    snapshot, profile = context.snapshot, context.constants
    found = [hit for hit in trace.hits if hit.origin is not Origin.PROPAGATED]
    first = [hit.file for hit in found if hit.score >= profile.direct.prefetch]
    best = [hit.file for hit in sorted(found, key=lambda hit: -hit.score)]
    missed = [miss.file for miss in trace.section(Search).near_misses]
    liked = [hit.file for hit in trace.section(Ladder).hits]
    return next((file for file in (*first, *best, *missed, *liked) if file in snapshot.by_path), "")


def _ways(case: Case) -> tuple[Counterfactual, ...]:
    if case.trace.section(Search).outcome is SearchOutcome.ENGINE_FAILS:
        return _all_impossible(tuple(Lever), Loss.ENGINE_FAILS.value)
    ways = [*_of_note(case), _wording(case), _path(case)]
    return tuple(sorted(ways, key=lambda way: list(Lever).index(way.lever)))


def _of_note(case: Case) -> tuple[Counterfactual, ...]:
    if not case.note.is_local:
        return _all_impossible(_OF_THE_TREE, f"the shared source {case.note.alias} is read-only")
    if not case.relevance:
        return (*_all_impossible(_WITH_MATCH, "no word of the query matches the note"), _title(case, False))
    age, own = _age(case), case.signals
    hits = list(after_hits(own, case.context.constants.signals))
    importances = higher_importances(own, case.context.constants.signals.max_importance)
    maturities = higher_maturities(own)
    levels = [LEVELS.index(state.maturity) for state in maturities]
    return (
        _of_signals(case, Lever.HITS, hits, range(1, len(hits) + 1), "no hit count"),
        age,
        _of_signals(case, Lever.MATURITY, maturities, levels, "no maturity"),
        _of_signals(case, Lever.IMPORTANCE, importances, [one.importance for one in importances], "no importance"),
        _runner_up(case),
        _title(case, age.is_verified),
    )


def _of_no_note(profile: Profile, trace: Trace) -> Counterfactuals:
    if trace.section(Search).outcome is SearchOutcome.ENGINE_FAILS:
        ways = _all_impossible(tuple(Lever), Loss.ENGINE_FAILS.value)
    else:
        why = "no note matches any word of the query"
        unnamed = "there is no note to try it with: name one with brv-tui explain TEXT PATH --takes"
        ways = (
            *_all_impossible(_WITH_MATCH, why),
            *(Counterfactual(lever, LeverStatus.OPEN, unnamed) for lever in (Lever.TITLE, Lever.WORDING, Lever.PATH)),
        )
    return Counterfactuals(trace.query, trace.section(Route).outcome, "", "", None, None, profile.direct.min_top, ways)


def _all_impossible(levers: tuple[Lever, ...], why: str) -> tuple[Counterfactual, ...]:
    return tuple(impossible(lever, why) for lever in levers)


# Changes of numbers: the note's hits, age, maturity and importance, and the signals of the next result.


def _age(case: Case) -> Counterfactual:
    """Tries lower ages of the note in tenths of a day, highest first. An age of 0 days means that the note has just
    been edited. If a lower age may be worse (:attr:`Case.is_monotonic` is false), every whole day is tried instead.
    """
    steady, what = case.is_monotonic, "not even if edited today"
    days = min(case.days, HORIZON_DAYS)
    steps = range(int(days * STEPS_A_DAY), -1, -1) if steady else range(int(days) * STEPS_A_DAY, -1, -STEPS_A_DAY)
    ages = np.asarray(steps) / STEPS_A_DAY
    max_scores = case.max_scores(case.inputs, np.maximum(ages, 1 / MS_PER_DAY), case.relevance).tolist()
    now_ms = math.ceil(case.context.now_ms)
    candidates = [
        SizedChange(TimeSet(case.note.path, now_ms - max(1, round(day * MS_PER_DAY))), day, max_score)
        for day, max_score in zip(ages.tolist(), max_scores, strict=True)
    ]
    if not case.reaches(max_scores[-1]):
        return case.too_low(Lever.AGE, max_scores[-1], what)
    found = case.smallest(Lever.AGE, candidates, what, lambda change: _when(case, change.amount), steady)
    if steady or found.is_verified:
        return found
    return Counterfactual(Lever.AGE, LeverStatus.OPEN, f"no edit date up to today would be enough: {found.verdict}")


def _when(case: Case, days: float) -> str:
    if not case.days:
        return f"a moment later: its stored recency {case.signals.recency:g} is used unchanged only at exactly 0 days"
    when = f"edited within the last {days:g} days" if case.is_monotonic else f"edited {days:g} days ago"
    return f"{when if days else 'edited today'}, not {case.days:.1f} days ago"


def _of_signals(
    case: Case, lever: Lever, states: Sequence[NoteSignals], amounts: Sequence[float], what: str
) -> Counterfactual:
    if case.ignores_signals:
        return impossible(lever, f"{what}: the engine ignores all stored signals of this tree")
    inputs = inputs_of(states, case.note.is_local, case.context.constants.score)
    max_scores = case.max_scores(inputs, np.full(len(states), case.days), case.relevance).tolist()
    changes = [SignalsSet(case.note.path, state) for state in states]
    candidates = list(map(SizedChange, changes, amounts, max_scores))
    return case.smallest(lever, candidates, what, lambda change: _in_words(case, lever, change), case.is_monotonic)


def _in_words(case: Case, lever: Lever, sized: SizedChange) -> str:
    assert isinstance(sized.change, SignalsSet)
    before, after = case.signals, sized.change.signals
    if lever is not Lever.HITS:
        return signals_in_words(before, after)
    same = after.maturity == before.maturity
    level = f"still {after.maturity}" if same else f"{after.maturity} instead of {before.maturity}"
    hits = counted(int(sized.amount), "more hit", "more hits")
    return f"{hits}: importance {after.importance:g} instead of {before.importance:g}, {level}"


def _runner_up(case: Case) -> Counterfactual:
    """Tries lower signals of the next result: first a lower importance, then a lower maturity, then both."""
    now = case.max_score(relevance=case.relevance)
    if not case.reaches(now):
        return case.too_low(Lever.RUNNER_UP, now, "the note's own score is too low")
    others = [hit for hit in case.trace.hits if hit.file != case.note.path or hit.origin is Origin.PROPAGATED]
    # The next result for the gates is the first one, other than the note itself, that reaches the prompt.
    rival = next((hit for hit in others if hit.score >= case.context.constants.direct.prefetch), None)
    if rival is None:
        return impossible(Lever.RUNNER_UP, "no other result is close enough to prevent a direct answer")
    if rival.origin not in (Origin.TEXT, Origin.NAME) or rival.shared_source or case.ignores_signals:
        return Counterfactual(Lever.RUNNER_UP, LeverStatus.OPEN, f"{rival.title} has no signals to lower")
    return _lowered(case, rival, now)


def _lowered(case: Case, rival: Hit, max_score: float) -> Counterfactual:
    before = case.context.snapshot.signals[case.context.snapshot.by_path[rival.file]]
    what = f"not even with {rival.title} as a draft of importance 0"
    # Lowering the next result can only increase the note's lead. The exception is a note with a score so low that
    # unmatched words count, because then the first results decide whether there is an answer at all.
    sure = max_score >= case.context.constants.out_of_domain.escape
    is_monotonic = sure and not case.summarises(rival.file) and case.is_monotonic
    less, lower = lower_importances(before), lower_maturities(before)
    found = impossible(Lever.RUNNER_UP, what)

    def in_words(sized: SizedChange) -> str:
        assert isinstance(sized.change, SignalsSet)
        return f"{rival.title}: {signals_in_words(before, sized.change.signals)}"

    for states in (less, lower, [replace(state, maturity=LEVELS[0]) for state in less if lower]):
        candidates = [SizedChange(SignalsSet(rival.file, state), state.importance, max_score) for state in states]
        if candidates:
            found = case.smallest(Lever.RUNNER_UP, candidates, what, in_words, is_monotonic)
        if found.is_verified:
            break
    return found


# Changes of words: query words added to the note's title, and other wordings of the query.


def _title(case: Case, young_is_enough: bool) -> Counterfactual:
    """Tries titles with as few added query words as possible, first with the file's old modification time.

    ``young_is_enough`` means that a new modification time is enough without a new title. Titles are then tried only
    with the old time. A query that is looked up as a path can find a title regardless of the best possible score.
    """
    kept, saved = case.max_score(), case.max_score(days=1 / MS_PER_DAY)
    is_path = look_up_path(case.context.snapshot, case.trace.query).tried
    if not is_path and not case.reaches(saved):
        what = "changing the title would not be enough: even if you edit the note today, its best possible score is"
        return _above_ceiling(case, Lever.TITLE, saved, what)
    if young_is_enough and not is_path and not case.reaches(kept):
        what = "if you edit it today, it needs no more words; with its old date, its best possible score is"
        return _above_ceiling(case, Lever.TITLE, kept, what)
    words = missing_words(case)
    if not words:
        return impossible(Lever.TITLE, "its title already contains every query word that counts")
    times = [case.note.mtime_ms] if is_path or case.reaches(kept) else []
    times += [] if young_is_enough else [just_before_ms(case.context.now_ms)]
    for mtime_ms in times:
        for added, change in islice(titles(case.note, words, mtime_ms), trial_limit(case.trace.query)):
            trial = case.try_change(change, (*LEADING, Origin.PATH))
            if trial.answers:
                how = "" if mtime_ms == case.note.mtime_ms else ", and the note saved today"
                text = f"“{added}” added to its title{how}"
                return verified(Lever.TITLE, change, trial, text, len(added.split(" ")))
    if 2 ** len(words) - 1 <= min(MOST_TITLES, trial_limit(case.trace.query)):
        return impossible(Lever.TITLE, "adding query words to its title is not enough: every combination was tried")
    return Counterfactual(Lever.TITLE, LeverStatus.OPEN, "none of the titles that were tried would be enough")


def _wording(case: Case) -> Counterfactual:
    """Tries other wordings, smallest change first, unless even a perfect text match would not be enough."""
    ceiling = case.max_score()
    if not case.reaches(ceiling):
        return _above_ceiling(
            case,
            Lever.WORDING,
            ceiling,
            "only a query that names its path would work: with any other, its best possible score today is",
        )
    seen = {case.trace.query}
    for candidate in islice(_every_wording(case), trial_limit(case.trace.query)):
        if not candidate.query.strip() or candidate.query in seen:
            continue
        seen.add(candidate.query)
        change = Reworded(candidate.query)
        trial = case.try_change(change)
        if trial.answers:
            return verified(Lever.WORDING, change, trial, f"“{candidate.query}”: {candidate.text}")
    none = f"none of {counted(len(seen) - 1, 'wording', 'wordings')} would be enough"
    return Counterfactual(Lever.WORDING, LeverStatus.OPEN, none)


def _path(case: Case) -> Counterfactual:
    """Tries the note's path as the query."""
    score = case.context.constants.paths.note_score
    if score < case.context.constants.direct.min_top:
        return impossible(Lever.PATH, f"a note that is found by its path scores {score:g}", score)
    shown, summary = case.note.path, case.context.snapshot.summaries.get(case.note.result_path)
    if case.note.role is Role.CONTEXT and summary is not None and summary.file != shown:
        why = f"its path represents its folder, and {summary.file} is shown as that folder's result"
        return impossible(Lever.PATH, why)
    for query in (shown, shown.removesuffix(".md"), f"/{shown}"):
        change = Reworded(query)
        trial = case.try_change(change, (Origin.PATH,))
        if trial.answers:
            return verified(Lever.PATH, change, trial, f"“{query}”")
    return Counterfactual(Lever.PATH, LeverStatus.OPEN, "the engine does not recognise its path as a path")


def _above_ceiling(case: Case, lever: Lever, ceiling: float, what: str) -> Counterfactual:
    """The result for ``lever`` if even a perfect text match, with the score ``ceiling``, would not be enough."""
    seen = case.seen(ceiling)
    return impossible(lever, f"{what} {seen:.2f}", seen)


def missing_words(case: Case) -> list[str]:
    """The searched words of the query that do not occur in the note's title."""
    in_title = set(terms(case.note.title))
    searched = terms(filtered_query(case.trace.query, case.context.constants))
    return [from_utf16(term) for term in dict.fromkeys(searched) if term not in in_title]


def near_wordings(case: Case) -> Iterator[Wording]:
    """Yields wordings that a user could have chosen: with the note's spelling, or with one word removed or added."""
    query, words = case.trace.query, spaced_words(case.trace.query)
    yield from _respelled(case, words)
    yield from as_in_notes(case.trace)
    yield from unpunctuated(case.trace)
    yield from without_words(words)
    for word in _new_words(case):
        yield Wording(f"add “{word}”", f"{query} {word}")


def _every_wording(case: Case) -> Iterator[Wording]:
    """Yields the near wordings, followed by wordings with an increasing number of the note's own words."""
    added = _new_words(case)
    yield from near_wordings(case)
    bare = " ".join(_matching(case))
    bases = ((case.trace.query, "add"), (bare, "using only the words that match it, add"), ("", "ask for"))
    for base, what in bases:
        for count in range(1, len(added) + 1):
            more = " ".join(added[:count])
            yield Wording(f"{what} “{more}”", f"{base} {more}".strip())


def _respelled(case: Case, words: Sequence[str]) -> Iterator[Wording]:
    """Yields the query with its misspelt words in the note's spelling."""
    listed: list[Hit | NearMiss] = [*case.trace.hits, *case.trace.near_misses]
    met = next((one.words for one in listed if one.file == case.note.path), ())
    near = {one.query: one.word for one in met if one.kind is MatchKind.FUZZY}
    spelled = [near.get(word.lower(), word) for word in words]
    if spelled != list(words):
        yield Wording("spell the words as in the note", " ".join(spelled))


def _matching(case: Case) -> list[str]:
    """The words of the query that the note contains."""
    own_terms = _note_counts(case)
    return [word for word in map(from_utf16, dict.fromkeys(terms(case.trace.query))) if word in own_terms]


def _new_words(case: Case) -> list[str]:
    """Words of the note that a person would type and that the query does not contain: first those of its title, then
    those of its headings or, if there are none, of its text. Within each kind, words that occur in few other notes come
    first. Words that occur in more than half of the notes are taken only from the title.
    """
    counts = _note_counts(case)
    asked = {*map(from_utf16, terms(case.trace.query)), *case.context.constants.query.stop_words}
    half = max(1, len(case.context.snapshot.notes) // 2)

    def rare_first(text: str, most: int) -> list[str]:
        new = [word for word in typed_words(text) if word not in asked and counts.get(word, most + 1) <= most]
        return sorted(new, key=lambda word: counts[word])

    lines = list(_prose(case))
    headings = "\n".join(line for line in lines if line.startswith("#"))
    found = rare_first(case.note.title, len(case.context.snapshot.notes)) + rare_first(headings, half)
    return list(dict.fromkeys(found or rare_first("\n".join(lines), half)))[:_MOST_ADDED]


def _prose(case: Case) -> Iterator[str]:
    """Yields the lines of the note without frontmatter and blocks of code."""
    try:
        text = case.context.snapshot.text(case.note.path)
    except OSError:
        return
    fenced = False
    for line in text[parse(text).body_start :][:_MOST_CHARS].splitlines():
        is_fence = line.lstrip().startswith(_FENCES)
        fenced = fenced is not is_fence
        if not fenced and not is_fence:
            yield line


def _note_counts(case: Case) -> dict[str, int]:
    """The note's words, each with the number of notes that contain it in its most frequent field."""
    postings = case.context.snapshot.postings
    fields = len(FIELDS)
    identities = sorted({int(row) // fields for row in postings.note(case.position).rows})
    names = postings.ids.terms
    return {
        from_utf16(names[identity]): max(postings.df(identity, field) for field in range(fields))
        for identity in identities
        if names[identity]
    }
