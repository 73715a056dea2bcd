"""Reads the nodes and references that a note adds to the graph. A note is read again only if it changes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.engines.knowing.model import Columns, Node
from brvtui.engines.knowing.profile import NoteGraphRules
from brvtui.snapshot import Note
from brvtui.tree.reading.frontmatter import parse, text_of, texts_of
from brvtui.tree.reading.links import Link, LinkKind, links_in

NOTE, SECTION = "note", "section"
_HEADING = re.compile(r"^##[ \t]+(.+)")
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_FILES = "**Files:**"
_BULLET = re.compile(r"^\s*[-*+]\s+`?([^\s`]+)`?")
_QUOTED_PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.\w+)`")
_NOTE_PATH = re.compile(r"(?<![@\w/.(\]-])([\w-]+(?:/[\w-]+)+\.md)\b")
_NOT_WORD = re.compile(r"\W+")
_WORD = re.compile(r"\w+")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_LEAST_WORD = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A link or path in a note; ``source`` is the node that contains it."""

    source: str
    type: str
    link: Link


@dataclass(frozen=True, slots=True)
class NotePiece:
    """The nodes and references of one note. The first node is the note; the others are its sections."""

    note: Note
    nodes: tuple[Node, ...]
    titles: Mapping[str, str]
    """The display title of each node, keyed by id. A section's title consists of the note's title and its heading."""
    texts: Mapping[str, str]
    """The text of each node, keyed by id."""
    mentions: tuple[Mention, ...]
    files: tuple[tuple[str, str], ...]
    """Pairs of a node id and a file that the node mentions."""
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    words: frozenset[str]
    """The words in the title and summary, used to find similar notes."""


@dataclass(frozen=True, slots=True)
class _NoteSection:
    heading: str
    start: int
    text: str


def read_piece(note: Note, text: str, updated_ms: float | None, rules: NoteGraphRules) -> NotePiece:
    """The nodes and references that ``note`` adds to the graph. ``text`` is the text of the note."""
    front = parse(text)
    fields, body = front.fields, text[front.body_start :]
    title = text_of(fields.get("title")) or note.title
    keywords, tags = _words_of(fields.get("keywords")), _words_of(fields.get("tags"))
    intro, *sections = _sections(body, rules.sections_most)
    summary = text_of(fields.get("summary")) or _first_paragraph(intro.text)
    tree = note.path.removesuffix(note.file)
    folders = note.file.split("/")[:-1]
    module = f"{tree}{folders[0]}" if folders else ""
    stem = note.file.rpartition("/")[2].removesuffix(".md")
    concepts = " ".join([*keywords, *tags, *(folder.replace("_", " ") for folder in folders)])
    split_path = re.sub(r"[/_.-]+", " ", note.file.removesuffix(".md"))
    is_set_aside = text_of(fields.get("status")).lower() in rules.set_aside or any(
        folder.lower() in rules.set_aside for folder in folders
    )
    name = slug(title)
    qualified_name = f"brv://{note.path}.{name}"
    updated = None if updated_ms is None else updated_ms / 1000

    def node(id_: str, kind: str, qualified: str, own: str, aliases: Sequence[str], columns: Columns) -> Node:
        return Node(
            id_,
            kind,
            qualified,
            own,
            package=f"{tree}{'/'.join(folders)}",
            module=module,
            path=note.path,
            signature=summary if kind == NOTE else title,
            aliases=tuple(aliases),
            columns=columns,
            modified=updated,
            is_set_aside=is_set_aside,
        )

    head = Columns(f"{title} {stem} {stem.replace('_', ' ')}", concepts, split_path, summary, note.file, intro.text)
    nodes = [node(note.path, NOTE, qualified_name, name, [stem] if stem.lower() != name.lower() else [], head)]
    titles, texts = {note.path: title}, {note.path: body.strip()}
    starts, ids = [0], [note.path]
    counts: Counter[str] = Counter()
    for section in sections:
        heading = slug(section.heading)
        counts[heading] += 1
        id_ = f"{note.path}#{heading}" + (f"-{counts[heading]}" if counts[heading] > 1 else "")
        own = f"{name}.{heading}" if section.heading.lower() in rules.plain_headings else heading
        columns = Columns(section.heading, "", split_path, title, note.file, section.text)
        nodes.append(node(id_, SECTION, f"{qualified_name}.{heading}", own, (), columns))
        texts[id_] = f"## {section.heading}\n{section.text}".strip()
        titles[id_] = f"{title} › {section.heading}"
        starts.append(section.start)
        ids.append(id_)

    def holder(offset: int) -> str:
        return ids[bisect_right(starts, offset) - 1]

    return NotePiece(
        note,
        tuple(nodes),
        titles,
        texts,
        tuple(_mentions(fields, body, note.path, holder)),
        tuple(dict.fromkeys((holder(start), path) for start, path in _files(body))),
        keywords,
        tags,
        frozenset(word for word in _WORD.findall(f"{title} {summary}".lower()) if len(word) >= _LEAST_WORD),
    )


