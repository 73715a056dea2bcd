"""Moments as they are written in options: an ISO 8601 time, or so long from now."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import NamedTuple

import click

from brvtui.timing import FIRST_MS, LAST_MS

_HOURS = {"h": 1, "d": 24, "w": 168, "y": 8_766}
_MS_PER_HOUR = 3_600_000
_LATER = re.compile(r"([+-])([0-9]{1,6})([hdwy])")


def moment(written: str) -> float:
    """Returns an ISO 8601 time in the years 1000 to 8999 in milliseconds since 1970: a type of click.

    Raises :class:`click.BadParameter`.
    """
    return _moment(written, "is not an ISO 8601 time")


class LaterOrAt(NamedTuple):
    """A moment, or a span from a moment that is known later, both in milliseconds."""

    ms: float
    is_span: bool
    written: str

    def after(self, now_ms: float) -> float:
        """Returns the moment that is meant at ``now_ms``. Raises :class:`click.BadParameter` for one too far away."""
        return _within(now_ms + self.ms, self.written) if self.is_span else self.ms

    def freezing(self, now: float | None) -> tuple[float | None, float]:
        """Returns the moment at which the clock stands (None: it runs), ``now`` unless one is meant, and the span.

        Raises as :meth:`after`.
        """
        self.after(time.time() * 1000 if now is None else now)
        return (now, self.ms) if self.is_span else (self.ms, 0.0)


def span_or_moment(written: str) -> LaterOrAt:
    """Returns a span such as ``+30d`` or ``-12h``, or a time as :func:`moment`: a type of click. Raises as that."""
    if found := _LATER.fullmatch(written):
        hours = int(found[2]) * _HOURS[found[3]] * (-1 if found[1] == "-" else 1)
        return LaterOrAt(float(hours * _MS_PER_HOUR), True, written)
    return LaterOrAt(_moment(written, "is neither a span, such as +30d, nor an ISO 8601 time"), False, written)


def _moment(written: str, problem: str) -> float:
    try:
        found = datetime.fromisoformat(written.replace("Z", "+00:00"))
        at = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{written} {problem}, such as 2026-11-20T12:00:00Z") from error
    return _within(at, written)


def _within(at: float, written: str) -> float:
    if not FIRST_MS <= at < LAST_MS:
        raise click.BadParameter(f"{written} is not in the years 1000 to 8999")
    return at
