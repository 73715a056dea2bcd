"""The sentence that explains ByteRover's answer to a query. It depends only on the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brvtui.engines.advice import NO_WORDS
from brvtui.engines.better_match import is_cause
from brvtui.engines.byterover.sections import Search
from brvtui.engines.sentence import LEAST_LEAD, missing_words, outmatched
from brvtui.paint.hits import differences, is_level
from brvtui.paint.line import Span
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.paint.text import plural, seconds
from brvtui.trace import Check, EndReason, Hit, Ladder, Origin, Part, State, Trace
from brvtui.trace.routing import CacheEntry, CacheLook, FingerprintState, Outcome, Route, SearchOutcome
from brvtui.wording import counted

# The points that a score loses through age, weak matches and maturity, computed from its parts
# (``docs/reference/byterover.md``).


_DECIMALS = 2
_LEAST = 0.005
"""The smallest loss that is mentioned, because a smaller one would be written as 0.00."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A cause that lowered a score, and the number of points lost."""

    what: str
    """The name of the cause, which begins the phrase ``… cost 0.12``."""
    amount: float


def largest_cost(hit: Hit, threshold: float) -> str:
    """A phrase for the largest loss that kept ``hit`` below ``threshold``, such as ``45 days of age cost 0.12``; empty
    if no loss is known.

    A loss that explains the whole difference by itself takes precedence over others.
    """
    losses = [cost for cost in costs(hit) if cost.amount >= _LEAST]
    enough = [cost for cost in losses if hit.score + cost.amount >= threshold - 1e-9]
    worst = max(enough or losses, key=lambda cost: cost.amount, default=None)
    return f"{worst.what} cost {worst.amount:.2f}" if worst is not None else ""


def costs(hit: Hit) -> list[Cost]:
    """The losses in the score of a text match, each computed separately from rounded scores."""
    parts = {part.name: part for part in hit.parts}
    if hit.signals is None or hit.text is None or not {"importance", "recency", "maturity"} <= parts.keys():
        return []
    losses = [Cost(f"{_days(hit.signals.days)} of age", _without(hit, _decay(hit, parts), parts))]
    if hit.ceiling is not None:
        losses.append(Cost("weak word matches", _rounded(hit.ceiling.score) - hit.score))
    maturity = parts["maturity"]
    if maturity.value < 0 and maturity.amount is not None:
        undecreased = _capped(maturity.amount + _bonus(parts), parts)
        losses.append(Cost(f"being a {maturity.note}", _rounded(undecreased) - hit.score))
    return losses


def _decay(hit: Hit, parts: dict[str, Part]) -> float:
    """The weighted importance and recency that were lost to decay."""
    signals = hit.signals
    assert signals is not None
    importance, recency = parts["importance"], parts["recency"]
    fresh = importance.value
    if signals.importance > 0 and importance.factor is not None:
        fresh = min(importance.factor, importance.value * signals.importance_stored / signals.importance)
    lost = (fresh - importance.value) if signals.days > 0 else 0.0
    if signals.days > 0 and recency.factor is not None:
        lost += recency.factor - recency.value
    return lost


def _without(hit: Hit, lost: float, parts: dict[str, Part]) -> float:
    """The gain in score if ``lost`` were added before maturity, bonus and cap are applied."""
    maturity = parts["maturity"]
    factor = maturity.factor if maturity.factor is not None else 1.0
    base = (maturity.amount or 0.0) + lost
    return _rounded(_capped(base * factor + _bonus(parts), parts)) - hit.score


def _bonus(parts: dict[str, Part]) -> float:
    return parts["local bonus"].value if "local bonus" in parts else 0.0


def _capped(value: float, parts: dict[str, Part]) -> float:
    cap = parts["cap"].factor if "cap" in parts else None
    return value if cap is None else min(cap, value)


def _rounded(value: float) -> float:
    from brvtui.ranking.compound import round_half_up  # imports numpy, which must not delay the first paint

    return round_half_up(value, _DECIMALS)


