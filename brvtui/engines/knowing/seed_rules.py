"""The constants of keywords, channels, fusion and seeds, and of what is remembered of use and of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from brvtui.typed_tables import Count, CountLimit, Positive, Range, Share

AnyCount = Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class KeywordRules:
    """How a task becomes keywords. Lengths are those of UTF-8, in bytes."""

    trimmed: str
    """Characters that are stripped from both ends of a word."""
    quoted_most: Count
    """The longest text between back-ticks that is an identifier."""
    code_least: Count
    code_most: Count
    prose_abbreviations: tuple[str, ...]
    """Words with dots that are no code."""
    capital_least: Count
    """From this length on, the noun after a verb is also looked for with a capital."""
    part_least: Count
    bigram_least: Count
    bigram_long: Count
    """One word of a bigram is at least as long."""
    bigram_without: str
    """A word with one of these characters is in no bigram."""
    bigram_fillers: bool
    """Whether fillers (``each``, ``some``) may be in bigrams."""
    bigrams_are_compounds: bool
    """Whether bigrams are compounds, as the document says, or the last components, as in the program."""
    stop_words: tuple[str, ...]
    verbs: tuple[str, ...]
    fillers: tuple[str, ...]
    abbreviations: dict[str, str]


@dataclass(frozen=True, slots=True)
class TieredRules:
    """When each pass over names runs, and how many results it may fill up to."""

    prefix_below: Count
    prefix_most: CountLimit
    components_below: Count
    """With fewer results, components are looked for as well."""
    substring_below: Count
    substring_most: CountLimit
    substring_least: Count
    """The length of a keyword that may stand inside a name."""
    path_below: Count
    path_most: CountLimit
    path_least: Count
    wildcards: bool
    """Whether ``_`` and ``%`` in a keyword stand for any text, as in the program's LIKE."""


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
    """Full-text search, and the texts that it reads."""

    limit: CountLimit
    columns: ColumnRules
    primary_alone: bool
    """Whether components are asked for only without identifiers and compounds, as in the program; else all keywords."""
    phrases: AnyCount
    """How many pairs of neighbouring components are asked for as phrases."""
    phrase_least: Count
    decomposed_least: Count
    decomposed_segments: Count
    """How many last segments of a dotted name are asked for when whole names find nothing."""
    decomposed_each: bool
    """Whether each compound that no name holds is asked for in its parts, as in the document, or in the program only
    all of them together, when nothing at all is found."""
    expansions: AnyCount
    quoted: bool
    """Whether every term is quoted. Unquoted, as in the program, a term like ``server-side`` silences the channel."""
    acronyms: bool
    """Whether names are split before the last capital of a run (``HTML Parser``), as in the program; else only after
    a lower-case letter or a digit (``SQLite Store``), as in the document."""
    camel_least: Count
    concept_least: Count
    plain_folders: tuple[str, ...]
    """Folders that say nothing of their files' subject."""
    extensions: tuple[str, ...]
    """What ends the path in a qualified name."""
    thesaurus: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoteClassRules:
    """Keywords and tags of notes as classes."""

    weight: Share
    least: Count
    """The length of a phrase."""
    most_notes: Count
    """A phrase that more notes have stands for none."""


@dataclass(frozen=True, slots=True)
class EquivalenceRules:
    """Classes of phrases that stand for names."""

    verbs: tuple[str, ...]
    """What the phrases of the general classes are also written with."""
    target_least: Count
    generic_targets: tuple[str, ...]
    """Names that too many symbols have to be resolved."""
    strong_phrases: Count
    injected_weight: float
    """From this weight on, strong matches of ``injected_source`` go to the top of the answer."""
    injected_source: str
    per_result: float
    """The channel holds at most so many nodes for each result of names and full text ..."""
    cap_least: AnyCount
    """... or so many, if that is more."""
    alias_nodes: AnyCount
    """How many of the first results by name get classes made of their neighbours."""
    alias_types: tuple[str, ...]
    """The types of edges that make two nodes neighbours."""
    alias_weight: float
    alias_least: Count
    alias_generic_words: tuple[str, ...]
    of_notes: NoteClassRules
    language_sample: Count
    """About how many nodes are looked at to tell the language of a repository."""
    languages: dict[str, str]
    """The language of each marker in a qualified name; an empty one does not count."""


