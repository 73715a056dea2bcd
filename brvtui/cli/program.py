"""The command ``brv-tui`` itself: its commands, help and exit code."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui import __version__, faults
from brvtui.cli.failure import (
    BAD_USAGE,
    FAILED,
    NO_PROJECT,
    NOT_THERE,
    OK,
    ErrorsReported,
    Failure,
    check_terminal,
    is_there,
)
from brvtui.wording import shortened

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Standard streams that are closed, lose their reader, or have an encoding without our symbols.


_ERRORS = "brv-tui"


def prepare_streams() -> None:
    """Replaces closed standard streams with the null device, and lets the others write any text in any encoding."""
    codecs.register_error(_ERRORS, _in_letters)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # the process was started without it; the lowest free descriptor is the closed one's
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors=_ERRORS)


def _in_letters(error: UnicodeError) -> tuple[str, int]:
    """Replaces characters that cannot be encoded: the tool's own symbols by letters, all others by escapes."""
    from brvtui.paint.glyphs import TO_LETTERS

    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    escaped = (TO_LETTERS.get(ord(char)) or char.encode("ascii", "backslashreplace").decode("ascii") for char in text)
    return "".join(escaped), error.end


def discard_output() -> None:
    """Redirects remaining output to the null device, because the reader is gone and Python flushes at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(null, stream.fileno())
        except (OSError, ValueError):  # it has no descriptor of its own
            continue


_GROUPS = {
    "Ask": {
        "demo": ("demo:demo", "Try the app on a sample tree"),
        "open": ("serving:open_app", "Open a project or a saved trace"),
        "serve": ("serving:serve", "Show the app in a browser"),
        "mcp": ("agents:mcp", "Answer an agent's questions (MCP)"),
        "query": ("query:query", "Answer a query and show every decision"),
        "ask": ("ask:ask", "Answer a query, with a model if allowed"),
        "find": ("find:find", "List the notes that contain a text"),
        "terms": ("terms:terms", "List the notes' words, or split a text"),
        "code": ("code:code", "Show the code relevant to a task"),
        "replay": ("query:replay", "Answer many queries, one JSON line each"),
    },
    "Explain": {
        "explain": ("query:explain", "Explain a note's score, or why it's missing"),
        "why": ("query:why", "Explain why one note ranks above another"),
        "diff": ("diff:diff", "Compare answers before and after a change"),
        "compare": ("compare:compare", "Compare the results of all engines"),
        "show": ("query:show", "Show a saved trace"),
        "check-edit": ("agents:check_edit", "Show which queries an edit breaks"),
        "delivery": ("delivery:delivery", "Show which answers reached your agent"),
    },
    "Measure": {
        "judge": ("judge:judge", "Record which notes a query should find"),
        "eval": ("eval:evaluate_command", "Measure the answers to the judged queries"),
        "sweep": ("sweep:sweep", "Measure judged queries over a constant's range"),
        "verify": ("verify:verify", "Compare answers with the installed engine"),
    },
    "Notes": {
        "health": ("health:health", "List duplicates, superseded facts, junk and gaps"),
        "maturity": ("maturity:maturity", "Forecast ageing events in the coming days"),
        "migrate": ("migrate:migrate", "Show what a migration to V4 would change"),
        "forget": ("upkeep:forget", "Remove the signals and feedback recorded here"),
    },
    "Many memories": {"fleet": ("fleet:fleet", "Query many memories at once")},
    "Setup": {
        "config": ("settings:config", "Show the settings and where they come from"),
        "keys": ("settings:keys", "List the app's keys"),
        "skill": ("agents:skill", "Teach an agent to use brv-tui"),
        "llm": ("ask:llm", "Check the model that writes answers"),
        "cache": ("upkeep:cache", "Show or remove stored indexes and answers"),
        "completion": ("completing:completion", "Print a script for shell completion"),
    },
}
"""The commands by group and name: module and function, and summary. Only the called command's module is imported."""
_UNLISTED = {
    "feedback": ("upkeep:feedback", "Tell the engine whether a result was useful"),
    "themes": ("settings:themes", "List the colour themes"),
}
"""Commands that few users need, which are left out of ``--help`` and completion."""
_COMMANDS = {name: command for group in (*_GROUPS.values(), _UNLISTED) for name, command in group.items()}


