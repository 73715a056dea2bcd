"""The presentation of ByteRover's traces: tiers, query, lifted folders, attempts, and the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import ClassVar

from brvtui.engines.byterover.sections import ESCAPE, UNMATCHED, Attempt, EntitySearch, EntityStep, PlainSearch, Search
from brvtui.engines.byterover.sentence import sentence
from brvtui.engines.presentation import Groups, Presentation
from brvtui.paint.attempts import Attempted, ladder_rows
from brvtui.paint.bars import draining
from brvtui.paint.blocks import Block, Ends, Rule, Text, Titled
from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.paint.line import Line, Span, hanging, line
from brvtui.paint.sentence import NO_ANSWER, Headline, tier_role
from brvtui.paint.steps import StepName
from brvtui.paint.text import cut_left, number, plural, seconds, signed
from brvtui.text.visible import visible
from brvtui.trace import Hit, Ladder, NearMiss, Origin, State, Trace, listed
from brvtui.trace.routing import CacheEntry, CacheLook, CacheNow, FingerprintState, Outcome, Route
from brvtui.wording import counted

# The simulated cache as lines: the look-ups, the entries with the changes to the tree since they were cached, and the
# current fingerprint.


_BAR = 6
_WIDE = 56
_ROOMY = 30
_TITLE = 24
_SIMULATED = 34
_NAMED = 3
"""The number of changed files that are listed for a cached answer."""


def _cache_title(shown: CacheNow | None, width: int) -> str:
    """The title of the pane: the number of entries, and a remark that the cache is simulated."""
    amount = f" {len(shown.look.entries)}/{shown.look.capacity}" if shown else ""
    if width >= _SIMULATED:
        return f"Cache{amount} · simulated here"
    return f"Cache{amount if width >= _TITLE else ''} simulated"


def _cache_blocks(shown: CacheNow | None, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Yields both look-ups, the entries (newest first), and the fingerprint."""
    if shown is None:
        yield Text("empty: a run caches its answer", "muted")
        return
    if shown.look.key and shown.look.entries:
        yield from _lookups(shown, width, glyphs)
    if not shown.look.entries:
        yield Text("no entries: a run adds its answer", "muted")
    for entry in reversed(shown.look.entries):
        yield from _entry(entry, width, glyphs)
        yield from _since(entry, shown, width, glyphs)
    yield Rule("fingerprint of the tree")
    state = shown.fingerprint
    yield line(f" {state.value[:16]} ").add(plural(state.files, "file"), "muted")
    kept = f"{seconds(state.age_s)} old, kept for {seconds(state.left_s)} more"
    text = kept if state.held else "the next run computes it"
    yield line(f" {text}", "muted")
    if state.value != state.current:
        yield line(f" {glyphs.warn} the tree is now {state.current[:16]}", "warn")
        given = f"old answers may still be given for {seconds(state.left_s)}"
        yield _warned(f"{given}; then the fingerprint is computed again")
    if shown.index_left_s > 0:
        yield _warned(f"for {seconds(shown.index_left_s)} more, a search may use the earlier index")
    yield Text("this cache is simulated by brv-tui; ByteRover has its own", "faint", after=0)


def _lookups(shown: CacheNow, width: int, glyphs: Glyphs) -> Iterator[Line]:
    yield line(" if you run this query now:", "faint")
    look = shown.look
    for name, state, why in (("exact", look.exact.value, look.exact_why), ("fuzzy", look.fuzzy.value, look.fuzzy_why)):
        head = line(f" {glyphs.state[state]} {name} {STATE_WORDS[state]} ", STATE_ROLES[state])
        yield from hanging(head.add(why, "muted"), width, 3)


def _entry(entry: CacheEntry, width: int, glyphs: Glyphs) -> Iterator[Block]:
    state = entry.state.value
    role = STATE_ROLES[state]
    alive = _alive(entry)
    cells = _BAR if width >= _ROOMY else _BAR - 2
    bar = draining(entry.left_s, entry.left_s + entry.age_s, cells, glyphs)
    row = line(f" {glyphs.state[state]} ", role).add(f"t{entry.tier} ", f"tier-{entry.tier}")
    row.add(bar, "accent" if alive else "faint").add(f" {seconds(entry.left_s):>5}", "text" if alive else "faint")
    same = glyphs.check if entry.fingerprint_match else glyphs.cross
    row.add(f" tree {same}", "ok" if entry.fingerprint_match else "bad")
    shared = f"{entry.shared_tokens}/{entry.union_tokens} "
    right = Line().add(shared if width >= _ROOMY else "", "muted")
    right.add(number(entry.similarity), "text" if alive else "faint")
    if width >= _WIDE:
        yield Ends(row.add(f" age {seconds(entry.age_s):>5} ", "muted").add(f" {entry.key}", "muted"), right)
        return
    yield Ends(row, right)
    yield line("   ").add(entry.key, "muted" if alive else "faint")
    shared = "" if width >= _ROOMY else f"{entry.shared_tokens}/{entry.union_tokens} words · "
    yield Text(f"{seconds(entry.age_s)} old · {shared}{entry.why}", "faint", "   ", limit=1)


