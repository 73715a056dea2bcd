"""The files of a space's tree: which are topics, and why others are none (``docs/byterover_v4.md``, "Topics")."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from brvtui import faults
from brvtui.disk.walking import TOO_DEEP, walk
from brvtui.regular_files import read_regular
from brvtui.tree.reading.files import Listing, TreeFile, UnseenFile

_ENDING, _MARKDOWN = ".html", ".md"
_LARGEST = 2 * 1_048_576
_INDEX = "index.html"
_DERIVED = re.compile(r"\.(?i:abstract|full|overview)\.html\Z")


def unseen_name(path: str) -> str:
    """Why V4 does not take the ``.html`` file at ``path``, relative to the tree, for a topic; empty when it does."""
    if not path.endswith(_ENDING):
        return "the ending must be .html in lower case"
    if path == _INDEX:
        return "the tree's own index.html is no topic"
    found = _DERIVED.search(path)
    if found is not None:
        return f"a name that ends with {found[0]} is no topic"
    return ""


def list_topics(tree: Path) -> Listing:
    """The topics of ``tree`` in V4's order, and HTML files that are none. Raises nothing."""
    files: list[TreeFile] = []
    unseen: list[UnseenFile] = []
    for entry, path in walk(tree, lambda path, why: unseen.append(UnseenFile(path, why, why == TOO_DEEP))):
        if not path.lower().endswith(_ENDING):
            continue
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError as error:
            unseen.append(UnseenFile(path, f"cannot be read: {faults.reason(error)}"))
            continue
        reason = unseen_name(path)
        if not stat.S_ISREG(found.st_mode):
            reason = "a symlink is not followed" if stat.S_ISLNK(found.st_mode) else "not a regular file"
        if reason:
            unseen.append(UnseenFile(path, reason))
        else:
            files.append(TreeFile(path, found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns))
    return Listing(tuple(sorted(files, key=lambda file: code_units(file.path))), tuple(unseen))


def holds_html(tree: Path) -> bool:
    """Whether any file below ``tree`` is HTML, a topic or not. Looks no further than the first."""
    return any(path.lower().endswith(_ENDING) for _, path in walk(tree))


def markdown_files(tree: Path) -> list[str]:
    """The Markdown files of ``tree`` for which V4 refuses every query; files in dot folders do not count."""
    return [
        path
        for entry, path in walk(tree)
        if path.endswith(_MARKDOWN)
        and not any(part.startswith(".") for part in path.split("/")[:-1])
        and entry.is_file(follow_symlinks=False)
    ]


def topic_source(tree: Path, path: str) -> str:
    """The HTML of the topic at ``path`` below ``tree``, bad bytes replaced. Raises OSError when it cannot be read
    or is larger than 2 MB."""
    return read_regular(tree / path, _LARGEST).decode("utf-8", "replace")


def code_units(path: str) -> bytes:
    """A sort key: by UTF-16 code unit, as JavaScript sorts by default."""
    return path.encode("utf-16-be", "surrogatepass")