def _days(days: float) -> str:
    return counted(round(days), "day", "days") if days >= 1 else "less than a day"


# The thresholds of gates, and the distances of values from them, in words.


def check_of(trace: Trace, constant: str) -> Check | None:
    """The check against the threshold named ``constant``; None if it was not made."""
    checks = (check for step in trace.steps for check in step.checks)
    return next((check for check in checks if check.constant == constant and check.value is not None), None)


def threshold_of(trace: Trace, constant: str) -> float | None:
    """The threshold called ``constant``, from a step or a best possible score; None if there is none."""
    named = {check.constant: check.threshold for step in trace.steps for check in step.checks}
    for hit in trace.hits:
        for horizon in hit.ceiling.horizons if hit.ceiling else ():
            named.setdefault(horizon.constant, horizon.threshold)
    return named.get(constant)


def lead_words(gap: Check) -> str:
    """The lead of the first result over the next, in words. It may be negative, because results of entity searches are
    added at the end.
    """
    lead = gap.value or 0.0
    if abs(lead) < LEAST_LEAD:
        return "level with "
    if gap.threshold is not None and 0 < gap.threshold - lead < LEAST_LEAD:
        return f"{threshold_words(gap.threshold)} (less a rounding error) ahead of "
    return f"{value_words(lead, gap.threshold)} ahead of " if lead > 0 else f"{-lead:.2f} behind "


def short_words(check: Check) -> str:
    """The value of the check and the threshold that it does not reach, in words."""
    return f"{value_words(check.value, check.threshold)} of the {threshold_words(check.threshold)}"


def reached_words(check: Check) -> str:
    """The value of the check and the threshold that it reaches, in words."""
    return f"{value_words(check.value, check.threshold)} ≥ {threshold_words(check.threshold)}"


def threshold_words(threshold: float | None) -> str:
    """A threshold as text, with at least two decimals, and more if it has more."""
    if threshold is None:
        return "–"
    return f"{threshold:.2f}" if abs(round(threshold, 2) - threshold) < LEAST_LEAD else f"{threshold:g}"


def value_words(value: float | None, threshold: float | None) -> str:
    """``value`` with at least two decimals, and with more if they are needed to distinguish it from ``threshold``."""
    if value is None:
        return "nothing"
    for places in (2, 3, 4):
        text = f"{value:.{places}f}"
        if threshold is None or (float(text) < threshold) == (value < threshold):
            return text
    return f"{value:.4f}"


_DIRECT_TIER = 2
_MOST_REASONS = 2
_REASONS = {"relevance": "words", "importance": "importance", "recency": "age"}
"""The names of score parts in sentences about a lead."""
_PREFETCH, _TOP, _SURE, _GAP = "direct.prefetch", "direct.min_top", "direct.sure_top", "direct.min_gap"


def sentence(trace: Trace) -> Sentence:
    """The sentence that explains the answer: the note, its words, the gate that decided, and the margin."""
    outcome = trace.section(Route).outcome
    if outcome in (Outcome.EXACT_CACHE, Outcome.FUZZY_CACHE):
        return _cached(trace, outcome)
    if outcome is Outcome.NOT_COVERED:
        return (clause("Not covered: "), *_uncovered(trace), *_reading(trace), *_advice(trace), *_logged(trace))
    if outcome is Outcome.DIRECT:
        return (*_direct(trace), *_reading(trace))
    return (_head(trace, outcome), *_needing(trace, outcome), *_reading(trace))


# answers from the cache


