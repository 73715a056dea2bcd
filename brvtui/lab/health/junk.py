"""Recognises notes without knowledge: empty templates, transcripts, output of tools, and lists of links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from brvtui.lab.health.finding import Confidence, Kind
from brvtui.lab.health.statements import stems
from brvtui.text.visible import visible
from brvtui.tree.reading.links import lines_of
from brvtui.wording import counted, shortened

_LONGEST, _LONGEST_LINE = 200_000, 500
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_NO_WORD = re.compile(r"[\W_]*")
_LABEL = re.compile(r"[-*>\s]*\*{0,2}([A-Za-z][\w /-]{0,40})\*{0,2}:\*{0,2}\s*(.*)")
_METADATA = frozenset(
    [
        "author",
        "authors",
        "date",
        "timestamp",
        "created",
        "updated",
        "createdat",
        "updatedat",
        "owner",
        "status",
        "tags",
        "keywords",
        "related",
        "source",
        "version",
        "type",
        "reviewed",
        "reviewer",
        "session",
        "id",
    ]
)
_PLACEHOLDER = re.compile(
    r"[-*>\s\d.\[\]x|]*\(?(?:todo|tbd|tba|fixme|n/?a|none(?: yet)?|nothing(?: yet)?|empty|unknown|placeholder|xxx+|wip"
    r"|lorem ipsum.{0,400}|to be (?:added|defined|determined|done|written|filled(?: in)?|completed|documented|decided)"
    r"|(?:coming|more) soon|more to come|(?:describe|add|insert|fill in|write|enter|your|replace|explain|list|briefly) "
    r".{0,60}(?:here|\.\.\.|…|text|this section|above|below)|<[^<>]{0,80}>|\[[^\[\]]{0,80}\]|\{\{?[^{}]{0,80}\}\}?"
    r"|what (?:is|was|are|were) .{0,60}\?)\)?[\s.:!*_]*",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"!?\[[^\[\]]{0,200}\]\([^()\s]{1,500}(?: [^()]{0,100})?\)|\[\[[^\[\]]{1,200}\]\]|<?https?://[^\s<>)]{1,500}>?|@[\w./-]{3,300}"
    r"|`?(?:[\w.-]{1,80}/){1,12}[\w.-]{1,80}\.md`?"
)
_AROUND_LINKS = frozenset(
    [
        "see",
        "also",
        "related",
        "link",
        "links",
        "reference",
        "references",
        "note",
        "notes",
        "here",
        "for",
        "more",
        "details",
        "and",
        "or",
        "the",
        "docs",
        "page",
        "read",
        "source",
        "sources",
        "further",
        "reading",
        "this",
        "in",
        "at",
        "on",
        "of",
        "to",
        "relations",
    ]
)
_ROLE = re.compile(
    r"[-*>#\s]{0,8}(?:\[[\d: .apmAPM-]{4,25}\]\s*)?(?:\*\*|__|<\|im_start\|>|<\|?|\[)?"
    r"(user|human|assistant|ai|system|claude|chatgpt|gpt(?:-?\d)?|copilot|gemini|agent|bot|model|tool|tool_result|"
    r"tool_use|thinking|function)(?:\*\*|__|\|?>|\])?(?:\s?\([^()]{0,40}\))?\s*(?::\s?\*{0,2}|\|?>|\*\*\s*$|$)(?=\s|\S|$)",
    re.IGNORECASE,
)
_JSON_ROLE = re.compile(r'"role"\s{0,3}:\s{0,3}"(user|assistant|system|tool)"')
_SPEAKERS = frozenset(
    ["user", "human", "assistant", "ai", "claude", "chatgpt", "gpt", "copilot", "gemini", "agent", "bot", "model"]
)
_CHATTER = re.compile(
    r"\bas an ai\b|\b(?:i'd|i would) be (?:happy|glad) to\b|\blet me (?:know if|check|look|read|run|start by|first|now|take"
    r"|search|see|fix|update|think)\b|\bwould you like me to\b|\bdo you want me to\b|^\W{0,3}(?:sure|certainly|absolutely|of "
    r"course|great question|great idea|good question|perfect|got it|understood|no problem|happy to help)[!,.:—-]|\bi(?:'ve| "
    r"have) (?:updated|added|created|fixed|implemented|made|saved|stored|written|gone ahead|now|successfully|also)\b|\bi(?:'ll"
    r"| will) (?:now|go ahead|start|proceed|begin|take|make|update|create|check|look)\b|\bhere(?:'s| is| are) (?:the|a|an|your|"
    r"what) (?:updated|summary|revised|corrected|complete|full|breakdown|plan|note|requested|i )|\byou(?:'re| are) (?:"
    r"absolutely )?right\b|\bis there anything else\b|\bhope (?:this|that) helps\b|\bfeel free to\b|\banything else (?:you|i)"
    r"\b|\bi apologi[sz]e\b|\bthanks for (?:the|your|letting|pointing|clarif)|\b(?:can|could) you (?:please|also)\b|\bplease "
    r"(?:fix|update|add|make|change|remember|save) (?:this|that|it|the)\b",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\].,\s]|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\[?(?:INFO|WARN|WARNING|ERROR|"
    r"DEBUG|TRACE|FATAL|NOTICE|OK|FAIL|FAILED|PASS|PASSED)\b[\]: ]|Traceback \(|File \"[^\"]+\", line \d|at \S+ ?\(?\S*:\d+|"
    r"[$#%❯»] \S|>>> |npm (?:ERR|WARN|notice)|(?:diff --git|index [0-9a-f]{6,}|@@ -\d|\+\+\+ |--- [ab]/)|[+-]{1}(?![-+\s\d])\S*[({;=]|"
    r"[-dl](?:[r-][w-][xsStT-]){3}|total \d+$|\d+ (?:passed|failed|packages|files|tests?|errors?|warnings?)\b|[✓✔✗✘×●]|"
    r"(?:===|---|\.\.\.|###)[=.#-]{3,}|[={}\[\]]{1,3},?$|[\[{,]? ?\"[\w.$-]+\": |exit (?:code|status) \d|[0-9a-f]{7,40} \S|\S+\.\w{1,5}:\d+(?::"
    r"\d+)?[: ]|(?:added|removed|changed|audited|Downloading|Collecting|Installing|Compiling|Building|Successfully|"
    r"Requirement already|Fetching|Resolving|Receiving|Unpacking|Step \d+/\d+|Running|Executing|Created|Pulling|GET|POST|PUT|"
    r"DELETE|HTTP/\d|curl:|fatal:|error:|error\[|warning:|Error:|\w*(?:Error|Exception):|panic:|goroutine|Caused by|FAIL\t|ok  \t|"
    r"test \S+ \.\.\.|PASS |FAIL |make(?:\[\d\])?:|On branch|Your branch|modified:|new file:|deleted:|Untracked|commit [0-9a-f]{7}"
    r"|Author: .+<|Merge:)(?=\s|$|[ \"'\d(:/]))"
)
_COLUMNS = re.compile(r"\S {2,}\S[^\n]{0,200}? {2,}\S")
_ANSI = re.compile(r"\x1b\[|␛\[|\[\d{1,2}(?:;\d{1,2})*m")
_LEAST_MACHINE, _LEAST_TURNS = 3, 2
_MOST_PROSE_WORDS = 40
_MOST_TITLE_WORDS = 30


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect that a note has by itself."""

    kind: Kind
    confidence: Confidence
    sentence: str


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a note by what they are."""

    content: list[str]
    """The lines with words of their own."""
    machine: list[str]
    empty: int
    """The number of empty sections, labels without text, and placeholders."""
    links: int
    """The number of lines that only link elsewhere."""
    placeholders: list[str]


def junk(title: str, body: str) -> Defect | None:
    """The reason why a note without frontmatter, ``body``, contains no knowledge; None if it may contain some."""
    lines = _sorted_lines(body[:_LONGEST])
    return _transcript(lines) or _tool_output(lines) or _hollow(title, lines)


def _sorted_lines(body: str) -> _Lines:
    found = _Lines([], [], 0, 0, [])
    empty = links = 0
    is_open = False
    """True below a heading, except the title, until some text follows."""
    for line, is_code in lines_of(body):
        text = line.strip()[:_LONGEST_LINE]
        if _ROLE.fullmatch(text) or (_ROLE.match(text) and not _HEADING.match(text)):
            found.content.append(text)
            continue
        if _HEADING.match(line):
            empty += is_open
            is_open = not line.startswith("# ")
            continue
        if is_code and text.startswith(("```", "~~~")):
            continue
        if _MACHINE.match(text) or _ANSI.search(text) or (is_code and _COLUMNS.search(text)):
            found.machine.append(text)
        elif is_code:
            found.content.append(text) if text else None
        elif _NO_WORD.fullmatch(text) or text.startswith("<!--"):
            continue
        elif _PLACEHOLDER.fullmatch(_value(text)) and not _LINKS.search(text):
            empty, is_open = empty + 1, False
            found.placeholders.append(text)
        elif (label := _LABEL.match(text)) and (not label[2].strip("* ") or label[1].lower().strip() in _METADATA):
            empty += not set(label[1].lower().split()) <= _AROUND_LINKS
        elif (rest := _LINKS.sub(" ", text)) != text and not set(re.findall(r"\w{2,}", rest.lower())) - _AROUND_LINKS:
            links, is_open = links + 1, False
        else:
            found.content.append(text)
    return _Lines(found.content, found.machine, empty + is_open, links, found.placeholders)


def _value(text: str) -> str:
    """The text after a label, or the whole text without one."""
    label = _LABEL.match(text)
    return label[2].strip() if label and label[2].strip("* ") else text


def _transcript(lines: _Lines) -> Defect | None:
    roles = Counter[str]()
    for line in (*lines.content, *lines.machine):
        roles.update(role.lower() for role in _JSON_ROLE.findall(line))
        if turn := _ROLE.match(line):
            roles[turn[1].lower()] += 1
    speakers = [role for role in roles if role in _SPEAKERS]
    chatter = [found[0].strip(" !,.:—-") for line in lines.content if (found := _CHATTER.search(line))]
    turns = sum(roles.values())
    share = turns / max(1, len(lines.content) + len(lines.machine))
    if speakers and len(roles) > 1 and turns >= _LEAST_TURNS and (share >= 0.1 or chatter):
        confidence = Confidence.HIGH if share >= 0.2 or chatter else Confidence.MEDIUM
        named = " and ".join(f"“{role}:”" for role in list(roles)[:2])
        return Defect(
            Kind.TRANSCRIPT_LEFTOVER, confidence, f"{counted(turns, 'line begins', 'lines begin')} with {named}"
        )
    if len(chatter) > 1 or (chatter and (len(lines.content) < 6 or _CHATTER.search(lines.content[0]))):
        confidence = Confidence.HIGH if len(chatter) * 2 >= len(lines.content) > 1 else Confidence.MEDIUM
        said = " and ".join(f"“{shortened(visible(one), 40)}”" for one in chatter[:2])
        return Defect(Kind.TRANSCRIPT_LEFTOVER, confidence, f"it keeps phrases of a conversation: {said}")
    return None


def _tool_output(lines: _Lines) -> Defect | None:
    words = sum(len(line.split()) for line in lines.content)
    machine = sum(len(line.split()) for line in lines.machine)
    share = len(lines.machine) / max(1, len(lines.machine) + len(lines.content))
    if (
        len(lines.machine) < (_LEAST_MACHINE if lines.content else 2)
        or share < 0.5
        or (words > _MOST_PROSE_WORDS and machine < 2 * words)
    ):
        return None
    confidence = Confidence.HIGH if share >= 0.8 and len(lines.machine) > _LEAST_MACHINE else Confidence.MEDIUM
    total = len(lines.machine) + len(lines.content)
    sample = shortened(visible(lines.machine[0]), 60)
    return Defect(
        Kind.TOOL_OUTPUT, confidence, f"{len(lines.machine)} of {total} lines are output of a program: “{sample}”"
    )


def _hollow(title: str, lines: _Lines) -> Defect | None:
    if lines.machine:
        return None
    if not lines.content:
        if lines.links and not lines.empty:
            many = counted(lines.links, "line that links", "lines that link")
            confidence = Confidence.HIGH if lines.links > 1 else Confidence.MEDIUM
            return Defect(Kind.LINKS_ONLY, confidence, f"it has only {many} elsewhere, and no text of its own")
        if lines.empty:
            left = f", such as “{shortened(visible(lines.placeholders[0]), 40)}”" if lines.placeholders else ""
            return Defect(Kind.TEMPLATE_ONLY, Confidence.HIGH, f"nothing was filled in below the headings{left}")
        return Defect(Kind.TITLE_ONLY, Confidence.HIGH, "it has a title and no text")
    text = " ".join(_LINKS.sub(" ", line) for line in lines.content)
    if len(text.split()) <= _MOST_TITLE_WORDS and len(list(_sentences(text))) <= 2:
        words = stems(text)
        new = words - stems(title)
        if len(new) <= len(words) * 0.25:
            return Defect(
                Kind.TITLE_ONLY,
                Confidence.HIGH if not new else Confidence.MEDIUM,
                f"its only sentence repeats the title: “{shortened(visible(text.strip()), 80)}”",
            )
    return None


def _sentences(text: str) -> Iterator[str]:
    return (one for one in re.split(r"[.!?]+(?:\s|$)", text) if one.strip())
