"""Checks the options of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from brvtui.engines.contract import EngineError
from brvtui.engines.registry import declaration, kind_of, names_for


@runtime_checkable
class NamesOptions(Protocol):
    """An engine that declares the options of its queries, so that error messages can name such engines."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of all options that the engine's queries may have."""


@runtime_checkable
class LimitsOptions(Protocol):
    """An engine that restricts the option values that a file, such as a saved trace, may set."""

    def options_of_file(self, constants: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        """``options`` from a file, restricted so that they call services no more often than ``constants`` do, and open
        no files.

        Raises :class:`EngineError` for an option that names a file.
        """


def options_of_file(engine: object, constants: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """``options`` from a file, as ``engine`` with ``constants`` permits. Raises :class:`EngineError`."""
    return engine.options_of_file(constants, options) if isinstance(engine, LimitsOptions) else options


def engines_with(option: str, value: Any, refusing: str = "") -> str:
    """The engines other than ``refusing`` that accept ``option``, each in the form ``--engine NAME``; empty if there
    are none.

    For the option ``mode``, only engines with the mode ``value`` are included. Engines that do not declare their
    options are left out.
    """
    engines = []
    for name in names_for(kind_of(refusing)):
        engine = declaration(name)
        is_known = engine and value in engine.modes if option == "mode" else _names(engine, option)
        if is_known and name != refusing:
            engines.append(f"--engine {name}")
    return " or ".join(engines)


def _names(engine: object, option: str) -> bool:
    return isinstance(engine, NamesOptions) and option in engine.options


def check_options(engine: str, options: Mapping[str, Any], kinds: Mapping[str, type], others: tuple[str, ...]) -> None:
    """Checks that ``engine`` has each of ``options``, and that their values have the types given in ``kinds``.

    ``others`` are options that the engine checks itself. Raises :class:`EngineError`.
    """
    known = (*sorted(kinds), *others)
    for name, value in options.items():
        if name not in known:
            elsewhere = engines_with(name, value, engine)
            hint = f"; {name} is an option of {elsewhere}" if elsewhere else ""
            raise EngineError(f"{engine} has no option {name}, only {', '.join(known)}{hint}")
        if name in kinds and type(value) is not kinds[name]:
            raise EngineError(f"{name} {value!r}: must be of type {kinds[name].__name__}")


def check_mode(mode: Any, modes: tuple[str, ...]) -> None:
    """Checks that ``mode`` is one of ``modes``, or None for the default. Raises :class:`EngineError`."""
    if mode is not None and mode not in modes:
        elsewhere = engines_with("mode", mode)
        raise EngineError(
            f"mode {mode}: use {', '.join(modes)}{f'; {mode} is a mode of {elsewhere}' if elsewhere else ''}"
        )
