"""The actions of dialogs."""

from __future__ import annotations

from brvtui.app.actions.action import AS_PICTURE, Action, Place, PlaceKind

DIALOG = Place("dialog", "Dialog", PlaceKind.DIALOG, (
    Action("dialog.back", "escape", "dismiss(None)", "back", "Leave the dialog without doing anything", bar=True),
    Action("dialog.help", "f1", "help", "help", "Help for what has the focus, and all keys of the dialog", first=True),
))  # fmt: skip

CHANGES = Place("changes", "Changes dialog", PlaceKind.DIALOG, (
    Action("changes.undo", "u", "dismiss('undo')", "undo the newest", "Undo what was done last", bar=True),
    Action("changes.redo", "U", "dismiss('redo')", "do again", "Do again the newest that was undone", bar=True),
), within=DIALOG)  # fmt: skip

COMMANDS = Place("commands", "Commands dialog", PlaceKind.DIALOG, (
    Action("commands.take", "enter", "take", "do it", "Do what is chosen", bar=True, first=True),
    Action("commands.next", "down", "step(1)", "next", "The next row", first=True),
    Action("commands.before", "up", "step(-1)", "before", "The row before", first=True),
    Action("commands.down", "pagedown", "page(1)", "page", "A page down", first=True),
    Action("commands.up", "pageup", "page(-1)", "page", "A page up", first=True),
), within=DIALOG)  # fmt: skip

CONFLICT = Place("conflict", "Conflict dialog", PlaceKind.DIALOG, (
    Action("conflict.mine", "m", "dismiss('mine')", "keep mine", "Save my text over the one on disk", bar=True),
    Action("conflict.theirs", "t", "dismiss('theirs')", "take theirs",
           "Take the text on disk; ^Z in the text brings mine back", bar=True),
    Action("conflict.merged", "e", "dismiss('merged')", "edit merged", "Edit both merged; nothing is saved yet",
           bar=True),
), within=DIALOG)  # fmt: skip

DAMAGE = Place("damage", "Damage dialog", PlaceKind.DIALOG, (
    Action("damage.save", "s", "dismiss('save')", "save anyway", "Save the text as it is, although it damages the note",
           bar=True),
), within=DIALOG)  # fmt: skip

DRAFT = Place("draft", "Draft dialog", PlaceKind.DIALOG, (
    Action("draft.take", "m", "dismiss('take')", "take mine", "Edit the draft; nothing is saved yet", bar=True),
    Action("draft.drop", "d", "dismiss('drop')", "drop mine", "Throw the draft away; the note stays as it is on disk",
           bar=True),
), within=DIALOG)  # fmt: skip

FIELD = Place("field", "Field dialog", PlaceKind.DIALOG, (
    Action("field.keep", "enter", "keep", "use it", "Use what is typed", bar=True, first=True),
), within=DIALOG)  # fmt: skip

GONE = Place("gone", "Gone dialog", PlaceKind.DIALOG, (
    Action("gone.again", "m", "dismiss('again')", "keep mine", "Write the note again, with my text", bar=True),
    Action("gone.moved", "f", "dismiss('moved')", "save it there", "Save my text where the note is now",
           bar=True),
    Action("gone.drop", "d", "dismiss('drop')", "drop mine", "Close the editor; the note stays removed", bar=True),
), within=DIALOG)  # fmt: skip

GRADE = Place("grade", "Grade dialog", PlaceKind.DIALOG, (
    Action("grade.3", "3", "dismiss(3)", "about it", "What the query is about: it should come first", bar=True),
    Action("grade.2", "2", "dismiss(2)", "relevant", "Relevant: it answers part of the query", bar=True),
    Action("grade.1", "1", "dismiss(1)", "related", "Related: it may be found", bar=True),
    Action("grade.0", "0", "dismiss(0)", "irrelevant", "Irrelevant: it should not be found", bar=True),
    Action("grade.none", "d,delete", "dismiss(-1)", "no grade", "Take its grade away", bar=True),
), within=DIALOG)  # fmt: skip

JUMP = Place("jump", "Jump screen", PlaceKind.DIALOG, (
    Action("jump.leave", "escape,ctrl+o", "dismiss(None)", "leave", "Leave without a jump", bar=True),
))  # fmt: skip

LEAVING = Place("leaving", "Leaving dialog", PlaceKind.DIALOG, (
    Action("leaving.save", "s", "dismiss('save')", "save", "Save the text, then leave", bar=True),
    Action("leaving.discard", "d", "dismiss('discard')", "discard", "Leave without the text; its draft is dropped too",
           bar=True),
    Action("leaving.keep", "k", "dismiss('keep')", "keep it open",
           "Leave the text as it is; the status line leads back to it", bar=True),
), within=DIALOG)  # fmt: skip

MEMORY = Place("memory", "Memory dialog", PlaceKind.DIALOG, (
    Action("memory.tree", "t", "dismiss('tree')", "context tree", "Open the notes of the context tree", bar=True),
    Action("memory.space", "s", "dismiss('space')", "space", "Open the topics of the space", bar=True),
), within=DIALOG)  # fmt: skip

MESSAGE = Place("message", "Message screen", PlaceKind.DIALOG, (
    Action("modal.close", "escape,q,f1,question_mark,enter", "dismiss(None)", "close", "Close this", bar=True),
))  # fmt: skip

NEW_NOTE = Place("new note", "New note dialog", PlaceKind.DIALOG, (
    Action("new.begin", "enter", "begin", "begin it", "Open the editor on the new note", bar=True, first=True),
), within=DIALOG)  # fmt: skip

PERMISSION = Place("permission", "Permission dialog", PlaceKind.DIALOG, (
    Action("permission.allow", "y", "dismiss('allow')", "allow it", "Let runs of this session ask the model", bar=True),
    Action("permission.without", "n", "dismiss('not now')", "run without", "Run this query without the model",
           bar=True),
), within=DIALOG)  # fmt: skip

PLAN = Place("plan", "Plan dialog", PlaceKind.DIALOG, (
    Action("plan.do", "enter", "carry_out", "do it", "Do what is shown", bar=True, first=True),
), within=DIALOG)  # fmt: skip

SWEEP = Place("sweep", "Sweep dialog", PlaceKind.DIALOG, (
    Action("sweep.picture", "v", "save_picture", "as SVG",
           f"Save the picture {AS_PICTURE}", bar=True),
), within=DIALOG)  # fmt: skip

VERSIONS = Place("versions", "Installed engine dialog", PlaceKind.DIALOG, (
    Action("versions.verify", "v", "dismiss('verify')", "verify it", "Ask it the same questions, in the background",
           bar=True),
    Action("versions.migrate", "m", "dismiss('migrate')", "from 3 to 4",
           "What a migration to ByteRover V4 would change", bar=True),
), within=DIALOG)  # fmt: skip

VARIANTS = Place("variants", "Column dialog", PlaceKind.DIALOG, (
    Action("variants.take", "enter", "take", "add it", "Add the column that is chosen", bar=True, first=True),
    Action("variants.next", "down", "step(1)", "next", "The next row", first=True),
    Action("variants.before", "up", "step(-1)", "before", "The row before", first=True),
), within=DIALOG)  # fmt: skip
