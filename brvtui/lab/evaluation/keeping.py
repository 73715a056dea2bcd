"""Evaluates judged queries, and caches the answers so that no query runs twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from brvtui import __version__
from brvtui.derived import Key
from brvtui.disk.walking import walk
from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.evaluation.evaluate import EngineRequest, Progress, asked_words, evaluate
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.model import Judgment
from brvtui.regular_files import LARGEST, read_regular
from brvtui.services.legs import ServiceError
from brvtui.snapshot import Snapshot
from brvtui.store.kept_answers import KeptAnswers

# A digest of everything that an engine's answers depend on: equal digests mean equal answers.


_SNAPSHOT: Key[str] = Key("digest of everything that answers depend on")


def answers_digest(engine: Engine[Any], context: Context[Any], like: Query) -> str:
    """A digest of everything that affects the answers of ``engine`` in ``context``, except query text, scope and time.

    The digest covers the snapshot's files, the signals and their order, the constants, options (with the contents of
    files that they name) and feedback, and the program code. It is empty for code repositories, if a file cannot be
    read, and if the answers depend on a service, which may change independently.
    """
    services = context.services
    try:
        may_change = like.may_ask or services.embedder is not None or services.reranker is not None
        feedback = list(services.feedback(engine.name).said())
        options = [(name, value, _content_of(value)) for name, value in sorted(like.options.items())]
    except (OSError, ServiceError):
        return ""
    if may_change or not context.snapshot.kind.has_files:
        return ""
    parts = (
        __version__,
        engine.name,
        _code_of(type(engine).__module__.partition(".")[0]),
        _digest_of(context.snapshot),
        repr(context.constants),
        repr(options),
        repr(feedback),
    )
    return _hashed(parts)


def _content_of(option: Any) -> bytes:
    """A digest of the file that ``option`` names; empty if it names none. Raises OSError if it cannot be read."""
    if isinstance(option, Path) or (isinstance(option, str) and Path(option).is_file()):
        return hashlib.sha256(read_regular(Path(option), LARGEST, follow_links=True)).digest()
    return b""


def _digest_of(snapshot: Snapshot) -> str:
    return snapshot.derived.of(_SNAPSHOT, lambda: _hashed(_lines(snapshot)))


def _lines(snapshot: Snapshot) -> Iterator[str]:
    """Yields, as strings, everything in ``snapshot`` that is not derived from other parts of it."""
    project = snapshot.project
    yield repr((project, snapshot.limits, snapshot.stored.broken, snapshot.engine_failure, snapshot.unseen))
    yield repr(snapshot.frontmatter_defaults)
    yield "\n".join(note.path for note in snapshot.notes)
    for path in sorted(snapshot.parsed):
        entry = snapshot.parsed[path]
        yield f"{path}\0{entry.alias}\0{entry.mtime_ns}\0{entry.size}\0{entry.inode}\0{entry.ctime_ns}\0{entry.unseen}"
    yield repr(snapshot.signals)
    yield repr(sorted(snapshot.summary_signals.items()))
    yield repr(sorted(snapshot.edited.items()))
    for space in snapshot.spaces:
        yield repr((space.folder, space.markdown, space.signals, space.port, space.unseen))


@cache
def _code_of(package: str) -> str:
    """A digest of the sizes and times of the source files in ``package``, which differs between versions."""
    module = import_module(package)
    files = [Path(module.__file__)] if module.__file__ else []
    for folder in getattr(module, "__path__", ()):
        files += [Path(entry.path) for entry, path in walk(folder) if path.endswith((".py", ".toml"))]
    states = ((file, file.stat()) for file in files if file.is_file())
    return _hashed(sorted(f"{file}\0{state.st_mtime_ns}\0{state.st_size}" for file, state in states))


def _hashed(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0\n")
    return digest.hexdigest()


_FORMAT = 2
"""The version of the stored format. It must change whenever the stored fields change."""
_NAME_DIGITS = 32
_SAME_HOUR_MS = 3_600_000
_MOST_QUERIES = 20_000


@dataclass(frozen=True)
class _State:
    now_ms: float
    results: Mapping[EngineRequest, QueryResult]


@dataclass(frozen=True, slots=True)
class KeepingEvaluator:
    """Evaluates queries over one tree. The cache ``kept`` saves time and does not affect the numbers."""

    kept: KeptAnswers
    is_frozen: bool
    """True if the session has a fixed time (``--now``); answers are then cached under that time."""
    is_used: bool = True
    """True if cached answers are used. New answers are always cached."""

    def recent(
        self, engine: Engine[Any], context: Context[Any], like: Query, later_ms: float
    ) -> tuple[float, Mapping[EngineRequest, QueryResult]]:
        """The time of the reusable cached answers, and the answers keyed by text and scope.

        Reusable answers have the same ``later_ms`` and are at most an hour older than the time of ``context``. If no
        answer is reusable, returns the time of ``context`` and no answers. Scores fall every second, so answers are
        cached with their time, and all numbers in one evaluation refer to the same time.
        """
        state = self._read(self._name(engine, context, like, later_ms))
        if state is not None and 0 <= context.now_ms - state.now_ms <= _SAME_HOUR_MS:
            return state.now_ms, state.results
        return context.now_ms, {}

    def evaluate(
        self,
        engine: Engine[Any],
        context: Context[Any],
        judgments: Sequence[Judgment],
        like: Query,
        revision: str = "",
        progress: Progress = lambda done, of: None,
        later_ms: float | None = None,
    ) -> Evaluation:
        """Evaluates like :func:`brvtui.lab.evaluation.evaluate.evaluate`, but reuses cached answers for the same time.

        If the time is the running clock plus some number of milliseconds, pass that number as ``later_ms`` so that
        :meth:`recent` finds the answers later.
        """
        name = self._name(engine, context, like, later_ms)
        known = self._cached_results(name, context)
        evaluation = evaluate(engine, context, judgments, like, revision, progress, known)
        if evaluation.kept < len(evaluation.queries):
            pairs = zip(judgments, evaluation.queries, strict=True)
            self._write(name, context, known, {asked_words(judgment, like): query for judgment, query in pairs})
        return evaluation

    def keep(
        self,
        engine: Engine[Any],
        context: Context[Any],
        like: Query,
        results: Mapping[EngineRequest, QueryResult],
        later_ms: float,
    ) -> None:
        """Adds ``results``, the answers in ``context``, to the cache."""
        name = self._name(engine, context, like, later_ms)
        self._write(name, context, self._cached_results(name, context), results)

    def _cached_results(self, name: str, context: Context[Any]) -> Mapping[EngineRequest, QueryResult]:
        state = self._read(name)
        return state.results if state is not None and state.now_ms == context.now_ms else {}

    def _write(
        self,
        name: str,
        context: Context[Any],
        known: Mapping[EngineRequest, QueryResult],
        new: Mapping[EngineRequest, QueryResult],
    ) -> None:
        if name:
            results = {**known, **new} if len(known) < _MOST_QUERIES else new
            with suppress(OSError):  # works without a writable cache
                self.kept.write(name, _as_plain(_State(context.now_ms, results)))

    def _read(self, name: str) -> _State | None:
        return _from_plain(self.kept.read(name)) if name and self.is_used else None

    def _name(self, engine: Engine[Any], context: Context[Any], like: Query, later_ms: float | None) -> str:
        """The name of the cache entry; empty if the answers must not be cached."""
        digest = answers_digest(engine, context, like)
        moment = repr(context.now_ms) if self.is_frozen or later_ms is None else f"now + {later_ms!r}"
        key = hashlib.sha256(f"{_FORMAT} {digest} {moment}".encode()).hexdigest()
        return key[:_NAME_DIGITS] if digest else ""


def _as_plain(state: _State) -> dict[str, Any]:
    """``state`` as lists, which can be read four times as fast as objects."""
    rows = [
        [
            *key, query.outcome, query.prompt_tokens, query.ms, query.sentence, query.version, list(query.quoted),
            [[item.path, item.score, [[part.name, part.value] for part in item.parts]] for item in query.results],
        ]
        for key, query in state.results.items()
    ]  # fmt: skip
    return {"now_ms": state.now_ms, "rows": rows}


def _from_plain(value: Any) -> _State | None:
    """The state in ``value``; None if ``value`` is invalid."""
    try:
        results = {(row[0], row[1]): _result(*row) for row in value["rows"]}
        return _State(float(value["now_ms"]), results)
    except (TypeError, KeyError, ValueError, IndexError, OverflowError):
        return None


def _result(
    text: str, scope: str, outcome: str, prompt_tokens: int, ms: float, sentence: str, version: str, quoted: Any,
    items: Any,
) -> QueryResult:  # fmt: skip
    results = tuple(
        RankedDocument(path, score, tuple(ScorePart(name, value) for name, value in parts))
        for path, score, parts in items
    )
    return QueryResult("", text, scope, "", {}, outcome, results, prompt_tokens, ms, sentence, version, tuple(quoted))
