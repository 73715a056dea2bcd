"""Reasons why a named note is, or is not, in the answer to a query (``docs/reference/byterover.md``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from brvtui.engines.advice import CHECK_PATH, MAKE_READABLE, title_wordings, tried_remedy
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.decision import find_results
from brvtui.engines.byterover.search.detail import detail, scored, search_of
from brvtui.engines.byterover.search.near_misses import BELOW_FLOOR, PAST_LIMIT, PUSHED_OUT, below_gap
from brvtui.engines.byterover.search.scope import members
from brvtui.engines.byterover.sections import UNMATCHED, EntityStep, Lift, QueryWord, Search
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import STOP_WORDS, from_utf16, terms, without_word
from brvtui.trace import Detail, Explanation, Hit, Reason, Remedy, Trace
from brvtui.trace.routing import CacheEntry, CacheLook, FingerprintState, Route, SearchOutcome
from brvtui.tree.editing.archive import archived_as, stub_of
from brvtui.tree.reading.files import SEARCHABLE, Role, role_of
from brvtui.tree.reading.javascript import spaced_words
from brvtui.wording import counted

# The use of a result in an answer, which may be a cached answer that is older than the notes: quoted or not.

_DIRECT = 2
"""The tier of direct answers."""


def stands(trace: Trace) -> bool:
    """True if the answer is new, or an exact cache hit for the same tree and signals, so that the results explain
    it.
    """
    state = trace.section(FingerprintState)
    is_same = trace.tier == 0 and state.value == state.current
    return trace.section(Route).used or (is_same and not cached_entry(trace).signals_changed)


def cached_entry(trace: Trace) -> CacheEntry:
    """The cache entry that answered the query. The trace must contain one."""
    return next(entry for entry in trace.section(CacheLook).entries if entry.key == trace.section(CacheLook).hit_key)


def _place(profile: Profile, trace: Trace, hit: Hit) -> int:
    """The place of ``hit``, counted from 1, among the results with scores that are high enough to be quoted."""
    before = trace.hits[: trace.hits.index(hit)]
    return 1 + sum(other.score >= profile.direct.prefetch for other in before)


def given_before(trace: Trace) -> str:
    """The age of the cached answer at the time of the query, in words that remain correct while a dialog is open."""
    return f"given {cached_entry(trace).age_s:.0f} s earlier"


def quoting_of(trace: Trace, result_path: str) -> str:
    """A remark that the cached answer quotes the result at ``result_path``; empty if no cached answer quotes it."""
    if trace.section(Route).used or result_path not in cached_entry(trace).sources:
        return ""
    return f"quoted in the answer that came from the cache, {given_before(trace)}"


def answer_lacks(profile: Profile, trace: Trace, hit: Hit) -> bool:
    """True if the answer is a cached direct answer without ``hit``, although a new answer would quote ``hit``.

    This can happen because new signals do not change the fingerprint, so that the cached answer remains valid.
    """
    if trace.section(Route).used or cached_entry(trace).tier != _DIRECT:
        return False
    limits = profile.direct
    is_quoted = hit.score >= limits.prefetch and _place(profile, trace, hit) <= limits.max_notes
    return is_quoted and hit.path not in cached_entry(trace).sources


def use_of(profile: Profile, trace: Trace, hit: Hit) -> str:
    """A phrase that says how the answer uses ``hit``, or why it is not quoted."""
    limits, used = profile.direct, trace.section(Route).used
    direct = trace.section(Route).outcome == "direct" if used else cached_entry(trace).tier == _DIRECT
    what = "quoted in the direct answer" if direct else "quoted to the model"
    was_quoted = not used and direct and hit.path in cached_entry(trace).sources
    if not was_quoted and hit.score < limits.prefetch:
        return f"{hit.score:.2f} is under {limits.prefetch:g}: not {what}"
    place = _place(profile, trace, hit)
    if not was_quoted and place > limits.max_notes:
        quoted = f"only {limits.max_notes} are quoted"
        return f"number {place} of the results that score at least {limits.prefetch:g}; {quoted}"
    return what if used else f"{what}; that answer came from the cache, {given_before(trace)}"


# Other wordings of a query that may find a note, smallest change first. Only trying them shows which ones do.

_MOST_WORDS_DROPPED = 4
EVERY_WORD = "spell every word as in the notes"


@dataclass(frozen=True, slots=True)
class Wording:
    """A changed query, and a description of the change."""

    text: str
    query: str


def unpunctuated(trace: Trace) -> Iterator[Wording]:
    """Yields the query without punctuation that prevents a match, then without any punctuation."""
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
    """Yields the query after words that no note contains are replaced by forms that notes contain."""
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
    """``word`` with each of its tokens replaced by its form in ``forms``, if there is one."""
    return " ".join(forms.get(token, token) for token in word.tokens)


def _rewritten(trace: Trace, words: Mapping[str, str]) -> str:
    """The query with its words replaced as in ``words``, even if they name a folder."""
    return " ".join(words.get(word, word) for word in spaced_words(trace.query))


def without_words(words: list[str]) -> Iterator[Wording]:
    """Yields ``words`` as a query without each one of them, then without the last few.

    A query never ends with stop words, and never begins with stop words that preceded the dropped word: “how do I
    rotate keys” without “rotate” is “keys”.
    """
    for place, word in enumerate(words[:-1]):
        yield Wording(f"leave out “{word}”", " ".join(without_word(words, place)))
    for dropped in range(1, min(_MOST_WORDS_DROPPED, len(words) - 1) + 1):
        left = words[:-dropped]
        while left and left[-1].lower() in STOP_WORDS:
            left.pop()
        yield Wording(f"leave out “{' '.join(words[len(left) :])}”", " ".join(left))


_OF_STUB = "it is the stub of an archived note; restoring the note brings back its full text"


class Loss(StrEnum):
    """Reasons why a named note is not among the results, in the engine's order of checks."""

    NOT_IN_TREE = "not in the tree"
    DERIVED = "a file generated from notes"
    PAST_FILES = "beyond the number of files that the engine reads"
    ARCHIVED = "archived: only its stub is searchable"
    UNREADABLE = "the engine cannot read the file"
    CUT_OFF = "its words are in a part of the file that the engine does not read"
    ENGINE_FAILS = "the engine cannot search this tree"
    INDEX_OLDER = "the file is newer than the engine's index"
    CACHED = "an earlier answer came from the cache"
    PATH = "the query was read as a path"
    SCOPE = "the query names a folder, and the note is outside it"
    NO_WORDS = "every word of the query is a stop word or too short"
    NO_TERM = "no word of the query matches it"
    AND = "other notes match every word of the query"
    FLOOR = BELOW_FLOOR
    UNMATCHED_WORD = UNMATCHED
    GAP = "below 70 % of the first score"
    LIMIT = PAST_LIMIT
    TRIMMED = PUSHED_OUT

    @property
    def number(self) -> int:
        """The number of this reason among 15. Members in :data:`_SHARING` have the number of another member."""
        places = [loss for loss in Loss if loss not in _SHARING]
        return places.index(_SHARING.get(self, self)) + 1


