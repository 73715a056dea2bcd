"""The answer to a query before and after a document is edited (*edit and see*). Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace import Hit, Origin


@dataclass(frozen=True, slots=True)
class Placement:
    """A rank, from 1, and the score there."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Moved:
    """A result of today's answer, of the one after the edit, or of both; None where it is not among them."""

    path: str
    file: str
    title: str
    before: Placement | None
    after: Placement | None


@dataclass(frozen=True, slots=True, eq=False)
class EditPreviewState:
    """A document in one state, and the answer to the query then; no answer to an empty query."""

    hits: tuple[Hit, ...]
    own: Hit | None
    """The document with the parts of its score; None when no term matches it, or where V4 does not return it."""
    recency: float | None
    ceiling: float | None
    verdict: str = ""
    tier: int | None = None
    """None of an engine without tiers."""
    outcome: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EditPreview:
    """The document at ``path`` as it is, saved with a new modification time, and saved with the old one; no cache."""

    path: str
    now: EditPreviewState
    renewed: EditPreviewState
    kept: EditPreviewState
    keep_mtime: bool
    unseen: str = ""
    """Why the engine would not read the file any more; empty when it would."""

    @property
    def after(self) -> EditPreviewState:
        """The state that saving leads to."""
        return self.kept if self.keep_mtime else self.renewed

    @property
    def results(self) -> tuple[Moved, ...]:
        """Every result of both answers, in the order after the edit; those that it loses come last.

        A folder's ``context.md`` may be one twice: as itself, and carried up from a note.
        """
        places: list[dict[tuple[str, str, Origin], Placement]] = []
        found: dict[tuple[str, str, Origin], Hit] = {}
        for state in (self.after, self.now):
            places.append({})
            for rank, hit in enumerate(state.hits, start=1):
                key = hit.path, hit.file, hit.origin
                places[-1][key] = Placement(rank, hit.score)
                found.setdefault(key, hit)
        now, was = places
        return tuple(Moved(hit.path, hit.file, hit.title, was.get(key), now.get(key)) for key, hit in found.items())
