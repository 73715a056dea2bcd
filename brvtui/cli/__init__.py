"""``brv-tui``: opens the app, or answers queries headless with the same engine (``docs/reference/cli.md``)."""

import os
import sys


def main() -> None:
    """Runs ``brv-tui`` and ends the process with its exit code.

    The working folder may be hostile, so it is first removed from the search paths of this process and its libraries
    for modules and programs. Only then is anything imported that the folder could also contain.
    """
    _leave_working_folder()
    from brvtui.cli.program import main as run
    from brvtui.environment import environment

    variables = environment()
    os.environ.clear()
    os.environ.update(variables)
    run()


def _leave_working_folder() -> None:
    try:
        here = os.path.realpath(".")
    except OSError:  # it was deleted
        here = ""
    library = os.__file__.rpartition(os.sep)[0]
    first = sys.path.index(library) if library in sys.path else 0  # PYTHONPATH and the folder of ``-m`` precede it
    sys.path[:] = [
        place for number, place in enumerate(sys.path) if place[:1] == os.sep and (number >= first or place != here)
    ]