_SHARING = {
    Loss.PAST_FILES: Loss.DERIVED,
    **dict.fromkeys((Loss.UNREADABLE, Loss.CUT_OFF, Loss.ENGINE_FAILS), Loss.ARCHIVED),
}


def explain(context: Context, named: Named, trace: Trace) -> Explanation:
    """The reason why the note ``named`` is, or is not, among the hits of ``trace``. The remedy was tried."""
    _, hit = trace.place_of(named.path)
    note = None if named.position is None else context.snapshot.notes[named.position]
    title, result_path = (named.path.rpartition("/")[2], named.path) if note is None else (note.title, note.result_path)
    quoting = quoting_of(trace, result_path if hit is None else hit.path)
    if hit is not None and (quoting or (stands(trace) and not answer_lacks(context.constants, trace, hit))):
        return _of_result(context, named, title, trace, hit, quoting)
    return _of_loss(context, named, title, trace, hit, quoting)


def _of_result(context: Context, named: Named, title: str, trace: Trace, hit: Hit, quoting: str) -> Explanation:
    """The explanation of a note that is in the answer as the result ``hit``."""
    again = f"{quoting}; its rank and score are from a new search"
    use = use_of(context.constants, trace, hit) if stands(trace) else again
    return Explanation(
        query=trace.query,
        path=named.path,
        title=title,
        found=True,
        rank=1 + trace.hits.index(hit),
        hit=hit,
        detail=_terms_of(context, named, trace) if hit.text else None,
        reason=None,
        numbers="",
        remedy=None,
        use="; ".join((use, *_of_folder(trace, named.path), *_of_stub(named.path))),
        trace=trace,
    )


