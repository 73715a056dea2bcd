"""Which files a tree has, and which of them somebody may have meant."""

from __future__ import annotations

from rapidfuzz import fuzz, process

from brvtui.tree.reading.links import Names, normalised

_LEAST_LIKENESS = 85.0
_MOST_REMEMBERED = 256


class KnownFiles:
    """The markdown files of a tree; made once for many look-ups."""

    def __init__(self, names: Names) -> None:
        """``names`` are those of every file: notes, stubs, archived and derived ones."""
        self.names = names
        self._normalised = {path: normalised(path) for path in sorted(names.files)}
        self._nearest: dict[str, str | None] = {}

    def nearest(self, path: str) -> str | None:
        """The path that is most like ``path``, if one is; remembered, because it is asked again while typing."""
        wanted = normalised(path)
        if wanted not in self._nearest:
            if len(self._nearest) >= _MOST_REMEMBERED:
                self._nearest.clear()
            found = process.extractOne(wanted, self._normalised, scorer=fuzz.ratio, score_cutoff=_LEAST_LIKENESS)
            self._nearest[wanted] = found[2] if found else None
        return self._nearest[wanted]
