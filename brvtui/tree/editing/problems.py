"""Finds problems in a note during editing. A problem is shown beside its line, and never prevents saving."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from rapidfuzz import fuzz, process

from brvtui.ranking.maturity import LEVELS
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.editing.fields import BrokenFrontmatter, FieldSpan, fields_of
from brvtui.tree.editing.note_text import EditableText
from brvtui.tree.reading.conflicts import conflict_marks
from brvtui.tree.reading.contents import Unseen, check_readable, cut, first_units, title_span, units
from brvtui.tree.reading.frontmatter import block_span, parse
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.reading.json_file import number_of
from brvtui.tree.reading.links import LinkKind, LinkState, Names, is_within, links_in, normalised
from brvtui.tree.reading.signals import is_count, names_signals

_RANGES = {"importance": 100, "recency": 1}
_COUNTS = ("accessCount", "updateCount")
_DATES = ("createdAt", "updatedAt", "evicted_at")
_LISTS = {"related": "[domain/topic/note.md]", "tags": "[billing, api]", "keywords": "[invoice, tax]"}
_EXAMPLE = "2026-11-20T12:00:00.000Z"
_IGNORED = "until then, none of the note's signals are read"
_UNREAD = "no signals are read from frontmatter here: signals.frontmatter is off"
_STUB = "archive_stub"
_SECTION = re.compile(r"^## Relations[^\S\n]*$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_MOST_SUGGESTIONS = 5
_LEAST_LIKENESS = 50.0
_LEAST_LIKENESS_OF_PATHS = 85.0
_MOST_REMEMBERED = 256
_LONGEST_PATH = 2_000


class Severity(StrEnum):
    """The severity of a problem. An error changes how the engine reads the note; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem and its position in the text. Lines and columns start at 0; columns count characters."""

    line: int
    column: int
    message: str
    severity: Severity


class KnownFiles:
    """The Markdown files of a tree, for checking links and suggesting corrections. Build it once for many look-ups."""

    def __init__(self, names: Names, reads_signals: bool = True) -> None:
        """Takes the ``names`` of all Markdown files in the tree: notes, stubs, archived notes, summaries and abstracts.

        ``reads_signals`` is True if signals are read from frontmatter.
        """
        self.names = names
        self.reads_signals = reads_signals
        self._normalised = {path: normalised(path) for path in sorted(names.files)}
        self._nearest: dict[str, str | None] = {}

    def nearest(self, path: str) -> str | None:
        """The path most similar to ``path``, or None. Results are cached, because typing repeats the same look-ups."""
        if len(path) > _LONGEST_PATH:
            return None
        wanted = normalised(path)
        if wanted not in self._nearest:
            if len(self._nearest) >= _MOST_REMEMBERED:
                self._nearest.clear()
            cutoff = _LEAST_LIKENESS_OF_PATHS
            found = process.extractOne(wanted, self._normalised, scorer=fuzz.ratio, score_cutoff=cutoff)
            self._nearest[wanted] = found[2] if found else None
        return self._nearest[wanted]


def problems(
    path: str, note: EditableText, edited: str, known: KnownFiles, limits: ReadingLimits
) -> tuple[Problem, ...]:
    """Returns the problems in ``edited``, an edited text of the ``note`` at ``path``, by position. Raises no errors."""
    text = note.plain(edited)
    places = _Places(text)
    found = [
        *_of_reading(note, edited, text, limits),
        *_of_block(note, text),
        *_of_links(path, text, known),
        *_of_conflicts(text),
    ]
    try:
        fields = fields_of(text)
    except BrokenFrontmatter as error:
        found.append(_Found(error.offset, _no_frontmatter(error), Severity.ERROR))
    else:
        found += _of_fields(text, fields, known)
    return tuple(sorted(Problem(*places.of(one.offset), one.message, one.severity) for one in found))


def frontmatter_problems(note: EditableText, reads_signals: bool = True) -> tuple[str, ...]:
    """The reasons why the frontmatter of ``note``, or one of its fields, is not read as it is meant. Raises no errors.

    ``reads_signals`` is True if signals are read from frontmatter.
    """
    text = note.plain(note.text)
    fields = parse(text).fields
    if fields and not note.has_bom and _are_valid(fields):
        return ()  # the quick way for most notes
    found = [*_of_block(note, text)]
    try:
        found += _of_fields(text, fields_of(text), KnownFiles(Names(()), reads_signals))
    except BrokenFrontmatter as error:
        found.append(_Found(error.offset, _no_frontmatter(error), Severity.ERROR))
    return tuple(one.message for one in found if one.severity is Severity.ERROR or one.offset == 0)


def _are_valid(fields: Mapping[str, Any]) -> bool:
    return (
        fields.get("maturity", LEVELS[0]) in LEVELS
        and all(isinstance(fields.get(key, []), list) for key in _LISTS)
        and all(isinstance(item, str) for item in fields.get("related", []))
        and all(_is_date(fields.get(key, _EXAMPLE)) for key in _DATES)
        and all(is_count(fields.get(key, 0)) for key in _COUNTS)
        and all(
            0 <= (-1 if (number := number_of(fields.get(key, 0))) is None else number) <= most
            for key, most in _RANGES.items()
        )
    )


@dataclass(frozen=True, slots=True)
class _Found:
    offset: int
    message: str
    severity: Severity


class _Places:
    """Converts offsets to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def of(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]