def _of_loss(context: Context, named: Named, title: str, trace: Trace, hit: Hit | None, quoting: str) -> Explanation:
    """The explanation of a note that is not a result. ``hit`` is its result in a new search, if any."""
    matched = _terms_of(context, named, trace)
    own = None if matched is None else scored(context, matched)
    loss, numbers = _loss(context, named, trace, own)
    lost = loss
    remarks = [numbers, _other_finding(trace, named) if hit is None else ""]
    # a remedy must also fix whatever prevents a new search from finding the note
    if loss is Loss.CACHED and hit is None:
        lost, more = _lost_by_scope(context.snapshot, named, trace) or _lost_in_search(context, named, trace, own)
        if quoting:
            loss, remarks[0] = lost, more
        else:
            remarks.append(f"a new search does not find it either: {lost.value}, {more}")
    return Explanation(
        query=trace.query,
        path=named.path,
        title=title,
        found=False,
        rank=None,
        hit=own,
        detail=matched if own else None,
        reason=Reason(loss.number, below_gap(context.constants) if loss is Loss.GAP else loss.value),
        numbers="; ".join(filter(None, (*remarks, *_of_stub(named.path)))),
        remedy=_remedy(context, named.path, title, lost, trace),
        use=f"{quoting}; a new search does not find it" if quoting else "",
        trace=trace,
    )


def _terms_of(context: Context, named: Named, trace: Trace) -> Detail | None:
    """The note's score by term and field; None for a file that is not searched."""
    return None if named.position is None else detail(context, search_of(trace, named.path), named.path)


def _of_folder(trace: Trace, path: str) -> Iterator[str]:
    """Yields a remark that names the note that gives the summary at ``path`` its score."""
    lift = next((lift for lift in trace.section(Search).lifts if lift.kept and lift.summary_file == path), None)
    if lift is not None:
        yield f"its score comes from {lift.child}, which is in its folder"


def _of_stub(path: str) -> tuple[str, ...]:
    return (_OF_STUB,) if role_of(path) is Role.STUB else ()


def _other_finding(trace: Trace, named: Named) -> str:
    """The reason why it was not enough that the note was found in another way, by one word or by its folder; empty if
    it was not.

    The result is also empty for a file that is not searched. Summaries are handled by :func:`_from_below`.
    """
    if named.position is None:
        return ""
    path = named.path
    for each in trace.section(EntityStep).searches:
        miss = next((miss for miss in each.search.near_misses if miss.file == path), None)
        if miss is not None:
            return f"the search for “{each.entity}” finds it at rank {miss.rank}, but adds at most {each.search.limit}"
    lifts = trace.section(Search).lifts
    lift = next((lift for lift in lifts if lift.summary_file == path and not lift.kept), None)
    return _too_little(lift) if lift is not None else ""


def _loss(context: Context, named: Named, trace: Trace, own: Hit | None) -> tuple[Loss, str]:
    return (
        _lost_on_disk(context, named, trace.section(Search))
        or _lost_before_search(context, named, trace)
        or _lost_by_scope(context.snapshot, named, trace)
        or _lost_in_search(context, named, trace, own)
    )


def _lost_on_disk(context: Context, named: Named, search: Search) -> tuple[Loss, str] | None:
    snapshot, profile = context.snapshot, context.constants
    path = named.path
    if named.position is not None:
        if _is_gone(snapshot, path):
            return Loss.NOT_IN_TREE, "the file has been removed since it was read"
        note = snapshot.notes[named.position]
        if (note.cut_lines or note.cut_units) and _only_beyond(snapshot, path, search):
            cut = f"{counted(note.cut_lines, 'line', 'lines')} after line {profile.limits.max_lines}"
            long = f"the end of {counted(note.cut_units, 'line', 'lines')} of more than "
            parts = [(note.cut_lines, cut), (note.cut_units, f"{long}{profile.limits.max_line_units} UTF-16 units")]
            return Loss.CUT_OFF, f"the engine does not read {' and '.join(text for amount, text in parts if amount)}"
        return None
    unseen = next((file.reason for file in snapshot.unseen if file.path == path), None)
    if unseen and unseen.startswith("past the"):
        return Loss.PAST_FILES, unseen
    role = role_of(path)
    if role is Role.ARCHIVED:
        return _lost_to_stub(stub_of(path))
    if unseen:
        return Loss.UNREADABLE, unseen
    if role not in SEARCHABLE:
        why = f"{role.value} files are not searched"
        return Loss.DERIVED, _from_below(path, search) if role is Role.SUMMARY else why
    stub = archived_as(path).stub
    if stub in snapshot.by_path:
        return _lost_to_stub(stub)
    return Loss.NOT_IN_TREE, "there was no such file when the tree was read"


