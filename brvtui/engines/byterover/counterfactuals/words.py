"""Changes of words: those of the query in the note's title, and other wordings of the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from brvtui.engines.byterover.counterfactuals import Counterfactual, Lever, LeverStatus
from brvtui.engines.byterover.counterfactuals.case import Case
from brvtui.engines.byterover.counterfactuals.changes import Reworded, TitleSet
from brvtui.engines.byterover.counterfactuals.smallest_change import verified
from brvtui.engines.byterover.reasons.wordings import STOP_WORD, Wording, as_in_notes, unpunctuated, without_words
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.contract import trial_limit
from brvtui.ranking.decay import MS_PER_DAY, just_before_ms
from brvtui.text.analysis import from_utf16, terms
from brvtui.text.segment import FIELDS
from brvtui.trace import Hit, MatchKind, NearMiss, Origin
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.whitespace import spaced_words
from brvtui.wording import counted

MOST_TITLES = 63
"""Up to this many titles, all are tried: every choice of up to six words."""
_MOST_ADDED = 12
_MOST_REPEATED = 4


def title(case: Case, young_is_enough: bool) -> Counterfactual:
    """Words of the query added to the title: as few as possible, the file's time kept if that is enough.

    With ``young_is_enough``, saving with a new time alone does it, so only titles with the old one are tried.
    """
    kept, saved = case.max_score(), case.max_score(days=1 / MS_PER_DAY)
    if not case.reaches(saved):
        return _above_ceiling(case, Lever.TITLE, saved, "no title: this note's ceiling, even edited today, is")
    if young_is_enough and not case.reaches(kept):
        what = "edited today it needs no word more; with the time of its file its ceiling is"
        return _above_ceiling(case, Lever.TITLE, kept, what)
    words = missing_words(case)
    if not words:
        return Counterfactual(
            Lever.TITLE, LeverStatus.IMPOSSIBLE, "its title holds every word of the query that counts"
        )
    times = [case.note.mtime_ms] if case.reaches(kept) else []
    times += [] if young_is_enough else [just_before_ms(case.context.now_ms)]
    for mtime_ms in times:
        for chosen in islice(title_choices(words), trial_limit(case.trace.query)):
            change = TitleSet(case.note.path, " ".join([case.note.title, *chosen]).strip(), mtime_ms)
            trial = case.try_change(change)
            if trial.answers:
                how = "" if mtime_ms == case.note.mtime_ms else ", and saved today"
                text = f"“{' '.join(chosen)}” added to its title{how}"
                return verified(Lever.TITLE, change, trial, text, len(chosen))
    if 2 ** len(words) - 1 <= min(MOST_TITLES, trial_limit(case.trace.query)):
        text = "no words of the query in its title do it: every choice of them was tried"
        return Counterfactual(Lever.TITLE, LeverStatus.IMPOSSIBLE, text)
    return Counterfactual(Lever.TITLE, LeverStatus.OPEN, "none of the titles that were tried does it")


def wording(case: Case) -> Counterfactual:
    """Another wording, least change first; impossible when not even a perfect text match would do."""
    ceiling = case.max_score()
    if not case.reaches(ceiling):
        return _above_ceiling(case, Lever.WORDING, ceiling, "no wording but its path: this note's ceiling today is")
    seen = {case.trace.query}
    for candidate in islice(_every_wording(case), trial_limit(case.trace.query)):
        if not candidate.query.strip() or candidate.query in seen:
            continue
        seen.add(candidate.query)
        change = Reworded(candidate.query)
        trial = case.try_change(change)
        if trial.answers:
            return verified(Lever.WORDING, change, trial, f"“{candidate.query}”: {candidate.text}")
    return Counterfactual(
        Lever.WORDING, LeverStatus.OPEN, f"none of {counted(len(seen) - 1, 'wording', 'wordings')} does it"
    )


def path(case: Case) -> Counterfactual:
    """The note asked for by its path."""
    score = case.context.constants.paths.note_score
    if score < case.context.constants.direct.min_top:
        text = f"a note that is named by its path scores {score:g}"
        return Counterfactual(Lever.PATH, LeverStatus.IMPOSSIBLE, text, score=score)
    shown, summary = case.note.path, case.context.snapshot.summaries.get(case.note.result_path)
    if case.note.role is Role.CONTEXT and summary is not None and summary.file != shown:
        text = f"its path names its folder, which {summary.file} stands for"
        return Counterfactual(Lever.PATH, LeverStatus.IMPOSSIBLE, text)
    for query in (shown, shown.removesuffix(".md"), f"/{shown}"):
        change = Reworded(query)
        trial = case.try_change(change, (Origin.PATH,))
        if trial.answers:
            return verified(Lever.PATH, change, trial, f"“{query}”")
    return Counterfactual(Lever.PATH, LeverStatus.OPEN, "its path is not read as one")


def _above_ceiling(case: Case, lever: Lever, ceiling: float, what: str) -> Counterfactual:
    """``lever`` is impossible: a perfect text match would not do."""
    seen = case.seen(ceiling)
    return Counterfactual(lever, LeverStatus.IMPOSSIBLE, f"{what} {seen:.2f}", score=seen)


def missing_words(case: Case) -> list[str]:
    """The words of the query that are searched and not in the note's title."""
    held = set(terms(case.note.title))
    asked = terms(filtered_query(case.trace.query, case.context.constants))
    return [from_utf16(term) for term in dict.fromkeys(asked) if term not in held]