def _cached(trace: Trace, outcome: Outcome) -> Sentence:
    look = trace.section(CacheLook)
    entry = next((entry for entry in look.entries if entry.key == look.hit_key), None)
    if entry is None:
        return (clause(f"From the cache: {trace.verdict}"),)
    # The age is relative to the query. A screen stays open, so "ago" would become wrong.
    before = f"{seconds(entry.age_s)} earlier" if entry.age_s >= 1 else "just before"
    when = f"was answered {before}, at tier {entry.tier}" if entry.covered else f"was not covered {before}"
    if outcome is Outcome.EXACT_CACHE:
        return (clause("From the cache: "), clause(f"the same query {when}"), _tree_since(trace, entry))
    check = look.fuzzy_check
    limit = f" ≥ {check.threshold:g}" if check is not None and check.threshold is not None else ""
    return (
        clause("From the cache: ", title(entry.key), " is similar to your query"),
        clause(f": {entry.shared_tokens} of {_both(entry)} are the same ({entry.similarity:.2f}{limit})", weight=70),
        clause(f"; it {when}", weight=65),
        _tree_since(trace, entry),
    )


def _both(entry: CacheEntry) -> str:
    return plural(entry.union_tokens, "word")


def _tree_since(trace: Trace, entry: CacheEntry) -> Clause:
    tree = trace.section(FingerprintState)
    if tree.value == tree.current and entry.signals_changed:
        signals = f"signals of {plural(entry.signals_changed, 'note')} have changed since"
        return clause(f"; {signals}, which the cache does not notice", weight=72)
    if tree.value == tree.current:
        return clause(", and since then no note's file time or signals have changed", weight=20)
    lasts = seconds(tree.age_s + tree.left_s)
    return clause(f"; notes have changed since, but the cache may need {lasts} to notice", weight=72)


# queries that are not covered


def _uncovered(trace: Trace) -> Iterator[Clause]:
    found = trace.section(Search)
    unmatched = [word(expansion.term) for expansion in found.lint.expansions if not expansion.notes]
    match found.outcome:
        case SearchOutcome.NO_TOKENS:
            yield clause(NO_WORDS)
        case SearchOutcome.BELOW_FLOOR:
            yield from _nearest(trace, "out_of_domain.floor", "that the best match needs")
        case SearchOutcome.UNMATCHED_WORDS:
            yield from _unmatched(trace)
            yield _other_forms(found)
            yield clause("; ")
            yield from _nearest(trace, "out_of_domain.escape", "that would make up for it")
        case SearchOutcome.NO_MATCH if not found.searchable:
            yield clause("the tree contains no notes that ByteRover reads")
        case SearchOutcome.NO_MATCH if unmatched and len(unmatched) == len(found.lint.expansions):
            yield from missing_words(trace, "ByteRover")
            yield _other_forms(found)
        case SearchOutcome.NO_MATCH if found.scope.restricts:
            yield clause("no note in ", title(found.scope.path), " matches a word of the query")
        case SearchOutcome.PATH_FOLDER:
            yield clause("the folder ", title(found.scope.path), ", which the query names, contains no notes")
        case _:
            yield clause(trace.verdict)


def _other_forms(found: Search) -> Clause:
    """A clause about query words that no note contains, with the nearest forms that notes contain."""
    near = [word(one) for one in dict.fromkeys(each.near[0] for each in found.lint.expansions if each.near)]
    meant = "that" if len(near) == 1 else "those"
    return clause(", but notes contain ", listed(near, "and"), f": try {meant}", weight=80) if near else clause()


def _advice(trace: Trace) -> Iterator[Clause]:
    """Yields a clause about the note that the retry ladder finds, if the ladder is not part of the route."""
    ladder = trace.find(Ladder)
    if ladder is not None and ladder.hits and not ladder.in_route:
        how = "a search for " if ladder.hits[0].words else "a search of file names"
        rung = next((rung for rung in ladder.rungs if rung.number and rung.state is State.HIT), None)
        by = word(rung.query) if rung is not None and rung.query and ladder.hits[0].words else []
        yield clause("; ", how, by, " would find ", title(ladder.hits[0].title), weight=25)


def _logged(trace: Trace) -> Iterator[Clause]:
    as_if = ", as if notes had answered" if trace.tier == _DIRECT_TIER else ""
    yield clause(f"; ByteRover logs this as tier {trace.tier}{as_if}", weight=5)