def _lost_to_stub(stub: str) -> tuple[Loss, str]:
    return Loss.ARCHIVED, f"search finds {stub} instead"


def _from_below(path: str, search: Search) -> str:
    """The reason why the folder with the summary ``path`` is not a result, although its notes can pass relevance up."""
    folder = path.rpartition("/")[0]
    if not folder:
        return "notes do not pass their relevance up to the whole tree"
    lift = next((lift for lift in search.lifts if lift.folder == folder), None)
    if lift is None:
        return "its folder is a result only if a note in the folder is found by its words, and none is"
    if lift.summary_file != path:
        return "the engine does not read it as a summary: its frontmatter needs type: summary and a condensation_order"
    if lift.kept:
        return "its folder is beyond the limit, or filtered out"
    return _too_little(lift)


def _too_little(lift: Lift) -> str:
    return f"the score that {lift.child} gives its folder is too low: {lift.why}"


def _is_gone(snapshot: Snapshot, path: str) -> bool:
    return path not in snapshot.edited and not snapshot.location(path).exists()


def _only_beyond(snapshot: Snapshot, path: str, search: Search) -> bool:
    wanted = set(terms(search.lint.filtered))
    try:
        whole = snapshot.read(path).decode("utf-8", "replace")
        seen = set(terms(snapshot.text(path)))
    except OSError:
        return False
    return bool(wanted & set(terms(whole))) and not wanted & seen


def _lost_before_search(context: Context, named: Named, trace: Trace) -> tuple[Loss, str] | None:
    search, snapshot = trace.section(Search), context.snapshot
    if search.outcome is SearchOutcome.ENGINE_FAILS:
        return Loss.ENGINE_FAILS, snapshot.engine_failure
    if _file_changed(snapshot, named.path):
        return Loss.INDEX_OLDER, "the file has changed since it was read"
    _, hit = trace.place_of(named.path)
    if not stands(trace) or (hit is not None and answer_lacks(context.constants, trace, hit)):
        return Loss.CACHED, f"tier {trace.tier} answered with “{cached_entry(trace).key}”, {given_before(trace)}"
    return None


def _lost_by_scope(snapshot: Snapshot, named: Named, trace: Trace) -> tuple[Loss, str] | None:
    search = trace.section(Search)
    if search.outcome in (SearchOutcome.PATH_NOTE, SearchOutcome.PATH_FOLDER):
        named_path = search.scope.path
        inside = named.path.startswith(f"{named_path}/")
        if inside and search.outcome is SearchOutcome.PATH_FOLDER:
            return Loss.LIMIT, f"the folder's result list ends after {counted(search.limit, 'result', 'results')}"
        return Loss.PATH, f"{search.scope.pattern} names {named_path}"
    outside = named.position is not None and not members(snapshot, search.scope.path)[named.position]
    if search.scope.restricts and outside:
        return Loss.SCOPE, f"{search.scope.why}; the note is not in {search.scope.path}"
    return None


def _file_changed(snapshot: Snapshot, path: str) -> bool:
    parsed = snapshot.parsed.get(path)
    if parsed is None or path in snapshot.edited:
        return False
    try:
        return snapshot.location(path).stat().st_mtime_ns != parsed.mtime_ns
    except OSError:
        return True


def _lost_in_search(context: Context, named: Named, trace: Trace, own: Hit | None) -> tuple[Loss, str]:
    profile = context.constants
    search = trace.section(Search)
    words = search.lint.words
    if own is None and (not search.lint.tokens or search.lint.notes):
        shown = ", ".join(word.word for word in words) or "none"
        return Loss.NO_WORDS, f"query words: {shown}"
    if own is None or own.text is None:
        return Loss.NO_TERM, f"tokens searched: {', '.join(search.lint.tokens)}"
    distinct = len(set(search.lint.tokens))
    if search.combine == "AND" and own.text.matched_terms < distinct:
        others = counted(search.matched, "note matches", "notes match")
        return Loss.AND, f"it matches {own.text.matched_terms} of {distinct} terms; {others} all"
    limits = profile.out_of_domain
    if search.outcome is SearchOutcome.BELOW_FLOOR:
        return Loss.FLOOR, f"the top score, {search.top:.4f}, is below {limits.floor:g}; this note has {own.score:.2f}"
    if search.outcome is SearchOutcome.UNMATCHED_WORDS:
        unmatched = ", ".join(f"“{word}”" for word in search.unmatched_words)
        return (
            Loss.UNMATCHED_WORD,
            f"none of the best matches contains {unmatched}, and the top score, {search.top:.4f}, "
            f"is under {limits.escape:g}",
        )
    miss = next((miss for miss in search.near_misses if miss.file == named.path), None)
    if miss and miss.reason == PAST_LIMIT:
        return Loss.LIMIT, f"rank {miss.rank}, but the search keeps only {search.limit}"
    if miss and miss.reason == PUSHED_OUT:
        return Loss.TRIMMED, f"{miss.score:.2f}: {PUSHED_OUT} among the {search.limit}"
    floor = search.floor if search.floor is not None else 0.0
    unrounded = own.score - next((part.value for part in own.parts if part.name == "rounding"), 0.0)
    if unrounded < floor:
        return Loss.GAP, f"{unrounded:.4f} is below {floor:.4f} by {floor - unrounded:.4f}"
    return Loss.LIMIT, f"the search keeps only {search.limit}"


