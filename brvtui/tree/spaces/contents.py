"""Reads a space from disk: its topics, its signals, and everything else that affects its answers."""

from __future__ import annotations

import errno
import math
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.disk.walking import TOO_DEEP, walk
from brvtui.regular_files import leads_out, read_regular, read_within
from brvtui.tree.reading.files import Listing, TreeFile, UnseenFile
from brvtui.tree.reading.json_file import LARGEST_JSON
from brvtui.tree.spaces.locating import SpaceFolder, parse_json
from brvtui.tree.spaces.topic_html import MOST_COST, Topic, UnreadableTopic, parse_topic, parsing_cost

# Lists the files in a space's tree: topics, and other files with the reasons why they are not topics
# (``docs/reference/byterover-v4.md``, "Topics").


_TOPIC_ENDING, _MARKDOWN = ".html", ".md"
LARGEST_TOPIC = 2 * 1_048_576
_MOST_CHARS = 256 * 1_048_576
"""The maximum number of characters in all topics of a space, including the texts of their elements."""
_MOST_PARSING = 30 * MOST_COST
"""The maximum cost of parsing all topics of a space. The worst space takes about 20 seconds."""
_INDEX = "index.html"
_DERIVED = re.compile(r"\.(?i:abstract|full|overview)\.html\Z")


def unseen_name(path: str) -> str:
    """Returns the reason why V4 does not treat the ``.html`` file at ``path`` (relative to the tree) as a topic, or an
    empty string if it is one.
    """
    if not path.endswith(_TOPIC_ENDING):
        return "the ending must be .html in lower case"
    if path == _INDEX:
        return "the tree's own index.html is not a topic"
    found = _DERIVED.search(path)
    if found is not None:
        return f"files whose names end with {found[0]} are not topics"
    return ""


def list_topics(tree: Path) -> Listing:
    """The topics in ``tree`` in V4's order, and the HTML files that are not topics. Raises no errors."""
    files: list[TreeFile] = []
    unseen: list[UnseenFile] = []
    for entry, path in walk(tree, lambda path, why: unseen.append(UnseenFile(path, why, why == TOO_DEEP))):
        if not path.lower().endswith(_TOPIC_ENDING):
            continue
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError as error:
            unseen.append(UnseenFile(path, f"cannot be read: {faults.reason(error)}"))
            continue
        reason = unseen_name(path)
        if not stat.S_ISREG(found.st_mode):
            reason = "symlinks are not followed" if stat.S_ISLNK(found.st_mode) else "not a regular file"
        if reason:
            unseen.append(UnseenFile(path, reason))
        else:
            files.append(TreeFile(path, found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns))
    return Listing(tuple(sorted(files, key=lambda file: code_units(file.path))), tuple(unseen))


def holds_html(tree: Path) -> bool:
    """True if any file below ``tree`` is an HTML file, whether or not it is a topic. Stops at the first such file."""
    return any(path.lower().endswith(_TOPIC_ENDING) for _, path in walk(tree))


def markdown_files(tree: Path) -> list[str]:
    """Returns the Markdown files in ``tree``, which make V4 refuse every query. Ignores files in dot folders."""
    return [
        path
        for entry, path in walk(tree)
        if path.endswith(_MARKDOWN)
        and not any(part.startswith(".") for part in path.split("/")[:-1])
        and entry.is_file(follow_symlinks=False)
    ]


def topic_source(tree: Path, path: str) -> str:
    """Returns the HTML of the topic at ``path`` below ``tree``, with invalid bytes replaced.

    Raises OSError if the file cannot be read or is larger than 2 MB.
    """
    return read_regular(tree / path, LARGEST_TOPIC).decode("utf-8", "replace")


def code_units(path: str) -> bytes:
    """Returns a sort key by UTF-16 code unit, which is JavaScript's default order."""
    return path.encode("utf-16-be", "surrogatepass")


# Reads the signals of topics as V4 stores them: one JSON file per topic, below ``state/signals``
# (``docs/reference/byterover-v4.md``).


_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class TopicSignals:
    """The stored signals of a topic. They are not validated, as in V4: a missing or wrong number is NaN."""

    importance: float
    recency: float
    maturity: str
    access_count: float
    update_count: float

    def to_mapping(self) -> dict[str, Any]:
        """Returns the values under V4's names, with whole numbers as integers."""
        return {
            "accessCount": _plain(self.access_count),
            "importance": _plain(self.importance),
            "maturity": self.maturity,
            "recency": _plain(self.recency),
            "updateCount": _plain(self.update_count),
        }


@dataclass(frozen=True, slots=True)
class BrokenSignals:
    """A signals file that is not JSON. Every query that matches the topic of the file fails with this message."""

    file: Path
    message: str


