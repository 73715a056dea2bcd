"""Sketches of notes, for comparing members. Members compute them; they contain hashes but no text."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from brvtui.fleet.opening import OpenMember
from brvtui.lab.health.likeness import PERMUTATIONS, body, shingle_hashes, signature
from brvtui.lab.health.statements import claims
from brvtui.ranking.decay import days_since
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.links import links_in


@dataclass(frozen=True, slots=True)
class NoteSketch:
    """The sketch of one note."""

    path: str
    title: str
    days: float
    """The number of days since the note's file changed."""
    maturity: str
    digest: str
    """A digest of the words. Notes with the same words in the same order have the same digest."""
    facts: tuple[tuple[str, str], ...]
    """Digests of the subject and of the value of each claim (:func:`brvtui.lab.health.statements.claims`)."""
    links: str
    """A digest of the targets of the links; empty if there are no links."""


@dataclass(frozen=True, slots=True, eq=False)
class MemberSketch:
    """The notes of a member, with the MinHash signature of each."""

    notes: tuple[NoteSketch, ...]
    signatures: NDArray[np.uint32]
    """The MinHash signatures, with the shape (notes, PERMUTATIONS)."""


@dataclass(frozen=True, slots=True)
class SketchOf:
    """Requests the :class:`MemberSketch`. Reads every note."""

    def of(self, opened: OpenMember) -> MemberSketch:
        """Returns the sketches of all notes except stubs and ``context.md`` files."""
        snapshot, now_ms = opened.project.snapshot, opened.project.clock()
        notes, signatures = [], []
        for note, signals in zip(snapshot.notes, snapshot.signals, strict=True):
            if note.role is not Role.NOTE or note.alias:
                continue
            try:
                text = snapshot.text(note.path)
            except OSError:
                continue  # the note was removed after the last check
            hashes = shingle_hashes(body(text))
            signatures.append(signature(hashes))
            links = "\n".join(sorted({link.target.casefold() for link in links_in(text)}))
            notes.append(
                NoteSketch(
                    note.path,
                    note.title,
                    float(days_since(now_ms, note.mtime_ms)),
                    signals.maturity,
                    blake2b(hashes.tobytes(), digest_size=16).hexdigest(),
                    tuple((_digest(subject), _digest(value)) for subject, value in claims(body(text))),
                    _digest(links) if links else "",
                )
            )
        matrix = np.stack(signatures) if signatures else np.zeros((0, PERMUTATIONS), dtype=np.uint32)
        return MemberSketch(tuple(notes), matrix)


@dataclass(frozen=True, slots=True)
class ShinglesOf:
    """Requests the hashed shingles of some notes, to compute their exact similarity."""

    paths: tuple[str, ...]

    def of(self, opened: OpenMember) -> dict[str, NDArray[np.uint64]]:
        """Returns the sorted hashes of each note, keyed by path. Missing notes are left out."""
        snapshot = opened.project.snapshot
        hashes = {}
        for path in self.paths:
            try:
                hashes[path] = shingle_hashes(body(snapshot.text(path)))
            except OSError:
                continue
        return hashes


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
