"""Verification of ByteRover V4: an installed bundle and our engine answer queries over one space."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder, write_scratch
from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.index import DuplicateIds
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.scripts import ranked_space, recall
from brvtui.engines.byterover_v4.search import SignalsUnreadable
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.engines.contract import Context, Engine, Query
from brvtui.engines.verification.installed import InstalledEngine
from brvtui.engines.verification.results import AnswerDifference, Verification, VerificationRun, are_hits
from brvtui.engines.verification.sealed_node import EngineRunError, SealedNode
from brvtui.loading.spaces import load_space
from brvtui.tree.spaces.locating import MARKER, METADATA, TREE
from brvtui.tree.spaces.project import SpaceProject, find_space_project
from brvtui.wording import counted, shortened

_CLOSE = 1e-12
_NO_ID = "00000000-0000-4000-8000-000000000000"
"""The id for the copy of a tree that has no id."""
_STATE = "state"
_READ = (".html", ".json")  # whatever the size
_SECONDS_EACH = 120.0
_RECALLED = 10
"""One in this many queries is also run with ``recall``."""


def verify(run: VerificationRun, engine: Engine[V4Profile]) -> Verification | None:
    """Compares the installed bundle's answers on the snapshot's space with the answers of ``engine``.

    Each query runs in a new process, as for an agent, and all start with the same signals. Returns None if cancelled.
    Raises :class:`brvtui.engines.verification.sealed_node.EngineRunError` and OSError.
    """
    snapshot, installed, sealed, now_ms = run.snapshot, run.installed, run.sealed, run.now_ms
    assert isinstance(snapshot.project, SpaceProject)
    space = snapshot.project.spaces[0]
    queries = [query for query in run.queries if "\0" not in query]  # a command line cannot contain this character
    identity, name = (space.id or _NO_ID), (space.name or "space")
    with scratch_folder() as scratch:
        project, data = scratch / "project", scratch / "data"
        folder = data / "projects" / identity
        large = copy_folder(space.tree, folder / TREE)
        spare = scratch / _STATE
        if space.signals.parent.is_dir():
            large += copy_folder(space.signals.parent, spare)
        if read := next((path for path in large if path.endswith(_READ)), ""):
            raise EngineRunError(f"{shortened(read)}: larger than 10 MB, so it is not copied; make it smaller")
        about = {"space_id": identity, "space_name": name}
        write_scratch(project / MARKER, json.dumps(about))
        write_scratch(
            folder / METADATA, json.dumps({**about, "team_id": None, "created_at": "2026-01-01T00:00:00.000Z"})
        )
        differences: list[AnswerDifference] = []
        context: Context[Any] | None = None
        for number, query in enumerate(queries, 1):
            _put_back(spare, folder / _STATE)
            if context is None:
                found = find_space_project(project, {"BRV_DATA_DIR": str(data)})
                copied = load_space(found, run.reading, now_ms)
                context = Context(copied, engine.constants(), now_ms)
            if run.cancelled():
                return None
            theirs = _query_output(installed, sealed, query, project, scratch, now_ms)
            ours = engine.answer(context, Query(query, options={"argv": [query]})).section(SpaceAnswer).printed
            difference = first_difference(theirs, ours)
            if difference is None and number % _RECALLED == 1:
                _put_back(spare, folder / _STATE)
                recalled = _recall_output(installed, sealed, query, project, scratch, now_ms)
                line = CommandLine((query,))
                difference = recall_difference(recalled, _recall(context, line))
            differences += [AnswerDifference(query, *difference)] if difference else []
            run.progress(number, len(queries))
    others = (source.alias for source in snapshot.project.sources)
    return Verification(
        installed.name,
        engine.name,
        snapshot.project.name,
        len(snapshot.notes),
        len(queries),
        tuple(differences),
        sealed.isolation,
        tuple(f"the space {other} is left out on both sides" for other in others)
        + _left_out(len(run.queries) - len(queries)),
    )


def _left_out(count: int) -> tuple[str, ...]:
    holding = counted(count, "question contains", "questions contain")
    return (f"left out: {holding} a null character, which a command line cannot pass on",) if count else ()


def _put_back(spare: Path, state: Path) -> None:
    """Restores the state of the space after a query, because the query added access hits to it."""
    remove_copy(state)
    if spare.is_dir():
        copy_folder(spare, state)


def _query_output(
    installed: InstalledEngine, sealed: SealedNode, query: str, project: Path, scratch: Path, now_ms: float
) -> Mapping[str, Any]:
    """The output of the bundle's script ``query``. Raises :class:`EngineRunError` if that output is not an answer."""
    printed = _printed(installed, sealed, "query", query, project, scratch, now_ms)
    match printed:
        case {"ok": False}:
            return printed
        case {"ok": True, "data": {"hits": hits, "should_cite": _, "citation_block": _}} if are_hits(hits):
            return printed
    raise _unknown(installed, "query")


