"""Writes answers: reports for people, lines of JSON for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, Failure
from brvtui.text.visible import json_line, visible

if TYPE_CHECKING:
    from brvtui.paint.blocks import Blocks
    from brvtui.paint.line import Line

ASCII = "brvtui.ascii"
"""The key in click's context for the open project's setting ``ascii``."""
_ENDLESS = 1_000_000
"""A page width, in columns, that is enough for any table."""

_MOST_COLUMNS = 1_000
"""The maximum page width, even if the terminal or COLUMNS is wider, because rows are padded to the full width."""
_COLUMNS = 80
"""The width in columns if the variable COLUMNS is 0."""


def print_report(report: Callable[[int], Any]) -> None:
    """Prints ``report`` rendered for the width of the terminal, or for COLUMNS if that is set.

    Output to a pipe or a file is neither wrapped nor cut.
    """
    from rich.console import Console

    from brvtui.paint.glyphs import ON, TO_LETTERS, drawn_in
    from brvtui.paint.text import kept_whole

    letters = letters_setting()
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, _MOST_COLUMNS) or _COLUMNS
    if console.is_terminal or os.environ.get("COLUMNS"):
        with drawn_in(letters), console.capture() as printed:
            console.print(report(console.width))
        text = printed.get()
    else:
        endless = Console(highlight=False, markup=False, emoji=False, width=_ENDLESS)
        with drawn_in(letters), kept_whole():
            text = report(console.width)
            if not isinstance(text, str):
                with endless.capture() as printed:
                    endless.print(text, soft_wrap=True)
                text = "".join(f"{row.rstrip(' ')}\n" for row in printed.get().splitlines())
    sys.stdout.write(text.translate(TO_LETTERS) if letters == ON else text)


def print_lines(lines: Callable[[int], Iterable[Line]]) -> None:
    """Prints lines as a report. Output to a pipe or a file is not rendered by rich, which is slow."""
    from brvtui.paint.text import keeps_whole
    from brvtui.report.lines import plain_lines, rich_lines

    def shown(width: int) -> Any:
        return f"{plain_lines(lines(width))}\n" if keeps_whole() else rich_lines(lines(width))

    print_report(shown)


def print_blocks(blocks: Callable[[int], Blocks]) -> None:
    """Prints the blocks, laid out for a width. Chooses the width in the same way as :func:`print_report`."""
    from brvtui.paint.blocks import lines_of
    from brvtui.paint.glyphs import for_terminal

    print_lines(lambda width: lines_of(blocks(width), width, for_terminal()))


def say(text: str, err: bool = False) -> None:
    """Prints a sentence. If the ``ascii`` setting is on, letters replace symbols, even in names."""
    from brvtui.paint.glyphs import ON, TO_LETTERS

    click.echo(text.translate(TO_LETTERS) if letters_setting() == ON else text, err=err)


def say_note(line: str) -> None:
    """Prints a note to standard error."""
    say(f"note: {visible(line)}", err=True)


def show_progress(noun: str, done: int, of: int) -> None:
    """Shows progress on a terminal: the number of finished items, which are called ``noun``, and the total."""
    if sys.stderr.isatty():
        click.echo(f"\r{noun}: {done} of {of}", nl=done >= of, err=True)


def letters_setting() -> str:
    """The value of the ``ascii`` setting for the open project or, if none is open, for the user."""
    context = click.get_current_context(silent=True)
    letters: str = context.meta.get(ASCII, "") if context else ""
    if letters:
        return letters
    from brvtui.config import configure

    letters = configure().settings.ascii
    if context:
        context.meta[ASCII] = letters  # cached until a project is opened, since a command may print many lines
    return letters


def check_targets(files: Iterable[Path], form_of: Callable[[Path], Any], trees: Sequence[Path]) -> None:
    """Raises :class:`Failure` if one of ``files``, to be written later, cannot be saved.

    A file cannot be saved if ``form_of`` rejects its extension, or if its place is not allowed, such as inside one of
    ``trees``.
    """
    from brvtui.report.saved import ExportError, checked_place

    for file in files:
        try:
            form_of(file)
            with suppress(OSError, RuntimeError):  # saving reports that there is no such place
                checked_place(file, trees)
        except ExportError as error:
            raise Failure(str(error), BAD_USAGE) from error


def write_json(values: Iterable[Any]) -> None:
    """Writes each value as one line of JSON in UTF-8."""
    out = sys.stdout.buffer
    for value in values:
        out.write(json_line(value))
    out.flush()
