"""The texts of an answer as lines: the answer itself, the prompt, a note, with the query's words marked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from brvtui.paint.line import Line, Span, line, lit, rule
from brvtui.paint.text import plural, wrap
from brvtui.text.visible import visible
from brvtui.trace import Answer, Lane, ModelPrompt

_MOST_LINES = 1500
_MOST_TERMS = 200
HIGHLIGHT = "bold underline match on match-ground"
"""The role of a term of the query."""
Mark = re.Pattern[str] | None


def marker(words: Sequence[str]) -> Mark:
    """Returns a pattern that matches the whole ``words``; None when there are none."""
    if not words:
        return None
    longest = sorted(set(words[:_MOST_TERMS]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


def answer_lines(answer: Answer, width: int, mark: Mark) -> list[Line]:
    """Returns the notice and the text of an answer."""
    made = [line(f" {part}", "warn") for part in wrap(answer.notice, width - 1) if answer.notice]
    return made + paragraphs(answer.text, width, mark)


def prompt_lines(prompt: ModelPrompt, width: int, mark: Mark) -> list[Line]:
    """Returns the limits of a prompt, the lanes of its manifest, and each section with its estimated tokens."""
    facts = (
        f"{prompt.tokens} tokens in, at most {prompt.max_tokens} out, temperature {prompt.temperature:g}, "
        f"{prompt.max_iterations} iterations"
    )
    made = [line(f" {part}", "text") for part in wrap(facts, width - 1)]
    made += [line(f" {part}", "muted") for part in wrap(f"manifest: {prompt.manifest}", width - 1)]
    made += [_lane(lane, width) for lane in prompt.lanes]
    made += [line(f" {part}", "muted") for part in wrap(sandbox_text(prompt), width - 1)]
    for section in prompt.sections:
        made.append(rule(width, f"{section.name} · {section.tokens} tokens"))
        made += paragraphs(section.text, width, mark)
        if len(made) > _MOST_LINES:
            break
    return made


def sandbox_text(prompt: ModelPrompt) -> str:
    """Returns the names of the variables in which the engine's sandbox holds the results, and their content."""
    known = ", ".join(f"{name} {json.dumps(value)}" for name, value in prompt.variables.items())
    return f"the engine's sandbox: __query_results_{{taskId}} (the results), __query_meta_{{taskId}} ({known})"


def _lane(lane: Lane, width: int) -> Line:
    made = Line().gap().fit(f"lane {lane.name}", 16, "muted").add(f"{lane.tokens:>5} of {lane.budget} tokens  ", "text")
    return made.add(f"{plural(len(lane.entries), 'note')}, {lane.left_out} left out", "muted").cut(width)


def paragraphs(text: str, width: int, mark: Mark) -> list[Line]:
    """Wraps ``text`` to ``width`` and marks terms and headings; a very long text ends with the number of lines left."""
    made: list[Line] = []
    source = text.split("\n")
    for number, paragraph in enumerate(source):
        clean = visible(paragraph.rstrip("\r"))
        role = "bold strong" if clean.startswith("#") else "muted" if clean.startswith(("---", "```")) else "text"
        own = mark if mark is not None and mark.search(clean) else None  # most paragraphs hold none of the words
        made += [Line([(" ", "text"), *_marked(part, role, own)]) for part in wrap(clean, width - 1)]
        if len(made) > _MOST_LINES:
            made.append(line(f" … {len(source) - number - 1} more lines", "muted"))
            break
    return made


def _marked(text: str, role: str, mark: Mark) -> list[Span]:
    return [(text, role)] if mark is None else lit([(text, role)], mark, HIGHLIGHT)
