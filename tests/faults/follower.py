"""A process that follows a project: ``python -m tests.faults.follower PROJECT``.

It prints ``ready`` once it watches. For each path that it reads from its input, it waits until a note at that path is
known and no more changes arrive, and prints what it knows as JSON. It stops at the end of its input.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from brvtui.session import Session
from tests.support.following import following


def main(project: Path) -> None:
    """Follows ``project``, and answers the lines of standard input."""
    session = Session.open(project)
    session.load()
    with following(session) as followed:
        print("ready", flush=True)
        for line in sys.stdin:
            came = followed.until(partial(followed.has, line.strip()), 40.0)
            snapshot = session.snapshot
            print(json.dumps([came, snapshot.fingerprint, len(snapshot.notes), followed.calls]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
