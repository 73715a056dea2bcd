"""The health of an open project's memory: its findings, and those that the user ignores."""

from __future__ import annotations

import base64
import hashlib
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from brvtui import __version__
from brvtui.engines.ageing.events import ARCHIVE
from brvtui.engines.contract import Ages, QuotesNotes
from brvtui.lab.backlinks import names_of
from brvtui.lab.health.features import Features, NoteLink, features_of, resolved
from brvtui.lab.health.finding import Confidence, Finding, HealthReport, Kind
from brvtui.lab.health.junk import Defect
from brvtui.lab.health.likeness import PERMUTATIONS, body, near_pairs
from brvtui.lab.health.overlap import Overlap
from brvtui.lab.health.pairs import LEAST_TITLE, LEAST_WORDS, NEAR, NoteText, PairResult, compare
from brvtui.lab.health.recall import PastQuery, Recall
from brvtui.lab.health.statements import Disagreement, stem, stems
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.asking import QueryMemo
from brvtui.snapshot import Snapshot
from brvtui.store.ignored_findings import FindingKey, IgnoredFindings
from brvtui.store.kept_answers import KeptAnswers
from brvtui.text.analysis import STOP_WORDS, terms
from brvtui.text.visible import visible
from brvtui.tree.reading.files import DUPLICATE, HIDDEN_FOLDER, Role
from brvtui.wording import counted, shortened

if TYPE_CHECKING:
    from brvtui.session.session import Session

Progress = Callable[[int, int], None]


class HealthCheckCancelled(Exception):
    """Raised by :meth:`ProjectHealth.report` after its ``cancelled`` returned True."""


class ProjectHealth:
    """Checks the memory of an open project. Methods are thread-safe and change no note."""

    def __init__(self, session: Session) -> None:
        """Checks nothing until :meth:`report` is called."""
        self._session = session
        self._ignored = IgnoredFindings(session.project.tree)
        self._lock, self._is_checked = threading.Lock(), False

    def report(
        self, days: int = 90, cancelled: Callable[[], bool] = lambda: False, progress: Progress | None = None
    ) -> HealthReport:
        """The findings about the newest snapshot, with what they cost the judged and logged queries.

        ``days`` is the span of the log, and of the forecasts. Reads every note on the first call, so call it in a
        worker. Calls ``progress`` with the number of finished steps and of all. Raises :class:`HealthCheckCancelled`,
        and :class:`brvtui.engines.contract.EngineError` for an engine that cannot be used.
        """
        with self._lock:
            if not self._session.kind.has_files:
                return HealthReport((), (), 0, 0, days)
            check = _Check(self._session, days, cancelled, progress)
            findings = sorted(check.findings(), key=lambda one: (-one.weight, one.kind, one.notes, one.queries))
            check.keep()
            self._is_checked = True
        ignored = self._ignored.read()
        hidden = [finding for finding in findings if _key(finding) in ignored]
        shown = [finding for finding in findings if _key(finding) not in ignored]
        return HealthReport(tuple(shown), tuple(hidden), len(check.paths), len(check.recall.queries), days)

    def of_edit(self, snapshot: Snapshot, path: str) -> tuple[Finding, ...]:
        """The near-duplicates of the note at ``path`` in ``snapshot``, which need not be published, and the notes that
        disagree with it. The first call checks the memory. Raises :class:`brvtui.engines.contract.EngineError`.
        """
        if not self._is_checked:
            self.report()
        with self._lock:
            return tuple(_Check(self._session, 1, edited=(snapshot, path)).of_pairs())

    def ignore(self, finding: Finding) -> None:
        """Lists ``finding`` among the ignored ones from the next report on. Raises OSError."""
        self._ignored.add(_key(finding))

    def restore(self, finding: Finding) -> None:
        """Undoes :meth:`ignore`. Raises OSError."""
        self._ignored.remove(_key(finding))


def _key(finding: Finding) -> FindingKey:
    return (finding.kind, *(sorted(finding.notes) or finding.queries[:1]))


