"""Saves notes endlessly, like the app: ``python -m tests.soak.saver PROJECT NAME NOTE…``.

Each save adds a new line. Prints a line of JSON for each save: the text is in the note, or there was a conflict.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from pathlib import Path

from brvtui.session import Session
from brvtui.tree.saving.note_files import Conflict, SaveError, read_note_file

_PAUSE_S = 0.4


def save(session: Session, path: str, token: str) -> dict[str, object]:
    """Adds a line with ``token`` to the note at ``path``; returns the result."""
    try:
        data, seen = read_note_file(session.project.tree, path)
        done = session.notes.save(path, data + f"{token}\n".encode(), seen)
    except SaveError as error:
        return {"failed": token, "why": str(error)}
    if isinstance(done, Conflict):
        return {"conflict": token, "path": path, "kept": done.kept}
    return {"saved": token, "path": path, "kept": done.kept}


def main(arguments: list[str]) -> int:
    project, name, *paths = arguments
    session = Session.open(Path(project), tolerant=True)
    session.load()
    pick = random.Random(name)
    for number in itertools.count():
        result = save(session, pick.choice(paths), f"saved-{name}-{number}")
        print(json.dumps(result), flush=True)
        time.sleep(pick.uniform(0, 2 * _PAUSE_S))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
