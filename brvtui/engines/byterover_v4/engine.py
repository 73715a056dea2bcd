"""ByteRover V4 as an engine over the spaces of a snapshot."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.engines.ageing.events import LEAVES_HIGH, LEAVES_MEDIUM, OF_TOPICS
from brvtui.engines.byterover_v4.profile import PROFILES
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.engines.contract import AnalysisStep, Context, EngineError, Query, ReplayStep, asking
from brvtui.engines.no_result import with_causes
from brvtui.engines.options import check_options
from brvtui.ranking.decay import just_before_ms
from brvtui.timing import Stopwatch
from brvtui.trace import AgedSignals, Ceiling, Detail, DocumentForecast, Explanation, Remedy, Trace

if TYPE_CHECKING:  # imported later, so that naming the engine or showing its traces does not load its index
    from brvtui.engines.ageing.rules import AgeingRules
    from brvtui.engines.byterover_v4.command_line import CommandLine
    from brvtui.engines.byterover_v4.hits import SpacePaths
    from brvtui.engines.byterover_v4.pending_rows import PendingRows
    from brvtui.engines.byterover_v4.presentation import V4Presentation
    from brvtui.engines.byterover_v4.profile import V4Profile
    from brvtui.engines.byterover_v4.reasons import Asking
    from brvtui.engines.byterover_v4.scripts import RankedSpace, ScriptAnswer
    from brvtui.engines.edit_previews import EditPreview, EditPreviewState
    from brvtui.engines.migration import MigratedTree
    from brvtui.engines.verification.installed import InstalledEngine
    from brvtui.engines.verification.results import Verification, VerificationRun
    from brvtui.ranking.constants import SignalRules
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named
    from brvtui.text.constants import ExpansionRules
    from brvtui.tree.reading.project import FoundProject

_TEXTS = ("element_tag", "element_attr", "element_value")
_NO_SPACE = (
    "byterover_v4 ranks the topics of a space: open a folder with a .brvspace marker or a binding, or a space's tree"
)


AN_OPTION = "V4 reads a query that begins with -- as an option, so it searches nothing: begin with another word"


@dataclass(frozen=True, slots=True)
class _ReadySpaces:
    """The spaces of one snapshot, each with the paths that its topics have in the snapshot."""

    snapshot: Snapshot
    spaces: tuple[SpacePaths, ...]


class ByteRoverV4:
    """An engine that ranks by relative relevance, without tiers, cache, model, services or side effects."""

    name = PROFILES[0]
    title = "ByteRover V4"
    profiles = PROFILES
    modes: tuple[str, ...] = ()
    sections = (SpaceAnswer,)

    def __init__(self) -> None:
        self._ready: _ReadySpaces | None = None
        self._indexing = threading.Lock()

    @cached_property
    def presentation(self) -> V4Presentation:
        """The presentation of V4's traces."""
        from brvtui.engines.byterover_v4.presentation import V4Presentation

        return V4Presentation()

    def constants(self, profile: str = "") -> V4Profile:
        """The constants of a built-in or TOML profile. Raises :class:`brvtui.typed_tables.ProfileError`."""
        from brvtui.engines.byterover_v4.profile import load_profile

        return load_profile(profile)

    def answer(self, context: Context[V4Profile], query: Query) -> Trace:
        """The answer to ``query``; if V4 fails, a trace with the cause. Raises :class:`EngineError`."""
        trace = self._answered(context, query)[0]
        section = trace.section(SpaceAnswer)
        return trace if section.failure else with_causes(self, context, query, trace, section.cleaned.split(), _TEXTS)

    def analysis(self, context: Context[V4Profile], text: str) -> tuple[AnalysisStep, ...]:
        """The words of ``text``, as in a search of all topics."""
        from brvtui.engines.byterover_v4.corpus import TopicFilter
        from brvtui.engines.byterover_v4.index import DuplicateIds
        from brvtui.engines.byterover_v4.search import asked_words
        from brvtui.text.analysis import from_utf16

        words = asked_words(_command_line(Query(text)).query, context.constants.query)
        spaces = (paths.space.corpus for paths in self._spaces(context.snapshot))
        try:
            indexes = [corpus.index(TopicFilter())[0] for corpus in spaces]
            found = [index.search(words.cleaned, context.constants.text).tokens for index in indexes]
        except DuplicateIds as error:
            raise EngineError(f"V4 fails on every query: {error}") from error
        matched = {one.token for tokens in found for one in tokens if len(one.documents)}
        names = dict.fromkeys(one.token for one in found[0])
        return (
            AnalysisStep("stop words", words.dropped),
            AnalysisStep("keywords", words.significant, "a topic must contain one of them, if there are any"),
            AnalysisStep("terms", tuple(from_utf16(one.token) for one in found[0]), "lower case; CJK runs as pairs"),
            AnalysisStep("unmatched", tuple(from_utf16(name) for name in names if name not in matched)),
        )

    def expansion_rules(self, constants: V4Profile) -> ExpansionRules:
        """The rules for prefix and fuzzy matches."""
        return constants.text

    def detail(self, context: Context[V4Profile], trace: Trace, file: str) -> Detail | None:
        """The score of the topic at ``file``, and the terms that contribute to the raw score of the topic's best
        document.

        The result is None if no term matches. Raises KeyError for a topic that is not in the snapshot.
        """
        from brvtui.engines.byterover_v4.reasons import detail_of

        if file not in context.snapshot.by_path and all(hit.file != file for hit in trace.hits):
            raise KeyError(file)
        again, answer, spaces = self._answered(context, Query.repeating(trace))
        return detail_of(context.constants, again, answer, spaces, file) if answer is not None else None

    def why(self, context: Context[V4Profile], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``."""
        from brvtui.engines.byterover_v4.reasons import explain

        detail = self.detail(context, trace, document.path) if document.position is not None else None
        ahead = self.forecast(context, document.path, 0.0)
        return explain(context, trace, document, detail, ahead, self._asking(context, trace))

    def remedies(
        self, context: Context[V4Profile], trace: Trace, document: Named, cancelled: Callable[[], bool]
    ) -> tuple[Remedy, ...]:
        """The changes that improve the rank of ``document`` in the answer ``trace``, best first. Each was tried."""
        from brvtui.engines.byterover_v4.reasons import remedies

        return remedies(context, trace, document, self._asking(context, trace), cancelled)

    def _asking(self, context: Context[V4Profile], trace: Trace) -> Asking:
        """Functions that repeat the query of ``trace`` with changed options or with a changed space."""
        from brvtui.engines.byterover_v4.reasons import Asking

        spaces = self._spaces(context.snapshot)

        def ask_of(place: int, space: RankedSpace) -> Trace:
            changed = replace(spaces[place], space=space, paths=_paths(space, _alias(context.snapshot, place)))
            others = (*spaces[:place], changed, *spaces[place + 1 :])
            return self._answered(context, Query.repeating(trace), others)[0]

        return Asking(asking(self, context, trace), ask_of, spaces)

    @property
    def event_kinds(self) -> Mapping[str, str]:
        """Descriptions of the ageing events of topics, keyed by event."""
        from brvtui.engines.byterover_v4.outlook import EVENT_KINDS

        return EVENT_KINDS

    def forecast(self, context: Context[V4Profile], document: str, day: float) -> DocumentForecast | None:
        """The score that the topic at ``document`` gets if it is the best match for a query, now and in ``day`` days.

        The result is None for a file that is not a topic.
        """
        from brvtui.engines.byterover_v4.outlook import forecast

        for paths in self._spaces(context.snapshot):
            own = next((path for path, file in paths.paths.items() if file == document), None)
            if own is not None:
                return forecast(paths.space.corpus, own, context.now_ms, context.constants, day)
        return None

    def ageing_rules(self, constants: V4Profile, stored: SignalRules) -> AgeingRules:
        """The ageing constants for topics, which lose levels of confidence, but have no gates, archive or pruning."""
        from brvtui.engines.ageing.rules import AgeingRules

        rules, results = constants.signals, constants.results
        signals = replace(
            stored,
            access_gain=rules.access_gain,
            max_importance=rules.max_importance,
            validated_from=rules.validated_from,
            validated_until=rules.validated_until,
            core_from=rules.core_from,
            core_until=rules.core_until,
        )
        gates = {LEAVES_HIGH: results.high, LEAVES_MEDIUM: results.medium}
        return AgeingRules(constants.compound, constants.decay, signals, gates, OF_TOPICS)

    def standing(self, context: Context[V4Profile], document: str) -> tuple[AgedSignals, Ceiling | None] | None:
        """A topic's signals before and after decay, and its best possible score; None if there is no such topic."""
        from brvtui.engines.byterover_v4.outlook import standing

        for paths in self._spaces(context.snapshot):
            own = next((path for path, file in paths.paths.items() if file == document), None)
            if own is not None:
                return standing(paths.space.corpus, own, context.now_ms, context.constants)
        return None

    def preview_edit(
        self, context: Context[V4Profile], query: Query, path: str, content: str, keep_mtime: bool
    ) -> EditPreview:
        """The answer before and after ``content`` is saved as the topic at ``path`` in the first space. The topic may
        be new.

        Nothing is written. Raises :class:`brvtui.tree.spaces.topic_html.UnreadableTopic`.
        """
        from brvtui.engines.byterover_v4.mending import with_topic
        from brvtui.engines.byterover_v4.outlook import standing
        from brvtui.engines.edit_previews import EditPreview
        from brvtui.tree.spaces.topic_html import parse_topic

        topic, now_ms, place = parse_topic(content), context.now_ms, context.snapshot.by_path.get(path)
        mtime_ms = context.snapshot.notes[place].mtime_ms if place is not None else now_ms
        first, *others = self._spaces(context.snapshot)

        def saved(moment_ms: float) -> EditPreviewState:
            space = with_topic(first.space, path, topic, moment_ms)
            changed = replace(first, space=space, paths=_paths(space, ""))
            trace = self._answered(context, query, (changed, *others))[0]
            return _previewed(trace, path, standing(space.corpus, path, now_ms, context.constants))

        now = _previewed(self.answer(context, query), path, self.standing(context, path))
        return EditPreview(path, now, saved(just_before_ms(now_ms)), saved(mtime_ms), keep_mtime)

    def migrated(self, snapshot: Snapshot, now_ms: float, name: str, constants: V4Profile) -> MigratedTree:
        """The space called ``name`` that V4's migration would create at ``now_ms`` from the tree of ``snapshot``."""
        from brvtui.engines.byterover_v4.migration.tree import migrate_tree

        return migrate_tree(snapshot, now_ms, name, constants)

    def kept_queries(self, project: FoundProject) -> PendingRows:
        """The queries over the spaces of ``project`` that V4 has not yet sent."""
        from brvtui.engines.byterover_v4.pending_rows import PendingRows
        from brvtui.tree.spaces.locating import is_of_folder
        from brvtui.tree.spaces.project import SpaceProject

        assert isinstance(project, SpaceProject)
        first, ids = project.spaces[0], (space.id for space in project.spaces)
        return PendingRows(first.data, ids, project.root if is_of_folder(first, project.root) else None)

    def find_installed(self, named: Path | None, environment: Mapping[str, str]) -> InstalledEngine:
        """V4's skill bundle at ``named`` or, without ``named``, an installed one. Raises ``NotInstalled``."""
        from brvtui.engines.verification.installed import find_bundle

        return find_bundle(named, environment)

    def verify(self, run: VerificationRun) -> Verification | None:
        """The comparison of answers from the installed program with answers from this engine; None if cancelled."""
        from brvtui.engines.byterover_v4.verification import verify

        return verify(run, self)

    def replay_query(
        self, context: Context[V4Profile], query: Query, limit: int | None
    ) -> tuple[Trace, dict[str, Any]]:
        """The trace, and the data for one line of output: the answer as V4 prints it, under ``answer``, or V4's
        message, under ``error``, if it fails.

        The limit is appended to the command line, even if the query contains the whole command line (``argv``).
        """
        trace = self.answer(context, _limited(query, limit or context.constants.results.limit))
        printed = trace.section(SpaceAnswer).printed
        return trace, printed if "error" in printed else {"answer": printed}

    def replay_sequence(
        self, context: Context[V4Profile], steps: Sequence[ReplayStep], like: Query, limit: int | None
    ) -> Iterator[dict[str, Any]]:
        """Yields each step's answer, and the signals of its hits after the step. Access hits accumulate. A topic that a
        step touches keeps the time of that step.
        """
        from brvtui.engines.byterover_v4.replaying import answers_in_sequence

        spaces = self._spaces(context.snapshot)
        queries = (_limited(replace(like, text=step.query), limit) for step in steps)
        lines = [_command_line(query) for query in queries]
        return answers_in_sequence(spaces[0].space, steps, lines, context.now_ms, context.constants)

    def _answered(
        self, context: Context[V4Profile], query: Query, instead: tuple[SpacePaths, ...] = ()
    ) -> tuple[Trace, ScriptAnswer | None, tuple[SpacePaths, ...]]:
        """The trace and the answer for ``query``, and the searched spaces: ``instead`` or, by default, the snapshot's
        own.
        """
        from brvtui.engines.byterover_v4.replaying import FAILURES, failure_of
        from brvtui.engines.byterover_v4.scripts import filter_of, query_space, query_spaces
        from brvtui.engines.byterover_v4.tracing import failed, traced

        watch = Stopwatch()
        line = _command_line(query)
        answer: ScriptAnswer | None = None
        with watch.measure("total"):
            with watch.measure("index"):
                spaces = instead or self._spaces(context.snapshot)
            ranked = [paths.space for paths in spaces]
            try:
                with watch.measure("search"):
                    if len(ranked) == 1:
                        answer = query_space(ranked[0], line, context.now_ms, context.constants)
                    else:
                        answer = query_spaces(ranked, line, context.now_ms, context.constants)
                trace = traced(context, query, line.query, filter_of(line), answer, spaces)
            except FAILURES as error:
                trace = failed(context, query, line.query, failure_of(error), ranked)
        if query.text.startswith("--") and "argv" not in query.options:
            trace = replace(trace, query=query.text, notices=(*trace.notices, AN_OPTION))
        trace.timings.update({name: round(ms, 3) for name, ms in watch.ms.items()})
        return trace, answer, spaces

    def _spaces(self, snapshot: Snapshot) -> tuple[SpacePaths, ...]:
        """The spaces of ``snapshot``. Topics that have not changed since the last snapshot are not tokenized again."""
        from brvtui.engines.byterover_v4.hits import SpacePaths
        from brvtui.engines.byterover_v4.scripts import ranked_space

        if not snapshot.spaces:
            raise EngineError(_NO_SPACE)
        with self._indexing:
            if self._ready is not None and self._ready.snapshot is snapshot:
                return self._ready.spaces
            before = (
                {paths.space.contents.folder.tree: paths.space for paths in self._ready.spaces} if self._ready else {}
            )
            ranked = []
            for place, contents in enumerate(snapshot.spaces):
                space = ranked_space(contents, before.get(contents.folder.tree))
                ranked.append(SpacePaths(space, _paths(space, _alias(snapshot, place))))
            self._ready = _ReadySpaces(snapshot, tuple(ranked))
            return self._ready.spaces


def _previewed(trace: Trace, path: str, standing: tuple[AgedSignals, Ceiling | None] | None) -> EditPreviewState:
    from brvtui.engines.edit_previews import EditPreviewState

    _, own = trace.place_of(path)
    aged, ceiling = standing or (None, None)
    return EditPreviewState(
        trace.hits, own, aged.recency if aged else None, ceiling.score if ceiling else None, trace.verdict
    )


def _alias(snapshot: Snapshot, place: int) -> str:
    """The alias of the space at index ``place`` in ``snapshot``; empty for the first space."""
    return snapshot.project.sources[place - 1].alias if place else ""


def _paths(space: RankedSpace, alias: str) -> Mapping[str, str]:
    return {path: f"[{alias}]:{path}" if alias else path for path in space.corpus.by_path}


def _limited(query: Query, limit: int | None) -> Query:
    """``query`` with ``limit``; ``query`` itself if it already has a limit or ``limit`` is None."""
    if limit is None or "limit" in query.options:
        return query
    return replace(query, options={**query.options, "limit": limit})


def _command_line(query: Query) -> CommandLine:
    """``query`` as a V4 command line. Raises :class:`EngineError` for an unknown or invalid option."""
    from brvtui.engines.byterover_v4.command_line import CommandLine, read_command_line

    options = dict(query.options)
    check_options(PROFILES[0], options, dict.fromkeys(_TEXTS, str), ("limit", "argv"))
    limit, argv = options.get("limit"), options.get("argv")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float | str)):
        raise EngineError(f"limit {limit!r}: must be a number")
    if argv is not None and not (isinstance(argv, list) and all(isinstance(word, str) for word in argv)):
        raise EngineError("argv must be a list of words")
    flags: dict[str, str | bool] = {
        name.replace("_", "-"): value for name in _TEXTS if isinstance(value := options.get(name), str)
    }
    if query.scope:
        flags["scope"] = query.scope
    if limit is not None:
        flags["limit"] = str(limit)
    if argv is None and not query.text.startswith("--"):
        return CommandLine((query.text,), flags)
    argv = [query.text] if argv is None else argv
    return read_command_line([*argv, *(word for name, value in flags.items() for word in (f"--{name}", str(value)))])
