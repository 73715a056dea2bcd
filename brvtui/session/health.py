"""The health of an open project's memory: its findings, and those that the user ignores."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from brvtui import __version__
from brvtui.disk.walking import walk
from brvtui.engines.ageing.events import ARCHIVE
from brvtui.engines.contract import Ages, QuotesNotes
from brvtui.garbage import garbage_collector_paused
from brvtui.lab.backlinks import names_of
from brvtui.lab.health.features import Features, features_of, resolved, signatures_of
from brvtui.lab.health.finding import Confidence, Finding, FindingKind, HealthReport
from brvtui.lab.health.likeness import body, near_pairs
from brvtui.lab.health.overlap import WordOverlap, is_in
from brvtui.lab.health.pairs import ComparedNote, PairResult, compare, serials_in
from brvtui.lab.health.recall import QueryRecall
from brvtui.lab.health.statements import Disagreement, stems
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.asking import CheckedProject, KeptResults, QueryMemo, stamps_of
from brvtui.snapshot import Snapshot
from brvtui.store.ignored_findings import FindingKey, IgnoredFindings
from brvtui.store.kept_answers import KeptAnswers
from brvtui.text.visible import visible
from brvtui.tree.reading.files import DUPLICATE, HIDDEN_FOLDER, SUMMARY_FILE, Role, unread_name
from brvtui.wording import counted, shortened


class HealthCheckCancelled(Exception):
    """Raised by :meth:`ProjectHealth.report` after its ``cancelled`` returned True."""


class ProjectHealth:
    """Checks the memory of an open project. Methods are thread-safe and change no note."""

    def __init__(self, session: CheckedProject) -> None:
        """Checks nothing until :meth:`report` is called."""
        self._session = session
        self._ignored = IgnoredFindings(session.project.tree)
        self._lock = threading.Lock()
        self._kept: KeptResults | None = None

    def report(self, days: int = 90, cancelled: Callable[[], bool] = lambda: False) -> HealthReport:
        """The findings about the newest snapshot, with their costs to the judged and logged queries.

        ``days`` is the span of the log, and of the forecasts. Reads every note on the first call, so call it in a
        worker. Raises :class:`HealthCheckCancelled`,
        and :class:`brvtui.engines.contract.EngineError` for an engine that cannot be used.
        """
        with self._lock, garbage_collector_paused(freezes=self._kept is None):
            if not self._session.kind.has_files:
                return HealthReport((), (), 0, 0, days)
            check = _Check(self._session, days, cancelled, self._kept)
            findings, self._kept = check.findings(), check.kept
        ignored = self._ignored.read()
        hidden = [finding for finding in findings if _key(finding) in ignored]
        shown = [finding for finding in findings if _key(finding) not in ignored]
        numbers = len(check.paths), len(check.recall.queries), days, check.uncompared
        return HealthReport(tuple(shown), tuple(hidden), *numbers, frozenset(check.unsearched))

    def of_edit(self, snapshot: Snapshot, path: str) -> tuple[Finding, ...]:
        """The near-duplicates of the note at ``path`` in ``snapshot``, which need not be published, and the notes that
        disagree with it. The first call checks the memory. Raises :class:`brvtui.engines.contract.EngineError`.
        """
        if self._kept is None:
            self.report()
        with self._lock:
            return tuple(_Check(self._session, 1, lambda: False, self._kept, snapshot, path).of_pairs())

    def ignore(self, finding: Finding) -> None:
        """From the next report on, ``finding`` is listed with the ignored ones. Raises OSError."""
        self._ignored.put(_key(finding), True)

    def restore(self, finding: Finding) -> None:
        """Undoes :meth:`ignore`. Raises OSError."""
        self._ignored.put(_key(finding), False)


def _key(finding: Finding) -> FindingKey:
    return (finding.kind, *(sorted(finding.notes) or finding.queries[:1]))


_FORMAT = 5
_MOST_QUERIES, _MOST_LOGGED, _LONGEST_QUERY = 200, 2_000, 1_000
_MOST_SEARCHES, _MOST_READ, _MOST_RIVALS, _MOST_PAIRS = 250, 1_000_000, 100, 2_500
_MOST_SEARCHED, _MOST_HIDDEN = 50_000, 100
_LEAST_WORDS, _LEAST_TITLE, _NEAR = 0.35, 0.6, 0.4
"""Two notes are compared if they share this much of their rare words, titles or (by MinHash) word triples."""
_TITLE_RARE = 3
"""A note is found by its title if a word of the title is in at most this many notes."""
_CONTAINED = 0.85
_LINKED = 0.5
"""Orphans are reported only if at least this share of the notes have links."""
_UNDECODABLE = ("not UTF-8", "a NUL", "a U+FFFD", "over ", "byte ")
_CUT = "cuts a character"
_TOOL_FOLDERS = {".git", ".github", ".obsidian", ".trash", ".vscode", ".idea", ".venv", ".cache"}
_WEIGHTS = {kind: 100.0 - 4 * place for place, kind in enumerate(FindingKind)}
_FACTORS = {Confidence.HIGH: 1.0, Confidence.MEDIUM: 0.7, Confidence.LOW: 0.4}
_RIVALRY = {FindingKind.NEAR_DUPLICATE, FindingKind.SUPERSEDED}
_EXPLAINED = {
    FindingKind.SHADOWED: _RIVALRY,
    FindingKind.NOT_FOUND_BY_TITLE: _RIVALRY | {FindingKind.SHADOWED},
    FindingKind.ORPHAN: {FindingKind.BROKEN_LINK},
    FindingKind.NEVER_FOUND: set(FindingKind) - {FindingKind.NEVER_FOUND},
}
"""The kinds that explain a finding about the same note, which is then left out."""


_Try = TypeVar("_Try")


class _Check:
    """One check of a snapshot. Results of earlier checks are reused for files that have not changed."""

    def __init__(
        self,
        session: CheckedProject,
        days: int,
        cancelled: Callable[[], bool],
        kept: KeptResults | None = None,
        snapshot: Snapshot | None = None,
        path: str = "",
    ) -> None:
        """Checks ``snapshot`` (default: the newest one). With a ``path``, only pairs with this note are compared."""
        self.session, self.days, self._cancelled, self._path = session, days, cancelled, path
        self.snapshot: Snapshot = snapshot or session.snapshot
        self._engine = session.engines.named(session.engine)
        constants = session.engines.context(session.engine).constants
        self.quoted = self._engine.quoted_units(constants) if isinstance(self._engine, QuotesNotes) else 0
        state = (_FORMAT, __version__, session.engine, constants, self.snapshot.limits, self.snapshot.reads_frontmatter)
        name = f"health{hashlib.sha256(repr(state).encode()).hexdigest()[:26]}"
        self.kept = kept if kept and kept.name == name else KeptResults(KeptAnswers(session.project.tree), name)
        self.notes = [note for note in self.snapshot.notes if note.role is Role.NOTE]
        self.paths = [note.path for note in self.notes]
        self._stamps = stamps_of(self.snapshot)
        self.memo = QueryMemo(session, self.kept)
        self.overlap = WordOverlap(self.snapshot.postings)
        self.features: dict[str, Features] = {}
        self.uncompared, self.unsearched = 0, set[FindingKind]()

    def findings(self) -> list[Finding]:
        """The findings with their costs and weights, worst first."""
        found = [*self._single(), *self._unread()]
        if self.paths:
            for step in (self._links, self._pairwise, self._past, self._titles, self._shadowed, self._archivable):
                self._continue()
                found += step()
        kinds: dict[str, set[FindingKind]] = defaultdict(set)
        for one in found:
            for path in one.notes:
                kinds[path].add(one.kind)
        main = (one for one in found if not (one.notes and kinds[one.notes[0]] & _EXPLAINED.get(one.kind, set())))
        self.kept.write()
        return sorted(map(self._weighed, main), key=lambda one: (-one.weight, one.kind, one.notes, one.queries))

    def of_pairs(self) -> list[Finding]:
        """Near-duplicates and superseded facts."""
        list(self._single())  # reads the features of all notes
        return list(self._pairwise())

    def _searched(self, kind: FindingKind, tries: Sequence[_Try]) -> Sequence[_Try]:
        """The first ``tries`` for ``kind``: fewer in a larger memory, where each search takes longer."""
        limit = min(_MOST_SEARCHES, _MOST_READ // len(self.paths))
        if len(tries) > limit:
            self.unsearched.add(kind)
        return tries[:limit]

    def _continue(self) -> None:
        if self._cancelled():
            raise HealthCheckCancelled

    def _weighed(self, finding: Finding) -> Finding:
        cost = finding.cost
        if not cost and finding.notes and (place := self.snapshot.by_path.get(finding.notes[0])) is not None:
            cost = self.recall.cost(finding.notes[0], self.snapshot.notes[place].chars)
        wins = sum(self.recall.wins[path] for path in finding.notes)
        weight = _WEIGHTS[finding.kind] * _FACTORS[finding.confidence] + 2 * min(10, wins)
        return replace(finding, cost=cost, weight=weight + min(5.0, finding.weight / 10))

    def _single(self) -> Iterator[Finding]:
        summaries = sorted(path for path in self.snapshot.summary_files if path in self.snapshot.parsed)
        for number, path in enumerate((*self.snapshot.by_path, *summaries)):
            if number % 256 == 0:
                self._continue()
            read = partial(features_of, self.snapshot, path, self.quoted)
            found = self.features[path] = Features.of(self.kept.get(path, self._stamps[path], read))
            place = self.snapshot.by_path.get(path)
            is_stub = place is not None and self.snapshot.notes[place].role is Role.STUB
            for one in found.defects:
                if one.kind is FindingKind.BROKEN_FRONTMATTER or not is_stub:
                    yield Finding(one.kind, (path,), one.confidence, one.sentence)
            if found.covers and (missing := self._uncovered(path, found.covers)):
                sentence = f"this generated summary does not cover {visible(missing[0])}, which is older"
                yield Finding(FindingKind.GENERATED_EDITED, (path,), Confidence.MEDIUM, sentence)

    def _uncovered(self, path: str, covers: Sequence[str]) -> list[str]:
        """The files beside the summary at ``path`` that it does not cover although they are older."""
        written_ns, children = self.snapshot.parsed[path].mtime_ns, self._children[path.rpartition("/")[0]]
        older = [name for name, mtime_ns in children if mtime_ns < written_ns]
        missing = [name for name in older if name not in covers]
        return missing if len(missing) * 2 < len(older) else []

    @cached_property
    def _children(self) -> dict[str, list[tuple[str, int]]]:
        """For each folder, the notes and the subfolders' summaries, relative to it, with their modification times."""
        children: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for file in self.snapshot.files:
            folder, _, name = file.path.rpartition("/")
            if name == SUMMARY_FILE:
                folder, _, inner = folder.rpartition("/")
                name = f"{inner}/{name}"
            if file.role in (Role.NOTE, Role.SUMMARY):
                children[folder].append((name, file.mtime_ns))
        return children

    def _unread(self) -> Iterator[Finding]:
        for file in self.snapshot.unseen:
            notes: tuple[str, ...] = (file.path,)
            if file.reason == HIDDEN_FOLDER:
                is_tool = file.path.rpartition("/")[2] in _TOOL_FOLDERS
                inside = walk(self.session.project.tree / file.path) if not is_tool else ()
                names = [f"{file.path}/{path}" for _, path in inside if path.endswith(".md") or unread_name(path)]
                notes = tuple(names[:_MOST_HIDDEN])
            if not notes or file.reason == DUPLICATE:
                continue
            is_text = file.reason.startswith(_UNDECODABLE) and _CUT not in file.reason
            kind = FindingKind.BAD_ENCODING if is_text else FindingKind.UNREAD_FILE
            yield Finding(kind, notes, Confidence.HIGH, f"no query finds it: {file.reason}")

    def _links(self) -> Iterator[Finding]:
        names = names_of(self.snapshot)
        connected: set[str] = set()
        for path in self.paths:
            parsed = self.snapshot.parsed[path]
            targets, broken = resolved(self.features[path].links, parsed.file, names[parsed.alias])
            others = [target for target in targets if target != path]
            connected.update(others, [path] if others else [])
            if broken:
                more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
                sentence = f"it links to {shortened(visible(broken[0]))}{more}, which does not exist"
                yield Finding(FindingKind.BROKEN_LINK, (path,), Confidence.HIGH, sentence)
        alone = [path for path in self.paths if path not in connected]
        share = 1 - len(alone) / max(1, len(self.paths))
        for path in alone if share >= _LINKED else []:
            if not self.features[path].is_junk:
                confidence = Confidence.HIGH if share >= 0.9 else Confidence.MEDIUM
                sentence = f"no note links to it and it links to none; {share:.0%} of the notes here have links"
                yield Finding(FindingKind.ORPHAN, (path,), confidence, sentence)

    @cached_property
    def useful(self) -> set[int]:
        """The positions of notes with knowledge."""
        notes = enumerate(self.snapshot.notes)
        return {place for place, note in notes if note.role is Role.NOTE and not self.features[note.path].is_junk}

    def _compared(self) -> Iterator[tuple[str, str, PairResult]]:
        notes, count = self.snapshot.notes, len(self.snapshot.notes)
        signatures = signatures_of([self.features[note.path] for note in notes])
        near = np.asarray(near_pairs(signatures, _NEAR), dtype=np.int64).reshape(-1, 2)
        one, two, measures = self.overlap.similar(_LEAST_WORDS, _LEAST_TITLE)
        is_other = ~is_in(one * count + two, near[:, 0] * count + near[:, 1])
        pairs = np.concatenate([np.stack([one, two], axis=1)[is_other], near])
        measures = np.concatenate([measures[is_other], np.full(len(near), 2.0)])
        is_useful = np.zeros(count, dtype=bool)
        is_useful[list(self.useful)] = True
        wanted = is_useful[pairs].all(axis=1)
        if self._path:
            wanted &= (pairs == self.snapshot.by_path.get(self._path, -1)).any(axis=1)
        pairs = pairs[wanted]
        pairs = self._chosen(pairs[np.lexsort((pairs[:, 1], pairs[:, 0], -measures[wanted]))])
        alike = (signatures[pairs[:, 0]] == signatures[pairs[:, 1]]).mean(axis=1).tolist()
        texts: dict[str, ComparedNote] = {}

        def text(path: str) -> ComparedNote:
            if path not in texts:
                title = notes[self.snapshot.by_path[path]].title
                texts[path] = ComparedNote.of(title, body(self.snapshot.readable(path)), path.rpartition("/")[2])
            return texts[path]

        def compared(one: str, two: str, likeness: float) -> PairResult:
            return compare(text(one), text(two), self.overlap.idf, likeness)

        for number, (pair, likeness) in enumerate(zip(pairs.tolist(), alike, strict=True)):
            if number % 64 == 0:
                self._continue()
            one, two = sorted(notes[place].path for place in pair)
            state = f"{self._stamps[one]} {self._stamps[two]}"
            yield one, two, PairResult.of(self.kept.get(f"{one}\0{two}", state, partial(compared, one, two, likeness)))

    def _chosen(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pairs to compare of ``pairs``, which are ordered by similarity. If there are too many, each note takes
        its turn, so that a group of similar notes does not use up the limit.
        """
        if len(pairs) <= _MOST_PAIRS:
            return pairs
        ids: dict[frozenset[str], int] = {frozenset(): 0}
        serials = np.asarray([ids.setdefault(serials_in(note.title), len(ids)) for note in self.snapshot.notes])[pairs]
        pairs = pairs[(serials[:, 0] == serials[:, 1]) | (serials == 0).any(axis=1)]
        notes = pairs.ravel()
        order = np.argsort(notes, kind="stable")
        turns = np.empty_like(notes)
        turns[order] = np.arange(len(notes)) - np.searchsorted(notes[order], notes[order])
        self.uncompared = max(0, len(pairs) - _MOST_PAIRS)
        return pairs[np.argsort(turns.reshape(-1, 2).max(axis=1), kind="stable")[:_MOST_PAIRS]]

    def _pairwise(self) -> Iterator[Finding]:
        """Near-duplicates and superseded facts; a note is the first of at most one finding of each kind."""
        rows = sorted(self._compared(), key=lambda row: (-row[2].duplicate, -row[2].same_words, row[:2]))
        acted: set[str] = set()
        rivals: list[tuple[float, str, str, Disagreement]] = []
        for one, two, result in rows:
            if result.facts is not None:
                rivals.append((-result.superseded, *self._by_age(one, two, result.facts)))
            elif result.duplicate:
                worse, better = sorted((one, two), key=self._value)
                if worse not in acted:
                    acted.add(worse)
                    share = f"{result.same_words:.0%} of the words are shared"
                    sentence = f"it says almost the same as {visible(better)} ({share})"
                    confidence = _confidence(result.duplicate)
                    yield Finding(FindingKind.NEAR_DUPLICATE, (worse, better), confidence, sentence)
        acted.clear()
        for number, (strength, older, newer, facts) in enumerate(sorted(rivals, key=lambda row: row[:3])):
            if older not in acted:
                acted.add(older)
                yield self._rivalry(older, newer, facts, -strength, number < _MOST_RIVALS)

    def _by_age(self, one: str, two: str, facts: Disagreement) -> tuple[str, str, Disagreement]:
        if self._date(one) > self._date(two) if facts.newer < 0 else facts.newer == 0:
            return two, one, facts._replace(first=facts.second, second=facts.first)
        return one, two, facts

    def _date(self, path: str) -> float:
        position = self.snapshot.by_path[path]
        updated = float(self.snapshot.columns.updated_ms[position])
        return updated if math.isfinite(updated) else float(self.snapshot.notes[position].mtime_ms)

    def _value(self, path: str) -> tuple[float, ...]:
        """The value of a note among its duplicates: its wins, its length and its date."""
        note = self.snapshot.notes[self.snapshot.by_path[path]]
        return (self.recall.wins[path], len(self.recall.found.get(path, ())), note.chars, self._date(path))

    def _rivalry(self, older: str, newer: str, facts: Disagreement, strength: float, is_tried: bool) -> Finding:
        """The finding about a superseded note, with the note that wins today and the day on which that changes."""
        first, second = (f"“{shortened(visible(text), 60)}”" for text in (facts.first, facts.second))
        sentence = f"it says {first} about {visible(facts.about)}, and the newer {visible(newer)} says {second}"
        both = [query for query in self.recall.found.get(older, ()) if newer in query.files]
        cost, wins = "", 0
        if both:
            wins = sum(_first(query.files, older, newer) == older for query in both)
            found = counted(len(both), "query", "queries")
            cost = f"comes before the newer note in {wins} of the {found} that find both"
        elif is_tried and facts.about:
            cost, wins = self._race(facts.about, older, newer)
        notes, queries = (older, newer), tuple(query.text for query in both)
        return Finding(FindingKind.SUPERSEDED, notes, _confidence(strength), sentence, cost, queries, 10 * wins)

    def _race(self, query: str, older: str, newer: str) -> tuple[str, int]:
        def winner(days: int) -> str:
            return _first(self.memo.ask(query, days=days).files, older, newer)

        now, names = winner(0), {older: "the older note", newer: "the newer note"}
        if not now:
            return "", 0
        text = f"{names[now]} wins “{visible(query)}” today"
        can_age = self.session.kind.can_vary and isinstance(self._engine, Ages)
        then = winner(self.days) if can_age else now
        if then and then != now:
            low, high = 0, self.days
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if winner(middle) == now else (low, middle)
            text += f", and {names[then]} from day {high}"
        return text, int(now == older)

    @cached_property
    def recall(self) -> QueryRecall:
        """The judged and logged queries with their outcomes today."""
        relevant: dict[tuple[str, str], frozenset[str]] = {}
        with suppress(JudgmentsError):  # brv-tui judge reports problems of the file
            for judgment in JudgmentsFile.of(self.session.project).read():
                files = frozenset(path for path, grade in judgment.grades.items() if grade > 1)
                relevant[judgment.text, judgment.scope] = files
        since = self.session.clock() - self.days * MS_PER_DAY
        logged = self.session.logbook.engine.read(_MOST_LOGGED)  # without the user's own runs, which prove nothing
        log = [one for one in logged if one.at_ms >= since and one.query.strip()]
        times = Counter((entry.query, entry.scope) for entry in log)
        newest = {(entry.query, entry.scope): entry for entry in reversed(log)}
        uncovered = [key for key, entry in newest.items() if entry.not_covered]
        keys = dict.fromkeys((*relevant, *uncovered, *times))
        wanted = [key for key in keys if 0 < len(key[0].strip()) <= _LONGEST_QUERY]
        queries = []
        for text, scope in wanted[:_MOST_QUERIES]:
            self._continue()
            query, key = self.memo.ask(text, scope), (text, scope)
            was_gap = key in newest and newest[key].not_covered and not self._has_words(query.files[:1], text)
            own = relevant.get(key, frozenset())
            is_gap = was_gap or not query.covered
            queries.append(replace(query, relevant=own, times=times[key], is_gap=is_gap))
        found: dict[str, dict[str, None]] = {}
        for entry in log:
            found.setdefault(entry.query, {}).update(dict.fromkeys(entry.paths))
        return QueryRecall(queries, {query: tuple(files) for query, files in found.items()}, self.days)

    def _has_words(self, files: Iterable[str], query: str) -> bool:
        wanted = stems(query)
        return any(
            2 * len(wanted & stems(self.snapshot.readable(file)[:_MOST_SEARCHED])) >= len(wanted) for file in files
        )

    def _past(self) -> Iterator[Finding]:
        useful = [self.snapshot.notes[place].path for place in sorted(self.useful)]
        yield from self.recall.gaps(self.overlap.is_rare)
        yield from self.recall.broad(useful)
        signals = self.snapshot.signals
        unread = [place for place in sorted(self.useful) if not signals[place].access_count]
        yield from self.recall.unfound([self.snapshot.notes[place].path for place in unread])

    def _titles(self) -> Iterator[Finding]:
        """Notes that their own title does not find. Only titles without a rare word are tried."""
        common: list[tuple[int, str, str]] = []
        for note in self.notes:
            features = self.features[note.path]
            words = features.title or stems(note.title)
            rarest = min(map(self.overlap.frequency, words), default=len(self.paths))
            if rarest > _TITLE_RARE and note.title.strip() and not features.is_junk:
                common.append((-rarest, note.path, note.title))
        for _, path, title in self._searched(FindingKind.NOT_FOUND_BY_TITLE, sorted(common)):
            files = self.memo.search(title)
            if path not in files:
                first = f"; the first result is {visible(files[0])}" if files else ""
                shown = shortened(visible(title), 60)
                results = counted(len(files), "result", "results")
                sentence = f"the query “{shown}” does not find it among {results}{first}"
                yield Finding(FindingKind.NOT_FOUND_BY_TITLE, (path,), Confidence.HIGH, sentence)

    def _shadowed(self) -> Iterator[Finding]:
        """Notes that rank below the same other note in searches for their titles and their distinctive words."""
        notes = self.snapshot.notes
        rivals = [row for row in self.overlap.containing(_CONTAINED).items() if row[0] in self.useful]
        for place, others in self._searched(FindingKind.SHADOWED, rivals):
            path, rival = notes[place].path, next(iter(self.memo.search(notes[place].title)), "")
            if self.snapshot.by_path.get(rival, place) not in others:
                continue
            words = self.overlap.own_words(place)
            tries = (" ".join(words), " ".join(words[:6]), " ".join(words[:3]))
            if all(_first(self.memo.search(one), path, rival) == rival for one in tries):
                shown = ", ".join(visible(word) for word in words[:3])
                sentence = (
                    f"it ranks below {visible(rival)} in searches for its title and its distinctive words ({shown})"
                )
                yield Finding(FindingKind.SHADOWED, (path, rival), Confidence.MEDIUM, sentence)

    def _archivable(self) -> Iterator[Finding]:
        if not self.session.kind.has_maturity:
            return
        board, notes = self.session.ageing.board(), self.snapshot.notes
        come = board.today.has_come.get(ARCHIVE)
        for place in [] if come is None else np.flatnonzero(come).tolist():
            path, importance = notes[place].path, float(board.today.archive_importance[place])
            if place in self.useful:
                is_used = path in self.recall.found or path in self.recall.recalled
                confidence = Confidence.MEDIUM if is_used else Confidence.HIGH
                sentence = f"a draft whose importance has decayed to {importance:.0f}, so ByteRover may archive it"
                yield Finding(FindingKind.ARCHIVE_CANDIDATE, (path,), confidence, sentence)


def _first(files: Iterable[str], one: str, other: str) -> str:
    return next((file for file in files if file in (one, other)), "")


def _confidence(strength: float) -> Confidence:
    return Confidence.HIGH if strength >= 0.9 else Confidence.MEDIUM if strength >= 0.7 else Confidence.LOW
