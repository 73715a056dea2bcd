#!/usr/bin/env python3
"""Writes the output of every example in README.md and docs/ by running it.

    python tools/make_examples.py [--check]

An example is a fenced block with the language ``console``. Each line that begins with ``$ `` is a command, followed by
its output; a last line ``…`` stands for the rest. The commands of a page run in a temporary folder that contains the
sample tree, with ages relative to NOW. With --check, nothing is written, and the exit code is 1 if a block differs from
the output by more than milliseconds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
NOW = "2026-11-20T12:00:00Z"
COLUMNS = "96"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TIME = re.compile(r" *\d+(?:\.\d+)? ms\b")
"""A time at the end of a line, which is padded to the full width."""
_IGNORED = shutil.ignore_patterns(".restamped", "__pycache__", "_manifest.json")


def fresh(text: str, folder: Path) -> str:
    """``text`` with the current output of its examples, which run in ``folder`` after it is filled."""
    shutil.copytree(ROOT / "sample-tree", folder / "sample-tree", ignore=_IGNORED)
    stamp = [sys.executable, str(folder / "sample-tree" / "restamp.py"), "--now", NOW]
    subprocess.run(stamp, check=True, capture_output=True)
    return _BLOCK.sub(lambda found: f"```console\n{_block(found.group(1), folder)}```", text)


def differing(old: str, new: str) -> list[str]:
    """The blocks that differ between ``old`` and ``new``, ignoring milliseconds."""
    pairs = zip(_BLOCK.findall(old), _BLOCK.findall(new), strict=True)
    return [was for was, is_now in pairs if _TIME.sub("", was) != _TIME.sub("", is_now)]


def _block(block: str, folder: Path) -> str:
    """The commands of ``block`` with their output. If the block ends with the line ``…``, it does not get longer."""
    old = block.splitlines()
    commands = [line[2:] for line in old if line.startswith("$ ")]
    new = "".join(f"$ {command}\n{_printed(command, folder)}" for command in commands)
    most = len(old) - 1
    is_cut = old[-1] == "…" and len(new.splitlines()) > most
    return "\n".join([*new.splitlines()[:most], "…", ""]) if is_cut else new


def _printed(command: str, folder: Path) -> str:
    scripts = sysconfig.get_path("scripts")
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("FORCE_COLOR", "BRV_TUI_"))},
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "BRV_DATA_DIR": str(folder / "engine"),
        "BRV_TUI_DATA_DIR": str(folder / "tool"),
        "COLUMNS": COLUMNS,
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=env, text=True, encoding="utf-8", stdout=-1, stderr=-2, check=False
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def renew(page: Path, check: bool) -> int:
    """Writes the examples of a page, or only names the ones that differ; returns their number."""
    old = page.read_text(encoding="utf-8")
    if not _BLOCK.search(old):
        return 0
    with tempfile.TemporaryDirectory() as folder:
        new = fresh(old, Path(folder))
    wrong = differing(old, new)
    for block in wrong:
        print(f"{page.relative_to(ROOT)}: {'out of date' if check else 'renewed'}: {block.splitlines()[0]}")
    if wrong and not check:
        page.write_text(new, encoding="utf-8")
    return len(wrong)


def main() -> int:
    """Writes the pages, or checks them."""
    check = "--check" in sys.argv[1:]
    wrong = sum(renew(page, check) for page in PAGES)
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
