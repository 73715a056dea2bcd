"""The actions of dialogs."""

from __future__ import annotations

from brvtui.app.actions.action import AS_PICTURE, Action, Place, PlaceKind

DIALOG = Place("dialog", "Dialog", PlaceKind.DIALOG, (
    Action("dialog.back", "escape", "dismiss(None)", "back", "Close the dialog without changing anything", bar=True),
    Action("dialog.help", "f1", "help", "help", "Help for the focused control, and all keys in the dialog", first=True),
))  # fmt: skip

CHANGES = Place("changes", "Changes dialog", PlaceKind.DIALOG, (
    Action("changes.undo", "u", "dismiss('undo')", "undo latest", "Undo the latest change", bar=True),
    Action("changes.redo", "U", "dismiss('redo')", "redo", "Redo the most recently undone change", bar=True),
), within=DIALOG)  # fmt: skip

COMMANDS = Place("commands", "Commands dialog", PlaceKind.DIALOG, (
    Action("commands.take", "enter", "take", "run", "Run the selected command", bar=True, first=True),
    Action("commands.next", "down", "step(1)", "next", "Next row", first=True),
    Action("commands.before", "up", "step(-1)", "before", "Previous row", first=True),
    Action("commands.down", "pagedown", "page(1)", "page", "One page down", first=True),
    Action("commands.up", "pageup", "page(-1)", "page", "One page up", first=True),
), within=DIALOG)  # fmt: skip

CONFLICT = Place("conflict", "Conflict dialog", PlaceKind.DIALOG, (
    Action("conflict.mine", "m", "dismiss('mine')", "keep mine", "Replace the text on disk with mine", bar=True),
    Action("conflict.theirs", "t", "dismiss('theirs')", "take theirs",
           "Use the text on disk; ^Z in the editor restores mine", bar=True),
    Action("conflict.merged", "e", "dismiss('merged')", "edit merge", "Edit a merge of both; nothing is saved yet",
           bar=True),
), within=DIALOG)  # fmt: skip

DAMAGE = Place("damage", "Damage dialog", PlaceKind.DIALOG, (
    Action("damage.back", "b", "dismiss(None)", "back to the text", "Go back to the text; nothing is saved",
           bar=True),
    Action("damage.save", "s", "dismiss('save')", "save anyway",
           "Save the text as it is, even though this damages the note",
           bar=True),
), within=DIALOG)  # fmt: skip

DRAFT = Place("draft", "Draft dialog", PlaceKind.DIALOG, (
    Action("draft.take", "m", "dismiss('take')", "use mine", "Edit the draft; nothing is saved yet", bar=True),
    Action("draft.drop", "d", "dismiss('drop')", "discard mine", "Discard the draft; the note on disk stays as it is",
           bar=True),
), within=DIALOG)  # fmt: skip

EARLIER_ANSWER = Place("earlier answer", "Earlier answer dialog", PlaceKind.DIALOG, (
    Action("earlier.before", "enter", "dismiss(False)", "before edits",
           "Judge based on the answer before the edits: it was right", bar=True, first=True),
    Action("earlier.now", "n", "dismiss(True)", "now", "Judge based on the current answer: it is right", bar=True),
), within=DIALOG)  # fmt: skip

FIELD = Place("field", "Field dialog", PlaceKind.DIALOG, (
    Action("field.keep", "enter", "keep", "use", "Use the typed value", bar=True, first=True),
), within=DIALOG)  # fmt: skip

GONE = Place("gone", "Gone dialog", PlaceKind.DIALOG, (
    Action("gone.again", "m", "dismiss('again')", "keep mine", "Create the note again with my text", bar=True),
    Action("gone.moved", "f", "dismiss('moved')", "save there", "Save my text to the note's new path",
           bar=True),
    Action("gone.drop", "d", "dismiss('drop')", "discard mine", "Close the editor; the note stays removed", bar=True),
), within=DIALOG)  # fmt: skip