def _entries_in_short(entries: Sequence[CacheEntry]) -> Span:
    newest = min(entries, key=lambda entry: (not _alive(entry), entry.age_s))
    amount = counted(len(entries), "entry", "entries")
    if not _alive(newest):
        return f"{amount}, none valid: {newest.why}", "text"
    return f"{amount}, {'the newest ' if len(entries) > 1 else ''}valid for {seconds(newest.left_s)}", "strong"


def _match_in_short(look: CacheLook) -> Iterator[str]:
    """Yields the cache hit that the query would get now, or the similarity to the most similar entry."""
    if look.exact is State.HIT:
        yield "exact hit if you run it now"
    elif look.fuzzy is State.SKIPPED:
        yield f"similarity not compared: {look.fuzzy_why}"
    elif look.fuzzy_check is not None:
        likest = max(look.entries, key=lambda entry: (_alive(entry), entry.similarity))
        how, what = ("fuzzy hit if you run it now: ", "") if look.fuzzy is State.HIT else ("", "the nearest, ")
        value, needed = number(look.fuzzy_check.value), number(look.fuzzy_check.threshold)
        yield f"{how}similarity {value} ({needed} needed) to {what}“{likest.key}”"


def _alive(entry: CacheEntry) -> bool:
    return entry.left_s > 0 and entry.fingerprint_match


def _warned(text: str) -> Text:
    return Text(text, "warn", "   ")


