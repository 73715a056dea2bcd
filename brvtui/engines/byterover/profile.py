"""ByteRover's constants, and the TOML profiles that set them.

``profiles/brv-3.toml`` contains every value; other profiles extend it and contain only the values that they change. No
threshold, weight or limit is written anywhere else in the code. Traces name constants by their dotted paths, such as
``direct.min_top``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from brvtui.engines import contract
from brvtui.engines.ageing.events import LEAVES_PROMPT, LEAVES_TIER_2, OF_NOTES
from brvtui.engines.profile_files import EngineVersion, profile_tables
from brvtui.engines.registry import DEFAULT_PROFILE, PROFILES
from brvtui.ladder import LadderRules
from brvtui.ranking.constants import CompoundRules, PruningRules, SignalRules
from brvtui.ranking.decay import DecayRules
from brvtui.services.legs import RequestPolicy
from brvtui.text.constants import TextRules
from brvtui.tree.constants import ArchiveRules, ReadingLimits
from brvtui.typed_tables import Count, CountLimit, Positive, PositiveLimit, Share, SizeLimit, typed

if TYPE_CHECKING:
    from brvtui.engines.ageing.rules import AgeingRules


@dataclass(frozen=True, slots=True)
class QueryRules:
    """The constants for reading a query."""

    stop_words: tuple[str, ...]
    and_min_words: int
    and_word_length: int


@dataclass(frozen=True, slots=True)
class SearchRules:
    """The limits and filters of one search."""

    limit: Count
    gap_ratio: float
    lift_factor: float
    lift_local_bonus: bool
    lift_source: Literal["relevance", "score"]
    """The value of a hit that is passed up to its parent folders: ``relevance`` [3.14] or ``score`` [doc]."""
    lift_signals: bool
    """True if a summary's stored signals affect its score [3.14]."""
    lift_contexts: bool
    """True if a folder without a summary can be a result because it has a ``context.md`` [3.14]."""
    excerpt_chars: Count
    excerpt_overlap: int
    excerpt_break: Share


@dataclass(frozen=True, slots=True)
class OutOfDomainRules:
    """The conditions under which a search discards its results although notes matched."""

    min_notes: int
    floor: float
    escape: float
    word_length: int
    matched_results: int
    """The number of first results that are examined [3.14]; 0 means the whole index [doc]."""
    compare: Literal["words", "tokens"]
    """The method of comparison: ``words`` [3.14] compares words with their punctuation to tokens; ``tokens`` [doc]
    compares tokens to tokens.
    """


@dataclass(frozen=True, slots=True)
class PathRules:
    """The scores of the results of a query that names a path."""

    note_score: float
    summary_score: float
    child_score: float
    leave_scope: bool
    """True if a scope with too few results makes the engine search the rest of the tree [3.14]."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """Constants of the router's cache."""

    capacity: Count
    ttl_seconds: Positive
    ttl_inclusive: bool
    fingerprint_seconds: float
    min_similarity: float
    min_tokens: int
    token_length: int


@dataclass(frozen=True, slots=True)
class EntityRules:
    """Constants for entity searches."""

    below: int
    stop_words: tuple[str, ...]
    word_length: int
    min_words: int
    searches: int
    limit: Count
    before_out_of_domain: bool


@dataclass(frozen=True, slots=True)
class DirectRules:
    """Constants for direct answers (tier 2)."""

    prefetch: float
    max_notes: SizeLimit
    min_top: float
    sure_top: float
    min_gap: float
    note_chars: SizeLimit


@dataclass(frozen=True, slots=True)
class CallRules:
    """Constants for one kind of model call."""

    max_tokens: CountLimit
    temperature: float
    max_iterations: CountLimit


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The limits on a model's tool calls, and the maximum size of a tool's results."""

    same_calls: CountLimit
    idle_turns: CountLimit
    note_chars: CountLimit
    most_listed: CountLimit


@dataclass(frozen=True, slots=True)
class RouterRules:
    """Constants for the router: the search limit, the tier logged for each outcome, and the documented latencies."""

    limit: Count
    not_covered_tier: int
    expected: tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class RetryRules:
    """The use of the retry ladder. If ``in_route`` is true, it is part of the route; otherwise, it is only advice."""

    in_route: bool


@dataclass(frozen=True, slots=True)
class NameRules:
    """Constants for the ladder's last step, which finds names that share trigrams with a word. ``least`` is the minimum
    Jaccard similarity, from 0 to 1.
    """

    least: float
    limit: int


@dataclass(frozen=True, slots=True)
class ManifestRules:
    """Token budgets of the manifest's lanes, and characters per token."""

    summaries: SizeLimit
    contexts: SizeLimit
    stubs: SizeLimit
    chars_per_token: PositiveLimit
    contexts_by: Literal["walk", "importance"]
    """The order of contexts: ``walk`` [3.14], as importance is not read, or ``importance`` [doc]."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of ByteRover's constants."""

    name: str
    summary: str
    engine: EngineVersion
    limits: ReadingLimits
    text: TextRules
    query: QueryRules
    score: CompoundRules
    decay: DecayRules
    signals: SignalRules
    pruning: PruningRules
    search: SearchRules
    out_of_domain: OutOfDomainRules
    paths: PathRules
    cache: CacheRules
    entities: EntityRules
    direct: DirectRules
    single_call: CallRules
    agentic_loop: CallRules
    agent: AgentRules
    router: RouterRules
    retry: RetryRules
    ladder: LadderRules
    names: NameRules
    service: RequestPolicy
    manifest: ManifestRules
    archive: ArchiveRules

    @property
    def stop_words(self) -> tuple[str, ...]:
        """The words that are ignored in queries."""
        return self.query.stop_words

    @property
    def ageing(self) -> AgeingRules:
        """The ageing constants."""
        from brvtui.engines.ageing.rules import AgeingRules

        gates = {LEAVES_TIER_2: self.direct.min_top, LEAVES_PROMPT: self.direct.prefetch}
        return AgeingRules(self.score, self.decay, self.signals, gates, OF_NOTES, self.pruning)


def load(source: str | Path = DEFAULT_PROFILE) -> Profile:
    """The built-in profile called ``source``, or the profile in the TOML file ``source``.

    Raises :class:`ProfileError` if there is no such profile or if a key or value in it is wrong.
    """
    return typed(Profile, profile_tables(source, PROFILES), "", str(source))


# The type of context that ByteRover's own functions take.


Context = contract.Context[Profile]
