"""Saves the open note and handles changes to it on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from brvtui.app.arrangement import WIDE_WIDTH
from brvtui.app.contents import Edit, Effect
from brvtui.app.editing import note_saving, questions
from brvtui.app.editing.drafts import OpenDraft
from brvtui.app.editing.external_editor import ExternalEditor
from brvtui.app.editing.note_on_disk import OnDisk, read_again
from brvtui.app.editing.note_saving import NoteSaved, SaveConflict, SaveDoubt, SaveFailed, SaveResult
from brvtui.app.editing.open_note import OpenNote
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import CHANGED, GONE, EditorState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, Span, line, spread
from brvtui.paint.text import number, plural
from brvtui.tree.reading.files import Role, role_of

# The line above the text with the effects of saving.


_GENERATED = frozenset({Role.SUMMARY, Role.ABSTRACT, Role.OVERVIEW})
_WARNINGS = {
    CHANGED: ("CHANGED ON DISK", "another program has changed this note; {editor.save} shows both texts"),
    GONE: ("REMOVED ON DISK", "another program has removed or moved this note; {editor.save} asks what to do"),
}
_NEW = " a new note: {editor.save} writes it to disk"


class SavingLine(Lines):
    """Shows the modification time after saving, and its effect on the note's scores."""

    READS = (EditorState,)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a warning if the note has changed on disk or is generated, or else the effects of saving."""
        edit = view.editor.edit
        if edit is None:
            return [Line()]
        if edit.on_disk:
            title, what = _WARNINGS[edit.on_disk]
            return [
                line(f" {title} ", "bold badge-text on bad").gap().add(self.services.with_keys(what), "text").cut(width)
            ]
        if role_of(edit.path) in _GENERATED:
            what = "the engine generates this file from its notes and will overwrite your changes"
            return [line(" GENERATED ", "bold badge-text on warn").gap().add(what, "text").cut(width)]
        if edit.is_new:
            return [line(self.services.with_keys(_NEW), "muted").cut(width)]
        save, keep, problems = map(self.services.shown_key, ("editor.save", "editor.keep_mtime", "editor.problems"))
        groups = [(9, _time(edit, save, keep)), (8, _problems(edit, problems) if width < WIDE_WIDTH else [])]
        groups += [(7 - place, _effect(one, edit)) for place, one in enumerate(edit.check.effects)]
        return [spread(width, groups, 2)]


def _time(edit: Edit, save: str, keep: str) -> list[Span]:
    does, other = ("save with old time", "new") if edit.keep_mtime else ("save with new time", "old")
    role = "bold warn" if edit.keep_mtime else "text"
    switch = f" with {other} time"
    return [(f" {save}", "bold accent"), (f" {does}", role), (f"  {keep}", "bold accent"), (switch, "muted")]


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
        spans.append((f" ({'new' if edit.keep_mtime else 'old'} time: {number(other)})", "muted"))
    return spans


def _role(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return "bold strong"
    return "bold ok" if after > before else "bold bad"


_UNDECIDED = "<<<<<<<"


class NoteSaver:
    """Saves the open note, watches it on disk, and asks the user about conflicting changes."""

    def __init__(
        self,
        screen: FrameScreen,
        note: OpenNote,
        draft: OpenDraft,
        external: ExternalEditor,
        bring_to_front: Callable[[], object],
        leave: Callable[[], object],
        find: Callable[[str], object],
    ) -> None:
        """Creates a saver for ``note``.

        ``bring_to_front`` shows the screen, ``leave`` closes the note and returns to the previous screen, and ``find``
        selects the first match of its argument in the text.
        """
        self._screen = screen
        self._note = note
        self._draft = draft
        self._external = external
        self._bring_to_front = bring_to_front
        self._leave = leave
        self._find = find
        self.is_saving = False
        """True while the open note is being saved."""
        self._again = False
        """True if the user has asked to save again while a save is running."""
        self._after: Callable[[], object] | None = None
        self._offered_for: OnDisk | None = None
        """The unchanged note that saving again gives a new time."""

    def save(self, then: Callable[[], object] | None = None, is_agreed: bool = False) -> None:
        """Saves the text and, on success, calls ``then``. If a save is already running, saves again afterwards.

        Asks first if the text would damage the note, unless ``is_agreed``.
        """
        disk, edit = self._note.disk, self._note.edit
        if disk is None or edit is None:
            return
        if self.is_saving:
            self._again, self._after = True, then or self._after
            return
        data = self._note.data
        is_unchanged = data == disk.data and edit.on_disk != GONE
        if is_unchanged and (then is not None or edit.keep_mtime or self._offered_for is not disk):
            again = "" if edit.keep_mtime else "; save it again to give the note a new time"
            self._offered_for = disk
            self._screen.notify(f"nothing to save: the text is unchanged{again}", timeout=4)
            self.look_at_disk()
            if then is not None:
                then()
            return
        self.is_saving, self._after = True, then
        task = partial(note_saving.save, self._note.session, disk, data, edit.keep_mtime, is_agreed)
        ended = partial(self._save_ended, disk)
        self._screen.services.background.run(
            task, ended, group="save", on_error=lambda why: ended(SaveFailed(disk, data, why)), owner=self._screen
        )

    def _save_ended(self, before: OnDisk, result: SaveResult) -> None:
        if isinstance(result, NoteSaved):
            self._saved(before, result)
            return
        if isinstance(result, SaveConflict) and result.notice:
            self._screen.notify(result.notice, severity="warning", timeout=10)
        if before is not self._note.disk:
            self._set_aside(result)
        else:
            then = self._after
            self.forget()
            if isinstance(result, SaveDoubt):
                self._ask_to_damage(result, then)
                return
            if isinstance(result, SaveFailed):
                self._screen.notify(result.problem, severity="error", timeout=10)
                return
            if self._note.edit is not None:
                state = GONE if result.theirs.data is None else CHANGED
                self._note.show(replace(self._note.edit, on_disk=state))
            self.resolve(result)

    def _saved(self, before: OnDisk, saved: NoteSaved) -> None:
        for notice in saved.notices:
            self._screen.notify(notice, severity="warning", timeout=10)
        self._screen.notify(f"saved {saved.disk.path}", timeout=4)
        if saved.keeps_time and self._screen.view.presentation.caches:
            self._screen.notify(f"saved; {self._screen.services.with_keys(note_saving.KEPT_TIME)}", timeout=8)
        self._note.project.follow(after_save=True)
        if before is not self._note.disk:
            return
        if before.data is None:
            self._screen.services.select(saved.disk.path)
        then, again = self._after, self._again
        self.forget()
        self._note.rebase(saved.disk)
        if again and self._note.is_dirty:
            self.save(then)
        elif then is not None:
            then()

    def _ask_to_damage(self, doubt: SaveDoubt, then: Callable[[], object] | None) -> None:
        self._bring_to_front()

        def answered(answer: str | None) -> None:
            if answer == questions.SAVE:
                self.save(then, is_agreed=True)

        self._screen.app.push_screen(questions.DamageDialog(doubt.problem), answered)

    def _set_aside(self, unsaved: SaveConflict | SaveFailed | SaveDoubt) -> None:
        """Keeps unsaved text as a draft after its note was closed, and shows why the text was not saved."""
        path = unsaved.disk.path
        why = unsaved.problem if isinstance(unsaved, SaveFailed | SaveDoubt) else note_saving.changed_meanwhile(path)
        self._external.set_aside(why, unsaved.disk, unsaved.data)

    def forget(self) -> None:
        """Ignores the result of any running save, and drops the requests that wait for it."""
        self.is_saving = self._again = False
        self._after = None

    # conflicts: the note has changed on disk since it was read

    def resolve(self, conflict: SaveConflict) -> None:
        """Asks the user which text to keep: the edited text or the text on disk."""
        self._bring_to_front()
        path = conflict.theirs.path
        if conflict.theirs.data is None:
            moved = conflict.moved.path if conflict.moved is not None else ""
            self._screen.app.push_screen(questions.GoneDialog(path, moved), lambda answer: self._gone(answer, conflict))
            return
        paragraphs = [f"{path} has changed on disk since you opened it."]
        if conflict.merged is None:
            paragraphs = [f"{path} has changed on disk since you opened it, and can no longer be edited here"]
            paragraphs[0] += f" ({conflict.problem})."
        elif conflict.undecided:
            places = plural(conflict.undecided, "place")
            paragraphs.append(
                f"Both versions changed the same or neighbouring lines. If you merge them, you decide {places}."
            )
        dialog = questions.ConflictDialog(paragraphs, conflict.hunks if conflict.merged is not None else None)
        self._screen.app.push_screen(dialog, lambda answer: self._resolved(answer, conflict))

    def _gone(self, answer: str | None, conflict: SaveConflict) -> None:
        if conflict.disk is not self._note.disk:
            self._set_aside(conflict)
        elif answer == questions.AGAIN:
            self._note.rebase(OnDisk(self._note.path, None, None))
            self.save()
        elif answer == questions.MOVED and conflict.moved is not None:
            self._move_to(conflict.moved)
            self.save()
        elif answer == questions.DROP:
            self._draft.drop()
            self._leave()

    def _move_to(self, disk: OnDisk) -> None:
        """Continues with ``disk``, the note at its new path, and moves the draft there."""
        before = self._note.path
        self._note.rebase(disk)
        self._draft.move_from(before)
        self._screen.services.select(disk.path)

    def _resolved(self, answer: str | None, conflict: SaveConflict) -> None:
        if conflict.disk is not self._note.disk:
            self._set_aside(conflict)
        elif answer == questions.MINE:
            self._note.rebase(conflict.theirs)
            self.save()
        elif answer == questions.THEIRS and self._note.put_data(conflict.theirs.data or b""):
            self._note.rebase(conflict.theirs)
        elif answer == questions.MERGED and self._note.put_data(conflict.merged or b""):
            self._note.rebase(conflict.theirs)
            if conflict.undecided:
                self._find(_UNDECIDED)
                message = f"{plural(conflict.undecided, 'place')} to decide: look for {_UNDECIDED}"
                self._screen.notify(message, timeout=8)

    def look_at_disk(self) -> None:
        """Checks if the note has changed on disk."""
        before = self._note.disk
        if before is not None:
            task, on_result = partial(read_again, self._note.session, before), partial(self._disk_seen, before)
            self._screen.services.background.run(task, on_result, group="disk", owner=self._screen)

    def _disk_seen(self, before: OnDisk, now: OnDisk) -> None:
        """Adopts the text of ``now`` if nothing is unsaved; otherwise shows that the note has changed on disk."""
        edit = self._note.edit
        if edit is None or before is not self._note.disk or self.is_saving:
            return
        if now is before:
            self._note.show(replace(edit, on_disk=""))
        elif self._note.is_dirty or edit.is_new:
            state = GONE if now.data is None else CHANGED
            if edit.on_disk != state:
                self._note.show(replace(edit, on_disk=state))
                became = "removed or moved" if state == GONE else "changed"
                message = f"{edit.path} was {became} on disk; your text is still here"
                self._screen.notify(message, severity="warning", timeout=8)
        elif now.data is None:
            self._screen.notify(
                f"{edit.path} was removed or moved on disk, so it was closed", severity="warning", timeout=8
            )
            self._leave()
        elif self._note.put_data(now.data):
            self._note.rebase(now)
            self._screen.notify(f"{edit.path} has changed on disk: this is its new text", timeout=4)