def _remedy(context: Context, path: str, title: str, loss: Loss, trace: Trace) -> Remedy | None:
    profile = context.constants
    fixed = _fixed_remedy(profile, path, loss, trace)
    if fixed:
        return Remedy(fixed, False)
    wordings, scope = query_changes(loss, trace, title), trace.scope_option
    tries = ((one.text, one.query, dict[str, str]()) for one in wordings)
    return tried_remedy(path, tries, lambda one: replace(trace, hits=find_results(context, one, scope).hits), 2)


def _fixed_remedy(profile: Profile, path: str, loss: Loss, trace: Trace) -> str:
    limits = profile.limits
    fixed = {
        Loss.NOT_IN_TREE: CHECK_PATH,
        Loss.DERIVED: "ask for a note from which it was generated",
        Loss.PAST_FILES: f"keep at most {limits.max_files:,} files in the tree: the engine does not read more",
        Loss.ARCHIVED: "restore it from its stub, here or with brv, or read the stub, which search finds",
        Loss.UNREADABLE: MAKE_READABLE,
        Loss.CUT_OFF: f"move the words into the first {limits.max_lines} lines, each of at most "
        f"{limits.max_line_units} UTF-16 units",
        Loss.ENGINE_FAILS: "fix the tree as described in the reason",
        Loss.INDEX_OLDER: f"ask again later: the engine rechecks the files after {limits.index_seconds:g} s",
    }
    if loss is Loss.CACHED:
        rank, _ = trace.place_of(path)
        tree = trace.section(FingerprintState)
        if tree.value == tree.current:
            lasts = f"{profile.cache.ttl_seconds:g} s after it was given"
            wait = f"wait until the answer expires, {lasts}, or change a note"
        else:
            lasts = f"at most {profile.cache.fingerprint_seconds:g} s after the change"
            wait = f"wait until the cache notices the changed notes, {lasts}"
        return f"{wait}: a new search finds it at rank {rank}"
    return fixed.get(loss, "")


def query_changes(loss: Loss, trace: Trace, title: str) -> Iterator[Wording]:
    """Yields other wordings to try for the note called ``title``, which was dropped because of ``loss``."""
    seen = {trace.query}
    for change in _candidates(loss, trace, title):
        if change.query.strip() and change.query not in seen:
            seen.add(change.query)
            yield change


def _candidates(loss: Loss, trace: Trace, title: str) -> Iterator[Wording]:
    words = spaced_words(trace.query)
    if loss in (Loss.NO_TERM, Loss.AND, Loss.UNMATCHED_WORD):
        yield from as_in_notes(trace)
    if loss is Loss.UNMATCHED_WORD:
        yield from unpunctuated(trace)
        rest = [word for word in words if word.lower() not in trace.section(Search).unmatched_words]
        yield Wording(f"leave out {_listed(trace.section(Search).unmatched_words)}", " ".join(rest))
    if loss in (Loss.PATH, Loss.SCOPE):
        yield Wording("begin with another word", " ".join([*words[1:], *words[:1]]))
        yield Wording("write the words without the path", " ".join(words[1:]))
        yield Wording("separate the words of the path", trace.query.replace("/", " ").strip())
        yield Wording("put the title before the query", f"{title} {trace.query}".replace("/", " "))
    if loss in (Loss.NO_TERM, Loss.AND, Loss.NO_WORDS):
        yield from unpunctuated(trace)
    if loss is Loss.AND:
        yield from without_words(words)
    yield from (Wording(*wording) for wording in title_wordings(trace.query, title))


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)
