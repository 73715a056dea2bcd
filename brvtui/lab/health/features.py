"""The features of single notes that determine their health: defects, links and a signature of the text."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from brvtui.lab.health.finding import Confidence, FindingKind
from brvtui.lab.health.junk import Defect, junk
from brvtui.lab.health.likeness import PERMUTATIONS, body, shingle_hashes, signature
from brvtui.lab.health.statements import stems
from brvtui.snapshot import Parsed, Snapshot
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
_TOKEN_CHARS = 4


def _code(text: str) -> str:
    return base64.b64encode(signature(shingle_hashes(text)).astype("<u4").tobytes()).decode("ascii")


_NO_CODE = _code("")


JUNK = frozenset(map(FindingKind, ["template_only", "transcript_leftover", "tool_output", "links_only", "title_only"]))


class NoteLink(NamedTuple):
    """A link of a note. ``is_listed`` is False for a relation outside of the section for relations."""

    kind: str
    target: str
    is_listed: bool = True


class Features(NamedTuple):
    """The features of one file, which can be stored as JSON."""

    defects: Sequence[Defect] = ()
    links: Sequence[NoteLink] = ()
    covers: Sequence[str] = ()
    """The files that a generated summary covers, relative to its folder."""
    code: str = _NO_CODE
    """The MinHash signature of the text."""
    title: Sequence[str] = ()
    """The stems of the title."""

    @classmethod
    def of(cls, plain: Any) -> Features:
        """The features that were stored as ``plain``."""
        defects, links, covers, code, title = plain
        found = [Defect(FindingKind(kind), Confidence(level), sentence) for kind, level, sentence in defects]
        return cls(found, [NoteLink(*link) for link in links], covers, code, title)

    @property
    def is_junk(self) -> bool:
        """True if the note contains no knowledge."""
        return any(defect.kind in JUNK for defect in self.defects)


def signatures_of(features: Sequence[Features]) -> NDArray[np.uint32]:
    """The MinHash signatures of texts, one per row."""
    return np.frombuffer(b"".join(base64.b64decode(one.code) for one in features), "<u4").reshape(-1, PERMUTATIONS)


def features_of(snapshot: Snapshot, path: str, quoted: int = 0) -> Features:
    """The features of the note or summary at ``path``, which is read; none if it cannot be read.

    A direct answer quotes ``quoted`` UTF-16 units of a note; 0 if it quotes everything.
    """
    try:
        if snapshot.kind.is_html:
            from brvtui.snapshot.texts import text_document  # imports the full-text index

            document = text_document(snapshot, path)
            return _of_text(document.title, document.text)
        data = snapshot.read(path)
    except OSError:
        return Features()
    text = data.decode("utf-8", "replace")
    if role_of(snapshot.parsed[path].file) is Role.SUMMARY:
        return _of_summary(snapshot.parsed[path], text)
    found = _of_text(snapshot.notes[snapshot.by_path[path]].title, body(text))
    defects = [*found.defects, *_frontmatter(snapshot, data), *_encoding(text)]
    if quoted and len(text) * 2 > quoted and (length := units(text)) > quoted:
        rest = shortened(visible(" ".join(text[quoted:].split())), 60)
        sentence = f"a direct answer quotes {quoted:,} of its {length:,} characters; it never quotes “{rest}”"
        defects.append(Defect(FindingKind.QUOTE_CUT_OFF, Confidence.HIGH, sentence))
    return found._replace(defects=defects, links=_links(text))


def _of_text(title: str, text: str) -> Features:
    defect = junk(title, text)
    return Features([defect] if defect else [], code=_code(text), title=sorted(stems(title)))


def _links(text: str) -> list[NoteLink]:
    section = _SECTION.search(text) if "@" in text else None
    listed = section.end() if section else math.inf
    found = links_in(text)[:_MOST_LINKS]
    return [NoteLink(one.kind, one.target, one.kind is not LinkKind.RELATION or one.start >= listed) for one in found]


def _frontmatter(snapshot: Snapshot, data: bytes) -> list[Defect]:
    try:
        problems = frontmatter_problems(note_text(data), snapshot.reads_frontmatter)
    except NotText:
        return []
    if problems and _RULE.match(data[:200]):
        return []  # a thematic break, not frontmatter
    if _INDENTED.match(data[:200]):
        problems = ("the frontmatter does not begin with --- in the first line, so the engine does not read it",)
    return [Defect(FindingKind.BROKEN_FRONTMATTER, Confidence.HIGH, visible(problems[0]))] if problems else []


def _encoding(text: str) -> list[Defect]:
    marks = _MOJIBAKE.findall(text)
    if not marks:
        return []
    sample = shortened(visible(text[max(0, text.find(marks[0]) - 15) :][:40].strip()), 40)
    confidence = Confidence.HIGH if len(marks) > 1 else Confidence.MEDIUM
    return [Defect(FindingKind.BAD_ENCODING, confidence, f"it was decoded with the wrong encoding: “{sample}”")]


def _of_summary(parsed: Parsed, text: str) -> Features:
    """The files that a generated summary covers, or a defect if the recorded token count shows that the summary was
    edited by hand.
    """
    front, recorded = parse(text), parsed.summary_tokens
    content = text[front.body_start :]
    sizes = [(units(part) + _TOKEN_CHARS // 2) // _TOKEN_CHARS for part in (content, content.strip())]
    if parsed.summary_order is None or recorded is None or recorded in sizes:
        return Features(covers=texts_of(front.fields.get("covers", [])))
    sentence = f"this generated summary records {recorded} tokens, and its text has {sizes[0]}"
    return Features([Defect(FindingKind.GENERATED_EDITED, Confidence.MEDIUM, sentence)])


def resolved(links: Sequence[NoteLink], file: str, names: Names) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
