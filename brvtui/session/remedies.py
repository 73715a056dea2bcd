"""Finds changes that raise or lower a document in an answer, for every engine. Each change is tried, none is made."""

from __future__ import annotations

import math
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Levenshtein

from brvtui.engines import registry
from brvtui.engines.advice import title_wordings
from brvtui.engines.changes import (
    Change,
    Combined,
    ConstantSet,
    FilesSet,
    NoChange,
    Proposal,
    Reworded,
    SignalsSet,
    TimeSet,
    TitleSet,
    changed,
    higher_maturities,
    lower_importances,
    lower_maturities,
    signals_in_words,
    singles_and_starts,
    titles,
    updated,
)
from brvtui.engines.contract import Context, Engine, EngineError, Query, trial_limit
from brvtui.engines.profile_files import TreeProfile
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.evaluation.evaluate import ask, result_of
from brvtui.lab.evaluation.results import QueryResult
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import Judgment, JudgmentsError, is_id
from brvtui.lab.whatif.variant import constant_controls
from brvtui.loading.revised import content_on_disk
from brvtui.notes.operations import check_archivable
from brvtui.notes.plan import NoteError
from brvtui.ranking.decay import MS_PER_DAY, just_before_ms
from brvtui.session.edit_effect import asked_last
from brvtui.session.variants import with_constants
from brvtui.snapshot import Note
from brvtui.text.analysis import STOP_WORDS, typed_words, without_word
from brvtui.trace import Explanation, Hit, Remedy, RemedyKind, RemedySearch, SideEffect, Trace
from brvtui.tree.editing.archive import archived_as, stub_text
from brvtui.tree.editing.fields import FieldsError
from brvtui.tree.editing.new_notes import NewNote, Template, new_path, text_of
from brvtui.tree.editing.word_removal import note_without, topic_without, without_words, words_of
from brvtui.tree.reading.inside import PathError
from brvtui.tree.reading.signals import NoteSignals, Source
from brvtui.typed_tables import ProfileError
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session.session import Session

_SEARCH_S, _COMPARE_S = 8.0, 6.0
"""The time limits for finding remedies and their side effects, in seconds of computing."""
_SLOWEST = 4
"""The most time that may pass, as a multiple of these limits."""
_MOST_COMPARED = 60
"""The maximum number of other queries that run again to find side effects."""
_MOST_WORDS, _MOST_ADDED = 6, 3
_IMPORTANCE_STEP = 10
_PROBED_DAYS = (0, 1, 2, 4, 8, 16, 30)
"""The days from now for which to check that a document put first is still first."""
_DIRECT = 2
"""The highest tier of answers that need no model."""
_MOST_CHARS, _MOST_ASKED = 100_000, 40
"""The limits of the search for matching words: characters of a note, and words of a query."""
_ALIKE, _SHORT = 0.75, 3
"""The minimum similarity of a misspelt word, and the minimum length of a word that is part of another."""
_TOPIC_TITLE = re.compile(r"""(<bv-topic\b[^<>]*?\stitle=)("[^"]*"|'[^']*')""")


def _is_alike(asked: str, word: str) -> bool:
    """True if an engine may find ``word`` by the query word ``asked``: as a form of it, inside it, or misspelt."""
    short, long = sorted((asked, word), key=len)
    is_part = short in long and (len(short) >= _SHORT or short == long)
    return is_part or Levenshtein.normalized_similarity(asked, word) >= _ALIKE


@dataclass(frozen=True)
class ChangedAnswer:
    """The place of a document in an answer after a change."""

    context: Context[Any]
    trace: Trace
    rank: int | None
    hit: Hit | None

    @property
    def is_direct(self) -> bool:
        """True if an answer that needs no model uses the document."""
        tier, sources = self.trace.tier, self.trace.answer.sources
        return tier is not None and tier <= _DIRECT and self.hit is not None and self.hit.path in sources

    def is_lower_than(self, before: ChangedAnswer) -> bool:
        """True if the document left the answer, has a worse rank, or is no longer used in a direct answer."""
        if before.rank is None or self.rank is None:
            return before.rank is not None
        return self.rank > before.rank or (self.rank == before.rank and before.is_direct and not self.is_direct)

    def is_higher_than(self, before: ChangedAnswer) -> bool:
        """True if the document has a better rank, or is in the answer only now."""
        return self.rank is not None and (before.rank is None or self.rank < before.rank)


