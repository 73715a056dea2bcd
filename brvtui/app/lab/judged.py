"""The table of judged queries, with a row for each query and a column for each variant."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import JUDGED
from brvtui.app.arrangement import is_wide
from brvtui.app.keys.bindings import bindings
from brvtui.app.lab.cell import is_otherwise, loss_of, misleads, short_outcome, tier_role_of, value_of
from brvtui.app.states import EngineState, LabCell, LabColumn, LabState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import LazyLines, wrapped
from brvtui.engines.registry import presentation
from brvtui.lab.evaluation.comparing import LineKind
from brvtui.lab.evaluation.results import DEFAULT_METRICS, QueryResult, mean_of
from brvtui.lab.judgments.model import NOT_COVERED, Judgment
from brvtui.lab.whatif.variant import Variant
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line
from brvtui.paint.sentence import told_apart
from brvtui.paint.text import signed, wrap
from brvtui.wording import counted, difference_as_shown, ordinal

_FIRST, _OTHER, _LEAST_TEXT, _MISS = 11, 16, 18, 36
_ORDERS = ("worst first", "as in the file", "lowest first")
_SOUGHT = 50
_WORSE = "worse"
_HEAD = 2
"""The number of lines above the rows: the column names and the means."""
_MEANINGS = {
    "ndcg": "1 if right notes are first", "recall": "share of all right notes found in the top {}",
    "precision": "share of the top {} that are right notes", "mrr": "1 divided by the rank of the first right note",
    "map": "mean of the precision at each right note", "success": "1 if the top {} include a right note",
    "judged": "share of the top {} that have a grade",
}  # fmt: skip
"""The meaning of each metric. Keys are names without the number of results, which replaces ``{}``."""
EMPTY = (
    (
        "No query is judged yet. Press {lab.judge} to judge the open query from its answer in this column; if no "
        "query is open, this judges all queries in the Log."
    ),
    (
        "Until then, you can compare the open query and the latest 20 in the Log here: after an edit, with other "
        "constants, or a month from now."
    ),
    "Judged queries are saved in FILE, which you can commit. On the Query screen, {results.judge} grades a result.",
)


def right_note(result: QueryResult, glyphs: Glyphs) -> Span:
    """Returns the first right note that was missed, the rank of the first right note if it is not 1, or the expected
    outcome; and the role.
    """
    if result.expected == NOT_COVERED:
        is_unmet = result.as_expected is False
        return ("should not answer", "bold warn") if is_unmet else (f"{glyphs.check} none expected", "ok")
    rank, path = result.first_rank or 1, result.first_miss
    if not path and rank == 1:
        return f"{result.expected} expected" if result.as_expected is False else "", "bold warn"
    name = (path or result.ranking[rank - 1]).rpartition("/")[2].removesuffix(".md")
    return f"{'missed' if path else ordinal(rank)}: {name}", "warn"


class JudgedPane(ChoicePane):
    """The metric and tier of every query in every variant, with the loss compared with the present column."""

    TITLE = "Judged queries"
    READS = (LabState, ProjectState, EngineState)
    HELP_TEXT = (
        "This table shows how answers would change under other conditions. Each row is a judged query (one for which "
        "you graded the right notes) or the open query; each column is a condition. The first column shows the "
        "current outcome and value of a metric. The others show their own value and its difference from now (for the "
        "past: how much the current value differs from it), 'tier' if another tier answers ('worse' if its first note "
        "has a lower grade than another), or 'other' if another note comes first or is quoted. Outcomes are T0 to T4 "
        "for tiers, and yes or none for engines without tiers; a cross marks an unexpected outcome. The worst query is "
        "the one with the largest drop in any other column; with only one column, unexpected answers come first, then "
        "the lowest values. A column can be for another engine, time, git revision, constant or unsaved text; a column "
        "for the past shows what has changed since. After an edit, a column shows the answers from before the edit: "
        "judge there to make the earlier answer the expected one, or remove the column to accept the edit."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(JUDGED)

    class CellChosen(Message):
        """Posted when the cursor moves to another cell."""

    class OpenWanted(Message):
        """Posted to run the query under the cursor on the Query screen."""

    @dataclass
    class RemoveWanted(Message):
        """Posted to remove a column."""

        column: LabColumn

    @dataclass
    class UnjudgeWanted(Message):
        """Posted to remove a query from the judgments."""

        judgment: Judgment

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.pinned = _HEAD
        self.column = 0
        self.metric = 0
        self.order = 0
        self._rows: list[Judgment] = []
        self._of: tuple[object, ...] = ()
        self._losses: dict[str, tuple[int, list[LabCell | None], float]] = {}
        """The metric's index, the answers and the loss of each query, by the query's id."""
        self._seeks = False
        """True if the cursor should move to the first query whose answer was changed by edits, once that is known."""
        self._awaited: Variant | None = None
        """The variant to whose column the cursor moves as soon as the column exists."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the column, metric and order."""
        return (self.column, self.metric, self.order, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the number of queries, the metric, and the progress."""
        lab = view.lab
        if not lab.rows:
            return self.TITLE
        many = len(lab.judgments or ())
        title = f"{self.TITLE} {many} · {DEFAULT_METRICS[self.metric]}" if many else "Latest queries, none judged"
        edited = self.order == 0 and any(column.variant.earlier is not None for column in lab.columns)
        order = "changed first, then worst" if edited else _ORDERS[self.order]
        if lab.stopped:
            order = f"stopped at {lab.done} of {lab.total}: {{lab.stop}} continues"
        elif lab.done < lab.total:
            order = f"running {lab.done} of {lab.total}; {{lab.stop}} stops"
        return self.services.with_keys(f"{title} · {order}")

    @property
    def judgment(self) -> Judgment | None:
        """The judgment under the cursor."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def chosen_column(self) -> LabColumn | None:
        """The column under the cursor."""
        columns = self.view.lab.columns
        return columns[min(self.column, len(columns) - 1)] if columns else None

    @property
    def looked_at(self) -> list[str]:
        """The ids of the visible queries, starting with the query under the cursor."""
        begin = self.offset_row
        return [self.chosen, *self.choices[begin : begin + self.rows]]

    @property
    def note(self) -> str:
        """The first relevant note that the query misses, or else its first relevant note or first result."""
        columns, judgment = self.view.lab.columns, self.judgment
        if not columns or judgment is None or judgment.id not in columns[0].cells:
            return ""
        result = columns[0].cells[judgment.id].result
        return result.first_miss or next(iter((*result.relevant, *result.ranking)), "")

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, such as removing the present column or moving past the last one."""
        last = max(len(self.view.lab.columns) - 1, 0)
        idle = {"judged.remove", "judged.left"} if self.column == 0 else set()
        idle |= {"judged.right"} if self.column >= last else set()
        idle |= set() if self.view.lab.judgments else {"judged.metric"}
        idle |= set() if len(self.choices) > 1 else {"judged.order"}
        return frozenset(idle if self.judgment is not None else idle | {"judged.take", "judged.unjudge"})

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the column names and means, then a row for each query that matches the filter."""
        lab = view.lab
        self._choose(lab)
        if not lab.rows or not lab.columns or lab.problem:
            self._rows, self.choices, self.owner = [], [], []
            return self._nothing(view, width)
        if not self._rows:
            return wrapped(NOTHING, width)
        shown = self._shown_columns(lab, width)
        rows = self._rows
        self.owner = [-1, -1, *range(len(rows))]
        text = width - 1 - sum(_OTHER if place else _FIRST for place in shown)
        miss = min(_MISS, text - 2 * _LEAST_TEXT) if text >= 3 * _LEAST_TEXT else 0
        head = [self._names(lab, shown, text - miss, miss), self._means(lab, shown, text)]
        head += [*self._legend(lab, width), *self._cause(lab, width)]
        self.owner[:0] = [-1] * (len(head) - _HEAD)
        self.pinned = len(head)
        tail = [] if lab.judgments else self._how_to_judge(view, width)
        self.owner += [-1] * len(tail)
        return LazyLines(head, rows, tail, lambda row: self._row(lab, row, shown, text - miss, miss))

    def _shown_columns(self, lab: LabState, width: int) -> list[int]:
        """Returns the indices of the first column, the selected column, and as many other columns as fit."""
        room = max((width - _FIRST - _LEAST_TEXT - 1) // _OTHER, 1)
        others = list(range(1, len(lab.columns)))
        begin = max(0, min(self.column - room, len(others) - room)) if len(others) > room else 0
        return [0, *others[begin : begin + room]]

    def _choose(self, lab: LabState) -> None:
        """Filters and orders the rows; the cursor stays on its query."""
        of = (lab.rows, lab.columns, self.word_filter, self.metric, self.order)
        if of == self._of:
            return
        self._of = of
        before = self.chosen
        keeps = self.word_filter.keeps
        rows = [row for row in lab.rows if keeps(f"{row.id} {row.text} {row.scope}".lower())]
        if self.order == 0:
            rows.sort(key=lambda row: (-self._loss(lab, row.id), value_of(lab.columns, row.id, self.metric)))
        elif self.order == 2:
            rows.sort(key=lambda row: value_of(lab.columns, row.id, self.metric))
        self.all = len(lab.rows)
        self._rows = rows
        self.choices, self.owner = [row.id for row in rows], []
        if len(self._losses) > 2 * len(lab.rows):
            self._losses.clear()
        self.cursor = self.choices.index(before) if before in self.choices else 0
        if self._seeks:
            columns = [each for each in lab.columns if each.variant.earlier is not None]
            first = enumerate(rows[:_SOUGHT])  # changed queries are listed first
            changed = (place for place, row in first if columns and is_otherwise(lab, columns[0], row.id))
            self.cursor = next(changed, self.cursor)
        self.column = min(self.column, max(len(lab.columns) - 1, 0))

    def _loss(self, lab: LabState, query: str) -> float:
        """Returns :func:`loss_of` from a cache until one of the answers changes, since every batch needs it."""
        cells = [column.cells.get(query) for column in lab.columns]
        metric, known_cells, loss = self._losses.get(query, (-1, [], 0.0))
        if metric != self.metric or len(known_cells) != len(cells) or any(map(operator.is_not, known_cells, cells)):
            loss = loss_of(lab.columns, query, self.metric)
            self._losses[query] = (self.metric, cells, loss)
        return loss

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the lines unchanged, since only matching rows were built."""
        return lines

    def _legend(self, lab: LabState, width: int) -> list[Line]:
        """Returns a line that explains the metric and the signs, if queries are judged."""
        name, _, top = str(DEFAULT_METRICS[self.metric]).partition("@")
        cross, has_tiers = self.glyphs.cross, presentation(self.view.engine.name).has_tiers
        marks = f"T2{cross} unexpected tier 2" if has_tiers else f"yes{cross} unexpected answer"
        text = f"{_MEANINGS[name].format(top)} · {marks} · – no grades"
        return wrapped(text, width, "faint") if lab.judgments else []

    def _cause(self, lab: LabState, width: int) -> list[Line]:
        """Returns the cause of the changed answer under the cursor, if the Answer pane may be behind another tab."""
        causes = lab.causes
        if is_wide(*self.app.size) or causes is None or causes.query != self.chosen or not causes.lines:
            return []
        cause = next((each for each in causes.lines if each.kind is LineKind.CAUSE), causes.lines[0])
        named = f"“{self.judgment.text}”: {cause.text}" if self.judgment is not None else cause.text
        return [line(f" {part}", "warn") for part in wrap(named, width - 2)]

    def seek_changed(self) -> None:
        """Keeps the cursor on the first query whose answer was changed by edits, until the user moves the cursor."""
        self._seeks, self.order, self._of = True, 0, ()

    def show_column(self, variant: Variant) -> None:
        """Moves to the column of ``variant``, now or as soon as the column appears."""
        self._awaited = variant
        self._go_to_awaited()

    def changed(self) -> None:
        """Moves to the requested column as soon as it appears."""
        super().changed()
        self._go_to_awaited()

    def _go_to_awaited(self) -> None:
        variants = [column.variant for column in self.view.lab.columns]
        if self._awaited in variants:
            step, self._awaited = variants.index(self._awaited) - self.column, None
            self.action_column(step)

    def _names(self, lab: LabState, shown: list[int], text: int, miss: int) -> Line:
        hidden = len(lab.columns) - len(shown)
        keys = self.services.with_keys("{judged.left} {judged.right}")
        more = [f", {counted(hidden, 'more column', 'more columns')}: {keys}", f" {hidden} more: {keys}"]
        room = text - len(" query")
        more_columns = next((each for each in more if len(each) <= room), more[-1]) if hidden else ""
        row = line(" query", "faint").add(more_columns, "accent").cut(text).to(text + 1)
        if miss:
            row.fit(f"right {self.view.kind.noun}", miss - 1, "faint").gap()
        for place in shown:
            role = "bold accent" if place == self.column else "muted"
            size = _OTHER if place else _FIRST
            mark = f"{self.glyphs.warn} " if lab.columns[place].problem else ""
            title = told_apart([column.title for column in lab.columns], size - 1 - len(mark))[place]
            row.fit(f"{mark}{title}", size - 1, "warn" if mark else role).gap()
        return row

    def _means(self, lab: LabState, shown: list[int], text: int) -> Line:
        first = lab.columns[0]
        ids = [each.id for each in lab.judgments or ()]
        measured = sum(each in first.cells and first.cells[each].values[self.metric] is not None for each in ids)
        label = f" mean of {measured} graded" if lab.judgments else " not judged"
        row_line = Line().fit(label, text, "muted").gap()
        for place in shown:
            column = lab.columns[place]
            both = [each for each in ids if each in column.cells and each in first.cells]
            mean = mean_of(column.cells[each].values[self.metric] for each in both)
            now = mean_of(first.cells[each].values[self.metric] for each in both)
            row_line.extend(self._cell(column, mean, now if place else None, "", "strong", place).spans)
        return row_line

    def _row(self, lab: LabState, row: Judgment, shown: list[int], text: int, miss: int) -> Line:
        opened = row is lab.open_query
        words, role = (f"open: {row.text}", "accent") if opened else (row.text, "text")
        row_line = Line().gap().fit(words, text - 1, role).gap()
        first = lab.columns[0].cells.get(row.id)
        if miss:
            right, right_role = right_note(first.result, self.glyphs) if first is not None else ("", "text")
            row_line.fit(right, miss - 1, right_role).gap()
        for place in shown:
            column = lab.columns[place]
            cell = column.cells.get(row.id) if not column.problem else None
            if cell is None:
                row_line.fit("–" if column.problem else "…", _OTHER if place else _FIRST, "faint")
                continue
            now = first.values[self.metric] if place and first is not None else None
            outcome = cell.result.outcome
            moved = bool(place) and is_otherwise(lab, column, row.id)
            expected = cell.result.as_expected
            has_moved = moved and first is not None and first.result.outcome != outcome
            role = "bold warn" if has_moved or expected is False else tier_role_of(outcome)
            of_tiers = "yes" not in (short_outcome(outcome), short_outcome(first.result.outcome if first else ""))
            difference = "" if not of_tiers else "tier" if has_moved else "other" if moved else ""
            if first is not None and misleads(first, cell, column):
                difference = _WORSE
            row_line.extend(
                self._cell(column, cell.values[self.metric], now, outcome, role, place, difference, expected).spans
            )
        return row_line

    def _cell(
        self,
        column: LabColumn,
        value: float | None,
        now: float | None,
        outcome: str,
        role: str,
        place: int,
        moved: str = "",
        expected: bool | None = None,
    ) -> Line:
        """Returns the metric, the outcome (with a cross if not ``expected``), and the gain or ``moved`` instead."""
        row_line = Line().fit("   –" if value is None else f"{value:.2f}", 5, "faint" if value is None else "strong")
        row_line.fit(f"{short_outcome(outcome)}{self.glyphs.cross if expected is False else ''}", 5, role)
        if place:
            change = 0.0 if now is None or value is None else difference_as_shown(value, now, 2)
            change = -change if column.variant.is_earlier else change
            text = signed(change) if change < 0 or (change and moved != _WORSE) else moved
            row_line.fit(text, 6, "bold bad" if change < 0 or text == _WORSE else "warn" if text == moved else "ok")
        return row_line.fit("", (_OTHER if place else _FIRST) - row_line.width)

    def _nothing(self, view: View, width: int) -> list[Line]:
        lab, project = view.lab, view.project
        if project.saved:
            return wrapped("a saved trace: open its project to see its judged queries", width)
        if project.phase is Phase.FAILED:
            return wrapped(project.problem, width, "warn")
        if lab.problem:
            return wrapped(f"{lab.problem}", width, "warn")
        if lab.judgments is None or (lab.rows and not lab.columns):
            return [line(" reading the judgments…", "muted")]
        return self._how_to_judge(view, width)

    def _how_to_judge(self, view: View, width: int) -> list[Line]:
        lab, overview = view.lab, view.project.overview
        if overview is not None and overview.unreadable:
            return wrapped(overview.why_empty, width, "warn")
        lines: list[Line] = []
        for text in EMPTY:
            hint = self.services.with_keys(text).replace("FILE", lab.file)
            lines += [Line(), *wrapped(hint, width, "muted" if lines else "text")]
        return lines

    def moved(self, choice: str) -> None:
        """Shows the cell under the cursor in the pane next to the table."""
        self._seeks = False
        self.post_message(self.CellChosen())

    # actions

    def action_take(self) -> None:
        """Opens the query under the cursor on the Query screen."""
        if self.judgment is not None:
            self.post_message(self.OpenWanted())

    def action_column(self, step: int) -> None:
        """Moves ``step`` columns to the right, or to the left if negative."""
        self._awaited = None
        column = max(0, min(self.column + step, len(self.view.lab.columns) - 1))
        if column != self.column:
            self.column = column
            self.rebuild()
            self.show_keys()
            self.post_message(self.CellChosen())

    def action_unjudge(self) -> None:
        """Removes the query under the cursor from the judgments."""
        if self.judgment is not None:
            self.post_message(self.UnjudgeWanted(self.judgment))

    def action_remove(self) -> None:
        """Removes the column under the cursor."""
        if self.chosen_column is not None:
            self.post_message(self.RemoveWanted(self.chosen_column))

    def action_order(self) -> None:
        """Switches to the next order."""
        self.order = (self.order + 1) % len(_ORDERS)
        self.rebuild()

    def action_metric(self, step: int) -> None:
        """Switches to the next or previous metric."""
        self.metric = (self.metric + step) % len(DEFAULT_METRICS)
        self.rebuild()
        self.post_message(self.CellChosen())
