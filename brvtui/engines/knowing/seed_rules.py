"""The constants for keywords, channels, fusion, seeds, the use of results, and recent runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from brvtui.typed_tables import Count, CountLimit, Positive, Range, Share

AnyCount = Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class KeywordRules:
    """Constants for extracting keywords from a task. Lengths are in UTF-8 bytes."""

    trimmed: str
    """Characters stripped from both ends of a word."""
    quoted_most: Count
    """The maximum length of an identifier between back-ticks."""
    code_least: Count
    code_most: Count
    prose_abbreviations: tuple[str, ...]
    """Words that contain dots but are not code."""
    capital_least: Count
    """If the noun after a verb is at least this long, its capitalized form is also searched."""
    part_least: Count
    bigram_least: Count
    bigram_long: Count
    """The minimum length of the longer word in a bigram."""
    bigram_without: str
    """Words that contain one of these characters are not used in bigrams."""
    bigram_fillers: bool
    """True if fillers (``each``, ``some``) are allowed in bigrams."""
    bigrams_are_compounds: bool
    """True if bigrams are compounds, as documented. In the original program, they are the last components."""
    stop_words: tuple[str, ...]
    verbs: tuple[str, ...]
    fillers: tuple[str, ...]
    abbreviations: dict[str, str]


@dataclass(frozen=True, slots=True)
class TieredRules:
    """The conditions for each pass that matches names, and the maximum number of results after the pass."""

    prefix_below: Count
    prefix_most: CountLimit
    components_below: Count
    """Components are searched if there are fewer results than this."""
    substring_below: Count
    substring_most: CountLimit
    substring_least: Count
    """The minimum length of a keyword for substring search."""
    path_below: Count
    path_most: CountLimit
    path_least: Count
    wildcards: bool
    """True if ``_`` and ``%`` in a keyword are wildcards, as in the original program's LIKE."""


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """The weight of each column of the full-text index."""

    symbol_name: float
    concepts: float
    qualified_name: float
    signature: float
    file_path: float
    doc: float

    @property
    def weights(self) -> tuple[float, ...]:
        """The column weights as a tuple, in column order."""
        return (self.symbol_name, self.concepts, self.qualified_name, self.signature, self.file_path, self.doc)


@dataclass(frozen=True, slots=True)
class FullTextRules:
    """Constants for full-text search and the texts that it searches."""

    limit: CountLimit
    columns: ColumnRules
    primary_alone: bool
    """True if components are searched only if there are no other keywords, as in the original program. False if all
    keywords are searched.
    """
    phrases: AnyCount
    """The number of pairs of neighbouring components that are searched as phrases."""
    phrase_least: Count
    decomposed_least: Count
    decomposed_segments: Count
    """If whole names match nothing, this many of the last segments of a dotted name are searched."""
    decomposed_each: bool
    """True if each compound without a match is split into its parts, as documented. Otherwise, as in the original
    program, compounds are split only if nothing matches, and then all of them.
    """
    expansions: AnyCount
    quoted: bool
    """True if every term is quoted. Without quotes, as in the original program, a term like ``server-side`` makes the
    channel fail.
    """
    acronyms: bool
    """True if names are split before the last capital of a run (``HTML Parser``), as in the original program.
    Otherwise, they are split only after a lower-case letter or a digit (``SQLite Store``), as documented.
    """
    camel_least: Count
    concept_least: Count
    plain_folders: tuple[str, ...]
    """Generic folder names, which do not describe the subject of the files in them."""
    extensions: tuple[str, ...]
    """File extensions, which mark the end of the path in a qualified name."""
    thesaurus: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoteClassRules:
    """Constants for equivalence classes built from the keywords and tags of notes."""

    weight: Share
    least: Count
    """The minimum length of a phrase."""
    most_notes: Count
    """A phrase shared by more notes than this is ignored."""


@dataclass(frozen=True, slots=True)
class EquivalenceRules:
    """Constants for classes of phrases that are mapped to names."""

    verbs: tuple[str, ...]
    """Verbs that are combined with the phrases of the general classes."""
    target_least: Count
    generic_targets: tuple[str, ...]
    """Names that are not resolved because too many symbols share them."""
    strong_phrases: Count
    injected_weight: float
    """The minimum weight that moves strong matches from ``injected_source`` to the top of the answer."""
    injected_source: str
    per_result: float
    """The maximum number of nodes in the channel for each result by name or by full text."""
    cap_least: AnyCount
    """The number of nodes that the channel may always contain, regardless of the number of results."""
    alias_nodes: AnyCount
    """The number of first results of the name channel that get classes made of their neighbours' names."""
    alias_types: tuple[str, ...]
    """The types of edges to the neighbours that classes are built from."""
    alias_weight: float
    alias_least: Count
    alias_generic_words: tuple[str, ...]
    of_notes: NoteClassRules
    language_sample: Count
    """The approximate number of names checked to detect the language of a repository."""
    languages: dict[str, str]
    """The language for each marker in a qualified name. Markers with an empty language are ignored."""


