"""The constants of keywords, channels, fusion, seeds, use and recent runs."""

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
    """Words with dots that are not code."""
    capital_least: Count
    """The minimum length of the noun after a verb for which a capitalized form is searched, too."""
    part_least: Count
    bigram_least: Count
    bigram_long: Count
    """The minimum length of the longer word in a bigram."""
    bigram_without: str
    """Characters that exclude a word from bigrams."""
    bigram_fillers: bool
    """True if fillers (``each``, ``some``) are allowed in bigrams."""
    bigrams_are_compounds: bool
    """True if bigrams are compounds, as documented. Otherwise they are the last components, as in the program."""
    stop_words: tuple[str, ...]
    verbs: tuple[str, ...]
    fillers: tuple[str, ...]
    abbreviations: dict[str, str]


@dataclass(frozen=True, slots=True)
class TieredRules:
    """The conditions for each pass over names, and the number of results up to which it continues."""

    prefix_below: Count
    prefix_most: CountLimit
    components_below: Count
    """Components are searched, too, if there are fewer results than this."""
    substring_below: Count
    substring_most: CountLimit
    substring_least: Count
    """The minimum length of a keyword for substring search."""
    path_below: Count
    path_most: CountLimit
    path_least: Count
    wildcards: bool
    """True if ``_`` and ``%`` in a keyword match any text, as in the program's LIKE."""


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
        """The weights in the order of the columns."""
        return (self.symbol_name, self.concepts, self.qualified_name, self.signature, self.file_path, self.doc)


@dataclass(frozen=True, slots=True)
class FullTextRules:
    """Constants for full-text search and its texts."""

    limit: CountLimit
    columns: ColumnRules
    primary_alone: bool
    """True if components are searched only without other keywords, as in the program; false for all keywords."""
    phrases: AnyCount
    """The number of pairs of neighbouring components that are searched as phrases."""
    phrase_least: Count
    decomposed_least: Count
    decomposed_segments: Count
    """The number of last segments of a dotted name to search if whole names match nothing."""
    decomposed_each: bool
    """True if each compound without a match is split into its parts, as documented. Otherwise all are split, but only
    if nothing matches, as in the program.
    """
    expansions: AnyCount
    quoted: bool
    """True if every term is quoted. Unquoted, as in the program, a term like ``server-side`` makes the channel fail."""
    acronyms: bool
    """True if names are split before the last capital of a run (``HTML Parser``), as in the program. Otherwise they are
    split only after a lower-case letter or a digit (``SQLite Store``), as documented.
    """
    camel_least: Count
    concept_least: Count
    plain_folders: tuple[str, ...]
    """Generic folder names, which do not describe the subject of their files."""
    extensions: tuple[str, ...]
    """File extensions, which end the path in a qualified name."""
    thesaurus: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoteClassRules:
    """Constants for the classes built from keywords and tags of notes."""

    weight: Share
    least: Count
    """The minimum length of a phrase."""
    most_notes: Count
    """Phrases with more notes than this are ignored."""


@dataclass(frozen=True, slots=True)
class EquivalenceRules:
    """Constants for classes of phrases that map to names."""

    verbs: tuple[str, ...]
    """Verbs that are combined with the phrases of the general classes."""
    target_least: Count
    generic_targets: tuple[str, ...]
    """Names that are not resolved because too many symbols have them."""
    strong_phrases: Count
    injected_weight: float
    """The minimum weight of strong matches from ``injected_source`` that are moved to the top of the answer."""
    injected_source: str
    per_result: float
    """The maximum number of nodes in the channel per result by name and full text."""
    cap_least: AnyCount
    """The lowest limit on nodes in the channel, however few results there are."""
    alias_nodes: AnyCount
    """The number of first results by name that get a class with the names of their neighbours."""
    alias_types: tuple[str, ...]
    """The types of edges between neighbours."""
    alias_weight: float
    alias_least: Count
    alias_generic_words: tuple[str, ...]
    of_notes: NoteClassRules
    language_sample: Count
    """The approximate number of names checked to detect the language of a repository."""
    languages: dict[str, str]
    """The language for each marker in a qualified name. An empty language does not count."""


