"""The files that a change touches: of a patch, or between two revisions of a git repository."""

from __future__ import annotations

import os
import re
from pathlib import Path

from brvtui.text.visible import visible
from brvtui.tree.history.git import NoGit, RevisionError, git

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))")
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_RANGE = re.compile(r"[^.].*\.\.\.?[^.].*", re.DOTALL)
_NOTHING = "/dev/null"
_NAMES_ONLY = ("--relative", "--name-only", "-z", "--end-of-options")
_MOST_LISTED = 64 << 20


class DiffError(Exception):
    """Why a change could not be read, in one line."""


def files_of_patch(patch: str) -> list[str]:
    """The files that a unified diff changes, each once, in its order, as they are named in it.

    A name keeps its ``a/`` or ``b/``. A file that is removed has its old name, one that is renamed its new one. Text
    that is no diff holds no files.
    """
    found: dict[str, None] = {}
    old, removed, added = "", 0, 0
    for line in patch.split("\n"):
        if removed > 0 or added > 0:  # what stands in a file may look like the head of a diff
            removed -= not line.startswith(("+", "\\"))
            added -= not line.startswith(("-", "\\"))
        elif hunk := _HUNK.match(line):
            removed, added = (int(count) if count is not None else 1 for count in hunk.groups())
        elif line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            new = _name(line[4:])
            found[new if new != _NOTHING else old] = None
        elif line.startswith("rename to "):
            found[f"b/{_name(line[10:])}"] = None
    found.pop("", None)
    return list(found)


def _name(written: str) -> str:
    """A file's name in the head of a diff: without a time, and without git's quotes and escapes."""
    name = written.partition("\t")[0].rstrip("\r")
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        return os.fsdecode(_ESCAPE.sub(_byte, name[1:-1].encode("utf-8", "surrogateescape")))
    return name


def _byte(escape: re.Match[bytes]) -> bytes:
    octal, letter = escape.groups()
    return bytes([int(octal, 8) & 255]) if octal else _LETTERS.get(letter, letter)


def files_between(root: Path, revisions: str) -> list[str]:
    """The files below ``root`` that differ between two revisions, written ``main..HEAD`` or ``main...HEAD``.

    Raises :class:`DiffError` when git is not there, or cannot compare them.
    """
    if not _RANGE.fullmatch(revisions):
        raise DiffError(f"{revisions}: give two revisions, such as main..HEAD, or - for a patch on the standard input")
    try:
        git(root, "rev-parse", "--show-prefix", most=_MOST_LISTED)
    except NoGit:
        raise DiffError("git is not installed; give the patch itself on the standard input: --diff -") from None
    except RevisionError:
        raise DiffError(
            f"{revisions}: no git repository is here; name one with --repo, or give the patch itself"
        ) from None
    try:
        listed = git(root, "diff", *_NAMES_ONLY, revisions, "--", most=_MOST_LISTED)
    except RevisionError as error:
        raise DiffError(f"{revisions}: {visible(str(error))}; name others, or give the patch itself") from None
    return [os.fsdecode(path) for path in listed.split(b"\0") if path]
