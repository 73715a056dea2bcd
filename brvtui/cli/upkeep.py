"""Commands around the program itself: what it recorded, completion."""

from __future__ import annotations

from pathlib import Path

import click

from brvtui.cli.common import OK, find_session, project_option


@click.command(epilog="\b\nExample:\n  brv-tui forget --project sample-tree")
@project_option
def forget(project: Path | None) -> int:
    """Drop the access hits that the app recorded (key R) for a project."""
    count = find_session(project).forget()
    click.echo(f"dropped the recorded access hits of {count} {'note' if count == 1 else 'notes'}")
    return OK


@click.command(epilog='\b\nExample:\n  eval "$(brv-tui completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "brv-tui", "_BRV_TUI_COMPLETE").source())
    return OK
