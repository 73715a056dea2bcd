"""The Answer pane of the Lab: the answer in the cell under the cursor, and the ranks of the query's judged notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from brvtui.app.states import LabCell, LabColumn, LabState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.lab.evaluation.comparing import LineKind, QueryChange
from brvtui.lab.evaluation.results import DEFAULT_METRICS, QueryResult
from brvtui.lab.judgments.model import FAILED, NOT_COVERED, Judgment
from brvtui.paint.line import Line, line, rule
from brvtui.paint.sentence import NO_ANSWER, tier_role

# The results of judged queries in the columns of the Lab: losses and different answers.


_SAME = 5e-4


def loss_of(columns: Sequence[LabColumn], query: str, metric: int) -> float:
    """Returns the query's largest loss in the other columns; with only one column, the metric's distance from 1.

    In the latter case, an unexpected outcome adds 2. A different answer with an equal metric is a small loss, and a
    misleading one is a large loss.
    """
    if not columns or query not in columns[0].cells:
        return 0.0
    first = columns[0].cells[query]
    now = first.values[metric]
    if len(columns) == 1:
        return (0.0 if now is None else 1.0 - now) + (2.0 if first.result.as_expected is False else 0.0)
    losses = [0.0]
    for column in columns[1:]:
        cell = column.cells.get(query)
        if cell is None:
            continue
        value = cell.values[metric]
        change = 0.0 if now is None or value is None else value - now
        losses.append(change if column.variant.is_earlier else -change)
        losses.append(1.0 if misleads(first, cell, column) else _SAME if _differs(first, cell, column) else 0.0)
    return max(losses)


def is_otherwise(lab: LabState, column: LabColumn, query: str) -> bool:
    """True if the answer to ``query`` in ``column`` differs from the current answer."""
    now, there = lab.columns[0].cells.get(query), column.cells.get(query)
    return now is not None and there is not None and _differs(now, there, column)


def misleads(now: LabCell, there: LabCell, column: LabColumn) -> bool:
    """True if the later of two answers, ``there`` in ``column``, is from another tier and puts a wrong note first."""
    before, after = (there, now) if column.variant.is_earlier else (now, there)
    return not column.variant.engine and QueryChange(after.result, before.result).is_misleading


def _differs(now: LabCell, there: LabCell, column: LabColumn) -> bool:
    change = QueryChange(now.result, there.result, column.variant.paths_now)
    return change.changes_outcome if column.variant.engine else change.is_otherwise


def value_of(columns: Sequence[LabColumn], query: str, metric: int) -> float:
    """Returns the metric's value in the first column; if there is none, 2, which is above every value."""
    cell = columns[0].cells.get(query) if columns else None
    value = cell.values[metric] if cell is not None else None
    return 2.0 if value is None else value


_WORDS = {NOT_COVERED: "none", FAILED: "fail"}


def short_outcome(outcome: str) -> str:
    """Returns the outcome in at most 4 characters."""
    if outcome in _WORDS:
        return _WORDS[outcome]
    return outcome.replace("tier ", "T") if outcome.startswith("tier ") else "yes" if outcome else ""


def tier_role_of(outcome: str) -> str:
    """Returns the role for painting an outcome."""
    number = outcome.removeprefix("tier ")
    return NO_ANSWER if outcome in _WORDS else tier_role(int(number)) if number.isdigit() else "text"


_MOST = 10
_GONE = "is gone: brv-tui judge set QUERY NOTE=none removes its grade"


