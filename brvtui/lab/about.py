"""One file of the tree: the file's text, signals and surroundings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from brvtui import faults
from brvtui.engines.ageing.board import Board, BoardRow
from brvtui.engines.ageing.forecast import Forecast, UpcomingEvent
from brvtui.lab.backlinks import Backlink, LinkIndex, names_of
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.ranking.constants import SignalRules
from brvtui.snapshot import Snapshot
from brvtui.trace import AgedSignals, Ceiling, ManifestPlace
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.frontmatter import Frontmatter, parse
from brvtui.tree.reading.links import Names, Resolved
from brvtui.tree.reading.signals import NoteSignals, Source, defaults, from_fields

_NO_FRONTMATTER = Frontmatter({}, 0)
_GONE = "the file is gone"


class FileState(StrEnum):
    """The state of a file on disk compared with the snapshot."""

    CURRENT = "current"
    NEWER = "newer"
    """The file changed on disk after the snapshot was read. Scores and links belong to the earlier text."""
    GONE = "gone"
    NOT_READ = "not read"
    """The file is not a note, so it is not searched."""


@dataclass(frozen=True, eq=False)
class About:
    """A file of the tree. ``text`` is the whole current text; the signals come from the snapshot ``generation``."""

    path: str
    alias: str
    """The alias of the shared source that contains the file; empty for the project's own files."""
    title: str
    generation: int
    names: Names
    """The files of the same tree, keyed by the names that links use."""
    state: FileState
    text: str = ""
    problem: str = ""
    """The reason why there is no text to show; empty if there is text."""
    unseen: str = ""
    """The reason why the engine does not see the file; empty if it does."""
    frontmatter: Frontmatter = _NO_FRONTMATTER
    aged: AgedSignals | None = None
    """A note's signals before and after decay."""
    ceiling: Ceiling | None = None
    cut_lines: int = 0
    """The number of lines at the end of the file that the engine does not read."""
    cut_units: int = 0
    """The number of lines whose ends the engine does not read."""
    moved_to: str = ""
    """For a file that no longer exists, the file that now contains the text, or the stub in the archive."""
    moved_how: str = ""
    """The evidence for ``moved_to``, in a few words."""
    unread_signals: bool = False
    """True if the note's frontmatter contains non-default signals, but signals in frontmatter are ignored."""


@dataclass(frozen=True, eq=False)
class FileSurroundings:
    """The links, ageing and place in the manifest of the file at ``path`` in the snapshot ``generation``."""

    path: str
    generation: int
    links: tuple[Resolved, ...]
    backlinks: tuple[Backlink, ...]
    place: ManifestPlace | None
    """The file's place in ByteRover's manifest; None if the file is not Markdown."""
    coming: tuple[UpcomingEvent, ...]
    """Future ageing events, soonest first."""
    standing: BoardRow | None
    """The note's place on the maturity board."""
    speaking: tuple[tuple[str, str], ...] = ()
    """For a symbol, the notes that mention it, each with the matching text."""


def about(
    snapshot: Snapshot, rules: SignalRules, path: str, standing: tuple[AgedSignals, Ceiling | None] | None
) -> About:
    """The file at ``path``, with its signals and best possible score (``standing``).

    ``rules`` define how signals are read. Raises no errors, even if the file is missing, unreadable or not a note.
    """
    parsed = snapshot.parsed.get(path)
    alias = parsed.alias if parsed else ""
    text, problem = _text(snapshot, path)
    page = About(
        path,
        alias,
        path.rpartition("/")[2],
        snapshot.generation,
        names_of(snapshot)[alias],
        FileState.GONE if problem == _GONE else FileState.NOT_READ,
        text,
        problem,
        next((file.reason for file in snapshot.unseen if file.path == path), ""),
        parse(text),
    )
    position = snapshot.by_path.get(path)
    if position is None:
        return page
    note, signals = snapshot.notes[position], snapshot.signals[position]
    aged, ceiling = standing or (None, None)
    return replace(
        page,
        title=note.title,
        state=_state(snapshot, path),
        aged=aged,
        ceiling=ceiling,
        cut_lines=note.cut_lines,
        cut_units=note.cut_units,
        unread_signals=_has_unread_signals(snapshot, page, signals, rules),
    )


