"""``brv-tui``: opens the app, or answers headless with the same engine (README.md, "Headless")."""

import os
import sys


def main() -> None:
    """Runs ``brv-tui`` and ends the process with its exit code.

    The working folder may be hostile: before anything is imported that it could contain too, it leaves the places where
    this process, and the libraries in it, look for modules and programs.
    """
    _leave_working_folder()
    from brvtui import programs
    from brvtui.cli.program import main as run

    variables = programs.environment()
    os.environ.clear()
    os.environ.update(variables)
    run()


def _leave_working_folder() -> None:
    try:
        here = os.path.realpath(".")
    except OSError:  # it was removed
        here = ""
    library = os.__file__.rpartition(os.sep)[0]
    given = sys.path.index(library) if library in sys.path else 0  # before it: PYTHONPATH, and what ``-m`` added
    sys.path[:] = [
        place for number, place in enumerate(sys.path) if place[:1] == os.sep and (number >= given or place != here)
    ]
