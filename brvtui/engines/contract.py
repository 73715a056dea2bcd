"""The contract of an engine: its methods, which take a frozen context, and the presentation of its traces.

See ``docs/contributing/engines.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from brvtui.services.provided import NO_SERVICES, EngineServices
from brvtui.trace import Detail, DocumentForecast, Explanation, Remedy, SnapshotInfo, Trace

if TYPE_CHECKING:
    from pathlib import Path

    from brvtui.engines.ageing.rules import AgeingRules
    from brvtui.engines.edit_previews import EditPreview
    from brvtui.engines.presentation import Presentation
    from brvtui.engines.verification.installed import InstalledEngine
    from brvtui.engines.verification.results import Verification, VerificationRun
    from brvtui.ranking.constants import SignalRules
    from brvtui.services.model import Cancellation
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named
    from brvtui.text.constants import ExpansionRules
    from brvtui.trace import AgedSignals, Ceiling, ManifestPlace
    from brvtui.trace.events import Event
    from brvtui.trace.feedback import Usefulness
    from brvtui.trace.routing import CacheNow
    from brvtui.tree.reading.project import FoundProject

C = TypeVar("C")
LONGEST_QUERY = 10_000
"""The maximum length of a query in characters. Every engine answers a query of this length in a second or so on a tree
of 60 notes.
"""


class EngineError(ValueError):
    """An engine rejects a query, for example for an invalid option. The message is one line for the user."""


class StorageError(EngineError):
    """An engine cannot store feedback. The message names the file and the remedy."""


class UnknownEngine(EngineError):
    """No engine with the requested name is installed."""


def trial_limit(text: str) -> int:
    """The maximum number of changes of one kind to try for the query ``text``, from 10,000 for the shortest query to 2
    for the longest.

    The limit exists because each trial runs the engine again.
    """
    return 20_000 // max(len(text), 2)


def check_length(text: str) -> None:
    """Raises :class:`EngineError` for a query longer than :data:`LONGEST_QUERY`."""
    if len(text) > LONGEST_QUERY:
        raise EngineError(f"the query has {len(text):,} characters, but at most {LONGEST_QUERY:,} are allowed")


@dataclass(frozen=True)
class Context(Generic[C]):
    """The inputs of a query besides its text: snapshot, constants, time, and the services that may be called."""

    snapshot: Snapshot
    constants: C
    now_ms: float
    """The time in milliseconds since 1970."""
    services: EngineServices = NO_SERVICES

    @property
    def snapshot_info(self) -> SnapshotInfo:
        """The snapshot and the time, as a trace records them."""
        moment = datetime.fromtimestamp(self.now_ms / 1000, UTC).isoformat(timespec="milliseconds")
        snapshot = self.snapshot
        clock = moment.replace("+00:00", "Z")
        return SnapshotInfo(
            snapshot.project.name, snapshot.generation, len(snapshot.notes), clock, not snapshot.kind.has_files
        )


def _silent(count: int, wanted: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Query:
    """One query. A preview has no side effects, and calls paid services only if ``services`` is set."""

    text: str
    scope: str = ""
    run: bool = False
    services: bool = False
    """True if a preview may call paid services; a run always may."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Engine-specific options, keyed by name.

    An engine raises :class:`EngineError` for an unknown option or a wrong value, and records the options in
    :attr:`Trace.options`.
    """
    progress: Callable[[int, int], None] = _silent
    """A function that is called with the finished and the total amount of work that must be done before the answer."""
    reworded: bool = False
    """True if brv-tui tries another wording, which may be longer than :data:`LONGEST_QUERY`."""

    def __post_init__(self) -> None:
        """Raises :class:`EngineError` if the text is too long."""
        if not self.reworded:
            check_length(self.text)

    @property
    def may_ask(self) -> bool:
        """True if paid services may be called: always for a run, and for a preview if ``services`` is set."""
        return self.run or self.services

    @classmethod
    def repeating(cls, trace: Trace, text: str = "") -> Query:
        """The query of ``trace`` as a preview with the same scope and options. If ``text`` is given, it replaces the
        words of the query.

        Services may be called if the trace is from a run.
        """
        return cls(
            text or trace.query, trace.scope_option, services=trace.ran, options=trace.options, reworded=bool(text)
        )


class Engine(Protocol[C]):
    """The retrieval part of a memory system. One instance serves one project and may be called from any thread."""

    @property
    def name(self) -> str:
        """The engine's name in settings, traces and files."""

    @property
    def title(self) -> str:
        """The name that the system itself uses, such as ``Jeffs Brain``."""

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of the built-in profiles; the first is the default."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The values of the option ``mode``, with the default first; empty for an engine without modes."""

    @property
    def sections(self) -> tuple[type[Any], ...]:
        """The types of the sections in the engine's traces (:class:`brvtui.trace.Section`)."""

    @property
    def presentation(self) -> Presentation:
        """The presentation of the engine's traces in words."""

    def constants(self, profile: str = "") -> C:
        """The constants in the profile called ``profile``, or in the default profile if the name is empty.

        Raises :class:`brvtui.typed_tables.ProfileError` for an unknown name.
        """

    def answer(self, context: Context[C], query: Query) -> Trace:
        """The answer to ``query`` with every decision. Raises :class:`EngineError`."""

    def detail(self, context: Context[C], trace: Trace, file: str) -> Detail | None:
        """The score of the document ``file`` for the query of ``trace``, by term and field; None if no term matches the
        document.

        Raises KeyError for a document that is not in the snapshot of ``context``.
        """

    def why(self, context: Context[C], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``, with a remedy that was tried."""


def asking(
    engine: Engine[Any], context: Context[Any], trace: Trace, services: bool | None = None
) -> Callable[..., Trace]:
    """A function that repeats the query of ``trace`` in ``engine`` with a different text, scope or options.

    An option with the value None is removed. ``services`` determines whether services may be called; the default is
    taken from ``trace``.
    """

    def ask(text: str, scope: str | None = None, **options: Any) -> Trace:
        query = Query.repeating(trace, text)
        merged = {name: value for name, value in {**query.options, **options}.items() if value is not None}
        scope, allowed = query.scope if scope is None else scope, query.services if services is None else services
        return engine.answer(context, replace(query, scope=scope, services=allowed, options=merged))

    return ask


@runtime_checkable
class PreparingEngine(Protocol):
    """An engine that has work to do before it can answer, such as computing vectors or building an index."""

    def prepare(
        self, context: Context[Any], progress: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> None:
        """Does the work that queries with ``context`` need. Calls ``progress`` with the finished and the total amount
        of the work.
        """


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a sequence: wait, set a note's modification time, and run a query."""

    query: str
    wait_seconds: float
    touch: str | None


@runtime_checkable
class Replays(Protocol):
    """An engine whose answers change its state, such as a cache or the memory of a session."""

    def replay_query(self, context: Context[Any], query: Query, limit: int | None) -> tuple[Trace, dict[str, Any]]:
        """The answer to ``query`` in a separate state, and data for a line of output with ``limit`` results."""

    def replay_sequence(
        self, context: Context[Any], steps: Sequence[ReplayStep], like: Query, limit: int | None
    ) -> Iterator[dict[str, Any]]:
        """Yields the data for a line of output for each step, with at most ``limit`` results. All steps share one
        state, and the clock advances from step to step.

        Each query has the scope and options of ``like``.
        """


@runtime_checkable
class RemembersRuns(Protocol):
    """An engine whose runs change its answers for the rest of the session."""

    def without_runs(self) -> Engine[Any]:
        """A copy of the engine with the same index but without any effect of the queries run in this session."""


@runtime_checkable
class CompletingEngine(Protocol):
    """An engine with answers by a language model, if :attr:`brvtui.trace.Answer.awaits_model` is True."""

    def complete(self, context: Context[Any], query: Query, cancellation: Cancellation) -> Iterator[Event]:
        """Runs ``query``, has a model write the answer if one is needed, and yields the events as they happen."""


@runtime_checkable
class TriesRemedies(Protocol):
    """An engine that tries changes that could help a document."""

    def remedies(
        self, context: Context[Any], trace: Trace, document: Named, cancelled: Callable[[], bool]
    ) -> tuple[Remedy, ...]:
        """The changes that raise ``document`` in the answer ``trace``, best first. Each change was tried."""


@runtime_checkable
class LearningEngine(Protocol):
    """An engine whose answers depend on users' feedback on its results."""

    def learn(self, context: Context[Any], trace: Trace, file: str, usefulness: Usefulness) -> str:
        """Stores a user's feedback on the result ``file`` of ``trace``, and returns one line about the effect.

        Raises :class:`EngineError` if the feedback cannot be stored.
        """


@runtime_checkable
class Forecasts(Protocol):
    """An engine whose scores for a document change over time."""

    @property
    def event_kinds(self) -> Mapping[str, str]:
        """The state of documents after each kind of dated event, such as ``left tier 2``, keyed by its name."""

    def forecast(self, context: Context[Any], document: str, day: float) -> DocumentForecast | None:
        """The best possible score of the document at the path ``document``, now and in ``day`` days, and its dated
        events.

        The result is None for a file that the engine does not rank. Raises :class:`EngineError`.
        """


@runtime_checkable
class Ages(Protocol):
    """An engine with rules for the ageing of documents' stored signals."""

    def ageing_rules(self, constants: Any, stored: SignalRules) -> AgeingRules:
        """The ageing rules. ``stored`` contains the rules with which the documents' signals were read."""

    def standing(self, context: Context[Any], document: str) -> tuple[AgedSignals, Ceiling | None] | None:
        """A document's signals before and after decay, and its best possible score; None if it is unknown."""


@runtime_checkable
class Verifies(Protocol):
    """An engine whose answers can be compared with the original program's, if that program is installed."""

    def find_installed(self, named: Path | None, environment: Mapping[str, str]) -> InstalledEngine:
        """The original program at ``named`` or, without ``named``, an installed one.

        Raises :class:`brvtui.engines.verification.installed.NotInstalled`.
        """

    def verify(self, run: VerificationRun) -> Verification | None:
        """The comparison of the original program's answers with this engine's; None if cancelled.

        Raises :class:`brvtui.engines.verification.sealed_node.EngineRunError` and OSError.
        """


@runtime_checkable
class KeepsQueries(Protocol):
    """An engine that stores the queries that it answered in its own log."""

    def kept_queries(self, project: FoundProject) -> Any:
        """The queries over ``project``, as a :class:`brvtui.logbook.EngineQueries`."""


@runtime_checkable
class PreviewsEdits(Protocol):
    """An engine that can preview its answer after an edit of a document."""

    def preview_edit(
        self, context: Context[Any], query: Query, path: str, content: Any, keep_mtime: bool
    ) -> EditPreview:
        """The answer and the document's numbers before and after ``content`` replaces the file at ``path``.

        ``content`` is bytes for a note and HTML for a topic. ``keep_mtime`` is True for a save that keeps the
        modification time.
        """


@runtime_checkable
class Caches(Protocol):
    """An engine with a cache of answers. The cache is simulated."""

    def cache_now(self, context: Context[Any], query: str) -> CacheNow:
        """The current state of the cache, with the look-up for ``query``."""

    def clear_cache(self) -> None:
        """Empties the cache."""


@runtime_checkable
class SearchesBesides(Protocol):
    """An engine that can search with or without its router."""

    def plain_search(self, context: Context[Any], query: str, limit: int, scope: str) -> Any:
        """The results of a search without the router, at most ``limit``, as a section of the engine's own type."""

    def with_plain_search(self, context: Context[Any], trace: Trace, limit: int) -> Trace:
        """``trace`` with an additional section: a search for ``limit`` results without the router."""


@runtime_checkable
class CountsAccess(Protocol):
    """An engine that counts how often a document is found."""

    def accessed(self, trace: Trace) -> tuple[str, ...]:
        """The distinct files whose access count increases through ``trace``."""


@dataclass(frozen=True, slots=True)
class AnalysisStep:
    """One step on the way from a text to the words that an engine searches for.

    The names of steps are ``scope``, ``text`` (after changes to the whole text), ``words``, ``stop words`` (those left
    out), ``keywords``, ``terms`` (those searched), ``stems``, ``expression`` (in FTS5 syntax), ``compared`` (the words
    of a TF-IDF vector) and ``unmatched`` (the searched words that match nothing).
    """

    name: str
    tokens: tuple[str, ...]
    note: str = ""
    """The reason for the result, or the rule."""


@runtime_checkable
class Analyses(Protocol):
    """An engine that shows how it splits the text of a query into words, using the same functions as its search."""

    def analysis(self, context: Context[Any], text: str) -> tuple[AnalysisStep, ...]:
        """The steps for ``text`` in order, without calling services. Raises :class:`EngineError`."""


@runtime_checkable
class ExpandsTerms(Protocol):
    """An engine that also finds words that begin with a query word, or differ from it by a few letters."""

    def expansion_rules(self, constants: Any) -> ExpansionRules | None:
        """The rules for these words; None if ``constants`` switch them off."""


@runtime_checkable
class QuotesNotes(Protocol):
    """An engine whose answers quote at most a certain number of characters of a note."""

    def quoted_units(self, constants: Any) -> int:
        """The maximum number of UTF-16 units of a note that an answer quotes."""


@dataclass(frozen=True, slots=True)
class BriefAnswer:
    """An answer without explanations and texts."""

    covered: bool
    tier: int | None
    results: Mapping[str, float]
    """The score of the best result of each file, keyed by file, best first."""
    quoted: tuple[str, ...]
    """The files quoted in the answer, or in the prompt for a model."""


@runtime_checkable
class AnswersBriefly(Protocol):
    """An engine that answers in much less time if nothing needs to be explained."""

    def brief_answer(self, context: Context[Any], query: Query) -> BriefAnswer:
        """The answer of :meth:`Engine.answer` to ``query`` as a preview. Raises :class:`EngineError`."""


@runtime_checkable
class HasManifest(Protocol):
    """An engine that lists the tree in a manifest, which is part of its prompts."""

    def manifest_place(self, context: Context[Any], path: str) -> ManifestPlace | None:
        """The place of the file at ``path`` in the manifest; None for a file that is not in the snapshot."""


class CodeAnswer(Protocol):
    """The symbols that answer a question about code. Its lines of text are not escaped for display."""

    notices: tuple[str, ...]
    """Messages about feedback or services that could not be used."""

    @property
    def is_empty(self) -> bool:
        """True if there is no symbol."""

    def as_text(self, form: str) -> str:
        """The symbols as text for an agent. ``form`` is ``xml``, ``markdown`` or ``json``."""

    def lines(self) -> list[str]:
        """Lines about the first symbols with the reasons for them, about the notes that mention them, and about their
        files without a note.
        """

    def note_lines(self) -> tuple[list[str], bool]:
        """Lines about the notes that mention the symbols, and True; if there are none, the reason and False."""

    def why_lines(self, symbol: str) -> tuple[list[str], bool] | None:
        """Lines about the rank of ``symbol`` and the parts of its score, and True if the symbol is ranked.

        The result is None if no symbol's name contains ``symbol``.
        """

    def files_without_note(self) -> Sequence[str]:
        """The files of the symbols that no note mentions, best first. Test files are left out."""


@runtime_checkable
class ReadsCode(Protocol):
    """An engine that ranks the symbols of a repository for tasks, files and changes."""

    def answer_code(self, context: Context[Any], query: Query, files: Sequence[str]) -> CodeAnswer:
        """The answer to ``query``. If the option ``entry`` requests files or changes, it is about the files with the
        paths ``files``.

        Raises :class:`EngineError`.
        """
