"""A simulation of the router's cache, with exact and fuzzy look-ups over immutable states.

See ``docs/reference/byterover.md``, "The cache".
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brvtui.engines.byterover.profile import CacheRules, Profile
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import utf16
from brvtui.text.trigrams import jaccard
from brvtui.trace import Answer, Check, State, Step
from brvtui.trace.routing import CacheEntry, CacheLook, FingerprintState, TreeChanges
from brvtui.tree.reading.files import TreeFile
from brvtui.tree.reading.fingerprint import is_covered
from brvtui.tree.reading.javascript import folded, spaced_words
from brvtui.tree.reading.signals import NoteSignals
from brvtui.wording import counted

_REMEMBERED = 8
"""The number of trees that are kept for comparison with later trees."""


class SeenTrees:
    """The trees that were searched most recently, keyed by fingerprint. Thread-safe."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, Sequence[TreeFile]] = OrderedDict()
        self._compared: dict[tuple[str, str], TreeChanges] = {}
        self._newest = ""
        self._changed_ms: float | None = None
        self._lock = threading.Lock()

    def see(self, snapshot: Snapshot) -> None:
        """Stores the tree of ``snapshot`` as the newest one."""
        with self._lock:
            current = snapshot.fingerprint
            if current == self._newest:
                return
            if self._newest:
                self._changed_ms = snapshot.loaded_ms
            self._newest = current
            with_derived = snapshot.limits.fingerprint_derived
            self._files[current] = [file for file in snapshot.files if is_covered(file.role, with_derived)]
            self._files.move_to_end(current)
            self._compared.clear()
            while len(self._files) > _REMEMBERED:
                self._files.popitem(last=False)

    def since(self, fingerprint: str) -> TreeChanges | None:
        """The changes from the tree with ``fingerprint`` to the newest; None if there are none or it is gone."""
        with self._lock:
            pair = (fingerprint, self._newest)
            if fingerprint not in self._files or fingerprint == self._newest:
                return None
            if pair not in self._compared:
                self._compared[pair] = changes_between(self._files[fingerprint], self._files[self._newest])
            return self._compared[pair]

    def index_left_s(self, now_ms: float, index_seconds: float) -> float:
        """The number of seconds that the engine's index may still be older than the newest tree; the engine checks it
        every ``index_seconds``.
        """
        if self._changed_ms is None or now_ms < self._changed_ms:
            return 0.0
        return max(0.0, index_seconds - (now_ms - self._changed_ms) / 1000)


def changes_between(before: Sequence[TreeFile], now: Sequence[TreeFile]) -> TreeChanges:
    """The changes between two lists of files. A file has changed if its modification time in ms is different."""
    old, new = ({file.path: file.mtime_ms for file in files} for files in (before, now))
    return TreeChanges(
        tuple(sorted(path for path, mtime in new.items() if path in old and old[path] != mtime)),
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
    )


_RULE = "the-cache"


@dataclass(frozen=True, slots=True)
class Stored:
    """One cached answer, with the conditions under which it is valid."""

    key: str
    tier: int
    text: str
    stored_ms: float
    fingerprint: str
    tokens: frozenset[str]
    covered: bool
    """True if the answer came from notes or a model; False if it says that the query is not covered."""
    sources: tuple[str, ...]
    """The paths of the notes that the answer quotes."""
    signals: tuple[NoteSignals, ...]
    """The stored signals of all notes at the time of the answer, which the fingerprint does not cover."""


@dataclass(frozen=True, slots=True)
class CachedFingerprint:
    """A fingerprint that is reused until it expires, and the time when it was computed."""

    value: str
    at_ms: float


@dataclass(frozen=True, slots=True)
class CacheContents:
    """The cache entries in order of insertion, and the fingerprint in use."""

    entries: tuple[Stored, ...] = ()
    held: CachedFingerprint | None = None


def cache_key(query: str) -> str:
    """``query`` in lower case, trimmed, and with each run of white space replaced by one space."""
    return folded(query.lower())


def cache_tokens(key: str, profile: Profile) -> frozenset[str]:
    """The words of a key that fuzzy look-ups compare."""
    stop_words = frozenset(profile.query.stop_words)
    min_length = profile.cache.token_length
    return frozenset(word for word in spaced_words(key) if len(utf16(word)) >= min_length and word not in stop_words)


def held_fingerprint(
    state: CacheContents, current: str, files: int, now_ms: float, profile: Profile
) -> tuple[CacheContents, FingerprintState]:
    """The resulting state of the cache, and the fingerprint for look-ups. A cached fingerprint is used until it
    expires; then ``current`` is used and cached.
    """
    lasts = profile.cache.fingerprint_seconds
    if state.held is not None:
        age = (now_ms - state.held.at_ms) / 1000
        if 0 <= age < lasts:
            return state, FingerprintState(state.held.value, True, age, lasts - age, current, files)
    return replace(state, held=CachedFingerprint(current, now_ms)), FingerprintState(
        current, False, 0.0, lasts, current, files
    )


