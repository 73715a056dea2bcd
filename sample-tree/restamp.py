#!/usr/bin/env python3
"""Sets the modification times of a sample tree's notes according to their ages, which version control does not store.

Also writes the sample's query log, with times relative to now. Needs brv-tui in this Python: `make restamp`.
The ages, in days by path, are in the tree's `ages.json`; the log is in its `query-log.json`.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from brvtui.tree.saving.ages import LOG, stamp, write_log


def main() -> None:
    """Parses the arguments, sets the times, and prints one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).resolve().parent
    parser.add_argument("--tree", type=Path, default=here, help="folder with .brv and ages.json (default: this one)")
    parser.add_argument("--now", type=datetime.fromisoformat, help="make ages relative to this ISO 8601 time")
    parser.add_argument("--if-fresh-clone", action="store_true", help="only the first time (.restamped marks the tree)")
    options = parser.parse_args()
    marker, now = options.tree / ".restamped", options.now or datetime.now(UTC)
    if options.if_fresh_clone and marker.exists():
        print(f"nothing to do: {marker} exists")
        return
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    now_ms = now.timestamp() * 1000
    count = stamp(options.tree, now_ms)
    if (options.tree / LOG).exists():
        write_log(options.tree, now_ms)
    if options.if_fresh_clone:
        marker.touch()
    print(f"gave {count} files in {options.tree} their ages")


if __name__ == "__main__":
    main()
