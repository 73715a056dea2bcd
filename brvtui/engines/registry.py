"""The installed engines, found through the entry point ``brvtui.engines``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.tree.reading import kinds
from brvtui.tree.reading.kinds import ProjectKind
from brvtui.wording import nearest, shortened

if TYPE_CHECKING:
    from brvtui.engines.contract import Engine
    from brvtui.engines.presentation import Presentation
    from brvtui.trace import SnapshotInfo, Trace

GROUP = "brvtui.engines"
DEFAULT = kinds.TREE.native
"""The name of the default engine."""
_DEFAULT_PLACE = "brvtui.engines.byterover.engine:ByteRover"
"""The entry point of the default engine, which is not looked up because that slows down every command."""
DEFAULT_PROFILE = "brv-3"
PROFILES = (DEFAULT_PROFILE, "docs", "combined")
"""The names of the default engine's profiles."""
_FIRST = (DEFAULT, kinds.SPACE.engine, "jeffs_brain", "soleri", "knowing")
"""The engines that are listed before all others, in this order."""


@cache
def names() -> tuple[str, ...]:
    """The names of all installed engines: built-in ones first, then the others in alphabetical order."""
    return tuple(dict.fromkeys((*_FIRST, *sorted(_places()))))


def kind_of(engine: str, held: SnapshotInfo | None = None) -> ProjectKind:
    """The kind of project that ``engine`` ranks. Without a trace's snapshot ``held``, it is never code."""
    if held is not None and held.is_code:
        return kinds.CODE
    return kinds.OF_ENGINE.get(engine, kinds.TREE)


def reads_trees(engine: str) -> bool:
    """True if ``engine`` is the one that writes context trees, with whose constants trees are read."""
    return engine == kinds.TREE.native


def names_for(kind: ProjectKind) -> tuple[str, ...]:
    """The names of the installed engines for projects of this ``kind``."""
    return (kind.engine,) if kind.engine else tuple(name for name in names() if name not in kinds.OF_ENGINE)


@cache
def our_profiles() -> dict[str, tuple[str, ...]]:
    """The names of each built-in engine's profiles, default first. The engines are not loaded."""
    profiles: dict[str, tuple[str, ...]] = dict.fromkeys(_FIRST, ())
    for file in sorted(Path(__file__).parent.glob("*/profiles/*.toml"), key=lambda file: file.stem):
        profiles[file.parts[-3]] = (*profiles.get(file.parts[-3], ()), file.stem)
    return {**profiles, DEFAULT: PROFILES}


def why_unknown(name: str) -> str:
    """The message that no engine is called ``name``, with the most similar name; empty if there is such an engine."""
    return "" if name == DEFAULT or name in names() else f"no engine {shortened(name)}{nearest(name, names())}"


def load(name: str) -> Engine[Any]:
    """A new instance of the engine called ``name``.

    Raises :class:`brvtui.engines.contract.UnknownEngine` if no engine is installed under that name, and
    :class:`brvtui.engines.contract.EngineError` if the engine cannot be loaded.
    """
    from brvtui.engines.contract import EngineError, UnknownEngine

    if why := why_unknown(name):
        raise UnknownEngine(why)
    place = _DEFAULT_PLACE if name == DEFAULT else _places().get(name)
    if place is None:
        raise EngineError(f"the engine {name} is not registered: reinstall brv-tui")
    module, _, attribute = place.partition(":")
    try:
        make: Callable[[], Engine[Any]] = getattr(import_module(module), attribute)
        return make()
    except Exception as error:  # any exception from another package becomes one line for the user
        raise EngineError(
            f"the engine {name} cannot be loaded from {place}: {error}; install its package again"
        ) from error


def without_state(engine: Engine[Any]) -> Engine[Any]:
    """The engine in its initial state, with an empty cache and without any effect of the queries run in this session.

    Raises :class:`brvtui.engines.contract.EngineError` if a new instance is needed and cannot be loaded.
    """
    from brvtui.engines.contract import RemembersRuns, Replays

    if isinstance(engine, RemembersRuns):
        return engine.without_runs()
    return load(engine.name) if isinstance(engine, Replays) else engine


@lru_cache(100)  # bounded, because logs and saved traces may contain any names
def declaration(name: str) -> Engine[Any] | None:
    """The engine called ``name``, which must be used only to read its declarations; None if it cannot be loaded."""
    from brvtui.engines.contract import EngineError

    try:
        return load(name) if name == DEFAULT or name in names() else None
    except EngineError:
        return None


def has(name: str, capability: type) -> bool:
    """True if the engine ``name`` can be loaded and has ``capability``, a protocol from the contract."""
    return isinstance(declaration(name), capability)


def presentation(name: str) -> Presentation:
    """The presentation of traces from the engine ``name``; if the engine cannot be loaded, the basic one, with ``name``
    as the title.
    """
    from brvtui.engines.presentation import Presentation

    if (engine := declaration(name)) is not None:
        return engine.presentation
    shown = Presentation()
    shown.title = name
    return shown


def verdict_sentence(trace: Trace) -> str:
    """The sentence, in the engine's own words, that explains the answer in ``trace``."""
    from brvtui.paint.sentence import plain

    return plain(presentation(trace.engine).sentence(trace))


@cache
def _places() -> dict[str, str]:
    """The entry point of each engine, keyed by name. An external package cannot replace a built-in engine."""
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: point.value.startswith("brvtui."))
    return {point.name: point.value for point in points}
