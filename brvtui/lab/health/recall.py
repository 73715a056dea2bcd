"""Judges notes by the queries that found them: costs, gaps, notes that are too broad, and notes never found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from brvtui.lab.health.finding import Confidence, Finding, Kind
from brvtui.lab.health.statements import stems
from brvtui.text.visible import visible
from brvtui.wording import counted, shortened

_CHARS_PER_TOKEN = 4
_FEWEST_UNRELATED, _FEWEST_QUERIES = 4, 20
_MOST_SHOWN = 3
_RELATED = 0.34


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one query, as far as it matters here."""

    covered: bool
    files: tuple[str, ...]
    """The files of the results, best first."""
    prompted: tuple[str, ...] = ()
    """The files quoted in a prompt for a model."""


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A judged or logged query with its outcome today."""

    text: str
    outcome: Outcome
    relevant: frozenset[str] = frozenset()
    """The files that were judged as relevant."""
    times: int = 0
    """The number of times that it was logged."""
    logged: tuple[str, ...] = ()
    """The files that it found when it was last logged, best first."""
    is_gap: bool = False
    """True if no note covered it then, and the note that is found first today has few of its words."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it found when it was logged; for a query that was not logged, those that it finds today."""
        return self.logged if self.times else self.outcome.files


@dataclass(frozen=True)
class Recall:
    """Judged and logged queries, and what they found."""

    queries: Sequence[PastQuery]
    recalled: frozenset[str]
    """The files that logged queries found at the time."""
    logged: int
    """The number of logged queries in the last :attr:`days`."""
    days: int
    wins: Counter[str] = field(default_factory=Counter)
    found: dict[str, list[PastQuery]] = field(default_factory=lambda: defaultdict(list))
    prompts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Counts the results of the queries by file."""
        for query in self.queries:
            outcome = query.outcome
            self.wins.update(outcome.files[:1] if outcome.covered else ())
            self.prompts.update(outcome.prompted)
            for file in outcome.files:
                self.found[file].append(query)

    @property
    def has_log(self) -> bool:
        """True if enough queries were logged to say that a note was never found."""
        return self.logged >= _FEWEST_QUERIES

    def cost(self, path: str, chars: int) -> str:
        """The effect of the note at ``path`` with ``chars`` characters on the queries; empty if there are none."""
        total = len(self.queries)
        of_all = f"of your {total} judged and logged queries"
        parts = []
        if self.wins[path]:
            parts.append(f"wins {self.wins[path]} {of_all}")
        if self.prompts[path]:
            tokens = chars // _CHARS_PER_TOKEN
            parts.append(f"adds {tokens:,} tokens to {counted(self.prompts[path], 'prompt', 'prompts')}")
        if parts:
            return "; ".join(parts)
        if path in self.found:
            return f"is a result of {len(self.found[path])} {of_all}"
        if self.logged and path not in self.recalled:
            return f"never recalled in {self.days} days"
        return f"found by none {of_all}" if total else ""

    def gaps(self) -> list[Finding]:
        """The topics of the queries that no note covers, the most frequent first."""
        groups = _clusters(
            [
                query
                for query in self.queries
                if stems(query.text) and not query.relevant and (query.is_gap or not query.outcome.covered)
            ]
        )
        return sorted(map(_gap, groups), key=lambda one: (-one.weight, one.queries))

    def broad(self, paths: Iterable[str]) -> list[Finding]:
        """The notes among ``paths`` that many unrelated queries find and none needs."""
        findings = []
        by_file: dict[str, list[PastQuery]] = defaultdict(list)
        for query in self.queries:
            for file in query.files:
                by_file[file].append(query)
        usual = sorted(map(len, by_file.values()))
        often = max(_FEWEST_UNRELATED, 2 * usual[len(usual) // 2]) if usual else 0
        for path in paths:
            found = by_file.get(path, [])
            is_wanted = any(path in query.relevant or path == query.files[0] for query in found)
            if len(found) < often or is_wanted:
                continue
            apart: list[PastQuery] = []
            for query in found:
                if not any(_is_related(stems(query.text), stems(other.text)) for other in apart):
                    apart.append(query)
            if len(apart) < _FEWEST_UNRELATED:
                continue
            shown = ", ".join(_quoted(query.text) for query in apart[:_MOST_SHOWN])
            confidence = Confidence.HIGH if len(apart) >= 2 * _FEWEST_UNRELATED else Confidence.MEDIUM
            sentence = f"{len(apart)} unrelated queries find it, such as {shown}, and it is the answer to none"
            queries = tuple(query.text for query in found)
            findings.append(Finding(Kind.TOO_BROAD, (path,), confidence, sentence, "", queries, len(found)))
        return findings

    def unfound(self, values: Mapping[str, bool]) -> list[Finding]:
        """The notes that no query found. ``values`` is True for each candidate with signals of low value."""
        if not self.has_log or not values:
            return []
        judged = {file for query in self.queries if not query.times for file in query.files}
        missing = [path for path in values if path not in self.recalled and path not in judged]
        is_usual = len(missing) * 2 > len(values)
        is_small = is_usual or len(self.queries) * 2 < len(values)
        sentence = f"none of {self.logged} logged queries in {self.days} days found it"
        return [
            Finding(Kind.NEVER_FOUND, (path,), Confidence.LOW if is_small else Confidence.MEDIUM, sentence, "")
            for path in missing
            if values[path] or not is_usual
        ]


def _gap(group: Sequence[PastQuery]) -> Finding:
    words = Counter(word for query in group for word in query.text.lower().split() if stems(word))
    topic = " ".join(word.strip("?!.,:;\"'") for word, _ in words.most_common(4))
    texts = tuple(query.text for query in group)
    times = sum(query.times or 1 for query in group)
    shown = ", ".join(map(_quoted, texts[:_MOST_SHOWN]))
    sentence = f"no note covers {shown}; write a note about “{visible(shortened(topic, 60))}”"
    confidence = Confidence.HIGH if len(group) > 1 else Confidence.MEDIUM if times > 1 else Confidence.LOW
    cost = f"asked {counted(times, 'time', 'times')} without an answer"
    return Finding(Kind.GAP, (), confidence, sentence, cost, texts, times)


def _clusters(queries: Sequence[PastQuery]) -> list[list[PastQuery]]:
    """Groups of related queries. Two queries are related if they share a third of the words of the shorter one."""
    words = [stems(query.text) for query in queries]
    groups: list[list[int]] = []
    for place, own in enumerate(words):
        related = [group for group in groups if any(_is_related(own, words[other]) for other in group)]
        groups = [group for group in groups if group not in related]
        groups.append([*(other for group in related for other in group), place])
    return [[queries[place] for place in sorted(group)] for group in sorted(groups, key=min)]


def _is_related(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) >= _RELATED * max(1, min(len(one), len(two)))


def _quoted(text: str) -> str:
    return f"“{shortened(visible(' '.join(text.split())), 60)}”"