_Candidates = tuple[RemedyKind, Iterable[Proposal]]
FoundChange = tuple[RemedyKind, Proposal, ChangedAnswer]
TriedRemedy = tuple[Remedy, ChangedAnswer | None]


def _reworded(query: str, how: str) -> Proposal:
    return Proposal(Reworded(query), f"“{query}”: {how}", "use this wording")


def _smallest_first(found: Mapping[RemedyKind, Sequence[FoundChange]]) -> list[FoundChange]:
    return [one for kind in RemedyKind for one in found.get(kind, ())]


@dataclass(frozen=True)
class RemedyFinder:
    """Searches for changes that move the document at ``path`` in the answer to ``query``. Writes nothing to disk."""

    engine: Engine[Any]
    context: Context[Any]
    reading: TreeProfile
    """ByteRover's constants, for reading the tree."""
    query: Query
    path: str

    @cached_property
    def now(self) -> ChangedAnswer:
        """The document's place in the unchanged state."""
        return self.attempt(Reworded(self.query.text))

    def find(self, lower: bool, is_over: Callable[[], bool] = lambda: False) -> tuple[list[FoundChange], RemedySearch]:
        """The first change of each kind that lowers (or raises) the document, smallest kind first, and the best of the
        wordings that raise it; and the extent of the search, which ends early when ``is_over`` returns True.
        """
        works = ChangedAnswer.is_lower_than if lower else ChangedAnswer.is_higher_than
        found: dict[RemedyKind, list[FoundChange]] = {}
        tried: list[RemedyKind] = []
        for kind, proposals in self._lowering() if lower else self._raising():
            best = self.now
            for proposal in proposals:
                if is_over():
                    return _smallest_first(found), RemedySearch((), tuple(tried), False)
                with suppress(NoChange, ProfileError, EngineError):
                    trial = self.attempt(proposal.change)
                    # A setting that changes the rank is better than one that changes only the tier.
                    kept = found.setdefault(kind, [])
                    if not works(trial, best) or (kept and trial.rank == self.now.rank):
                        continue
                    kept[1 if kind is RemedyKind.WORDING else 0 :] = [(kind, proposal, trial)]
                    if kind is RemedyKind.WORDING:
                        best = trial
                    elif kind is not RemedyKind.SETTING or trial.rank != self.now.rank:
                        break
            tried.append(kind)
        return _smallest_first(found), RemedySearch((), tuple(tried))

    def attempt(self, change: Change) -> ChangedAnswer:
        """The document's place after ``change``. An archived note is represented by its stub.

        Raises :class:`brvtui.engines.changes.NoChange`, :class:`brvtui.typed_tables.ProfileError` and
        :class:`brvtui.engines.contract.EngineError`.
        """
        context, query, path = self.context, self.query, self.path
        if isinstance(change, ConstantSet):
            constants = with_constants(context.constants, ((change.name, change.value),), change.name)
            context = replace(context, constants=constants)
        elif isinstance(change, Reworded):
            query = replace(query, text=change.query, reworded=True)
        else:
            context = replace(context, snapshot=changed(replace(context, constants=self.reading), change))
            path = archived_as(path).stub if isinstance(change, FilesSet) and path in change.removed else path
        trace = self.engine.answer(context, query)
        return ChangedAnswer(context, trace, *trace.place_of(path))

    @cached_property
    def _note(self) -> Note | None:
        """The note, if its file can be changed."""
        snapshot = self.context.snapshot
        note = snapshot.notes[snapshot.by_path[self.path]] if self.path in snapshot.by_path else None
        return note if note is not None and note.is_local and snapshot.kind.has_files else None

    @cached_property
    def _text(self) -> str:
        return (content_on_disk(self.context.snapshot, self.path) or b"").decode("utf-8", "surrogateescape")

    def _lowering(self) -> Iterator[_Candidates]:
        """Yields the kinds of changes that may lower the document, quick ones first."""
        note, snapshot = self._note, self.context.snapshot
        if self.now.rank is None:
            return
        yield RemedyKind.SHORTER_QUERY, self._shorter_queries()
        if snapshot.kind.has_files and not snapshot.spaces:
            yield RemedyKind.NEW_NOTE, self._new_note()
            if note is not None:
                steps = [one for one in lower_importances(self._stored) if one.importance % _IMPORTANCE_STEP == 0]
                yield RemedyKind.ARCHIVE, self._archived(note)
                yield RemedyKind.LOWER_MATURITY, self._signals(lower_maturities(self._stored))
                yield RemedyKind.LOWER_IMPORTANCE, self._signals(steps)
                yield RemedyKind.OTHER_TITLE, self._shorter_titles(note)
        if note is not None:
            yield RemedyKind.WORDS_REMOVED, self._shorter_texts(note)
        yield RemedyKind.SETTING, self._settings()

    def _raising(self) -> Iterator[_Candidates]:
        """Yields the kinds of changes that may raise the document."""
        note, snapshot, asked = self._note, self.context.snapshot, self.query.text
        if self.now.rank == 1:
            return
        title = snapshot.notes[snapshot.by_path[self.path]].title if self.path in snapshot.by_path else ""
        wordings = [(f"add “{word}”", f"{asked} {word}") for word in self._missing(title, asked)]
        wordings += title_wordings(asked, title) if title else []
        yield RemedyKind.WORDING, [_reworded(one, how) for how, one in wordings]
        if note is not None and not snapshot.spaces:
            yield RemedyKind.EDIT, [self._edited(note)]
            yield RemedyKind.MATURITY, self._signals(higher_maturities(self._stored))
            yield RemedyKind.TITLE, self._longer_titles(note)

    @cached_property
    def _stored(self) -> NoteSignals:
        return self.context.snapshot.signals[self.context.snapshot.by_path[self.path]]

    def _signals(self, states: Sequence[NoteSignals]) -> Iterator[Proposal]:
        for one in states:
            yield Proposal(SignalsSet(self.path, one), signals_in_words(self._stored, one), "set it in brv-tui")

    def _edited(self, note: Note) -> Proposal:
        return Proposal(TimeSet(note.path, just_before_ms(self.context.now_ms)), "edited today", "change and save it")

    def _times(self, note: Note) -> tuple[tuple[int, str], ...]:
        """The new and the old modification time of an edited note, each with a remark."""
        return (just_before_ms(self.context.now_ms), ""), (int(note.mtime_ms), ", and its old time kept")

    def _missing(self, text: str, existing: str) -> list[str]:
        """The first words of ``text`` that a person would type and that are not in ``existing``; at most six."""
        skipped = {*words_of(existing), *self.reading.stop_words}
        return [word for word in typed_words(text) if word not in skipped][:_MOST_WORDS]

    def _matching(self, text: str) -> list[str]:
        """The words in ``text`` that may let an engine find it, words of the query first; at most six."""
        skipped = {*STOP_WORDS, *self.reading.stop_words}
        asked = [word for word in words_of(self.query.text) if word not in skipped][:_MOST_ASKED]
        words = [word for word in words_of(text[:_MOST_CHARS]) if word not in skipped]
        near = [word for word in words if any(_is_alike(one, word) for one in asked)]
        return sorted(near, key=lambda word: (word not in asked, -len(word)))[:_MOST_WORDS]

    def _longer_titles(self, note: Note) -> Iterator[Proposal]:
        for mtime_ms, saved in self._times(note):
            for added, change in titles(note, self._missing(self.query.text, note.title)[:_MOST_ADDED], mtime_ms):
                yield Proposal(change, f"“{added}” added to its title{saved}", "edit its # heading, or add one")

    def _shorter_titles(self, note: Note) -> Iterator[Proposal]:
        for words in singles_and_starts(self._matching(note.title)):
            kept = without_words(note.title, words).split()
            while kept and kept[-1].lower() in STOP_WORDS:  # such as “Roles and”
                kept.pop()
            title = " ".join(kept)
            for mtime_ms, saved in self._times(note) if title else ():
                text = f"“{title}” as its title{saved}"
                yield Proposal(TitleSet(note.path, title, mtime_ms), text, "edit its # heading")

    def _shorter_texts(self, note: Note) -> Iterator[Proposal]:
        is_topic = bool(self.context.snapshot.spaces)
        for words in singles_and_starts(self._matching(self._text)):
            try:
                text = topic_without(self._text, words) if is_topic else note_without(self._text, words)
            except FieldsError:
                continue
            named = ", ".join(f"“{word}”" for word in words)
            data = text.encode("utf-8", "surrogateescape")
            for mtime_ms, saved in self._times(note) if text != self._text else ():
                change = FilesSet(((note.file if is_topic else note.path, data),), mtime_ms)
                yield Proposal(change, f"without {named} in its text{saved}", "edit it, and use other words")

    def _shorter_queries(self) -> Iterator[Proposal]:
        words = self.query.text.split()
        for place, word in enumerate(words[: trial_limit(self.query.text)] if len(words) > 1 else ()):
            yield _reworded(" ".join(without_word(words, place)), f"leave out “{word}”")

    def _settings(self) -> Iterator[Proposal]:
        controls = {control.name: control for control in constant_controls(self.context.constants)}
        for name, step in self.engine.presentation.tried_constants.items():
            base = controls[name].base
            assert not isinstance(base, (bool, str))
            for number in (base - step, base + step):
                value = type(base)(round(max(number, controls[name].least), 10))
                if value != base:
                    text = f"{name} {value:g} instead of {base:g}"
                    yield Proposal(ConstantSet(name, value), text, "a profile constant, for every query")

    def _new_note(self) -> Iterator[Proposal]:
        title, folder = self.query.text.strip(), self.query.scope or self.path.rpartition("/")[0]
        try:
            path = new_path("" if folder.startswith(("[", "_")) else folder, title, self.context.snapshot.parsed)
        except PathError:
            return
        text = text_of(Template.BLANK, NewNote(title, self.context.now_ms)).encode("utf-8", "surrogateescape")
        change = FilesSet(((path, text),), just_before_ms(self.context.now_ms))
        what = f"a note titled “{shortened(title)}” at {path}"
        yield Proposal(change, what, "write the note that should answer this query")

    def _archived(self, note: Note) -> Iterator[Proposal]:
        snapshot, names = self.context.snapshot, archived_as(note.path)
        try:
            check_archivable(note.path)
        except NoteError:
            return
        if names.stub in snapshot.parsed or names.full in snapshot.parsed:
            return
        own = self._stored.source is Source.SIDECAR
        importance = self._stored.importance if own else self.reading.signals.importance
        stub = stub_text(note.path, self._text, importance, self.context.now_ms, self.reading.archive)
        files = {names.full: self._text, names.stub: stub}
        contents = tuple((path, text.encode("utf-8", "surrogateescape")) for path, text in files.items())
        change = FilesSet(contents, just_before_ms(self.context.now_ms), frozenset([note.path]))
        yield Proposal(change, "archive it: searches then find only its stub")

    def as_remedy(self, found: FoundChange) -> Remedy:
        """The remedy for a change that was ``found``, without side effects."""
        kind, proposal, trial = found
        change, hits, gain = proposal.change, trial.trace.hits, ""
        score = trial.hit.score if trial.hit is not None else None
        if isinstance(change, FilesSet) and change.removed and trial.rank is not None:
            gain = f"its stub is then number {trial.rank}"
        elif self.now.rank == 1 and trial.rank != 1:
            gain = f"“{hits[0].title}” is then first" if hits else "then there is no answer"
        elif self.now.rank == trial.rank:
            gain = "then no longer used in a direct answer"
        return replace(proposal.remedy(kind, trial.rank, score, trial.trace.tier), gain=gain)

    def combined(self, remedies: Iterable[Remedy], is_over: Callable[[], bool] = lambda: False) -> FoundChange | None:
        """The smallest combination of a higher maturity and an edit or a new title that puts the document first, or
        else the best one; None if it is not better than each of ``remedies`` that changes the document.
        """
        ranks = [self.now.rank, *(one.rank for one in remedies if not one.query)]
        best, found, note = min((rank for rank in ranks if rank is not None), default=math.inf), None, self._note
        if best == 1 or note is None or self.context.snapshot.spaces:
            return None
        others = [self._edited(note), *self._longer_titles(note)]
        for other, one in product(others, list(self._signals(higher_maturities(self._stored)))):
            if best == 1 or is_over():
                break
            assert isinstance(one.change, SignalsSet)
            with suppress(NoChange, EngineError):
                change = Combined(one.change, other.change)
                trial = self.attempt(change)
                if trial.rank is not None and trial.rank < best:
                    text, how = f"{one.text}, and {other.text}", f"{one.how}, then {other.how}"
                    best, found = trial.rank, (RemedyKind.COMBINATION, Proposal(change, text, how), trial)
        return found

    def trial_of(self, remedy: Remedy) -> ChangedAnswer | None:
        """The trial of a change of the document that the engine itself proposes; None if it cannot be repeated."""
        note, changes = self._note, list[Change]()
        if note is None or remedy.query:
            return None
        saved = TimeSet(self.path, just_before_ms(self.context.now_ms))
        if remedy.kind is RemedyKind.EDIT:
            changes = [saved]
        elif remedy.kind is RemedyKind.UPDATE:
            changes = [Combined(SignalsSet(self.path, updated(self._stored, self.reading.signals)), saved)]
        elif remedy.maturity:
            changes = [SignalsSet(self.path, replace(self._stored, maturity=remedy.maturity))]
        elif remedy.title and self.context.snapshot.spaces:
            html = _TOPIC_TITLE.sub(lambda match: f'{match[1]}"{escape(remedy.title)}"', self._text, count=1)
            changes = [FilesSet(((note.file, html.encode("utf-8", "surrogateescape")),), saved.mtime_ms)]
        elif remedy.title:
            changes = [TitleSet(self.path, remedy.title, mtime_ms) for mtime_ms, _ in self._times(note)]
        for change in changes:
            with suppress(NoChange, EngineError):
                trial = self.attempt(change)
                if (trial.rank, trial.trace.tier) == (remedy.rank, remedy.tier):
                    return trial
        return None

    def _expiry(self, trial: ChangedAnswer, is_over: Callable[[], bool]) -> str:
        """The day on which ageing displaces the document that ``trial`` put first; empty if it is first for 30 days, if
        it was first before, or if ``is_over`` returns True.
        """

        def is_lost(day: int) -> bool:
            context = replace(trial.context, now_ms=trial.context.now_ms + day * MS_PER_DAY)
            return self.engine.answer(context, self.query).place_of(self.path)[0] != 1

        for low, high in pairwise(_PROBED_DAYS) if trial.rank == 1 != self.now.rank else ():
            if is_over():
                return ""
            if is_lost(high):
                days = range(low + 1, high + 1)
                return f"no longer first on day {days[bisect_left(days, True, key=is_lost)]}"
        return ""

    def with_side_effects(
        self, tried: Sequence[TriedRemedy], others: Sequence[Judgment], is_over: Callable[[], bool] = lambda: False
    ) -> tuple[Remedy, ...]:
        """The remedies in ``tried``, each with its side effects on the queries of ``others``, and the day when it ends.

        When ``is_over`` returns True, no more queries run. :attr:`brvtui.trace.Remedy.compared` says how many did.
        """
        finder, like = DocumentFinder(self.context.snapshot), replace(self.query, text="")
        followed = [finder.followed(judgment)[0] for judgment in others]
        before, remedies = results_in(self.engine, self.context, followed, like, is_over), []
        for remedy, trial in tried:
            if trial is not None and not remedy.query:  # another wording of this query changes no other query
                after = results_in(self.engine, trial.context, followed, like, is_over)
                changes = [QueryChange(*pair) for pair in zip(after, before, strict=False)]
                effects = (
                    SideEffect(judgment.text, judgment.scope, is_id(judgment.id), change.summary, change.is_loss)
                    for judgment, change in zip(others, changes, strict=False)
                    if change.is_otherwise
                )
                gain = "; ".join(filter(None, (remedy.gain, self._expiry(trial, is_over))))
                count = min(len(before), len(after))
                remedy = replace(remedy, gain=gain, compared=count, side_effects=tuple(effects))
            remedies.append(remedy)
        return tuple(remedies)