_FORMAT = 1
_MOST_QUERIES, _MOST_LOGGED, _LONGEST_QUERY = 200, 2_000, 1_000
_MOST_TITLES, _MOST_SHADOWS, _MOST_RIVALS, _MOST_PAIRS = 250, 150, 100, 30_000
_MOST_SEARCHED = 50_000
_TITLE_RARE = 3
"""A note is found by its title if a word of the title is in at most this many notes."""
_STRONGER = 0.6
_DETAILED = 12.0
"""The sum of the idf of the words that two statements share from which they are about the same thing, whatever else
their notes say."""
_LINKED = 0.5
"""Orphans are reported only if at least this part of the notes have links."""
_UNDECODABLE = ("not UTF-8", "a NUL", "a U+FFFD", "over ", "byte ")
_WEIGHTS: Mapping[Kind, float] = {
    kind: 100.0 - 4 * place
    for place, kind in enumerate(
        (
            Kind.SUPERSEDED, Kind.TRANSCRIPT_LEFTOVER, Kind.TOOL_OUTPUT, Kind.BAD_ENCODING, Kind.BROKEN_FRONTMATTER,
            Kind.NEAR_DUPLICATE, Kind.GAP, Kind.TEMPLATE_ONLY, Kind.TITLE_ONLY, Kind.NOT_FOUND_BY_TITLE, Kind.SHADOWED,
            Kind.LINKS_ONLY, Kind.TOO_BROAD, Kind.UNREAD_FILE, Kind.QUOTE_CUT_OFF, Kind.GENERATED_EDITED,
            Kind.BROKEN_LINK, Kind.NEVER_FOUND, Kind.ARCHIVE_CANDIDATE, Kind.ORPHAN,
        )
    )
}  # fmt: skip
_FACTORS = {Confidence.HIGH: 1.0, Confidence.MEDIUM: 0.7, Confidence.LOW: 0.4}


