"""Hostile modules and programs where Python and the shell search for them: none of them may run.

Each of them creates a file with its name when it runs. Their folder is the working folder and the project, and
``PATH`` begins with it, in every notation. Every command runs there, and so do the app, ``serve`` and the fleet, in
processes and on Dask.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from benchmarks.app_in_pty import Terminal
from brvtui.cli.program import cli
from tests.attacks.harness import Probe, report
from tests.attacks.services import project

COMMAND = Path(sys.executable).with_name("brv-tui")
_MODULES = (
    "__future__", "asyncio", "click", "contextlib", "distributed", "json", "multiprocessing", "numpy", "pickle",
    "re", "resource", "runpy", "select", "sitecustomize", "socket", "subprocess", "textual", "threading", "tomllib",
    "tree_sitter", "usercustomize", "yaml",
)  # fmt: skip
_PROGRAMS = (
    "bash", "brv", "code", "echo", "env", "gcc", "git", "git-remote-ext", "git-remote-none", "ldconfig",
    "less", "my-editor", "nano", "node", "npm", "npx", "pbcopy", "python", "python3", "python3.11", "python3.13", "sh",
    "stty", "tmux", "true", "uname", "unshare", "vi", "vim", "wl-copy", "xclip", "xdg-open", "xsel",
)  # fmt: skip
_PLACES = (".", "bin", ".venv/bin", "node_modules/.bin", "deep/er/bin")
_SECONDS = 120.0
_QUESTION = "gate opens"
ARGUMENTS: dict[str, Sequence[Sequence[str]]] = {
    "ask": [[_QUESTION]],
    "code": [
        ["start the gate"],
        ["--diff", "HEAD~1..HEAD"],
        ["--diff", "HEAD~1...HEAD"],
        ["start", "--notes"],
        ["--files", "a.py"],
    ],
    "compare": [[_QUESTION]],
    "completion": [["bash"], ["zsh"], ["fish"]],
    "demo": [["--query", _QUESTION]],
    "diff": [[_QUESTION, "--rev", "HEAD~1"], [_QUESTION, "--at", "+30d"]],
    "eval": [["--baseline-rev", "HEAD~1"], ["--at", "+30d"]],
    "explain": [[_QUESTION, "yard/gate_1.md"]],
    "fleet add": [[".", "--fleet", "other.toml"]],
    "fleet eval": [["--over", ".", "--judgments", "judged.toml"]],
    "fleet explain": [[_QUESTION, "yard/gate_1.md", "--over", "."]],
    "fleet health": [["--over", "."]],
    "fleet list": [["--over", "."], []],
    "fleet maturity": [["--over", "."]],
    "fleet query": [[_QUESTION, "--over", "."], [_QUESTION], [_QUESTION, "--merge", "one"]],
    "judge set": [[_QUESTION, "yard/gate_1.md=2"]],
    "migrate": [["--dry-run", _QUESTION]],
    "query": [[_QUESTION], [_QUESTION, "--engine", "jeffs_brain"], [_QUESTION, "--repo", "."]],
    "replay": [["--queries", "queries.json"]],
    "sweep": [["--list"], ["direct.min_top=0.8:0.9:2"]],
    "verify": [[]],
    "why": [[_QUESTION, "yard/gate_1.md", "yard/gate_2.md"]],
}
"""The arguments of each command; a command without an entry gets an argument of each kind that it requires."""
_NEED_A_TERMINAL = ("open", "fleet open")


def plant(folder: Path) -> Path:
    """Makes ``folder`` a hostile project in git. Returns the folder in which hostile programs create files."""
    project(folder)
    ran = folder.parent / f"{folder.name}-ran"
    shutil.rmtree(ran, ignore_errors=True)  # left by an earlier test, whose own folder pytest has removed
    ran.mkdir()
    (folder / "a.py").write_text("def start_gate():\n    return 1\n")
    (folder / "queries.json").write_text(json.dumps([_QUESTION, "filler"]))
    for file in (folder / "judged.toml", folder / ".brv" / "brv-tui" / "judgments.toml"):
        file.parent.mkdir(exist_ok=True)
        document = '{ path = "yard/gate_1.md", grade = 2 }'
        file.write_text(f'version = 1\n[[query]]\nid = "a"\ntext = "{_QUESTION}"\ndocuments = [{document}]\n')
    (folder / "fleet.toml").write_text(
        'name = "f"\n[[member]]\npath = "."\n[[member]]\nname = "bare"\nrepository = "."\n'
    )
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(folder))
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "one")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    (folder / "a.py").write_text("def start_gate():\n    return 2\n")
    subprocess.run([*git, "commit", "-q", "-a", "-m", "two"], check=True, capture_output=True)
    for name in _MODULES:
        _write_module(folder / f"{name}.py", ran)
    for package in ("brvtui", "encodings", "scipy"):
        (folder / package).mkdir()
        for file in ("__init__.py", "__main__.py"):
            _write_module(folder / package / file, ran)
    for place in _PLACES:
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name in _PROGRAMS:
            file = folder / place / name
            file.write_text(f"#!/bin/sh\n: > '{ran}/{name}'\nexit 1\n")
            file.chmod(0o755)
    beside = folder.parent / f"{folder.name}-beside"
    beside.unlink(missing_ok=True)  # left by an earlier test in a folder with the same name
    beside.symlink_to(folder / "bin")
    return ran


def _write_module(file: Path, ran: Path) -> None:
    file.write_text(f"open({str(ran / f'{file.parent.name}-{file.name}')!r}, 'w').close()\nraise SystemExit(99)\n")


def surroundings(folder: Path) -> dict[str, str]:
    """The environment variables of a user in ``folder`` whose PATH contains that folder in every notation."""
    own = {name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR", "XDG_CONFIG_HOME")}
    inside = [str(folder / place) for place in _PLACES]
    path = ["", ".", *_PLACES, "./bin", f"../{folder.name}/bin", *inside, f"{folder}/bin/../bin", f"{folder}-beside"]
    return {
        **os.environ, **own, "PATH": os.pathsep.join([*path, os.environ["PATH"], ""]), "DISPLAY": ":99",
        "WAYLAND_DISPLAY": "wayland-9", "TMUX": "/nowhere,1,0", "EDITOR": "my-editor", "SHELL": "bash", "PAGER": "less",
        "BROWSER": "xdg-open", "PYTHONSTARTUP": str(folder / "json.py"), "TERM": "xterm-256color",
    }  # fmt: skip


def _left(ran: Path) -> str:
    names = sorted(file.name for file in ran.iterdir())
    return f"ran {', '.join(names)}" if names else ""


def leaves() -> Iterator[tuple[str, click.Command]]:
    """Every command of ``brv-tui`` with its name, including the commands of groups."""
    with cli.make_context("brv-tui", [], resilient_parsing=True) as context:
        yield from _leaves(cli, context, "")


def _leaves(group: click.Group, context: click.Context, above: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _leaves(command, context, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def arguments(name: str, command: click.Command) -> Sequence[Sequence[str]]:
    """The sets of arguments with which the command is run, at least one."""
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    needed = [each for each in command.params if isinstance(each, click.Argument) and each.required]
    choices = [each.type.choices[0] if isinstance(each.type, click.Choice) else "queries.json" for each in needed]
    return [[str(choice) for choice in choices]]


def _run(name: str, given: Sequence[str], folder: Path, start: Sequence[str] = (str(COMMAND),)) -> str:
    ran = plant(folder)
    command = [*start, *name.split(), *given]
    done = subprocess.run(
        command, cwd=folder, env=surroundings(folder), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_SECONDS,
    )  # fmt: skip
    if done.returncode not in range(5) or "a report is in" in done.stderr:
        return f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    if name in ARGUMENTS and done.returncode not in (0, 1, 4):
        return f"did not get far enough to show anything: {done.stderr.strip()[-300:]}"
    return _left(ran)


def _serves(folder: Path) -> str:
    """Opens the page, and lets its app run for a while."""
    import asyncio

    from aiohttp import ClientSession, CookieJar

    ran = plant(folder)
    process = subprocess.Popen(
        [COMMAND, "serve", ".", "--port", "0"], cwd=folder, env=surroundings(folder), stdout=subprocess.PIPE, text=True
    )

    async def look(url: str, host: str) -> int:
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
            async with session.get(url) as page:
                key = re.findall(r'data-key="([^"]+)"', await page.text())[0]
            address = f"ws://{host}/ws/{key}?width=120&height=40"
            async with session.ws_connect(address, headers={"Origin": f"http://{host}"}) as socket:
                got = 0
                while got < 4000:
                    got += len((await socket.receive(60)).data or b"")
                return got

    try:
        found = re.search(r"http://(127\.0\.0\.1:\d+)/\?token=\S+", process.stdout.readline())
        if found is None:
            return f"did not start; {_left(ran)}"
        asyncio.run(look(found[0], found[1]))
        return _left(ran)
    finally:
        process.terminate()
        process.wait(20)


def _app(arguments: Sequence[str], keys: Sequence[str], folder: Path, editor: str = "my-editor") -> str:
    """Opens the app in a terminal, presses ``keys``, and quits it. ``{folder}`` may occur in ``editor``."""
    import fcntl
    import pty
    import struct
    import termios

    ran = plant(folder)
    pid, descriptor = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(COMMAND, [str(COMMAND), *arguments], {**surroundings(folder), "EDITOR": editor.format(folder=folder)})
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    terminal = Terminal(pid, descriptor, time.perf_counter())
    try:
        terminal.listen(30)
        for key in keys:
            time.sleep(0.7)
            with suppress(OSError):
                terminal.key(key)
            terminal.listen(3)
        shown = _ended(terminal)
        return _left(ran) or shown
    finally:
        with suppress(OSError):
            terminal.end()


def _ended(terminal: Terminal) -> str:
    """Quits the app; returns the problem if it does not end."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with suppress(OSError):
            terminal.key("\x11")
        terminal.listen(1)
        gone, status = os.waitpid(terminal.pid, os.WNOHANG)
        if gone:
            return "" if os.waitstatus_to_exitcode(status) == 0 else f"the app ended with {status}"
    return "the app did not end"