def _of_conflicts(text: str) -> Iterator[_Found]:
    is_open = False
    for offset in conflict_marks(text):
        begins = text[offset] == "<"
        if begins:
            yield _Found(offset, "an unresolved conflict: keep one side and remove the markers", Severity.ERROR)
        elif is_open:
            yield _Found(offset, "the conflict ends here", Severity.WARNING)
        else:
            yield _Found(offset, "a leftover conflict marker: remove this line", Severity.ERROR)
        is_open = begins


def _of_reading(note: EditableText, edited: str, text: str, limits: ReadingLimits) -> Iterator[_Found]:
    """Yields problems that make the engine skip the file or parts of it."""
    data = note.encode(edited)
    if len(data) > limits.max_file_bytes:
        size = f"{limits.max_file_bytes / 1_048_576:g} MB"
        yield _Found(0, f"larger than {size}: the engine does not see this note", Severity.ERROR)
    try:
        check_readable(data, limits)
    except Unseen as error:
        offset = _undecodable(note, data[: limits.probe_bytes])
        yield _Found(offset, f"the engine does not see this note: {error}", Severity.ERROR)
    read = cut(text, limits)
    if not read.cut_lines and not read.cut_units:
        return
    offset = 0
    for number, line in enumerate(text.split("\n")):
        if number == limits.max_lines:
            message = f"the engine reads only {limits.max_lines} lines; the text from here on is not searched"
            yield _Found(offset, message, Severity.WARNING)
            return
        if units(line) > limits.max_line_units:
            at = offset + len(first_units(line, limits.max_line_units))
            message = f"the engine reads only {limits.max_line_units} characters of a line; the rest is not searched"
            yield _Found(at, message, Severity.WARNING)
        offset += len(line) + 1