def _nearest(trace: Trace, constant: str, needed: str) -> Iterator[Clause]:
    """Yields a clause about the best match that is not a result, and its distance from the threshold ``constant``."""
    check = check_of(trace, constant)
    if check is None or not trace.near_misses:
        yield clause(trace.verdict)
        return
    nearest = trace.near_misses[0]
    yield clause("the nearest, ", title(nearest.title), f", reaches {short_words(check)} {needed}")
    words = answered_words(nearest.words, trace.query)
    yield clause(": " if words else "", words, weight=40)


def _unmatched(trace: Trace) -> Iterator[Clause]:
    """Yields clauses about the words that no note matches, and about words that only lower-ranked notes match."""
    found = trace.section(Search)
    below = [word(one) for one in found.held_below]
    odd = _punctuation(found)
    missing = [one for one in missing_words(trace, "ByteRover", among=found.unmatched_words) if one.spans]
    yield from missing
    yield clause("; " if missing and odd.spans else "", odd.spans)
    joint = "; " if missing or odd.spans else ""
    yield clause(f"{joint}none of the best matches contains " if below else "", listed(below, "or"))


def _punctuation(found: Search) -> Clause:
    """A clause about the unmatched words that cannot match any note because of their punctuation."""
    odd = [one.word.lower() for one in found.lint.words if one.mismatch]
    own = [word(one) for one in found.unmatched_words if one in odd]
    compared = (
        " is compared including its punctuation" if len(own) == 1 else " are compared including their punctuation"
    )
    return clause(listed(own, "and"), f"{compared}, but indexed terms never have any") if own else clause()


# queries that notes answer


def _direct(trace: Trace) -> Iterator[Clause]:
    first = _subject(trace)
    if first is None:
        yield clause(f"Answered directly: {trace.verdict}")
        return
    more = len(trace.answer.sources) - 1
    yield clause("Answered directly from ", _named(trace, first))
    yield from _matched_words(trace, first)
    reached, enough = _passed(trace)
    check = 60 if trace.better_match is None else 15  # the note that matches better matters more than the check
    yield clause("; ", *reached, weight=check)
    yield clause(enough, weight=min(check, 20))
    yield from _lead(trace, first)
    if more > 0:
        yield clause(f"; {plural(more, 'more note')} {'is' if more == 1 else 'are'} quoted with it", weight=10)


def _passed(trace: Trace) -> tuple[list[str | list[Span]], str]:
    """The gate that led to the direct answer, its margin, and why the margin was enough."""
    top = check_of(trace, _TOP)
    sure, gap = check_of(trace, _SURE), check_of(trace, _GAP)
    if sure is not None and sure.passed:
        return [reached_words(sure)], ": no lead is needed"
    reached = reached_words(top) if top is not None else trace.verdict
    if gap is not None and gap.passed:
        second = _second(trace)
        spans: list[str | list[Span]] = [f"{reached}, and {gap.value:.2f} ahead"]
        if second is not None and second not in trace.hits[:2]:  # the next result in the list is not compared
            spans += [" of ", title(second.title)]
        return spans, f", where {threshold_words(gap.threshold)} is enough"
    threshold = threshold_of(trace, _PREFETCH)
    return [reached], f", and no other note reaches {threshold_words(threshold)}" if threshold is not None else ""


def _lead(trace: Trace, first: Hit) -> Iterator[Clause]:
    """Yields a clause about the note's lead: larger parts of its score, or better matching words."""
    if trace.better_match is not None and first is trace.hits[0]:
        yield from outmatched(trace, trace.better_match, _REASONS)
        return
    second = next((hit for hit in trace.hits if hit is not first and not hit.found_by), None)
    if second is None or first.found_by or first.origin is Origin.PATH or first.score < second.score - LEAST_LEAD:
        return
    if is_level(first, second):
        better = first.text is not None and second.text is not None and first.text.raw > second.text.raw
        yield clause("; level with ", title(second.title), weight=25)
        yield clause(", whose words match less well" if better else "", weight=24)
        return
    parts = differences(first, second, trace.scale.decimals) if first.origin == second.origin else []
    parts = [part for part in parts if part[0] != "cap" and is_cause(first, second, part[0])]
    named = [(_REASONS.get(name, name), amount) for name, amount in parts]
    by = [name for name, amount in named if amount > 0][:_MOST_REASONS]
    against = [name for name, amount in named if amount < 0][:1]
    yield clause("; ahead of ", title(second.title), weight=25)
    yield clause(f" because of its {' and '.join(by)}" if by else "", weight=24)
    yield clause(f", despite its {against[0]}" if by and against else "", weight=23)


