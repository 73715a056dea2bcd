"""Help that shows the whole summary of every command."""

from __future__ import annotations

import click

_WHOLE = 200
"""More characters than any command's summary has."""


class WholeSummaries(click.Group):
    """Commands whose summaries its help does not cut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists every command with its whole summary: click would cut it to one line."""
        with formatter.section("Commands"):
            named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl([(name, command.get_short_help_str(_WHOLE)) for name, command in named if command])
