"""The manifest, which lists the part of the tree that fits into a prompt, and each file's place in it.

See ``docs/reference/byterover.md``. The manifest is read from disk if the file is fresh, and otherwise computed in
memory. It is never written.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover import profile as constants
from brvtui.ranking.packing import estimated_tokens, fitting
from brvtui.snapshot import Key, Snapshot
from brvtui.snapshot.state import ORDERS
from brvtui.trace import Lane, ManifestPlace
from brvtui.tree.reading.files import ARCHIVE, MANIFEST_FILE, Role, folder_key, role_of
from brvtui.tree.reading.fingerprint import is_covered
from brvtui.tree.reading.javascript import in_locale_order
from brvtui.tree.reading.json_file import read_json
from brvtui.wording import counted


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One manifest entry: the listed file, the file whose text is injected, and the estimated number of tokens."""

    path: str
    text_path: str
    tokens: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that did not fit into its lane because ``used`` tokens of the lane's budget were already taken."""

    entry: ManifestEntry
    used: int


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """The candidates for one lane in the order of trial, and the ones that fit."""

    paths: Sequence[str]
    text_paths: Mapping[str, str]
    """The file that is injected instead of a candidate's own text, keyed by the candidate's path."""
    tokens: NDArray[np.int64]
    fitting: NDArray[np.int64]
    """The indexes of the candidates that fit, in ascending order."""

    def entry(self, place: int) -> ManifestEntry:
        """The candidate at index ``place``, as an entry."""
        path = self.paths[place]
        return ManifestEntry(path, self.text_paths.get(path, path), int(self.tokens[place]))

    @property
    def entries(self) -> tuple[ManifestEntry, ...]:
        """The entries that fit into the lane."""
        return tuple(self.entry(place) for place in self.fitting.tolist())

    def left_out(self, path: str) -> LeftOut | None:
        """The entry for ``path`` if it is a candidate that did not fit; otherwise None."""
        if path not in self.paths:
            return None
        place = self.paths.index(path)
        before = self.fitting[self.fitting <= place]
        if len(before) and before[-1] == place:
            return None
        return LeftOut(self.entry(place), int(self.tokens[before].sum()))


@dataclass(frozen=True, slots=True)
class Manifest:
    """The lanes in the order of injection, with the entries that fit into each lane."""

    lanes: tuple[Lane, ...]
    by_kind: Mapping[str, tuple[ManifestEntry, ...]]
    """The entries of each lane, keyed by the kind of entry (a key of :data:`KINDS`)."""
    source: str
    """``read: fresh``, or the reason why the manifest was computed in memory."""
    pools: tuple[Pool, ...] = ()
    """The candidates of each lane; empty for a manifest read from disk, whose candidates are unknown."""

    def left_out(self, path: str) -> LeftOut | None:
        """The entry for the file at ``path`` if it did not fit; None if it did, or if that is unknown."""
        return next((missed for pool in self.pools if (missed := pool.left_out(path)) is not None), None)

    @property
    def entries(self) -> tuple[ManifestEntry, ...]:
        """All entries in the order of injection."""
        return tuple(chain.from_iterable(self.by_kind.values()))


KINDS = {"summary": "summaries", "context": "contexts", "stub": "stubs"}
"""The name of the lane for each kind of entry, in the order of injection."""
_ARCHIVED = ARCHIVE.encode()
_HUGE = 1 << 40
"""A number of tokens that is larger than any budget. Larger numbers in frontmatter are reduced to it."""
_NOT_VALID = f"computed in memory: {MANIFEST_FILE} is not valid"
_Made = tuple[constants.ManifestRules, tuple[int, int] | None]
_MADE: Key[tuple[_Made, Manifest]] = Key("manifest")


def manifest_of(snapshot: Snapshot, limits: constants.ManifestRules) -> Manifest:
    """The manifest of ``snapshot``, cached until the snapshot or the manifest file changes."""
    try:
        stat = (snapshot.project.tree / MANIFEST_FILE).stat()
        made_from: _Made = (limits, (stat.st_mtime_ns, stat.st_size))
    except OSError:
        made_from = (limits, None)
    cached = snapshot.derived.known(_MADE)
    if cached is None or cached[0] != made_from:
        cached = (made_from, _make(snapshot, limits))
        snapshot.derived.put(_MADE, cached)
    return cached[1]


