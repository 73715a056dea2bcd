"""Checks the health of a fleet: repeated, contradicting, unique and old notes, and members with unusual settings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.fleet.answering import Asker
from brvtui.fleet.comparing import SIMILAR, AlikeNotes, Contradiction, NotePlace, Sketches, alike_notes, contradictions
from brvtui.fleet.fleet_file import Absence, Member
from brvtui.fleet.questions import MemberState, StateRequest
from brvtui.fleet.sketches import SketchOf

STALE_DAYS = 180


@dataclass(frozen=True, slots=True)
class MemberHealth:
    """The health of one member, compared with the others."""

    name: str
    owner: str
    notes: int
    engine: str
    profile: str
    is_usual: bool
    """True if the engine and constants are the same as in most members."""
    repeated: int
    """The number of notes that are near-duplicates of another member's note."""
    contradicted: int
    """The number of notes that may contradict another member's note."""
    alone: int
    """The number of notes that are unique: no other member has a note with nearly the same text or the same title."""
    stale: int
    """The number of notes that have not changed for a long time."""
    oldest_days: float


@dataclass(frozen=True, slots=True)
class StaleNote:
    """A note that has not changed for a long time."""

    note: NotePlace
    days: float
    maturity: str


@dataclass(frozen=True, slots=True)
class FleetHealth:
    """The health of all members that answered."""

    stale_days: int
    least_likeness: float
    members: tuple[MemberHealth, ...]
    alike: tuple[AlikeNotes, ...]
    contradictions: tuple[Contradiction, ...]
    alone: tuple[NotePlace, ...]
    stale: tuple[StaleNote, ...]
    missing: tuple[Absence, ...]


def fleet_health(
    asker: Asker, members: Sequence[Member], stale_days: int = STALE_DAYS, minimum: float = SIMILAR
) -> FleetHealth:
    """Returns the health of ``members``. Notes with a similarity of at least ``minimum`` are near-duplicates."""
    replies = asker.ask(members, StateRequest())
    states: dict[str, MemberState] = replies.values
    able = [member for member in members if member.name in states]
    sketched = asker.ask(able, SketchOf())
    sketches: Sketches = sketched.values
    alike, lost = alike_notes(asker, able, sketches, minimum)
    candidates = contradictions(sketches)
    repeated = {place for group in alike for place in group.notes}
    contradicted = {place for one in candidates for place in (one.first, one.second)}
    alone = _alone(sketches, repeated)
    stale = sorted(
        (
            StaleNote(NotePlace(name, note.path, note.title), note.days, note.maturity)
            for name, sketch in sketches.items()
            for note in sketch.notes
            if note.days >= stale_days
        ),
        key=lambda one: (-one.days, one.note),
    )
    usual = Counter((one.engine, one.constants) for one in states.values()).most_common(1)
    repeats, contradicts, alones, stales = (
        Counter(place.member for place in places)
        for places in (repeated, contradicted, alone, [one.note for one in stale])
    )
    results = []
    for member in able:
        state, sketch = states[member.name], sketches.get(member.name)
        if sketch is None:
            continue
        results.append(
            MemberHealth(
                member.name,
                member.owner,
                len(sketch.notes),
                state.engine,
                state.profile,
                (state.engine, state.constants) == usual[0][0],
                repeats[member.name],
                contradicts[member.name],
                alones[member.name],
                stales[member.name],
                max((note.days for note in sketch.notes), default=0.0),
            )
        )
    missing = (*replies.missing, *sketched.missing, *lost)
    return FleetHealth(
        stale_days, minimum, tuple(results), tuple(alike), tuple(candidates), tuple(alone), tuple(stale), missing
    )


def _alone(sketches: Sketches, repeated: set[NotePlace]) -> list[NotePlace]:
    """Returns the notes whose title and text occur in no other member."""
    holders: dict[str, set[str]] = defaultdict(set)
    for name, sketch in sketches.items():
        for note in sketch.notes:
            holders[note.title.casefold().strip()].add(name)
    places = (
        NotePlace(name, note.path, note.title)
        for name, sketch in sketches.items()
        for note in sketch.notes
        if len(holders[note.title.casefold().strip()]) == 1
    )
    return [place for place in places if place not in repeated]