@dataclass(frozen=True, slots=True)
class PathChannelRules:
    """Constants for words of the task that name folders, and for the nodes in these folders."""

    terms: CountLimit
    term_least: Count
    trimmed: str
    without: str
    """Characters that exclude a word."""
    rich_most: AnyCount
    lean_most: AnyCount
    other_most: AnyCount
    scanned: CountLimit
    by_member: AnyCount
    """The maximum number of types with a matching member."""
    members_by_all: bool
    """True if a member's own name may match any keyword of ``term_least`` bytes, as documented. Otherwise its qualified
    name must match a primary keyword, as in the program.
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
    """Reciprocal rank fusion of the channels."""

    k: Positive
    limit: CountLimit
    tiered: float
    full_text: float
    equivalence: float
    path: float
    path_competes: bool
    """True if paths are fused with other channels, as in the program; false if they only add seeds, as documented."""
    learned_scales: bool
    """True if the weight of a learned word scales its share, as documented."""


@dataclass(frozen=True, slots=True)
class NoiseRules:
    """Constants that exclude candidates from the seeds."""

    fragments: tuple[str, ...]
    """Texts that mark noise in a qualified name, in lower case."""
    owners: tuple[str, ...]
    """Texts that mark noise in the name of a member's type, in lower case."""
    short_most: AnyCount
    """Names of this number of bytes or fewer are noise, except for ``short_names``."""
    short_names: tuple[str, ...]
    """Short names that are not noise."""


@dataclass(frozen=True, slots=True)
class SeedSize:
    """The number of seeds in a graph of more than ``above`` nodes."""

    above: AnyCount
    seeds: CountLimit


@dataclass(frozen=True, slots=True)
class SeedRules:
    """Constants for choosing the seeds of the walk from the fused candidates."""

    small: SeedSize
    medium: SeedSize
    large: SeedSize
    rank_step: float
    """The candidate of rank ``i``, from 0, has the weight ``1 / (1 + rank_step * i)``."""
    focus_above: AnyCount
    """With more candidates than this, the largest package comes first."""
    focus_least: Count
    types_above: AnyCount
    """In a graph of more nodes than this, types come before members."""
    first_kinds: tuple[str, ...]
    implemented_kinds: tuple[str, ...]
    implements: str
    """The type of the edges from an implementing type."""
    path_weight: float
    path_more: AnyCount
    """The maximum number of extra seeds from paths."""
    gap_below: AnyCount
    """With fewer candidates than this, an embedder adds more."""
    gap_most: CountLimit
    """The number of candidates up to which an embedder adds more."""
    gap_nearest: CountLimit
    """The number of nearest nodes from which an embedder's candidates are chosen."""


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The boost for recently packed nodes."""

    half_life_seconds: Positive
    most: Positive
    least: float
    kept: CountLimit


@dataclass(frozen=True, slots=True)
class UseRules:
    """Rules for counting the use of a result."""

    any_cluster: bool
    """True if a record without keywords counts for every task. In the program, it does not count for tasks with
    keywords.
    """


@dataclass(frozen=True, slots=True)
class LearningSteps:
    """Conditions and weights for learning words of tasks."""

    keyword_least: Count
    noise_words: tuple[str, ...]
    uses: Count
    weight_least: Share
    weight_more: Share
    uses_more: Count
    """The number of additional uses that gives the whole of ``weight_more``."""


@dataclass(frozen=True, slots=True)
class PackCacheRules:
    """The lifetime of a packed context in the cache."""

    memory_seconds: float
    """The time for which a pack is valid even if the corpus changes. After that, a change makes it invalid."""
    entries: CountLimit
    whole_key: bool
    """True if budget and scope are part of the key. The program serves a pack of one budget for another."""
