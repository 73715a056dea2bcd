"""Repositories whose settings, attributes and hooks name programs, transports and files, none of which git may run.

Each program creates a file when it runs. Every command that uses git is run on every repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.attacks.harness import Probe, report
from tests.attacks.planted import COMMAND

_SECONDS = 120.0
_BOUND_S = 40.0
_EVIL = "sh {evil}"
_QUESTION = "gate opens"
Prepare = Callable[[Path, Path], object]
_COMMANDS: tuple[Sequence[str], ...] = (
    ("code", "start the gate"),
    ("code", "--diff", "HEAD~1..HEAD"),
    ("code", "--diff", "HEAD~1...HEAD", "--repo", "src"),
    ("diff", _QUESTION, "--rev", "HEAD~1"),
    ("eval", "--baseline-rev", "HEAD~1"),
    ("fleet", "query", _QUESTION, "--fleet", "fleet.toml"),
)


def _git(folder: Path, *words: str) -> None:
    known = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    own = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(("git", *own, "-C", str(folder), *words), env=known, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    """A repository with notes, code and two commits. Returns the program beside it, which creates a file."""
    notes = folder / ".brv" / "context-tree" / "yard"
    notes.mkdir(parents=True)
    (folder / "src").mkdir()
    evil = folder.parent / f"{folder.name}-evil"
    evil.write_text(f"#!/bin/sh\n: > '{evil}-ran'\nexit 1\n")
    evil.chmod(0o755)
    (folder / "fleet.toml").write_text('name = "f"\n[[member]]\nname = "bare"\nrepository = "."\n')
    judgments = folder / ".brv" / "brv-tui" / "judgments.toml"
    judgments.parent.mkdir()
    judgments.write_text(
        f'version = 1\n[[query]]\nid = "a"\ntext = "{_QUESTION}"\n'
        'documents = [{ path = "yard/gate_1.md", grade = 2 }]\n'
    )
    _git(folder, "init", "-q", "-b", "main")
    for number in (1, 2):
        (notes / f"gate_{number}.md").write_text(f"# Gate {number}\n\nThe gate opens at {number}.\n")
        (folder / "src" / "a.py").write_text(f"def start_gate():\n    return {number}\n")
        _git(folder, "add", "-A", "--force")
        _git(folder, "commit", "-q", "-m", f"number {number}")
    return evil


def _setting(key: str, value: str = _EVIL, file: str = "") -> Prepare:
    def prepare(folder: Path, evil: Path) -> None:
        if file:
            (folder / ".gitattributes").write_text(file)
            _git(folder, "add", ".gitattributes")
            (folder / ".git" / "info").mkdir(exist_ok=True)
            (folder / ".git" / "info" / "attributes").write_text(file)
            (folder / "src" / "a.py").write_text("def start_gate():\n    return 9\n")
        _git(folder, "config", key, value.format(evil=evil))

    return prepare


def _hooks(folder: Path, evil: Path) -> None:
    for place in (folder / ".git" / "hooks", folder / "hooks"):
        place.mkdir(exist_ok=True)
        for name in (
            "post-checkout",
            "post-index-change",
            "fsmonitor-watchman",
            "reference-transaction",
            "pre-auto-gc",
        ):
            (place / name).write_text(f"#!/bin/sh\n'{evil}'\n")
            (place / name).chmod(0o755)


def _hooks_elsewhere(folder: Path, evil: Path) -> None:
    _hooks(folder, evil)
    _git(folder, "config", "core.hooksPath", "hooks")


def _included(key: str, folder: Path, evil: Path) -> None:
    """Puts the setting into another file, which is included in each possible way."""
    section, _, name = key.rpartition(".")
    head, _, rest = section.partition(".")
    table = f'[{head} "{rest}"]' if rest else f"[{head}]"
    (folder / "more").write_text(f"{table}\n{name} = sh {evil}\n")
    _git(folder, "config", "include.path", "../more")
    _git(folder, "config", "includeIf.gitdir:**.path", "../more")


def _worktree(folder: Path, evil: Path) -> None:
    _git(folder, "config", "extensions.worktreeConfig", "true")
    for key in ("core.fsmonitor", "diff.external", "core.sshCommand", "gpg.program", "core.pager"):
        _git(folder, "config", "--worktree", key, f"sh {evil}")


def _promised(*settings: tuple[str, str]) -> Prepare:
    """A partial clone whose missing objects come from a remote with ``settings``, which names programs."""

    def prepare(folder: Path, evil: Path) -> None:
        _git(folder, "config", "core.repositoryFormatVersion", "1")
        _git(folder, "config", "extensions.partialClone", "origin")
        for key, value in (("remote.origin.promisor", "true"), *settings):
            _git(folder, "config", key, value.format(evil=evil, folder=folder))
        blobs = ("HEAD:src/a.py", "HEAD~1:src/a.py", "HEAD~1:.brv/context-tree/yard/gate_1.md", "HEAD~1^{tree}")
        for blob in blobs:
            found = subprocess.run(
                ["git", "-C", str(folder), "rev-parse", blob], capture_output=True, text=True, check=True
            ).stdout.strip()
            (folder / ".git" / "objects" / found[:2] / found[2:]).unlink()

    return prepare


def _signed(folder: Path, evil: Path) -> None:
    """Signs the last commit, and adds settings that make git check signatures with the repository's own program."""
    for key, value in (("gpg.program", f"{evil}"), ("gpg.ssh.program", f"{evil}"), ("log.showSignature", "true")):
        _git(folder, "config", key, value)
    text = subprocess.run(
        ["git", "-C", str(folder), "cat-file", "commit", "HEAD"], capture_output=True, text=True
    ).stdout
    head, _, message = text.partition("\n\n")
    lines = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----"
    result = subprocess.run(
        ["git", "-C", str(folder), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=f"{head}\n{lines}\n\n{message}", capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    _git(folder, "update-ref", "HEAD", result)


def _submodule(folder: Path, evil: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    _git(inner, "init", "-q")
    (inner / "a.md").write_text("a")
    _git(inner, "add", "-A")
    _git(inner, "commit", "-q", "-m", "one")
    for key in ("core.fsmonitor", "diff.external", "core.pager"):
        _git(inner, "config", key, f"sh {evil}")
    _git(folder, "add", "inner")
    _git(folder, "config", "submodule.recurse", "true")
    _git(folder, "config", "diff.submodule", "diff")
    _git(folder, "commit", "-q", "-m", "a submodule")


def _probe(prepare: Prepare, folder: Path) -> str:
    place = folder / "repo"
    evil = repository(place)
    prepare(place, evil)
    Path(f"{evil}-ran").unlink(missing_ok=True)  # creating the repository may also have run the program
    own = {name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}
    for words in _COMMANDS:
        began = time.monotonic()
        done = subprocess.run(
            [COMMAND, *words], cwd=place, env={**os.environ, **own}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=_SECONDS,
        )  # fmt: skip
        if Path(f"{evil}-ran").exists():
            return f"{' '.join(words)} ran a program of the repository"
        if done.returncode not in range(5) or "a report is in" in done.stderr:
            return f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-300:]}"
        if time.monotonic() - began > _BOUND_S:
            return f"{' '.join(words)} took {time.monotonic() - began:.0f} s"
    return ""


def _control(folder: Path) -> str:
    """Checks that the attacks work: plain git runs the programs that such repositories name."""
    lost = []
    tries: dict[str, tuple[Prepare, Sequence[str]]] = {
        "diff.external": (_setting("diff.external"), ("diff", "HEAD~1..HEAD")),
        "textconv": (_setting("diff.evil.textconv", file="* diff=evil\n"), ("diff", "HEAD~1..HEAD")),
        "fsmonitor": (_setting("core.fsmonitor"), ("status",)),
        "filter": (_setting("filter.evil.clean", file="* filter=evil\n"), ("diff",)),
        "ext": (_promised(*_EXT), ("log", "-p", "-1")),
        "uploadpack": (_promised(*_UPLOAD), ("-c", "safe.directory=*", "log", "-p", "-1")),
        "signature": (_signed, ("log", "-1")),
        "worktree": (_worktree, ("status",)),
    }
    for name, (prepare, words) in tries.items():
        place = folder / name
        evil = repository(place)
        prepare(place, evil)
        Path(f"{evil}-ran").unlink(missing_ok=True)
        subprocess.run(["git", "-C", str(place), *words], capture_output=True, stdin=subprocess.DEVNULL)
        if not Path(f"{evil}-ran").exists():
            lost.append(name)
    return f"planted in vain: {', '.join(lost)}" if lost else ""


_EXT = (("remote.origin.url", "ext::sh {evil}"), ("protocol.ext.allow", "always"), ("protocol.allow", "always"))
_UPLOAD = (("remote.origin.url", "{folder}/.git"), ("remote.origin.uploadpack", "sh {evil}"))
_SETTINGS: dict[str, Prepare] = {
    **{
        key: _setting(key)
        for key in (
            "core.alternateRefsCommand",
            "core.askPass",
            "core.editor",
            "core.fsmonitor",
            "core.gitProxy",
            "core.pager",
            "core.sshCommand",
            "credential.helper",
            "diff.external",
            "gpg.program",
            "gpg.ssh.program",
            "pager.log",
            "pager.diff",
            "pager.blame",
            "sequence.editor",
            "uploadpack.packObjectsHook",
        )
    },
    **{
        f"alias.{name}": _setting(f"alias.{name}", "!sh {evil}")
        for name in ("diff", "log", "rev-parse", "ls-tree", "cat-file", "blame", "for-each-ref", "ls-files")
    },
    **{
        key: _setting(key, file="* diff=evil filter=evil merge=evil\n")
        for key in (
            "diff.evil.command",
            "diff.evil.textconv",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "merge.evil.driver",
        )
    },
    "hooks": _hooks,
    "hooks elsewhere": _hooks_elsewhere,
    "included fsmonitor": partial(_included, "core.fsmonitor"),
    "included diff.external": partial(_included, "diff.external"),
    "included credential helper": partial(_included, "credential.helper"),
    "settings of the worktree": _worktree,
    "signed": _signed,
    "a submodule": _submodule,
    "promised by ext": _promised(*_EXT),
    "promised by upload-pack": _promised(*_UPLOAD),
    "promised by ssh": _promised(
        ("remote.origin.url", "ssh://h/x"), ("core.sshCommand", "sh {evil}"), ("ssh.variant", "simple")
    ),
    "promised by a helper": _promised(("remote.origin.url", "x"), ("remote.origin.vcs", "none")),
    "promised by a helper elsewhere": _promised(("remote.origin.url", "x"), ("remote.origin.vcs", "x/../../repo-evil")),
    "promised by a rewritten address": _promised(
        ("remote.origin.url", "https://h/x"),
        ("url.ext::sh {evil} .insteadOf", "https://h/"),
        ("protocol.ext.allow", "always"),
    ),
    "promised by a proxy": _promised(("remote.origin.url", "git://h/x"), ("core.gitProxy", "sh {evil}")),
    "promised by https, with credentials": _promised(
        ("remote.origin.url", "https://127.0.0.1:9/x"), ("credential.helper", "!sh {evil}")
    ),
    **{
        f"{key} without end": _setting(key, "/dev/zero")
        for key in (
            "diff.orderFile",
            "core.attributesFile",
            "core.excludesFile",
            "mailmap.file",
            "blame.ignoreRevsFile",
            "include.path",
        )
    },
}
ATTACKS: tuple[Probe, ...] = (
    Probe("git on its own runs what a repository names", _control),
    *(Probe(f"repository, {name}", partial(_probe, prepare)) for name, prepare in _SETTINGS.items()),
)

if __name__ == "__main__":
    sys.exit(report(ATTACKS) > 0)
