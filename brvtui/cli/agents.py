"""Commands for agents: the MCP server, the check of an edit, and the skill."""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui import faults
from brvtui.cli.failure import FAILED, NEGATIVE, OK, Failure, is_there
from brvtui.cli.options import NOW_HELP, NamedPath, answer_format, moment, project_option, shared
from brvtui.cli.output import say, write_json
from brvtui.cli.sessions import ProjectRequest, note_ambiguous, project_request
from brvtui.installation import install_command, packaged_file
from brvtui.text.visible import visible
from brvtui.tree.reading.project import MARKER
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.answers.edits import EditReport

_LARGEST = 10_000_000
_SKILL = "SKILL.md"


@click.command(
    epilog="""
\b
Example, for Claude Code:
  claude mcp add brv-tui -- brv-tui mcp

\b
For agents that prefer a command line, and for hooks:
  brv-tui skill install
  brv-tui check-edit FILE
"""
)
@click.option(
    "--project", "projects", multiple=True, type=NamedPath(), metavar="DIR",
    help="A project to answer about; may be given more than once (default: those in the client's folders).",
)  # fmt: skip
@click.option("--now", metavar="ISO", type=moment, help=NOW_HELP)
def mcp(projects: tuple[Path, ...], now: float | None) -> int:
    """Serve the tools explain, why_not, check_edit and health to an agent, over standard input and output.

    Needs the "mcp" extra. Nothing is written to a project, and no service is called.
    """
    try:
        import anyio

        from brvtui.mcp.server import AnswerServer
    except ImportError as error:
        missing = f"mcp needs the mcp extra ({error.name} is missing): {install_command('mcp')}"
        raise Failure(missing, FAILED) from error
    from brvtui.mcp.projects import Projects
    from brvtui.tree.spaces.project import find_any_project

    named = [find_any_project(project).root for project in projects]
    served = Projects(named, Path.cwd(), now)
    try:
        anyio.run(AnswerServer(served).run)
    finally:
        served.close()
    return OK


@click.command(
    "check-edit",
    epilog="""
\b
Examples:
  brv-tui check-edit .brv/context-tree/auth/tokens.md
  brv-tui check-edit auth/tokens.md --stdin < draft.md
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--stdin", "is_piped", is_flag=True, help="Check the text from standard input instead of the file's.")
@click.option("--rev", default="HEAD", show_default=True, metavar="REV", help="The git revision to compare with.")
@project_option
@shared
@answer_format
@project_request
def check_edit(request: ProjectRequest, files: tuple[str, ...], is_piped: bool, rev: str, form: str) -> int:
    """Show which judged and logged queries an edit of a note breaks, and the problems of its text.

    Compares FILE with its text at REV or, with --stdin, the text from standard input with FILE. Nothing is written.
    Without --project, a FILE in a .brv folder also says which project is meant. Files outside the memory are skipped.
    The exit code is 1 if a query gets worse, a judged query was not checked, the project's settings differ at REV, or
    the engine cannot read the text.
    """
    from brvtui.answers import edits
    from brvtui.trace import to_plain

    if is_piped and len(files) > 1:
        raise click.UsageError("--stdin works with only one FILE")
    if request.project is None:
        folders = {folder.parent for file in files for folder in Path(file).absolute().parents if folder.name == MARKER}
        if len(folders) > 1:
            raise click.UsageError("the files are in several memories: check each memory's files separately")
        request = request._replace(project=next(iter(folders), None))
    tree = request.find().project.tree
    own = [path for file in files if (path := _inside(tree, file))]
    if not own:
        say("not a note in this memory, so nothing was checked", err=True)
        return OK
    if not is_piped:
        note_ambiguous(tree, rev, is_gated=True)
    session = request.open()
    if is_piped:
        data = sys.stdin.buffer.read(_LARGEST)  # engines ignore far smaller notes
        result = edits.check_edit(session, edits.path_in_tree(session, own[0]), data)
    else:
        result = edits.check_since(session, tuple(edits.path_in_tree(session, each) for each in own), rev)
    if form == "json":
        write_json([to_plain(result)])
    else:
        _say_report(result, os.path.relpath(tree))
    return NEGATIVE if result.broken or result.unchecked or result.has_errors or result.doubts else OK


def _say_report(result: EditReport, folder: str) -> None:
    for problem in result.problems:
        say(visible(f"{folder}/{problem}"))
    for query in result.queries:
        if query.is_broken:
            cause = ", only because saving makes the note new" if query.is_by_age else ""
            say(visible(f"breaks “{query.query}”: {query.text}{cause}"))
    if result.unchecked:
        unchecked = counted(result.unchecked, "judged query was", "judged queries were")
        say(f"{unchecked} not checked, because there are too many")
    for doubt in result.doubts:
        say(visible(doubt))
    for finding in result.findings:
        say(visible(finding.sentence))
    hint = "" if result.compared or result.unchecked else "; no queries are recorded yet: use brv-tui judge set"
    say(f"{counted(result.compared, 'query', 'queries')} checked, {result.broken or 'none'} broken{hint}", err=True)


def _inside(tree: Path, file: str) -> str:
    """The path of ``file`` relative to ``tree``, or ``file`` itself if it may be the name of a note; empty if it is
    elsewhere on disk. Links inside the tree are not followed.
    """
    place, real = Path(os.path.normpath(Path(file).absolute())), tree.resolve()
    for folder in place.parents:
        if folder.resolve() == real:
            return place.relative_to(folder).as_posix()
    return "" if file.startswith("/") or is_there(Path(file)) else file


_FOLDERS = {"claude": ("CLAUDE_CONFIG_DIR", ".claude"), "codex": ("CODEX_HOME", ".codex"), "cursor": ("", ".cursor")}
"""The variable with each agent's own folder, and the folder's default name in the home folder."""


@click.group()
def skill() -> None:
    """The skill that teaches an agent to use brv-tui."""


@skill.command(epilog="\b\nExample:\n  brv-tui skill install --for codex --dry-run")
@click.option(
    "--for", "agent", type=click.Choice(list(_FOLDERS)), default="claude", show_default=True, help="The agent."
)
@click.option("--dry-run", is_flag=True, help="Only show the file.")
def install(agent: str, dry_run: bool) -> int:
    """Write the skill to the agent's folder in your home folder, after showing it.

    If another text is there, it is kept in a file SKILL.md.bak beside it.
    """
    from brvtui.disk import writing
    from brvtui.regular_files import LARGEST, read_regular

    variable, folder = _FOLDERS[agent]
    home = Path(os.environ.get(variable, "") or Path.home() / folder).expanduser()
    target = home / "skills" / "brv-tui" / _SKILL
    try:
        data = read_regular(packaged_file(_SKILL, "skills", "brv-tui", _SKILL), LARGEST, follow_links=True)
        say(f"{visible(str(target))}:\n\n{visible(data.decode('utf-8'), keep=chr(10))}")
        if not dry_run:
            earlier = read_regular(target, LARGEST, follow_links=True) if is_there(target) else b""
            if earlier == data:
                say("already installed", err=True)
                return OK
            if earlier:
                names = (target.with_name(f"{_SKILL}.bak{number or ''}") for number in count())
                kept = next(name for name in names if not is_there(name))
                writing.write(kept, earlier, private=False)
                say(f"the earlier text is now in {kept.name}", err=True)
            writing.write(target, data, private=False)
    except OSError as error:
        raise Failure(faults.error_line(error), FAILED) from error
    say("not written, because of --dry-run" if dry_run else "written", err=True)
    return OK
