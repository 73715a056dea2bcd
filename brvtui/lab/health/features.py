"""The features of single notes from which their health is judged: defects, links and a signature of the text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.lab.health.finding import Confidence, Kind
from brvtui.lab.health.junk import Defect, junk
from brvtui.lab.health.likeness import body, shingle_hashes, signature
from brvtui.snapshot import Parsed, Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.text.visible import visible
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import frontmatter_problems
from brvtui.tree.reading.contents import units
from brvtui.tree.reading.files import Role, role_of
from brvtui.tree.reading.frontmatter import block_of
from brvtui.tree.reading.links import Link, LinkKind, LinkState, Names, links_in
from brvtui.wording import shortened

_MOJIBAKE = re.compile(
    "Ã[\u0080-\u00bf\u0152-\u0192\u2010-\u2122]|â(?:€|\u0080)[^\\s\\w]|Â[\u00a0-\u00bf]|ï»¿|\ufffd|ðŸ"
)
_SECTION = re.compile(r"^## Relations[ \t]*$", re.MULTILINE)
_INDENTED = re.compile(rb"\s{1,50}---[ \t]*\r?\n[\w-]+:")
_RULE = re.compile(rb"---[ \t]*\r?\n\s*(?:$|[^\w\s'\"{-])")
_MOST_LINKS = 1_000
_GENERATED = re.compile(r"(?:auto-?|automatically )generated|generated (?:by|from|on)|do not edit")
_BY_HAND = re.compile(
    r"(?:edited|changed|fixed|corrected|added|adjusted|updated|tweaked) (?:by hand|manually)|manual(?:ly)? (?:edit|"
    r"change|fix|correction|addition|note|edited|changed|added|fixed)|\bhand-edited\b"
)
_TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link of a note. ``is_listed`` is False for a relation outside of the section for relations."""

    kind: str
    target: str
    is_listed: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The features of one file."""

    defects: tuple[Defect, ...]
    links: tuple[NoteLink, ...]
    signature: NDArray[np.uint32]

    @property
    def is_junk(self) -> bool:
        """True if the note contains no knowledge."""
        return any(defect.kind in JUNK for defect in self.defects)


_NONE = Features((), (), signature(shingle_hashes("")))
JUNK = frozenset({Kind.TEMPLATE_ONLY, Kind.TRANSCRIPT_LEFTOVER, Kind.TOOL_OUTPUT, Kind.LINKS_ONLY, Kind.TITLE_ONLY})


def features_of(snapshot: Snapshot, path: str, quoted: int = 0) -> Features:
    """The features of the note or summary at ``path``, which is read; none if it cannot be read.

    A direct answer quotes ``quoted`` UTF-16 units of a note; 0 if it quotes everything.
    """
    try:
        if snapshot.kind.is_html:
            document = text_document(snapshot, path)
            return _of_text(document.title, document.text)
        data = snapshot.read(path)
    except OSError:
        return _NONE
    text = data.decode("utf-8", "replace")
    if role_of(snapshot.parsed[path].file) is Role.SUMMARY:
        return replace(_NONE, defects=_summary(snapshot.parsed[path], text))
    found = _of_text(snapshot.notes[snapshot.by_path[path]].title, body(text))
    defects = [*found.defects, *_frontmatter(snapshot, data), *_encoding(text), *_generated(text)]
    if quoted and len(text) * 2 > quoted and (length := units(text)) > quoted:
        rest = shortened(visible(" ".join(text[quoted:].split())), 60)
        sentence = f"a direct answer quotes {quoted:,} of its {length:,} characters; it never quotes “{rest}”"
        defects.append(Defect(Kind.QUOTE_CUT_OFF, Confidence.HIGH, sentence))
    return replace(found, defects=tuple(defects), links=_links(text))


def _of_text(title: str, text: str) -> Features:
    defect = junk(title, text)
    return Features((defect,) if defect else (), (), signature(shingle_hashes(text)))


def _links(text: str) -> tuple[NoteLink, ...]:
    section = _SECTION.search(text) if "@" in text else None
    listed = section.end() if section else math.inf
    return tuple(
        NoteLink(link.kind, link.target, link.kind is not LinkKind.RELATION or link.start >= listed)
        for link in links_in(text)[:_MOST_LINKS]
    )


def _frontmatter(snapshot: Snapshot, data: bytes) -> list[Defect]:
    try:
        problems = frontmatter_problems(note_text(data), snapshot.reads_frontmatter)
    except NotText:
        return []
    if problems and _RULE.match(data[:200]):
        return []  # a thematic break, not frontmatter
    if _INDENTED.match(data[:200]):
        problems = (
            *problems,
            "the frontmatter does not begin with --- in the first line, so the engine does not read it",
        )
    return [Defect(Kind.BROKEN_FRONTMATTER, Confidence.HIGH, visible(problems[0]))] if problems else []


def _encoding(text: str) -> list[Defect]:
    marks = _MOJIBAKE.findall(text)
    if not marks:
        return []
    sample = shortened(visible(text[max(0, text.find(marks[0]) - 15) :][:40].strip()), 40)
    confidence = Confidence.HIGH if len(marks) > 1 else Confidence.MEDIUM
    return [Defect(Kind.BAD_ENCODING, confidence, f"it was decoded with the wrong encoding: “{sample}”")]


def _generated(text: str) -> list[Defect]:
    lower = text.lower()
    is_generated = ("generated" in lower or "do not edit" in lower) and _GENERATED.search(lower)
    by_hand = _BY_HAND.search(lower) if is_generated else None
    if by_hand is None:
        return []
    sentence = f"it says that it is generated, and “{shortened(visible(by_hand[0]), 40)}”"
    return [Defect(Kind.GENERATED_EDITED, Confidence.MEDIUM, sentence)]


def _summary(parsed: Parsed, text: str) -> tuple[Defect, ...]:
    """An edit by hand, after which the recorded number of tokens is not that of the text."""
    if parsed.summary_order is None or parsed.summary_tokens is None or not block_of(text):
        return tuple(_generated(text))
    tokens = -(-units(body(text).strip()) // _TOKEN_CHARS)
    if abs(tokens - parsed.summary_tokens) <= max(2, parsed.summary_tokens * 0.03):
        return tuple(_generated(text))
    sentence = f"this generated summary records {parsed.summary_tokens} tokens, and its text has {tokens}"
    return (Defect(Kind.GENERATED_EDITED, Confidence.MEDIUM, sentence),)


def resolved(links: tuple[NoteLink, ...], file: str, names: Names) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The linked notes and folders, and the broken targets, of the note in ``file``."""
    targets, broken = dict[str, None](), dict[str, None]()
    for link in links:
        found = names.resolve(Link(LinkKind(link.kind), link.target, 0, 0, 1, 0), file)
        if found.state in (LinkState.NOTE, LinkState.FOLDER):
            targets[found.path] = None
        elif found.state in (LinkState.BROKEN, LinkState.REFUSED) and (link.is_listed or link.target.endswith(".md")):
            broken[link.target] = None
    return tuple(targets), tuple(broken)
