"""Sketches of notes, from which members are compared. Members compute them; they contain hashes but no text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from brvtui.fleet.fleet_file import FleetError
from brvtui.fleet.opening import OpenMember
from brvtui.installation import install_command
from brvtui.ranking.decay import days_since
from brvtui.text.analysis import terms
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.frontmatter import block_span
from brvtui.tree.reading.links import links_in

PERMUTATIONS = 64
SCHEME: Literal["affine32"] = "affine32"
"""The MinHash scheme. All members must use the same one."""
SHINGLE = 3
"""The number of words in a shingle, which is a sequence of consecutive words."""
_MOST_SHINGLES = 20_000
"""The maximum number of shingles per note. Of a longer note, only the beginning is compared."""
_NEEDS = "comparing notes needs the fleet extra where the notes are read"
_FACTS = re.compile(r"^##[ \t]+facts[ \t]*$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^#{1,2}[ \t]", re.MULTILINE)
_FACT = re.compile(r"^[ \t]*[-*][ \t]+(?:\*\*(?P<subject>[^*\n]+)\*\*:?[ \t]*)?(?P<statement>.+)$", re.MULTILINE)


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
    """The facts: for each line in the section Facts, digests of its subject (empty if it has none) and of its
    statement.
    """
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
        """Returns the sketches of all notes except stubs and ``context.md`` files.

        Raises FleetError if datasketch is not installed.
        """
        try:
            from datasketch import MinHash
        except ImportError as error:
            raise FleetError(f"{_NEEDS}: {install_command('fleet')}") from error
        snapshot, now_ms = opened.project.snapshot, opened.project.clock()
        notes, signatures = [], []
        for note, signals in zip(snapshot.notes, snapshot.signals, strict=True):
            if note.role is not Role.NOTE or note.alias:
                continue
            try:
                text = snapshot.text(note.path)
            except OSError:
                continue  # the note was removed after the last check
            hashes = shingle_hashes(_body(text))
            sketch = MinHash(num_perm=PERMUTATIONS, hashfunc=int, scheme=SCHEME)
            if len(hashes):
                sketch.update_batch((hashes & np.uint64(0xFFFFFFFF)).tolist())
            signatures.append(np.asarray(sketch.hashvalues, dtype=np.uint32))
            links = "\n".join(sorted({link.target.casefold() for link in links_in(text)}))
            notes.append(
                NoteSketch(
                    note.path,
                    note.title,
                    float(days_since(now_ms, note.mtime_ms)),
                    signals.maturity,
                    blake2b(hashes.tobytes(), digest_size=16).hexdigest(),
                    facts_of(text),
                    _digest(links) if links else "",
                )
            )
        matrix = np.stack(signatures) if signatures else np.zeros((0, PERMUTATIONS), dtype=np.uint32)
        return MemberSketch(tuple(notes), matrix)


@dataclass(frozen=True, slots=True)
class ShinglesOf:
    """Requests the hashed shingles of some notes, from which their exact similarity is computed."""

    paths: tuple[str, ...]

    def of(self, opened: OpenMember) -> dict[str, NDArray[np.uint64]]:
        """Returns the sorted hashes of each note, keyed by path. Missing notes are left out."""
        snapshot = opened.project.snapshot
        hashes = {}
        for path in self.paths:
            try:
                hashes[path] = shingle_hashes(_body(snapshot.text(path)))
            except OSError:
                continue
        return hashes


def shingle_hashes(text: str) -> NDArray[np.uint64]:
    """The sorted distinct hashes of the word triples in ``text``; for a shorter text, the hash of all its words."""
    words = terms(text)
    count = max(1, len(words) - SHINGLE + 1) if words else 0
    shingles = {" ".join(words[place : place + SHINGLE]) for place in islice(range(count), _MOST_SHINGLES)}
    return np.sort(np.asarray([_hash(one) for one in shingles], dtype=np.uint64))


def facts_of(text: str) -> tuple[tuple[str, str], ...]:
    """Returns digests of the subject and the statement of each line in the section Facts of a note."""
    heading = _FACTS.search(text)
    if heading is None:
        return ()
    end = _HEADING.search(text, heading.end())
    section = text[heading.end() : end.start() if end else len(text)]
    return tuple(
        (_digest_of_words(line["subject"] or ""), _digest_of_words(line["statement"]))
        for line in _FACT.finditer(section)
    )


def _digest_of_words(text: str) -> str:
    words = terms(text)
    return _digest(" ".join(words)) if words else ""


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hash(shingle: str) -> int:
    return int.from_bytes(blake2b(shingle.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def likeness(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> float:
    """Returns the Jaccard similarity of two sorted sets of hashes, from 0 to 1; 0 if both are empty."""
    both = len(np.intersect1d(first, second, assume_unique=True))
    either = len(first) + len(second) - both
    return both / either if either else 0.0


def _body(text: str) -> str:
    """Returns ``text`` without its frontmatter, so that dates and counts do not affect comparisons."""
    span = block_span(text)
    return text[span[1] :] if span else text
