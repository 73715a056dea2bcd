"""Files that define a project and how it is read: settings, profiles, pointers, shared sources."""

from __future__ import annotations

import json
from pathlib import Path

from brvtui.config import ConfigError, configure
from brvtui.config.writing import as_plain, default_file
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from brvtui.text.visible import json_line
from brvtui.tree.reading.project import ProjectError
from brvtui.tree.reading.signals import SignalsError
from brvtui.typed_tables import ProfileError
from tests.fuzz.targets.target import QUERY, Target, hits, message_form, planted, same_hits
from tests.support.settings import own
from tests.support.trees import NOW_MS, Tree

_PROFILES = Path(__file__).parents[3] / "brvtui/engines/byterover/profiles"
_SETTINGS = (
    b"""theme = "brv-dark"
animations = false
engine = "byterover"
profile = "brv-3"
history = 20
[signals]
frontmatter = true
""",
    b"""[profile]
extends = "brv-3"
[profile.direct]
min_top = 0.9
[profile.limits]
max_files = 100
max_file_bytes = 10000
""",
    b'engine = "jeffs_brain"\nwatch = false\n',
)


class _Opened(Target):
    """A project that is opened with the input in one of its files."""

    NAMED = ""
    """The names that a refusal must contain."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.root = self.tree.root
        session = self.tree.session()
        self.expected = hits(session.preview(QUERY))
        session.close()

    def write(self, data: bytes) -> None:
        """Writes ``data`` to the file."""
        raise NotImplementedError

    def check(self, session: Session) -> None:
        """Raises :class:`Wrong` if the opened project is not as expected."""

    def run(self, data: bytes) -> str:
        self.write(data)
        forms = [self._opened(tolerant) for tolerant in (False, True)]
        return " | ".join(forms)

    def _opened(self, tolerant: bool) -> str:
        try:
            session = Session.open(self.root, None, NOW_MS, tolerant=tolerant)
        except (ProjectError, ConfigError, ProfileError) as error:
            return message_form(error, self.NAMED)
        try:
            for notice in session.project.notices:
                message_form(notice)
            for problem in session.configuration.problems:
                message_form(problem.message)
            json_line(as_plain(session.configuration))
            session.load()
            session.preview(QUERY)
            self.check(session)
            profile = message_form(session.profile.name)
            return f"opened {session.settings.engine} {profile} {len(session.configuration.problems)}"
        except (SignalsError, EngineError) as error:
            return message_form(error)
        finally:
            session.close()


class ProjectSettings(_Opened):
    """``.brv/brv-tui.toml``."""

    NAMED = "brv-tui.toml"

    def seeds(self) -> list[bytes]:
        return [*_SETTINGS]

    def write(self, data: bytes) -> None:
        (self.root / ".brv" / "brv-tui.toml").write_bytes(data)

    def check(self, session: Session) -> None:
        if not session.configuration.values:
            same_hits(session, self.expected, "a settings file of which nothing is used")


class ProjectProfile(_Opened):
    """A profile that the project's settings name."""

    NAMED = "own.toml"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tree.settings('profile = "own.toml"\n')

    def seeds(self) -> list[bytes]:
        return [b'extends = "brv-3"\n[direct]\nmin_top = 0.9\n', (_PROFILES / "brv-3.toml").read_bytes()]

    def write(self, data: bytes) -> None:
        (self.root / ".brv" / "own.toml").write_bytes(data)


class UserSettings(_Opened):
    """The user's own settings file."""

    def seeds(self) -> list[bytes]:
        return [*_SETTINGS, default_file().encode()]

    def write(self, data: bytes) -> None:
        own(data)

    def run(self, data: bytes) -> str:
        result = super().run(data)
        for problem in configure(None).problems:
            message_form(problem.message, "config.toml")
        return result


class Pointer(_Opened):
    """``.brv`` as a file in a worktree."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.main = self.root
        self.root = folder / "worktree"
        self.root.mkdir()
        self.file = self.root / ".brv"

    NAMED = ".brv"

    def seeds(self) -> list[bytes]:
        target = str(self.main)
        forms = [json.dumps({"projectRoot": target}), f"{target}\n", f"root: {target}/.brv", "../project"]
        return [form.encode() for form in forms]

    def write(self, data: bytes) -> None:
        self.file.write_bytes(data)

    def check(self, session: Session) -> None:
        if session.project.root == self.main:
            same_hits(session, self.expected, "a pointer")


class Sources(_Opened):
    """``.brv/sources.json``."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.other = Tree(folder / "other")
        self.other.note("lib/quokka.md", "Quokka elsewhere", "an anchor elsewhere")

    def seeds(self) -> list[bytes]:
        entry = {
            "alias": "lib",
            "projectRoot": str(self.other.root),
            "readOnly": True,
            "addedAt": "2026-01-01T00:00:00Z",
        }
        return [json.dumps({"version": 1, "sources": entries}).encode() for entries in ([], [entry], [entry, entry])]

    def write(self, data: bytes) -> None:
        (self.root / ".brv" / "sources.json").write_bytes(data)

    def check(self, session: Session) -> None:
        if not session.project.sources:
            same_hits(session, self.expected, "a list of no sources")


class EngineConfig(_Opened):
    """``.brv/config.json``, which must exist, but whose contents are not used."""

    def seeds(self) -> list[bytes]:
        return [b'{"provider": "x", "version": "1"}']

    def write(self, data: bytes) -> None:
        (self.root / ".brv" / "config.json").write_bytes(data)

    def check(self, session: Session) -> None:
        same_hits(session, self.expected, "the engine's configuration")
