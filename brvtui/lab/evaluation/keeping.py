"""Evaluates judged queries, and keeps the answers, so that the same are not asked twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.evaluation.evaluate import Asked, Progress, asked_words, evaluate
from brvtui.lab.evaluation.fingerprint import answers_digest
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.model import Judgment
from brvtui.store.kept_answers import KeptAnswers

_FORMAT = 2
"""Another one for every change of what is kept of an answer."""
_NAME_DIGITS = 32
_SAME_HOUR_MS = 3_600_000
_MOST_QUERIES = 20_000


@dataclass(frozen=True)
class _State:
    """The answers that were given at one moment, by words and scope."""

    now_ms: float
    results: Mapping[Asked, QueryResult]


@dataclass(frozen=True, slots=True)
class KeepingEvaluator:
    """Evaluates over one tree. What ``kept`` holds only saves time: the numbers are those of asking everything."""

    kept: KeptAnswers
    is_used: bool = True
    """Whether kept answers are used; they are written either way."""
    _seen: dict[str, _State | None] = field(default_factory=dict)
    """What was read, by name, until it is used."""

    def recent_moment(self, engine: Engine[Any], context: Context[Any], like: Query, later_ms: float) -> float:
        """The moment, at most an hour before that of ``context``, as of which answers for ``later_ms`` later are kept.

        That of ``context`` where there are none. Scores fall with every second, so answers are kept with the moment
        that they were given at, and all numbers of one evaluation are as of it.
        """
        name = _name(engine, context, like, f"now + {later_ms!r}")
        state = self._seen[name] = self._read(name)
        if state is not None and 0 <= context.now_ms - state.now_ms <= _SAME_HOUR_MS:
            return state.now_ms
        return context.now_ms

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
        """:func:`brvtui.lab.evaluation.evaluate.evaluate`, but for queries whose answers at that moment are kept.

        ``later_ms`` is given where the moment is that of the running clock, and so long after: answers are found again
        by :meth:`recent_moment` then.
        """
        name = _name_at(engine, context, like, later_ms)
        known = self._known(name, context)
        made = evaluate(engine, context, judgments, like, revision, progress, known)
        if made.kept < len(made.queries):
            pairs = zip(judgments, made.queries, strict=True)
            self._write(name, context, known, {asked_words(judgment, like): query for judgment, query in pairs})
        return made

    def known(
        self, engine: Engine[Any], context: Context[Any], like: Query, later_ms: float | None = None
    ) -> Mapping[Asked, QueryResult]:
        """The answers that are kept as of the moment of ``context``, by words and scope."""
        return self._known(_name_at(engine, context, like, later_ms), context)

    def keep(
        self,
        engine: Engine[Any],
        context: Context[Any],
        like: Query,
        results: Mapping[Asked, QueryResult],
        later_ms: float | None = None,
    ) -> None:
        """Keeps ``results``, given in ``context``, beside those that are kept of it."""
        name = _name_at(engine, context, like, later_ms)
        self._write(name, context, self._known(name, context), results)

    def _known(self, name: str, context: Context[Any]) -> Mapping[Asked, QueryResult]:
        state = self._seen.pop(name) if name in self._seen else self._read(name)
        return state.results if state is not None and state.now_ms == context.now_ms else {}

    def _write(
        self, name: str, context: Context[Any], known: Mapping[Asked, QueryResult], made: Mapping[Asked, QueryResult]
    ) -> None:
        if name:
            results = {**known, **made} if len(known) < _MOST_QUERIES else made
            with suppress(OSError):  # a cache that cannot be written is none
                self.kept.write(name, _as_plain(_State(context.now_ms, results)))

    def _read(self, name: str) -> _State | None:
        return _from_plain(self.kept.read(name)) if name and self.is_used else None


def _name_at(engine: Engine[Any], context: Context[Any], like: Query, later_ms: float | None) -> str:
    moment = repr(context.now_ms) if later_ms is None else f"now + {later_ms!r}"
    return _name(engine, context, like, moment)


def _name(engine: Engine[Any], context: Context[Any], like: Query, moment: str) -> str:
    """The name under which answers are kept; empty where they must not be."""
    digest = answers_digest(engine, context, like)
    made = hashlib.sha256(f"{_FORMAT} {digest} {moment}".encode()).hexdigest()
    return made[:_NAME_DIGITS] if digest else ""


def _as_plain(state: _State) -> dict[str, Any]:
    """``state`` in lists, which are read four times as fast as objects would be."""
    rows = [
        [
            *asked, query.outcome, query.prompt_tokens, query.ms, query.sentence, query.version, list(query.quoted),
            [[item.path, item.score, [[part.name, part.value] for part in item.parts]] for item in query.results],
        ]
        for asked, query in state.results.items()
    ]  # fmt: skip
    return {"now_ms": state.now_ms, "rows": rows}


def _from_plain(value: Any) -> _State | None:
    """The state that ``value`` holds; None where it holds none."""
    try:
        results = {(row[0], row[1]): _result(*row) for row in value["rows"]}
        return _State(value["now_ms"], results)
    except (TypeError, KeyError, ValueError, IndexError):
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
