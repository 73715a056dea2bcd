"""What only a trace of knowing holds (``docs/knowing.md``, "The trace")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace import Hit

ENGINE = "knowing"
"""The engine's name in settings, traces and files."""
PROFILES = (ENGINE, "knowing-code")
CHANNELS = ("tiered", "bm25", "equivalence", "path")
"""The channels, in the order in which they are fused."""
GAPS, VECTORS = "gaps", "vectors"
"""The step in which an embedder adds candidates, and the name of what found these."""


@dataclass(frozen=True)
class FoundBy:
    """A channel that found a node of a note. The rank counts from 1."""

    channel: str
    rank: int
    why: str
    """What matched: a keyword, a phrase, a folder."""
    node: str
    """The title of the node that was found."""
    stand_ins: tuple[tuple[str, str], ...] = ()
    """Words of the node that full text was asked for too, each with the word of the task that it stands for."""


@dataclass(frozen=True)
class WayStep:
    """One step of a way: the edge that was followed, and where it led."""

    edge: str
    title: str
    forwards: bool
    """Whether the edge was followed from its source to its target."""
    place: str
    """Where it led, as a place of the map."""


@dataclass(frozen=True)
class ToldWay:
    """A way of the walk from a seed to a result, and the share of the result's probability that came over it."""

    seed: str
    seed_place: str
    steps: tuple[WayStep, ...]
    share: float


@dataclass(frozen=True)
class GraphPlace:
    """A place of the map: a note with its sections, or another node (a folder, a keyword, a file, a missing target)."""

    id: str
    """A note's path, or the id of another node."""
    title: str
    kind: str
    file: str
    """The note's path; empty for what is no note."""
    walk: float
    """The walk's probability of the best of its nodes, as a share of the greatest."""
    is_seed: bool


@dataclass(frozen=True)
class GraphLink:
    """An edge between two places of the map."""

    source: str
    target: str
    forwards: str
    """How it reads from its source: ``related``."""
    backwards: str
    """How it reads from its target: ``related from``."""
    weight: float
    """The weight that the walk gives it."""


@dataclass(frozen=True)
class GraphMap:
    """The part of the graph around the first results."""

    places: tuple[GraphPlace, ...]
    links: tuple[GraphLink, ...]
    centres: tuple[str, ...]
    """The places whose heaviest links are all here; of another, only its links to these are."""


@dataclass(frozen=True)
class GraphResult:
    """A note that was ranked: by the best of its nodes, its text as a whole or one of its sections."""

    hit: Hit
    node: str
    kind: str
    seed_weight: float | None
    """None for a node that only the walk reached."""
    found_by: tuple[FoundBy, ...]
    fused_rank: int | None
    """From 1, among the candidates; None for one that no channel put there."""
    fused_score: float
    walk: float
    """The walk's probability as a share of the greatest."""
    probability: float
    levels: int
    """How many edges it is from a seed."""
    ways: tuple[ToldWay, ...]
    other_ways: float
    """The share of its probability that came over all other ways; with the ways' shares it sums to 1."""
    authority: float
    hub: float
    tokens: int
    density: float
    is_packed: bool
    left: int
    """The tokens that were left when its turn came."""
    turn: int
    """Its place in the order of packing, from 1."""
    beside: tuple[str, ...]
    """Other nodes of the same note that were ranked, too, best first."""


@dataclass(frozen=True)
class ToldSeed:
    """Where the walk starts, and the share of its walkers that start here."""

    title: str
    file: str
    share: float
    by_path: bool


@dataclass(frozen=True)
class ToldRound:
    """A round of the walk: how much probability moved, how much is in the graph, and what has leaked."""

    change: float
    """The sum of the differences from the round before."""
    mass: float
    """With ``lost_to_modules`` and ``lost_as_negligible`` it sums to 1."""
    lost_to_modules: float
    lost_as_negligible: float


@dataclass(frozen=True)
class ToldWalk:
    """The walk: its seeds, its rounds, and why it ended."""

    seeds: tuple[ToldSeed, ...]
    rounds: tuple[ToldRound, ...]
    ended: str
    restart: float
    most_rounds: int
    settled: float
    cutoff: float
    reached: int
    """How many nodes it reached."""
    kept: int
    """How many of these are possible results above the cutoff."""


@dataclass(frozen=True)
class NoiseNode:
    """A candidate that is no seed, and why."""

    title: str
    file: str
    why: str


@dataclass(frozen=True)
class NoteOnCode:
    """A note that speaks of symbols of an answer."""

    note: str
    ranks: tuple[int, ...]
    """The places of these symbols in the answer, from 1."""
    written: tuple[str, ...]
    """What the note writes for them, each once: names of symbols and files."""


@dataclass(frozen=True)
class GraphRetrieval:
    """Everything that the retrieval did, beside what all traces hold."""

    SECTION: ClassVar[str] = "graph_retrieval"
    entry: str
    """Whether the question is a ``task``, or names ``files`` or ``changes``."""
    exact: tuple[str, ...]
    compounds: tuple[str, ...]
    components: tuple[str, ...]
    path_terms: tuple[str, ...]
    expression: str
    """What FTS5 was asked for."""
    text_error: str
    concepts: tuple[str, ...]
    """The classes of which the task holds a phrase."""
    candidates: tuple[str, ...]
    """The files of the candidates after fusion, in their order."""
    noise: tuple[NoiseNode, ...]
    focus: str
    """The folder whose candidates were moved to the front; empty for none."""
    walk: ToldWalk | None
    """None without a seed."""
    ranking: tuple[GraphResult, ...]
    """Every ranked note, best first."""
    map: GraphMap
    budget: int
    used: int
    exponent: float
    strategy: str
    context: str
    """The packed context, as an agent would get it."""
    nodes: int
    edges: int
    broken_links: int
    session: int
    """How many ranked nodes weigh more because a run packed them a short time ago."""
    judged: int
    """How many ranked nodes weigh more or less for what users said of them."""
    deviations: tuple[str, ...]
    """Where this profile does what the running program does, and the document does not say."""
    notes_on_code: tuple[NoteOnCode, ...] = ()
    """Over code with notes: the notes that speak of the packed symbols."""
    files_without_note: tuple[str, ...] = ()
    """Over code with notes: the files of the packed symbols, tests aside, of which no note speaks, best first."""
    pack_root: str = ""
    """What names the packed context: SHA-256 in hexadecimal of the task and of each packed text, in whatever order."""

    def placed(self, file: str) -> GraphResult | None:
        """The ranked note at ``file``; None when it was not ranked."""
        return next((one for one in self.ranking if one.hit.file == file), None)
