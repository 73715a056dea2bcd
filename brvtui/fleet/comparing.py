"""Compares the notes of several members to find near-duplicates and possible contradictions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from brvtui.fleet.answering import Asker
from brvtui.fleet.fleet_file import Absence, Member
from brvtui.fleet.sketches import MemberSketch, NoteSketch, ShinglesOf
from brvtui.lab.health.likeness import likeness, near_pairs

SIMILAR = 0.8
"""The minimum similarity of near-duplicates: the Jaccard similarity of their sets of word triples."""
_ASKED_BELOW = 0.6
"""The minimum similarity that MinHash must estimate before the exact similarity is computed.

It is lower than :data:`SIMILAR`, because estimates can be too low.
"""
_MOST_COMPARED = 50
"""The maximum number of notes that one note is compared with because of the same title or a similar MinHash."""


@dataclass(frozen=True, slots=True, order=True)
class NotePlace:
    """A note of a member."""

    member: str
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class AlikeNotes:
    """Notes of at least two members with nearly the same text."""

    likeness: float
    """The lowest exact similarity among the pairs that connect the group, from 0 to 1."""
    notes: tuple[NotePlace, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A possible contradiction, for a person to check: two notes on the same subject with different facts."""

    first: NotePlace
    second: NotePlace
    same: str
    """The property that both notes share: ``title`` or ``links``."""
    other_statements: int
    """The number of subjects about which the two notes state different things."""
    only_first: int
    """The number of facts that only the first note contains."""
    only_second: int


Sketches = Mapping[str, MemberSketch]


def alike_notes(
    asker: Asker, members: Sequence[Member], sketches: Sketches, minimum: float = SIMILAR
) -> tuple[list[AlikeNotes], tuple[Absence, ...]]:
    """Returns groups of near-duplicates across members, most similar first, and the members that sent no shingles.

    Notes with equal words need no comparison. For all others, MinHash finds candidates, whose exact similarity is
    computed.
    """
    by_digest: dict[str, list[NotePlace]] = defaultdict(list)
    signatures: dict[str, NDArray[np.uint32]] = {}
    for name, sketch in sketches.items():
        for note, signature in zip(sketch.notes, sketch.signatures, strict=True):
            by_digest[note.digest].append(NotePlace(name, note.path, note.title))
            signatures.setdefault(note.digest, signature)
    pairs = [
        (one, other)
        for one, other in _near(signatures, minimum * _ASKED_BELOW / SIMILAR)
        if len({place.member for place in (*by_digest[one], *by_digest[other])}) > 1
    ]
    shingles, missing = _shingles(asker, members, {digest: by_digest[digest][0] for pair in pairs for digest in pair})
    groups: dict[str, str] = {digest: digest for digest in by_digest}
    verified: dict[tuple[str, str], float] = {}
    for one, other in pairs:
        if one in shingles and other in shingles and (alike := likeness(shingles[one], shingles[other])) >= minimum:
            verified[one, other] = alike
            groups[_root(groups, other)] = _root(groups, one)
    together: dict[str, list[str]] = defaultdict(list)
    for digest in by_digest:
        together[_root(groups, digest)].append(digest)
    result = []
    for digests in together.values():
        places = sorted(place for digest in digests for place in by_digest[digest])
        if len({place.member for place in places}) > 1:
            own = [alike for pair, alike in verified.items() if pair[0] in digests]
            result.append(AlikeNotes(min(own, default=1.0), tuple(places)))
    return sorted(result, key=lambda one: (-one.likeness, -len(one.notes), one.notes)), missing


def _near(signatures: Mapping[str, NDArray[np.uint32]], threshold: float) -> Iterator[tuple[str, str]]:
    digests = list(signatures)
    for one, other in near_pairs(np.stack(list(signatures.values())), threshold) if digests else ():
        yield digests[one], digests[other]


def _shingles(
    asker: Asker, members: Sequence[Member], wanted: Mapping[str, NotePlace]
) -> tuple[dict[str, NDArray[np.uint64]], tuple[Absence, ...]]:
    by_member: dict[str, list[NotePlace]] = defaultdict(list)
    for place in wanted.values():
        by_member[place.member].append(place)
    questions = [
        (member, ShinglesOf(tuple(place.path for place in by_member[member.name])))
        for member in members
        if member.name in by_member
    ]
    replies = asker.ask_each(questions)
    answers = replies.values
    shingles = {
        digest: answers[place.member][place.path]
        for digest, place in wanted.items()
        if place.path in answers.get(place.member, {})
    }
    return shingles, replies.missing


def _root(groups: dict[str, str], digest: str) -> str:
    while groups[digest] != digest:
        groups[digest] = groups[groups[digest]]
        digest = groups[digest]
    return digest


def contradictions(sketches: Sketches) -> list[Contradiction]:
    """Returns pairs of notes of different members that have the same title or links, but different facts.

    Pairs with different statements on the same subject come first. Notes without facts are left out.
    """
    pairs: dict[tuple[NotePlace, NotePlace], Contradiction] = {}
    digests = {name: {note.digest for note in sketch.notes} for name, sketch in sketches.items()}
    for same in ("title", "links"):
        by_key: dict[str, list[tuple[NotePlace, NoteSketch]]] = defaultdict(list)
        for name, sketch in sketches.items():
            for note in sketch.notes:
                key = note.title.casefold().strip() if same == "title" else note.links
                if key and note.facts:
                    by_key[key].append((NotePlace(name, note.path, note.title), note))
        for notes in by_key.values():
            for (first, one), (second, other) in combinations(notes[:_MOST_COMPARED], 2):
                if first.member == second.member or (first, second) in pairs:
                    continue
                if same == "links" and (one.digest in digests[second.member] or other.digest in digests[first.member]):
                    continue  # the other member also has this note, and does not contradict itself
                contradiction = _differing(first, one, second, other, same)
                if contradiction is not None:
                    pairs[first, second] = contradiction
    return sorted(pairs.values(), key=lambda one: (-one.other_statements, one.first, one.second))


def _differing(
    first: NotePlace, one: NoteSketch, second: NotePlace, other: NoteSketch, same: str
) -> Contradiction | None:
    facts, others = set(one.facts), set(other.facts)
    if facts == others:
        return None
    ours, theirs = ({subject for subject, _ in side if subject} for side in (facts, others))
    changed = {subject for subject in ours & theirs if _statements(facts, subject) != _statements(others, subject)}
    return Contradiction(first, second, same, len(changed), len(facts - others), len(others - facts))


def _statements(facts: set[tuple[str, str]], subject: str) -> set[str]:
    return {statement for about, statement in facts if about == subject}
