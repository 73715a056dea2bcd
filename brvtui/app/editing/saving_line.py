"""The line above the text that says what saving does."""

from __future__ import annotations

from brvtui.app.arrangement import WIDE_WIDTH
from brvtui.app.contents import Edit, Effect
from brvtui.app.states import CHANGED, GONE, EditorState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, Span, line, spread
from brvtui.paint.text import number, plural
from brvtui.tree.reading.files import Role, role_of

_GENERATED = frozenset({Role.SUMMARY, Role.ABSTRACT, Role.OVERVIEW})
_SAID = {
    CHANGED: ("CHANGED ON DISK", "another program changed this note; {editor.save} shows both texts"),
    GONE: ("REMOVED ON DISK", "another program removed or moved this note; {editor.save} asks what to do"),
}
_NEW = " a new note: nothing is on disk until {editor.save}"


class SavingLine(Lines):
    """Says which modification time the file will have, and how that changes the note's scores."""

    READS = (EditorState,)

    def build(self, view: View, width: int) -> list[Line]:
        """A warning that the note changed on disk, or the effects of saving."""
        edit = view.editor.edit
        if edit is None:
            return [Line()]
        if edit.on_disk:
            title, what = _SAID[edit.on_disk]
            return [
                line(f" {title} ", "bold badge-text on bad").gap().add(self.services.with_keys(what), "text").cut(width)
            ]
        if role_of(edit.path) in _GENERATED:
            what = "the engine makes this file from its notes, and overwrites what is written here"
            return [line(" GENERATED ", "bold badge-text on warn").gap().add(what, "text").cut(width)]
        if edit.is_new:
            return [line(self.services.with_keys(_NEW), "muted").cut(width)]
        save, keep, problems = map(self.services.shown_key, ("editor.save", "editor.keep_mtime", "editor.problems"))
        groups = [(9, _time(edit, save, keep)), (8, _problems(edit, problems) if width < WIDE_WIDTH else [])]
        groups += [(7 - place, _effect(one, edit)) for place, one in enumerate(edit.check.effects)]
        return [spread(width, groups, 2)]


def _time(edit: Edit, save: str, keep: str) -> list[Span]:
    does, instead = ("keeps its time", "new time") if edit.keep_mtime else ("new time", "keep its time")
    role = "bold warn" if edit.keep_mtime else "text"
    return [(f" {save}", "bold accent"), (f" {does}", role), (f"  {keep}", "bold accent"), (f" {instead}", "muted")]


def _problems(edit: Edit, key: str) -> list[Span]:
    count = len(edit.check.problems)
    return [(f"{key} ", "bold accent"), (plural(count, "problem"), "bad")] if count else []


def _effect(effect: Effect, edit: Edit) -> list[Span]:
    after = effect.kept if edit.keep_mtime else effect.saved
    other = effect.saved if edit.keep_mtime else effect.kept
    spans: list[Span] = [(f"{effect.name} ", "muted"), (number(effect.now), "text")]
    if number(after) != number(effect.now):
        spans += [(" → ", "muted"), (number(after), _role(effect.now, after))]
    if number(other) != number(after):
        spans.append((f" ({'new' if edit.keep_mtime else 'kept'} {number(other)})", "muted"))
    return spans


def _role(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return "bold strong"
    return "bold ok" if after > before else "bold bad"