# queries that need a model


def _head(trace: Trace, outcome: Outcome) -> Clause:
    done = trace.answer.completion
    needs = "Needs a model" if outcome is Outcome.SINGLE_CALL else "Needs an agent loop"
    if done is None:
        return clause(f"{needs}: ")
    if trace.answer.kind == "model":
        return clause(f"Answered by {done.model} in {plural(len(done.turns), 'turn')}: ")
    ended = {EndReason.CANCELLED: "which was stopped", EndReason.FAILED: "which failed"}.get(done.ended, "")
    return clause(f"{needs}, {ended or 'which wrote nothing'}: ")


def _needing(trace: Trace, outcome: Outcome) -> Iterator[Clause]:
    first = _subject(trace) if outcome is Outcome.SINGLE_CALL else _best(trace)
    if first is None:
        yield clause(trace.verdict)
        return
    gap, top = check_of(trace, _GAP), check_of(trace, _TOP)
    threshold: float | None = None
    if outcome is Outcome.AGENTIC_LOOP:
        best = check_of(trace, _PREFETCH)
        threshold = best.threshold if best is not None else None
        what = f" reaches {short_words(best)} that a note needs to be quoted to a model" if best is not None else ""
        yield clause("the best note, ", _named(trace, first), f",{what}")
    elif gap is not None and gap.passed is False:
        second = _second(trace)
        behind = title(second.title) if second is not None else [("the next", "text")]
        sure = threshold_of(trace, _SURE)
        alone = f" (or a score of {threshold_words(sure)})" if sure is not None else ""
        yield clause(_named(trace, first), f", {first.score:.2f}, is {lead_words(gap)}", behind)
        if second is not None and second.found_by:  # it ranks lower even if its score is higher
            yield clause(", which a search for ", word(second.found_by), " added below it", weight=71)
        yield clause(f", and a direct answer needs a lead of {threshold_words(gap.threshold)}")
        yield clause(alone, weight=20)
    elif top is not None:
        threshold = top.threshold
        yield clause(_named(trace, first), f" reaches {short_words(top)} that a direct answer needs")
    yield from _matched_words(trace, first, ": " if threshold is not None else "; the first one matches: ")
    if threshold is not None:
        cost = largest_cost(first, threshold)
        yield clause(f"; {cost}" if cost else "", weight=50)
    if trace.better_match is not None and first is trace.hits[0]:
        yield from outmatched(trace, trace.better_match, _REASONS)
    yield from _better_later_result(trace, first)


def _better_later_result(trace: Trace, first: Hit) -> Iterator[Clause]:
    """Yields a clause about a later result that the gates ignore, but whose score would be enough."""
    threshold = threshold_of(trace, _TOP)
    if threshold is None or first.score >= threshold:
        return
    better = max((hit for hit in trace.hits if hit.found_by), key=lambda hit: hit.score, default=None)
    if better is not None and better.score >= threshold:
        how = f" ({better.score:.2f}) was added by a search for "
        counts = f", but only the first result that reaches {threshold_words(threshold_of(trace, _PREFETCH))} counts"
        yield clause("; ", title(better.title), how, word(better.found_by), counts, weight=30)


# notes and gates


def _subject(trace: Trace) -> Hit | None:
    """The first result that may be quoted, which the gates examine; without one, the first result."""
    threshold = threshold_of(trace, _PREFETCH)
    reaching = (hit for hit in trace.hits if threshold is None or hit.score >= threshold)
    return next(reaching, trace.hits[0] if trace.hits else None)


