"""Everything that is said of one evaluation: its numbers, what changed and why, and which gates it passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brvtui.lab.evaluation.comparing import Comparison, QueryChange
from brvtui.lab.evaluation.gates import GateResult
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation


@dataclass(frozen=True)
class Assessment:
    """An evaluation, by itself or beside a baseline."""

    evaluation: Evaluation
    metrics: tuple[Metric, ...]
    """Those to show; the first decides the order of queries."""
    comparison: Comparison | None = None
    baseline: str = ""
    """The name of the baseline: a file or a revision."""
    gates: tuple[GateResult, ...] = ()
    causes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines that say why a query is answered otherwise than before, by its id."""

    @property
    def passed(self) -> bool:
        """Whether every gate was passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def notices(self) -> tuple[str, ...]:
        """What should be known before the numbers are trusted."""
        return (*self.evaluation.notices, *(self.comparison.notices if self.comparison is not None else ()))

    @property
    def changed(self) -> list[QueryChange]:
        """The queries whose first metric or outcome changed, the greatest loss first."""
        if self.comparison is None:
            return []
        metric = self.metrics[0]
        changed = [each for each in self.comparison.changes if each.changes_outcome or each.difference(metric)]
        return sorted(changed, key=lambda each: each.difference(metric) or 0.0)

    @property
    def to_explain(self) -> list[QueryChange]:
        """:attr:`changed`, and then the other queries that a failed gate names."""
        if self.comparison is None:
            return []
        changed = self.changed
        known = {each.now.id for each in changed}
        failed = {name for gate in self.gates for name in gate.queries} - known
        return [*changed, *(each for each in self.comparison.changes if each.now.id in failed)]
