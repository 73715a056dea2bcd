"""Signals: valid values, sources, and update dates."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.loading import update
from brvtui.tree.reading.contents import updated_ms
from brvtui.tree.reading.json_file import read_json
from brvtui.tree.reading.signals import (
    NoteSignals,
    SignalLayers,
    SignalsError,
    Source,
    defaults,
    from_frontmatter,
    from_mapping,
    names_signals,
    read_signals_file,
)
from brvtui.tree.spaces.locating import parse_json
from tests.support.trees import BRV3, DOCS, NOW_MS, READS_FRONTMATTER, Tree, stored

BASE = defaults(BRV3.signals)
FULL = {"importance": 90, "recency": 0.5, "maturity": "core", "accessCount": 4, "updateCount": 2}


def read(value: Any, partial: bool = True) -> NoteSignals | None:
    return from_mapping(value, Source.SIDECAR, BASE, partial)


def test_default_signals_have_the_expected_values() -> None:
    assert defaults(BRV3.signals) == NoteSignals(50, 1, "draft", 0, 0, Source.DEFAULT)


def test_complete_signals_are_read() -> None:
    assert read(FULL) == NoteSignals(90, 0.5, "core", 4, 2, Source.SIDECAR)
    assert read(FULL, partial=False) == read(FULL)


@pytest.mark.parametrize(
    "value",
    [
        {"importance": 0},
        {"importance": 100},
        {"importance": 33.3},
        {"recency": 0},
        {"recency": 1},
        {"accessCount": 3.0},
        {"extra": "x"},
    ],
)
def test_valid_signals_are_accepted(value: dict[str, Any]) -> None:
    assert read(FULL | value) is not None


@pytest.mark.parametrize(
    "value",
    [
        {"importance": 150},
        {"importance": -5},
        {"importance": "x"},
        {"importance": "90"},
        {"importance": None},
        {"importance": True},
        {"importance": float("nan")},
        {"importance": float("inf")},
        pytest.param({"importance": 10**400}, id="huge"),
        {"maturity": "gold"},
        {"maturity": None},
        {"maturity": ["core"]},
        {"recency": 2},
        {"recency": -0.1},
        {"recency": None},
        {"accessCount": -1},
        {"accessCount": 1.5},
        {"updateCount": -1},
        {"updateCount": "2"},
    ],
)
def test_invalid_field_invalidates_all_signals(value: dict[str, Any]) -> None:
    assert read(FULL | value) is None
    assert read(value) is None


@pytest.mark.parametrize("value", [None, [], "core", 3, [FULL]])
def test_values_that_are_not_objects_are_refused(value: Any) -> None:
    assert read(value) is None


def test_missing_fields_get_their_defaults() -> None:
    assert read({"importance": 90}) == NoteSignals(90, 1, "draft", 0, 0, Source.SIDECAR)
    assert read({}) == NoteSignals(50, 1, "draft", 0, 0, Source.SIDECAR)
    assert read({"importance": 90}, partial=False) is None


def test_signals_are_read_from_frontmatter() -> None:
    found = from_frontmatter("---\ntitle: T\nimportance: 80\nmaturity: validated\n---\nbody", BASE)
    assert found == NoteSignals(80, 1, "validated", 0, 0, Source.FRONTMATTER)


@pytest.mark.parametrize(
    "text",
    [
        "importance: 80",
        "---\ntitle: T\n---\nimportance: 80",
        "---\nimportance: 800\n---\n",
        "---\nimportance: [\n---\n",
        pytest.param("---\nimportance: " + "9" * 400 + "\n---\n", id="huge"),
        "---\nnote: 'importance: 80'\n---\n",
    ],
)
def test_frontmatter_without_valid_signals_gives_none(text: str) -> None:
    assert from_frontmatter(text, BASE) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("---\nimportance: 800\n---\n", True),
        ("---\ntitle: [T\nimportance: 80\n---\n", True),
        ("---\ntitle: [T\n---\n", False),
        ("---\nnote: 'importance: 80'\n---\n", False),
        ("importance: 80", False),
        ("---\ntitle: T\nimportance: 80\n\n# T\n", True),
        ("\n4w---\nimportance: 80\n---\n# T\n", True),
        ("# T\n\n---\nimportance: 80\n", False),
    ],
)
def test_signal_names_in_frontmatter_are_detected(text: str, names: bool) -> None:
    assert names_signals(text) is names


def test_first_layer_with_the_note_wins() -> None:
    one, two = stored(importance=10), stored(importance=20)
    assert SignalLayers(({}, {"a": one}, {"a": two})).get("a") is one
    assert SignalLayers(({"a": one},)).get("b") is None


def test_signals_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "signals.json"
    file.write_text(json.dumps({"a/n.md": {"importance": 70}}))
    assert read_signals_file(file, BASE) == {"a/n.md": stored(importance=70)}


@pytest.mark.parametrize(
    "text",
    [
        "junk",
        "[]",
        pytest.param("[" * 200_000, id="deep"),
        '{"a/n.md": {"importance": 700}}',
        '{"a/n.md": 3}',
        "\ud800",
    ],
)
def test_invalid_signals_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "signals.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SignalsError, match="signals"):
        read_signals_file(file, BASE)


def test_missing_signals_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SignalsError, match="cannot be read"):
        read_signals_file(tmp_path / "none.json", BASE)


# The places where a session looks up signals


def importance(tree: Tree, **options: Any) -> tuple[float, str]:
    snapshot = tree.session(**options).snapshot
    found = snapshot.signals[snapshot.by_path["a/n.md"]]
    return found.importance, str(found.source)


def test_signal_layers_have_their_order(tree: Tree, tmp_path: Path) -> None:
    tree.note("a/n.md", "Quokka")
    assert importance(tree) == (50, "default")
    tree.file("a/n.md", "---\nimportance: 61\n---\n# Quokka")
    assert importance(tree) == (50, "default")
    tree.read_frontmatter()
    assert importance(tree) == (61, "frontmatter")
    tree.sidecar_file("a/n.md", {"importance": 62})
    assert importance(tree) == (62, "sidecar")
    session = tree.session()
    session._overlay.write({"a/n.md": stored(importance=63)})
    assert importance(tree) == (63, "overlay")
    file = tmp_path / "s.json"
    file.write_text('{"a/n.md": {"importance": 64}}')
    assert importance(tree, signals_file=file) == (64, "signals file")


def test_invalid_sidecar_file_affects_only_its_own_note(tree: Tree) -> None:
    tree.note("a/n.md", "Quokka")
    tree.note("a/m.md", "Quokka")
    tree.sidecar_file("a/n.md", {"importance": 150})
    tree.sidecar_file("a/m.md", {"importance": 90})
    snapshot = tree.session().snapshot
    by_path = {note.path: signals.importance for note, signals in zip(snapshot.notes, snapshot.signals, strict=True)}
    assert by_path == {"a/n.md": 50, "a/m.md": 90}


@pytest.mark.parametrize("text", ["junk", "", pytest.param("[" * 200_000, id="deep")])
def test_unparsable_sidecar_file_voids_all_signals(tree: Tree, text: str) -> None:
    tree.note("a/n.md", "Quokka")
    tree.note("a/m.md", "Quokka")
    tree.summary("a")
    tree.sidecar_file("a/n.md", text)
    tree.sidecar_file("a/m.md", {"importance": 90})
    tree.sidecar_file("a/_index.md", {"importance": 90})
    snapshot = tree.session().snapshot
    assert {signals.importance for signals in snapshot.signals} == {50}
    assert snapshot.summary_signals == {}
    assert any("a/n.md are not JSON" in notice for notice in snapshot.notices)


def test_broken_sidecar_file_of_a_removed_note_is_ignored(tree: Tree) -> None:
    tree.note("a/m.md", "Quokka")
    tree.sidecar_file("a/gone.md", "junk")
    tree.sidecar_file("a/m.md", {"importance": 90})
    assert [signals.importance for signals in tree.session().snapshot.signals] == [90]


@pytest.mark.parametrize("path", ["b/x:y.md", "b:c/n.md", "b/back\\slash.md", "b/x:y/context.md"])
def test_colon_or_backslash_in_a_note_path_voids_all_signals(tree: Tree, path: str) -> None:
    tree.note("a/n.md", "Quokka", importance=90)
    assert [signals.importance for signals in tree.snapshot().signals] == [90]
    tree.file(path, "x")
    snapshot = tree.snapshot()
    assert {signals.importance for signals in snapshot.signals} == {50}
    assert any(path in notice for notice in snapshot.notices)


def test_summary_in_a_folder_with_a_colon_voids_all_signals(tree: Tree) -> None:
    tree.note("a/n.md", "Quokka", importance=90)
    tree.summary("b:c")
    assert [signals.importance for signals in tree.snapshot().signals] == [50]


@pytest.mark.parametrize("path", ["b/x:y.abstract.md", "b/x:y.overview.md", "_archived/x:y.full.md", "b:c/_index.md"])
def test_colon_in_an_unindexed_path_keeps_signals(tree: Tree, path: str) -> None:
    tree.note("a/n.md", "Quokka", importance=90)
    tree.file(path, "no summary")
    snapshot = tree.snapshot()
    assert [signals.importance for signals in snapshot.signals] == [90]
    assert snapshot.notices == ()


def test_colon_in_the_path_of_an_unreadable_note_keeps_signals(tree: Tree) -> None:
    tree.note("a/n.md", "Quokka", importance=90)
    tree.file("b/x:y.md", b"\0")
    assert [signals.importance for signals in tree.snapshot().signals] == [90]


def test_shared_note_voids_all_signals(tree: Tree, make_tree: Callable[[str], Tree]) -> None:
    tree.note("a/n.md", "Quokka", importance=90)
    tree.summary("a")
    tree.signals["a/_index.md"] = stored(importance=80)
    other = make_tree("other")
    tree.source(("lib", other))
    assert [signals.importance for signals in tree.snapshot().signals] == [90]  # the shared source has no notes yet
    other.note("pay/c.md", "Quokka")
    snapshot = tree.snapshot()
    assert [signals.importance for signals in snapshot.signals] == [50, 50]
    assert snapshot.summary_signals == {}
    assert any("shared sources" in notice for notice in snapshot.notices)


def test_signals_that_the_user_enables_cause_no_warning(tree: Tree) -> None:
    tree.file("a/n.md", "---\nimportance: 61\n---\n# Quokka")
    for profile in (BRV3, READS_FRONTMATTER, DOCS):
        assert tree.ask("quokka", profile=profile).notices == ()


def test_profile_change_rereads_frontmatter(tree: Tree) -> None:
    """Unchanged files are read again, and the snapshot is a new one."""
    tree.file("a/n.md", "---\nimportance: 61\n---\n# Quokka")
    tree.file("a/_index.md", "---\ntype: summary\ncondensation_order: 1\nimportance: 62\n---\n")
    session = tree.session()
    for profile, note, summary in (("brv-3", 50, None), ("docs", 61, 62), ("combined", 61, 62), ("brv-3", 50, None)):
        session.use_profile(profile)
        session.load()
        found = session.snapshot
        assert [signals.importance for signals in found.signals] == [note]
        assert (found.summary_signals["a/_index.md"].importance if found.summary_signals else None) == summary
        assert found.reads_frontmatter is (summary is not None)


def test_snapshot_with_other_frontmatter_rules_is_reloaded(tree: Tree) -> None:
    tree.file("a/n.md", "---\nimportance: 61\n---\n# Quokka")
    before = tree.snapshot(READS_FRONTMATTER)
    assert update(before, ["a/n.md"], BRV3, NOW_MS, tree.layers()) is None
    assert update(before, ["a/n.md"], READS_FRONTMATTER, NOW_MS, tree.layers()) is before


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
def test_update_dates_are_parsed(date: str, moment: str) -> None:
    assert updated_ms(f"---\nupdatedAt: {date}\n---\n") == ms(moment)


@pytest.mark.parametrize(
    "date",
    ["soon", "2026-13-01", "2026-01-32", "2026-01-00", "20260102", "2026-01-02T10", "2026-01-02T10:00:60Z",
     "2026-01-02T24:30Z", "2026-01-02T25:00Z", "0000-01-01", "9999-12-31T23:00-23:00", "2026-01-02 # why", " \n"],
)  # fmt: skip
def test_invalid_update_dates_give_no_usable_time(date: str) -> None:
    found = updated_ms(f"updatedAt: {date}")
    assert found is not None
    assert math.isnan(found) or found > ms("9999-12-31")


@pytest.mark.parametrize("text", ["", "no date", "xupdatedAt: 2026", " updatedAt: 2026", "updatedAt:", "updatedAt:\n"])
def test_text_without_an_update_line_has_no_date(text: str) -> None:
    assert updated_ms(text) is None


@pytest.mark.parametrize(
    "text", ["updatedAt: 2026", "a\r\nupdatedAt:2026\r\n", "a\n\nupdatedAt:\t2026  \nupdatedAt: 1999"]
)
def test_first_update_line_in_the_text_is_used(text: str) -> None:
    assert updated_ms(text) == ms("2026-01-01")


def test_update_time_without_a_zone_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Europe/Berlin")
        time.tzset()
        assert updated_ms("updatedAt: 2026-01-02T10:00") == ms("2026-01-02T09:00")
        assert updated_ms("updatedAt: 2026-07-02 10:00:00.250") == ms("2026-07-02T08:00:00.250")
        assert updated_ms("updatedAt: 2026-07-02") == ms("2026-07-02")
    time.tzset()


@given(st.text(), st.text(alphabet="0123456789-:TZ+. '\"\n\r\u2028"))
def test_any_update_line_can_be_parsed(before: str, date: str) -> None:
    found = updated_ms(f"{before}\nupdatedAt: {date}")
    assert found is None or isinstance(found, float)


def test_update_date_is_stored_with_the_note(tree: Tree) -> None:
    tree.file("a/dated.md", "---\nupdatedAt: 2026-01-02\n---\n# A\n")
    tree.file("a/plain.md", "# B\n")
    tree.file("a/vague.md", "updatedAt: soon\n")
    snapshot = tree.snapshot()
    kept = {note.path: snapshot.columns.updated_ms[place] for place, note in enumerate(snapshot.notes)}
    assert kept["a/dated.md"] == ms("2026-01-02")
    assert math.isinf(kept["a/plain.md"])
    assert math.isnan(kept["a/vague.md"])


@pytest.mark.parametrize("digits", [1, 309, 310, 4301, 6000, 100_000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_of_any_length_are_read_as_in_javascript(tmp_path: Path, digits: int, sign: str) -> None:
    file = tmp_path / "signals.json"
    file.write_text(f'{{"importance": {sign}{"9" * digits}, "n": 3}}', encoding="utf-8")
    for value in (read_json(file), parse_json(file.read_text(encoding="utf-8"))):
        assert float(value["importance"]) == float(f"{sign}{'9' * digits}")
        assert value["n"] == 3
