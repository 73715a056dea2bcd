"""The actions of each pane and field."""

from __future__ import annotations

from brvtui.app.actions.action import AS_PICTURE, Action, Need, Place, PlaceKind
from brvtui.app.actions.everywhere import EVERY_PANE

ABOUT = Place("about", "About", PlaceKind.PANE, (
    Action("about.take", "enter", "take", "go to", "Go to the note", bar=True),
    Action("about.similar", "f", "similar", "find similar", "Find the notes most similar to this note", bar=True),
), within=EVERY_PANE, screens=("notes",), needs=Need.PROJECT)  # fmt: skip

AGEING = Place("ageing", "Ageing", PlaceKind.PANE, (
    Action("ageing.more", "l,right", "times(1)", "what if +1", "What if the note had one more access hit?", bar=True),
    Action("ageing.less", "h,left", "times(-1)", "what if −1", "What if the note had one fewer access hit?", bar=True),
), within=EVERY_PANE, screens=("maturity",), needs=Need.PROJECT)  # fmt: skip

ANSWER = Place("answer", "Answer", PlaceKind.PANE, (
    Action("answer.next", "l,right", "tab(1)", "next tab", "Next tab", bar=True),
    Action("answer.before", "h,left", "tab(-1)", "previous tab", "Previous tab"),
), within=EVERY_PANE, screens=("query",))  # fmt: skip

DRAFTS = Place("drafts", "Drafts", PlaceKind.PANE, (
    Action("drafts.take", "enter", "take", "look",
           "Compare the draft with its note, then use or discard it", bar=True),
), within=EVERY_PANE)  # fmt: skip

FLEET_FIELD = Place("fleet field", "Question", PlaceKind.FIELD, (
    Action("fleet.ask", "enter", "screen.ask", "ask", "Run the query at once and go to its results",
           bar=True, first=True),
    Action("fleet.down", "down", "screen.pane('results')", "results", "Go to the results", bar=True, first=True),
), screens=("fleet",), needs=Need.FLEET)  # fmt: skip

FLEET_MEMBERS = Place("fleet members", "Members", PlaceKind.PANE, (
    Action("fleet_members.open", "enter", "take", "open", "Open the member's memory and run the query there", bar=True),
    Action("fleet_members.order", "S", "order", "order",
           "Sort members: as listed, by state, or by number of notes", bar=True),
), within=EVERY_PANE, screens=("fleet",), needs=Need.FLEET)  # fmt: skip

FLEET_RESULTS = Place("fleet results", "Results", PlaceKind.PANE, (
    Action("fleet_results.open", "enter", "take", "open", "Open the result in the memory it comes from", bar=True),
), within=EVERY_PANE, screens=("fleet",), aside="of a fleet", needs=Need.FLEET)  # fmt: skip

FINDINGS = Place("findings", "Findings", PlaceKind.PANE, (
    Action("health.open", "enter", "take", "open", "Show the note on the Notes screen; for a gap, start the note",
           bar=True),
    Action("health.merge", "c", "screen.replace(True)", "merge",
           "Merge the notes of this finding, or of each marked one, into one note", bar=True, needs=Need.TREE),
    Action("health.supersede", "S", "screen.replace(False)", "superseded",
           "Archive the older note of this finding, or of each marked one, and link it from the newer note",
           bar=True, needs=Need.TREE),
    Action("health.retitle", "r", "app.retitle_note", "retitle", "Change the note's title", bar=True,
           needs=Need.TREE),
    Action("health.ignore", "d,delete", "screen.ignore", "ignore", "Ignore this finding, or restore an ignored one",
           bar=True),
), within=EVERY_PANE, screens=("health",), needs=Need.PROJECT)  # fmt: skip

FIND = Place("find", "Find", PlaceKind.FIELD, (
    Action("find.next", "enter,down", "step(1)", "next", "Next match", bar=True),
    Action("find.before", "up", "step(-1)", "before", "Previous match", bar=True),
), screens=("edit",))  # fmt: skip

GRAPH = Place("graph", "Graph", PlaceKind.PANE, (
    Action("graph.walk", "enter,l,right", "walk", "go there", "Move the neighbour under the cursor to the centre",
           bar=True),
    Action("graph.back", "backspace,h,left", "retrace", "go back", "Go back to the previous centre", bar=True),
    Action("graph.picture", "v", "save_picture", "as SVG",
           f"Save the drawing {AS_PICTURE}", bar=True),
), within=EVERY_PANE, screens=("query",), needs=Need.GRAPH | Need.ANSWER)  # fmt: skip