class _Commands(click.Group):
    """The commands by group. If the first word is not a command, it is the project to open in the app."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _command(cmd_name) if cmd_name in _COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _COMMANDS))
        for title, group in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, (_, summary) in group.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the commands whose names begin with ``incomplete``, without importing them."""
        from click.shell_completion import CompletionItem

        listed = [(name, summary) for group in _GROUPS.values() for name, (_, summary) in group.items()]
        found = [CompletionItem(name, help=text) for name, text in sorted(listed) if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        with ErrorsReported():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] in (["--help"], ["-h"], ["--version"]):  # usual, and faster without the options of a command
            return super().parse_args(ctx, args)
        position = 0
        while position < len(args) and args[position].startswith("-") and args[position] != "--":
            position += 2 if args[position] in _valued("open") else 1
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        asks_itself = any(arg in ("--help", "-h", "--version") for arg in args[:position])
        if not asks_itself and (position >= len(args) or args[position] not in _COMMANDS):
            if position < len(args):
                _check_first_word(args[position])
            args = ["open", *args]
        return super().parse_args(ctx, args)


def _command(name: str) -> click.Command:
    place, summary = _COMMANDS[name]
    module, _, function = place.partition(":")
    command: click.Command = getattr(import_module(f"brvtui.cli.{module}"), function)
    command.short_help = summary  # for shell completion
    command.hidden = name in _UNLISTED
    return command


def _valued(name: str) -> set[str]:
    """Returns the options of the command ``name`` that take a value. The word after such an option is not a project."""
    options = [param for param in _command(name).params if isinstance(param, click.Option) and not param.is_flag]
    return {text for option in options for text in option.opts}


def _check_first_word(word: str) -> None:
    """Raises :class:`Failure` if ``word`` is neither a command nor a file or folder."""
    from brvtui.app.modes import SCREENS

    if word == "--" or is_there(Path(word)):
        return
    if os.sep in word or word.startswith((".", "~")) or word.endswith(".json"):
        raise Failure(f"{word}: {NO_PROJECT}", NOT_THERE)
    key = next((mode.key for mode in SCREENS if mode.name == word), "")
    if key:
        where = f"open the app with brv-tui, press Esc, then {key}"
        raise Failure(f"{word} is a screen of the app, not a command: {where}", BAD_USAGE)
    import difflib

    near = difflib.get_close_matches(word, _COMMANDS, 1, _NEAR)
    hint = (
        f"did you mean {near[0]}?" if near else "brv-tui --help lists the commands; to open a project, pass its folder"
    )
    raise Failure(f"no command {word}, and no file or folder with that name: {hint}", BAD_USAGE)


_NEAR = 0.7
"""The minimum similarity (0 to 1, from difflib) between a word and a command suggested for it."""
_COMPLETING = "_BRV_TUI_COMPLETE"
"""The environment variable that the shell's completion script sets for click."""
_LONG_WORD = re.compile(r"\S{600,}")
_LONGEST_LINE = 4_000
"""The maximum length of an error message. Long words, such as names from outside, are shortened first."""
_EPILOG = """
\b
Examples:
  brv-tui demo                      try it on a sample tree
  brv-tui                           open the project of this folder
  brv-tui query "token rotation"    print the answer and every decision
  brv-tui explain "token rotation" refresh_token_rotation
  brv-tui eval                      measure the judged queries
  brv-tui skill install             teach your agent to use brv-tui
  brv-tui check-edit FILE           show which queries an edit breaks

\b
Exit codes: 0 fine, 1 a negative answer, 2 bad usage, 3 not found, 4 failed.
"""


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="brv-tui")
def cli() -> None:
    """Shows why a query of a ByteRover context tree got its answer.

    Without a command it opens the app on PROJECT (brv-tui [PROJECT] [--profile …] [--now …] [--signals …]).
    """