def results_in(
    engine: Engine[Any], context: Context[Any], judgments: Sequence[Judgment], like: Query, is_over: Callable[[], bool]
) -> list[QueryResult]:
    """The results for ``judgments`` in ``context``, until ``is_over`` returns True. Raises EngineError."""
    return [result_of(one, ask(engine, context, one, like)) for one in judgments if not is_over()]


def find_remedies(
    session: Session,
    explanation: Explanation,
    lower: bool,
    cancelled: Callable[[], bool] = lambda: False,
    limits: tuple[float, float] = (_SEARCH_S, _COMPARE_S),
) -> RemedySearch:
    """The changes that raise or, with ``lower``, lower the document of ``explanation``.

    Raising changes are the engine's own, if it proposes any, and a combination of two changes if no single one puts the
    document first. All have their side effects on judged and logged queries; changes that make none of these worse come
    first. Of these, changes of notes come before signals and constants, which the real engine may store elsewhere, and
    before other wordings of the query, which help only the person who uses them. ``limits`` are the time limits in
    seconds, for the changes and for the side effects. Raises KeyError if the answer's snapshot was dropped, and
    :class:`brvtui.engines.contract.EngineError`.
    """
    trace = explanation.trace
    engine = registry.without_state(session.engines.named(trace.engine))
    query = replace(Query.repeating(trace), services=False)
    finder = RemedyFinder(engine, session.explainer.context_of(trace), session.profile, query, explanation.path)
    rank, notice = finder.now.rank, ""
    if rank != explanation.rank:
        place = f"number {rank}" if rank is not None else "not a result"
        notice = f"changes are tried without a cache and without services; under these conditions, it is {place}"
    own = None if lower else session.explainer.remedies(explanation, cancelled)
    is_over = time_limit(limits[0], cancelled)
    search, tried = RemedySearch((), ()), [(one, finder.trial_of(one)) for one in own or ()]
    if own is None:
        found, search = finder.find(lower, is_over)
        tried = [(finder.as_remedy(one), one[2]) for one in found]
    both = None if lower else finder.combined([one for one, _ in tried], is_over)
    tried += [(finder.as_remedy(both), both[2])] if both is not None else []
    others = other_queries(session, query) if tried else []
    remedies = finder.with_side_effects(tried, others, time_limit(limits[1], cancelled))
    compared = max((one.compared or 0 for one in remedies), default=0)

    def order(one: Remedy) -> tuple[bool, bool, bool]:
        is_worse = any(effect.is_worse for effect in one.side_effects)
        may_harm = is_worse or (one.compared is not None and one.compared < compared)
        return may_harm, bool(one.query), bool(one.maturity or one.setting)

    return replace(search, remedies=tuple(sorted(remedies, key=order)), notice=notice)


def time_limit(seconds: float, cancelled: Callable[[], bool] = lambda: False) -> Callable[[], bool]:
    """A function that returns True after ``seconds`` of computing in this thread, or if ``cancelled`` does."""
    computed, end = time.thread_time() + seconds, time.monotonic() + seconds * _SLOWEST
    return lambda: cancelled() or time.thread_time() > computed or time.monotonic() > end


def other_queries(session: Session, query: Query, limit: int = _MOST_COMPARED) -> list[Judgment]:
    """The judged queries, followed by the newest logged ones, without ``query``; at most ``limit``, by default 60."""
    try:
        judgments = JudgmentsFile.of(session.project).read()
    except JudgmentsError:
        judgments = ()
    others: dict[tuple[str, str], Judgment] = {}
    for one in (*judgments, *asked_last(session)):
        others.setdefault((one.text.strip(), one.scope or query.scope), one)
    others.pop((query.text.strip(), query.scope), None)
    return list(others.values())[:limit]