def as_it_was(page: About, before: About, snapshot: Snapshot) -> About:
    """``page``, whose file is missing, with the contents of ``before`` and the file's new place in ``snapshot``.

    May read every note. Raises no errors.
    """
    moved_to, how = DocumentFinder(snapshot).moved(page.path, before.text)
    return replace(
        before, generation=page.generation, names=page.names, state=page.state, moved_to=moved_to, moved_how=how
    )


def _has_unread_signals(snapshot: Snapshot, page: About, signals: NoteSignals, rules: SignalRules) -> bool:
    if snapshot.reads_frontmatter or page.alias or signals.source is not Source.DEFAULT:
        return False
    own = from_fields(page.frontmatter.fields, defaults(rules))
    return own is not None and replace(own, source=signals.source) != signals


def around(board: Board, links: LinkIndex, path: str, place: ManifestPlace | None) -> FileSurroundings:
    """The surroundings of the file at ``path``. ``place`` is the file's place in the manifest. Fields that do not apply
    are empty.
    """
    snapshot = board.snapshot
    position = snapshot.by_path.get(path) if not snapshot.kind.is_html else None
    folder = path.removesuffix(f"/{CONTEXT_FILE}")
    backlinks = links.backlinks(path) + (links.backlinks(folder) if folder != path else ())
    return FileSurroundings(
        path,
        snapshot.generation,
        links.links_of(path),
        backlinks,
        place,
        Forecast(board, 0).coming(position) if position is not None else (),
        board.row(position) if position is not None else None,
    )


def around_code(snapshot: Snapshot, path: str) -> FileSurroundings:
    """The surroundings of the symbol at ``path``. Code has no links and no manifest, and does not age."""
    from brvtui.corpus.code.documents import nearest_of_each_note  # slow to import, and not needed for notes
    from brvtui.corpus.code.snapshot import RepositorySnapshot

    assert isinstance(snapshot, RepositorySnapshot)
    page = snapshot.pages.by_path.get(path)
    mentions = snapshot.documentation.notes_about(page.symbol.id) if page is not None else []
    speaking = tuple((one.note, one.written) for one in nearest_of_each_note(mentions))
    return FileSurroundings(path, snapshot.generation, (), (), None, (), None, speaking)


def _text(snapshot: Snapshot, path: str) -> tuple[str, str]:
    """The whole text of a file, including parts that the engine does not read, and an empty string; if the file cannot
    be read, an empty text and the reason.
    """
    if path in snapshot.edited:
        return snapshot.edited[path], ""
    try:
        data = snapshot.read(path)
    except FileNotFoundError:
        return "", _GONE
    except OSError as error:
        return "", f"cannot be shown: {faults.reason(error)}"
    return ("", "cannot be shown: it is not text") if b"\0" in data else (data.decode("utf-8", "replace"), "")


def stale_files(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, str]:
    """The state, keyed by path, of each of ``paths`` whose file is ``newer`` than ``snapshot`` or ``gone``."""
    states = {path: _state(snapshot, path) for path in paths}
    return {path: state.value for path, state in states.items() if state in (FileState.NEWER, FileState.GONE)}


def _state(snapshot: Snapshot, path: str) -> FileState:
    try:
        stat = snapshot.location(path).stat()
    except OSError:
        return FileState.GONE
    parsed = snapshot.parsed.get(path)
    if parsed is None:
        return FileState.NOT_READ
    same = (parsed.mtime_ns, parsed.size) == (stat.st_mtime_ns, stat.st_size)
    return FileState.CURRENT if same or path in snapshot.edited else FileState.NEWER