def look_up(
    state: CacheContents,
    query: str,
    fingerprint: str,
    now_ms: float,
    profile: Profile,
    signals: tuple[NoteSignals, ...] = (),
) -> tuple[CacheContents, CacheLook, Stored | None]:
    """The state after both look-ups, their results, and the matching entry (None if there is none). An entry with the
    same key that is no longer valid is removed from the state. The current ``signals`` do not affect the look-ups.
    """
    limits = profile.cache
    key = cache_key(query)
    tokens = cache_tokens(key, profile)
    exact = hit = next((entry for entry in state.entries if entry.key == key), None)
    exact_why = "same words, same fingerprint, not expired" if exact else "no entry has this key"
    after = state
    if exact and (problem := _problem(exact, fingerprint, now_ms, limits)):
        hit, exact_why = None, f"{problem}; a run deletes the entry"
        after = replace(state, entries=tuple(entry for entry in state.entries if entry is not exact))
    too_few = len(tokens) < limits.min_tokens
    views: list[CacheEntry] = []
    best: tuple[float, Stored, int] | None = None
    for entry in state.entries:
        shared, union, similarity = jaccard(tokens, entry.tokens)
        problem = _problem(entry, fingerprint, now_ms, limits)
        if entry is exact:
            seen, why = (State.HIT, "exact") if hit else (State.MISSED, problem)
        elif problem:
            seen, why = State.SKIPPED, problem
        elif too_few:
            seen, why = State.SKIPPED, "the query has too few words to compare"
        elif similarity >= limits.min_similarity:
            seen, why = State.PASSED, f"similar enough: {similarity:.2f}"
        else:
            seen, why = State.MISSED, f"{similarity:.2f} is below {limits.min_similarity:g}"
        if not problem and not too_few and (best is None or similarity > best[0]):
            best = (similarity, entry, len(views))
        age = (now_ms - entry.stored_ms) / 1000
        left, same_tree = max(0.0, limits.ttl_seconds - age), entry.fingerprint == fingerprint
        views.append(
            CacheEntry(
                key=entry.key,
                tier=entry.tier,
                covered=entry.covered,
                age_s=age,
                left_s=left,
                fingerprint_match=same_tree,
                shared_tokens=shared,
                union_tokens=union,
                similarity=similarity,
                state=seen,
                why=why,
                sources=entry.sources,
            )
        )
    fuzzy_state, fuzzy_why, check = _fuzzy(best[0] if best else None, too_few, len(tokens), limits)
    if fuzzy_state is State.MISSED and best is None and views:
        fuzzy_why += f": {', '.join(dict.fromkeys(view.why for view in views))}"
    exact_state = State.HIT if hit else State.MISSED
    if hit:
        fuzzy_state, fuzzy_why = State.NOT_REACHED, "the exact look-up answered"
    elif best and fuzzy_state is State.HIT:
        hit = best[1]
        views[best[2]] = replace(views[best[2]], state=State.HIT, why=f"most similar: {best[0]:.2f}")
    if hit and (changed := _changed(hit.signals, signals)):
        views = [replace(view, signals_changed=changed) if view.key == hit.key else view for view in views]
    look = CacheLook(
        key=key,
        tokens=tuple(sorted(tokens)),
        capacity=limits.capacity,
        exact=exact_state,
        exact_why=exact_why,
        fuzzy=fuzzy_state,
        fuzzy_why=fuzzy_why,
        fuzzy_check=check,
        hit_key=hit.key if hit else "",
        entries=tuple(views),
    )
    return after, look, hit


def _changed(before: tuple[NoteSignals, ...], now: tuple[NoteSignals, ...]) -> int:
    """The number of notes with other importance, recency or maturity; 0 if there are other notes."""
    pairs = zip(before, now, strict=True) if before is not now and len(before) == len(now) else ()
    return sum((a.importance, a.recency, a.maturity) != (b.importance, b.recency, b.maturity) for a, b in pairs)


def cache_steps(look: CacheLook, profile: Profile) -> tuple[Step, Step]:
    """The two steps of the route that use the cache."""
    expected = profile.router.expected
    checks = (look.fuzzy_check,) if look.fuzzy_check else ()
    return (
        Step("exact_cache", 0, "exact cache", look.exact, (), look.exact_why, expected[0]),
        Step("fuzzy_cache", 1, "fuzzy cache", look.fuzzy, checks, look.fuzzy_why, expected[1]),
    )


def put(
    state: CacheContents,
    query: str,
    tier: int,
    answer: Answer,
    covered: bool,
    fingerprint: str,
    now_ms: float,
    profile: Profile,
    signals: tuple[NoteSignals, ...] = (),
) -> CacheContents:
    """The state after an answer is stored. An existing key keeps its place; a new one may evict the oldest entry."""
    key = cache_key(query)
    tokens = cache_tokens(key, profile)
    stored = Stored(key, tier, answer.text, now_ms, fingerprint, tokens, covered, answer.sources, signals)
    if any(entry.key == key for entry in state.entries):
        return replace(state, entries=tuple(stored if entry.key == key else entry for entry in state.entries))
    kept = state.entries[-(profile.cache.capacity - 1) :] if profile.cache.capacity > 1 else ()
    return replace(state, entries=(*kept, stored))


def _problem(entry: Stored, fingerprint: str, now_ms: float, limits: CacheRules) -> str:
    age = (now_ms - entry.stored_ms) / 1000
    expired = age > limits.ttl_seconds if limits.ttl_inclusive else age >= limits.ttl_seconds
    if expired:
        return f"older than {limits.ttl_seconds:g} s"
    return "" if entry.fingerprint == fingerprint else "the tree has changed since"


def words_needed(words: int, minimum: int) -> str:
    """A remark that a query of ``words`` words has fewer than the ``minimum`` that a step needs."""
    return f"{counted(words, 'word', 'words')}, {minimum} needed"


def _fuzzy(best: float | None, too_few: bool, tokens: int, limits: CacheRules) -> tuple[State, str, Check | None]:
    if too_few:
        return State.SKIPPED, words_needed(tokens, limits.min_tokens), None
    if best is None:
        return State.MISSED, "no valid entry to compare with", None
    passed = best >= limits.min_similarity
    check = Check(
        "similarity", best, "≥", limits.min_similarity, passed, best - limits.min_similarity,
        "cache.min_similarity", _RULE,
    )  # fmt: skip
    return (State.HIT if passed else State.MISSED), f"best similarity {best:.2f}", check