def _undecodable(note: EditableText, head: bytes) -> int:
    """Returns the offset in the plain text of the first byte of ``head`` that is not UTF-8; 0 if there is none."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        before = head[: error.start].decode("utf-8").replace(note.newline, "\n")
        return len(before) - note.has_bom
    return 0


_FIELD = re.compile(r"[A-Za-z_]\w*:(?:\s|$)", re.MULTILINE)
_FENCE = re.compile(r"^---\s*$", re.MULTILINE)


def _of_block(note: EditableText, text: str) -> Iterator[_Found]:
    is_block = block_span(note.text) is not None or names_signals(text) or _is_behind_mark(text)
    if not text.startswith("---\n") and is_block:
        first = text.partition("\n")[0]
        fence = "has a space after its ---" if first.rstrip() == "---" else "does not begin with --- in the first line"
        message = f"the frontmatter {fence}, so the engine does not read it"
        if _FENCE.search(text) is None and not names_signals(text):
            message = "the note's frontmatter is gone"
        yield _Found(0, message, Severity.ERROR)
    elif text.startswith("---\n") and block_span(text) is None:
        message = "no line --- ends the frontmatter, so the engine does not read it"
        has_fields = _FIELD.match(text, 4) is not None  # else the line may be a rule of Markdown
        yield _Found(0, message, Severity.ERROR if has_fields else Severity.WARNING)
    elif note.has_bom and block_span(text) is not None:
        message = "there is a byte order mark before the frontmatter, so the engine does not read it"
        yield _Found(0, message, Severity.WARNING)


def _is_behind_mark(text: str) -> bool:
    """True if ``text`` begins with a conflict marker and one of the two versions has frontmatter."""
    versions = (text.partition(mark)[2] for mark in ("\n", "\n=======\n"))
    return text.startswith("<<<<<<< ") and any(block_span(version) is not None for version in versions)


def _no_frontmatter(why: object) -> str:
    return f"{why}; the engine does not read the frontmatter"


def _of_fields(text: str, fields: tuple[FieldSpan, ...], known: KnownFiles) -> Iterator[_Found]:
    times = Counter(field.key for field in fields)
    for place, field in enumerate(fields):
        if times[field.key] > 1 and any(other.key == field.key for other in fields[:place]):
            message = f"{field.key} occurs twice; the engine does not read the frontmatter"
            yield _Found(field.key_start, message, Severity.ERROR)
    if fields and max(times.values()) == 1 and (problem := parse(text).problem):
        yield _Found(fields[0].key_start, _no_frontmatter(problem), Severity.ERROR)
    for field in fields:
        yield from _of_signal(field, _IGNORED if known.reads_signals else _UNREAD)
        if field.key in _DATES and not _is_date(field.value):
            yield _Found(field.start, f"{field.key} is not a date; write it as '{_EXAMPLE}'", Severity.ERROR)
        if field.key in _LISTS:
            yield from _of_list(field)
        if field.key == "title" and title_span(text) is None:
            message = "not read: a note's title is its # heading or, if there is none, as here, its file name"
            yield _Found(field.key_start, message, Severity.WARNING)
    by_key = {field.key: field for field in fields}
    if "type" in by_key and by_key["type"].value == _STUB and known.names.files:
        yield from _of_stub(by_key, known)


def _of_signal(field: FieldSpan, consequence: str) -> Iterator[_Found]:
    if field.key == "maturity" and field.value not in LEVELS:
        word = field.value.lower() if isinstance(field.value, str) else ""
        near = process.extractOne(word, LEVELS, score_cutoff=_LEAST_LIKENESS)
        hint = f", perhaps {near[0]}" if near else ""
        levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
        yield _Found(field.start, f"maturity must be {levels}{hint}; {consequence}", Severity.ERROR)
    maximum = _RANGES.get(field.key)
    if maximum is not None and not _is_within(field.value, maximum):
        yield _Found(field.start, f"{field.key} must be a number from 0 to {maximum}; {consequence}", Severity.ERROR)
    if field.key in _COUNTS and not is_count(field.value):
        yield _Found(field.start, f"{field.key} must be a whole number, 0 or more; {consequence}", Severity.ERROR)


def _is_within(value: Any, maximum: float) -> bool:
    number = number_of(value)
    return number is not None and 0 <= number <= maximum


def _is_date(value: Any) -> bool:
    if isinstance(value, (date, datetime)):
        return True
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _of_list(field: FieldSpan) -> Iterator[_Found]:
    if field.key == "related" and isinstance(field.value, list):
        for item in field.items:
            if not isinstance(item.value, str):
                yield _Found(item.start, "each related entry must be the path of a note, as text", Severity.ERROR)
    elif field.value is not None and not isinstance(field.value, list):
        yield _Found(field.start, f"{field.key} must be a list, as in {_LISTS[field.key]}", Severity.ERROR)


def _of_links(path: str, text: str, known: KnownFiles) -> Iterator[_Found]:
    """Yields broken links. Outside the relations section, a relation is checked only if it ends in ``.md``."""
    sections = [found.span() for found in _SECTION.finditer(text)] if "@" in text else []
    suggestions = 0
    for link in links_in(text):
        found = known.names.resolve(link, path)
        if found.state is LinkState.REFUSED:
            yield _Found(link.start, f"{link.target} points outside the tree", Severity.ERROR)
        if found.state is not LinkState.BROKEN:
            continue
        is_listed = is_within(link.start, sections)
        if link.kind is LinkKind.RELATION and not is_listed and not link.target.endswith(".md"):
            continue
        near = known.nearest(link.target) if suggestions < _MOST_SUGGESTIONS else None
        suggestions += 1
        hint = f", perhaps {near}" if near else ""
        yield _Found(link.start, f"there is no note {link.target}{hint}", Severity.WARNING)


def _of_stub(fields: dict[str, FieldSpan], known: KnownFiles) -> Iterator[_Found]:
    """Yields missing and wrong paths in a stub. Without valid paths, the archived note cannot be restored."""
    for key in ("points_to", "original_path"):
        if key not in fields:
            message = f"a stub needs {key}, or its note cannot be restored"
            yield _Found(fields["type"].key_start, message, Severity.ERROR)
            continue
        field = fields[key]
        if not _is_path(field.value):
            yield _Found(field.start, f"{key} must be the path of a file in the tree, ending in .md", Severity.ERROR)
            continue
        if key == "points_to" and field.value not in known.names.files:
            message = f"there is no file {field.value}, so the note cannot be restored"
            yield _Found(field.start, message, Severity.ERROR)
        if key == "original_path" and field.value in known.names.files:
            message = f"{field.value} already exists, so the note cannot be restored there"
            yield _Found(field.start, message, Severity.WARNING)


def _is_path(value: Any) -> bool:
    r"""True if a stub may contain ``value`` as a path. The engine treats ``\`` as a folder separator."""
    if not isinstance(value, str) or "\\" in value:
        return False
    try:
        parts_of(value)
    except PathError:
        return False
    return True
