"""``brv-tui fleet``: lists, checks and queries many memories together."""

from __future__ import annotations

import click

from brvtui.cli.fleet.asking import evaluate, explain, query
from brvtui.cli.fleet.members import add, check, health, list_members, maturity, open_fleet
from brvtui.cli.options import WholeSummaries


@click.group(
    cls=WholeSummaries,
    epilog="""
\b
Examples:
  brv-tui fleet add "~/repos/*" --owner platform
  brv-tui fleet add /srv/git/orders.git --revision main
  brv-tui fleet check
  brv-tui fleet open
  brv-tui fleet query "how are refresh tokens rotated"
  brv-tui fleet query "webhook retries" --over "~/repos/*" --format json
  brv-tui fleet explain "webhook retries" retry_policy --member payments
""",
)
def fleet() -> None:
    """Query many memories at once: those in a fleet.toml, or those named with --over.

    A memory that cannot be read is reported on standard error; the others still answer. No service is called.
    """


for _command in (add, check, evaluate, explain, health, list_members, maturity, open_fleet, query):
    fleet.add_command(_command)