def slug(text: str) -> str:
    """``text`` as one word: characters other than letters, digits and underscores become underscores."""
    return _NOT_WORD.sub("_", text).strip("_")


def _mentions(fields: Mapping[str, Any], body: str, path: str, holder: Any) -> Iterator[Mention]:
    for type_ in ("related", "supersedes", "extends"):
        for target in texts_of(fields.get(type_)):
            yield Mention(path, type_, Link(LinkKind.RELATED, target.lstrip("@"), 0, 0, 1, 0))
    known = set()
    for link in links_in(body):
        known.add(link.start)
        yield Mention(holder(link.start), "links", link)
    for match in _NOTE_PATH.finditer(body) if ".md" in body else ():
        if match.start(1) not in known:
            link = Link(LinkKind.RELATED, match[1], match.start(1), match.end(1), 1, 0)
            yield Mention(holder(match.start(1)), "mentions_note", link)


def _files(body: str) -> Iterator[tuple[int, str]]:
    """Yields the files that a note lists or quotes as paths, each preceded by its offset."""
    for match in _QUOTED_PATH.finditer(body) if "`" in body else ():
        if not match[1].endswith(".md"):
            yield match.start(), match[1]
    place, is_listed = 0, False
    for line in body.splitlines(keepends=True) if _FILES in body else ():
        item = _BULLET.match(line) if is_listed else None
        if item is not None and "." in item[1]:
            yield place, item[1]
        is_listed = line.startswith(_FILES) or (is_listed and (item is not None or not line.strip()))
        place += len(line)


def _sections(body: str, limit: int) -> list[_NoteSection]:
    """The text before the first level-2 heading, followed by the first ``limit`` sections with such headings. The last
    one includes all further text.

    Headings in code blocks are ignored.
    """
    sections: list[_NoteSection] = []
    lines: list[str] = []
    heading, start, place, fence = "", 0, 0, ""
    for line in body.splitlines(keepends=True):
        opened = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opened:
            fence = "" if fence and opened[1].startswith(fence) else fence or opened[1]
        match = _HEADING.match(line.rstrip("\r\n")) if line.startswith("##") and not fence else None
        if match is not None and len(sections) < limit:
            sections.append(_NoteSection(heading, start, "".join(lines).strip()))
            plain = match[1].rstrip(" \t").rstrip("#").rstrip(" \t") or match[1][0]
            heading, start, lines = plain, place, []
        else:
            lines.append(line)
        place += len(line)
    return [*sections, _NoteSection(heading, start, "".join(lines).strip())]


def _first_paragraph(text: str) -> str:
    for paragraph in _PARAGRAPHS.split(text):
        if paragraph.strip() and not paragraph.lstrip().startswith("#"):
            return paragraph.strip()
    return ""


def _words_of(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.lower() for word in texts_of(value)))
