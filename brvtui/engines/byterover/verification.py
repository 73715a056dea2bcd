"""Verification of ByteRover 3: the installed package and our engine answer queries over one tree."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from brvtui.disk.scratch import copy_folder, scratch_folder, set_modified, write_scratch
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.matching import match_terms
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.verification.installed import InstalledEngine
from brvtui.engines.verification.results import AnswerDifference, Verification, VerificationRun, are_hits
from brvtui.engines.verification.sealed_node import DRIVERS, EngineRunError
from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import terms
from brvtui.trace import Hit
from brvtui.tree.reading.files import MS_PER_HOUR, NS_PER_MS, list_files
from brvtui.tree.reading.json_file import LARGEST_JSON, number_of
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import NoteSignals, SignalLayers, Source
from brvtui.wording import counted, shortened

_LIMIT = 10
_CLOSE = 1e-9
_STORED = (Source.FILE, Source.SIDECAR)
_SECONDS, _SECONDS_EACH = 120.0, 5.0
_BYTES_EACH = 262_144  # more than the 30 longest paths take
_READY = "ready"
_FAILURES = {
    "moved": ": its modules have moved ({}), so brv-tui does not know this version: update brv-tui",
    "incomplete": " lacks the package {}; run npm install in {}",
    "failed": " failed ({}); install it again",
}


def verify(run: VerificationRun, constants: Profile) -> Verification | None:
    """Compares the installed engine's answers on the snapshot's tree with our engine's, with ``constants``.

    Both engines read the same temporary copy of the tree and its stored signals, and use the same time. Returns
    None if cancelled. Raises :class:`brvtui.engines.verification.sealed_node.EngineRunError` and OSError.
    """
    snapshot, installed, queries, now_ms = run.snapshot, run.installed, run.queries, run.now_ms
    signals = _stored_signals(snapshot)
    with scratch_folder() as scratch:
        project = scratch / "project"
        large = copy_folder(snapshot.project.tree, project / ".brv" / "context-tree")
        write_scratch(project / ".brv" / "config.json", "{}\n")
        moved = _separate_times(project / ".brv" / "context-tree", now_ms, constants.limits.recent_hours)
        layers = SignalLayers((signals,)) if signals else SignalLayers()
        copied = load(find_project(project), constants, now_ms, layers)
        request = {
            "package": str(installed.folder),
            "project": str(project),
            "limit": _LIMIT,
            "signals": {note: own.to_mapping() for note, own in signals.items()},
            "queries": [{"id": number, "query": query} for number, query in enumerate(queries)],
        }
        differences: list[AnswerDifference] = []
        answered = 0
        seconds, limit = _SECONDS + _SECONDS_EACH * len(queries), LARGEST_JSON + _BYTES_EACH * len(queries)
        script, home = [str(DRIVERS / "ask_v3.mjs")], scratch / "home"
        with run.sealed.lines(
            script, project, home, now_ms, json.dumps(request), seconds=seconds, limit=limit
        ) as lines:
            for line in _driver_lines(lines, installed, len(queries)):
                if run.cancelled():
                    return None
                if line["at"] == _READY:
                    differences += _documents(line, copied)
                    continue
                query = queries[line["id"]]
                own = _first_difference(Context(copied, constants, now_ms), query, line)
                differences += [AnswerDifference(query, *own)] if own else []
                answered += 1
                run.progress(answered, len(queries))
    notices = [f"the shared source {source.alias} is left out on both sides" for source in snapshot.project.sources]
    if large:
        files = counted(len(large), "file", "files")
        notices.append(f"the copy has no text in {files} larger than 10 MB: the engine does not read such files")
    if moved:
        notices.append(
            f"{counted(moved, 'recent file', 'recent files')} with the same time as another: the copy sets their times "
            "milliseconds apart, because the engine has no rule for their order"
        )
    return Verification(
        installed.name,
        constants.name,
        snapshot.project.name,
        len(copied.notes),
        len(queries),
        tuple(differences),
        run.sealed.isolation,
        tuple(notices),
    )


def _separate_times(tree: Path, now_ms: float, recent_hours: float) -> int:
    """Gives recent files in ``tree`` distinct modification times (in ms), and returns the number of files whose time
    was changed.

    ByteRover has no fixed order for recent files with equal times (docs/reference/byterover.md).
    """
    edge = now_ms - recent_hours * MS_PER_HOUR
    recent = sorted((file for file in list_files(tree).files if file.mtime_ms >= edge), key=lambda file: file.path)
    times = Counter(file.mtime_ms for file in recent)
    taken, moved = set[int](times), 0
    for file in recent:
        if times[file.mtime_ms] == 1:
            continue
        times[file.mtime_ms] -= 1
        free = file.mtime_ms - 1
        while free in taken:
            free -= 1
        taken.add(free)
        set_modified(tree / file.path, free * NS_PER_MS)
        moved += 1
    return moved


def _stored_signals(snapshot: Snapshot) -> dict[str, NoteSignals]:
    """The signals that ByteRover itself would find, which do not include brv-tui's overlay and frontmatter."""
    of_notes = {note.path: signals for note, signals in zip(snapshot.notes, snapshot.signals, strict=True)}
    both = {**of_notes, **snapshot.summary_signals}
    return {path: own for path, own in both.items() if own.source in _STORED and not path.startswith("[")}


