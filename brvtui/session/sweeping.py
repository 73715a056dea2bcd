"""Sweeps over an open project."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brvtui.lab.evaluation.evaluate import Progress
from brvtui.lab.evaluation.results import Metric
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.sweep import FORM, Axis, Sweep, SweepError, parse_axis, sweep, without
from brvtui.lab.whatif.variant import Variant
from brvtui.session.variants import VariantState
from brvtui.snapshot.naming import find_note
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_AXES = 2


def swept(
    session: Session,
    written: Sequence[str],
    judgments: Sequence[Judgment],
    metric: Metric,
    options: Mapping[str, Any],
    progress: Progress = lambda done, of: None,
) -> Sweep:
    """Asks ``judgments`` over the grid of the axes ``written`` (:func:`brvtui.lab.whatif.sweep.parse_axis`), with
    the ``options`` of the engine.

    Raises :class:`brvtui.lab.whatif.sweep.SweepError`, :class:`brvtui.snapshot.naming.UnknownNote`, and what asking
    raises.
    """
    if not 1 <= len(written) <= _MOST_AXES:
        raise SweepError(f"one or two constants can be swept, each as {FORM}")
    constants = session.variants.controls(session.engine)
    axes = []
    for text in written:
        constant, colon, values = text.partition(":")
        if colon and any(constant == each.key for each in constants):
            raise SweepError(f"{shortened(text, 60)} must be {FORM}; write {constant}={values}")
        name, equals, values = text.partition("=")
        note, of_note, signal = name.rpartition(":")
        path = _path_of_note(session, note) if of_note else ""
        controls = [*constants, *(session.variants.note_controls(path) if path else ())]
        named = f"{path}:{signal}{equals}{values}" if path else text
        axes.append(parse_axis(named, controls, len(written)))
    if len({axis.control.key for axis in axes}) < len(axes):
        raise SweepError(f"{axes[0].control.key} is named twice: name two different constants")

    return swept_over(session, axes, judgments, metric, Variant(), session.engine, options, progress)


def _path_of_note(session: Session, name: str) -> str:
    """The path of the note that ``name`` means, whose signals can be swept. Raises as :func:`swept`."""
    if not session.kind.can_vary:
        raise SweepError(f"{shortened(name, 60)}: only notes of a context tree have signals to sweep; name a constant")
    found = find_note(session.snapshot, name)
    if found.position is None:
        raise SweepError(f"{found.path} is not searched, so its signals change nothing: name another note")
    return found.path


def swept_over(
    session: Session,
    axes: Sequence[Axis],
    judgments: Sequence[Judgment],
    metric: Metric,
    base: Variant,
    engine: str,
    options: Mapping[str, Any],
    progress: Progress,
) -> Sweep:
    """Asks ``judgments`` of ``engine`` over the grid of ``axes``, each time with what ``base`` replaces.

    Calls ``progress`` with the number of points that are asked, and of all; once all are, also while crossings are
    sought. What that raises ends it. Raises what asking raises.
    """
    points = math.prod(len(axis.values) for axis in axes)
    done = 0

    def told(number: int, of: int) -> None:
        nonlocal done
        done = number
        progress(number, of)

    def state(variant: Variant) -> VariantState:
        progress(done, points)
        return session.variants.state(variant, engine, options=options)

    names = (engine, session.engines.profile(engine), state(without(base, axes)).context.snapshot_info.clock)
    return sweep(axes, judgments, metric, state, base, names, told)