JUDGED = Place("judged", "Judged queries", PlaceKind.PANE, (
    Action("judged.take", "enter", "take", "ask", "Run this query on the Query screen", bar=True),
    Action("judged.right", "l,right", "column(1)", "right", "Next column", bar=True),
    Action("judged.left", "h,left", "column(-1)", "left", "Previous column"),
    Action("judged.order", "S", "order", "order", "Sort worst first, in file order or lowest first", bar=True),
    Action("judged.metric", "f", "metric(1)", "metric", "Next metric", bar=True),
    Action("judged.metric_before", "F", "metric(-1)", "metric", "Previous metric"),
    Action("judged.remove", "d,delete", "remove", "remove column", "Remove the column", bar=True),
    Action("judged.unjudge", "backspace", "unjudge", "unjudge", "Remove the query from the judged queries"),
), within=EVERY_PANE, screens=("lab",), needs=Need.PROJECT)  # fmt: skip

WHAT_IF = Place("what if", "What if", PlaceKind.PANE, (
    Action("whatif.more", "l,right", "step(1)", "more", "One step up, or the next choice", bar=True),
    Action("whatif.less", "h,left", "step(-1)", "less", "One step down, or the previous choice", bar=True),
    Action("whatif.much_more", "right_curly_bracket", "step(10)", "much more", "Ten steps up"),
    Action("whatif.much_less", "left_curly_bracket", "step(-10)", "much less", "Ten steps down"),
    Action("whatif.type", "enter", "type", "type", "Type a value", bar=True),
    Action("whatif.restore", "d,delete", "restore", "reset", "Reset the value", bar=True),
    Action("whatif.reset", "0", "reset", "reset all", "Reset all values", bar=True),
    Action("whatif.sweep", "o", "sweep", "sweep", "Draw the metric over the constant's whole range", bar=True),
    Action("whatif.sweep_two", "O", "sweep(True)", "sweep two",
           "Sweep it together with the previously swept constant: a heat map"),
    Action("whatif.keep", "K", "keep", "as profile", "Save the constants as your own profile", bar=True),
), within=EVERY_PANE, screens=("lab",), needs=Need.PROJECT)  # fmt: skip

LOG_LIST = Place("log list", "Log", PlaceKind.PANE, (
    Action("log.take", "enter", "take", "to Query", "Take the query to the Query screen", bar=True),
    Action("log.follow", "f", "screen.follow", "follow",
           "Start or stop explaining each query as the engine logs it", bar=True),
    Action("log.uncovered", "c", "uncovered", "not covered", "Show only queries that were not covered", bar=True),
    Action("log.lost", "d", "screen.delivery", "delivery",
           "Let brv-tui read transcripts; after that, show only answers that did not reach the agent, or all queries",
           bar=True),
    Action("log.judge", "J", "screen.judge", "right", "Judge the query's current answer as right", bar=True),
), within=EVERY_PANE, screens=("log",), needs=Need.PROJECT)  # fmt: skip

COLUMN = Place("column", "Maturity", PlaceKind.PANE, (
    Action("board.order", "S", "screen.order(1)", "order", "Sort notes by the next criterion", bar=True),
    Action("board.right", "l,right", "screen.beside(1)", "right", "Next column"),
    Action("board.left", "h,left", "screen.beside(-1)", "left", "Previous column"),
    Action("board.details", "enter", "details", "details",
           "Show how the note ages, and what hits or updates would change",
           bar=True),
), within=EVERY_PANE, screens=("maturity",), needs=Need.PROJECT)  # fmt: skip

NOTE = Place("note", "Note", PlaceKind.PANE, (
    Action("note.follow", "enter", "follow", "follow", "Follow the link", bar=True),
    Action("note.next_link", "right_square_bracket", "link(1)", "next link", "Next link", bar=True),
    Action("note.link_before", "left_square_bracket", "link(-1)", "", "Previous link"),
    Action("note.fields", "f", "fields", "frontmatter", "Show or fold the frontmatter", bar=True),
    Action("note.raw", "r", "raw", "raw", "Switch between rendered and raw text", bar=True),
), within=EVERY_PANE, screens=("notes",), needs=Need.PROJECT)  # fmt: skip