def title_choices(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Every choice of ``words``, the smallest first; of many words each by itself, then the first two, three, …"""
    if 2 ** len(words) - 1 <= MOST_TITLES:
        for size in range(1, len(words) + 1):
            yield from combinations(words, size)
        return
    yield from ((word,) for word in words)
    yield from (words[:size] for size in range(2, len(words) + 1))


def near_wordings(case: Case) -> Iterator[Wording]:
    """Yields wordings that somebody could have used: spelled as the note is, with a word less, or with one more."""
    query, words = case.trace.query, spaced_words(case.trace.query)
    yield from _respelled(case, words)
    yield from as_in_notes(case.trace)
    yield from unpunctuated(case.trace)
    yield from without_words(words)
    yield Wording("put a stop word before it", f"{STOP_WORD} {query.strip()}")
    for word in _telling(case)[0]:
        yield Wording(f"add “{word}”", f"{query} {word}")


def _every_wording(case: Case) -> Iterator[Wording]:
    """Yields the near wordings, then those that only name more and more of the note's own words."""
    query = case.trace.query
    added, rarest = _telling(case)
    yield from near_wordings(case)
    bare = " ".join(_matching(case))
    bases = (
        (query, "add", added),
        (bare, "with only the words that match it, add", added),
        ("", "ask for", added),
        ("", "ask for", rarest),
    )
    for base, what, words_added in bases:
        for count in range(1, len(words_added) + 1):
            more = " ".join(words_added[:count])
            yield Wording(f"{what} “{more}”", f"{base} {more}".strip())
    everything = " ".join(dict.fromkeys([*spaced_words(bare), *added]))
    for times in range(2, _MOST_REPEATED + 1):
        yield Wording(f"its words, {times} times", " ".join([everything] * times))
    # Single words are searched too, the first few: these are one word, which few other notes hold.
    times = case.context.constants.entities.searches
    for word in rarest[:_MOST_REPEATED]:
        if len(word) >= case.context.constants.entities.word_length:
            yield Wording(f"its words behind “{word}”, {times} times", " ".join([*[word] * times, everything]))


def _respelled(case: Case, words: Sequence[str]) -> Iterator[Wording]:
    """The query with the note's own spelling of words that met it some letters off."""
    listed: list[Hit | NearMiss] = [*case.trace.hits, *case.trace.near_misses]
    met = next((one.words for one in listed if one.file == case.note.path), ())
    near = {one.query: one.word for one in met if one.kind is MatchKind.FUZZY}
    spelled = [near.get(word.lower(), word) for word in words]
    if spelled != list(words):
        yield Wording("spelled as the note has it", " ".join(spelled))


def _matching(case: Case) -> list[str]:
    """The words of the query that the note itself holds."""
    held = _held(case)
    return [from_utf16(term) for term in dict.fromkeys(terms(case.trace.query)) if term in held]


def _telling(case: Case) -> tuple[list[str], list[str]]:
    """Words of the note that the query lacks: those of its title, then the rarest; and the rarest alone."""
    passed_over = {*terms(case.trace.query), *case.context.constants.query.stop_words}
    held = {term: notes for term, notes in _held(case).items() if term not in passed_over}
    in_title = [term for term in dict.fromkeys(terms(case.note.title)) if term in held]
    rarest = sorted(held, key=lambda term: (not term.isalpha(), held[term], term))  # "00" says nothing to anybody
    both = dict.fromkeys([*in_title, *rarest])
    return [from_utf16(term) for term in list(both)[:_MOST_ADDED]], [from_utf16(term) for term in rarest[:_MOST_ADDED]]


def _held(case: Case) -> dict[str, int]:
    """The note's terms, with how many notes hold each in their text."""
    postings = case.context.snapshot.postings
    fields = len(FIELDS)
    identities = sorted({int(row) // fields for row in postings.note(case.position).rows})
    names = postings.ids.terms
    return {
        names[identity]: max(postings.df(identity, field) for field in range(fields))
        for identity in identities
        if names[identity]
    }
