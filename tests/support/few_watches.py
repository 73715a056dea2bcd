"""A process that may use only a few inotify watches or instances: ``python -m tests.support.few_watches``.

The limits come from its own user namespace. It prints a watcher's messages and events as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from brvtui.tree.watching.watch import Watcher, Watching
from tests.support.namespaces import CANNOT, Refused, own_namespace, write

_POLL_SECONDS = 0.02


def main(name: str, most: int, tree: Path) -> dict[str, object]:
    """Watches ``tree`` under the limit, makes folders, then writes a note into the last of them."""
    own_namespace()
    write(f"/proc/sys/user/{name}", str(most))
    noticed = threading.Condition()
    places: set[str] = set()
    messages: list[Watching] = []

    def changed(found: frozenset[str] | None) -> None:
        with noticed:
            places.update(found or ())
            noticed.notify_all()

    watcher = Watcher([tree], changed, messages.append, _POLL_SECONDS)
    begun = watcher.start()
    for number in range(60):
        (tree / f"made{number}").mkdir()
    note = tree / "made59/n.md"
    with noticed:
        polls = noticed.wait_for(lambda: messages or begun.poll_seconds, 5)
    note.write_text("# New\n")
    with noticed:
        saw = noticed.wait_for(lambda: str(note) in places, 5)
    watcher.stop()
    return {
        "begun": [begun.why, begun.poll_seconds],
        "told": [[one.why, one.poll_seconds] for one in messages],
        "polls": bool(polls),
        "saw": saw,
    }


if __name__ == "__main__":
    try:
        print(json.dumps(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
    except Refused as refused:
        print(refused)
        sys.exit(CANNOT)