@dataclass(frozen=True, slots=True)
class PathChannelRules:
    """Constants for task words that name folders, and for the nodes in these folders."""

    terms: CountLimit
    term_least: Count
    trimmed: str
    without: str
    """Words that contain one of these characters are not treated as folder names."""
    rich_most: AnyCount
    lean_most: AnyCount
    other_most: AnyCount
    scanned: CountLimit
    by_member: AnyCount
    """The maximum number of types with a matching member."""
    members_by_all: bool
    """True if a member's own name may match any keyword of at least ``term_least`` bytes, as documented. Otherwise, the
    member's qualified name must match a primary keyword, as in the original program.
    """
    limit: CountLimit
    owner_kinds: tuple[str, ...]
    type_kinds: tuple[str, ...]
    member_type: str
    """The type of the edges from a type to its members."""
    before_term: str
    """Characters that may precede a term in a path."""
    extensions: tuple[str, ...]
    stop_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FusionRules:
    """Constants for the reciprocal rank fusion of the channels."""

    k: Positive
    limit: CountLimit
    tiered: float
    full_text: float
    equivalence: float
    path: float
    path_competes: bool
    """True if the path channel is fused with the others, as in the original program; False if it only adds seeds, as
    documented.
    """
    learned_scales: bool
    """True if the share of a node found by a learned word is multiplied by the weight of the word, as documented."""


@dataclass(frozen=True, slots=True)
class NoiseRules:
    """Constants that exclude candidates from the seeds."""

    fragments: tuple[str, ...]
    """Strings, in lower case, that mark a qualified name as noise."""
    owners: tuple[str, ...]
    """Strings, in lower case, that mark a member as noise if its type's name contains them."""
    short_most: AnyCount
    """A name with at most this many bytes is noise, unless it is in ``short_names``."""
    short_names: tuple[str, ...]
    """Short names that are not noise."""


@dataclass(frozen=True, slots=True)
class SeedSize:
    """The number of seeds in a graph with more than ``above`` nodes."""

    above: AnyCount
    seeds: CountLimit


@dataclass(frozen=True, slots=True)
class SeedRules:
    """Constants for choosing the seeds of the walk from the fused candidates."""

    small: SeedSize
    medium: SeedSize
    large: SeedSize
    rank_step: float
    """The step between weights. The candidate with the rank ``i``, counted from 0, has the weight ``1 / (1 + rank_step
    * i)``.
    """
    focus_above: AnyCount
    """The largest package comes first if there are more candidates than this."""
    focus_least: Count
    types_above: AnyCount
    """If the graph has more nodes than this, types come before members."""
    first_kinds: tuple[str, ...]
    implemented_kinds: tuple[str, ...]
    implements: str
    """The type of the edges from a type to those that it implements."""
    path_weight: float
    path_more: AnyCount
    """The maximum number of extra seeds from the path channel."""
    gap_below: AnyCount
    """If there are fewer candidates than this, an embedder adds more."""
    gap_most: CountLimit
    """An embedder adds candidates until there are this many."""
    gap_nearest: CountLimit
    """The number of nearest nodes among which an embedder's candidates are chosen."""


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The boost for recently packed nodes."""

    half_life_seconds: Positive
    most: Positive
    least: float
    kept: CountLimit


@dataclass(frozen=True, slots=True)
class UseRules:
    """Constants for evaluating the use of results."""

    any_cluster: bool
    """True if a record without keywords applies to every task. In the original program, it does not apply to tasks with
    keywords.
    """


@dataclass(frozen=True, slots=True)
class LearningSteps:
    """Conditions and weights for learning words from tasks."""

    keyword_least: Count
    noise_words: tuple[str, ...]
    uses: Count
    weight_least: Share
    weight_more: Share
    uses_more: Count
    """The number of additional uses after which all of ``weight_more`` is added."""


@dataclass(frozen=True, slots=True)
class PackCacheRules:
    """Constants for the lifetime of a packed context in the cache."""

    memory_seconds: float
    """The number of seconds that a pack stays valid even if the corpus changes. After that, a change makes the pack
    invalid.
    """
    entries: CountLimit
    whole_key: bool
    """True if the cache key includes budget and scope. The original program ignores both."""
