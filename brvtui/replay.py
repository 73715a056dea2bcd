"""Runs many queries on one snapshot, separately or in sequence. Produces a line of plain data for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.engines.contract import Context, Engine, EngineError, Query, Replays, ReplayStep, check_length
from brvtui.engines.options import options_of_file
from brvtui.engines.registry import verdict_sentence
from brvtui.trace import Hit, Trace, to_plain
from brvtui.tree.reading.json_file import LARGEST_NAMED_JSON, read_json

MS = 1000.0
_LONGEST_WAIT = 1e9
"""The maximum wait in seconds, about 30 years."""


class ReplayError(ValueError):
    """Raised if a file cannot be replayed. The message names the file and the expected content."""


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query from a list. The output line repeats its ``id``."""

    id: Any
    query: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """The engine's options for this query only, keyed by name, including ``scope``."""


def read_queries(path: Path, command_options: Collection[str] = ()) -> list[ListedQuery]:
    """Returns the queries in a JSON list of strings or ``{"id", "query"}``. A missing id is the position, from 0.

    An entry must not contain an option of the command (``command_options``), because it would have no effect there.
    Other unknown keys are ignored, so they can be comments. Raises :class:`ReplayError`, whose message counts entries
    from 1.
    """
    listed_queries = []
    for place, item in enumerate(_read_list(path)):
        _check_keys(item, command_options, path, place + 1)
        if isinstance(item, str):
            listed_queries.append(ListedQuery(place, item))
        elif isinstance(item, dict) and isinstance(item.get("query"), str):
            listed_queries.append(ListedQuery(item.get("id", place), item["query"], _options_of(item, path, place + 1)))
        else:
            raise ReplayError(f'{path}: entry {place + 1} must be a string or {{"id", "query"}}')
        _check_length(listed_queries[-1].query, path, place + 1)
    return listed_queries


def _options_of(item: Mapping[str, Any], path: Path, number: int) -> dict[str, Any]:
    """Returns the options of one listed query: the values in its ``options``, and its ``argv``."""
    own = item.get("options") or {}
    if not isinstance(own, dict):
        raise ReplayError(f"{path}: the options of entry {number} must be an object")
    options = {name.replace("-", "_"): value for name, value in own.items()}
    return {**options, "argv": item["argv"]} if item.get("argv") else options


def _asked(engine: Engine[Any], context: Context[Any], like: Query, item: ListedQuery) -> Query:
    """Returns the query for ``item``. Its options have precedence over the options of ``like``."""
    options = {**like.options, **options_of_file(engine, context.constants, item.options)}
    scope = options.pop("scope", like.scope) if "scope" in item.options else like.scope
    return replace(like, text=item.query, scope=str(scope), options=options)


def read_sequence(path: Path, command_options: Collection[str] = ()) -> list[ReplayStep]:
    """Returns the steps in a JSON list of ``{"query", "wait", "touch"}``.

    Raises :class:`ReplayError` in the same way as :func:`read_queries`.
    """
    steps: list[ReplayStep] = []
    waited = 0.0
    for number, item in enumerate(_read_list(path), start=1):
        wait = item.get("wait", 0) if isinstance(item, dict) else None
        touch = item.get("touch") if isinstance(item, dict) else None
        is_number = isinstance(wait, (int, float)) and not isinstance(wait, bool) and 0 <= wait <= _LONGEST_WAIT
        named = touch is None or isinstance(touch, str)
        if not isinstance(item, dict) or not isinstance(item.get("query"), str) or not is_number or not named:
            raise ReplayError(f'{path}: entry {number} must be {{"query", "wait" seconds, "touch" a note or null}}')
        assert wait is not None
        _check_keys(item, command_options, path, number)
        _check_length(item["query"], path, number)
        steps.append(ReplayStep(item["query"], float(wait), touch))
        waited += steps[-1].wait_seconds
        if waited > _LONGEST_WAIT:
            raise ReplayError(
                f"{path}: entry {number}: the waits up to here add up to more than {_LONGEST_WAIT:g} seconds"
            )
    return steps


def _check_keys(item: Any, command_options: Collection[str], path: Path, number: int) -> None:
    """Raises :class:`ReplayError` if ``item`` has a key that is an option of the command."""
    keys = item if isinstance(item, dict) else {}
    for key in keys:
        if (option := f"--{key.replace('_', '-')}") in command_options:
            how = f'use {option} on the command line, or put an engine option in "options"'
            raise ReplayError(f"{path}: entry {number}: {key} has no effect here; {how}")


def _check_length(query: str, path: Path, number: int) -> None:
    """Raises :class:`ReplayError` if ``query`` is too long."""
    try:
        check_length(query)
    except EngineError as error:
        raise ReplayError(f"{path}: entry {number}: {error}") from error


def _read_list(path: Path) -> list[Any]:
    try:
        value = read_json(path, LARGEST_NAMED_JSON, follow_links=True)
    except OSError as error:
        raise ReplayError(f"{path}: cannot be read ({faults.reading_reason(error)})") from error
    except ValueError as error:
        raise ReplayError(f"{path}: cannot be read as a list of queries ({error})") from error
    if not isinstance(value, list):
        raise ReplayError(f"{path}: must contain a JSON list")
    return value


def replay_queries(
    engine: Engine[Any],
    context: Context[Any],
    queries: list[ListedQuery],
    like: Query,
    limit: int | None,
    with_trace: bool,
) -> Iterator[dict[str, Any]]:
    """Yields one line per query, in order. Each query runs on its own, with the scope and options of ``like``.

    An engine that is a :class:`brvtui.engines.contract.Replays` provides its own lines.
    """
    for item in queries:
        line: dict[str, Any] = {"id": item.id, "query": item.query}
        if isinstance(engine, Replays):
            trace, data = engine.replay_query(context, replace(_asked(engine, context, like, item), run=True), limit)
        else:
            trace = engine.answer(context, replace(_asked(engine, context, like, item), services=True))
            data = _common_line(trace, limit)
        line |= {**data, "verdict_sentence": verdict_sentence(trace)}
        yield {**line, "trace": to_plain(trace)} if with_trace else line


def replay_sequence(
    engine: Engine[Any], context: Context[Any], steps: list[ReplayStep], like: Query, limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yields one line per step, in order, while the clock advances. Queries have the scope and options of ``like``.

    A line contains up to ``limit`` results (None: all that the engine returns). Raises :class:`ReplayError` if a step
    names a note that does not exist.
    """
    for number, step in enumerate(steps, start=1):
        if step.touch and step.touch not in context.snapshot.parsed:
            raise ReplayError(f"step {number}: no file {step.touch} in {context.snapshot.project.tree} to touch")
    if isinstance(engine, Replays):
        for number, data in enumerate(engine.replay_sequence(context, steps, like, limit)):
            yield {"step": number, "query": steps[number].query, **data}
        return
    clock = context.now_ms
    for number, step in enumerate(steps):
        clock += step.wait_seconds * MS
        trace = engine.answer(replace(context, now_ms=clock), replace(like, text=step.query, services=True))
        yield {"step": number, "query": step.query, **_common_line(trace, limit)}


def _common_line(trace: Trace, limit: int | None) -> dict[str, Any]:
    return {"covered": trace.covered, "total_found": trace.total_found, "results": results_of(trace.hits[:limit])}


def results_of(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Returns the results for a replayed line, as plain data."""
    return [{"path": hit.path, "score": hit.score, "kind": hit.kind.value, "title": hit.title} for hit in hits]
