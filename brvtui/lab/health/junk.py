"""Recognises notes without knowledge: empty templates, transcripts, output of tools, and lists of links."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from brvtui.lab.health.finding import Confidence, FindingKind
from brvtui.lab.health.statements import stems
from brvtui.text.visible import visible
from brvtui.tree.reading.links import lines_of
from brvtui.wording import counted, shortened

_LONGEST, _LONGEST_LINE = 200_000, 500
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_NO_WORD = re.compile(r"(?:\d{1,3}[.)])?[\W_]*")
_LABEL = re.compile(r"[-*>\s]*\*{0,2}([A-Za-z][\w /-]{0,40})\*{0,2}:\*{0,2}\s*(.*)")
_META = "author authors date timestamp created updated createdat updatedat tags keywords related source type session id"
_METADATA = frozenset(_META.split())
_PLACEHOLDER = re.compile(
    r"[-*>\s\d.\[\]x|]*\(?(?:(?:todo|tbd|tba|fixme)\b.{0,80}|draft|pending|proposed|n/?a|"
    r"none(?: yet)?|nothing(?: yet)?|empty|unknown|placeholder|(?:(?<=\()x*)?xxx|wip|"
    r"lorem ipsum.{0,400}|to be (?:added|defined|determined|done|written|filled(?: in)?|completed|documented|decided)|"
    r"(?:coming|more) soon|more to come|(?:describe|add|insert|fill in|write|enter|your|replace|explain|list|briefly) "
    r".{0,60}(?:here|\.\.\.|…|text|this section|above|below)|<[^<>]{0,80}>|\[[^\[\]]{0,80}\]|\{\{?[^{}]{0,80}\}\}?|"
    r"(?:(?<=\()[*_]+|_[*_]*)?(?:what|why|how|when|where|who|which) .{0,60}\?|(?:[_(<][*_(<\[]*|[*\[])(?:describe|"
    r"explain|add|insert|list|write|fill|enter|summari[sz]e|provide|replace)\b.{0,80}[*_)>\]]|hh:mm(?::ss)?|"
    r"yyyy-mm-dd|statement(?: \[category\])?)\)?[\s.:!*_]*",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"!?\[[^\[\]]{0,200}\]\([^()\s]{1,500}(?: [^()]{0,100})?\)|\[\[[^\[\]]{1,200}\]\]|<?https?://[^\s<>)]{1,500}>?|"
    r"@[\w./-]{3,300}|`?(?:[\w.-]{1,80}/){1,12}[\w.-]{1,80}\.md`?"
)
_HINT = re.compile(r"\]|/|@|\.md")
"""A part of each of :data:`_LINKS`, which is fast to search."""
_POINTERS = """
    see also related link links reference references note notes here for more details and or the docs page read source
    sources further reading this in at on of to relations
"""
_AROUND_LINKS = frozenset(_POINTERS.split())
_ROLE = re.compile(
    r"[*>#\s]{0,8}(?:\[[\d: .apmAPM-]{4,25}\]\s*)?(?:\*\*|__|<\|im_start\|>|<\|?|\[)?(user|human|you|assistant|ai|"
    r"system|claude|chatgpt|gpt(?:-?\d)?|copilot|gemini|agent|bot|model|tool|tool_result|tool_use|thinking|function)"
    r"(?: said)?(?:\*\*|__|\|?>|\])?(?:\s?\([^()]{0,40}\))?\s*(?::\s?\*{0,2}|\|?>|\*\*\s*$|$)",
    re.IGNORECASE,
)
_ROLE_STARTS = frozenset("*>#[_<UuHhYyAaSsſCcGgBbMmTtFf")
_JSON_ROLE = re.compile(r'"role"\s{0,3}:\s{0,3}"(user|assistant|system|tool)"')
_HUMANS = frozenset({"user", "human", "you"})
_MODELS = frozenset({"human", "assistant", "ai", "claude", "chatgpt", "copilot", "gemini"})
_HINTED = """
    let me|i've|i'll|i have|i will|i'd|as an ai|would|want me|here's|here is|here are|you're|you are|anything else|
    hope t|feel free|apologi|thanks for|you please|you also|please |sure|certainly|absolutely|of course|great|perfect|
    good question|got it|understood|no problem|happy to
