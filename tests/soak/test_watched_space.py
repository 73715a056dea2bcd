"""A space that is edited, extended, renamed and re-dated at random while it is watched equals a fresh reading."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from pathlib import Path

import pytest

from brvtui.session import Session
from brvtui.trace import Trace, to_plain
from tests.support.spaces import SPACE_ID, small_space

SECONDS = float(os.environ.get("BRV_SOAK_SECONDS", "3"))
NOW = 1_795_176_000_000.0
WORDS = ("refresh", "token", "deploy", "rollback", "carrier", "令牌", "quota")
QUERIES = ("refresh token", "deploy", "carrier quota", "令牌", "refersh token")


def random_edit(chance: random.Random, place: Path, counts: dict[str, int]) -> None:
    """Writes, removes, moves or re-dates a topic, or writes its signals."""
    tree = place / "context-tree"
    known = sorted(tree.rglob("*.html"))
    kind = chance.choice(("write", "write", "add", "remove", "move", "date", "signals", "swap"))
    file = (
        chance.choice(known)
        if known and kind != "add"
        else tree / f"d{chance.randrange(4)}" / f"{chance.random()}.html"
    )
    text = " ".join(chance.choices(WORDS, k=5))
    counts[kind] = counts.get(kind, 0) + 1
    if kind in ("write", "add"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f'<bv-topic title="{text}"><bv-fact id="bve-{chance.randrange(16**8):08x}">{text}</bv-fact></bv-topic>'
        )
    elif kind == "remove" and len(known) > 5:
        file.unlink()
    elif kind == "move":
        file.rename(file.with_name(f"moved{chance.randrange(100)}.html"))
    elif kind == "date":
        moment = NOW / 1000 - chance.randrange(90 * 86_400)
        os.utime(file, (moment, moment))
    elif kind == "signals":
        stored = place / "state" / "signals" / f"{file.relative_to(tree)}.json"
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text(json.dumps({"importance": chance.randrange(100), "maturity": "core", "recency": 1}))
    elif kind == "swap":  # the way in which editors save
        beside = file.with_name(f".{file.name}.tmp")
        beside.write_text(f'<bv-topic title="{text}"><p>{text}</p></bv-topic>')
        beside.replace(file)


def scores(session: Session) -> list[object]:
    """Results of all queries, with every score and part."""
    return [_answer(session.preview(query)) for query in QUERIES]


def _answer(trace: Trace) -> object:
    plain = to_plain(trace)
    return plain["hits"], plain["sections"]


@pytest.mark.long
@pytest.mark.timeout(0)
def test_watched_space_equals_a_fresh_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = small_space(tmp_path, NOW)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    place = tmp_path / "data" / "projects" / SPACE_ID
    chance, counts = random.Random(18), dict[str, int]()
    noticed = threading.Event()
    session = Session.open(marked, now_ms=NOW)
    session.load()
    session.watch(noticed.set)
    end, compared = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        for _ in range(chance.randint(1, 20)):
            random_edit(chance, place, counts)
        fresh = Session.open(marked, now_ms=NOW)
        fresh.load()
        wanted, limit = scores(fresh), time.monotonic() + 20
        while scores(session) != wanted and time.monotonic() < limit:
            if noticed.wait(0.05):  # only noticed changes are read
                noticed.clear()
                session.refresh()
        assert scores(session) == wanted, counts
        compared += 1
        fresh.close()
    session.close()
    print(f"{compared} comparisons of {len(QUERIES)} queries after {sum(counts.values())} changes: {counts}")
    assert compared > SECONDS / 5