def _on_dask(name: str, given: Sequence[str], folder: Path) -> str:
    """Runs a command of the fleet whose members are queried by a Dask scheduler on this machine."""
    from benchmarks.fleet_processes import FleetProcesses

    with FleetProcesses(folder.parent / f"{folder.name}-dask", 1) as processes:
        processes.make_whole()
        return _run(name, [*given, "--scheduler", processes.address, "--over", "."], folder)


def _control(folder: Path) -> str:
    """Checks that each kind of planted file works: without the program's protection, it runs."""
    ran = plant(folder)
    known = surroundings(folder)
    for command in (["git", "status"], ["node"], ["my-editor"], ["unshare"]):
        subprocess.run(["/bin/sh", "-c", " ".join(command)], cwd=folder, env=known, capture_output=True)
    for code in (["-c", "import json"], ["-c", "import multiprocessing"], ["-c", "import brvtui"]):
        subprocess.run([sys.executable, *code], cwd=folder, env=known, capture_output=True)
    found = {file.name.removesuffix(".py").removeprefix(f"{folder.name}-") for file in ran.iterdir()}
    missing = {"git", "node", "my-editor", "unshare", "json", "multiprocessing", "brvtui-__init__"} - found
    return f"planted in vain: {', '.join(sorted(missing))}" if missing else ""