def _driver_lines(lines: Iterator[str], installed: InstalledEngine, queries: int) -> Iterator[dict[str, Any]]:
    """Yields the driver's first line, and one line for each of the ``queries``.

    Raises :class:`EngineRunError` if one of them is missing, comes twice, or cannot be compared.
    """
    expected: set[str | int] = {_READY, *range(queries)}
    for text in lines:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        except RecursionError:
            line = None
        match line:
            case {"at": "end"}:
                break
            case {"at": str(at), "what": str(what)} if at in _FAILURES:
                raise EngineRunError(installed.name + _FAILURES[at].format(shortened(what), installed.folder))
            case {"at": "ready", "documents": int() | None} if _READY in expected:
                expected.remove(_READY)
            case {"at": "answer", "id": int(number), "raw": _} if number in expected and _is_answer(line):
                expected.remove(number)
            case _:
                shown = shortened(text.strip(), 40)
                raise EngineRunError(f"{installed.name} printed {shown!r}, which is not an answer; install it again")
        yield line
    if expected:
        raise EngineRunError(f"{installed.name} ended without all answers; try again, or install it again")


def _is_answer(line: Mapping[str, Any]) -> bool:
    """True if ``line`` has everything that is compared."""
    hits: list[Any] = [line["raw"] or []]
    for name, found, numbers in (("search", "results", ["total"]), ("run", "matched", ["tier", "again"])):
        match line.get(name):
            case {"error": str()}:
                continue
            case dict(part) if all(isinstance(part.get(number), int) for number in numbers):
                hits.append(part.get(found))
            case _:
                return False
    return all(are_hits(each) and all(number_of(hit.get("score")) is not None for hit in each) for each in hits)


def _documents(line: Mapping[str, Any], copied: Snapshot) -> list[AnswerDifference]:
    theirs = line["documents"]
    if theirs is None or theirs == len(copied.notes):
        return []
    return [AnswerDifference("", "documents", str(theirs), str(len(copied.notes)))]


def _first_difference(context: Context, query: str, line: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The first step where our answer to ``query`` differs from ``line``: its name and both values."""
    theirs, run = line["search"], line["run"]
    if context.snapshot.engine_failure:
        return None if "error" in theirs else ("results", "an answer", context.snapshot.engine_failure)
    if "error" in theirs or "error" in run:
        return "results", theirs.get("error", run.get("error")), "an answer"
    result = search(context, query, SearchOptions(_LIMIT))
    first, state = route(context, CacheContents(), RouteRequest(query, run=True))
    again, _ = route(context, state, RouteRequest(query, run=True))
    differences = (
        _raw(context, query, line["raw"] or []),
        _results("results", result.hits, theirs["results"]),
        _number("total", theirs["total"], result.total_found),
        _number("tier", run["tier"], first.tier),
        _results("results of the answer", first.hits, run["matched"]),
        _number("tier when asked again", run["again"], again.tier),
    )
    return next(filter(None, differences), None)


def _raw(context: Context, query: str, theirs: Sequence[Mapping[str, Any]]) -> tuple[str, str, str] | None:
    table = match_terms(context.snapshot, terms(query), context.constants.text)
    for one in theirs:
        position = context.snapshot.by_path.get(one["path"])
        ours = float(table.raw[position]) if position is not None else math.nan
        if not math.isclose(ours, one["score"], rel_tol=_CLOSE):
            return "text score", f"{one['path']} {one['score']!r}", f"{one['path']} {ours!r}"
    return None


def _results(step: str, ours: Sequence[Hit], theirs: Sequence[Mapping[str, Any]]) -> tuple[str, str, str] | None:
    paths, others = [hit.path for hit in ours], [one["path"] for one in theirs]
    for place, (path, other) in enumerate(zip_longest(paths, others, fillvalue="none"), 1):
        if path != other:
            return f"{step}, number {place}", other, path
    for hit, one in zip(ours, theirs, strict=True):
        if not math.isclose(hit.score, one["score"], rel_tol=0, abs_tol=_CLOSE):
            return f"score of {hit.path}", repr(one["score"]), repr(hit.score)
    return None


def _number(step: str, theirs: Any, ours: Any) -> tuple[str, str, str] | None:
    return None if theirs == ours else (step, str(theirs), str(ours))
