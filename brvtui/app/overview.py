"""What header, tree and empty state show, gathered from a snapshot in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.glyphs import MATURITIES
from brvtui.app.view import Branch, NoteLine, Overview

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.tree.hierarchy import Symbol

_MOST_IMPORTANT = 6


def survey(snapshot: Snapshot) -> Overview:
    """The overview of ``snapshot``."""
    maturity = {note.path: signals.maturity for note, signals in zip(snapshot.notes, snapshot.signals, strict=True)}
    kinds = {note.path: note.kind.value for note in snapshot.notes}
    pairs = [pair for pair in zip(snapshot.notes, snapshot.signals, strict=True) if pair[0].kind.value == "context"]
    pairs.sort(key=lambda pair: (-pair[1].importance, pair[0].path))
    return Overview(
        project=snapshot.project.name,
        notes=len(snapshot.notes),
        counts=_counts(list(maturity.values())),
        unseen=tuple((file.path, file.reason) for file in snapshot.unseen),
        roots=tuple(_branch(symbol, maturity, kinds) for symbol in snapshot.hierarchy.roots),
        important=tuple(
            NoteLine(note.path, note.title, signals.maturity, signals.importance)
            for note, signals in pairs[:_MOST_IMPORTANT]
        ),
        notices=snapshot.notices,
        maturity=maturity,
        fingerprint=snapshot.fingerprint,
        generation=snapshot.generation,
    )


def _counts(levels: list[str]) -> tuple[int, int, int]:
    draft, validated, core = (levels.count(level) for level in MATURITIES)
    return draft, validated, core


def _branch(symbol: Symbol, maturity: dict[str, str], kinds: dict[str, str]) -> Branch:
    if not symbol.is_folder:
        level = maturity.get(symbol.path, "")
        kind = kinds.get(symbol.path, "")
        return Branch(symbol.path, symbol.name, False, kind, level, (), _counts([level]))
    children = tuple(_branch(child, maturity, kinds) for child in symbol.children)
    draft, validated, core = (sum(child.counts[level] for child in children) for level in range(3))
    return Branch(symbol.path, symbol.name, True, symbol.kind, "", children, (draft, validated, core))