_PYTHON_M = (sys.executable, "-P", "-m", "brvtui")
_MAIN = "import sys; sys.argv[1:] = {}; from brvtui.cli import main; main()"
_CODES = [
    (_MAIN.format(["query", _QUESTION]), "query"),
    (_MAIN.format(["fleet", "query", _QUESTION, "--over", "."]), "a fleet"),
]


def _from_module(code: str, folder: Path) -> str:
    """Starts the program in a Python that still imports from the working folder after importing the program itself.

    No program can affect what Python imports before the first line; nothing imported later may come from this folder.
    """
    ran = plant(folder)
    shutil.rmtree(folder / "brvtui")
    first = f"import sys; sys.path[:0] = ['', {str(folder)!r}]; {code}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", first], cwd=folder, env=surroundings(folder), capture_output=True, text=True
    )
    if done.returncode:
        return f"ended with {done.returncode}: {done.stderr[-300:]}; {_left(ran)}"
    return _left(ran)


_EDIT = (_QUESTION, "\r", "\x1b", "E", "y", "Y", "\x1b")
_EDITORS = (
    "my-editor", "./my-editor", "bin/my-editor", "{folder}/bin/my-editor", "{folder}-beside/my-editor",
    "env my-editor", "/usr/bin/env python3 -m json",
)  # fmt: skip
_VERIFY = (_QUESTION, "\r", "\x1b", "W", "v", "\x1b")
_SCREENS = (_QUESTION, "\r", "\x1b", "2", "3", "4", "5", "6", "7", "1")
ATTACKS: tuple[Probe, ...] = (
    Probe("what is planted runs where nobody takes care", _control),
    *(
        Probe(f"planted, {' '.join([name, *given])}", partial(_run, name, given))
        for name, command in leaves()
        if name not in (*_NEED_A_TERMINAL, "serve")
        for given in arguments(name, command)
    ),
    *(
        Probe(f"planted, python -P -m brvtui {name}", partial(_run, name, given, start=_PYTHON_M))
        for name, given in (("query", [_QUESTION]), ("fleet query", [_QUESTION, "--over", "."]), ("verify", []))
    ),
    *(Probe(f"planted, imported from here, {what}", partial(_from_module, code)) for code, what in _CODES),
    Probe("planted, serve", _serves),
    *(
        Probe(f"planted, the app: clipboard, and the editor {editor}", partial(_app, ["."], _EDIT, editor=editor))
        for editor in _EDITORS
    ),
    Probe("planted, the app: the installed engine", partial(_app, ["open", "."], _VERIFY)),
    Probe("planted, the app: its screens", partial(_app, [], _SCREENS)),
    Probe("planted, the app over code", partial(_app, ["--repo", "."], (_QUESTION, "\r", "\x1b", "y"))),
    Probe(
        "planted, the app on a fleet", partial(_app, ["fleet", "open", "--over", "."], (_QUESTION, "\r", "\x1b", "y"))
    ),
    Probe("planted, Dask: a query", partial(_on_dask, "fleet query", [_QUESTION])),
    Probe("planted, Dask: one ranking", partial(_on_dask, "fleet query", [_QUESTION, "--merge", "one"])),
    Probe("planted, Dask: health", partial(_on_dask, "fleet health", [])),
)

if __name__ == "__main__":
    sys.exit(report(ATTACKS) > 0)
