"""A note with any frontmatter, in a tree with others: read, indexed, shown, edited, and searched."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from brvtui.lab.about import About, FileState
from brvtui.tree.editing.archive import StubError, read_stub
from brvtui.tree.editing.fields import BrokenFrontmatter, FieldsError, fields_of, set_fields
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import KnownFiles, problems
from brvtui.tree.reading.contents import updated_ms
from brvtui.tree.reading.frontmatter import parse, scalars_under
from brvtui.tree.reading.links import Names, links_in
from tests.fuzz.targets.target import QUERY, Target, Wrong, hits, planted
from tests.support.trees import BRV3

_NAMES = Names(["x/good.md", "x/other.md", "x/any.md"])
_KNOWN = KnownFiles(_NAMES)
_NOTE = "x/any.md"


class Note(Target):
    """Each input is a note."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.tree.read_frontmatter()
        self.session = self.tree.session()
        self.expected = hits(self.session.preview(QUERY))

    def seeds(self) -> list[bytes]:
        block = "title: T\nmaturity: core\nimportance: 60\nrelated: [x/good.md]\ntags: &t [a, b]\nother: *t\n"
        return [f"---\n{block}---\n# T\n\nquokka anchor [[good]]\n".encode(), b"# Bare\n\nanchor\n"]

    def run(self, data: bytes) -> str:
        place = self.tree.file(_NOTE, data, 1)
        self.session.refresh([place])
        trace = self.session.preview(QUERY)
        found = [hit for hit in trace.hits if hit.file == _NOTE]
        unseen = {file.path: file.reason for file in self.session.snapshot.unseen}
        if _NOTE in unseen:
            if hits(trace) != self.expected:
                raise Wrong("a note that is not seen changes the results")
            return f"unseen {unseen[_NOTE]}"[:80]
        for engine in ("jeffs_brain", "soleri", "knowing"):
            self.session.preview(QUERY, engine=engine)
        self.session.about(_NOTE)
        text = data.decode("utf-8", "replace")
        return f"{self._read(text)} {self._edited(data)} {bool(found)}"

    def _read(self, text: str) -> str:
        front = parse(text)
        scalars_under(text, "related")
        updated_ms(text)
        links_in(text)
        About(_NOTE, "", "any", 1, _NAMES, FileState.CURRENT, text, frontmatter=front)
        with suppress(StubError):
            read_stub(text)
        return f"{len(front.fields)} {sorted({type(value).__name__ for value in front.fields.values()})}"

    def _edited(self, data: bytes) -> str:
        try:
            note = note_text(data)
        except NotText:
            return "no text"
        if note.encode(note.text) != data:
            raise Wrong("a text does not come back byte by byte")
        found = problems(_NOTE, note, note.text, _KNOWN, BRV3.limits)
        try:
            count = len(fields_of(note.text))
            result = set_fields(note.text, {"maturity": "core"})
        except BrokenFrontmatter:
            return f"broken {len(found)}"
        except FieldsError:
            return f"refused {len(found)}"
        if parse(result).fields.get("maturity") != "core":
            raise Wrong("a field that is set is not read back")
        return f"{count} fields {len(found)}"
