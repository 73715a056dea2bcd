"""Finds Node and the ByteRover engines that are installed on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from brvtui import programs
from brvtui.regular_files import read_regular
from brvtui.store.folders import with_home
from brvtui.tree.reading.json_file import read_json_or_none
from brvtui.tree.reading.kinds import ProjectKind

PACKAGE, BUNDLE = "byterover-cli", "byterover skill"
PACKAGE_VARIABLE, BUNDLE_VARIABLE = "BRV_TUI_BYTEROVER_PACKAGE", "BRV_TUI_BYTEROVER_BUNDLE"
_LEAST_NODE = 20
_SECONDS = 10.0
_LARGEST_PAGE = 1_048_576
_LONGEST_VERSION = 256  # npm's own limit
_VERSION = re.compile(r"^[^\S\n]*version:\s*['\"]?([0-9][^\s'\"]{,255})", re.MULTILINE)
_SCRIPTS = "scripts"
_NPM = ("NPM_CONFIG_PREFIX", "npm_config_prefix")
"""The environment variables that set the location of npm's global folder."""
_AGENTS = (".claude", ".agents", ".codex", ".cursor", ".gemini", ".opencode", ".config/opencode")
"""The folders for agents' skills in the user's home folder."""


class NotInstalled(Exception):
    """An engine, or a program that it needs, is not installed. The message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """An engine on this machine: ByteRover 3's package or V4's skill bundle."""

    kind: str
    """The kind of installation: :data:`PACKAGE` or :data:`BUNDLE`."""
    version: str
    folder: Path
    """The folder of the package, or of the bundle's scripts."""

    @property
    def name(self) -> str:
        """The kind and version of the engine, such as ``byterover-cli 3.14.0``."""
        return f"{self.kind} {self.version}"


def find_node(environment: Mapping[str, str] = os.environ) -> Path:
    """The path of the program ``node``. Raises :class:`NotInstalled` if the program is missing or too old."""
    node = _on_path("node", environment)
    if node is None:
        raise NotInstalled(
            f"no Node.js was found on PATH (the project's folders are ignored): install Node.js {_LEAST_NODE} or later"
        )
    version = _printed([str(node), "--version"], environment).lstrip("v")
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < _LEAST_NODE:
        raise NotInstalled(
            f"{node}: Node.js {version or 'without a version'}, but {_LEAST_NODE} or later is needed; update it"
        )
    return node


def find_package(named: Path | None, environment: Mapping[str, str] = os.environ) -> InstalledEngine:
    """The package ``byterover-cli`` at ``named``. Without ``named``, the first that exists of these: the package from
    :data:`PACKAGE_VARIABLE`, the package of the ``brv`` on the path, and the package in npm's global folder.

    Raises :class:`NotInstalled`.
    """
    place = named or _named(environment, PACKAGE_VARIABLE)
    if place is not None:
        inside = (place, place / "package", place / "node_modules" / PACKAGE)
        found = next(filter(None, map(_package_at, inside)), None)
        if found is None:
            raise NotInstalled(
                f"{place} is not the package {PACKAGE}; choose the folder that contains its package.json"
            )
        return found
    found = next(filter(None, map(_package_at, _places_of_package(environment))), None)
    if found is None:
        raise NotInstalled(
            f"{PACKAGE} is not installed: run npm install -g {PACKAGE}, "
            f"or pass its folder with brv-tui verify --package or {PACKAGE_VARIABLE}"
        )
    return found


def find_bundle(named: Path | None, environment: Mapping[str, str] = os.environ) -> InstalledEngine:
    """V4's skill bundle at ``named`` or, without ``named``, the one from :data:`BUNDLE_VARIABLE` or among the agents'
    skills in the user's home.

    A bundle inside a project is never used, because the bundle's scripts are run. Raises :class:`NotInstalled`.
    """
    place = named or _named(environment, BUNDLE_VARIABLE)
    if place is not None:
        found = next(filter(None, map(_bundle_at, (place, place.parent))), None)
        if found is None:
            raise NotInstalled(
                f"{place} is not ByteRover V4's skill bundle; choose the folder that contains its SKILL.md"
            )
        return found
    home = Path(environment.get("HOME") or Path.home())
    places = (home / agent / "skills" / "byterover" for agent in _AGENTS)
    found = next(filter(None, map(_bundle_at, places)), None)
    if found is None:
        raise NotInstalled(
            "no ByteRover V4 skill bundle was found: "
            f"pass its folder with brv-tui verify --package or {BUNDLE_VARIABLE}"
        )
    return found


def is_at_hand(kind: ProjectKind, environment: Mapping[str, str]) -> bool:
    """True if the engine can be looked for without running npm. This is always so for V4's bundle. For the package, its
    location must be given, or ``brv`` must be on the path.
    """
    return kind.is_html or bool(environment.get(PACKAGE_VARIABLE)) or _on_path("brv", environment) is not None


def _named(environment: Mapping[str, str], variable: str) -> Path | None:
    value = environment.get(variable, "")
    return with_home(value) if value else None


def _places_of_package(environment: Mapping[str, str]) -> Iterator[Path]:
    program = _on_path("brv", environment)
    if program is not None:
        yield from program.resolve().parents
    node = _on_path("node", environment)
    if node is not None:
        for prefix in {node.parent.parent, node.resolve().parent.parent}:
            yield prefix / "lib" / "node_modules" / PACKAGE
    npm = _on_path("npm", environment)
    if npm is not None and (root := _printed([str(npm), "root", "-g"], environment)):
        yield Path(root) / PACKAGE


def _package_at(folder: Path) -> InstalledEngine | None:
    value = read_json_or_none(folder / "package.json")
    version = value.get("version") if isinstance(value, dict) and value.get("name") == PACKAGE else None
    if not isinstance(version, str) or len(version) > _LONGEST_VERSION:
        return None
    return InstalledEngine(PACKAGE, version, folder.resolve())


def _bundle_at(folder: Path) -> InstalledEngine | None:
    try:
        text = read_regular(folder / "SKILL.md", _LARGEST_PAGE, follow_links=True).decode("utf-8", "replace")
        if not (folder / _SCRIPTS / "query.mjs").is_file():
            return None
    except OSError:
        return None
    version = _VERSION.search(text)
    return InstalledEngine(BUNDLE, version[1] if version else "of no version", (folder / _SCRIPTS).resolve())


def _on_path(name: str, environment: Mapping[str, str]) -> Path | None:
    program = programs.find_program(name, programs.environment(of=environment))
    return Path(program) if program else None


def _printed(command: list[str], environment: Mapping[str, str]) -> str:
    """The trimmed output of ``command``; empty if it fails. The command runs in its own folder, so that no project's
    npm settings apply.
    """
    variables = programs.environment(of=environment, keep=(*programs.BASIC, *_NPM))
    printed = programs.output(command, variables, Path(command[0]).parent, _SECONDS)
    return printed.decode("utf-8", "replace").strip()