def _reported(error: Exception) -> str:
    """Writes a crash report, and returns the line that tells the user about it."""
    from brvtui.store.crash_report import Circumstances, write_crash_report

    named = next((word for word in sys.argv[1:] if word in _COMMANDS), "open")
    return write_crash_report(error, Circumstances(f"the command {named}"))


def _quoting(error: click.UsageError) -> str:
    """A hint for a TEXT that was split into several arguments or begins with ``-``; empty if neither is likely."""
    context = error.ctx
    if context is None or not any(parameter.name == "text" for parameter in context.command.params):
        return ""
    if isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--"):
        return 'put -- before a text that begins with "-"; '
    from brvtui.cli.options import quoted_text

    return f"{quoted_text(context)}; " if error.message.startswith("Got unexpected extra argument") else ""


def _format_hint(error: click.ClickException) -> str:
    """A hint about ``--json`` if the command has JSON output; otherwise empty."""
    context = error.ctx if isinstance(error, click.NoSuchOption) and error.option_name == "--json" else None
    gives = context is not None and any("--format" in parameter.opts for parameter in context.command.params)
    return "for JSON, use --format json" if gives else ""


def main() -> None:
    """Runs ``brv-tui`` and ends the process with its exit code, which is 0 if the output's reader goes away."""
    prepare_streams()
    try:
        code = _run()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        discard_output()
        code = OK
    sys.exit(code)


def _perform(args: list[str]) -> Any:
    """Runs the command in ``args``; a folder is opened without loading click's options, which is faster."""
    word = args[0] if args else "."
    is_folder = os.path.isdir(word)  # noqa: PTH112 - without permission to look, it is False
    if len(args) < 2 and is_folder and word[0] != "-" and word not in _COMMANDS:
        check_terminal()
        from brvtui.app import run
        from brvtui.app.project.opening import Opening

        with ErrorsReported():
            return run(Opening(Path(word) if args else None))
    # click's own main() turns a broken pipe into exit code 1
    with cli.make_context("brv-tui", args) as context:
        return cli.invoke(context)


def _check_home() -> None:
    """Raises :class:`Failure` if the user's home folder is unknown."""
    if os.environ.get("HOME") == "":
        del os.environ["HOME"]  # treated as unset, so that the system is asked for the folder
    with suppress(RuntimeError):
        if Path.home().is_absolute():
            return
    raise Failure("your home folder is not known: set HOME to its path", FAILED)


def _run() -> int:
    """Runs the command that ``sys.argv`` names and returns its exit code. Raises BrokenPipeError."""
    try:
        _check_home()
        if completed := os.environ.get(_COMPLETING):
            from click.shell_completion import shell_complete

            return shell_complete(cli, {}, "brv-tui", _COMPLETING, completed)
        code = _perform(sys.argv[1:])
        return code if isinstance(code, int) else OK
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except (click.Abort, KeyboardInterrupt):
        line, code = "interrupted", FAILED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_USAGE
    except click.ClickException as error:
        line = _format_hint(error) or " ".join(error.format_message().split())
        if isinstance(error, click.UsageError) and error.ctx:
            line = f"{line.removesuffix('.')}; {_quoting(error)}see {error.ctx.command_path} --help"
        code = error.code if isinstance(error, Failure) else BAD_USAGE
    except SystemExit as ended:  # rich raises it if the reader of the output is gone
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        line, code = faults.error_line(error), FAILED
    except Exception as error:  # the last resort: a report, one line and an exit code, but never a traceback
        line, code = _reported(error), FAILED
    from brvtui.text.visible import visible

    line = _LONG_WORD.sub(lambda match: shortened(match[0]), visible(line))
    click.echo(f"brv-tui: {shortened(line, _LONGEST_LINE)}", err=True)
    return code
