"""Runs queries of an open project in other states: another engine, constants, time or notes."""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import Any, Protocol, TypeVar

from brvtui.config import Settings
from brvtui.config.profile_choice import with_overrides
from brvtui.engines import registry
from brvtui.engines.contract import AnswersBriefly, Context, Engine, EngineError, Query
from brvtui.engines.profile_files import tree_profile
from brvtui.lab.evaluation.causes import Reverting
from brvtui.lab.evaluation.evaluate import EngineRequest as QueryWords
from brvtui.lab.evaluation.evaluate import ask, asked_words, brief_result, judged_as, result_of
from brvtui.lab.evaluation.keeping import KeepingEvaluator
from brvtui.lab.evaluation.results import QueryResult, RankedDocument
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import (
    Control,
    SignalChange,
    Value,
    Variant,
    VariantError,
    clock_control,
    constant_controls,
    note_controls,
)
from brvtui.loading import load, update
from brvtui.loading.revised import UNCHANGED, UNPUBLISHED, edit_after_save, edited, revised, revision_of, with_signals
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.engines import Engines, OpenProject
from brvtui.session.held_notes import at_revision
from brvtui.snapshot import Snapshot
from brvtui.store.edit_record import record_time
from brvtui.trace import Trace
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.signals import Source, defaults
from brvtui.typed_tables import ProfileError, overlay
from brvtui.wording import shortened

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OF_PROFILE = ("name", "summary", "engine")