GRADE = Place("grade", "Grade dialog", PlaceKind.DIALOG, (
    Action("grade.3", "3", "dismiss(3)", "top answer", "Top answer: it should come first", bar=True),
    Action("grade.2", "2", "dismiss(2)", "relevant", "Relevant: it answers part of the query", bar=True),
    Action("grade.1", "1", "dismiss(1)", "related", "Related: it may be among the results", bar=True),
    Action("grade.0", "0", "dismiss(0)", "irrelevant", "Irrelevant: it should not be among the results", bar=True),
    Action("grade.none", "d,delete", "dismiss(-1)", "no grade", "Remove the note's grade", bar=True),
), within=DIALOG)  # fmt: skip

JUMP = Place("jump", "Jump screen", PlaceKind.DIALOG, (
    Action("jump.leave", "escape,ctrl+o", "dismiss(None)", "leave", "Close without jumping", bar=True),
))  # fmt: skip

LEAVING = Place("leaving", "Leaving dialog", PlaceKind.DIALOG, (
    Action("leaving.save", "s,ctrl+s", "dismiss('save')", "save", "Save the text and close the editor", bar=True),
    Action("leaving.discard", "d", "dismiss('discard')", "discard",
           "Close the editor and discard the text and its draft",
           bar=True),
    Action("leaving.keep", "k", "dismiss('keep')", "keep open",
           "Leave the text unsaved; the status line takes you back to it", bar=True),
), within=DIALOG)  # fmt: skip

MEMORY = Place("memory", "Memory dialog", PlaceKind.DIALOG, (
    Action("memory.tree", "t", "dismiss('tree')", "context tree", "Open the notes of the context tree", bar=True),
    Action("memory.space", "s", "dismiss('space')", "space", "Open the topics of the space", bar=True),
), within=DIALOG)  # fmt: skip

PLAN = Place("plan", "Plan dialog", PlaceKind.DIALOG, (
    Action("plan.do", "enter", "carry_out", "run", "Make the changes shown", bar=True, first=True),
), within=DIALOG)  # fmt: skip

MERGE = Place("merge", "Merge dialog", PlaceKind.DIALOG, (
    Action("merge.text", "t", "switch_text", "one or both texts",
           "Keep only the text of the chosen note, or join both texts", bar=True),
), within=PLAN)  # fmt: skip

MESSAGE = Place("message", "Message screen", PlaceKind.DIALOG, (
    Action("modal.close", "escape,q,f1,question_mark,enter", "dismiss(None)", "close", "Close this message", bar=True),
))  # fmt: skip

NEW_NOTE = Place("new note", "New note dialog", PlaceKind.DIALOG, (
    Action("new.begin", "enter", "begin", "begin", "Open the new note in the editor", bar=True, first=True),
), within=DIALOG)  # fmt: skip

PERMISSION = Place("permission", "Permission dialog", PlaceKind.DIALOG, (
    Action("permission.without", "n", "dismiss('not now')", "run without", "Run this query without the model",
           bar=True),
    Action("permission.allow", "y", "dismiss('allow')", "allow",
           "Allow runs to call the model in this session", bar=True),
), within=DIALOG)  # fmt: skip

SWEEP = Place("sweep", "Sweep dialog", PlaceKind.DIALOG, (
    Action("sweep.picture", "v", "save_picture", "as SVG",
           f"Save the picture {AS_PICTURE}", bar=True),
), within=DIALOG)  # fmt: skip

VERSIONS = Place("versions", "Installed engine dialog", PlaceKind.DIALOG, (
    Action("versions.verify", "v", "dismiss('verify')", "verify", "Send the engine the same queries, in the background",
           bar=True),
    Action("versions.migrate", "m", "dismiss('migrate')", "3 to 4",
           "Show what a migration to ByteRover V4 would change", bar=True),
), within=DIALOG)  # fmt: skip

VARIANTS = Place("variants", "Column dialog", PlaceKind.DIALOG, (
    Action("variants.take", "enter", "take", "add", "Add the selected column", bar=True, first=True),
    Action("variants.next", "down", "step(1)", "next", "Next row", first=True),
    Action("variants.before", "up", "step(-1)", "before", "Previous row", first=True),
), within=DIALOG)  # fmt: skip
