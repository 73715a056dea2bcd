"""``brv-tui fleet open``: the app on a fleet."""

from __future__ import annotations

import click

from brvtui.cli.checks import check_terminal
from brvtui.cli.fleet.options import FleetOptions, fleet_command


@click.command("open")
@fleet_command
def open_fleet(options: FleetOptions) -> int:
    """Open the app on the fleet: one question to all members, results by member, each opened in its own tree."""
    check_terminal(instead="brv-tui fleet query or fleet explain")
    made = options.fleet()
    from brvtui.app import run
    from brvtui.app.project.open_fleet import OpenFleet
    from brvtui.app.project.opening import Opening

    fleet = OpenFleet(made, options.where, options.timeout, options.now, options.read)
    return run(Opening(now_ms=options.now, fleet=fleet))
