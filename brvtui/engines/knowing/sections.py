"""The sections of a trace that only knowing has (``docs/reference/knowing.md``, "The trace")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace import Hit

ENGINE = "knowing"
"""The engine's name in settings, traces and files."""
PROFILES = (ENGINE, "knowing-code")
CHANNELS = ("tiered", "bm25", "equivalence", "path")
"""The channels, in order of fusion."""
GAPS, VECTORS = "gaps", "vectors"
"""The name of the step in which an embedder adds candidates, and the name of its pseudo-channel."""


@dataclass(frozen=True)
class FoundBy:
    """A channel that found a node of a note. Ranks start at 1."""

    channel: str
    rank: int
    why: str
    """The match: a keyword, a phrase or a folder."""
    node: str
    """The title of the found node."""
    stand_ins: tuple[tuple[str, str], ...] = ()
    """Related words that match the node, each with its word of the task."""


@dataclass(frozen=True)
class WayStep:
    """One step of a path: an edge and the node that it leads to."""

    edge: str
    title: str
    forwards: bool
    """True if the edge is followed from its source to its target."""
    place: str
    """The id of the reached place on the map."""


@dataclass(frozen=True)
class WalkPath:
    """A path of the walk from a seed to a result, and its share of the result's probability."""

    seed: str
    seed_place: str
    steps: tuple[WayStep, ...]
    share: float


@dataclass(frozen=True)
class GraphPlace:
    """A place on the map: a note with its sections, or another node (a folder, a keyword, a file, a missing target)."""

    id: str
    """The path of a note, or the id of another node."""
    title: str
    kind: str
    file: str
    """The path of the note; empty for other nodes."""
    walk: float
    """The walk probability of its best node as a share of the highest one."""
    is_seed: bool


@dataclass(frozen=True)
class GraphLink:
    """An edge between two places on the map."""

    source: str
    target: str
    forwards: str
    """Its name seen from the source: ``related``."""
    backwards: str
    """Its name seen from the target: ``related from``."""
    weight: float
    """The edge's weight in the walk."""


@dataclass(frozen=True)
class GraphMap:
    """The part of the graph around the first results."""

    places: tuple[GraphPlace, ...]
    links: tuple[GraphLink, ...]
    centres: tuple[str, ...]
    """The places whose heaviest links are all included. Other places have only their links to included places."""


@dataclass(frozen=True)
class GraphResult:
    """A ranked note. It is represented by its best node: the whole note or a section."""

    hit: Hit
    node: str
    kind: str
    seed_weight: float | None
    """The weight of a seed; None if only the walk reached the note."""
    found_by: tuple[FoundBy, ...]
    fused_rank: int | None
    """The rank among the candidates, from 1; None if no channel found it."""
    fused_score: float
    walk: float
    """Its walk probability as a share of the highest one."""
    probability: float
    levels: int
    """The number of edges to the nearest seed."""
    ways: tuple[WalkPath, ...]
    other_ways: float
    """The share of its probability from all other paths. With the shares of ``ways``, it sums to 1."""
    authority: float
    hub: float
    tokens: int
    density: float
    is_packed: bool
    left: int
    """The number of tokens left before this result."""
    turn: int
    """Its place in the packing order, from 1."""
    beside: tuple[str, ...]
    """The titles of other ranked nodes of the same note, best first."""


@dataclass(frozen=True)
class ToldSeed:
    """A start of the walk, and the share of walkers that start there."""

    title: str
    file: str
    share: float
    by_path: bool


@dataclass(frozen=True)
class ToldRound:
    """A round of the walk: the change, the probability still in the graph, and the lost probability."""

    change: float
    """The sum of the absolute differences from the previous round."""
    mass: float
    """The probability in the graph. With ``lost_to_modules`` and ``lost_as_negligible``, it sums to 1."""
    lost_to_modules: float
    lost_as_negligible: float


@dataclass(frozen=True)
class ToldWalk:
    """The walk: its seeds, its rounds, and the reason for its end."""

    seeds: tuple[ToldSeed, ...]
    rounds: tuple[ToldRound, ...]
    ended: str
    restart: float
    most_rounds: int
    settled: float
    cutoff: float
    reached: int
    """The number of nodes that it reached."""
    kept: int
    """The number of possible results above the cutoff."""


@dataclass(frozen=True)
class NoiseNode:
    """A candidate rejected as noise, and the reason."""

    title: str
    file: str
    why: str


@dataclass(frozen=True)
class NoteOnCode:
    """A note that mentions symbols of an answer."""

    note: str
    ranks: tuple[int, ...]
    """The ranks of these symbols in the answer, from 1."""
    written: tuple[str, ...]
    """The names of symbols and files in the note, without duplicates."""


@dataclass(frozen=True)
class GraphRetrieval:
    """The details of a retrieval that only this engine has."""

    SECTION: ClassVar[str] = "graph_retrieval"
    entry: str
    """The kind of the question: ``task``, ``files`` or ``changes``."""
    exact: tuple[str, ...]
    compounds: tuple[str, ...]
    components: tuple[str, ...]
    path_terms: tuple[str, ...]
    expression: str
    """The FTS5 expression."""
    text_error: str
    concepts: tuple[str, ...]
    """The classes with a phrase in the task."""
    candidates: tuple[str, ...]
    """The files of the fused candidates, best first."""
    noise: tuple[NoiseNode, ...]
    focus: str
    """The folder whose candidates were moved to the front; empty if there is none."""
    walk: ToldWalk | None
    """The walk; None if there is no seed."""
    ranking: tuple[GraphResult, ...]
    """Every ranked note, best first."""
    map: GraphMap
    budget: int
    used: int
    exponent: float
    strategy: str
    context: str
    """The packed context as an agent would receive it."""
    nodes: int
    edges: int
    broken_links: int
    session: int
    """The number of ranked nodes with a boost from a recent run."""
    judged: int
    """The number of ranked nodes whose score includes feedback."""
    deviations: tuple[str, ...]
    """The points at which this profile follows the running program, not its documentation."""
    notes_on_code: tuple[NoteOnCode, ...] = ()
    """For code with notes: the notes that mention the packed symbols."""
    files_without_note: tuple[str, ...] = ()
    """For code with notes: the files of the packed symbols that no note mentions, without tests, best first."""
    pack_root: str = ""
    """The SHA-256 of the task and the packed texts in any order, in hexadecimal."""

    def placed(self, file: str) -> GraphResult | None:
        """The ranked note at ``file``; None if it was not ranked."""
        return next((one for one in self.ranking if one.hit.file == file), None)
