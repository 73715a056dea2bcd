"""The commit time of each line in a repository, from git blame, and the files that a diff changes."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from brvtui.text.visible import visible
from brvtui.tree.history.git import GitFailed, GitTooSlow, NoGit, RevisionError, git
from brvtui.tree.reading.inside import read_inside

# The files changed by a patch, or between two revisions of a git repository.


_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))")
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_RANGE = re.compile(r"[^.].*\.\.\.?[^.].*", re.DOTALL)
_NOTHING = "/dev/null"
_NAMES_ONLY = ("--relative", "--name-only", "-z", "--end-of-options")
_MOST_LISTED = 64 << 20


class DiffError(Exception):
    """A set of changes cannot be read. The message is one line."""


def files_of_patch(patch: str) -> list[str]:
    """The distinct files that a unified diff changes, in the order and with the names of the diff.

    Names keep their prefix ``a/`` or ``b/``. A removed file has its old name, and a renamed file its new one. The
    result is empty for text that is not a diff.
    """
    files: dict[str, None] = {}
    old, removed, added = "", 0, 0
    for line in patch.split("\n"):
        if removed > 0 or added > 0:  # inside a hunk, a line may look like the header of a diff
            removed -= not line.startswith(("+", "\\"))
            added -= not line.startswith(("-", "\\"))
        elif hunk := _HUNK.match(line):
            removed, added = (int(count) if count is not None else 1 for count in hunk.groups())
        elif line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            new = _name(line[4:])
            files[new if new != _NOTHING else old] = None
        elif line.startswith("rename to "):
            files[f"b/{_name(line[10:])}"] = None
    files.pop("", None)
    return list(files)


def _name(written: str) -> str:
    """A file name from the header of a diff, without the time and without git's quotes and escapes."""
    name = written.partition("\t")[0].rstrip("\r")
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        return os.fsdecode(_ESCAPE.sub(_byte, name[1:-1].encode("utf-8", "surrogateescape")))
    return name


def _byte(escape: re.Match[bytes]) -> bytes:
    octal, letter = escape.groups()
    return bytes([int(octal, 8) & 255]) if octal else _LETTERS.get(letter, letter)


def files_between(root: Path, revisions: str) -> list[str]:
    """The files below ``root`` that differ between two revisions, given as ``main..HEAD`` or ``main...HEAD``.

    Raises :class:`DiffError` if git is not installed or cannot compare the revisions.
    """
    if not _RANGE.fullmatch(revisions):
        raise DiffError(f"{revisions}: give two revisions, such as main..HEAD, or - for a patch on standard input")
    try:
        git(root, "rev-parse", "--show-prefix", most=_MOST_LISTED)
    except NoGit:
        raise DiffError("git is not installed; give the patch itself on standard input: --diff -") from None
    except GitFailed:
        raise DiffError(
            f"{revisions}: there is no git repository here; choose one with --repo, or give the patch itself"
        ) from None
    except RevisionError as error:
        raise DiffError(str(error)) from None
    try:
        listed = git(root, "diff", *_NAMES_ONLY, revisions, "--", most=_MOST_LISTED)
    except RevisionError as error:
        raise DiffError(f"{revisions}: {visible(str(error))}; give other revisions, or the patch itself") from None
    return [os.fsdecode(path) for path in listed.split(b"\0") if path]


_DAYS = 30
"""The maximum age in days of a commit that raises a score."""
_LARGEST_OUTPUT = 32_000_000
_MOST_COMMITS = 5_000
_SECONDS = 5.0
"""The time limit in seconds for all files of one repository state. If it is exceeded, commit times in the remaining
files are unknown.
"""
_FEWEST_FIELDS = 3


class CommitTimes:
    """The commit times of lines changed within 30 days. Files are read from git on demand."""

    def __init__(self, root: Path) -> None:
        """Stores ``root``, which is the repository or one of its folders. No files are read yet."""
        self._root = root
        self.problem = ""
        """The one-line reason for ignoring commit times; empty if they are used, or outside a git repository."""
        self._log, self._since, self._left = b"", 0, _SECONDS
        self._is_slow = False
        self._recent: frozenset[str] = frozenset()
        self._files: dict[str, tuple[list[str], list[tuple[str, float]]]] = {}

    def look(self, now: float) -> None:
        """Clears the cache if the commits in the 30 days before ``now`` have changed."""
        if self._is_slow:  # the last call was slow, and the next may take a minute again
            return
        since = int(now // 3600) * 3600 - _DAYS * 86_400
        try:
            log = git(
                self._root, "log", f"--since={since}", f"--max-count={_MOST_COMMITS}", "--format=%H", "--name-only",
                "--relative", "-z", "HEAD", "--", most=_LARGEST_OUTPUT,
            )  # fmt: skip
            self.problem = ""
        except (GitFailed, NoGit):
            log, self.problem = b"", ""
        except RevisionError as error:
            log, self.problem = b"", f"commit times are not used: {error}"
            self._is_slow = isinstance(error, GitTooSlow)
        if log != self._log:
            self._log, self._left, self._files = log, _SECONDS, {}
            self._recent = frozenset(os.fsdecode(name).strip("\n") for name in log.split(b"\0"))
        self._since = since

    def of_line(self, path: str, line: int, now: float) -> float | None:
        """The commit time of the line with the number ``line`` (from 1), in seconds since 1970; ``now`` for a line that
        is not committed yet.

        The result is None if the commit is more than 30 days old, if git is missing, or if no commit contains the file.
        """
        if path not in self._recent:
            return None
        files = self._files  # another thread may replace this dictionary
        if path not in files:
            files[path] = self._read(path)
        lines, committed = files[path]
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        if line <= len(committed) and committed[line - 1][0] == text:
            return committed[line - 1][1]
        return next((when for committed_line, when in committed if committed_line == text), now) if committed else None

    def _read(self, path: str) -> tuple[list[str], list[tuple[str, float]]]:
        """The file's current lines, and its committed lines with their times; both empty once the time limit is
        exceeded.
        """
        began = time.monotonic()
        try:
            if self._left <= 0:
                return [], []
            lines = read_inside(self._root, path, _LARGEST_OUTPUT).decode("utf-8", "replace").split("\n")
            arguments = ("--porcelain", "--root", f"--since={self._since}", "HEAD", "--", path)
            output = git(self._root, "blame", *arguments, most=_LARGEST_OUTPUT)
        except (OSError, RevisionError):
            return [], []
        finally:
            self._left -= time.monotonic() - began
        return lines, _committed(output.decode("utf-8", "replace"))


def _committed(porcelain: str) -> list[tuple[str, float]]:
    """Each line of the file in the last commit, with the time of the commit that changed the line."""
    times: dict[str, float] = {}
    commit, lines = "", []
    for row in porcelain.split("\n"):
        if row.startswith("\t"):
            lines.append((row[1:], times.get(commit, 0.0)))
        elif row.startswith("author-time ") and (seconds := row.removeprefix("author-time ")).isdecimal():
            times[commit] = float(seconds)
        elif len(row.split(" ")) >= _FEWEST_FIELDS and len(row.partition(" ")[0]) in (40, 64):
            commit = row.partition(" ")[0]
    return lines
