"""The sentence that explains an engine's answer, built from data that every trace contains."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from unicodedata import normalize

from brvtui.engines.advice import NO_WORDS
from brvtui.paint.hits import because, shares_of_lead
from brvtui.paint.line import Span
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.paint.text import number
from brvtui.text.analysis import UNSEEN, fold
from brvtui.text.visible import visible
from brvtui.trace import BetterMatch, Check, Hit, MissingWord, Trace, Whereabouts
from brvtui.wording import counted, ordinal

LEAST_LEAD = 1e-9
"""The smallest lead that is real. Smaller differences can result from adding the same parts in a different order."""
_MOST_PARTS = 2
_MOST_PLACES = 3
"""If more words than this are missing, a sentence does not name the notes that contain them."""
_LONGEST_RUN = 60
_ROUND = 5
"""A ratio of text scores is shown without decimals if it is at least this."""
_OUTMATCHED = 62
"""The weight of the clause about a better match, which is higher than the weight of a gate's margin."""


def default_sentence(trace: Trace) -> Sentence:
    """A sentence that names the step that took the query, and the first document with its words and its lead; without
    results, the reason.
    """
    if not trace.hits:
        head = "Not covered" if not trace.covered else "Answered without a document"
        return (clause(f"{head}: {trace.verdict}" if trace.verdict else head),)
    return (*_taken(trace), *first_of(trace), *lead_of(trace))


def _taken(trace: Trace) -> Iterator[Clause]:
    """Yields clauses about the step that took the query and its decisive comparison, if the engine has tiers."""
    taken = trace.taken
    if taken is None or taken.tier is None:
        return
    check = next((check for check in reversed(taken.checks) if check.passed), None)
    yield clause(f"Answered by {taken.label}")
    yield clause(f" ({_comparison(check)})" if check is not None else "", weight=40)
    yield clause(": ")


def _comparison(check: Check) -> str:
    return f"{check.name} {number(check.value)} {check.operator} {number(check.threshold)}"


def first_of(trace: Trace, number: int = 0) -> Iterator[Clause]:
    """Yields clauses about the first of ``number`` documents (by default, of all found): its score, and the words that
    it contains.
    """
    first, amount = trace.hits[0], number or max(len(trace.hits), trace.total_found)
    yield clause(title(first.title), f" {place_of_first(amount)}")
    yield clause(f"{',' if amount == 1 else ''} with {score(trace, first)}", weight=70)
    words = answered_words(first.words, trace.query)
    yield clause(": " if words else "", words, weight=60)


def place_of_first(amount: int) -> str:
    """The phrase ``is first of 6`` for ``amount`` results, or ``is the only result``."""
    return "is the only result" if amount == 1 else f"is first of {amount}"


def nothing_for(terms: Iterable[str], hit: Hit) -> Clause:
    """A clause naming the query ``terms`` that match nothing in ``hit``; empty if no term matches."""
    met = {one.query for one in hit.words}
    unmet = [word(term) for term in dict.fromkeys(terms) if term not in met]
    return clause(", but nothing for ", listed(unmet, "or"), weight=55) if met and unmet else clause()


def missing_words(trace: Trace, engine: str, noun: str = "note", among: Container[str] = ()) -> Iterator[Clause]:
    """Yields clauses with the reasons why nothing was found: filters, words that no document contains, and words that
    ``engine`` cannot match.

    If ``among`` is given, only words in it are named. It contains words as the engine searched for them.
    """
    many = "entries" if noun == "entry" else f"{noun}s"
    if trace.filtered_out:
        text = counted(trace.filtered_out, f"{noun} matches", f"{many} match")
        each = "it" if trace.filtered_out == 1 else "all of them"
        yield clause(f"{text}, but the filter {trace.filters} removes {each}")
    missing = [one for one in trace.missing if not among or one.word in among]
    joint = ""
    for where, verb in ((Whereabouts.NOWHERE, "contains"), (Whereabouts.UNKNOWN, "matches")):
        words = [_as_searched(one) for one in missing if one.where is where]
        yield clause(f"{joint}no {noun} {verb} ", listed(words, "or")) if words else clause()
        joint = "; " if words else joint
    in_notes = [one for one in missing if one.notes]
    for one in in_notes[:_MOST_PLACES]:
        text = f"{joint}{counted(one.notes, f'{noun} contains', f'{many} contain')} "
        yield clause(text, word(one.typed or one.word), _place(one, engine))
        joint = "; "
    if len(in_notes) > _MOST_PLACES:
        yield clause(f"; {len(in_notes) - _MOST_PLACES} more words are in {many}, where {engine} cannot match them")
    if not (missing or trace.filtered_out):
        yield clause(NO_WORDS if not trace.hits else "")


