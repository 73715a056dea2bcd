"""The manifest: what of the tree fits into a prompt's structural context (``docs/engine.md``, "The manifest").

Read when the file on disk is fresh, computed in memory otherwise, never written.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from brvtui import profile as constants
from brvtui.rank.tokens import estimated_tokens
from brvtui.snapshot import Snapshot
from brvtui.trace import Lane
from brvtui.tree.collation import in_locale_order
from brvtui.tree.files import ARCHIVE, MANIFEST_FILE, Role, role_of
from brvtui.tree.fingerprint import is_covered
from brvtui.tree.json_file import read_json


@dataclass(frozen=True, slots=True)
class Entry:
    """One manifest entry: the file that is listed, the file whose text is injected, its estimated tokens."""

    path: str
    text_path: str
    tokens: int
    rank: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that did not fit into its lane when ``used`` tokens of the budget were taken."""

    entry: Entry
    used: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The lanes in the order of their injection, with the entries that fit, and where they came from."""

    summaries: tuple[Entry, ...]
    contexts: tuple[Entry, ...]
    stubs: tuple[Entry, ...]
    lanes: tuple[Lane, ...]
    source: str
    left_out: tuple[LeftOut, ...] = ()
    """What did not fit; unknown, and so empty, of a manifest that was read."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry in the order of injection."""
        return (*self.summaries, *self.contexts, *self.stubs)


_Key = tuple[constants.Manifest, tuple[int, int] | None]
_made: WeakKeyDictionary[Snapshot, tuple[_Key, Manifest]] = WeakKeyDictionary()


def manifest_of(snapshot: Snapshot, limits: constants.Manifest) -> Manifest:
    """The manifest of ``snapshot``; remembered while the snapshot lives and the file stays as it is."""
    try:
        stat = (snapshot.project.tree / MANIFEST_FILE).stat()
        key: _Key = (limits, (stat.st_mtime_ns, stat.st_size))
    except OSError:
        key = (limits, None)
    known = _made.get(snapshot)
    if known is None or known[0] != key:
        known = _made[snapshot] = (key, _make(snapshot, limits))
    return known[1]


def source_fingerprint(snapshot: Snapshot) -> str:
    """SHA-256 over ``path:mtime:size`` of every file that the tree's own fingerprint covers, in locale order."""
    covered = [file for file in snapshot.files if is_covered(file.role)]
    ordered = in_locale_order(covered, lambda file: file.path)
    lines = "\n".join(f"{file.path}:{file.mtime_ms}:{file.size}" for file in ordered)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _make(snapshot: Snapshot, limits: constants.Manifest) -> Manifest:
    stale = ""
    try:
        value = read_json(snapshot.project.tree / MANIFEST_FILE)
    except OSError:
        stale = f"computed in memory: there is no {MANIFEST_FILE}"
    except ValueError:
        stale = f"computed in memory: {MANIFEST_FILE} is not valid"
    else:
        read = _from_json(value, limits)
        if read is None:
            stale = f"computed in memory: {MANIFEST_FILE} is not valid"
        elif read[1] != source_fingerprint(snapshot):
            stale = f"computed in memory: {MANIFEST_FILE} is stale"
        elif any(entry.text_path not in snapshot.parsed for entry in read[0].entries):
            stale = f"computed in memory: {MANIFEST_FILE} names files that are not in the tree"
        else:
            return read[0]
    return _computed(snapshot, limits, stale)


def _computed(snapshot: Snapshot, limits: constants.Manifest, source: str) -> Manifest:
    summaries: list[Entry] = []
    contexts: list[Entry] = []
    stubs: list[Entry] = []
    for path, parsed in snapshot.parsed.items():
        if parsed.alias or role_of(path) is not Role.SUMMARY or parsed.unseen:
            continue
        valid = parsed.summary_order is not None
        tokens = parsed.summary_tokens if valid else estimated_tokens(parsed.chars, limits.chars_per_token)
        if tokens is not None:
            summaries.append(Entry(path, path, tokens, parsed.summary_order or 0))
    by_importance = limits.contexts_by == "importance"
    for note, signals in zip(snapshot.notes, snapshot.signals, strict=True):
        if not note.is_local:
            continue
        if note.role is Role.STUB:
            stubs.append(Entry(note.path, note.path, estimated_tokens(note.chars, limits.chars_per_token), 0))
            continue
        if note.path.startswith(f"{ARCHIVE}/"):
            continue
        abstract = f"{note.path.removesuffix('.md')}.abstract.md"
        parsed_abstract = snapshot.parsed.get(abstract)
        chars = parsed_abstract.chars if parsed_abstract else note.chars
        text_path = abstract if parsed_abstract else note.path
        tokens = estimated_tokens(chars, limits.chars_per_token)
        contexts.append(Entry(note.path, text_path, tokens, signals.importance * by_importance))
    return _packed(summaries, contexts, stubs, limits, source)


def _packed(
    summaries: list[Entry], contexts: list[Entry], stubs: list[Entry], limits: constants.Manifest, source: str
) -> Manifest:
    kept = []
    lanes = []
    left_out: list[LeftOut] = []
    named = (
        ("summaries", summaries, limits.summaries),
        ("contexts", contexts, limits.contexts),
        ("stubs", stubs, limits.stubs),
    )
    for name, entries, budget in named:
        fitting, used = [], 0
        for entry in sorted(entries, key=lambda entry: (-entry.rank, _walk_key(entry.path))):
            if used + entry.tokens <= budget:
                fitting.append(entry)
                used += entry.tokens
            else:
                left_out.append(LeftOut(entry, used))
        kept.append(tuple(fitting))
        lanes.append(Lane(name, budget, used, tuple(entry.path for entry in fitting), len(entries) - len(fitting)))
    return Manifest(kept[0], kept[1], kept[2], tuple(lanes), source, tuple(left_out))


def _from_json(value: Any, limits: constants.Manifest) -> tuple[Manifest, str] | None:
    try:
        lanes: dict[str, list[Entry]] = {"summary": [], "context": [], "stub": []}
        for item in value["active_context"]:
            lanes[item["type"]].append(_entry(item))
        fingerprint = str(value["source_fingerprint"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    named = (
        ("summaries", lanes["summary"], limits.summaries),
        ("contexts", lanes["context"], limits.contexts),
        ("stubs", lanes["stub"], limits.stubs),
    )
    shown = tuple(
        Lane(name, budget, sum(e.tokens for e in entries), tuple(e.path for e in entries), 0)
        for name, entries, budget in named
    )
    made = Manifest(tuple(lanes["summary"]), tuple(lanes["context"]), tuple(lanes["stub"]), shown, "read: fresh")
    return made, fingerprint


def _entry(item: dict[str, Any]) -> Entry:
    path = str(item["path"])
    abstract = item.get("abstractPath")
    tokens = item.get("abstractTokens") if abstract else item["tokens"]
    rank = item.get("order", item.get("importance", 0))
    return Entry(path, str(abstract or path), int(tokens if tokens is not None else item["tokens"]), float(rank or 0))


def _walk_key(path: str) -> list[bytes]:
    """Entries of one folder in byte order, depth first."""
    return [part.encode("utf-8", "surrogateescape") for part in path.split("/")]


def injected_text(snapshot: Snapshot, entry: Entry) -> str:
    """The text of an entry as a prompt holds it: the whole file; empty when it cannot be read."""
    try:
        return snapshot.text(entry.text_path)
    except OSError:
        return ""