SignalFiles = Mapping[str, TopicSignals | BrokenSignals]
"""Stored signals, keyed by topic path."""


def read_signals(folder: Path) -> SignalFiles:
    """Reads the signals of every topic that has a file below ``folder``. Raises no errors.

    Unlike V4, ignores links that point outside the space.
    """
    space = folder.parent.parent
    if leads_out(space, folder):
        return {}
    files = ((Path(entry.path), path) for entry, path in walk(folder) if path.endswith(_ENDING))
    return {path.removesuffix(_ENDING): _read(space, file) for file, path in files if not leads_out(space, file)}


def _read(space: Path, file: Path) -> TopicSignals | BrokenSignals:
    try:
        value = parse_json(read_within(space, file, LARGEST_JSON).decode("utf-8", "replace"))
    except OSError as error:
        return BrokenSignals(file, faults.reason(error))
    except ValueError as error:
        return BrokenSignals(file, str(error))
    fields: Mapping[str, Any] = value if isinstance(value, dict) else {}
    maturity = fields.get("maturity")
    numbers = (_number(fields.get(name)) for name in ("importance", "recency", "accessCount", "updateCount"))
    importance, recency, accesses, updates = numbers
    return TopicSignals(importance, recency, maturity if isinstance(maturity, str) else "", accesses, updates)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _plain(number: float) -> float | int | None:
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


_NS_PER_SECOND, _MS_PER_SECOND, _NS_PER_MS = 10**9, 1000, 1e6
_LARGEST_PORT_FILE, _MOST_PORTS = 64, 65_535


@dataclass(frozen=True, slots=True, eq=False)
class TopicFile:
    """A topic and the file from which it was read."""

    file: TreeFile
    source: str
    topic: Topic
    cost: int = 0
    """The cost of parsing the topic (:func:`brvtui.tree.spaces.topic_html.parsing_cost`)."""

    @property
    def path(self) -> str:
        """The path below the tree."""
        return self.file.path

    @property
    def mtime_ms(self) -> float:
        """The modification time in milliseconds, including the fraction, as the engine's runtime computes it."""
        seconds, rest = divmod(self.file.mtime_ns, _NS_PER_SECOND)
        return seconds * _MS_PER_SECOND + rest / _NS_PER_MS


@dataclass(frozen=True, slots=True, eq=False)
class SpaceContents:
    """One immutable state of a space."""

    folder: SpaceFolder
    topics: tuple[TopicFile, ...]
    """The topics in V4's order: by UTF-16 code unit of their paths."""
    unseen: tuple[UnseenFile, ...]
    """HTML files that are not topics, and topics that cannot be read, each with the reason."""
    markdown: tuple[str, ...]
    """The Markdown files. If there are any, V4 refuses every query."""
    signals: SignalFiles
    port: int
    """The port of the vendor's app on this machine, to which citations link; 0 if there is none."""


def read_space(
    folder: SpaceFolder,
    known: Mapping[str, TopicFile] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SpaceContents:
    """Reads the space at ``folder`` from disk. Raises no errors.

    Topics whose files have not changed since ``known`` (keyed by path) are not read again. Calls ``progress`` with the
    number of topics read and the total.
    """
    listing = list_topics(folder.tree)
    unseen, topics = list(listing.unseen), list[TopicFile]()
    chars = cost = 0
    for number, file in enumerate(listing.files):
        if progress is not None:
            progress(number, len(listing.files))
        if chars > _MOST_CHARS:
            unseen.append(UnseenFile(file.path, "the topics before it exceed the size limit", True))
            continue
        if cost > _MOST_PARSING:
            unseen.append(UnseenFile(file.path, "the markup of the topics before it is too costly to parse", True))
            continue
        before = known.get(file.path) if known else None
        try:
            if before is not None and before.file == file:
                topic = before
            else:
                source = topic_source(folder.tree, file.path)
                topic = TopicFile(file, source, parse_topic(source), parsing_cost(source))
            topics.append(topic)
            cost += topic.cost
            chars += len(topic.source) + sum(len(element.text) for element in topic.topic.elements)
        except OSError as error:
            unseen.append(UnseenFile(file.path, f"cannot be read: {faults.reason(error)}", error.errno == errno.EFBIG))
        except UnreadableTopic as error:
            cost += MOST_COST // 10  # finding out takes time too
            unseen.append(UnseenFile(file.path, str(error), True))
    markdown = tuple(markdown_files(folder.tree))
    return SpaceContents(
        folder, tuple(topics), tuple(unseen), markdown, read_signals(folder.signals), _port(folder.data)
    )


def _port(data: Path) -> int:
    try:
        text = read_regular(data / "bridge-port.txt", _LARGEST_PORT_FILE).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return 0
    return int(text) if text.isdecimal() and 0 < int(text) <= _MOST_PORTS else 0