def _as_searched(one: MissingWord) -> list[Span]:
    """The word as it was typed and, if it differs, the form that was searched for."""
    how = [(f" (searched as ‘{one.word}’)" if one.typed else " (from your words)", "text")]
    return [*word(one.typed or one.word), *(how if fold(one.typed) != fold(one.word) else ())]


def _place(one: MissingWord, engine: str) -> str:
    """A phrase for the place in notes of a word that ``engine`` does not find, and for a way to find it."""
    is_shown = len(one.run) <= _LONGEST_RUN and one.run == visible(one.run) and not UNSEEN.search(one.run)
    run = f"‘{one.run}’" if is_shown else f"copied from {one.file}"
    if one.typed and fold(one.typed) != fold(one.word):
        return f", but {engine} searches ‘{one.word}’"
    if one.where is Whereabouts.INSIDE:
        ways = [f"search for the whole run {run}"] if one.helps else []
        ways += ["put spaces around the word in the note"] if (one.typed or one.word).lower() in one.run else []
        how = f": {', or '.join(ways)}" if ways else f" and cannot match ({one.file})"
        return f" only inside a longer run of characters, which {engine} treats as one word{how}"
    if one.where is Whereabouts.SPELLING:
        how = f": search for {'' if is_shown else 'it '}{run}"
        return f" only {_spelling(one)}{how if one.helps else f', and {engine} cannot match it there ({one.file})'}"
    if one.where is Whereabouts.UNREAD:
        return f" only in a part that {engine} does not read ({one.file})"
    return f", but {engine} cannot match it there ({one.file})"


def _spelling(one: MissingWord) -> str:
    """A phrase for the spelling of a word in notes. If it looks the same as the typed word, the phrase says how the
    characters differ.
    """
    composed, decomposed = (normalize(form, one.run) for form in ("NFC", "NFD"))
    if composed == normalize("NFC", (one.typed or one.word).lower()) and composed != decomposed:
        return f"written with {'composed' if one.run == composed else 'decomposed'} characters, which look the same"
    return "with invisible characters in it" if UNSEEN.search(one.run) else "in another spelling"


def outmatched(trace: Trace, better: BetterMatch, names: Mapping[str, str] | None = None) -> Iterator[Clause]:
    """Yields clauses about the document that matches clearly ``better`` than the first result, and about the parts of
    the score that put the first result ahead.

    ``names`` maps names of parts to the words for them.
    """
    is_result = any(hit.file == better.file for hit in trace.hits)
    place = ordinal(better.rank) if is_result else "not in the answer"
    if better.times is not None:
        how = f"matches {better.times:.{0 if better.times >= _ROUND else 1}f} times better"
    else:
        own = ordinal(better.leg_rank) if better.leg_rank else "missing"
        how = f"first by text alone, where this one is {own}"
    yield clause("; ahead of ", title(better.title), weight=_OUTMATCHED)
    yield clause(f" ({place}, {how})", weight=_OUTMATCHED - 1)
    by = [(names or {}).get(name, name) for name in better.because[:_MOST_PARTS]]
    yield clause(f" because of its {' and '.join(by)}" if by else "", weight=_OUTMATCHED - 1)


def lead_of(trace: Trace) -> Iterator[Clause]:
    """Yields clauses about the lead of the first result over the second, and about the parts of their scores that
    contribute most to it.
    """
    if trace.better_match is not None:
        yield from outmatched(trace, trace.better_match)
        return
    if len(trace.hits) < 2:
        return
    first, second = trace.hits[:2]
    lead = first.score - second.score
    if lead > LEAST_LEAD:
        yield clause(f"; {lead:.{trace.scale.decimals}f} ahead of ", title(second.title), weight=30)
        shares = shares_of_lead(first, second, trace.scale.decimals, _MOST_PARTS)
        if len({part.name for hit in (first, second) for part in hit.parts}) > 1 and shares:
            yield clause(because(shares, trace.scale.decimals), weight=29)
    else:
        yield clause("; level with ", title(second.title), weight=30)


def score(trace: Trace, hit: Hit) -> str:
    """The score of ``hit`` as text, with the number of decimals from the trace's scale."""
    return f"{hit.score:.{trace.scale.decimals}f}"
