"""The About pane: facts about the selected note, its links, and similar notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from textual.message import Message

from brvtui.app.actions.panes import ABOUT
from brvtui.app.contents import Branch
from brvtui.app.keys.bindings import bindings
from brvtui.app.notes.note import NotePane, is_current
from brvtui.app.states import GONE, GONE_TEXT, NoteState, ProjectState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.tree import KIND_WORDS, sign_of
from brvtui.engines.registry import presentation
from brvtui.paint.bars import eighths
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.score import ceiling_lines, signals
from brvtui.paint.text import cut_left, days, plural, wrap

if TYPE_CHECKING:
    from brvtui.lab.about import About, FileSurroundings
    from brvtui.trace import ManifestPlace
    from brvtui.tree.reading.links import Resolved

_BAR = 6
_MOST = 300
"""The maximum number of links shown in each direction. Longer lists would block the event loop and be of no use."""
_SEPARATOR = "\0"
_LIKE = f"like{_SEPARATOR}"
_OF_A_TRACE = "this is a saved trace: open its project to see facts about the note (brv-tui FOLDER)"
_OF_CODE = (
    "a symbol, with its lines up to the next symbol. Only notes have signals, links and a place in the manifest. "
    "To see what this symbol is linked with, run a query that finds it."
)
FIND_SIMILAR = "find similar"
"""The name of the row that finds similar notes."""


class AboutPane(ChoicePane):
    """Shows a note's signals, best possible score, coming changes, place in the manifest, links and similar notes."""

    TITLE = "About"
    READS = (NoteState, SelectionState, ProjectState)
    HELP_TEXT = (
        "This pane shows how the engine rates the selected note: its signals before and after decay, the best "
        "possible score for any query and how long it stays above the engine's thresholds, the next ageing events, "
        "and the note's place in the manifest, which is the overview of the tree that a model sees. Below are the "
        "notes that it links to and those that link to it; press {about.similar} to add the most similar notes. Press "
        "Enter to go to one of them."
    )
    TAKES_CLICK = True
    BINDINGS = bindings(ABOUT)

    @dataclass
    class SurroundingsWanted(Message):
        """Posted to request the surroundings of a note: links, coming changes and place in the manifest."""

        file: str

    @dataclass
    class SimilarWanted(Message):
        """Posted to request the notes most similar to ``file``."""

        file: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._has_surroundings = False

    @property
    def note(self) -> str:
        """The note under the cursor; empty if there is no note or its row is scrolled out of view."""
        branch = self._branch(self.path)
        row = self.owner.index(self.cursor) if self.cursor in self.owner else -1
        is_seen = self.offset_row <= row < self.offset_row + self.rows
        return self.path if is_seen and branch is not None and branch.maturity else ""

    @property
    def path(self) -> str:
        """The path of the row under the cursor."""
        return self.chosen.partition(_SEPARATOR)[2]

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines again; the cursor may stay out of view, since the text is read from the top."""
        Pane.rebuild(self, force)

    def update(self, view: View) -> None:
        """Shows ``view``; scrolls to the top for another note, and to the similar notes when they arrive."""
        if view.selection.file != self.view.selection.file:
            self.offset_row = self.cursor = 0
        before, similar = self.view.note.similar, view.note.similar
        super().update(view)
        if similar is not None and similar is not before and similar.path == view.selection.file:
            first = next((place for place, one in enumerate(self.choices) if one.startswith(_LIKE)), None)
            if first is not None:
                self.move_to(first)
            self.scroll_to_row(len(self.owner) if first is None else self.owner.index(first) - 1)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns lines with the facts about the note that have been read so far."""
        before = self.chosen if self._has_surroundings else ""
        self.choices, self.owner = [], []
        if not view.selection.file:
            return wrapped(view.worded("facts about a note, its links, and similar notes"), width)
        page, around = view.note.page, view.note.around
        result: list[Line] = []
        if page is not None and page.path == view.selection.file:
            result += self._head(page, width)
        if page is not None and page.path == view.selection.file and page.state == GONE:
            message = GONE_TEXT if page.text else page.problem
            return [*wrapped(f"{self.glyphs.warn} {message}", width, "warn"), *result]
        surroundings = around if around is not None and around.path == view.selection.file else None
        self._has_surroundings = surroundings is not None
        if view.project.saved:
            return [*result, *wrapped(_OF_A_TRACE, width)]
        if not view.kind.has_files:
            return [*result, *wrapped(_OF_CODE, width), *self._speaking(surroundings, width)]
        result += self._coming(surroundings, width) + self._manifest(surroundings, width)
        self.owner = [-1] * len(result)
        for lines, choice in (*self._links(surroundings, width), *self._similar_notes(view, width)):
            self.owner += [len(self.choices) if choice else -1] * len(lines)
            self.choices += [choice] if choice else []
            result += lines
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return result

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests the page and the surroundings of the selected note, unless they are up to date."""
        if view.selection.file and not is_current(view.note.page, view):
            yield NotePane.PageWanted(view.selection.file)
        if view.selection.file and not is_current(view.note.around, view):
            yield self.SurroundingsWanted(view.selection.file)

    def _head(self, page: About, width: int) -> list[Line]:
        branch = self._branch(page.path)
        row = Line().gap()
        if branch is not None:
            sign, role = sign_of(branch, self.glyphs, self.view.kind)
            row.add(f"{sign} ", role)
        lines = [row.add(page.title, "bold strong").cut(width), line(f" {cut_left(page.path, width - 2)}", "muted")]
        if branch is not None and branch.kind in KIND_WORDS:
            lines.append(line(f" {KIND_WORDS[branch.kind]}", "accent"))
        if not self.view.kind.has_maturity:
            return lines
        if page.aged is not None:
            lines += signals(page.aged, width, self.glyphs)
        if page.ceiling is not None:
            lines += ceiling_lines(page.ceiling, presentation(self.view.kind.native).decimals, width)
        return lines

    def _speaking(self, around: FileSurroundings | None, width: int) -> list[Line]:
        if around is None:
            return []
        lines = [rule(width, "notes that mention it", dash=self.glyphs.dash)]
        for note, written in around.speaking[:_MOST]:
            lines += [line(f" {part}", "text") for part in wrap(f"{note} mentions {written}", width - 2)]
        return lines if around.speaking else [*lines, line(" none", "muted")]

    def _coming(self, around: FileSurroundings | None, width: int) -> list[Line]:
        if around is None or around.standing is None:
            return []
        lines = [rule(width, "if nobody touches it", dash=self.glyphs.dash)]
        past = [coming.event.has_come for coming in around.coming if not coming.days]
        if past:
            lines += [line(f" {part}", "warn") for part in wrap(f"now: {', '.join(past)}", width - 2)]
        for coming in around.coming:
            if coming.days:
                sentence = f"{coming.event.happens} in {days(coming.days)}"
                lines += [line(f" {part}", "text") for part in wrap(sentence, width - 2)]
        if not around.coming:
            lines.append(line(" stays as it is", "muted"))
        return lines

    def _manifest(self, around: FileSurroundings | None, width: int) -> list[Line]:
        if around is None or self.view.kind.is_html:
            return []
        lines = [rule(width, "overview for a model", dash=self.glyphs.dash)]
        place = around.place
        if place is None:
            return [*lines, line(" it contains only Markdown files", "muted").cut(width)]
        return [*lines, *(line(f" {part}", "text") for part in wrap(place_words(place), width - 2))]

    # rows that can be selected

    def _links(self, around: FileSurroundings | None, width: int) -> Iterable[tuple[list[Line], str]]:
        if around is None:
            yield [rule(width, "links", dash=self.glyphs.dash), line(" reading the links of all notes…", "muted")], ""
            return
        to: dict[str, list[Resolved]] = {}
        for resolved in around.links:
            to.setdefault(resolved.path or resolved.link.target, []).append(resolved)
        yield [rule(width, f"links to {len(to)}", dash=self.glyphs.dash)], ""
        for target, links in islice(to.items(), _MOST):
            path = links[0].path
            how = ", ".join(dict.fromkeys(str(resolved.link.kind) for resolved in links))
            is_known = self._branch(path) is not None
            row = self._note_row(path, width, how) if is_known else self._broken_link(target, links[0], width)
            yield [row], f"to{_SEPARATOR}{path or target}"
        yield self._more(len(to))
        back: dict[str, list[str]] = {}
        for link in around.backlinks:
            back.setdefault(link.source, []).append(str(link.found.link.line))
        yield [rule(width, f"linked from {len(back)}", dash=self.glyphs.dash)], ""
        for source, numbers in islice(back.items(), _MOST):
            how = f"line {', '.join(numbers)}"
            yield [self._note_row(source, width, how)], f"from{_SEPARATOR}{source}"
        yield self._more(len(back))

    def _more(self, count: int) -> tuple[list[Line], str]:
        return ([line(f" … {count - _MOST} more", "muted")] if count > _MOST else []), ""

    def _broken_link(self, target: str, link: Resolved, width: int) -> Line:
        word = {"broken": "no such note", "refused": "outside", "foreign": "not a note"}.get(link.state, link.state)
        right = Line().add(word, "muted" if link.state == "foreign" else "bad")
        return (
            line(f" {self.glyphs.cross} ", "bad")
            .add(cut_left(target, width - 4 - right.width), "muted")
            .right(width, right)
        )

    def _note_row(self, path: str, width: int, how: str) -> Line:
        branch = self._branch(path)
        row = Line().gap()
        if branch is None or branch.is_folder:
            row.add(f"{self.glyphs.closed} ", "muted").add(path, "text")
        else:
            sign, role = sign_of(branch, self.glyphs, self.view.kind)
            row.add(f"{sign} ", role).add(branch.name, "text")
        return row.right(width, Line().add(how, "muted"))

    def _similar_notes(self, view: View, width: int) -> Iterable[tuple[list[Line], str]]:
        similar = view.note.similar
        yield [rule(width, "similar notes", dash=self.glyphs.dash)], ""
        if view.note.seeking_similar == view.selection.file:
            yield [line(" searching all notes…", "muted")], ""
        elif similar is None or similar.path != view.selection.file:
            hint = line(" press ", "muted").add(self.services.shown_key("about.similar"), "bold accent")
            yield hanging(hint.add(" in this pane to find similar notes", "muted"), width, 1), FIND_SIMILAR
        elif similar.problem or not similar.found:
            yield wrapped(similar.problem or "no other note shares words with it", width), ""
        else:
            for like in similar.found:
                row = self._note_row(like.path, width - _BAR - 1, "").to(width - _BAR)
                row.add(eighths(like.share, _BAR, self.glyphs), "bar")
                words = [line("   ").add(", ".join(like.words), "faint").cut(width)] if like.words else []
                yield [row, *words], f"{_LIKE}{like.path}"

    def _branch(self, path: str) -> Branch | None:
        return self.view.project.overview.branches.get(path) if self.view.project.overview is not None else None

    def words(self, choice: str, lines: object) -> str:
        """Returns the full title and path of a row."""
        path = choice.partition(_SEPARATOR)[2]
        branch = self._branch(path)
        return f"{branch.name}\n{path}" if branch is not None else path

    # actions

    def action_take(self) -> None:
        """Selects the note or folder under the cursor, or finds similar notes."""
        if self.chosen == FIND_SIMILAR:
            self.action_similar()
        elif self._branch(self.path) is not None:
            self.post_message(self.LinkFollowed(self.path))
        elif self.path:
            self.notify(f"this link does not lead to a note: {self.path}", severity="warning", timeout=4)

    def action_similar(self) -> None:
        """Requests the notes most similar to the selected one."""
        if self.view.selection.file:
            self.post_message(self.SimilarWanted(self.view.selection.file))
        else:
            self.services.notify(self.view.worded("select a note first"), timeout=4)


def place_words(place: ManifestPlace) -> str:
    """Returns the place of a file in the manifest as text, or the reason why it is not in the manifest."""
    if place.left_out:
        return f"not in it: {place.left_out}"
    abstract = ", with its abstract" if place.text_path != place.path else ""
    return f"{place.lane}: number {place.position} of {place.entries}, {plural(place.tokens or 0, 'token')}{abstract}"