def source_fingerprint(snapshot: Snapshot) -> str:
    """The SHA-256 of ``path:mtime:size`` of every file that the tree's own fingerprint covers, in locale order."""
    covered = [file for file in snapshot.files if is_covered(file.role)]
    ordered = in_locale_order(covered, lambda file: file.path)
    lines = "\n".join(f"{file.path}:{file.mtime_ms}:{file.size}" for file in ordered)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _make(snapshot: Snapshot, limits: constants.ManifestRules) -> Manifest:
    stale = ""
    try:
        value = read_json(snapshot.project.tree / MANIFEST_FILE)
    except OSError:
        stale = f"computed in memory: there is no {MANIFEST_FILE}"
    except ValueError:
        stale = _NOT_VALID
    else:
        read = _from_json(value, limits)
        if read is None:
            stale = _NOT_VALID
        elif read[1] != source_fingerprint(snapshot):
            stale = f"computed in memory: {MANIFEST_FILE} is stale"
        elif any(entry.text_path not in snapshot.parsed for entry in read[0].entries):
            stale = f"computed in memory: {MANIFEST_FILE} names files that are not in the tree"
        else:
            return read[0]
    return _computed(snapshot, limits, stale)


def _computed(snapshot: Snapshot, limits: constants.ManifestRules, source: str) -> Manifest:
    pools = (_summary_pool(snapshot, limits), *_note_pools(snapshot, limits))
    by_kind = {kind: pool.entries for kind, pool in zip(KINDS, pools, strict=True)}
    left_out = tuple(len(pool.paths) - len(pool.fitting) for pool in pools)
    return Manifest(_lanes(by_kind, left_out, limits), by_kind, source, pools)


def _lanes(
    by_kind: Mapping[str, tuple[ManifestEntry, ...]], left_out: Sequence[int], limits: constants.ManifestRules
) -> tuple[Lane, ...]:
    budgets = (limits.summaries, limits.contexts, limits.stubs)
    return tuple(
        Lane(KINDS[kind], budget, sum(entry.tokens for entry in fit), tuple(entry.path for entry in fit), left)
        for (kind, fit), budget, left in zip(by_kind.items(), budgets, left_out, strict=True)
    )


def _summary_pool(snapshot: Snapshot, limits: constants.ManifestRules) -> Pool:
    summaries: list[tuple[str, int, int]] = []
    for path in sorted(snapshot.summary_files, key=folder_key):
        parsed = snapshot.parsed[path]
        valid = parsed.summary_order is not None
        tokens = parsed.summary_tokens if valid else int(estimated_tokens(parsed.chars, limits.chars_per_token))
        if tokens is not None and not parsed.unseen:
            summaries.append((path, tokens, parsed.summary_order or 0))
    summaries.sort(key=lambda entry: -entry[2])
    return _pool([path for path, *_ in summaries], [tokens for _, tokens, _ in summaries], limits.summaries)


def _note_pools(snapshot: Snapshot, limits: constants.ManifestRules) -> tuple[Pool, Pool]:
    """The pools of contexts (in folder order or, if the profile says so, by importance) and of stubs."""
    orders = snapshot.derived.known(ORDERS)
    own = (note.path for note in snapshot.notes if note.is_local)
    paths: Sequence[str] = orders.listed.items if orders else sorted(own, key=folder_key)
    edges = (_ARCHIVED, _ARCHIVED + b"\1")
    first, end = (bisect_left(paths, edge, key=folder_key) for edge in edges)
    stubs = [path for path in paths[first:end] if role_of(path) is Role.STUB]
    lengths = np.asarray([snapshot.notes[snapshot.by_path[path]].chars for path in stubs], dtype=np.int64)
    of_stubs = estimated_tokens(lengths, limits.chars_per_token).tolist()
    return _context_pool(snapshot, [*paths[:first], *paths[end:]], limits), _pool(stubs, of_stubs, limits.stubs)


def _context_pool(snapshot: Snapshot, paths: Sequence[str], limits: constants.ManifestRules) -> Pool:
    positions = np.fromiter(map(snapshot.by_path.__getitem__, paths), dtype=np.int64, count=len(paths))
    tokens = estimated_tokens(snapshot.columns.chars[positions], limits.chars_per_token)
    if limits.contexts_by == "importance":
        order = np.argsort(-snapshot.columns.importance[positions], kind="stable")
        paths, tokens = [paths[place] for place in order.tolist()], tokens[order]
    places = {path: place for place, path in enumerate(paths)} if snapshot.abstracts else {}
    text_paths: dict[str, str] = {}
    for note, chars in snapshot.abstracts.items():
        if note in places:
            tokens[places[note]] = estimated_tokens(chars, limits.chars_per_token)
            text_paths[note] = f"{note.removesuffix('.md')}.abstract.md"
    return Pool(paths, text_paths, tokens, fitting(tokens, limits.contexts))