OPTIONS = Place("options", "Options", PlaceKind.FIELD, (
    Action("options.next", "right,l", "choose(1)", "next option", "Next option", bar=True),
    Action("options.before", "left,h", "choose(-1)", "previous option", "Previous option"),
))  # fmt: skip

PROBLEMS = Place("problems", "Problems", PlaceKind.PANE, (
    Action("problems.line", "enter", "take", "go to line", "Go to the line with the problem", bar=True),
), within=EVERY_PANE, screens=("edit",))  # fmt: skip

QUERY_FIELD = Place("query field", "Query", PlaceKind.FIELD, (
    Action("query.run", "enter", "screen.run_and_go", "run",
           "Run the query as the engine would, and go to its results", bar=True, first=True),
    Action("query.earlier", "up", "history(-1)", "history", "Previous query in the history", bar=True),
    Action("query.later", "down", "history(1)", "later", "Next query in the history"),
), screens=("query",), needs=Need.PROJECT)  # fmt: skip

MIGRATION = Place("migration", "From 3 to 4", PlaceKind.PANE, (
    Action("migration.take", "enter,l,right", "take", "read", "Go to the text beside the list", bar=True),
), within=EVERY_PANE)  # fmt: skip

MIGRATED = Place("migrated", "Before and after", PlaceKind.PANE, (
    Action("migrated.back", "h,left", "back", "the list", "Go back to the list", bar=True),
), within=EVERY_PANE)  # fmt: skip

REMEDIES = Place("remedies", "What would help", PlaceKind.PANE, (
    Action("remedies.take", "enter", "take", "go there", "Go to the place where you can make the change", bar=True),
    Action("remedies.tab", "l,right,h,left", "tab", "raise/lower", "Switch between raising and lowering the note",
           bar=True),
), within=EVERY_PANE)  # fmt: skip

RESULTS = Place("results", "Results", PlaceKind.PANE, (
    Action("results.open", "enter", "take", "note text", "Show the note's text", bar=True),
    Action("results.judge", "J", "app.judge", "judge",
           "Grade the note for this query, for the Lab: 0 to 3, or d for no grade", needs=Need.PROJECT),
    Action("feedback.accepted", "r", "app.feedback('accepted')", "useful", "Give feedback: the note was useful",
           needs=Need.PROJECT | Need.LEARNING),
    Action("feedback.modified", "f", "app.feedback('modified')", "after changes", "Give feedback: useful after changes",
           needs=Need.PROJECT | Need.LEARNING),
    Action("feedback.dismissed", "d", "app.feedback('dismissed')", "not useful",
           "Give feedback: the note was not useful", needs=Need.PROJECT | Need.LEARNING),
), within=EVERY_PANE, screens=("query",), needs=Need.RESULT)  # fmt: skip

RETRY = Place("retry", "Retry", PlaceKind.PANE, (
    Action("retry.take", "enter", "take", "results", "Show the results of this row; on a result, its text", bar=True),
    Action("retry.open", "l,right", "unfold", "open", "Show the results of this row"),
    Action("retry.close", "h,left", "fold", "close", "Hide the results of this row"),
), within=EVERY_PANE, screens=("query",), needs=Need.ANSWER)  # fmt: skip

ROUTE = Place("route", "Route", PlaceKind.PANE, (
    Action("route.takes", "v", "counterfactuals", "without model",
           "Find the smallest changes that would make a model unnecessary",
           bar=True, needs=Need.TIERS),
), within=EVERY_PANE, screens=("query",), needs=Need.PROJECT)  # fmt: skip

SETTINGS_LIST = Place("settings list", "Settings", PlaceKind.PANE, (
    Action("settings.change", "enter", "change(1)", "change", "Change the setting, or type a value", bar=True),
    Action("settings.next", "l,right", "step(1)", "next value", "Next value"),
    Action("settings.before", "h,left", "step(-1)", "previous value", "Previous value"),
    Action("settings.default", "delete,d", "restore", "default", "Reset the setting to its default", bar=True),
), within=EVERY_PANE, screens=("settings",))  # fmt: skip