def _since(entry: CacheEntry, shown: CacheNow, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Yields the changes since the entry was cached, with a warning if the cache would still return it."""
    if entry.signals_changed:
        yield _warned(f"{glyphs.warn} still given, although signals of {plural(entry.signals_changed, 'note')} changed")
    changes = shown.changes.get(entry.key)
    if changes is None:
        return
    kinds = ((changes.changed, "changed"), (changes.added, "new"), (changes.removed, "gone"))
    named = [(path, kind) for paths, kind in kinds for path in paths]
    served = entry.fingerprint_match and entry.left_s > 0
    role = "warn" if served else "muted"
    if served:
        yield _warned(f"{glyphs.warn} still given, although the tree has changed")
    for path, kind in named[:_NAMED]:
        yield line("   ").add(cut_left(visible(path), width - len(kind) - 4), role).add(f" {kind}", role)
    if len(named) > _NAMED:
        yield line(f"   and {plural(len(named) - _NAMED, 'file')} more", role)


_MOST_WORDS = 12
_MOST_LIFTS = 12
_DOMAIN_CHECKS = (("relevance floor", "best"), (ESCAPE, "best"), ("unmatched words", "unmatched"))
_DIRECT_CHECKS = (
    ("top score", "top"),
    ("sure top", "top"),
    ("lead over the next", "lead"),
    ("notes to choose from", "notes"),
)


class ByteRoverPresentation(Presentation):
    """The presentation of ByteRover's traces."""

    title = "ByteRover"
    sections = (Route, Search, EntityStep, Ladder, CacheLook, FingerprintState)
    outlook = (
        StepName("exact_cache", "exact cache", "exact", tier="0", timed_by="cache"),
        StepName("fuzzy_cache", "fuzzy cache", "fuzzy", tier="1", checks=(("similarity", "like"),)),
        StepName(
            "entity_search",
            "entity",
            timed_by="entity searches",
            words=(("hit", "added"),),
            checks=(("notes found", "found"),),
        ),
        StepName("out_of_domain", "coverage", timed_by="search", checks=_DOMAIN_CHECKS, words=(("taken", "stopped"),)),
        StepName("direct", "direct", tier="2", timed_by="gates", checks=_DIRECT_CHECKS),
        StepName("single_call", "one call", "call", tier="3", timed_by="answer", checks=(("best score", "best"),)),
        StepName("agentic_loop", "loop", tier="4", timed_by="answer"),
        StepName("retry_ladder", "ladder", timed_by="retry ladder"),
    )
    question = "what ByteRover would answer"
    typing = "typing changes nothing; {query.run} runs the query and caches its answer"
    caches = True
    tried_edits = "an edit, an update, a higher maturity"
    tried_constants: ClassVar[Mapping[str, float]] = {
        "text.fuzzy_ratio": 0.1, "text.fuzzy_weight": 0.15, "text.prefix_weight": 0.125, "text.boost.title": 1.0,
        "text.boost.path": 0.5, "text.k": 0.3, "text.b": 0.2, "score.relevance": 0.1, "score.importance": 0.05,
        "score.recency": 0.05, "score.boost.draft": 0.05, "score.boost.validated": 0.05, "score.boost.core": 0.05,
        "search.gap_ratio": 0.1, "direct.min_top": 0.05, "direct.sure_top": 0.05, "direct.min_gap": 0.04,
    }  # fmt: skip
    ranks_folders = True
    pane_help: ClassVar[Mapping[str, str]] = {
        "Query": "A run caches its answer, as ByteRover would. A path in the query, or the name of a domain (a "
        "top-level folder) as its first word, restricts the search to that folder. “carrier (+4 similar)” "
        "below the field means that the search also finds 4 longer or similar words.",
        "Results": "Results below a ruled line were found by searching for a single word of the query. Next to the "
        "words, “shared” marks a note from another project, and “from below” a folder that is a result "
        "because of one of its notes.",
        "Retry": "ByteRover tries a path look-up, then all words inside the scope, then any word inside the scope, "
        "then the whole tree, and entity searches for single words. Below these searches is Jeffs Brain's retry "
        "ladder. With the profiles brv-3 and docs, it is only advice; with combined, its results are used.",
    }
    sentence = staticmethod(sentence)

    def headline(self, trace: Trace) -> Headline:
        """The tier and the reason. A query that is not covered has no tier, except in the engine's own log, so the
        badge is NOT COVERED.
        """
        shown = super().headline(trace)
        if trace.section(Route).outcome is Outcome.NOT_COVERED:
            return replace(shown, badge="NOT COVERED", role=NO_ANSWER)
        return replace(shown, role=tier_role(trace.tier))

    def warning(self, trace: Trace) -> str:
        """A warning that the search is shown but not used, if the cache answered."""
        return "" if trace.section(Route).used else "search shown, not used"

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The query as the engine reads it: stop words, expanded and unmatchable words, and AND or OR."""
        return _reading(trace, glyphs)

    def counts(self, trace: Trace) -> str:
        """The numbers of results, lifted folders, and hits added by entity searches."""
        found = trace.section(Search)
        if not trace.hits and not found.total_found:
            return "Results none"
        limit = f"limit {found.limit}" if trace.section(Route).used else "not used"
        added = sum(1 for hit in trace.hits if hit.found_by)
        lifted = sum(1 for hit in trace.hits if hit.origin is Origin.PROPAGATED and not hit.found_by)
        more = f" + {plural(lifted, 'folder')}" if lifted else ""
        more += f" + {added} added" if added else ""
        return f"Results {len(trace.hits) - added - lifted} of {found.total_found}{more} · {limit}"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """The origin of a result, if it is not a text match in the project's own tree."""
        if hit.shared_source:
            return "shared"
        return "from below" if hit.origin is Origin.PROPAGATED else ""

    def behind(self, trace: Trace, reason: str) -> str:
        """The reason why notes are near misses, with the number that they failed to reach."""
        found = trace.section(Search)
        if "of the first score" in reason and found.floor is not None:
            return f"{reason} = {number(found.floor, 3)}"
        if reason == UNMATCHED:
            escape = next((check.threshold for check in found.out_of_domain if check.name == ESCAPE), None)
            return f"the best matches lack a word; under {number(escape)}"
        return f"{reason} of {found.limit}" if reason == "past the limit" else reason

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of ranks beyond the limit, or the number of points that the score is too low."""
        if "limit" in miss.reason:
            return plural(round(miss.short), "rank"), f"rank {miss.rank}"
        return super().lack(miss, glyphs)

    def nothing(self, trace: Trace, width: int) -> Iterator[Line]:
        """Yields lines about query words that are in no note or in none of the best matches, and then about other forms
        of these words in the notes.
        """
        found = trace.section(Search)
        for word in found.unmatched_words:
            none = "none of the best matches contains " if word in found.held_below else "no note matches "
            yield line(none, "muted").add(f"“{word}”", "warn")
        for form in dict.fromkeys(form for expansion in found.lint.expansions for form in expansion.near):
            yield line("notes contain ", "muted").add(f"“{form}”", "accent")

    def decision(self, trace: Trace, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the steps, and the retry ladder if it is only advice."""
        yield from super().decision(trace, glyphs)
        ladder = trace.section(Ladder)
        if not ladder.in_route:
            word, sign = STATE_WORDS[ladder.state.value], glyphs.state[ladder.state.value]
            advice = line(f" {sign} retry ladder (advice) ", "muted").add(f"{word} ", "muted")
            yield advice.add(ladder.why if ladder.found else "", "faint")

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "") -> Iterator[Block]:
        """Yields the counts of the search, the lifted folders, and the search without the router if there is one."""
        found = trace.section(Search)
        yield Rule("search: in − dropped = out")
        yield from found.stages or (line(f" {found.outcome.value.replace('_', ' ')}", "muted"),)
        if found.scope.pattern and not found.scope.path:
            yield Text(f"no scope: {found.scope.why}", "warn", after=0)
        yield from _lifts(found, glyphs)
        plain = trace.find(PlainSearch)
        if plain is not None:
            yield Rule(f"the search on its own, with limit {plain.search.limit}")
            for rank, hit in enumerate(plain.search.hits, start=1):
                row = line(f"{rank:>3} ", "muted").add(hit.title).add(f"  {hit.path}", "muted")
                yield Ends(row, line(f"{hit.score:.2f}", "strong"))

    def named_folder(self, trace: Trace) -> str:
        """The scope that the query names; empty if it names none, or if an option set the scope."""
        scope = trace.section(Search).scope
        return scope.path if scope.restricts and scope.source != "option" else ""

    def in_words_of_notes(self, trace: Trace) -> str:
        """The query with its words in the forms that notes contain; empty if there are no such forms."""
        from brvtui.engines.byterover.reasons.why_not import EVERY_WORD, as_in_notes

        queries = {wording.text: wording.query for wording in as_in_notes(trace)}
        return queries.get(EVERY_WORD) or next(iter(queries.values()), "")

    def attempts(self, trace: Trace) -> tuple[Attempted, ...]:
        """The attempts of the search, the entity searches, and the steps of the retry ladder."""
        times = trace.timings
        rows = [_attempt(place, attempt, times) for place, attempt in enumerate(trace.section(Search).attempts)]
        stop = {word.word.lower() for word in trace.section(Search).lint.words if word.stop_word}
        return (*rows, *_entities(trace.section(EntityStep), stop, times), *ladder_rows(trace.section(Ladder), times))

    def has_begun(self, text: str) -> bool:
        """True once ``text`` contains the heading of the answer's first part."""
        from brvtui.engines.byterover.completion.answer_form import PARTS, missing_parts

        return PARTS[0] not in missing_parts(text)

    def words(self, trace: Trace) -> Sequence[str]:
        """All index terms that match the query's terms, and the terms themselves."""
        found = trace.section(Search).lint
        words = [match.term for term in found.expansions for match in term.matches]
        return words + [token for token in found.tokens if token not in words]

    def cache(self, trace: Trace | None, now: CacheNow | None, width: int, glyphs: Glyphs) -> Titled:
        """The cache: both look-ups, the entries (newest first), and the fingerprint."""
        if now is None and trace is not None:
            now = CacheNow(trace.section(FingerprintState), trace.section(CacheLook), {})
        return Titled(_cache_title(now, width), _cache_blocks(now, width, glyphs))

    def cache_in_short(self, trace: Trace | None, now: CacheNow | None) -> list[Span]:
        """The number of entries, the time left for the newest, and the hit or the most similar entry."""
        look = now.look if now is not None else trace.section(CacheLook) if trace is not None else None
        if look is None or not look.entries:
            return [("no entries; a run adds its answer", "muted")]
        return [_entries_in_short(look.entries), *((text, "muted") for text in _match_in_short(look))]


