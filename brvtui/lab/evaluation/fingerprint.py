"""What the answers of an engine depend on, in one digest: equal digests mean equal answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from brvtui import __version__
from brvtui.derived import Key
from brvtui.disk.walking import walk
from brvtui.engines.contract import Context, Engine, Query
from brvtui.services.requests import ServiceError
from brvtui.snapshot import Snapshot

_SNAPSHOT: Key[str] = Key("digest of everything that answers depend on")


def answers_digest(engine: Engine[Any], context: Context[Any], like: Query) -> str:
    """The digest of what ``engine`` answers from in ``context``, asked like ``like``, but for words, scope and time.

    It covers the files and signals of the snapshot and their order, constants, options, what users said of results,
    and the code of the program. Empty where answers also depend on a service, which may change by itself, and over
    code.
    """
    services = context.services
    try:
        may_change = like.may_ask or services.embedder is not None or services.reranker is not None
        said = list(services.feedback(engine.name).said())
    except (OSError, ServiceError):
        return ""
    if may_change or context.snapshot.is_code:
        return ""
    parts = (
        __version__,
        engine.name,
        _code_of(type(engine).__module__.partition(".")[0]),
        _digest_of(context.snapshot),
        repr(context.constants),
        repr(sorted(like.options.items())),
        repr(said),
    )
    return _hashed(parts)


def _digest_of(snapshot: Snapshot) -> str:
    return snapshot.derived.of(_SNAPSHOT, lambda: _hashed(_lines(snapshot)))


def _lines(snapshot: Snapshot) -> Iterator[str]:
    """Everything of ``snapshot`` that is not computed of something else here, as texts."""
    project = snapshot.project
    yield repr((project, snapshot.limits, snapshot.stored.broken, snapshot.engine_failure, snapshot.unseen))
    yield repr(snapshot.frontmatter_defaults)
    yield "\n".join(note.path for note in snapshot.notes)
    for path in sorted(snapshot.parsed):
        entry = snapshot.parsed[path]
        yield f"{path}\0{entry.alias}\0{entry.mtime_ns}\0{entry.size}\0{entry.inode}\0{entry.ctime_ns}\0{entry.unseen}"
    yield repr(snapshot.signals)
    yield repr(sorted(snapshot.summary_signals.items()))
    yield repr(sorted(snapshot.edited.items()))
    for space in snapshot.spaces:
        yield repr((space.folder, space.markdown, space.signals, space.port, space.unseen))


@cache
def _code_of(package: str) -> str:
    """The size and time of every source file of ``package``, so that answers of other code are not taken for its."""
    module = import_module(package)
    files = [Path(module.__file__)] if module.__file__ else []
    for folder in getattr(module, "__path__", ()):
        files += [Path(entry.path) for entry, path in walk(folder) if path.endswith((".py", ".toml"))]
    states = ((file, file.stat()) for file in files if file.is_file())
    return _hashed(sorted(f"{file}\0{state.st_mtime_ns}\0{state.st_size}" for file, state in states))


def _hashed(parts: Iterable[str]) -> str:
    made = hashlib.sha256()
    for part in parts:
        made.update(part.encode("utf-8", "surrogatepass"))
        made.update(b"\0\n")
    return made.hexdigest()
