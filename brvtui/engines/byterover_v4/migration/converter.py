"""Converts a ByteRover 3 note to the topic that V4's migration creates (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.engines.byterover_v4.migration.values import Moment, written, yaml_fields
from brvtui.engines.migration import ConvertedNote
from brvtui.tree.reading import frontmatter
from brvtui.tree.reading.javascript import SPACE, trim
from brvtui.tree.spaces.topic_html import TOPIC

# Parsing of Markdown as in V4's migration: sections, labels, bullets and fences. Only LF ends a line.


LINE_ENDS = "\n\r\u2028\u2029"
"""The characters that end a line in JavaScript's regular expressions."""

_BROKEN = re.compile(f"[{LINE_ENDS}]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BULLET = re.compile(rf"[{SPACE}]*(?:[-*+]|[0-9]+\.)[{SPACE}]+([^{LINE_ENDS}]*)")
_LABEL_END = re.compile(rf":[{SPACE}]*\*\*")


@dataclass(frozen=True, slots=True)
class NoteSection:
    """The text below one heading of a note."""

    heading: str
    text: str


def sections(text: str, mark: str) -> tuple[str, tuple[NoteSection, ...]]:
    """The text before the first ``mark`` heading outside fences, and the sections from that heading on."""
    fence, parts = "", list[tuple[str, list[str]]]([("", [])])
    for line in text.split("\n"):
        fenced = _FENCE.match(line)
        if fenced and not fence:
            fence = fenced[1][:3]
        elif fenced and fenced[1].startswith(fence):
            fence = ""
        heading = _heading(line, mark) if not fence else None
        if heading:
            parts.append((heading, []))
        else:
            parts[-1][1].append(line)
    (_, first), *others = parts
    return "\n".join(first), tuple(NoteSection(heading, "\n".join(lines)) for heading, lines in others)


def title_of(text: str) -> str | None:
    """The trimmed text of the first line that begins with ``# `` and has more text, even if that is only white space;
    None if there is none.
    """
    for line in text.split("\n"):
        heading = _heading(line, "#")
        if heading is not None and not _BROKEN.search(heading) and line[2:].strip(LINE_ENDS):
            return heading
    return None


def without_title(text: str) -> str:
    """``text`` without its first line that begins with ``# ``."""
    lines = text.split("\n")
    place = next((number for number, line in enumerate(lines) if _heading(line, "#") is not None), len(lines))
    return "\n".join(lines[:place] + lines[place + 1 :])


def _heading(line: str, mark: str) -> str | None:
    """The text of ``line`` if it is a heading at the level ``mark``; otherwise None."""
    text = line.removeprefix(mark)
    return trim(text) if text != line and text[:1] and text[0] in SPACE else None


def bullets(text: str) -> tuple[tuple[str, ...], str]:
    """The trimmed bullets of ``text``, and the stray text, which is all lines that are neither bullets nor blank."""
    items, stray = [], []
    for line in text.split("\n"):
        bullet = _BULLET.fullmatch(line)
        if bullet:
            items += [item] if (item := trim(bullet[1])) else []
        elif trim(line):
            stray.append(line)
    return tuple(items), trim("\n".join(stray))


def labels(text: str) -> tuple[str, tuple[NoteSection, ...]]:
    """The text before the first line ``**Label:**``, and the text of each label."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.split("\n"):
        label = split_label(line)
        if label is not None:
            parts.append((trim(label[0]), [label[1]]))
        else:
            parts[-1][1].append(line)
    (_, first), *others = parts
    return "\n".join(first), tuple(NoteSection(label, "\n".join(lines)) for label, lines in others)


def split_label(line: str) -> tuple[str, str] | None:
    """The label and the text of a line ``**Label:** text``; None for another line. Takes linear time."""
    opened = line.lstrip(SPACE)
    if not opened.startswith("**"):
        return None
    rest = opened[2:]
    broken = _BROKEN.search(rest)
    last = max(map(rest.rfind, LINE_ENDS))
    only_space = len(rest[: last + 1].rstrip(SPACE))  # from here to the last line end, if there is one
    for end in _LABEL_END.finditer(rest, 1):
        if broken is not None and end.start() > broken.start():
            return None
        if end.end() >= only_space:
            return rest[: end.start()], rest[end.end() :].lstrip(SPACE)
    return None


CLOSED_FENCE = re.compile(r"(```|~~~)([A-Za-z0-9_]*)\n(.*?)\1", re.DOTALL)
"""A fenced block, with its mark, language and text."""


# The attributes of a migrated topic, which come from its note's frontmatter, heading and name.


_BLOCK = re.compile(r"\A---\r?\n(.*?)\r?\n---", re.DOTALL)
_NAME_BREAKS = re.compile(r"[-_]")
_NOTE, _TOPIC = ".md", ".html"
_TYPES = {"_index.md": "summary", "context.md": "context"}
_ORDINARY = "topic"


@dataclass(frozen=True, slots=True)
class NoteParts:
    """The two parts of a note: the fields of its frontmatter, and its body."""

    fields: dict[str, Any]
    body: str
    problem: str = ""
    """The reason why the frontmatter was treated as text; empty if it was not."""


def note_parts(text: str) -> NoteParts:
    """The fields and the body of the note ``text``. A frontmatter block that is not valid YAML stays in the body."""
    block = _BLOCK.match(text)
    if block is None:
        return NoteParts({}, text)
    try:
        fields = yaml_fields(f"{block[1]}\n")
    except frontmatter.BROKEN as error:
        message = str(error).splitlines()
        return NoteParts({}, text, message[0] if message else "not YAML")
    return NoteParts(fields, text[block.end() :])


def topic_path(note: str) -> str:
    """The path of the topic created from the note at ``note``."""
    return f"{note.removesuffix(_NOTE)}{_TOPIC}"


def topic_attributes(path: str, parts: NoteParts, now: Moment) -> dict[str, str]:
    """The attributes that are not empty, in V4's order, of the topic created at ``now`` from the note at ``path``."""
    fields, name = parts.fields, path.rpartition("/")[2]
    heading = title_of(parts.body)
    stem = _NAME_BREAKS.sub(" ", name.removesuffix(_NOTE))
    values = {
        "path": path.removesuffix(_NOTE),
        "title": _text(fields.get("title")) or (stem if heading is None else heading),
        "type": _text(fields.get("type")) or _TYPES.get(name, _ORDINARY),
        "summary": _text(fields.get("summary")) or _text(fields.get("short_description")),
        "tags": _joined(fields.get("tags")),
        "keywords": _joined(fields.get("keywords")),
        "related": _related(fields),
        "createdat": _moment(fields, ("createdAt", "createdat"), now),
        "updatedat": _moment(fields, ("updatedAt", "updatedat"), now),
    }
    return {name: value for name, value in values.items() if value}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _joined(value: Any) -> str:
    return ",".join(map(written, value)) if isinstance(value, list) else _text(value)


def _related(fields: Mapping[str, Any]) -> str:
    """The related topics, from the first of two fields that contains a list or a string."""
    candidates = (fields.get(name) for name in ("related", "relateds"))
    value = next((value for value in candidates if isinstance(value, list) or _text(value)), "")
    items = value if isinstance(value, list) else str(value).split(",")
    paths = (trim(written(item)) for item in items)
    return ",".join(f"{path.removesuffix(_NOTE)}{_TOPIC}" if path.endswith(_NOTE) else path for path in paths if path)


def _moment(fields: Mapping[str, Any], names: Sequence[str], now: Moment) -> str:
    """The first of the fields called ``names`` that contains a string or a date; ``now`` if there is none."""
    candidates = (fields.get(name) for name in names)
    texts = (value.iso if isinstance(value, Moment) else _text(value) for value in candidates)
    return next(filter(None, texts), now.iso)


# The markup that V4's migration writes, without text or white space between elements.


def element(tag: str, text: str, attributes: Mapping[str, str] | None = None) -> str:
    """The element ``tag`` around ``text``, which is escaped and trimmed; empty if no text is left."""
    inner = escaped(trim(text))
    return f"<{tag}{attributes_text(attributes or {})}>{inner}</{tag}>" if inner else ""


def attributes_text(attributes: Mapping[str, str]) -> str:
    """``attributes`` in the form that they have in a tag. Empty ones are left out."""
    pairs = ((name, escaped(value).replace('"', "&quot;")) for name, value in attributes.items())
    return "".join(f' {name}="{value}"' for name, value in pairs if value)


def escaped(text: str) -> str:
    """``text`` escaped for use between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_FACT, _STRUCTURE, _EXAMPLES, _DIAGRAM = "bv-fact", "bv-structure", "bv-examples", "bv-diagram"
# The elements that V4's migration creates from a note's body, section by section.


_TAKEN_WHOLE = {
    "reason": "bv-reason", "overview": "bv-reason", "purpose": "bv-reason",
    "structure": _STRUCTURE, "architecture": _STRUCTURE, "scope": _STRUCTURE,
    "dependencies": "bv-dependencies",
    "highlights": "bv-highlights", "features": "bv-highlights",
    "examples": _EXAMPLES,
}  # fmt: skip
"""The element for each kind of section whose text is kept unchanged."""
_LABELLED = {
    "task": "bv-task", "tasks": "bv-task", "flow": "bv-flow", "flows": "bv-flow", "timestamp": "bv-timestamp",
    "timestamps": "bv-timestamp", "author": "bv-author", "authors": "bv-author",
}  # fmt: skip
_LISTED = {"change": "bv-changes", "changes": "bv-changes", "file": "bv-files", "files": "bv-files"}
_IN_NARRATIVE = {
    "dependencies": "bv-dependencies", "examples": _EXAMPLES, "highlights": "bv-highlights", "features": "bv-highlights"
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9_]+")
_SUBJECT = re.compile(rf"\*\*(.+?)\*\*[{SPACE}]*:[{SPACE}]*(.+)")
_CATEGORIES = frozenset({"personal", "project", "preference", "convention", "team", "environment"})
_OTHER = "other"
_FLAGS = re.compile(rf"[{SPACE}]*\(flags:")
_DESCRIPTION = re.compile(rf"(?:[{SPACE}]*-[{SPACE}]*(.+))?")
_DIAGRAM_KINDS = frozenset({"mermaid", "plantuml", "ascii", "dot", "graphviz"})
_MUST, _SHOULD = re.compile(r"\b(?:MUST|SHALL)\b", re.ASCII), re.compile(r"\bSHOULD\b", re.ASCII)
_SEVERITY_WORDS = re.compile(r"\b(?:must|should|may|shall|info)\b", re.ASCII | re.IGNORECASE)
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
_ID_UNITS = 48


def elements_of(body: str) -> str:
    """The markup of the elements created from ``body``, a note without its frontmatter."""
    lead, parts = sections(body, "##")
    rules: dict[str, int] = {}
    """The ids of earlier rules."""
    markup = "".join(_section(part.heading.lower(), part.text, rules) for part in parts)
    if not markup:
        return element(_FACT, body)
    return element(_FACT, without_title(lead)) + markup


def _section(heading: str, text: str, rules: dict[str, int]) -> str:
    if heading in _TAKEN_WHOLE:
        return element(_TAKEN_WHOLE[heading], text)
    match heading:
        case "facts" | "evidence":
            return _listed(text, _fact)
        case "rules":
            return _listed(text, lambda item: _rule(item, rules))
        case "decisions":
            return _listed(text, lambda item: element("bv-decision", item))
        case "patterns":
            return _listed(text, lambda item: element("bv-pattern", item))
        case "raw concept":
            return _raw_concept(text)
        case "narrative":
            return _narrative(text, rules)
        case "relations":
            return ""
    return element(_FACT, text)


def _listed(text: str, made_of: Callable[[str], str]) -> str:
    """The results of ``made_of`` for the bullets of ``text``, followed by the stray text as a fact."""
    items, stray = bullets(text)
    return "".join(map(made_of, items)) + element(_FACT, stray)


def _fact(item: str) -> str:
    subject = _SUBJECT.fullmatch(item)
    text = subject[2] if subject else item
    attributes = {"subject": subject[1]} if subject else {}
    before, _, name = text.removesuffix("]").rpartition("[")
    if text.endswith("]") and before and _WORD.fullmatch(name):
        category = name.lower()
        text, attributes = before, {**attributes, "category": category if category in _CATEGORIES else _OTHER}
    return element(_FACT, text, attributes)


def _rule(item: str, taken: dict[str, int]) -> str:
    """The markup for the rule ``item``. Its id is added to ``taken``, which maps each id to the last number that was
    appended to make it unique.
    """
    severity = "must" if _MUST.search(item) else "should" if _SHOULD.search(item) else "info"
    words = _NOT_IN_IDS.sub("-", _SEVERITY_WORDS.sub("", item).lower()).strip("-")
    base = words[:_ID_UNITS] or "rule"
    identity, number = base, taken.get(base, 1)
    while identity in taken:
        number += 1
        identity = f"{base}-{number}"
    taken[base] = number
    taken.setdefault(identity, 1)
    return element("bv-rule", item, {"severity": severity, "id": identity})


def _pattern(item: str) -> str:
    parts = split_pattern(item)
    if parts is None:
        return element("bv-pattern", item)
    return element("bv-pattern", parts[0], {"flags": parts[1], "description": parts[2]})


def split_pattern(item: str) -> tuple[str, str, str] | None:
    """The pattern, flags and description of an item of one line ```pattern` (flags: f) - description``, of which only
    the pattern is required; None for another item. Takes linear time.
    """
    close = failed = -1
    for tick in re.finditer("`", item[2:] if item.startswith("`") else ""):
        end = start = tick.start() + 2
        flags = _FLAGS.match(item, end + 1)
        if flags is not None:
            if close < flags.end():
                found = item.find(")", flags.end())
                close = found if found >= 0 else len(item)
            start = close
            if close in (failed, len(item)):
                continue
        described = _DESCRIPTION.fullmatch(item, start + 1)
        if described is not None:
            given = item[flags.end() : close].lstrip(SPACE) if flags is not None else ""
            return item[1:end], given, described[1] or ""
        failed = close if flags is not None else failed
    return None


def _raw_concept(text: str) -> str:
    lead, parts = labels(text)
    markup = [element(_FACT, lead)]
    for label in parts:
        name = label.heading.lower()
        if name in _LABELLED:
            markup.append(element(_LABELLED[name], label.text))
        elif name in _LISTED:
            markup.append(_items(_LISTED[name], label.text))
        elif name in ("pattern", "patterns"):
            markup.append(_listed(label.text, _pattern))
        else:
            markup.append(element(_FACT, f"{label.heading}: {trim(label.text)}".removesuffix(": ")))
    return "".join(markup)


def _items(tag: str, text: str) -> str:
    items, stray = bullets(text)
    if not items:
        return element(tag, text)
    return f"<{tag}>{''.join(element('li', item) for item in items)}</{tag}>{element(_FACT, stray)}"


def _narrative(text: str, rules: dict[str, int]) -> str:
    lead, parts = sections(text, "###")
    markup = [element(_STRUCTURE, lead)]
    for part in parts:
        name = part.heading.lower()
        if name == "rules":
            markup.append(_listed(part.text, lambda item: _rule(item, rules)))
        elif name == "diagrams":
            markup.append(_diagrams(part.text))
        else:
            markup.append(element(_IN_NARRATIVE.get(name, _STRUCTURE), part.text))
    return "".join(markup)


def _diagrams(text: str) -> str:
    fences = CLOSED_FENCE.findall(text)
    if not fences:
        return element(_DIAGRAM, text)
    drawn = [  # even if it is empty
        f'<{_DIAGRAM} type="{_kind(language)}">{escaped(trim(inner))}</{_DIAGRAM}>' for _, language, inner in fences
    ]
    return "".join(drawn) + element(_EXAMPLES, CLOSED_FENCE.sub("", text))


def _kind(language: str) -> str:
    return language.lower() if language.lower() in _DIAGRAM_KINDS else _OTHER


def convert(path: str, text: str, now_ms: float) -> ConvertedNote:
    """The topic that V4's migration would create at ``now_ms`` from the note ``text`` at ``path``."""
    parts = note_parts(text)
    attributes = topic_attributes(path, parts, Moment(int(now_ms)))
    html = f"<{TOPIC}{attributes_text(attributes)}>{elements_of(parts.body)}</{TOPIC}>"
    return ConvertedNote(path, topic_path(path), html, parts.body, "title" in attributes, parts.problem)
