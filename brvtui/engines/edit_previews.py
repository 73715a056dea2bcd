"""The answer to a query before and after a document is edited (*edit and see*). Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace import Hit, Origin


@dataclass(frozen=True, slots=True)
class Placement:
    """A rank, from 1, and the score of the result at this rank."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Moved:
    """A result of the current answer, of the answer after the edit, or of both. Its placement in an answer is None if
    the answer does not contain it.
    """

    path: str
    file: str
    title: str
    before: Placement | None
    after: Placement | None
    found_by: str = ""
    """The word whose entity search added the result; empty if the search for the whole query found it."""


@dataclass(frozen=True, slots=True, eq=False)
class EditPreviewState:
    """A document in one state, and the answer to the query in that state. There is no answer if the query is empty."""

    hits: tuple[Hit, ...]
    own: Hit | None
    """The document with the parts of its score; None if no term matches the document, or if V4 does not return it."""
    recency: float | None
    ceiling: float | None
    verdict: str = ""
    tier: int | None = None
    """The tier that answers; None for an engine without tiers."""
    outcome: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EditPreview:
    """The document at ``path`` in three states: unchanged, saved with a new time, and saved with the old time."""

    path: str
    now: EditPreviewState
    renewed: EditPreviewState
    kept: EditPreviewState
    keep_mtime: bool
    unseen: str = ""
    """The reason why the engine could not read the file after the edit; empty if it could."""

    @property
    def after(self) -> EditPreviewState:
        """The state after saving the document."""
        return self.kept if self.keep_mtime else self.renewed

    @property
    def results(self) -> tuple[Moved, ...]:
        """All results of both answers, in the order after the edit, followed by the results that the edit removes.

        A folder's ``context.md`` may appear twice: once as a note, and once as the folder that a note lifts.
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
        return tuple(
            Moved(hit.path, hit.file, hit.title, was.get(key), now.get(key), hit.found_by) for key, hit in found.items()
        )
