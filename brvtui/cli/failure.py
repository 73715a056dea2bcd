"""How commands end: their exit codes, and the failure that has one."""

from __future__ import annotations

from types import TracebackType

import click

OK, NEGATIVE, BAD_USAGE, NOT_THERE, FAILED = 0, 1, 2, 3, 4


class Failure(click.ClickException):
    """An error with its exit code; the message is one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


_CODES = {
    "brvtui.config.schema.ConfigError": BAD_USAGE,
    "brvtui.engines.contract.EngineError": BAD_USAGE,
    "brvtui.engines.contract.StorageError": FAILED,
    "brvtui.engines.verification.installed.NotInstalled": FAILED,
    "brvtui.engines.verification.sealed_node.EngineRunError": FAILED,
    "brvtui.fleet.cluster.ClusterError": FAILED,
    "brvtui.fleet.cluster.UntrustedScheduler": BAD_USAGE,
    "brvtui.fleet.fleet_file.FleetError": BAD_USAGE,
    "brvtui.lab.evaluation.results.UnknownMetric": BAD_USAGE,
    "brvtui.lab.judgments.model.JudgmentsError": BAD_USAGE,
    "brvtui.lab.whatif.sweep.SweepError": BAD_USAGE,
    "brvtui.lab.whatif.variant.VariantError": BAD_USAGE,
    "brvtui.replay.ReplayError": BAD_USAGE,
    "brvtui.report.saved.ExportError": FAILED,
    "brvtui.saved.traces.SavedError": BAD_USAGE,
    "brvtui.snapshot.naming.UnknownNote": NOT_THERE,
    "brvtui.tree.history.git.RevisionError": BAD_USAGE,
    "brvtui.tree.reading.project.ProjectError": NOT_THERE,
    "brvtui.tree.reading.signals.SignalsError": BAD_USAGE,
    "brvtui.typed_tables.ProfileError": BAD_USAGE,
}
"""The exit code of each error whose message is written for the user, by its class: an import would load its module."""


class ErrorsReported:
    """A context that raises :class:`Failure` for an error of :data:`_CODES`, or of a subclass, with its message."""

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Raises :class:`Failure`, unless the error is none of those."""
        for name in (f"{each.__module__}.{each.__qualname__}" for each in (kind.__mro__ if kind else ())):
            if name in _CODES:
                raise Failure(str(error), _CODES[name]) from error
