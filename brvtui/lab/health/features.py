"""The features of single notes from which their health is judged: defects, links and a signature of the text."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui.lab.health.finding import Confidence, FindingKind
from brvtui.lab.health.junk import Defect, junk
from brvtui.lab.health.likeness import body, shingle_hashes, signature
from brvtui.snapshot import Parsed, Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.text.visible import visible
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import frontmatter_problems
from brvtui.tree.reading.contents import units
from brvtui.tree.reading.files import Role, role_of
from brvtui.tree.reading.frontmatter import parse, texts_of
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

    defects: tuple[Defect, ...] = ()
    links: tuple[NoteLink, ...] = ()
    covers: frozenset[str] = frozenset()
    """The files that a generated summary covers, relative to its folder."""
    signature: NDArray[np.uint32] = field(default_factory=lambda: signature(shingle_hashes("")))

    @classmethod
    def of(cls, plain: Any) -> Features:
        """The features that :meth:`plain` returned."""
        defects, links, covers, data = plain
        found = tuple(Defect(FindingKind(kind), Confidence(level), sentence) for kind, level, sentence in defects)
        own = np.frombuffer(base64.b64decode(data), dtype="<u4")
        return cls(found, tuple(NoteLink(*link) for link in links), frozenset(covers), own)

    def plain(self) -> list[Any]:
        """The features as plain data for JSON."""
        data = base64.b64encode(self.signature.astype("<u4").tobytes()).decode("ascii")
        defects = [(one.kind, one.confidence, one.sentence) for one in self.defects]
        links = [(link.kind, link.target, link.is_listed) for link in self.links]
        return [defects, links, sorted(self.covers), data]

    @property
    def is_junk(self) -> bool:
        """True if the note contains no knowledge."""
        return any(defect.kind in JUNK for defect in self.defects)


JUNK = frozenset(
    {
        FindingKind.TEMPLATE_ONLY,
        FindingKind.TRANSCRIPT_LEFTOVER,
        FindingKind.TOOL_OUTPUT,
        FindingKind.LINKS_ONLY,
        FindingKind.TITLE_ONLY,
    }
)


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
        return Features()
    text = data.decode("utf-8", "replace")
    if role_of(snapshot.parsed[path].file) is Role.SUMMARY:
        return _of_summary(snapshot.parsed[path], text)
    found = _of_text(snapshot.notes[snapshot.by_path[path]].title, body(text))
    defects = [*found.defects, *_frontmatter(snapshot, data), *_encoding(text), *_generated(text)]
    if quoted and len(text) * 2 > quoted and (length := units(text)) > quoted:
        rest = shortened(visible(" ".join(text[quoted:].split())), 60)
        sentence = f"a direct answer quotes {quoted:,} of its {length:,} characters; it never quotes “{rest}”"
        defects.append(Defect(FindingKind.QUOTE_CUT_OFF, Confidence.HIGH, sentence))
    return replace(found, defects=tuple(defects), links=_links(text))


def _of_text(title: str, text: str) -> Features:
    defect = junk(title, text)
    return Features((defect,) if defect else (), signature=signature(shingle_hashes(text)))


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
    return [Defect(FindingKind.BROKEN_FRONTMATTER, Confidence.HIGH, visible(problems[0]))] if problems else []


def _encoding(text: str) -> list[Defect]:
    marks = _MOJIBAKE.findall(text)
    if not marks:
        return []
    sample = shortened(visible(text[max(0, text.find(marks[0]) - 15) :][:40].strip()), 40)
    confidence = Confidence.HIGH if len(marks) > 1 else Confidence.MEDIUM
    return [Defect(FindingKind.BAD_ENCODING, confidence, f"it was decoded with the wrong encoding: “{sample}”")]


def _generated(text: str) -> list[Defect]:
    lower = text.lower()
    is_generated = ("generated" in lower or "do not edit" in lower) and _GENERATED.search(lower)
    by_hand = _BY_HAND.search(lower) if is_generated else None
    if by_hand is None:
        return []
    sentence = f"it says that it is generated, and “{shortened(visible(by_hand[0]), 40)}”"
    return [Defect(FindingKind.GENERATED_EDITED, Confidence.MEDIUM, sentence)]


def _of_summary(parsed: Parsed, text: str) -> Features:
    """The files that a generated summary covers, and an edit by hand, after which its number of tokens is wrong."""
    front, recorded = parse(text), parsed.summary_tokens
    content = text[front.body_start :]
    sizes = [(units(part) + _TOKEN_CHARS // 2) // _TOKEN_CHARS for part in (content, content.strip())]
    if parsed.summary_order is None or recorded is None or recorded in sizes:
        return Features(tuple(_generated(text)), covers=frozenset(texts_of(front.fields.get("covers", []))))
    sentence = f"this generated summary records {recorded} tokens, and its text has {sizes[0]}"
    return Features((Defect(FindingKind.GENERATED_EDITED, Confidence.MEDIUM, sentence),))


def resolved(links: tuple[NoteLink, ...], file: str, names: Names) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The linked notes and folders, and the broken targets, of the note in ``file``."""
    targets, broken = dict[str, None](), dict[str, None]()
    for link in links:
        found = names.resolve(Link(LinkKind(link.kind), link.target, 0, 0, 1, 0), file)
        if found.state in (LinkState.NOTE, LinkState.FOLDER):
            targets[found.path] = None
        elif found.state in (LinkState.BROKEN, LinkState.REFUSED) and _is_meant(link, names):
            broken[link.target] = None
    return tuple(targets), tuple(broken)


def _is_meant(link: NoteLink, names: Names) -> bool:
    """False for files that the engine derives, and for relations in the text that may be names of packages."""
    if role_of(link.target) in (Role.ABSTRACT, Role.OVERVIEW):
        return False
    return link.is_listed or link.target.endswith(".md") or link.target.partition("/")[0] in names.folders
