"""The Ranking pane, which compares the query's answers with the saved text and with the edited text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.states import EditorState, EngineState, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, badge, line, rule
from brvtui.paint.text import number, signed, wrap
from brvtui.text.visible import visible
from brvtui.trace.routing import Outcome

if TYPE_CHECKING:
    from brvtui.engines.edit_previews import EditPreview, EditPreviewState, Moved


class RankingPane(Pane):
    """Shows the tiers and results of both answers, and the changes in rank."""

    TITLE = "Ranking"
    READS = (ProjectState, QueryState, EditorState, EngineState)
    HELP_TEXT = (
        "This pane shows how the answer to the current query would change if you saved the text now. It compares the "
        "answers with and without your edit, both without the cache, and writes nothing. The first number is the rank "
        "after the edit; an arrow shows how far the note moves. The ranking is always ByteRover's, whichever engine "
        "is selected."
    )

    def heading(self, view: View) -> str:
        """Returns the title with the query; if another engine is selected, also names the engine that ranks."""
        whose = "Ranking" if view.is_native else f"Ranking by {view.kind.native}"
        return f"{whose} · {view.query.text}" if view.query.text.strip() else whose

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the tiers before and after, then the results."""
        check = view.editor.edit.check if view.editor.edit else None
        preview = check.preview if check is not None else None
        if not view.query.text.strip():
            hint = "Type a query on the Query screen (1): this pane then shows how your edit changes its answer."
            return wrapped(hint, width)
        if preview is None:
            is_unread = check is not None and bool(check.problems) and view.kind.is_html
            return wrapped("saving would not change any answer; Problems says why" if is_unread else "looking…", width)
        lines = [*_outcome(preview, width), Line()]
        if preview.unseen:
            lines += [line(f" {part}", "bad") for part in wrap(f"no longer read: {preview.unseen}", width - 2)]
        found_by = ""
        for moved in preview.results:
            if moved.found_by and moved.found_by != found_by:
                lines.append(rule(width, f"found by “{visible(moved.found_by)}”", dash=self.glyphs.dash))
            found_by = moved.found_by
            lines += _result(moved, preview.path, width, self.glyphs)
        return [entry.cut(width) for entry in lines]


def _outcome(preview: EditPreview, width: int) -> list[Line]:
    """Returns the tiers now and after saving, or the verdicts of an engine without tiers."""
    before, after = preview.now, preview.after
    if before.tier is None or after.tier is None:
        same = before.verdict == after.verdict
        text = (
            f"{before.verdict}, now and after saving" if same else f"now {before.verdict}; after saving {after.verdict}"
        )
        return [line(f" {part}", "text") for part in wrap(text, width - 2)]
    row = _tier(before).gap().add("now", "muted")
    if (before.tier, before.outcome) == (after.tier, after.outcome):
        return [row.add(", and after saving", "muted")]
    return [row.add(" →", "muted").extend(_tier(after).spans).gap().add("saved", "muted")]


def _tier(state: EditPreviewState) -> Line:
    is_covered = state.outcome != Outcome.NOT_COVERED
    return badge(f"TIER {state.tier}", f"tier-{state.tier}") if is_covered else badge("NOT COVERED", "tier-none")


def _result(moved: Moved, path: str, width: int, glyphs: Glyphs) -> list[Line]:
    before, after = moved.before, moved.after
    own = moved.file == path
    rank = line(f"{after.rank if after else glyphs.minus:>3} ", "bold strong" if own else "text")
    if after is None:
        rank.add(f"was {before.rank if before else '':<3}", "bad")
    elif before is None:
        rank.add("new   ", "ok")
    elif before.rank == after.rank:
        rank.gap(6)
    else:
        up = after.rank < before.rank
        rank.add(f"{glyphs.up if up else glyphs.down}{abs(before.rank - after.rank):<5}", "ok" if up else "bad")
    score = Line().add(number(after.score if after else None), "bold strong" if own else "text")
    if before and after and round(after.score - before.score, 2):
        change = after.score - before.score
        score.add(f" {signed(change)}", "ok" if change > 0 else "bad")
    rank.add(moved.title, "bold strong" if own else "text")
    row = rank.right(width, score)
    row.ground = "cursor-idle" if own else ""
    return [row]
