"""Projects whose files are links to the outside: no command reads, shows or writes anything outside.

Each foreign file contains a secret, and every command that would open the file is run in the project.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.attacks.harness import Probe, report
from tests.attacks.planted import COMMAND

_SECRET = "SECRETVALUE"
_CONTENT = {
    "brv-tui.toml": f'theme = "{_SECRET}"\n{_SECRET} = 1\n',
    "fleet.toml": f'{_SECRET} = "v"\n',
    ".brvspace": f'{{"space_id": "{_SECRET}", "space_name": "{_SECRET}"}}',
    ".brv": f"/nowhere/{_SECRET}",
    "sources.json": (
        '{"version": 1, "sources": [{"alias": "a", "projectRoot": "/nowhere/' + _SECRET + '", "readOnly": true,'
        ' "addedAt": ""}]}'
    ),
    "judgments.toml": f'version = 1\n{_SECRET} = 1\n[[query]]\nid = "a"\ntext = "{_SECRET}"\n',
}
_PLACES: dict[str, Sequence[Sequence[str]]] = {
    ".brv/brv-tui.toml": (("config",), ("query", "gate"), ("keys",)),
    ".brv/sources.json": (("query", "gate"), ("stats",)),
    ".brv/brv-tui/judgments.toml": (("eval",), ("judge", "--list")),
    "fleet.toml": (("fleet", "list"), ("fleet", "query", "gate"), ("fleet", "add", ".")),
    ".brvspace": (("query", "gate", "--engine", "byterover_v4"),),
    ".brv": (("query", "gate"), ("config",)),
}
_WRITERS: dict[str, Sequence[str]] = {
    ".brv/brv-tui/judgments.toml": ("judge", "set", "gate", "gate=3"),
    "fleet.toml": ("fleet", "add", "."),
}
Link = Callable[[Path, Path], object]


def _direct(place: Path, foreign: Path) -> None:
    place.symlink_to(foreign)


def _relative(place: Path, foreign: Path) -> None:
    place.symlink_to(os.path.relpath(foreign, place.parent))


def _chain(place: Path, foreign: Path) -> None:
    hop = place.parent / "hop"
    hop.symlink_to(foreign)
    place.symlink_to("hop")


def _folder(place: Path, foreign: Path) -> None:
    """Turns a folder inside the project into a link, through which the file is reached."""
    (place.parent / "hop").symlink_to(foreign.parent)
    place.symlink_to(f"hop/{foreign.name}")


def _through_the_inside(place: Path, foreign: Path) -> None:
    place.symlink_to(Path("..", place.parent.name, os.path.relpath(foreign, place.parent)))


LINKS: tuple[Link, ...] = (_direct, _relative, _chain, _folder, _through_the_inside)


def _run(arguments: Sequence[str], project: Path, own: Path) -> str:
    known = {**os.environ, **{name: str(own) for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}}
    command = [str(COMMAND), *arguments]
    ended = subprocess.run(command, cwd=project, env=known, capture_output=True, text=True, timeout=60, check=False)
    output = ended.stdout + ended.stderr
    if _SECRET in output:
        return f"{arguments[0]} shows the foreign file"
    return f"{arguments[0]} broke" if "Traceback" in output or "a report is in" in output else ""


def _project(folder: Path) -> Path:
    project = folder / "p"
    tree = project / ".brv" / "context-tree"
    tree.mkdir(parents=True)
    (tree / "gate.md").write_text("# Gate\n\nThe gate opens at nine.\n")
    (project / ".brv" / "config.json").write_text("{}")
    return project


def _try_file(place: str, link: Link, folder: Path) -> str:
    project = _project(folder)
    foreign = folder / "foreign" / Path(place).name
    foreign.parent.mkdir()
    foreign.write_text(_CONTENT[foreign.name])
    at = project / place
    if place == ".brv":
        (project / ".brv").rename(folder / "old")
    at.parent.mkdir(exist_ok=True)
    link(at, foreign)
    problems = [_run(arguments, project, folder / "own") for arguments in _PLACES[place]]
    problems += [f"{foreign} was changed"] if foreign.read_text() != _CONTENT[foreign.name] else []
    return ", ".join(filter(None, problems))


def _try_dangling(place: str, link: Link, folder: Path) -> str:
    """Makes the link lead to a missing file in a missing folder, which the command must not create."""
    project, foreign = _project(folder), folder / "foreign" / Path(place).name
    (project / place).parent.mkdir(exist_ok=True)
    link(project / place, foreign)
    problem = _run(_WRITERS[place], project, folder / "own")
    return f"{foreign.parent} was created" if foreign.parent.exists() else problem


def _try_marker(link: Link, folder: Path) -> str:
    """Turns the whole ``.brv`` into a link to another project's ``.brv``."""
    project = _project(folder)
    (project / ".brv").rename(folder / "foreign")
    for place in (".brv/brv-tui.toml", ".brv/sources.json", ".brv/brv-tui/judgments.toml"):
        file = folder / "foreign" / place.removeprefix(".brv/")
        file.parent.mkdir(exist_ok=True)
        file.write_text(_CONTENT[file.name])
    link(project / ".brv", folder / "foreign")
    commands = (("config",), ("query", "gate"), ("eval",), ("judge", "--list"), ("stats",))
    return ", ".join(filter(None, (_run(arguments, project, folder / "own") for arguments in commands)))


def _try_source(place: str, link: Link, folder: Path) -> str:
    """Adds a shared source inside the project whose ``.brv`` or context tree is a link to a foreign folder of notes."""
    project, foreign = _project(folder), folder / "foreign" / ".brv"
    (foreign / "context-tree").mkdir(parents=True)
    (foreign / "config.json").write_text("{}")
    (foreign / "context-tree" / "secret.md").write_text(f"# Gate {_SECRET}\n\nThe gate.\n")
    at = project / "sub" / place
    at.parent.mkdir(parents=True)
    link(at, folder / "foreign" / place)
    (project / "sub" / ".brv" / "config.json").write_text("{}")
    entry = {"alias": "a", "projectRoot": str(project / "sub"), "readOnly": True, "addedAt": ""}
    (project / ".brv" / "sources.json").write_text(json.dumps({"version": 1, "sources": [entry]}))
    commands = (("query", "gate"), ("find", "gate"))
    return ", ".join(filter(None, (_run(arguments, project, folder / "own") for arguments in commands)))


def _attacks() -> Iterator[Probe]:
    for link in LINKS:
        name = link.__name__.strip("_").replace("_", " ")
        for place in _PLACES:
            yield Probe(f"links: {place}, {name}", partial(_try_file, place, link))
        for place in _WRITERS:
            yield Probe(f"links: {place}, {name}, to a missing folder", partial(_try_dangling, place, link))
        yield Probe(f"links: the folder .brv, {name}", partial(_try_marker, link))
        for place in (".brv", ".brv/context-tree"):
            yield Probe(f"links: {place} of a shared source, {name}", partial(_try_source, place, link))


ATTACKS = tuple(_attacks())

if __name__ == "__main__":
    sys.exit(report(ATTACKS) > 0)
