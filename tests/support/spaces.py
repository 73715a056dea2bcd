"""Recorded spaces of ByteRover V4, and the queries that its scripts answered."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from brvtui.engines.byterover_v4.command_line import CommandLine, read_command_line
from brvtui.engines.byterover_v4.corpus import FilterError
from brvtui.engines.byterover_v4.index import DuplicateIds
from brvtui.engines.byterover_v4.profile import load_profile
from brvtui.engines.byterover_v4.scripts import LegacyMarkdown, RankedSpace, query_space, ranked_space, recall
from brvtui.engines.byterover_v4.search import SignalsUnreadable
from brvtui.tree.spaces.contents import list_topics, read_space
from brvtui.tree.spaces.locating import SpaceError, SpaceFolder, find_space, space_at, space_called
from brvtui.tree.spaces.project import check_cloud

V4 = load_profile("")
CLOSE = 1e-12
REFUSALS = (LegacyMarkdown, FilterError, DuplicateIds, SignalsUnreadable, SpaceError)


def recorded_space(file: Path) -> dict[str, Any]:
    """A recorded space and its answers (``benchmarks/record_space_parity.py``)."""
    value: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return value


def unpack_space(recorded: Mapping[str, Any], folder: Path) -> None:
    """Writes the files in ``recorded`` below ``folder``, and sets their recorded times."""
    for name, held in recorded["files"].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if "link" in held:
            file.symlink_to(held["link"])
            continue
        file.write_bytes(base64.b64decode(held["base64"]) if "base64" in held else held["text"].encode("utf-8"))
        os.utime(file, ns=(held["mtime_ns"], held["mtime_ns"]))


def same(one: Any, other: Any) -> bool:
    """True if two answers are equal, with numbers within 1e-12."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, int | float) and isinstance(other, int | float) and abs(one - other) <= CLOSE
    return bool(one == other)


def arguments(asked: Mapping[str, Any], limit: int) -> list[str]:
    """The command line of a recorded query."""
    result = list(asked.get("argv") or [asked["query"]])
    for name, value in {"limit": limit, **(asked.get("options") or {})}.items():
        result += [f"--{name}", str(value)]
    return result


def opened(folder: SpaceFolder) -> RankedSpace:
    """The space at ``folder``, ready for queries."""
    return ranked_space(read_space(folder))


def printed(space: RankedSpace, given: list[str], now_ms: float) -> dict[str, Any]:
    """The output of ``query``, with its exit code."""
    line = read_command_line(given)
    try:
        return {"exit": 0, "echoed": line.query, **query_space(space, line, now_ms, V4).plain()}
    except REFUSALS as error:
        return refused(error)


def refused(error: Exception) -> dict[str, Any]:
    """The output of a script for ``error``."""
    code = getattr(error, "code", "")
    return {"exit": 1, "ok": False, "error": str(error), **({"code": code} if code else {})}


def run_script(name: str, given: list[str], at: Path, now_ms: float) -> dict[str, Any]:
    """The output of the script ``name``, run in the folder ``at``, with the data folder two or more levels above."""
    data = next(parent / "data" for parent in at.parents if (parent / "data").is_dir())
    if name == "brv.mjs":
        if given == ["list"]:
            return {"exit": 0, "topics": [file.path for file in list_topics(find_space(at, data).tree).files]}
        return {"exit": 1, "ok": False, "error": f"Unknown command: {given[0]}"}
    if name == "space.mjs":
        found = find_space(at, data)
        marker = {"markerPath": str(found.folder / ".brvspace")} if found.folder else {}
        return {"exit": 0, "source": found.source, "space_id": found.id, "space_name": found.name, **marker}
    line, is_recall = read_command_line(given), name == "recall.mjs"
    try:
        space = opened(_named(line, at, data, is_recall))
        if is_recall:
            return {"exit": 0, **recall(space, line, now_ms, V4)}
    except REFUSALS as error:
        return {"exit": 0, "content": "", "matchedDocs": []} if is_recall else refused(error)
    return printed(space, given, now_ms)


def _named(line: CommandLine, at: Path, data: Path, is_recall: bool) -> SpaceFolder:
    if line.text("root"):
        return space_at(Path(os.path.normpath(at / line.text("root"))), data)
    if line.text("space"):
        return space_called(line.text("space"), data)
    found = find_space(at, data)
    if not is_recall and found.source in ("marker", "binding"):
        check_cloud(found)
    return found


@contextmanager
def broken(folder: Path, identity: str, fault: Mapping[str, Any], now_ms: float) -> Iterator[None]:
    """The space below ``folder`` with the files of ``fault`` removed and written; restored at the end of the block."""
    spare = folder.parent / f"{folder.name}-spare"
    touched = [*(fault.get("remove") or []), *(fault.get("write") or {})]
    places = [folder / name.replace("<space>", f"data/projects/{identity}") for name in touched]
    kept = [(place, spare / str(number)) for number, place in enumerate(places) if place.exists()]
    spare.mkdir()
    for place, copy in kept:
        _copy(place, copy)
    for place in places[: len(fault.get("remove") or [])]:
        _remove(place)
    for name, text in (fault.get("write") or {}).items():
        file = folder / name.replace("<space>", f"data/projects/{identity}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("<at>", str(folder)), encoding="utf-8")
        os.utime(file, (now_ms / 1000, now_ms / 1000))
    try:
        yield
    finally:
        for place in places:
            _remove(place)
        for place, copy in kept:
            _copy(copy, place)
        shutil.rmtree(spare)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


SPACE_ID = "0c2a4e6f-1b3d-4f5a-8b7c-9d0e1f2a3b4c"
SMALL_TOPICS = {
    "auth/jwt": '<bv-topic title="JWT rotation" summary="How tokens rotate" keywords="refresh,token">'
    "<bv-reason>Recorded after the incident</bv-reason>"
    '<bv-decision id="bve-aaaa0001">A refresh token is used once.</bv-decision>'
    '<bv-fact id="bve-aaaa0002">The access token lives for five minutes.</bv-fact></bv-topic>',
    "ops/deploy": '<bv-topic title="Deploys" tags="rollout"><p>Refresh the page after a deploy.</p></bv-topic>',
    "ops/backup": '<bv-topic title="Backups"><bv-rule id="bve-cccc0001">Copies stay for a week.</bv-rule></bv-topic>',
}


def small_space(folder: Path, now_ms: float, topics: Mapping[str, str] = SMALL_TOPICS) -> Path:
    """Makes a space of ``topics`` (HTML by path without ending) in the data folder ``folder/data``.

    They are two days old at ``now_ms``. Returns the folder with its marker.
    """
    place = folder / "data" / "projects" / SPACE_ID
    for path, html in topics.items():
        file = place / "context-tree" / f"{path}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")
        os.utime(file, (now_ms / 1000 - 172_800, now_ms / 1000 - 172_800))
    (place / "metadata.json").write_text(json.dumps({"space_id": SPACE_ID, "space_name": "Small", "team_id": None}))
    marked = folder / "marked"
    marked.mkdir()
    (marked / ".brvspace").write_text(json.dumps({"space_id": SPACE_ID, "space_name": "Small"}))
    return marked
