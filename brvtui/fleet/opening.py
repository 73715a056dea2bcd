"""Opens a member in this process with its engine, and restricts which files it can read.

A member's files are untrusted. Its settings determine its engine and profile, as when it is opened on its own. But no
setting can cause anything outside its folder to be read, or a service to be called.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from brvtui.engines import registry
from brvtui.engines.contract import Context, Engine, Query
from brvtui.engines.profile_files import TreeProfile, engine_of_profile, tree_profile
from brvtui.fleet.fleet_file import AbsenceKind, FleetError, Member
from brvtui.loading import EditedFile, load
from brvtui.services.provided import NO_SERVICES
from brvtui.session import Session
from brvtui.session.engines import Clock, Engines
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.git import GitFailed, RevisionError, git
from brvtui.tree.history.revision import CommittedTree, NoFolder, commit_named, committed_contents, committed_tree
from brvtui.tree.reading import kinds
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.files import Listing, possible_documents
from brvtui.tree.reading.project import MARKER, FoundProject
from brvtui.tree.spaces.locating import TREE, is_uuid
from brvtui.wording import shortened

# Reads the tree of a git repository at a revision from git's objects, without a checkout.


_MOST_LISTING = 64 * 1_048_576
_SHORT = 4096
_NS_PER_S = 1_000_000_000


def commit_of(repository: Path, revision: str) -> str:
    """Returns the commit that ``revision`` refers to in ``repository``. Raises RevisionError."""
    try:
        return commit_named(partial(_git, repository), revision)
    except GitFailed as error:
        why = f"{repository}: no revision {shortened(revision)}; fetch it first, or choose another ({error})"
        raise RevisionError(why) from error


def git_snapshot(repository: Path, commit: str, folder: str, constants: TreeConstants, now_ms: float) -> Snapshot:
    """Returns a snapshot of the Markdown files in ``folder`` at ``commit``. A file's age is the age of its last commit.

    Signals come from frontmatter if the profile reads it. Otherwise they are the defaults, because git stores no
    signals. Raises RevisionError.
    """
    folder = "/".join(part for part in folder.split("/") if part not in ("", "."))  # git accepts repeated slashes
    found = _committed(repository, commit, folder)
    dates = _dates(repository, commit, folder)
    listed = [file.at(path, dates.get(path, dates[""])) for path, file in found.files.items()]
    possible = possible_documents(listed, constants.limits)
    wanted = {path: file for path, file in found.files.items() if path in possible}
    unread = Listing(tuple(file for file in listed if file.path not in possible), found.unseen)
    largest, remedy = constants.limits.max_file_bytes, "; choose a smaller folder"
    contents = committed_contents(partial(_git, repository), wanted, largest, str(repository), remedy)
    edits = tuple(EditedFile(path, data, dates.get(path, dates[""])) for path, data in contents.items())
    tree = repository / f"{commit}:{folder}"
    project = FoundProject(repository, tree, (), (f"read from git at {commit[:12]}: the engine's signals are unknown",))
    snapshot = load(project, constants, now_ms, edits=edits, unread=unread)
    texts = {}
    for edit in edits:
        with suppress(Unseen):
            texts[edit.path] = read_bytes(edit.data, constants.limits).text
    return replace(snapshot, edited=texts)


def _committed(repository: Path, commit: str, folder: str) -> CommittedTree:
    try:
        where = f"{repository}: {commit[:12]}"
        found = committed_tree(partial(_git, repository), repository, commit, folder, where)
    except NoFolder as error:
        raise RevisionError(
            f"{repository}: {commit[:12]} contains no folder {folder}; set folder to another one"
        ) from error
    if not found.files:
        raise RevisionError(f"{repository}: no notes in {folder} at {commit[:12]}; choose another folder or revision")
    return found


def _dates(repository: Path, commit: str, folder: str) -> dict[str, int]:
    """Returns the time of each file's last commit, in ns since 1970. The empty path maps to the time of ``commit``."""
    own = int(_git(repository, "log", "-1", "--format=%ct", commit, most=_SHORT).strip() or 0) * _NS_PER_S
    dates = {"": own}
    where = ("--", f":(top,literal){folder}") if folder else ()
    try:
        log = _git(
            repository, "log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", commit, *where,
            most=_MOST_LISTING,
        )  # fmt: skip
    except RevisionError:
        return dates  # if the history is too long, every note gets the age of the commit
    prefix = f"{folder}/" if folder else ""
    moment = own
    for item in log.decode("utf-8", "surrogateescape").split("\0"):
        text = item.lstrip("\n")
        if text.startswith("\x01"):
            seconds, _, text = text[1:].partition("\n")
            moment = int(seconds) * _NS_PER_S if seconds.strip().isdigit() else own
            text = text.lstrip("\n")
        if text.startswith(prefix):
            dates.setdefault(text.removeprefix(prefix), moment)
    return dates


def _git(repository: Path, *arguments: str, most: int, given: bytes = b"") -> bytes:
    return git(repository, *arguments, most=most, given=given, bare=True)


FRESH_S = 30.0
"""The number of seconds after which a member's files are checked for changes again."""


