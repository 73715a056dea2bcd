"""Where a note stands in the manifest, or why it is not in it (``docs/engine.md``, "The manifest")."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.engines.byterover import profile as constants
from brvtui.engines.byterover.route.manifest import ManifestEntry, manifest_of
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.files import ARCHIVE, MANIFEST_FILE, Role, role_of
from brvtui.wording import counted

_ABSTRACT = ".abstract.md"
_LANES = {Role.SUMMARY: "summaries", Role.NOTE: "contexts", Role.CONTEXT: "contexts", Role.STUB: "stubs"}


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A file's place in the manifest: ``position`` in its lane counts from 1, None when it is ``left_out``."""

    path: str
    lane: str
    """``summaries``, ``contexts`` or ``stubs``; empty for a file that no lane takes."""
    position: int | None
    entries: int
    """How many entries the lane holds."""
    tokens: int | None
    """The file's own estimated tokens; None when they are not known."""
    before: int
    """Tokens of the lane that are taken before it."""
    budget: int
    text_path: str
    """The file whose text is injected for it: its abstract, or itself."""
    left_out: str
    """Why it is not in the manifest, in a line; empty when it is."""
    source: str
    """Where the manifest came from."""


def manifest_place(snapshot: Snapshot, limits: constants.ManifestRules, path: str) -> ManifestPlace:
    """Where the file at ``path`` stands in the manifest of ``snapshot``; an abstract stands where its note does.

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
        return ManifestPlace(path, "", None, 0, None, 0, 0, path, never, manifest.source)
    lane = next(lane for lane in manifest.lanes if lane.name == _LANES[role])
    entries: tuple[ManifestEntry, ...] = getattr(manifest, lane.name)

    def place(position: int | None, entry: ManifestEntry | None, before: int, left_out: str = "") -> ManifestPlace:
        tokens, text_path = (entry.tokens, entry.text_path) if entry else (None, path)
        return ManifestPlace(
            path, lane.name, position, len(entries), tokens, before, lane.budget, text_path, left_out, manifest.source
        )

    before = 0
    for position, entry in enumerate(entries, start=1):
        if entry.path == path:
            return place(position, entry, before)
        before += entry.tokens
    missed = manifest.left_out(path)
    if missed:
        left = lane.budget - missed.used
        said = f"its {counted(missed.entry.tokens, 'token', 'tokens')} do not fit into the {left} that are left"
        return place(None, missed.entry, missed.used, said)
    said = f"the engine cannot read it: {parsed.unseen}" if parsed.unseen else f"{MANIFEST_FILE} does not list it"
    return place(None, None, before, said)


def _never(file: str, role: Role, alias: str) -> str:
    """Why no lane takes such a file; empty when one does."""
    if alias:
        return "notes of shared sources are never in it"
    if role is not Role.STUB and file.startswith(f"{ARCHIVE}/"):
        return f"of what is in {ARCHIVE}, only stubs are in it"
    return {Role.ABSTRACT: "its note is gone", Role.OVERVIEW: "overviews are never in it"}.get(role, "")