TEXT = Place("text", "Text", PlaceKind.FIELD, (
    Action("text.up", "up", "cursor_up", "up", "One line up"),
    Action("text.down", "down", "cursor_down", "down", "One line down"),
    Action("text.left", "left", "cursor_left", "left", "One character to the left"),
    Action("text.right", "right", "cursor_right", "right", "One character to the right"),
    Action("text.word_left", "ctrl+left", "cursor_word_left", "word left", "One word to the left"),
    Action("text.word_right", "ctrl+right", "cursor_word_right", "word right", "One word to the right"),
    Action("text.line_start", "home,ctrl+a", "cursor_line_start", "line start", "Go to the start of the line"),
    Action("text.line_end", "end,ctrl+e", "cursor_line_end", "line end", "Go to the end of the line"),
    Action("text.page_up", "pageup", "cursor_page_up", "page up", "A page up"),
    Action("text.page_down", "pagedown", "cursor_page_down", "page down", "A page down"),
    Action("text.start", "ctrl+home", "text_start", "start", "Go to the start of the text"),
    Action("text.end", "ctrl+end", "text_end", "end", "Go to the end of the text"),
    Action("text.select_up", "shift+up", "cursor_up(True)", "select up", "Extend the selection one line up"),
    Action("text.select_down", "shift+down", "cursor_down(True)", "select down", "Extend the selection one line down"),
    Action("text.select_left", "shift+left", "cursor_left(True)", "select left", "Extend the selection to the left"),
    Action("text.select_right", "shift+right", "cursor_right(True)", "select right",
           "Extend the selection to the right"),
    Action("text.select_start", "shift+home", "cursor_line_start(True)", "select", "Select to the start of the line"),
    Action("text.select_end", "shift+end", "cursor_line_end(True)", "select", "Select to the end of the line"),
    Action("text.select_all", "f5", "select_all", "select all", "Select the whole text"),
    Action("text.backspace", "backspace", "delete_left", "delete", "Delete the character before the cursor"),
    Action("text.delete", "delete,ctrl+d", "delete_right", "delete", "Delete the character after the cursor"),
    Action("text.delete_word", "ctrl+w", "delete_word_left", "delete word", "Delete to the start of the word"),
    Action("text.delete_start", "ctrl+u", "delete_to_start_of_line", "delete", "Delete to the start of the line"),
    Action("text.delete_end", "ctrl+k", "delete_to_end_of_line_or_delete_line", "delete",
           "Delete to the end of the line, or an empty line"),
    Action("text.cut", "ctrl+x", "cut", "cut", "Cut the selection, or the line"),
    Action("text.copy", "ctrl+c", "copy", "copy", "Copy the selection"),
    Action("text.paste", "ctrl+v", "paste", "paste", "Paste the text that you cut or copied in this editor"),
    Action("text.undo", "ctrl+z", "undo", "undo", "Undo a change to the text", bar=True),
    Action("text.redo", "ctrl+y", "redo", "redo", "Redo a change to the text"),
), screens=("edit",))  # fmt: skip

TREE = Place("tree", "Tree", PlaceKind.PANE, (
    Action("tree.open", "l,right", "unfold", "open", "Open the folder", bar=True),
    Action("tree.close", "h,left", "fold", "close", "Close the folder, or go up"),
    Action("tree.aside", "full_stop", "aside", "all files", "Show or hide stubs and derived files", bar=True,
           needs=Need.PROJECT),
    Action("tree.order", "S", "order", "order", "Sort notes by name, importance or age", bar=True, needs=Need.PROJECT),
), within=EVERY_PANE, screens=("query", "notes"), aside="tree pane", needs=Need.ANSWER)  # fmt: skip

NOTES_TREE = Place("notes tree", "Tree", PlaceKind.PANE, (
    Action("notes_tree.take", "enter", "take", "open", "Open or close the folder, or go to the note", bar=True),
), within=TREE, screens=("notes",), aside="notes tree", needs=Need.ANSWER)  # fmt: skip

SCOPE_TREE = Place("scope tree", "Tree", PlaceKind.PANE, (
    Action("tree.take", "enter", "take", "choose",
           "Limit the query to this folder (in a saved trace: open or close it), or show the note", bar=True),
), within=TREE, screens=("query",), aside="scope tree", needs=Need.ANSWER)  # fmt: skip

TERMS = Place("terms", "Terms", PlaceKind.PANE, (
    Action("terms.take", "enter", "take", "open", "Open the term with its spellings and notes, or go to the note",
           bar=True),
    Action("terms.order", "S", "order", "order", "Sort by notes, occurrences, weight or name", bar=True),
), within=EVERY_PANE, screens=("health",), needs=Need.PROJECT)  # fmt: skip
