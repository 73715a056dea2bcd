"""The recorded answers of the engine are in tests/parity/test_maturity.py; here is each rule by itself."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.contents import updated_ms
from tests.support.trees import Tree


def ms(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("2026-01-02", "2026-01-02"),
        ("2026-06", "2026-06-01"),
        ("2026", "2026-01-01"),
        ("2026-01-02T10:00:00Z", "2026-01-02T10:00"),
        ("2026-01-02t10:00:00z", "2026-01-02T10:00"),
        ("2026-01-02 10:00Z", "2026-01-02T10:00"),
        ("'2026-01-02T10:00:00.123456789Z'", "2026-01-02T10:00:00.123"),
        ('"2026-01-02T10:00:00.5Z"', "2026-01-02T10:00:00.500"),
        ("2026-01-02T10:00:00+02:00", "2026-01-02T08:00"),
        ("2026-01-02T10:00:00-0330", "2026-01-02T13:30"),
        ("2026-02-30", "2026-03-02"),
        ("2026-01-02T24:00:00Z", "2026-01-03"),
    ],
)
def test_dates(date: str, moment: str) -> None:
    assert updated_ms(f"---\nupdatedAt: {date}\n---\n") == ms(moment)


@pytest.mark.parametrize(
    "date",
    ["soon", "2026-13-01", "2026-01-32", "2026-01-00", "20260102", "2026-01-02T10", "2026-01-02T10:00:60Z",
     "2026-01-02T24:30Z", "2026-01-02T25:00Z", "0000-01-01", "9999-12-31T23:00-23:00", "2026-01-02 # why", " \n"],
)  # fmt: skip
def test_what_is_no_date(date: str) -> None:
    found = updated_ms(f"updatedAt: {date}")
    assert found is not None
    assert math.isnan(found) or found > ms("9999-12-31")


@pytest.mark.parametrize("text", ["", "no date", "xupdatedAt: 2026", " updatedAt: 2026", "updatedAt:", "updatedAt:\n"])
def test_notes_without_a_line(text: str) -> None:
    assert updated_ms(text) is None


@pytest.mark.parametrize(
    "text", ["updatedAt: 2026", "a\r\nupdatedAt:2026\r\n", "a\n\nupdatedAt:\t2026  \nupdatedAt: 1999"]
)
def test_the_first_line_counts_wherever_it_stands(text: str) -> None:
    assert updated_ms(text) == ms("2026-01-01")


def test_a_time_without_a_zone_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Europe/Berlin")
        time.tzset()
        assert updated_ms("updatedAt: 2026-01-02T10:00") == ms("2026-01-02T09:00")
        assert updated_ms("updatedAt: 2026-07-02 10:00:00.250") == ms("2026-07-02T08:00:00.250")
        assert updated_ms("updatedAt: 2026-07-02") == ms("2026-07-02")
    time.tzset()


@given(st.text(), st.text(alphabet="0123456789-:TZ+. '\"\n\r\u2028"))
def test_no_text_is_too_much(before: str, date: str) -> None:
    found = updated_ms(f"{before}\nupdatedAt: {date}")
    assert found is None or isinstance(found, float)


def test_it_is_kept_with_the_note(tree: Tree) -> None:
    tree.file("a/dated.md", "---\nupdatedAt: 2026-01-02\n---\n# A\n")
    tree.file("a/plain.md", "# B\n")
    tree.file("a/vague.md", "updatedAt: soon\n")
    snapshot = tree.snapshot()
    kept = {note.path: snapshot.columns.updated_ms[place] for place, note in enumerate(snapshot.notes)}
    assert kept["a/dated.md"] == ms("2026-01-02")
    assert math.isinf(kept["a/plain.md"])
    assert math.isnan(kept["a/vague.md"])
