"""The options of a query, as an engine checks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brvtui.engines.contract import EngineError


def check_options(
    engine: str, options: Mapping[str, Any], kinds: Mapping[str, type], others: tuple[str, ...] = ()
) -> None:
    """Checks that ``engine`` knows each of ``options``, and that its value is of the type in ``kinds``.

    ``others`` are options that the engine checks itself. Raises :class:`EngineError`.
    """
    known = (*sorted(kinds), *others)
    for name, value in options.items():
        if name not in known:
            raise EngineError(f"{engine} has no option {name}: it has {', '.join(known)}")
        if name in kinds and type(value) is not kinds[name]:
            raise EngineError(f"{name} {value!r}: must be of type {kinds[name].__name__}")


def check_mode(mode: Any, modes: tuple[str, ...]) -> None:
    """Checks that ``mode`` is one of ``modes``, or None for the default. Raises :class:`EngineError`."""
    if mode is not None and mode not in modes:
        raise EngineError(f"mode {mode}: use {', '.join(modes)}")
