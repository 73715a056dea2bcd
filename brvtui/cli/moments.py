"""Moments as they are written in options: so long from now, or an ISO 8601 time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import click

_HOURS = {"h": 1, "d": 24, "w": 168, "y": 8_766}
_MS_PER_HOUR = 3_600_000
_LATER = re.compile(r"([+-])([0-9]{1,6})([hdwy])")


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """The ISO 8601 time of an option in milliseconds since 1970. Raises :class:`click.BadParameter`."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{value} is not an ISO 8601 time, such as 2026-11-20T12:00:00Z") from error


def later_ms(at: str) -> float | None:
    """How many milliseconds later ``at`` means, as in ``+30d`` or ``-12h``; None where it is no such span."""
    found = _LATER.fullmatch(at)
    if found is None:
        return None
    return float(int(found[2]) * _HOURS[found[3]] * (-1 if found[1] == "-" else 1) * _MS_PER_HOUR)


def exact_ms(at: str) -> float | None:
    """The ISO 8601 time ``at`` in milliseconds since 1970. Raises :class:`click.BadParameter`."""
    context: Any = click.get_current_context()
    option = next((known for known in context.command.params if known.name == "at"), context.command.params[0])
    try:
        return moment(context, option, at)
    except click.BadParameter as error:
        said = f"{at} is neither a span, such as +30d, nor an ISO 8601 time, such as 2026-11-20T12:00:00Z"
        raise click.BadParameter(said, context, option) from error


def later_or_at(at: str, now_ms: float) -> float | None:
    """The moment that ``at`` means at ``now_ms``. Raises :class:`click.BadParameter`."""
    span = later_ms(at)
    return exact_ms(at) if span is None else now_ms + span