def _quoted(tokens: Sequence[str]) -> str:
    return f"“{' '.join(tokens)}”" if tokens else "nothing"


def _reading(trace: Trace, glyphs: Glyphs) -> Groups:
    """The groups in the line that shows the engine's interpretation of the query."""
    found = trace.section(Search)
    groups: Groups = []
    stop = [word.word for word in found.lint.words if word.stop_word]
    terms: list[Span] = []
    for expansion in found.lint.expansions[:_MOST_WORDS]:
        more = expansion.prefix + expansion.fuzzy
        role = "text" if expansion.notes else "bad"
        terms += [(", " if terms else "", "muted"), (expansion.term, role)]
        terms.append(("" if expansion.notes else f" {glyphs.cross} no match", role))
        terms.append((f" (+{more} similar)" if more else "", "muted"))
        terms += [(f" (but {expansion.near[0]})", "warn")] if expansion.near else []
    odd = [word for word in found.lint.words if word.mismatch]
    if odd:
        pairs = ", ".join(
            f"“{word.word}” is searched as {_quoted(word.tokens)}, but compared as typed" for word in odd[:2]
        )
        more_odd = f" +{len(odd) - 2}" if len(odd) > 2 else ""
        groups.append((8, [(f"{glyphs.warn} {pairs}{more_odd}", "warn")]))
    if terms:
        groups.append((6, [("words ", "muted"), *terms]))
    groups += [(7, [(note, "warn")]) for note in found.lint.notes]
    groups += _combine(trace)
    if stop:
        alone = {search.entity for search in trace.section(EntityStep).searches}.intersection(map(str.lower, stop))
        searched = f" ({_quoted(sorted(alone))} also searched alone, as an entity)" if alone else ""
        groups.append(
            (2, [("stop words ", "muted"), (" ".join(dict.fromkeys(stop)), "strike muted"), (searched, "muted")])
        )
    if trace.scope_option and not found.scope.path:
        groups.append((10, [(f"{glyphs.warn} {found.scope.why}", "warn")]))
    if found.scope.restricts:
        by = "" if found.scope.source == "option" else ", which the query names"
        groups.append((5, [("in ", "muted"), (found.scope.path, "accent"), (by, "muted")]))
    return groups


