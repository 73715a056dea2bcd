"""The writer of snapshots: reads a project from disk, and again only what changed since an earlier snapshot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brvtui.profile import Profile
from brvtui.snapshot import FolderSummary, Note, Parsed, Snapshot
from brvtui.text.analysis import utf16
from brvtui.text.forward import TermIds, note_terms
from brvtui.text.postings import build
from brvtui.tree.files import (
    CONTEXT_FILE,
    DUPLICATE,
    SEARCHABLE,
    Role,
    TreeFile,
    UnseenFile,
    document_order,
    list_files,
)
from brvtui.tree.frontmatter import parse
from brvtui.tree.project import Project
from brvtui.tree.reading import Unseen, read_note, title_of
from brvtui.tree.signals import NoteSignals, defaults, first_found, from_frontmatter
from brvtui.tree.updated_at import updated_ms

_READ_AT_ONCE = 256
_SUMMARY_ORDERS = range(4)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SignalLayers:
    """Stored signals by note path, the first layer that has a note wins; frontmatter comes after them all."""

    layers: tuple[Mapping[str, NoteSignals], ...] = ()
    broken: frozenset[str] = frozenset()
    """Notes whose file in the engine's sidecar is no JSON: if one of them is searched, the engine reads no signals."""


@dataclass(frozen=True, slots=True)
class _Located:
    file: TreeFile
    alias: str
    tree: Path

    @property
    def path(self) -> str:
        return f"[{self.alias}]:{self.file.path}" if self.alias else self.file.path


