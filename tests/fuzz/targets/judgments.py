"""Judgments in a project, and baselines of evaluations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from brvtui.engines.contract import EngineError, Query
from brvtui.lab.evaluation.comparing import Assessment, compare_evaluations, gate_drop, gate_outcomes, gate_under
from brvtui.lab.evaluation.evaluate import evaluate
from brvtui.lab.evaluation.results import DEFAULT_METRICS
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment, JudgmentsError
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.report.evaluation import EvaluationForm, evaluation_blocks, rendered_evaluation
from brvtui.saved.evaluations import read_evaluation
from brvtui.saved.traces import SavedError
from tests.fuzz.targets.target import QUERY, Target, Wrong, message_form, planted

_WIDTH = 80
_MOST_ASKED = 20
_JUDGED = (
    Judgment("quokka", QUERY, "x", "tier 2", "asked often", (JudgedDocument("x/good.md", 3, "Quokka", "0" * 16),)),
    Judgment("gate", "gate north", documents=(JudgedDocument("yard/gate.md", 2), JudgedDocument("gone.md", 1))),
    Judgment("none", "kubernetes", expected="not covered"),
)


class _Measured(Target):
    """A project whose judged queries run."""

    def __init__(self, folder: Path) -> None:
        self.session = planted(folder).session()
        self.file = JudgmentsFile.of(self.session.project)
        self.file.change(lambda _: _JUDGED)
        self.seed = self.file.path.read_bytes()

    def report(self, judgments: tuple[Judgment, ...]) -> Assessment:
        """Runs the queries, without a baseline."""
        engines = self.session.engines
        engine, context = engines.named("byterover"), engines.context("byterover")
        return Assessment(evaluate(engine, context, judgments, Query("")), DEFAULT_METRICS)


class JudgmentsOfProject(_Measured):
    """``.brv/brv-tui/judgments.toml``: it is read, run and changed. A broken file is left unchanged."""

    def seeds(self) -> list[bytes]:
        return [self.seed, b'version = 1\n# one\n[[query]]\nid = "a"\ntext = """two\nlines"""\n']

    def run(self, data: bytes) -> str:
        self.file.path.write_bytes(data)
        try:
            judgments = self.file.read()
        except JudgmentsError as error:
            message = message_form(error, "judgments.toml")
            _refused(self.file, data)
            return message
        shown(self.report(judgments[:_MOST_ASKED]))
        added = Judgment("added-by-fuzz", QUERY)
        if any(each.id == added.id for each in judgments):
            return "has the id"
        try:
            after = self.file.change(lambda before: (*before[1:], added))
        except JudgmentsError as error:
            if self.file.path.read_bytes() != data:
                raise Wrong("a refused change changes the file") from error
            return f"not changed: {message_form(error, 'judgments.toml')}"
        if self.file.read() != after or after != (*judgments[1:], added):
            raise Wrong("a change is not what was asked for")
        return f"{len(judgments)} judgments"


class SavedEvaluation(_Measured):
    """An evaluation in a file, as the baseline of another."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.now = self.report(_JUDGED)
        self.place = folder / "base.json"

    def seeds(self) -> list[bytes]:
        return [rendered_evaluation(self.now, EvaluationForm.JSON)]

    def run(self, data: bytes) -> str:
        self.place.write_bytes(data)
        try:
            before = read_evaluation(self.place)
        except SavedError as error:
            return message_form(error, "base.json")
        compared = compare_evaluations(self.now.evaluation, before)
        first = DEFAULT_METRICS[0]
        gates = (gate_under(before, first, 0.5), gate_drop(compared, first, 0.1), gate_outcomes(compared))
        shown(replace(self.now, comparison=compared, baseline="base.json", gates=gates))
        shown(replace(self.now, evaluation=before))
        return f"{len(compared.changes)} compared"


def _refused(file: JudgmentsFile, data: bytes) -> None:
    """Raises :class:`Wrong` if a broken file can be changed."""
    try:
        file.change(lambda before: before)
    except JudgmentsError:
        if file.path.read_bytes() == data:
            return
    raise Wrong("a broken file is overwritten, or changed without a word")


def shown(report: Assessment) -> None:
    """Writes ``report`` in every form. Raises :class:`Wrong` for a line that is too wide."""
    try:
        if any(line.width > _WIDTH for line in lines_of(evaluation_blocks(report, _WIDTH), _WIDTH, UNICODE)):
            raise Wrong("a line is too wide")
        for form in EvaluationForm:
            rendered_evaluation(report, form)
    except EngineError as error:
        message_form(error)
