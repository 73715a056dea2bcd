"""The manifest: its lanes, their order and budgets, and the place of a note in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from brvtui.engines.byterover.route.manifest import (
    ManifestPlace,
    injected_text,
    manifest_of,
    manifest_place,
    source_fingerprint,
)
from brvtui.trace import Lane
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree, stored

LIMITS = BRV3.manifest


def lanes(tree: Tree, profile: Any = BRV3) -> dict[str, Lane]:
    return {lane.name: lane for lane in manifest_of(tree.snapshot(profile), profile.manifest).lanes}


def test_manifest_counts_characters_in_utf16_units(tree: Tree) -> None:
    tree.file("a/n.md", "😀" * 4)
    assert lanes(tree)["contexts"].tokens == 2


def test_lanes_are_filled_greedily_up_to_their_budget(tree: Tree) -> None:
    hundred = "x" * 399 + "\n"  # 100 tokens
    tree.file("a/1.md", hundred * 30)
    tree.file("a/2.md", hundred * 20)  # does not fit
    tree.file("a/3.md", hundred * 10)  # fills the lane completely
    tree.file("a/4.md", "x")  # rounds to 0 tokens, which still fits
    tree.file("a/5.md", "xx")  # rounds to 1 token, which does not fit
    lane = lanes(tree)["contexts"]
    assert (lane.budget, lane.tokens, lane.left_out) == (4000, 4000, 2)
    assert lane.entries == ("a/1.md", "a/3.md", "a/4.md")


def test_summaries_are_sorted_by_order_then_by_path(tree: Tree) -> None:
    tree.note("a/n.md", "N")
    for folder, order, tokens in (("b", 1, 100), ("a", 1, 100), ("c", 3, 1850), ("d", 0, 100), ("", 2, 40)):
        tree.summary(folder, order=order, tokens=tokens)
    lane = lanes(tree)["summaries"]
    assert lane.entries == ("c/_index.md", "_index.md", "a/_index.md")
    assert (lane.tokens, lane.budget, lane.left_out) == (1990, 2000, 2)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("---\ntype: summary\ncondensation_order: 1\ntoken_count: 77\n---\n", 77),
        ("---\ntype: summary\ncondensation_order: 1\n---\n", 0),
        ("---\ntype: summary\ncondensation_order: 1\ntoken_count: many\n---\n", None),
        ("---\ntype: summary\ncondensation_order: 1\ntoken_count: .inf\n---\n", None),
        ("---\ntype: summary\ncondensation_order: 1\ntoken_count: .nan\n---\n", None),
        ("no summary, forty characters in all, yes.", 10),
    ],
)
def test_summary_tokens_come_from_its_frontmatter(tree: Tree, text: str, tokens: int | None) -> None:
    tree.note("a/n.md", "N")
    tree.file("a/_index.md", text)
    lane = lanes(tree)["summaries"]
    assert (lane.entries, lane.tokens) == ((("a/_index.md",), tokens) if tokens is not None else ((), 0))


def test_abstract_replaces_its_note(tree: Tree) -> None:
    tree.file("a/n.md", "long " * 100)
    tree.file("a/n.abstract.md", "short and sweet.")
    tree.file("a/m.md", "x" * 40)
    tree.file("a/m.abstract.md", "y" * 80)  # used although it is longer than the note
    tree.file("a/orphan.abstract.md", "z" * 80)
    snapshot = tree.snapshot()
    manifest = manifest_of(snapshot, LIMITS)
    assert [(entry.path, entry.text_path, entry.tokens) for entry in manifest.by_kind["context"]] == [
        ("a/m.md", "a/m.abstract.md", 20), ("a/n.md", "a/n.abstract.md", 4),
    ]  # fmt: skip
    assert injected_text(snapshot, manifest.by_kind["context"][1]) == "short and sweet."


def test_contexts_follow_the_folder_walk(tree: Tree) -> None:
    names = [
        "A2/n.md",
        "a/10.md",
        "a/2.md",
        "a/b/n.md",
        "a/b_c/n.md",
        "a/context.md",
        "a/n.md",
        "a-b/n.md",
        "b/n.md",
        "c.md",
    ]
    for number, name in enumerate(reversed(names)):
        tree.file(name, "x", days=number)
        tree.signals[name] = stored(importance=number * 10)
    assert lanes(tree)["contexts"].entries == tuple(names)


def test_docs_profile_sorts_contexts_by_importance(tree: Tree) -> None:
    for name, importance in (("a", 10), ("b", 90), ("c", 50)):
        tree.note(f"x/{name}.md", "N", importance=importance)
    assert lanes(tree, DOCS)["contexts"].entries == ("x/b.md", "x/c.md", "x/a.md")


def test_stubs_fill_their_lane_in_path_order(tree: Tree) -> None:
    tree.file("_archived/a/2.stub.md", "x" * 1000)
    tree.file("_archived/a/1.stub.md", "---\nevicted_importance: 1\noriginal_token_count: 9999\n---\n" + "x" * 900)
    tree.file("_archived/a/3.stub.md", "x" * 100)
    tree.file("_archived/a/1.full.md", "x")
    tree.file("_archived/a/plain.md", "x" * 40)
    found = lanes(tree)
    assert found["stubs"].entries == ("_archived/a/1.stub.md", "_archived/a/2.stub.md")
    assert found["stubs"].left_out == 1
    assert found["contexts"].entries == ()


def test_manifest_contains_only_local_files(tree: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "C")
    other.summary("pay")
    tree.note("a/n.md", "N")
    tree.source(("lib", other))
    assert [entry.path for entry in manifest_of(tree.snapshot(), LIMITS).entries] == ["a/n.md"]


def test_source_fingerprint_covers_paths_times_and_sizes(tree: Tree) -> None:
    for path in ("a/n.md", "a/context.md", "a/o.abstract.md", "_archived/a/s.stub.md"):
        tree.file(path, "xyz")
    for path in ("a/_index.md", "a/n.overview.md", "_archived/a/s.full.md"):
        tree.file(path, "xyz")
    paths = ["_archived/a/s.stub.md", "a/context.md", "a/n.md", "a/o.abstract.md"]
    lines = "\n".join(f"{path}:{NOW_MS}:3" for path in paths)
    assert source_fingerprint(tree.snapshot()) == hashlib.sha256(lines.encode()).hexdigest()


# The file on disk


def written(tree: Tree, **changes: Any) -> None:
    value = {
        "version": 1,
        "source_fingerprint": source_fingerprint(tree.snapshot()),
        "active_context": [{"path": "a/n.md", "type": "context", "tokens": 3, "importance": 50}],
        **changes,
    }
    (tree.tree / "_manifest.json").write_text(json.dumps(value))


@pytest.fixture
def two(tree: Tree) -> Tree:
    tree.file("a/n.md", "first words")
    tree.file("a/m.md", "second words")
    (tree.root / "secret.md").write_text("SECRET")
    return tree


def test_missing_manifest_is_computed_and_never_written(two: Tree) -> None:
    manifest = manifest_of(two.snapshot(), LIMITS)
    assert "there is no _manifest.json" in manifest.source
    assert not (two.tree / "_manifest.json").exists()


def test_fresh_manifest_is_used(two: Tree) -> None:
    written(two)
    manifest = manifest_of(two.snapshot(), LIMITS)
    assert (manifest.source, [entry.path for entry in manifest.entries]) == ("read: fresh", ["a/n.md"])


def test_stale_manifest_is_ignored(two: Tree) -> None:
    written(two)
    two.age("a/m.md", 1)
    manifest = manifest_of(two.snapshot(), LIMITS)
    assert "stale" in manifest.source
    assert [entry.path for entry in manifest.entries] == ["a/m.md", "a/n.md"]


def test_changed_manifest_is_noticed(two: Tree) -> None:
    snapshot = two.snapshot()
    assert "there is no" in manifest_of(snapshot, LIMITS).source
    written(two)
    assert manifest_of(snapshot, LIMITS).source == "read: fresh"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "[]",
        "{}",
        '{"active_context": 3}',
        '{"active_context": [3]}',
        "null",
        "\ufeff{}",
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_invalid_manifest_file_is_reported(two: Tree, text: str) -> None:
    (two.tree / "_manifest.json").write_text(text)
    assert "not valid" in manifest_of(two.snapshot(), LIMITS).source


@pytest.mark.parametrize("tokens", ["Infinity", "1e999", '"x"', "[]", "{}", "null", "NaN"])
def test_invalid_token_count_is_reported(two: Tree, tokens: str) -> None:
    fingerprint = source_fingerprint(two.snapshot())
    entry = f'{{"path": "a/n.md", "type": "context", "tokens": {tokens}}}'
    text = f'{{"source_fingerprint": "{fingerprint}", "active_context": [{entry}]}}'
    (two.tree / "_manifest.json").write_text(text)
    assert "not valid" in manifest_of(two.snapshot(), LIMITS).source


@pytest.mark.parametrize("field", ["path", "abstractPath"])
@pytest.mark.parametrize(
    "path", ["../../secret.md", "{root}/secret.md", "a/../../../secret.md", "[x]:secret.md", "gone.md", "\0"]
)
def test_manifest_path_outside_the_tree_is_refused(two: Tree, field: str, path: str) -> None:
    entry = {"path": "a/n.md", "type": "context", "tokens": 3, "abstractTokens": 3}
    entry[field] = path.format(root=two.root)
    written(two, active_context=[entry])
    trace = two.ask("quokka words first")
    assert "SECRET" not in json.dumps(trace.answer.prompt and trace.answer.prompt.text)
    manifest = manifest_of(two.snapshot(), LIMITS)
    assert "in memory" in manifest.source
    assert all("SECRET" not in injected_text(two.snapshot(), entry) for entry in manifest.entries)


def test_snapshot_reads_no_file_outside_the_tree(two: Tree) -> None:
    snapshot = two.snapshot()
    for path in ("../../secret.md", str(two.root / "secret.md"), "a/../../../secret.md"):
        with pytest.raises(OSError, match="points outside"):
            snapshot.text(path)


HUNDRED = "x" * 399 + "\n"


def place(tree: Tree, path: str) -> ManifestPlace:
    return manifest_place(tree.snapshot(), BRV3.manifest, path)


@pytest.fixture
def placed_lanes(tree: Tree) -> Tree:
    tree.file("a/1.md", HUNDRED * 30)
    tree.file("a/2.md", HUNDRED * 20)
    tree.file("a/3.md", HUNDRED * 9)
    tree.file("a/3.abstract.md", HUNDRED)
    tree.file("a/3.overview.md", HUNDRED)
    tree.file("a/context.md", HUNDRED)
    tree.summary("a", tokens=7)
    tree.file("_archived/a/9.stub.md", HUNDRED)
    tree.file("_archived/a/9.full.md", HUNDRED)
    tree.file("_archived/a/note.md", HUNDRED)
    return tree


def test_note_has_a_position_in_its_lane(placed_lanes: Tree) -> None:
    found = place(placed_lanes, "a/1.md")
    assert (found.lane, found.position, found.entries, found.tokens, found.before) == ("contexts", 1, 3, 3000, 0)
    assert (found.budget, found.text_path, found.left_out) == (4000, "a/1.md", "")
    assert place(placed_lanes, "a/context.md").before == 3100


def test_abstract_takes_the_position_of_its_note(placed_lanes: Tree) -> None:
    found = place(placed_lanes, "a/3.md")
    assert (found.position, found.tokens, found.before, found.text_path) == (2, 100, 3000, "a/3.abstract.md")
    assert place(placed_lanes, "a/3.abstract.md") == found


def test_summaries_and_stubs_have_positions_in_their_lanes(placed_lanes: Tree) -> None:
    assert (place(placed_lanes, "a/_index.md").lane, place(placed_lanes, "a/_index.md").tokens) == ("summaries", 7)
    assert (place(placed_lanes, "_archived/a/9.stub.md").lane, place(placed_lanes, "_archived/a/9.stub.md").budget) == (
        "stubs",
        500,
    )


def test_reason_for_leaving_a_note_out_is_given(placed_lanes: Tree) -> None:
    found = place(placed_lanes, "a/2.md")
    assert (found.position, found.tokens, found.before) == (None, 2000, 3000)
    assert found.left_out == "it needs 2000 tokens, but the others leave only 1000 of 4000"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a/3.overview.md", "the manifest never contains overviews"),
        ("_archived/a/9.full.md", "the manifest contains only stubs from _archived"),
        ("_archived/a/note.md", "the manifest contains only stubs from _archived"),
        ("a/gone.abstract.md", "its note is gone"),
    ],
)
def test_derived_files_are_never_in_the_manifest(placed_lanes: Tree, path: str, said: str) -> None:
    placed_lanes.file("a/gone.abstract.md", HUNDRED)
    found = place(placed_lanes, path)
    assert (found.lane, found.position, found.left_out) == ("", None, said)


def test_shared_and_unreadable_notes_are_left_out_with_a_reason(
    placed_lanes: Tree, make_tree: Callable[[str], Tree]
) -> None:
    other = make_tree("other")
    other.note("b/n.md", "N")
    placed_lanes.source(("lib", other))
    placed_lanes.file("a/bad.md", b"\0")
    assert place(placed_lanes, "[lib]:b/n.md").left_out == "the manifest never contains notes from shared sources"
    assert place(placed_lanes, "a/bad.md").left_out.startswith("the engine cannot read it: a NUL byte")
    with pytest.raises(KeyError):
        place(placed_lanes, "nowhere.md")


def test_valid_manifest_on_disk_determines_the_entries(placed_lanes: Tree) -> None:
    snapshot = placed_lanes.snapshot()
    entries = [{"path": "a/2.md", "type": "context", "tokens": 2000}]
    value = {"version": 1, "source_fingerprint": source_fingerprint(snapshot), "active_context": entries}
    (placed_lanes.tree / "_manifest.json").write_text(json.dumps(value))
    assert manifest_of(snapshot, BRV3.manifest).left_out("a/1.md") is None
    assert place(placed_lanes, "a/2.md").position == 1
    assert place(placed_lanes, "a/1.md").left_out == "_manifest.json does not list it"
