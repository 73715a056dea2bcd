"""The thresholds of gates, and how far values are from them, in words."""

from __future__ import annotations

from brvtui.engines.sentence import LEAST_LEAD
from brvtui.trace import Check, Trace


def check_of(trace: Trace, constant: str) -> Check | None:
    """The check of the threshold called ``constant`` that was made."""
    checks = (check for step in trace.steps for check in step.checks)
    return next((check for check in checks if check.constant == constant and check.value is not None), None)


def threshold_of(trace: Trace, constant: str) -> float | None:
    """The threshold called ``constant``, as a step or a ceiling names it."""
    named = {check.constant: check.threshold for step in trace.steps for check in step.checks}
    for hit in trace.hits:
        for horizon in hit.ceiling.horizons if hit.ceiling else ():
            named.setdefault(horizon.constant, horizon.threshold)
    return named.get(constant)


def lead_words(gap: Check) -> str:
    """How far the first is ahead of the next, which may have more: results of other searches come last."""
    lead = gap.value or 0.0
    if abs(lead) < LEAST_LEAD:
        return "level with "
    if gap.threshold is not None and 0 < gap.threshold - lead < LEAST_LEAD:
        return f"{threshold_words(gap.threshold)} (less a rounding error) ahead of "
    return f"{value_words(lead, gap.threshold)} ahead of " if lead > 0 else f"{-lead:.2f} behind "


def short_words(check: Check) -> str:
    """The value, and the threshold that it falls short of."""
    return f"{value_words(check.value, check.threshold)} of the {threshold_words(check.threshold)}"


def reached_words(check: Check) -> str:
    """The value, and the threshold that it reaches."""
    return f"{value_words(check.value, check.threshold)} ≥ {threshold_words(check.threshold)}"


def threshold_words(threshold: float | None) -> str:
    """A threshold with two decimals, or as many as it has."""
    if threshold is None:
        return "–"
    return f"{threshold:.2f}" if abs(round(threshold, 2) - threshold) < LEAST_LEAD else f"{threshold:g}"


def value_words(value: float | None, threshold: float | None) -> str:
    """The value with as many decimals as tell it from the threshold, two at least."""
    if value is None:
        return "nothing"
    for places in (2, 3, 4):
        text = f"{value:.{places}f}"
        if threshold is None or (float(text) < threshold) == (value < threshold):
            return text
    return f"{value:.4f}"
