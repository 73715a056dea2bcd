"""Judges notes by the queries that found them: costs, gaps, notes that are too broad, and notes never found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from brvtui.lab.health.finding import Confidence, Finding, FindingKind
from brvtui.lab.health.statements import stems
from brvtui.text.visible import visible
from brvtui.wording import counted, shortened

_CHARS_PER_TOKEN = 4
_FEWEST_UNRELATED, _FEWEST_QUERIES = 4, 20
_MOST_SHOWN = 3
_COMMON = 0.5
"""Queries are unrelated if no word occurs in more than this share of them."""
_ANSWERED = 0.2
"""A note is not too broad if it is the first result for more than this share of the queries that find it."""
_ASKING = stems(
    "what where when who whom whose why which how any some about does did do can could should would is are was were "
    "we our us i my me you your there tell show find explain give get please need want know thanks thank"
)


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A judged or logged query with its outcome today."""

    text: str
    files: tuple[str, ...]
    """The files of the results, best first."""
    covered: bool = True
    prompted: tuple[str, ...] = ()
    """The files quoted in a prompt for a model."""
    relevant: frozenset[str] = frozenset()
    """The files that were judged as relevant."""
    times: int = 0
    """The number of times that it was logged."""
    is_gap: bool = False
    """True if no note covers it."""


@dataclass(frozen=True)
class QueryRecall:
    """Judged and logged queries, and their results."""

    queries: Sequence[PastQuery]
    log: Mapping[str, tuple[str, ...]]
    """The files that each logged query found, starting with the best file of the newest entry."""
    days: int
    wins: Counter[str] = field(default_factory=Counter)
    found: dict[str, list[PastQuery]] = field(default_factory=lambda: defaultdict(list))
    prompts: Counter[str] = field(default_factory=Counter)
    recalled: set[str] = field(default_factory=set)
    """The files that logged queries found at the time."""

    def __post_init__(self) -> None:
        """Counts the results of the queries by file."""
        self.recalled.update(file for files in self.log.values() for file in files)
        for query in self.queries:
            self.wins.update(query.files[:1] if query.covered else ())
            self.prompts.update(query.prompted)
            for file in query.files:
                self.found[file].append(query)

    def cost(self, path: str, chars: int) -> str:
        """The effect of the note at ``path`` with ``chars`` characters on the queries; empty if there are none."""
        total = len(self.queries)
        of_all = f"of your {total} judged and logged queries"
        parts = [f"wins {self.wins[path]} {of_all}"] if self.wins[path] else []
        if self.prompts[path]:
            tokens = chars // _CHARS_PER_TOKEN
            parts.append(f"adds {tokens:,} tokens to {counted(self.prompts[path], 'prompt', 'prompts')}")
        if parts:
            return "; ".join(parts)
        if path in self.found:
            return f"is a result of {len(self.found[path])} {of_all}"
        if self.log and path not in self.recalled:
            return f"never recalled in {self.days} days"
        return f"found by none {of_all}" if total else ""

    def gaps(self, is_rare: Callable[[str], bool]) -> list[Finding]:
        """The topics of the queries that no note covers. ``is_rare`` is True for a stem that few notes contain.

        Two queries are about the same topic if they share a rare word or half of the words of either.
        """
        groups: list[tuple[frozenset[str], list[PastQuery]]] = []
        for query in (query for query in self.queries if query.is_gap and not query.relevant):
            own = stems(query.text) - _ASKING
            related = [
                group
                for group in groups
                if any(map(is_rare, own & group[0])) or len(own & group[0]) * 2 >= len(own) > 0
            ]
            groups = [group for group in groups if group not in related]
            words = own.union(*(group[0] for group in related))
            groups.append((words, [*(one for group in related for one in group[1]), query]))
        return [_gap(words, group) for words, group in groups if len(words) > 1 or len(group) > 1]

    def broad(self, paths: Iterable[str]) -> list[Finding]:
        """The notes among ``paths`` that many unrelated queries find and none needs."""
        found = {query.text: query.files for query in self.queries if not query.times} | dict(self.log)
        answers = Counter(files[0] for files in found.values() if files)
        wanted = frozenset[str]().union(*(query.relevant for query in self.queries))
        by_file: dict[str, list[str]] = defaultdict(list)
        for text, files in found.items():
            for file in files:
                by_file[file].append(text)
        usual = sorted(map(len, by_file.values()))
        often = max(_FEWEST_UNRELATED, usual[len(usual) // 2] if usual else 0)
        findings = []
        for path in paths:
            texts = by_file.get(path, [])
            words = Counter(word for text in texts for word in stems(text) - _ASKING)
            is_related = max(words.values(), default=len(texts)) > max(1, _COMMON * len(texts))
            if len(texts) < often or path in wanted or answers[path] > _ANSWERED * len(texts) or is_related:
                continue
            confidence = Confidence.HIGH if len(texts) >= 2 * _FEWEST_UNRELATED else Confidence.MEDIUM
            sentence = f"{len(texts)} unrelated queries find it, such as {_quoted(texts)}; it wins {answers[path]}"
            findings.append(Finding(FindingKind.TOO_BROAD, (path,), confidence, sentence, "", tuple(texts), len(texts)))
        return findings

    def unfound(self, paths: Sequence[str]) -> list[Finding]:
        """The notes among ``paths`` that no query found, if enough queries were logged."""
        judged = {file for query in self.queries if not query.times for file in query.files}
        missing = [path for path in paths if path not in self.recalled and path not in judged]
        if len(self.log) < _FEWEST_QUERIES:
            return []
        confidence = Confidence.MEDIUM if 2 * len(missing) < len(paths) else Confidence.LOW
        sentence = f"none of {len(self.log)} logged queries in {self.days} days found it"
        return [Finding(FindingKind.NEVER_FOUND, (path,), confidence, sentence) for path in missing]


def _gap(words: frozenset[str], group: Sequence[PastQuery]) -> Finding:
    texts = tuple(query.text for query in group)
    written = Counter(word.strip("?!.,:;\"'") for text in texts for word in text.lower().split() if stems(word) & words)
    topic = visible(shortened(" ".join(word for word, _ in written.most_common(4)), 60))
    times = sum(query.times or 1 for query in group)
    sentence = f"no note covers {_quoted(texts)}; write a note about “{topic}”"
    confidence = Confidence.HIGH if len(group) > 1 else Confidence.MEDIUM if times > 1 else Confidence.LOW
    cost = f"asked {counted(times, 'time', 'times')} without an answer"
    return Finding(FindingKind.GAP, (), confidence, sentence, cost, texts, times)


def _quoted(texts: Sequence[str]) -> str:
    shown = (shortened(visible(" ".join(text.split())), 60) for text in texts[:_MOST_SHOWN])
    return ", ".join(f"“{text}”" for text in shown)
