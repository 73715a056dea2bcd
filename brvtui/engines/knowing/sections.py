"""The trace sections that are specific to knowing (``docs/reference/knowing.md``, "The trace")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace import Hit

ENGINE = "knowing"
"""The engine's name in settings, traces and files."""
PROFILES = (ENGINE, "knowing-code")
CHANNELS = ("tiered", "bm25", "equivalence", "path")
"""The channels, in the order of fusion."""
GAPS, VECTORS = "gaps", "vectors"
"""The names of the step that adds candidates by means of an embedder, and of the list of these candidates, which is
shown like a channel.
"""


@dataclass(frozen=True)
class FoundBy:
    """A channel that found a node of a note. Ranks start at 1."""

    channel: str
    rank: int
    why: str
    """The text that matched, such as a keyword, a phrase or a folder."""
    node: str
    """The title of the node that was found."""
    stand_ins: tuple[tuple[str, str], ...] = ()
    """Related words that match the node, each with the task word behind it."""


@dataclass(frozen=True)
class WayStep:
    """One step of a path: an edge, and the node that it leads to."""

    edge: str
    title: str
    forwards: bool
    """True if the edge is followed from its source to its target."""
    place: str
    """The id of the place on the map that the step leads to."""


@dataclass(frozen=True)
class WalkPath:
    """A path of the walk from a seed to a result, and its share of the result's probability."""

    seed: str
    seed_place: str
    steps: tuple[WayStep, ...]
    share: float


@dataclass(frozen=True)
class GraphPlace:
    """A place on the map: a note with its sections, or another node (a folder, keyword, file or missing target)."""

    id: str
    """The path of a note, or the id of another node."""
    title: str
    kind: str
    file: str
    """The path of the note; empty for other nodes."""
    walk: float
    """The walk probability of the place's best node as a share of the highest one."""
    is_seed: bool


@dataclass(frozen=True)
class GraphLink:
    """An edge between two places on the map."""

    source: str
    target: str
    forwards: str
    """The name of the edge as seen from its source, such as ``related``."""
    backwards: str
    """The name of the edge as seen from its target, such as ``related from``."""
    weight: float
    """The edge's weight in the walk."""


@dataclass(frozen=True)
class GraphMap:
    """The part of the graph around the first results."""

    places: tuple[GraphPlace, ...]
    links: tuple[GraphLink, ...]
    centres: tuple[str, ...]
    """The places around which the map is drawn. All of their heaviest links are included; other places have only links
    to places on the map.
    """


@dataclass(frozen=True)
class GraphResult:
    """A ranked note, represented by its best node: the whole note or a section."""

    hit: Hit
    node: str
    kind: str
    seed_weight: float | None
    """The note's weight as a seed; None if it is not a seed."""
    found_by: tuple[FoundBy, ...]
    fused_rank: int | None
    """The note's rank among the candidates, from 1; None if no channel found the note."""
    fused_score: float
    walk: float
    """The note's walk probability as a share of the highest one."""
    probability: float
    levels: int
    """The number of edges to the nearest seed."""
    ways: tuple[WalkPath, ...]
    other_ways: float
    """The share of the note's probability that arrives by paths other than ``ways``. All shares add up to 1."""
    authority: float
    hub: float
    tokens: int
    density: float
    is_packed: bool
    left: int
    """The number of tokens that were left before this result was tried."""
    turn: int
    """The note's place in the packing order, from 1."""
    beside: tuple[str, ...]
    """The titles of other ranked nodes in the same note, best first."""


@dataclass(frozen=True)
class ToldSeed:
    """A starting node of the walk, and the share of the probability that starts there."""

    title: str
    file: str
    share: float
    by_path: bool


@dataclass(frozen=True)
class ToldRound:
    """A round of the walk: its change, the probability in the graph, and the lost probability."""

    change: float
    """The sum of the absolute differences from the previous round."""
    mass: float
    """The probability in the graph. Together with ``lost_to_modules`` and ``lost_as_negligible``, it adds up to 1."""
    lost_to_modules: float
    lost_as_negligible: float


@dataclass(frozen=True)
class ToldWalk:
    """The walk: its seeds, its rounds, and the reason why it ended."""

    seeds: tuple[ToldSeed, ...]
    rounds: tuple[ToldRound, ...]
    ended: str
    restart: float
    most_rounds: int
    settled: float
    cutoff: float
    reached: int
    """The number of nodes that the walk reached."""
    kept: int
    """The number of possible results above the cutoff."""


@dataclass(frozen=True)
class NoiseNode:
    """A candidate rejected as noise, and the reason for its rejection."""

    title: str
    file: str
    why: str


@dataclass(frozen=True)
class NoteOnCode:
    """A note that mentions symbols in an answer."""

    note: str
    ranks: tuple[int, ...]
    """The ranks, from 1, of the mentioned symbols in the answer."""
    written: tuple[str, ...]
    """The distinct names of symbols and files, as written in the note."""


@dataclass(frozen=True)
class GraphRetrieval:
    """The details of an answer that are specific to this engine."""

    SECTION: ClassVar[str] = "graph_retrieval"
    entry: str
    """The kind of question: ``task``, ``files`` or ``changes``."""
    exact: tuple[str, ...]
    compounds: tuple[str, ...]
    components: tuple[str, ...]
    path_terms: tuple[str, ...]
    expression: str
    """The FTS5 expression that was searched."""
    text_error: str
    concepts: tuple[str, ...]
    """The equivalence classes with a phrase in the task."""
    candidates: tuple[str, ...]
    """The files of the fused candidates, best first."""
    noise: tuple[NoiseNode, ...]
    focus: str
    """The folder whose candidates were moved to the front; empty if there is no such folder."""
    walk: ToldWalk | None
    """The walk; None if there are no seeds."""
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
    """The number of ranked nodes that have a boost from a recent run."""
    judged: int
    """The number of ranked nodes whose score includes feedback."""
    deviations: tuple[str, ...]
    """The points where this profile follows the original program instead of its documentation."""
    notes_on_code: tuple[NoteOnCode, ...] = ()
    """The notes that mention the packed symbols, if a code repository has notes."""
    files_without_note: tuple[str, ...] = ()
    """The files of packed symbols that no note mentions, best first, without tests; empty if there are no notes."""
    pack_root: str = ""
    """The SHA-256, in hexadecimal, of the task and the packed texts. It does not depend on their order."""

    def placed(self, file: str) -> GraphResult | None:
        """The ranked note at ``file``; None if that note was not ranked."""
        return next((one for one in self.ranking if one.hit.file == file), None)