class OpenMember:
    """An open member in this process. Only the thread that holds ``lock`` may use it."""

    def __init__(self, member: Member, now_ms: float) -> None:
        """Opens ``member`` at the time ``now_ms``, and reads its notes.

        Raises :class:`brvtui.fleet.fleet_file.FleetError`, and the errors of opening a project.
        """
        self.member = member
        self.lock = threading.Lock()
        self.project: Session | GitMemory = GitMemory(member, now_ms) if member.repository else _session(member, now_ms)
        self._place = Path(member.repository) if isinstance(self.project, GitMemory) else self.project.project.tree
        self._looked = -FRESH_S
        self.digested: tuple[Any, str] = (None, "")
        """The engine's constants and their digest, as last requested."""
        self.look(now_ms, 0.0)

    def look(self, now_ms: float, fresh_s: float = FRESH_S) -> None:
        """Sets the clock to ``now_ms``. Reads changes if the last check was more than ``fresh_s`` seconds ago.

        Raises the same errors as opening the member, for example if the member no longer exists.
        """
        self.project.clock = lambda: now_ms
        if not self._place.is_dir():
            raise FleetError(f"{self.member.place}: its folder is gone", AbsenceKind.NO_FOLDER)
        if time.monotonic() - self._looked >= fresh_s:
            self.project.load()
            if isinstance(self.project, Session):
                with suppress(OSError):  # if the cache cannot be written, the next process reads the notes again
                    self.project.keep()
            self._looked = time.monotonic()

    @property
    def engine(self) -> Engine[Any]:
        """The member's engine. Raises :class:`brvtui.engines.contract.EngineError`."""
        return self.project.engines.named(self.project.engine)

    @property
    def context(self) -> Context[Any]:
        """The current context, without services. Raises the errors of :attr:`engine`."""
        return replace(self.project.engines.context(self.project.engine), services=NO_SERVICES)

    def trace(self, query: str, scope: str = "") -> Trace:
        """Runs ``query`` as a preview, and returns its trace. Raises the errors of :attr:`engine`."""
        return self.engine.answer(self.context, Query(query, scope))


def _session(member: Member, now_ms: float) -> Session:
    folder = Path(member.path)
    try:
        real = folder.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise FleetError(f"{folder}: no such folder", AbsenceKind.NO_FOLDER) from error
    if (real / MARKER).is_file():
        raise FleetError(f"{folder}: its {MARKER} points to another project; add that one", AbsenceKind.ONLY_ALONE)
    is_space_tree = real.name == TREE and is_uuid(real.parent.name)
    if registry.kind_of(member.engine).engine and not is_space_tree:
        raise FleetError(f"{folder}: {member.engine} needs a space's tree; add the data folder with spaces")
    _check_profile(member)
    session = Session.open(folder, member.profile or None, now_ms, engine=member.engine, alone=True)
    root = real.parent.parent if real.name == TREE and real.parent.name == MARKER else real
    if not session.project.tree.is_relative_to(root):
        line = f"{folder}: its own files point to a memory elsewhere ({session.project.tree}); add that one"
        raise FleetError(line, AbsenceKind.ONLY_ALONE)
    return session


def _check_profile(member: Member) -> None:
    """Raises :class:`FleetError` if ``member`` names a profile file, because the fleet file may come
    from a stranger.
    """
    if member.profile and not engine_of_profile(member.profile):
        where = "a fleet cannot use a profile file; set it in the member's own .brv/brv-tui.toml"
        raise FleetError(f"{member.place}: no profile is called {shortened(member.profile)}; {where}")


class GitMemory:
    """A memory in a git repository, as a :class:`brvtui.session.engines.OpenProject`. Writes nothing to disk."""

    kind = kinds.TREE

    def __init__(self, member: Member, now_ms: float) -> None:
        """Reads nothing until :meth:`load`. Raises :class:`brvtui.typed_tables.ProfileError`."""
        self._member = member
        self.engine = member.engine or registry.DEFAULT
        if registry.kind_of(self.engine).engine:
            raise FleetError(f"{member.place}: a space's topics are not read from git; give the space's folder")
        _check_profile(member)
        named = member.profile
        is_own = registry.reads_trees(self.engine) and bool(named)
        self.profile: TreeProfile = tree_profile(named if is_own else registry.DEFAULT_PROFILE)
        self.clock: Clock = lambda: now_ms
        self.engines = Engines(self, lambda _: NO_SERVICES, {self.engine: named} if named and not is_own else {})
        self._commit = ""
        self._snapshot: Snapshot | None = None

    def load(self) -> bool:
        """Reads the notes if the revision now refers to a different commit. Returns True if it read them. Raises
        RevisionError.
        """
        repository = Path(self._member.repository)
        commit = commit_of(repository, self._member.revision)
        if commit == self._commit:
            return False
        self._snapshot = git_snapshot(repository, commit, self._member.folder, self.profile, self.clock())
        self._commit = commit
        return True

    @property
    def snapshot(self) -> Snapshot:
        """The notes at the revision."""
        assert self._snapshot is not None  # opening a member loads its notes
        return self._snapshot