class CellPane(Pane):
    """The query, its outcome, the ranks of its judged notes, the metrics, and the results."""

    TITLE = "Answer"
    READS = (LabState,)
    HELP_TEXT = (
        "This pane explains one cell of the table: the answer to its row's query under its column's condition. It "
        "shows the outcome and its reason, every judged note's rank in this column and now, the metrics, and the "
        "results with their changes in rank."
    )
    BINDINGS: ClassVar = []

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._judgment: Judgment | None = None
        self._column: LabColumn | None = None

    def put(self, judgment: Judgment | None, column: LabColumn | None) -> None:
        """Shows the query of ``judgment`` as answered in ``column``."""
        self._judgment, self._column = judgment, column
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the cell."""
        return (self._judgment, self._column, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the column's name."""
        return f"{self.TITLE} · {self._column.title}" if self._column is not None else self.TITLE

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines about the cell, or only the query if it has not run yet."""
        judgment, column = self._judgment, self._column
        if judgment is None or column is None:
            return wrapped("the answer to the query in the column under the cursor", width)
        lines = wrapped(judgment.text, width, "bold strong")
        if judgment.scope:
            lines += wrapped(f"in {judgment.scope}", width)
        if judgment.comment:
            lines += wrapped(f"comment: {judgment.comment}", width)
        cell = column.cells.get(judgment.id)
        if column.problem:
            return [*lines, Line(), *wrapped(column.problem, width, "warn")]
        if cell is None:
            return [*lines, Line(), *wrapped("not asked yet", width)]
        first = view.lab.columns[0].cells.get(judgment.id)
        now = first.result if first is not None and column is not view.lab.columns[0] else None
        if column.variant.revision:
            lines += wrapped(f"the notes at {column.variant.revision}, with the file times that they had then", width)
        lines += [Line(), *self._outcome(cell.result, now, width), *self._causes(view.lab, cell.result, width)]
        if cell.result.grades:
            lines += [
                rule(width, f"judged {view.kind.noun}s: grade and rank", dash=self.glyphs.dash),
                *self._judged(cell.result, now, width),
            ]
            lines += [rule(width, "metrics", dash=self.glyphs.dash), *_metrics(cell, first, width)]
        scores = [item.score for item in cell.result.results[:_MOST]]
        order = "" if scores == sorted(scores, reverse=True) else ", in the answer's order"
        lines += [rule(width, f"results{order}", dash=self.glyphs.dash), *self._results(cell.result, now, width)]
        return lines

    def _outcome(self, result: QueryResult, now: QueryResult | None, width: int) -> list[Line]:
        beside: list[Line] = []
        head = line(f" {result.outcome}", f"bold {tier_role_of(result.outcome)}")
        if now is not None and now.outcome != result.outcome:
            head.add("  now ", "muted").add(now.outcome, tier_role_of(now.outcome))
        if result.expected:
            met, text = result.as_expected, f"expected {result.expected}"
            if met is None:
                beside = wrapped(f"{text}: this engine has no tiers", width)
            else:
                head.add(f"  {self.glyphs.check if met else self.glyphs.cross} {text}", "ok" if met else "bold warn")
        return [head.cut(width), *beside, *wrapped(result.sentence or "…", width, "text")]

    def _causes(self, lab: LabState, result: QueryResult, width: int) -> list[Line]:
        """Returns the reasons why the answer has changed, without the sentence of ``result``, which is shown above."""
        causes, column, judgment = lab.causes, self._column, self._judgment
        if causes is None or column is None or judgment is None or causes.query != judgment.id:
            return []
        if column.variant != causes.variant and (column is not lab.columns[0] or causes.variant.earlier is None):
            return []
        if causes.lines is None:
            return [line(" looking for the cause…", "muted")]
        lines = [each for each in causes.lines if each.text != result.sentence]
        if not lines:
            return []
        edited = causes.variant.earlier is not None
        heading = "what the edits changed" if edited else f"what changed since {causes.variant.revision}"
        rows = [rule(width, heading, dash=self.glyphs.dash)]
        for text, kind in lines:
            rows += wrapped(text, width, "strong" if kind is LineKind.CAUSE else "text")
        return rows

    def _judged(self, result: QueryResult, now: QueryResult | None, width: int) -> list[Line]:
        lines = []
        for path in sorted(result.grades, key=lambda each: -result.grades[each]):
            rank, grade = result.rank_of(path), result.grades[path]
            place = f"{rank}." if rank is not None else "–"
            role = "strong" if rank is not None else "bold warn" if grade else "muted"
            entry = line(f" {grade} ", "accent").fit(place, 4, role)
            before = _now_text(now, path, rank)
            lines.append(entry.add(path, "text").right(width, Line().add(before, "muted")))
        for path in result.grades:
            if self.view.kind.has_files and not (self.view.knows(path) or path.startswith("[")):  # [: a shared source
                lines += wrapped(f"{self.glyphs.warn} {path} {_GONE}", width, "warn")
        if result.first_miss:
            lines += wrapped(f"{self.glyphs.warn} first miss: {result.first_miss}", width, "warn")
        return lines

    def _results(self, result: QueryResult, now: QueryResult | None, width: int) -> list[Line]:
        lines = []
        for rank, item in enumerate(result.results[:_MOST], start=1):
            grade = result.grades.get(item.path)
            entry = line(f" {rank:>2} ", "muted").fit("" if grade is None else str(grade), 2, "accent")
            entry.add(f"{item.score:.4f}"[:6], "strong").gap().add(item.path, "text")
            lines.append(entry.right(width, Line().add(_now_text(now, item.path, rank), "muted")))
        return lines or wrapped("nothing was found", width)


def _now_text(now: QueryResult | None, path: str, rank: int | None) -> str:
    if now is None:
        return ""
    place = now.rank_of(path)
    if place == rank:
        return "" if rank is None else "same"
    return "not a result now" if place is None else f"now {place}."


def _metrics(cell: LabCell, first: LabCell | None, width: int) -> list[Line]:
    lines = []
    for number, metric in enumerate(DEFAULT_METRICS):
        value = cell.values[number]
        if value is None:
            continue
        now = first.values[number] if first is not None and first is not cell else None
        entry = Line().gap().fit(str(metric), 13, "muted").add(f"{value:.3f}", "strong")
        if now is not None and now != value:
            entry.add(f"  now {now:.3f}", "muted")
        lines.append(entry.cut(width))
    return lines