def _second(trace: Trace) -> Hit | None:
    """The result that the lead check compares with the first one."""
    first, threshold = _subject(trace), threshold_of(trace, _PREFETCH)
    others = (hit for hit in trace.hits if hit is not first and (threshold is None or hit.score >= threshold))
    return next(others, None)


def _best(trace: Trace) -> Hit | None:
    return max(trace.hits, key=lambda hit: hit.score, default=None)


def _named(trace: Trace, hit: Hit) -> list[Span]:
    """The title of ``hit`` and, unless it is first, its rank and the reason why the gates examine it."""
    rank = trace.hits.index(hit) + 1
    limit = threshold_of(trace, _PREFETCH)
    first = f", the first that reaches {threshold_words(limit)}" if limit is not None and hit is _subject(trace) else ""
    number = [(f" (number {rank}{first})", "text")] if rank > 1 else []
    if hit.origin is Origin.PROPAGATED:
        return [("the folder ", "text"), *title(hit.title), *number]
    return [*title(hit.title), *number]


def _matched_words(trace: Trace, hit: Hit, start: str = ": ") -> Iterator[Clause]:
    """Yields clauses about the words that match the query, and about query words without a match. If no word matched,
    yields the reason why the note is a hit. The first clause begins with ``start``.
    """
    weight = 70 if trace.better_match is None else 60  # a note that matches better matters more
    if hit.origin is Origin.PATH:
        below = hit.parts[0].name if hit.parts else ""
        named = "folder" if below.startswith("below") else "path"
        yield clause(f"{start}the query names its {named}", weight=weight)
        return
    if hit.origin is Origin.NAME:
        yield clause(f"{start}its file name is similar to a word of the query", weight=weight)
        return
    words = answered_words(hit.words, trace.query)
    yield clause(start if words else "", words, weight=weight)
    if hit.found_by:
        yield clause(" (found by a search for ", word(hit.found_by), ")", weight=weight - 5)
        yield from _whole_query_missed(trace)
        return
    met = {one.query for one in hit.words}
    unmet = [word(one.term) for one in trace.section(Search).lint.expansions if one.term not in met]
    if words and unmet:
        yield clause(", but nothing for ", listed(unmet, "or"), weight=weight - 5)


def _whole_query_missed(trace: Trace) -> Iterator[Clause]:
    """Yields a clause that says why the whole query found nothing although one of its words found a note."""
    found = trace.section(Search)
    if found.outcome is SearchOutcome.UNMATCHED_WORDS:
        yield clause("; ", *(one.spans for one in _unmatched(trace)), weight=75)
        yield clause(", so a search for the whole query finds nothing", weight=45)
    elif not found.hits:
        yield clause("; a search for the whole query found nothing", weight=45)


def _reading(trace: Trace) -> Iterator[Clause]:
    """Yields clauses about unusual queries: a folder that the query names, only stop words, or a useless scope."""
    found = trace.section(Search)
    folder, asked = found.scope.path.rpartition("/")[2], trace.query.strip()
    if found.scope.source == "path" and folder != asked and folder.lower() == asked.lower():
        how = ", but because the letter case differs, it searched there only for the last letter, "
        named = title(found.scope.path), how, word(found.scope.text)
        yield clause("; ByteRover took ", title(asked), " for the folder ", *named, weight=72)
    elif found.lint.notes and found.lint.tokens:
        yield clause("; every word is a stop word, so all of them were searched", weight=44)
    if found.scope.restricts and found.scope.source in ("first_word", "slash"):
        searched = title(found.scope.path)
        yield clause("; only ", searched, " was searched, because the query names this folder", weight=63)
    if not trace.scope_option or found.scope.restricts:
        return
    scope, whole = title(trace.scope_option), "so the whole tree was searched"
    if found.scope.path:
        yield clause("; ", scope, f" contains no notes, {whole}", weight=44)
    elif found.scope.source == "option":
        yield clause("; ", scope, f" is not in the tree, {whole}", weight=44)
    else:
        yield clause("; nothing was found in ", scope, f", {whole}", weight=44)