"""
_HINTS = [hint.strip("\n").lstrip() for hint in _HINTED.split("|")]
"""Parts of :data:`_CHATTER`. A text without any of them cannot match, and the slow search is skipped."""
_CHATTER = re.compile(
    r"\bas an ai\b|\bi(?:'d| would) be (?:happy|glad) to\b|\blet me (?:know if|check|look|read|run|start by|first|now|"
    r"take|search|see|fix|update|think)\b|\bwould you like me to\b|\bdo you want me to\b|^\W{0,3}(?:sure|certainly|"
    r"absolutely|of course|great question|great idea|good question|perfect|got it|understood|no problem|"
    r"happy to help)[!,.:—-]|\bi(?:'ve| have) (?:updated|added|created|fixed|implemented|made|saved|stored|written|"
    r"gone ahead|now|successfully|also)\b|\bi(?:'ll| will) (?:now|go ahead|start|proceed|begin|take|make|update|"
    r"create|check|look)\b|\bhere(?:'s| is| are) (?:the|a|an|your|what) (?:updated|summary|revised|corrected|complete|"
    r"full|breakdown|requested|i )|\byou(?:'re| are) (?:absolutely )?right\b|\bhope (?:this|that) helps\b|"
    r"\bfeel free to\b|\banything else (?:you|i)\b|\bi apologi[sz]e\b|\bthanks for (?:the|your|letting|pointing|"
    r"clarif)|\b(?:can|could) you (?:please|also)\b|\bplease (?:fix|update|add|make|change|remember|save) (?:this|"
    r"that|it|the)\b"
)
_MACHINE = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\].,\s]|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\[?(?:INFO|WARN|"
    r"WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|OK|FAIL|FAILED|PASS|PASSED)\b[\]: ]|Traceback \(|"
    r"File \"[^\"]+\", line \d|at \S+(?: \S*)?:\d|>>> |npm (?:ERR|WARN|notice)|diff --git|index [0-9a-f]{6,}|@@ -\d|"
    r"\+\+\+ |--- [ab]/|[-dl](?:[r-][w-][xsStT-]){3}|total \d+$|"
    r"(?:collected )?\d+ (?:passed|failed|packages|items|tests)\b|={3,} |[✓✔✗✘×●]|"
    r"(?:===|---|"
    r"\.\.\.)[=.-]{3,}|exit (?:code|status) \d|[0-9a-f]{7,40} \S|\S+\.\w{1,5}:\d+(?::\d+)?[: ]|(?:added|removed|"
    r"changed|audited) \d|(?:Downloading|Collecting|Installing|Successfully|Fetching|Resolving|Unpacking|"
    r"Requirement already|Step \d+/\d+|GET|POST|PUT|DELETE|HTTP/\d|curl:|fatal:|error:|error\[E?|warning:|\w*(?:Error|"
    r"Exception):|panic:|goroutine|Caused by|test \S+ \.\.\.|Tests:|make(?:\[\d\])?:|On branch|Your branch|modified:|"
    r"new file:|deleted:|Untracked|commit [0-9a-f]{7}|Merge:)(?=\s|$|[ \"'\d(:/])|> \S+@\d|"
    r"--> \S+:\d|\d* +\|(?: |$)|\w[\w ]{3,40}\.\.\.(?: \w+)?$)"
)
_DATA = re.compile(r"[{}\[\]()<>]{1,3}[,;]?$|[\[{,]{0,2} ?\"[\w.$-]+\": |<\??/?\w[^<>]{0,100}>")
_DATA_STARTS = frozenset('{}[]()<>,"')
_COLUMNS = re.compile(r"\S {2,}\S[^\n]{0,200}? {2,}\S")
_PROMPT = re.compile(r"\s*[$❯»] \S")
_ANSI = re.compile(r"\x1b\[|␛\[|\[\d{1,2}(?:;\d{1,2})*m")
_FILLERS = stems("this note page document file topic is about here describes contains information overview")
_LEAST_MACHINE = 3
_MOST_PROSE_WORDS, _MOST_DATA_WORDS, _MOST_TITLE_WORDS, _MOST_TITLE_LINES = 40, 10, 30, 5


class Defect(NamedTuple):
    """A defect of a single note."""

    kind: FindingKind
    confidence: Confidence
    sentence: str


@dataclass(slots=True)
class _SortedLines:
    """The lines of a note, sorted by type."""

    content: list[str] = field(default_factory=list)
    """The lines that may contain knowledge, because they are of no other type."""
    roles: Counter[str] = field(default_factory=Counter)
    """The number of lines that begin with each role of a conversation."""
    machine: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    """Other lines of code blocks."""
    data: list[str] = field(default_factory=list)
    """Lines of JSON, XML and tables in code blocks, which may be examples."""
    empty: int = 0
    """The number of empty sections, labels without text, and placeholders."""
    links: int = 0
    """The number of lines that only link elsewhere."""
    placeholder: str = ""


def junk(title: str, body: str) -> Defect | None:
    """The reason why a note without frontmatter, ``body``, contains no knowledge; None if it may contain some."""
    lines = _sorted_lines(body[:_LONGEST])
    return _transcript(lines) or _tool_output(lines) or _hollow(title, lines)


def _sorted_lines(body: str) -> _SortedLines:
    found = _SortedLines()
    is_open = False
    """True below a heading, except the title, until some text follows."""
    for line, in_code in lines_of(body):
        text = line.strip()[:_LONGEST_LINE]
        if '"role"' in text:
            found.roles.update(_JSON_ROLE.findall(text))
        if text[:1] in _ROLE_STARTS and (turn := _ROLE.match(text)):
            found.roles[turn[1].lower()] += 1
            found.content.append(text)
        elif text.startswith("#") and _HEADING.match(line) and not in_code:
            found.empty += is_open
            is_open = not line.startswith("# ")
            continue
        elif not text or text.startswith(("```", "~~~", "<!--")) or (in_code and _PROMPT.match(text)):
            continue
        elif not in_code and _is_hollow(text, found):
            pass
        elif _MACHINE.match(text) or ("[" in text and _ANSI.search(text)):
            found.machine.append(text)
        elif (text[0] in _DATA_STARTS and _DATA.match(text)) or (in_code and _COLUMNS.search(text)):
            found.data.append(text)
        elif in_code or text[0].isalpha() or not _NO_WORD.fullmatch(text):
            (found.code if in_code else found.content).append(text)
        has_text = found.content or found.machine or found.data or found.code
        is_open = is_open and not has_text and not _LINKS.search(text)
    found.empty += is_open
    return found


def _is_hollow(text: str, found: _SortedLines) -> bool:
    """Counts a placeholder, an empty label or a link. Returns False if ``text`` is none of them."""
    label = _LABEL.match(text) if ":" in text else None
    value = label[2].strip("* ") if label else text
    is_placeholder = _PLACEHOLDER.fullmatch(value) or (label and _PLACEHOLDER.fullmatch(text))
    if is_placeholder and not _LINKS.search(text):
        found.empty += 1
        found.placeholder = found.placeholder or text
    elif label and (not value or label[1].lower().strip() in _METADATA):
        found.empty += not set(label[1].lower().split()) <= _AROUND_LINKS
    elif (
        _HINT.search(text)
        and (rest := _LINKS.sub(" ", text)) != text
        and not set(re.findall(r"\w{2,}", rest.lower())) - _AROUND_LINKS
    ):
        found.links += 1
    else:
        return False
    return True


def _transcript(lines: _SortedLines) -> Defect | None:
    count = sum(map(len, (lines.content, lines.machine, lines.data, lines.code)))
    roles, chatter = lines.roles, list[str]()
    lower = "\n".join(lines.content).lower().replace("’", "'")
    if any(hint in lower for hint in _HINTS):
        chatter = [found[0].strip(" !,.:—-") for line in lower.split("\n") if (found := _CHATTER.search(line))]
    turns, is_high = roles.total(), False
    if roles.keys() & _HUMANS and roles.keys() - _HUMANS and (turns > 2 or chatter or roles.keys() & _MODELS):
        sentence = f"{turns} lines begin with " + " and ".join(f"“{role}:”" for role in list(roles)[:2])
        is_high = turns * 5 >= count or bool(chatter)
    elif len(chatter) > 1 or (chatter and (len(lines.content) < 6 or _CHATTER.search(lower.split("\n")[0]))):
        shown = " and ".join(f"“{shortened(visible(one), 40)}”" for one in chatter[:2])
        sentence = f"it contains phrases from a conversation: {shown}"
        is_high = len(chatter) * 2 >= len(lines.content) > 1
    else:
        return None
    return Defect(FindingKind.TRANSCRIPT_LEFTOVER, Confidence.HIGH if is_high else Confidence.MEDIUM, sentence)


def _tool_output(lines: _SortedLines) -> Defect | None:
    words = sum(len(line.split()) for line in lines.content)
    output, rest = lines.machine, [*lines.content, *lines.code]
    if words <= _MOST_DATA_WORDS:
        output = [*lines.machine, *lines.data]
        if len(lines.machine) > 1 and 4 * len(lines.machine) > len(lines.code):
            output, rest = [*output, *lines.code], lines.content
    total, machine = len(output) + len(rest), sum(len(line.split()) for line in output)
    is_short = len(output) < (_LEAST_MACHINE if rest else 2) or 2 * len(output) < total
    if is_short or (words > _MOST_PROSE_WORDS and machine < 2 * words):
        return None
    confidence = Confidence.HIGH if len(output) >= max(_LEAST_MACHINE + 1, 0.8 * total) else Confidence.MEDIUM
    sentence = f"{len(output)} of {total} lines are program output: “{shortened(visible(output[0]), 60)}”"
    return Defect(FindingKind.TOOL_OUTPUT, confidence, sentence)


def _hollow(title: str, lines: _SortedLines) -> Defect | None:
    if lines.machine or lines.data or lines.code:
        return None
    if not lines.content and lines.links and not lines.empty:
        many = counted(lines.links, "line that links", "lines that link")
        confidence = Confidence.HIGH if lines.links > 1 else Confidence.MEDIUM
        return Defect(FindingKind.LINKS_ONLY, confidence, f"it has only {many} elsewhere, and no text of its own")
    if not lines.content and lines.empty:
        left = f", such as “{shortened(visible(lines.placeholder), 40)}”" if lines.placeholder else ""
        return Defect(FindingKind.TEMPLATE_ONLY, Confidence.HIGH, f"nothing was filled in below the headings{left}")
    if len(lines.content) > _MOST_TITLE_LINES:
        return None
    text = " ".join(_LINKS.sub(" ", line) for line in lines.content).strip()
    if len(text.split()) > _MOST_TITLE_WORDS or len(re.findall(r"[.!?]+(?:\s|$)", text)) > 2:
        return None
    new = (words := stems(text) - _FILLERS) - stems(title)
    if len(new) > 0.25 * len(words):
        return None
    sentence = (
        f"its only sentence repeats the title: “{shortened(visible(text), 80)}”"
        if text
        else "it has a title and no text"
    )
    return Defect(FindingKind.TITLE_ONLY, Confidence.MEDIUM if new else Confidence.HIGH, sentence)
