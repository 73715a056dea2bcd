"""Measures the text index over many notes: the time for finding, opening and one change, and the size.

python -m benchmarks.find [NOTES]
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from brvtui.session import Session
from brvtui.store.text_index import text_index

_WORDS_FROM = ("docs/*.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
_HAN = "本日天気東京都住文章検索説明記録設定結果確認変更追加削除保存更新処理開始終了"
_QUERIES = (
    *("the"[:end] for end in range(1, 4)),
    *("refresh tok"[:end] for end in range(1, 12)),
    *('"the tier"', "retry OR ladder", "gaet~", "thershold~2", "tier -cache", "title:note engine", "rotating", "東京"),
)
_TIMES = 9


def main(count: int = 10_000) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.environ["BRV_TUI_DATA_DIR"] = str(Path(place) / "data")
        for share in (0.0, 0.1):
            print(f"{count} notes, {share:.0%} of them half in Han")
            measure(Path(place) / f"project{share:g}", count, share)


def measure(root: Path, count: int, share: float) -> None:
    size = write(root, count, share)
    session = Session.open(root)
    session.load()
    tree = session.project.tree
    index = text_index(tree)
    show("build", milliseconds(lambda: index.full_text(session.snapshot)))
    print(f"  {'size':20}{index.bytes() / 1e6:8.1f} MB, {index.bytes() / size:.1%} of the text")
    opening = []
    for _ in range(_TIMES):
        index.close()
        index = text_index(tree)
        opening.append(milliseconds(lambda: index.full_text(session.snapshot)))  # noqa: B023
    show("open", *opening)
    full_text = index.full_text(session.snapshot)
    times = {
        query: median(milliseconds(lambda q=query: full_text.find(q, 20, True)) for _ in range(_TIMES))
        for query in _QUERIES
    }
    show("find, per key", *times.values())
    print(f"  {'the slowest':20}{max(times.values()):8.1f} ms: {max(times, key=lambda query: times[query])}")
    session.watch(lambda: None)
    session.load()
    found, kept = [], []
    for number in range(_TIMES):
        file = tree / f"d{number}/note{number}.md"
        file.write_text(file.read_text() + f"\nzebrafish{number}\n")
        session.refresh([file])
        query = f"zebrafish{number}"
        found.append(milliseconds(lambda: index.full_text(session.snapshot).find(query, 5)))  # noqa: B023
        assert index.full_text(session.snapshot).find(query, 5)[1] == 1
        kept.append(milliseconds(lambda: index.keep(session.snapshot)))
    show("one change, found", *found)
    show("one change, written", *kept)
    index.close()
    session.close()


def write(root: Path, count: int, share: float) -> int:
    """Writes notes made of words from our own pages, and returns their total size in bytes."""
    here, pick, size = Path(__file__).parent.parent, random.Random(1), 0
    words = " ".join(file.read_text() for name in _WORDS_FROM for file in sorted(here.glob(name))).split()
    (root / ".brv").mkdir(parents=True)
    (root / ".brv/config.json").write_text("{}")
    for number in range(count):
        begin, length = pick.randrange(len(words) - 500), pick.randint(60, 500)
        text = " ".join(words[begin : begin + length])
        if pick.random() < share:
            text = f"{text[: len(text) // 2]} {''.join(pick.choices(_HAN, k=len(text) // 4))}"
        note = f"# note {number} {' '.join(words[begin : begin + 4])}\n\n{text}\n\n## more\n\n{words[begin]}\n"
        file = root / f".brv/context-tree/d{number % 97}/note{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note)
        size += len(note.encode())
    return size


def show(name: str, *times: float) -> None:
    print(f"  {name:20}{median(times):8.1f} ms")


def milliseconds(task: Callable[[], Any]) -> float:
    started = time.perf_counter()
    task()
    return (time.perf_counter() - started) * 1e3


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