def profile_file(name: str, extends: str, base: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The text of a profile ``name`` that extends ``extends``. It contains the ``values`` that differ from ``base``."""
    lines = [f"extends = {json.dumps(extends)}", f"name = {json.dumps(name, ensure_ascii=False)}"]
    lines.append(f"summary = {json.dumps(f'{extends} with constants changed in the Lab')}")
    top = {key: value for key, value in values.items() if key not in _OF_PROFILE}
    return "\n".join([*lines, *_tables("", base, top), ""])


def _tables(where: str, base: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    plain = [
        f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in values.items()
        if not isinstance(value, dict) and base.get(key) != value
    ]
    lines = ([f"\n[{where}]"] if where else []) + plain if plain else []
    for key, value in values.items():
        if isinstance(value, dict):
            inner = f"{where}.{_key(key)}" if where else _key(key)
            lines += _tables(inner, base.get(key, {}), value)
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


# Snapshots and constants with the replacements of a variant. Writes nothing.

Constants = TypeVar("Constants")


def later(now_ms: float, variant: Variant) -> float:
    """The time of ``variant``, in milliseconds since 1970."""
    return now_ms + variant.days * MS_PER_DAY if variant.days else now_ms


def with_constants(constants: Constants, changes: tuple[tuple[str, Value], ...], origin: str) -> Constants:
    """``constants``, a dataclass, with ``changes`` given by dotted names.

    Raises :class:`brvtui.typed_tables.ProfileError` for an invalid name or value.
    """
    if not changes:
        return constants
    tables: dict[str, Any] = {}
    for name, value in changes:
        *above, last = name.split(".")
        table = tables
        for part in above:
            table = table.setdefault(part, {})
        table[last] = value
    changed: Constants = overlay(constants, tables, origin) if is_dataclass(constants) else constants
    return changed


def replaced(
    snapshot: Snapshot, read_with: TreeConstants, constants: TreeConstants, now_ms: float, variant: Variant
) -> Snapshot:
    """``snapshot`` at ``now_ms``, the time of ``variant``, with the notes and signals that ``variant`` replaces.

    ``read_with`` are the constants with which the tree was read, and ``constants`` the variant's. If the variant has
    earlier notes, these are used unchanged, and its other replacements are ignored. Returns ``snapshot`` itself if the
    variant changes nothing that a snapshot contains. Raises :class:`VariantError` for a missing note, and
    :class:`brvtui.tree.history.git.RevisionError`.
    """
    if variant.earlier is not None:
        if variant.earlier.difference is None:
            return variant.earlier.snapshot or snapshot
        return revised(snapshot, constants, now_ms, variant.earlier.difference)
    result = snapshot
    is_read_alike = (constants.limits, constants.signals) == (read_with.limits, read_with.signals)
    if variant.days or not is_read_alike:
        result = _read_again(snapshot, constants, now_ms, is_read_alike)
    if variant.signals:
        result = _with_signals(result, constants, now_ms, variant.signals)
    if variant.revision or variant.without:
        result = _with_notes(result, constants, now_ms, variant)
    elif variant.edit is not None:
        edit = variant.edit
        saved = edit_after_save(result, now_ms, edit.path, edit.data, edit.keep_mtime)
        result = edited(result, constants, now_ms, saved)
    return result


def _read_again(snapshot: Snapshot, constants: TreeConstants, now_ms: float, is_read_alike: bool) -> Snapshot:
    before = replace(snapshot, postings=snapshot.postings.detached())
    updated = update(before, (), constants, now_ms, snapshot.stored) if is_read_alike else None
    if updated is None:
        updated = load(snapshot.project, constants, now_ms, snapshot.stored, before)
    return replace(updated, generation=UNPUBLISHED)


def _with_signals(
    snapshot: Snapshot, constants: TreeConstants, now_ms: float, changes: tuple[SignalChange, ...]
) -> Snapshot:
    by_note: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for change in changes:
        by_note[_known(snapshot, change.path)][change.name] = change.value
    stored = {
        path: replace(snapshot.signals[snapshot.by_path[path]], source=Source.OVERLAY, **values)
        for path, values in by_note.items()
    }
    return with_signals(snapshot, constants, now_ms, stored)


def _with_notes(snapshot: Snapshot, constants: TreeConstants, now_ms: float, variant: Variant) -> Snapshot:
    difference = UNCHANGED
    if variant.revision:
        _, difference = at_revision(snapshot, variant.revision, defaults(constants.signals))
    edits = dict(difference.edits)
    if variant.edit is not None:
        edit = variant.edit
        edits[edit.path] = edit_after_save(snapshot, now_ms, edit.path, edit.data, edit.keep_mtime)
    left_out = frozenset(_known(snapshot, path) for path in variant.without)
    return revised(snapshot, constants, now_ms, replace(difference, edits=edits, removed=difference.removed | left_out))


def _known(snapshot: Snapshot, path: str) -> str:
    if path not in snapshot.by_path:
        raise VariantError(f"{shortened(path, 80)}: no such note; use its path in the tree")
    return path


_StateKey = tuple[object, ...]
_NO_OPTIONS: Mapping[str, Any] = {}
_MOST_STATES = 12
_MOST_RESULTS = 50_000
_ROUND_MS = 60_000
"""Times within a minute are treated as equal. Otherwise, no result could be reused while the clock runs."""
_NAME = "the variant"


class AskedProject(OpenProject, Protocol):
    """The part of the session that this module uses."""

    engine: str
    """The name of the default engine."""
    frozen: bool
    engines: Engines

    @property
    def evaluator(self) -> KeepingEvaluator:
        """The evaluator, which stores answers."""

    @property
    def settings(self) -> Settings:
        """The merged settings."""


@dataclass(frozen=True)
class VariantState:
    """Everything that affects answers in a variant: an engine with its context."""

    variant: Variant
    engine: Engine[Any]
    context: Context[Any]
    finder: DocumentFinder
    like: Query
    """The query from which all queries get their options."""
    key: _StateKey
    known: Mapping[QueryWords, QueryResult] = field(default_factory=dict)
    """The stored answers for this state, keyed by query words and scope."""
    is_kept: bool = False
    """True if answers are stored for later. Answers with trial constants or an unsaved text are not stored."""

    def trace(self, judgment: Judgment) -> Trace:
        """The trace of the query of ``judgment``, as a preview. Raises :class:`EngineError`."""
        return ask(self.engine, self.context, judgment, self.like)

    def ask(self, judgment: Judgment) -> QueryResult:
        """A preview of the answer to the query of ``judgment``. Raises :class:`EngineError`."""
        followed, _ = self.finder.followed(judgment)
        found = self.known.get(asked_words(followed, self.like))
        if found is not None:
            return judged_as(found, followed)
        return result_of(followed, ask(self.engine, self.context, followed, self.like))


class VariantRunner:
    """Answers judged queries in variants of ``session``. Each query runs only once in each state.

    The runner has its own engines, so that it shares neither caches nor prepared state with the user's queries. Methods
    block and are thread-safe.
    """

    def __init__(self, session: AskedProject) -> None:
        """A runner for ``session``. Engines are loaded and queries run only when a method needs them."""
        self._session = session
        self.kind = session.kind
        self._lock = threading.Lock()
        self._keeping = threading.Lock()
        self._engines: dict[str, Engine[Any]] = {}
        self._states: OrderedDict[tuple[object, ...], VariantState] = OrderedDict()
        self._snapshots: OrderedDict[tuple[object, ...], Snapshot] = OrderedDict()
        self._results: OrderedDict[tuple[_StateKey, Judgment], QueryResult] = OrderedDict()
        self._fresh: dict[_StateKey, dict[QueryWords, QueryResult]] = {}
        """Answers that have not been stored, with the parts of their scores."""
        self._generation = 0
        """The generation of the newest snapshot used."""

    @property
    def profiles(self) -> dict[str, tuple[str, ...]]:
        """The profile names of each engine that can rank the open project."""
        declared = {name: registry.declaration(name) for name in self._session.engines.names}
        return {name: engine.profiles for name, engine in declared.items() if engine is not None}

    @property
    def has_modes(self) -> bool:
        """True if an engine that can rank the open project has modes."""
        return any(self._session.engines.named(name).modes for name in self.profiles)

    def state(
        self, variant: Variant, engine: str = "", mode: str = "", options: Mapping[str, Any] = _NO_OPTIONS
    ) -> VariantState:
        """The state of ``variant``.

        ``engine`` and ``mode`` apply if the variant names none; ``options`` are the engine's other options. Raises
        :class:`EngineError`, :class:`brvtui.lab.whatif.variant.VariantError` and
        :class:`brvtui.tree.history.git.RevisionError`.
        """
        session = self._session
        name = variant.engine or engine or session.engine
        asked_mode = variant.mode or (mode if not variant.engine or variant.engine == engine else "")
        all_options = {**options, "mode": asked_mode} if asked_mode else dict(options)
        base, now_ms = session.snapshot, session.clock()
        minute = now_ms if session.frozen else now_ms // _ROUND_MS
        key = (
            base.generation,
            name,
            session.engines.profile(name),
            str(all_options),
            minute,
            _past(base, variant),
            variant,
        )
        with self._lock:
            self._forget_before(base.generation)
            found = self._states.get(key)
        if found is None:  # made without the lock: reading the notes of a revision takes long, and others must not wait
            found = self._made(variant, name, all_options, base, later(now_ms, variant), key)
        with self._lock:
            found = self._states.setdefault(key, found)
            self._states.move_to_end(key)
            _shorten(self._states, _MOST_STATES)
        return found

    def _forget_before(self, generation: int) -> None:
        """Drops everything from snapshots before ``generation``, because it is not used again."""
        if generation > self._generation:
            self._generation = generation
            for cache in (self._states, self._snapshots, self._results, self._fresh):
                cache.clear()

    def check(self, variant: Variant, engine: str) -> None:
        """Raises :class:`VariantError` if the variant has constants that its engine (default: ``engine``) lacks."""
        if not variant.constants:
            return
        chosen = self._engine(variant.engine or engine)
        try:
            self._constants(chosen, variant)
        except ProfileError as error:
            raise VariantError(f"{chosen.title}: {str(error).removeprefix(f'{_NAME}: ')}") from error

    def controls(self, engine: str) -> tuple[Control, ...]:
        """The controls of ``engine``: the clock and its constants. Raises :class:`EngineError`."""
        clock = (clock_control(),) if self.kind.has_maturity else ()
        return (*clock, *constant_controls(self._session.engines.context(engine).constants))

    def note_controls(self, path: str) -> tuple[Control, ...]:
        """The controls of the note at ``path``; empty if it is not a note of a context tree."""
        snapshot = self._session.snapshot
        if path not in snapshot.by_path or not self.kind.can_vary:
            return ()
        return tuple(note_controls(path, snapshot.signals[snapshot.by_path[path]]))

    def profile_text(self, variant: Variant, engine: str, name: str) -> str:
        """A profile file with the constants of ``variant`` for ``engine``. It extends a built-in profile."""
        chosen = self._session.engines.named(variant.engine or engine)
        first = chosen.profiles[0]
        constants, base = asdict(self._constants(chosen, variant)), asdict(chosen.constants(first))
        return profile_file(name, first, base, constants)

    def result(self, state: VariantState, judgment: Judgment) -> QueryResult:
        """The answer to the query of ``judgment`` in ``state``. Raises :class:`EngineError`."""
        key = (state.key, judgment)
        found = self._results.get(key)
        if found is None:
            whole = state.ask(judgment)
            found = _without_parts(whole)
            with self._lock:
                self._results[key] = found
                _shorten(self._results, _MOST_RESULTS)
                words = asked_words(judgment, state.like)
                if state.is_kept and words not in state.known:
                    self._fresh.setdefault(state.key, {})[words] = whole
        return found

    def brief(self, state: VariantState, judgment: Judgment) -> QueryResult:
        """The same answer as :meth:`result`, but without explanations if the engine can omit them."""
        if not isinstance(state.engine, AnswersBriefly):
            return self.result(state, judgment)
        return brief_result(state.engine, state.context, state.finder.followed(judgment)[0], state.like)

    def keep(self, state: VariantState) -> None:
        """Stores the new answers of ``state``, so that neither the Lab nor ``eval`` runs these queries again."""
        with self._lock:
            fresh = self._fresh.pop(state.key, {})
        if fresh:
            with self._keeping:
                later_ms = state.variant.days * MS_PER_DAY
                self._session.evaluator.keep(state.engine, state.context, state.like, fresh, later_ms)

    def _made(
        self, variant: Variant, name: str, options: Mapping[str, Any], base: Snapshot, now_ms: float, key: _StateKey
    ) -> VariantState:
        session, engine = self._session, self._engine(name)
        try:
            constants = self._constants(engine, variant)
        except ProfileError as error:
            raise EngineError(str(error)) from error
        read_with = constants if registry.reads_trees(name) else session.profile
        is_of_notes = variant.revision or variant.signals or variant.without or variant.edit
        if not self.kind.can_vary and (is_of_notes or (variant.days and not self.kind.has_maturity)):
            raise VariantError(self.kind.not_varied)
        if variant.earlier is not None:
            return self._before(variant, name, options, base, key)
        # Symbols and topics are not ordered by age, so they are the same at another time.
        snapshot = self._snapshot(base, read_with, now_ms, variant) if self.kind.can_vary else base
        live = session.engines.context(name, snapshot)
        context = replace(live, constants=constants, now_ms=now_ms)
        like = Query("", options=options)
        if variant.constants or variant.edit is not None:
            return VariantState(variant, engine, context, DocumentFinder(snapshot), like, key)
        with self._keeping:
            moment, read = session.evaluator.recent(engine, context, like, variant.days * MS_PER_DAY)
        known = {asked: _without_parts(result) for asked, result in read.items()}
        context = replace(context, now_ms=moment)
        return VariantState(variant, engine, context, DocumentFinder(snapshot), like, key, known, True)

    def _engine(self, name: str) -> Engine[Any]:
        with self._lock:
            if name not in self._engines:
                self._engines[name] = registry.load(name)
            return self._engines[name]

    def _before(
        self, variant: Variant, name: str, options: Mapping[str, Any], base: Snapshot, key: _StateKey
    ) -> VariantState:
        """The earlier notes at exactly the time of the current state, so that only the edits differ."""
        present = self.state(replace(variant, earlier=None), name, options=options)
        with self._lock:
            for cache in (self._states, self._snapshots):  # states of earlier edits: a tree each
                for old in [old for old in cache if getattr(old[-1], "earlier", None) not in (None, variant.earlier)]:
                    del cache[old]
            for state_key, judgment in list(self._results):  # each key contains the texts of those edits
                if getattr(state_key[-1], "earlier", None) not in (None, variant.earlier):
                    del self._results[state_key, judgment]
        snapshot = self._snapshot(base, self._session.profile, present.context.now_ms, variant)
        context = replace(present.context, snapshot=snapshot)
        return replace(
            present, variant=variant, context=context, finder=DocumentFinder(snapshot), key=key, known={}, is_kept=False
        )

    def reverting(self, state: VariantState) -> Reverting | None:
        """The change from the present notes back to the notes of ``state``; None if no file differs.

        Raises :class:`brvtui.tree.history.git.RevisionError`.
        """
        session, variant = self._session, state.variant
        if variant.revision:
            base, name = defaults(session.profile.signals), variant.revision
            _, difference = at_revision(session.snapshot, name, base)
        elif variant.earlier is not None and variant.earlier.difference is not None:
            difference, name = variant.earlier.difference, "before"
        else:
            return None
        return Reverting(name, difference, session.snapshot, state.context.now_ms, session.profile)

    def _constants(self, engine: Engine[Any], variant: Variant) -> Any:
        session = self._session
        if registry.reads_trees(engine.name):
            base: Any = session.profile
            if variant.profile:
                base = with_overrides(tree_profile(variant.profile), session.settings)
        else:
            base = engine.constants(variant.profile or session.engines.profile(engine.name))
        return with_constants(base, variant.constants, _NAME)

    def _snapshot(self, base: Snapshot, constants: Any, now_ms: float, variant: Variant) -> Snapshot:
        """The notes of ``variant``. Variants with the same notes share one object."""
        read_with = self._session.profile
        of_notes = replace(variant, engine="", profile="", mode="", constants=())
        at_ms = now_ms if variant.days else 0.0
        key = (base.generation, constants.limits, constants.signals, at_ms, _past(base, variant), of_notes)
        with self._lock:
            found = self._snapshots.get(key)
        if found is None:
            found = replaced(base, read_with, constants, now_ms, variant)
        with self._lock:
            found = self._snapshots.setdefault(key, found)
            self._snapshots.move_to_end(key)
            _shorten(self._snapshots, _MOST_STATES)
        return found


def _past(snapshot: Snapshot, variant: Variant) -> tuple[str, int]:
    """The commit of a revision, and the time of the record of edits in ns, which may change while the notes do not."""
    if not variant.revision:
        return "", 0
    return revision_of(snapshot, variant.revision).commit, record_time(snapshot.project.tree)


def _without_parts(result: QueryResult) -> QueryResult:
    """``result`` without the parts of scores.

    With the parts, a table of a thousand queries would contain a hundred thousand objects for the garbage collector to
    visit, which would block the event loop.
    """
    return replace(result, results=tuple(RankedDocument(each.path, each.score) for each in result.results))


def _shorten(kept: OrderedDict[Any, Any], limit: int) -> None:
    while len(kept) > limit:
        kept.popitem(last=False)