def load(
    project: Project,
    profile: Profile,
    now_ms: float,
    stored: SignalLayers = SignalLayers(),
    previous: Snapshot | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Snapshot | None:
    """A snapshot of ``project`` as it is on disk now; None when ``cancelled`` became true meanwhile.

    Files that did not change since ``previous`` (same mtime, size and inode) are not read again. ``progress`` is
    called with files done and files in all. A file that cannot be read is listed as unseen; nothing is raised.
    """
    own = list_files(project.tree)
    located, beyond = _in_document_order(own.files, "", project.tree, profile, now_ms)
    unseen = list(own.unseen) + [UnseenFile(path, _beyond(profile)) for path in beyond]
    taken = {file.path for file in own.files}
    for source in project.sources:
        listing = list_files(source.tree)
        shared, _ = _in_document_order(listing.files, source.alias, source.tree, profile, now_ms)
        located += [item for item in shared if item.path not in taken]
    reuse = previous if previous is not None and previous.limits == profile.limits else None
    ids = reuse.postings.ids if reuse else TermIds()
    base = defaults(profile.signals)
    parsed: dict[str, Parsed] = {}
    for number, item in enumerate(located):
        if number % _READ_AT_ONCE == 0:
            if cancelled():
                return None
            if progress:
                progress(number, len(located))
        known = reuse.parsed.get(item.path) if reuse else None
        file = item.file
        same = known and (known.mtime_ns, known.size, known.inode) == (file.mtime_ns, file.size, file.inode)
        parsed[item.path] = known if known and same else _read(item, profile, ids, base)
    snapshot = _assemble(project, profile, now_ms, stored, located, parsed, unseen, own.files, ids, reuse or previous)
    if progress:
        progress(len(located), len(located))
    return snapshot


def _beyond(profile: Profile) -> str:
    return f"past the {profile.limits.max_files} files that the engine reads"


def _in_document_order(
    files: Sequence[TreeFile], alias: str, tree: Path, profile: Profile, now_ms: float
) -> tuple[list[_Located], list[str]]:
    ordered = document_order(list(files), now_ms, profile.limits.recent_hours)
    most = profile.limits.max_files or len(ordered)
    return [_Located(file, alias, tree) for file in ordered[:most]], [file.path for file in ordered[most:]]


def _read(item: _Located, profile: Profile, ids: TermIds, base: NoteSignals) -> Parsed:
    file = item.file
    role = file.role
    identity = (item.alias, file.path, file.mtime_ns, file.size, file.inode)
    if role not in SEARCHABLE and role not in (Role.SUMMARY, Role.ABSTRACT):
        return Parsed(*identity)
    try:
        read = read_note(item.tree / file.path, file.size, profile.limits)
    except Unseen as reason:
        return Parsed(*identity, unseen=str(reason))
    except OSError as error:
        return Parsed(*identity, unseen=f"cannot be read: {error.strerror or error}")
    chars = len(read.text) if read.text.isascii() else len(utf16(read.text))
    if role is Role.ABSTRACT:
        return Parsed(*identity, chars=chars)
    legacy = None if item.alias else from_frontmatter(read.text, base)
    if role is Role.SUMMARY:
        order, tokens = _summary(read.text)
        return Parsed(*identity, summary_order=order, summary_tokens=tokens, legacy_signals=legacy, chars=chars)
    title = title_of(read.text, file.path.rsplit("/", 1)[-1])
    terms = note_terms(title, read.text, file.path, ids)
    return Parsed(
        *identity, title, terms, read.cut_lines, read.cut_units, legacy, chars=chars, updated_ms=updated_ms(read.text)
    )


def _summary(text: str) -> tuple[int | None, int | None]:
    fields = parse(text).fields
    if fields.get("type") != "summary" or "condensation_order" not in fields:
        return None, None
    order = _as_number(fields["condensation_order"])
    tokens = _as_number(fields.get("token_count"))
    return (
        int(order) if order is not None and order in _SUMMARY_ORDERS else None,
        None if tokens is None else int(tokens),
    )


def _as_number(value: object) -> float | None:
    """``value`` as the engine's language converts it to a number; None when that is none, or not finite."""
    if isinstance(value, list) and len(value) <= 1:
        return _as_number(value[0] if value else None)
    if value is None or value == "":
        return 0
    try:
        number = float(value) if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _assemble(
    project: Project,
    profile: Profile,
    now_ms: float,
    stored: SignalLayers,
    located: list[_Located],
    parsed: dict[str, Parsed],
    unseen: list[UnseenFile],
    own_files: Sequence[TreeFile],
    ids: TermIds,
    previous: Snapshot | None,
) -> Snapshot:
    base = defaults(profile.signals)
    ignored = _signals_ignored(located, parsed, stored.broken) if profile.limits.failures else ""
    notes: list[Note] = []
    terms = []
    signals: list[NoteSignals] = []
    summary_signals: dict[str, NoteSignals] = {}
    summaries: dict[str, FolderSummary] = {}
    for item in located:
        entry = parsed[item.path]
        file = item.file
        role = file.role
        if entry.unseen:
            unseen.append(UnseenFile(item.path, entry.unseen))
            continue
        own = first_found(file.path, stored.layers) or entry.legacy_signals
        found = None if item.alias or ignored else own
        folder = item.path.rpartition("/")[0]
        if role in (Role.SUMMARY, Role.CONTEXT) and folder:
            if role is Role.CONTEXT:
                summaries.setdefault(folder, FolderSummary(folder, item.path, file.mtime_ms))
            elif entry.summary_order is not None:
                summaries[folder] = FolderSummary(folder, item.path, file.mtime_ms)
            if found:
                summary_signals[item.path] = found
        if entry.terms is None:
            continue
        notes.append(
            Note(
                item.path, file.path, item.alias, entry.title, role, file.size, file.mtime_ms,
                entry.cut_lines, entry.cut_units, entry.chars,
            )
        )  # fmt: skip
        terms.append(entry.terms)
        signals.append(found or base)
    return Snapshot(
        project=project,
        generation=previous.generation + 1 if previous else 1,
        loaded_ms=now_ms,
        limits=profile.limits,
        notes=tuple(notes),
        postings=build(terms, ids),
        signals=tuple(signals),
        summary_signals=summary_signals,
        summaries=summaries,
        files=tuple(own_files),
        unseen=tuple(unseen),
        notices=(*project.notices, ignored) if ignored else project.notices,
        parsed=parsed,
        edited={},
        engine_failure=_engine_failure(project, notes, unseen),
    )


def _signals_ignored(located: Sequence[_Located], parsed: Mapping[str, Parsed], broken: frozenset[str]) -> str:
    """Why the real engine reads no stored signals at all here: it reads them in one batch, which fails as a whole."""
    asked = [item for item in located if parsed[item.path].terms or parsed[item.path].summary_order is not None]
    junk = next((item.path for item in asked if item.path in broken), "")
    if junk:
        return f"the stored signals of {junk} are no JSON, so ByteRover 3.14 ignores those of all notes"
    if any(item.alias for item in asked):
        return "with shared sources, ByteRover 3.14 ignores all stored signals: every note has the defaults"
    odd = next((item.path for item in asked if ":" in item.file.path or "\\" in item.file.path), "")
    if odd:
        return f"{odd}: for the : or \\ in this name, ByteRover 3.14 ignores all stored signals; rename the file"
    return ""


def _engine_failure(project: Project, notes: Sequence[Note], unseen: Sequence[UnseenFile]) -> str:
    if any(note.path == CONTEXT_FILE for note in notes):
        return f"{CONTEXT_FILE} at the root of the tree makes every search of the engine fail: move it into a folder"
    if project.failure:
        return project.failure
    link = next((file for file in unseen if file.reason == DUPLICATE), None)
    if link:
        return f"{link.path}: a symlink to another note makes every search of the engine fail: remove it"
    return ""