class _Check:
    """One check of a snapshot. Results of earlier checks are reused for files that have not changed."""

    def __init__(
        self, session: Session, days: int, cancelled: Callable[[], bool] = lambda: False,
        progress: Progress | None = None, edited: tuple[Snapshot | None, str] = (None, ""),
    ) -> None:  # fmt: skip
        """``edited`` replaces the newest snapshot; then only pairs with the note at its path are compared."""
        self.session, self.days, self.progress = session, days, progress or (lambda done, of: None)
        self._cancelled, self._path = cancelled, edited[1]
        self.snapshot: Snapshot = edited[0] or session.snapshot
        engine = session.engines.named(session.engine)
        constants = session.engines.context(session.engine).constants
        self.quoted = engine.quoted_units(constants) if isinstance(engine, QuotesNotes) else 0
        self._store = KeptAnswers(session.project.tree)
        state = (
            _FORMAT,
            __version__,
            session.engine,
            self.quoted,
            repr(self.snapshot.limits),
            self.snapshot.reads_frontmatter,
        )
        self._name = f"health{hashlib.sha256(repr(state).encode()).hexdigest()[:26]}"
        kept = self._store.read(self._name)
        self._kept: dict[str, Any] = kept if isinstance(kept, dict) else {}
        self._pairs: dict[str, Any] = {}
        self._is_new = False
        self.paths = [note.path for note in self.snapshot.notes if note.role is Role.NOTE]
        self.memo = QueryMemo(session, self._kept.get("queries"))
        self.features = self._features()

    def findings(self) -> Iterator[Finding]:
        """Yields every finding with its cost and weight."""
        steps = (
            self._single, self._unread, self._links, self.of_pairs, self._past, self._titles, self._shadowed,
            self._archivable,
        )  # fmt: skip
        for number, step in enumerate(steps, start=1):
            self._continue()
            for finding in step():
                yield self._weighed(finding)
            self.progress(number, len(steps))

    def keep(self) -> None:
        """Stores the results for the next check, if any of them is new."""
        if not (self._is_new or self.memo.has_changed):
            return
        rows = [
            (
                path,
                self._stamp(path),
                [(one.kind, one.confidence, one.sentence) for one in found.defects],
                [(link.kind, link.target, link.is_listed) for link in found.links],
            )
            for path, found in self.features.items()
        ]
        data = b"".join(found.signature.astype("<u4").tobytes() for found in self.features.values())
        signatures = base64.b64encode(data).decode("ascii")
        value = {"rows": rows, "signatures": signatures, "pairs": self._pairs, "queries": self.memo.plain()}
        with suppress(OSError):  # works without a writable cache
            self._store.write(self._name, value)

    def _continue(self) -> None:
        if self._cancelled():
            raise HealthCheckCancelled

    def _stamp(self, path: str) -> str:
        parsed = self.snapshot.parsed[path]
        return f"{parsed.mtime_ns:x}.{parsed.size:x}.{parsed.inode:x}.{parsed.ctime_ns:x}"

    def _features(self) -> dict[str, Features]:
        """The features of every note and summary, keyed by path."""
        known = self._kept_features()
        features: dict[str, Features] = {}
        summaries = [path for path in self.snapshot.summary_files if path in self.snapshot.parsed]
        for number, path in enumerate((*self.snapshot.by_path, *sorted(summaries))):
            if number % 256 == 0:
                self._continue()
            before = known.get(path)
            if before is not None and before[0] == self._stamp(path) and path not in self.snapshot.edited:
                features[path] = before[1]
            else:
                features[path] = features_of(self.snapshot, path, self.quoted)
                self._is_new = True
        self._is_new |= len(features) != len(known)
        return features

    def _kept_features(self) -> dict[str, tuple[str, Features]]:
        try:
            rows, data = self._kept["rows"], base64.b64decode(self._kept["signatures"])
            signatures = np.frombuffer(data, dtype="<u4").reshape(len(rows), PERMUTATIONS)
            known = {}
            for (path, stamp, defects, links), own in zip(rows, signatures, strict=True):
                found = tuple(Defect(Kind(kind), Confidence(level), sentence) for kind, level, sentence in defects)
                known[path] = stamp, Features(found, tuple(NoteLink(*link) for link in links), own)
            return known
        except (KeyError, TypeError, ValueError):
            return {}

    def _weighed(self, finding: Finding) -> Finding:
        cost = finding.cost
        if not cost and finding.notes and finding.notes[0] in self.snapshot.by_path:
            path = finding.notes[0]
            cost = self.recall.cost(path, self.snapshot.notes[self.snapshot.by_path[path]].chars)
        wins = sum(self.recall.wins[path] for path in finding.notes)
        weight = _WEIGHTS[finding.kind] * _FACTORS[finding.confidence] + 2 * min(10, wins)
        return replace(finding, cost=cost, weight=weight + min(5.0, finding.weight / 10))

    # The kinds, one after the other.

    def _single(self) -> Iterator[Finding]:
        """Defects of single files."""
        for path, found in self.features.items():
            for one in found.defects:
                if one.kind is Kind.BROKEN_FRONTMATTER or self._is_own(path):
                    yield Finding(one.kind, (path,), one.confidence, one.sentence, "")

    def _is_own(self, path: str) -> bool:
        position = self.snapshot.by_path.get(path)
        return position is None or self.snapshot.notes[position].role is not Role.STUB

    def _unread(self) -> Iterator[Finding]:
        for file in self.snapshot.unseen:
            if file.reason in (HIDDEN_FOLDER, DUPLICATE):
                continue
            is_text = file.reason.startswith(_UNDECODABLE)
            kind = Kind.BAD_ENCODING if is_text else Kind.UNREAD_FILE
            yield Finding(kind, (file.path,), Confidence.HIGH, f"no query finds it: {file.reason}", "")

    def _links(self) -> Iterator[Finding]:
        """Broken links, and notes without any link in a memory whose notes are linked."""
        names = names_of(self.snapshot)
        linked: set[str] = set()
        outgoing: dict[str, int] = {}
        for path in self.paths:
            parsed = self.snapshot.parsed[path]
            targets, broken = resolved(self.features[path].links, parsed.file, names[parsed.alias])
            linked.update(targets)
            outgoing[path] = len([target for target in targets if target != path])
            if broken:
                more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
                sentence = f"it links to {shortened(visible(broken[0]))}{more}, which does not exist"
                yield Finding(Kind.BROKEN_LINK, (path,), Confidence.HIGH, sentence, "")
        connected = {path for path in self.paths if outgoing[path] or path in linked}
        inward = {path for path in self.paths if path in linked}
        for path in self.paths:
            if len(connected) < _LINKED * len(self.paths) or self.features[path].is_junk:
                continue
            share = len(connected) / len(self.paths)
            if path not in connected:
                confidence = Confidence.HIGH if share >= 0.9 else Confidence.MEDIUM
                sentence = f"no note links to it and it links to none; {share:.0%} of the notes here have links"
                yield Finding(Kind.ORPHAN, (path,), confidence, sentence, "")
            elif path not in inward and len(inward) >= 0.85 * len(self.paths):
                sentence = (
                    f"no note links to it; other notes link to {len(inward) / len(self.paths):.0%} of the notes here"
                )
                yield Finding(Kind.ORPHAN, (path,), Confidence.MEDIUM, sentence, "")

    @cached_property
    def overlap(self) -> Overlap:
        """The distinctive words of all notes."""
        return Overlap.of(self.snapshot.postings)

    def _candidates(self) -> list[tuple[str, str]]:
        """The pairs of notes that are compared, each sorted by path."""
        notes = self.snapshot.notes
        near = near_pairs(np.stack([self.features[note.path].signature for note in notes]), NEAR) if notes else []
        pairs = {*near, *self._title_shares}
        usable = {
            place for place, note in enumerate(notes) if note.role is Role.NOTE and not self.features[note.path].is_junk
        }
        return sorted(
            (min(notes[one].path, notes[two].path), max(notes[one].path, notes[two].path))
            for one, two in pairs
            if one in usable and two in usable and self._path in ("", notes[one].path, notes[two].path)
        )

    def _compared(self) -> Iterator[tuple[str, str, PairResult]]:
        """Yields each candidate pair with its comparison. Comparisons of unchanged notes are reused."""
        kept = self._kept.get("pairs")
        known = kept if isinstance(kept, dict) else {}
        texts: dict[str, NoteText] = {}
        for number, (one, two) in enumerate(self._candidates()[:_MOST_PAIRS]):
            if number % 64 == 0:
                self._continue()
            key = f"{one}\0{two}\0{self._stamp(one)}\0{self._stamp(two)}"
            result = _pair(known.get(key))
            if result is None:
                for path in (one, two):
                    if path not in texts:
                        title = self.snapshot.notes[self.snapshot.by_path[path]].title
                        texts[path] = NoteText.of(title, body(self.snapshot.readable(path)))
                result = compare(texts[one], texts[two], self._stem_idf)
                self._is_new = True
            facts = [[getattr(fact, one.name) for one in fields(fact)] for fact in result.disagreements]
            self._pairs[key] = [*(getattr(result, name) for name in _PAIR_NUMBERS), facts]
            yield one, two, result

    @cached_property
    def _stem_idf(self) -> Callable[[str], float]:
        overlap, count = self.overlap, max(1, len(self.snapshot.notes))
        df = Counter[str]()
        for place in np.flatnonzero(overlap.df).tolist():
            form = stem(overlap.names[place])
            df[form] = max(df[form], int(overlap.df[place]))
        return lambda word: math.log1p(count / max(1, df[word]))

    def of_pairs(self) -> Iterator[Finding]:
        """Near-duplicates and superseded facts; a note is the first of at most one finding of each kind."""
        self.same: set[frozenset[str]] = set()
        acted: set[tuple[Kind, str]] = set()
        rows = sorted(self._compared(), key=lambda row: (-row[2].duplicate, -row[2].likeness, row[0], row[1]))
        rivals: list[tuple[str, str, Disagreement, float]] = []
        for one, two, result in rows:
            strength = self._superseded(one, two, result)
            if strength:
                self.same.add(frozenset((one, two)))
                rivals.append((*self._by_age(one, two, result.disagreements[0]), strength))
            elif result.duplicate:
                self.same.add(frozenset((one, two)))
                worse, better = sorted((one, two), key=self._value)
                if (Kind.NEAR_DUPLICATE, worse) in acted:
                    continue
                acted.add((Kind.NEAR_DUPLICATE, worse))
                confidence = _confidence(result.duplicate)
                share = max(result.likeness, result.same_words)
                sentence = f"it says almost the same as {visible(better)} ({share:.0%} of the words are shared)"
                yield Finding(Kind.NEAR_DUPLICATE, (worse, better), confidence, sentence, "")
        for number, (older, newer, facts, strength) in enumerate(sorted(rivals, key=lambda row: (-row[3], row[:2]))):
            if (Kind.SUPERSEDED, older) not in acted:
                acted.add((Kind.SUPERSEDED, older))
                yield self._rivalry(older, newer, facts, strength, number < _MOST_RIVALS)

    def _superseded(self, one: str, two: str, result: PairResult) -> float:
        """The confidence that one of two notes is superseded, from 0 to 1; 0 if both can be right."""
        if not result.disagreements or (result.count > 4 and not result.agreements):
            return 0.0
        facts = result.disagreements[0]
        place = self.snapshot.by_path
        titles = self._title_shares.get((min(place[one], place[two]), max(place[one], place[two])), 0.0)
        if titles < LEAST_TITLE and facts.is_name:
            return 0.0
        if titles < 0.5 and result.same_words < 0.35:
            detail = sum(map(self._stem_idf, map(stem, facts.about.split())))
            if detail < _DETAILED:
                return 0.0
        return facts.strength * (1.0 if titles >= 0.8 or result.same_words >= 0.6 else 0.8)

    @cached_property
    def _title_shares(self) -> dict[tuple[int, int], float]:
        return {(one, two): title for one, two, _, title in self.overlap.shared(LEAST_WORDS, LEAST_TITLE)}

    def _by_age(self, one: str, two: str, facts: Disagreement) -> tuple[str, str, Disagreement]:
        """The older note, the newer note, and their disagreement in that order."""
        is_reversed = self._date(one) > self._date(two) if facts.newer < 0 else facts.newer == 0
        if is_reversed:
            return two, one, replace(facts, first=facts.second, second=facts.first)
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
        both = [query for query in self.recall.found.get(older, ()) if newer in query.outcome.files]
        queries = tuple(query.text for query in both)
        cost, wins = "", 0
        if both:
            wins = sum(_first(query.outcome.files, older, newer) == older for query in both)
            cost = (
                f"comes before the newer note in {wins} of the {counted(len(both), 'query', 'queries')} that find both"
            )
        elif is_tried and facts.about:
            cost, wins = self._race(facts.about, older, newer)
        return Finding(Kind.SUPERSEDED, (older, newer), _confidence(strength), sentence, cost, queries, 10 * wins)

    def _race(self, query: str, older: str, newer: str) -> tuple[str, int]:
        def winner(days: int) -> str:
            return _first(self.memo.ask(query, days=days).files, older, newer)

        now, shown = winner(0), f"“{visible(query)}”"
        if not now:
            return "", 0
        names = {older: "the older note", newer: "the newer note"}
        text = f"{names[now]} wins {shown} today"
        can_age = self.session.kind.can_vary and isinstance(self.session.engines.named(self.session.engine), Ages)
        then = winner(self.days) if can_age else now
        if then and then != now:
            low, high = 0, self.days
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if winner(middle) == now else (low, middle)
            text += f", and {names[then]} from day {high}"
        return text, int(now == older)

    @cached_property
    def recall(self) -> Recall:
        """The judged and logged queries with their outcomes today."""
        times, relevant = Counter[tuple[str, str]](), dict[tuple[str, str], frozenset[str]]()
        with suppress(JudgmentsError):  # brv-tui judge reports problems of the file
            for judgment in JudgmentsFile.of(self.session.project).read():
                files = frozenset(path for path, grade in judgment.grades.items() if grade > 1)
                relevant[judgment.text, judgment.scope] = files
        since = self.session.clock() - self.days * MS_PER_DAY
        log = [
            entry for entry in self.session.logbook.read(_MOST_LOGGED) if entry.at_ms >= since and entry.query.strip()
        ]
        times.update((entry.query, entry.scope) for entry in log)
        newest = {(entry.query, entry.scope): entry for entry in reversed(log)}
        recalled = frozenset(path for entry in log for path in entry.paths)
        wanted = [one for one in dict.fromkeys((*relevant, *times)) if one[0].strip() and len(one[0]) <= _LONGEST_QUERY]
        queries = []
        for text, scope in wanted[:_MOST_QUERIES]:
            self._continue()
            outcome = self.memo.ask(text, scope)
            entry, judged = newest.get((text, scope)), relevant.get((text, scope), frozenset())
            if entry is None:
                queries.append(PastQuery(text, outcome, judged))
                continue
            is_gap = entry.not_covered and not self._has_words(outcome.files[:1], text)
            queries.append(PastQuery(text, outcome, judged, times[text, scope], entry.paths, is_gap))
        return Recall(queries, recalled, len(log), self.days)

    def _has_words(self, files: Iterable[str], query: str) -> bool:
        """True if the first of ``files`` contains at least half of the words of ``query``."""
        wanted = stems(query)
        return any(
            2 * len(wanted & stems(self.snapshot.readable(file)[:_MOST_SEARCHED])) >= len(wanted) for file in files
        )

    def _past(self) -> Iterator[Finding]:
        """Gaps, and notes that the past queries found too often or never."""
        useful = [path for path in self.paths if not self.features[path].is_junk]
        yield from self.recall.gaps()
        yield from self.recall.broad(useful)
        signals = {path: self.snapshot.signals[self.snapshot.by_path[path]] for path in useful}
        values = {path: one.access_count == 0 and one.maturity == "draft" for path, one in signals.items()}
        yield from self.recall.unfound(values)

    def _titles(self) -> Iterator[Finding]:
        """Notes that their own title does not find. Only titles without a rare word are tried."""
        frequencies = self.snapshot.postings
        rare: list[tuple[int, str]] = []
        for path in self.paths:
            note = self.snapshot.notes[self.snapshot.by_path[path]]
            if self.features[path].is_junk or not note.title.strip():
                continue
            ids = [frequencies.ids.get(word, -1) for word in terms(note.title) if word not in STOP_WORDS]
            least = min((int(self.overlap.df[place]) for place in ids if place >= 0), default=len(self.paths))
            if least > _TITLE_RARE:
                rare.append((-least, path))
        for _, path in sorted(rare)[:_MOST_TITLES]:
            title = self.snapshot.notes[self.snapshot.by_path[path]].title
            files = self.memo.ask(title).files
            if path not in files and not (files and frozenset((path, files[0])) in self.same):
                first = f"; the first result is {visible(files[0])}" if files else ""
                sentence = (
                    f"the query “{shortened(visible(title), 60)}” does not find it among {len(files)} results{first}"
                )
                yield Finding(Kind.NOT_FOUND_BY_TITLE, (path,), Confidence.HIGH, sentence, "")

    def _shadowed(self) -> Iterator[Finding]:
        """Notes behind the same other note for every query made of their own words."""
        notes, overlap = self.snapshot.notes, self.overlap
        own: dict[int, list[str]] = {}
        for entry in overlap.own_words().tolist():
            own.setdefault(int(overlap.notes[entry]), []).append(overlap.names[int(overlap.terms[entry])])
        seen: set[int] = set()
        for place, other in overlap.stronger(_STRONGER)[:_MOST_SHADOWS]:
            path, rival = notes[place].path, notes[other].path
            usable = all(
                notes[one].role is Role.NOTE and not self.features[notes[one].path].is_junk for one in (place, other)
            )
            if place in seen or not usable or frozenset((path, rival)) in self.same:
                continue
            words = own[place]
            tries = [notes[place].title, *(" ".join(words[:count]) for count in (1, 2, 3) if count <= len(words))]
            if all(_first(self.memo.ask(one).files, path, rival) == rival for one in dict.fromkeys(tries)):
                seen.add(place)
                shown = ", ".join(visible(word) for word in words[:3])
                sentence = f"{visible(rival)} comes first for its title and for its own words ({shown})"
                yield Finding(Kind.SHADOWED, (path, rival), Confidence.MEDIUM, sentence, "")

    def _archivable(self) -> Iterator[Finding]:
        """Notes that the engine's rules offer for archiving."""
        if not self.session.kind.has_maturity:
            return
        board = self.session.ageing.board()
        come = board.today.has_come.get(ARCHIVE)
        for place in [] if come is None else np.flatnonzero(come).tolist():
            row = board.row(place)
            if row.note.role is Role.NOTE and not self.features[row.path].is_junk:
                sentence = f"a draft whose importance has decayed to {row.archive_importance:.0f}: {ARCHIVE.meaning}"
                is_used = row.path in self.recall.found or row.path in self.recall.recalled
                yield Finding(
                    Kind.ARCHIVE_CANDIDATE, (row.path,), Confidence.MEDIUM if is_used else Confidence.HIGH, sentence, ""
                )


_PAIR_NUMBERS = ("likeness", "same_words", "agreements", "is_parallel", "count", "statements")


def _pair(value: Any) -> PairResult | None:
    """The comparison in ``value``, as stored; None if it is unknown or damaged."""
    try:
        alike, words, agreements, is_parallel, count, size, found = value
        facts = tuple(Disagreement(*one) for one in found)
        return PairResult(float(alike), float(words), int(agreements), bool(is_parallel), facts, int(count), int(size))
    except (TypeError, ValueError):
        return None


def _first(files: Iterable[str], one: str, other: str) -> str:
    """The first of two files among ``files``; empty if neither is there."""
    return next((file for file in files if file in (one, other)), "")


def _confidence(strength: float) -> Confidence:
    return Confidence.HIGH if strength >= 0.9 else Confidence.MEDIUM if strength >= 0.7 else Confidence.LOW