def _printed(
    installed: InstalledEngine, sealed: SealedNode, name: str, query: str, project: Path, scratch: Path, now_ms: float
) -> dict[str, Any]:
    """The JSON that the script ``name`` prints for ``query``. Raises :class:`EngineRunError` if there is none."""
    script = [str(installed.folder / f"{name}.mjs"), query]
    more = {"BRV_DATA_DIR": str(scratch / "data")}
    with sealed.lines(script, project, scratch / "home", now_ms, more=more, seconds=_SECONDS_EACH) as lines:
        text = "".join(lines)
    try:
        printed = json.loads(text)
    except (ValueError, RecursionError):
        printed = None
    if not isinstance(printed, dict):
        raise _unknown(installed, name)
    return printed


def _unknown(installed: InstalledEngine, name: str) -> EngineRunError:
    return EngineRunError(
        f"{installed.name}: {name} printed no answer; brv-tui does not know this version of its scripts: update brv-tui"
    )


def _recall_output(
    installed: InstalledEngine, sealed: SealedNode, query: str, project: Path, scratch: Path, now_ms: float
) -> list[Mapping[str, Any]]:
    """The topics that the bundle's ``recall`` prints. Raises :class:`EngineRunError` if it prints no answer."""
    printed = _printed(installed, sealed, "recall", query, project, scratch, now_ms)
    data = printed.get("data", printed)
    found: Any = data.get("matchedDocs") if isinstance(data, dict) else None
    if not are_hits(found):
        raise _unknown(installed, "recall")
    return list(found)


def _recall(context: Context[Any], line: CommandLine) -> list[Mapping[str, Any]]:
    """The output of our engine for the same ``recall``; empty if its search fails."""
    space = ranked_space(context.snapshot.spaces[0])
    try:
        found: list[Mapping[str, Any]] = recall(space, line, context.now_ms, context.constants)["matchedDocs"]
    except (DuplicateIds, SignalsUnreadable):
        return []
    return found


def recall_difference(
    theirs: Sequence[Mapping[str, Any]], ours: Sequence[Mapping[str, Any]]
) -> tuple[str, str, str] | None:
    """The first difference between V4's and our output for ``recall``: its name, and both values."""
    paths, others = ([hit["path"] for hit in side] for side in (theirs, ours))
    if paths != others:
        return "results of recall", ", ".join(paths) or "none", ", ".join(others) or "none"
    for hit, own_hit in zip(theirs, ours, strict=True):
        for name in ("score", "title", "snippet"):
            if not _same(hit.get(name), own_hit.get(name)):
                return f"{name} of {hit['path']} in recall", json.dumps(hit.get(name)), json.dumps(own_hit.get(name))
    return None


def first_difference(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The first difference between V4's output and our answer: its name, and both values."""
    if not theirs["ok"] or "error" in ours:
        their_error, our_error = theirs.get("error", "an answer"), ours.get("error", "an answer")
        return None if their_error == our_error else ("error", str(their_error), str(our_error))
    data = theirs["data"]
    paths, others = ([hit["path"] for hit in side["hits"]] for side in (data, ours))
    if paths != others:
        return "results", ", ".join(paths) or "none", ", ".join(others) or "none"
    for hit, own_hit in zip(data["hits"], ours["hits"], strict=True):
        for name in ("score", "confidence", *sorted(hit.keys() | own_hit.keys())):
            if not _same(hit.get(name), own_hit.get(name)):
                return f"{name} of {hit['path']}", json.dumps(hit.get(name)), json.dumps(own_hit.get(name))
    for name in ("should_cite", "citation_block"):
        if data[name] != ours[name]:
            return name, json.dumps(data[name]), json.dumps(ours[name])
    return None


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0, abs_tol=_CLOSE)
    return bool(one == other)