@dataclass(frozen=True, slots=True)
class PathChannelRules:
    """Words of the task that name folders, and what is taken from these."""

    terms: CountLimit
    term_least: Count
    trimmed: str
    without: str
    """A word with one of these characters names no folder."""
    rich_most: AnyCount
    lean_most: AnyCount
    other_most: AnyCount
    scanned: CountLimit
    by_member: AnyCount
    """How many types with a member that has a keyword in its name."""
    members_by_all: bool
    """Whether a member's own name may hold any keyword of ``term_least`` bytes, as in the document, or its qualified
    name a primary keyword, as in the program."""
    limit: CountLimit
    owner_kinds: tuple[str, ...]
    type_kinds: tuple[str, ...]
    member_type: str
    """The type of the edge from a type to its members."""
    before_term: str
    """What may stand before a term in a path."""
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
    """Whether paths are fused with the other channels, as in the program, or only add seeds, as in the document."""
    learned_scales: bool
    """Whether the weight of a learned word scales its share, as in the document."""


@dataclass(frozen=True, slots=True)
class NoiseRules:
    """Candidates that are no seeds."""

    fragments: tuple[str, ...]
    """Texts in a qualified name, in lower case."""
    owners: tuple[str, ...]
    """Texts in the name of the type that a member belongs to, in lower case."""
    short_most: AnyCount
    """Names of so many bytes or fewer are noise ..."""
    short_names: tuple[str, ...]
    """... but for these."""


@dataclass(frozen=True, slots=True)
class SeedSize:
    """How many seeds there are in a graph of more than ``above`` nodes."""

    above: AnyCount
    seeds: CountLimit


@dataclass(frozen=True, slots=True)
class SeedRules:
    """From fused candidates to the seeds of the walk."""

    small: SeedSize
    medium: SeedSize
    large: SeedSize
    rank_step: float
    """The candidate of rank ``i`` weighs ``1 / (1 + rank_step * i)``."""
    focus_above: AnyCount
    """Among more candidates than this, the largest package goes first."""
    focus_least: Count
    types_above: AnyCount
    """In a graph of more nodes, types go before members."""
    first_kinds: tuple[str, ...]
    implemented_kinds: tuple[str, ...]
    implements: str
    """The type of the edge from an implementing type."""
    path_weight: float
    path_more: AnyCount
    """Paths may add so many seeds to the others."""
    gap_below: AnyCount
    """Fewer candidates than this are a gap, which an embedder fills ..."""
    gap_most: CountLimit
    """... until there are so many ..."""
    gap_nearest: CountLimit
    """... with some of so many nearest nodes."""


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What recent answers add."""

    half_life_seconds: Positive
    most: Positive
    least: float
    kept: CountLimit


@dataclass(frozen=True, slots=True)
class UseRules:
    """How use of a result is counted."""

    any_cluster: bool
    """Whether a record without keywords counts for every task; in the program it counts for none that has any."""


@dataclass(frozen=True, slots=True)
class LearningSteps:
    """When a word of a task stands for a node that was used."""

    keyword_least: Count
    noise_words: tuple[str, ...]
    uses: Count
    weight_least: Share
    weight_more: Share
    uses_more: Count
    """So many uses more give the whole of ``weight_more``."""


@dataclass(frozen=True, slots=True)
class PackCacheRules:
    """How long a packed context is served again."""

    memory_seconds: float
    """So long whatever becomes of the corpus; after that, until the corpus changes."""
    entries: CountLimit
    whole_key: bool
    """Whether budget and scope are part of what names a pack; the program serves one budget's pack for another."""
