"""``brv-tui find``: searches the text of notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import click
from rich.console import RenderableType

from brvtui.cli.failure import NEGATIVE, OK
from brvtui.cli.options import (
    WholeNumber,
    answer_format,
    engine_option,
    project_option,
    repo_option,
    shared,
    space_options,
    text_argument,
)
from brvtui.cli.output import print_report, say_note, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.paint.line import Line, flowed, line, painted
from brvtui.report.lines import rich_lines
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session.finding import FoundNotes, TextMatch

_MOST_WORDS = 10
"""The maximum number of words that are counted one by one."""
SCHEMA = 1
"""The version of the command's JSON format. It changes if a field is removed or given another meaning."""


def found_report(found: FoundNotes, by_word: Mapping[str, int], noun: str, width: int) -> RenderableType:
    """The number of matching notes, then each note with its place and an excerpt, in ``width`` columns.

    ``by_word`` has the number of notes with each word, if no note has all of them.
    """
    count = counted(found.of, noun, f"{noun}s")
    lines = [line(f" {found.count} of {count} match", "bold strong")]
    if by_word:
        each = ", ".join(f"‘{word}’ {number}" for word, number in by_word.items())
        lines.append(line(f" word by word: {each}; put OR between words to find any of them", "muted"))
    for note in found.notes:
        lines += _note_lines(note)
    if found.count > len(found.notes):
        lines += [Line(), line(f" {found.count - len(found.notes)} more: --limit {found.count} lists them", "muted")]
    return rich_lines(part for one in lines for part in flowed(one, width, width))


def _note_lines(note: TextMatch) -> list[Line]:
    place = f"{note.path}:{note.line}" if note.line else note.path
    head = line(f" {note.title}", "strong").add(f"  {place}", "text").add(f"  {', '.join(note.fields)}", "muted")
    excerpt = line("   ")
    for text, role in painted([(note.snippet, "muted")], ((*place, "match") for place in note.highlights)):
        excerpt.add(text, role)
    return [Line(), head, *([excerpt] if note.snippet else [])]


@click.command(
    epilog="""
\b
Examples:
  brv-tui find "refresh token"
  brv-tui find '"refresh token" OR title:rota* -draft'
  brv-tui find "thershold~2" --limit 50 --format json | jq -r '.notes[].path'
  brv-tui find TokenStore --repo ../shop
"""
)
@text_argument(meaning="the text to look for")
@click.option(
    "--limit", type=WholeNumber(1, 10_000), default=20, show_default=True, help="The maximum number of notes to list."
)
@engine_option
@space_options
@repo_option
@project_option
@shared
@project_request
@answer_format
def find(text: str, limit: int, request: ProjectRequest, form: str) -> int:
    """List the notes that contain TEXT, with the location of each match.

    TEXT may contain "phrases", OR, NOT or -word, (groups), begin*, fuzzy~ and title:word (or heading, tag, path, text).

    No engine ranks the notes: --engine and --profile only decide which ones are read. Nothing is changed. The exit code
    is 1 if no note matches.
    """
    session = request.open()
    found = session.finder.find(text, limit)
    for notice in found.notices:
        say_note(notice)
    if form == "json":
        write_json([{"schema": SCHEMA, **asdict(found)}])
    else:
        words = dict.fromkeys(text.split()) if not found.count and text.replace(" ", "").isalnum() else ()
        by_word = {word: session.finder.find(word, 1).count for word in words} if 1 < len(words) <= _MOST_WORDS else {}
        print_report(partial(found_report, found, by_word, session.kind.noun))
    return OK if found.count else NEGATIVE