def _pool(paths: Sequence[str], tokens: Sequence[int], budget: int) -> Pool:
    clamped = np.asarray([max(-_HUGE, min(_HUGE, amount)) for amount in tokens], dtype=np.int64)
    return Pool(paths, {}, clamped, fitting(clamped, budget))


def _from_json(value: Any, limits: constants.ManifestRules) -> tuple[Manifest, str] | None:
    try:
        entries_by_kind: dict[str, list[ManifestEntry]] = {kind: [] for kind in KINDS}
        for item in value["active_context"]:
            entries_by_kind[item["type"]].append(_entry(item))
        fingerprint = str(value["source_fingerprint"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    by_kind = {kind: tuple(entries) for kind, entries in entries_by_kind.items()}
    return Manifest(_lanes(by_kind, (0, 0, 0), limits), by_kind, "read: fresh"), fingerprint


def _entry(item: dict[str, Any]) -> ManifestEntry:
    path = str(item["path"])
    abstract = item.get("abstractPath")
    tokens = item.get("abstractTokens") if abstract else item["tokens"]
    float(item.get("order", item.get("importance", 0)) or 0)  # raises if the rank is not a number
    return ManifestEntry(path, str(abstract or path), int(tokens if tokens is not None else item["tokens"]))


def injected_text(snapshot: Snapshot, entry: ManifestEntry) -> str:
    """The text of an entry for a prompt, which is the whole file; empty if it cannot be read."""
    try:
        return snapshot.text(entry.text_path)
    except OSError:
        return ""


_ABSTRACT = ".abstract.md"
_KIND_OF = {Role.SUMMARY: "summary", Role.NOTE: "context", Role.CONTEXT: "context", Role.STUB: "stub"}


def manifest_place(snapshot: Snapshot, limits: constants.ManifestRules, path: str) -> ManifestPlace:
    """The place of the file at ``path`` in the manifest of ``snapshot``. An abstract has the place of its note.

    Raises KeyError for an unknown file.
    """
    parsed = snapshot.parsed[path]
    role = role_of(parsed.file)
    note = f"{path.removesuffix(_ABSTRACT)}.md"
    if role is Role.ABSTRACT and note in snapshot.parsed:
        return manifest_place(snapshot, limits, note)
    manifest = manifest_of(snapshot, limits)
    never = _never(parsed.file, role, parsed.alias)
    if never:
        return ManifestPlace(path, "", None, 0, None, 0, 0, path, never)
    entries = manifest.by_kind[_KIND_OF[role]]
    lane = next(lane for lane in manifest.lanes if lane.name == KINDS[_KIND_OF[role]])

    def place(position: int | None, entry: ManifestEntry | None, before: int, left_out: str = "") -> ManifestPlace:
        tokens, text_path = (entry.tokens, entry.text_path) if entry else (None, path)
        return ManifestPlace(path, lane.name, position, len(entries), tokens, before, lane.budget, text_path, left_out)

    before = 0
    for position, entry in enumerate(entries, start=1):
        if entry.path == path:
            return place(position, entry, before)
        before += entry.tokens
    missed = manifest.left_out(path)
    if missed:
        left = lane.budget - missed.used
        size = counted(missed.entry.tokens, "token", "tokens")
        why = f"it needs {size}, but the others leave only {left} of {lane.budget}"
        return place(None, missed.entry, missed.used, why)
    why = f"the engine cannot read it: {parsed.unseen}" if parsed.unseen else f"{MANIFEST_FILE} does not list it"
    return place(None, None, before, why)


def _never(file: str, role: Role, alias: str) -> str:
    """The reason why no lane accepts the file; empty if a lane accepts it."""
    if alias:
        return "the manifest never contains notes from shared sources"
    if role is not Role.STUB and file.startswith(f"{ARCHIVE}/"):
        return f"the manifest contains only stubs from {ARCHIVE}"
    return {Role.ABSTRACT: "its note is gone", Role.OVERVIEW: "the manifest never contains overviews"}.get(role, "")