def _combine(trace: Trace) -> Groups:
    found = trace.section(Search)
    if not found.combine:
        why = "" if found.lint.notes else found.combine_why or found.outcome.value.replace("_", " ")
        return [(9, [(why, "muted")])] if why else []
    needs, match = ("any word", "matches" if found.matched == 1 else "match")
    if found.combine == "AND":
        needs = "all words"
    text = f" search: {found.matched} of {plural(found.searchable, 'note')} {match} {needs}"
    none = ", none matches all" if found.and_failed and found.matched else ""
    return [(9, [(found.combine, "bold text"), (text, "text"), (none, "warn")])]


def _lifts(found: Search, glyphs: Glyphs) -> Iterator[Block]:
    """Yields a line for each folder that received relevance from below: its score, the formula, and whether it was
    kept.
    """
    if found.lifts:
        yield Rule("parent propagation")
    for lift in found.lifts[:_MOST_LIFTS]:
        sign, role = (glyphs.check, "ok") if lift.kept else (glyphs.state["missed"], "muted")
        entry = Line().gap().add(f"{sign} ", role).add(lift.folder, "text").add(f"  {lift.score:.2f}", role)
        own = f" {signed(lift.score - lift.value, 3)} of its own" if lift.score != lift.value else ""
        how = f" = {lift.relevance:.3f} × {lift.factor:g}^{lift.levels}{own}"
        yield entry.add(how, "muted").add(f"  {lift.why}", "muted")
    if len(found.lifts) > _MOST_LIFTS:
        yield line(f"   … {len(found.lifts) - _MOST_LIFTS} more folders", "muted")


def _attempt(place: int, attempt: Attempt, times: Mapping[str, float]) -> Attempted:
    reached = attempt.state not in (State.NOT_REACHED, State.SKIPPED)
    return Attempted(
        id=f"attempt:{place}",
        name=attempt.name,
        state=attempt.state,
        found=f"{attempt.found} of {attempt.came_in}" if reached else "",
        why=attempt.why,
        query=attempt.query if reached else "",
        scope=attempt.scope,
        results=attempt.listed,
        total=attempt.found,
        took_ms=times.get(attempt.timed_by),
    )


def _entities(step: EntityStep, stop: Set[str], times: Mapping[str, float]) -> list[Attempted]:
    added = sum(len(one.added) for one in step.searches)
    head = Attempted("entities", "entity searches", step.state, f"{added} added" if step.searches else "", step.why)
    return [head, *(_entity(place, one, stop, times) for place, one in enumerate(step.searches))]


def _entity(place: int, one: EntitySearch, stop: Set[str], times: Mapping[str, float]) -> Attempted:
    total = one.search.total_found
    state = State.HIT if one.added else State.PASSED if one.search.hits else State.MISSED
    new = str(len(one.added)) if one.added else "none"
    why = f"{new} of them new to the results" if one.search.hits else one.search.outcome.value
    if one.entity in stop:
        why += "; it is a stop word for the search above, but not for entity searches"
    return Attempted(
        id=f"entity:{place}",
        name=f"“{one.entity}”",
        state=state,
        found=f"{total} found, {len(one.added)} added",
        why=why.replace("_", " "),
        results=tuple(map(listed, one.search.hits)),
        total=len(one.search.hits),
        took_ms=times.get(one.timed_by),
        depth=1,
    )
