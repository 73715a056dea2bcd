"""Parent propagation: relevance is passed up to folders with a summary."""

from __future__ import annotations

import pytest

from brvtui.engines.byterover.sections import Search
from brvtui.trace import Hit, Origin
from tests.support.trees import BRV3, DOCS, Tree, changed, hit_of, part, paths, stored

ALL = changed(BRV3, search={"gap_ratio": 0.0})


def lifted(found: Search) -> dict[str, Hit]:
    return {hit.path: hit for hit in found.hits if hit.origin is Origin.PROPAGATED}


@pytest.fixture
def deep(tree: Tree) -> Tree:
    """One note three levels down, and a summary at each level."""
    tree.note("auth/jwt/keys/n.md", "Quokka", "quokka", days=3)
    for folder in ("auth", "auth/jwt", "auth/jwt/keys", ""):
        tree.summary(folder, days=3)
    tree.notes(40)
    return tree


def test_propagation_factor_falls_with_each_level(deep: Tree) -> None:
    made = deep.search("quokka", profile=ALL)
    text = hit_of(made, "auth/jwt/keys/n.md").text
    assert {path: hit.score for path, hit in lifted(made).items()} == {
        "auth/jwt/keys": pytest.approx(text.relevance * 0.55 + 0.1, rel=1e-14),
        "auth/jwt": pytest.approx(text.relevance * 0.55**2 + 0.1, rel=1e-14),
        "auth": pytest.approx(text.relevance * 0.55**3 + 0.1, rel=1e-14),
    }


def test_propagated_summary_is_a_result_for_its_folder(deep: Tree) -> None:
    hit = lifted(deep.search("quokka", profile=ALL))["auth/jwt"]
    assert (hit.title, hit.kind, hit.file, hit.text) == ("auth/jwt", "summary", "auth/jwt/_index.md", None)
    assert [part.name for part in hit.parts] == ["propagated", "local bonus", "cap"]


def test_root_summary_never_appears(deep: Tree) -> None:
    deep.signals["_index.md"] = stored(importance=100, maturity="core")
    made = deep.search("quokka", profile=ALL)
    assert "" not in paths(made)
    assert "" not in deep.snapshot().summaries
    assert all(lift.folder for lift in made.lifts)


def test_lifted_folders_below_the_floor_are_dropped(deep: Tree) -> None:
    made = deep.search("quokka")
    kept = {lift.folder: lift.kept for lift in made.lifts}
    assert made.floor is not None
    assert made.top is not None
    assert made.top != round(made.top, 2)
    assert made.floor == 0.7 * made.top
    assert kept == {lift.folder: lift.score >= made.floor for lift in made.lifts}
    assert set(lifted(made)) == {folder for folder, is_kept in kept.items() if is_kept}
    assert False in kept.values()
    assert all("below the floor" in lift.why for lift in made.lifts if not lift.kept)


def test_folder_takes_the_score_of_its_best_child(tree: Tree) -> None:
    tree.note("auth/weak.md", "Thing", "quokka " + "word " * 100, days=3)
    tree.note("auth/strong.md", "Quokka", "quokka", days=3)
    tree.summary("auth")
    tree.notes(40)
    made = tree.search("quokka", profile=ALL)
    best = hit_of(made, "auth/strong.md").text
    lift = made.lifts[0]
    assert (lift.folder, lift.child, lift.levels) == ("auth", "auth/strong.md", 1)
    assert lift.value == pytest.approx(best.relevance * 0.55)


def test_stored_signals_of_the_summary_file_count_without_decay(deep: Tree) -> None:
    deep.signals["auth/jwt/_index.md"] = stored(importance=80, recency=0.5, maturity="core")
    deep.age("auth/jwt/_index.md", 300)
    made = deep.search("quokka", profile=ALL)
    text = hit_of(made, "auth/jwt/keys/n.md").text
    hit = lifted(made)["auth/jwt"]
    carried = text.relevance * 0.55**2
    assert hit.score == pytest.approx((0.6 * carried + 0.2 * 0.8 + 0.2 * 0.5) * 1.15 + 0.1, rel=1e-14)
    assert part(hit, "importance") == pytest.approx(0.16)
    assert (hit.signals.importance, hit.signals.recency) == (80, 0.5)


def test_signals_stored_for_the_folder_name_are_ignored(deep: Tree) -> None:
    before = lifted(deep.search("quokka", profile=ALL))["auth/jwt"].score
    deep.signals["auth/jwt"] = stored(importance=100, maturity="core")
    assert lifted(deep.search("quokka", profile=ALL))["auth/jwt"].score == before


def test_propagated_score_is_capped_and_not_rounded(deep: Tree) -> None:
    deep.signals["auth/jwt/keys/_index.md"] = stored(importance=100, maturity="core")
    deep.signals["auth/jwt/_index.md"] = stored(importance=1)
    found = lifted(deep.search("quokka", profile=changed(ALL, score={"local_bonus": 0.9})))
    assert found["auth/jwt/keys"].score == 1.0
    plain = lifted(deep.search("quokka", profile=ALL))["auth"].score
    assert plain != round(plain, 2)


@pytest.mark.parametrize(
    ("index", "context", "file"),
    [
        ("---\ntype: summary\ncondensation_order: 1\n---\nx", None, "a/_index.md"),
        ("---\ntype: summary\ncondensation_order: 1\n---\nx", "# C", "a/context.md -> a/_index.md"),
        ("no frontmatter", "# C", "a/context.md"),
        ("no frontmatter", None, None),
        (None, "# C", "a/context.md"),
        (None, "", "a/context.md"),
        (None, None, None),
    ],
)
def test_folder_appears_with_a_summary_or_context_file(
    tree: Tree, index: str | None, context: str | None, file: str | None
) -> None:
    tree.note("a/n.md", "Quokka", "quokka")
    if index is not None:
        tree.file("a/_index.md", index)
    if context is not None:
        tree.file("a/context.md", context)
    tree.notes(40)
    found = lifted(tree.search("quokka", profile=ALL))
    assert {path: hit.file for path, hit in found.items()} == ({"a": file.split(" -> ")[-1]} if file else {})


@pytest.mark.parametrize(
    ("block", "valid"),
    [
        ("type: summary\ncondensation_order: 0", True),
        ("type: summary\ncondensation_order: 3", True),
        ("type: summary\ncondensation_order: 4", False),
        ("type: summary\ncondensation_order: -1", False),
        ("type: summary\ncondensation_order: 1.5", False),
        ("type: summary\ncondensation_order: 1.0", True),
        ("type: summary\ncondensation_order: '1'", True),
        ("type: summary\ncondensation_order: 01", True),
        ("type: summary\ncondensation_order: 0x1", True),
        ("type: summary\ncondensation_order:", True),
        ("type: summary\ncondensation_order: ''", True),
        ("type: summary\ncondensation_order: true", True),
        ("type: summary\ncondensation_order: [1]", True),
        ("type: summary\ncondensation_order: [1, 2]", False),
        ("type: summary\ncondensation_order: x", False),
        ("type: summary\ncondensation_order: .inf", False),
        ("type: summary\ncondensation_order: .nan", False),
        ("type: summary", False),
        ("condensation_order: 1", False),
        ("type: Summary\ncondensation_order: 1", False),
        ("type: 'summary' # sure\ncondensation_order: 1", True),
        ("type: archive_stub\ncondensation_order: 1", False),
        ("type: summary\ncondensation_order: 1\ntype: summary", False),
        ("type: summary\ncondensation_order: 1\na: @x", False),
        ("type: summary\ncondensation_order: 1\na: [", False),
        ("type: summary\ncondensation_order: 1\n...", False),
        ("type: summary\ncondensation_order: 1\ntoken_count: .inf", True),
        ("type: summary\ncondensation_order: 1\ntoken_count: !!bool x", False),
    ],
)
def test_index_file_needs_valid_summary_frontmatter(tree: Tree, block: str, valid: bool) -> None:
    tree.note("a/n.md", "Quokka")
    tree.file("a/_index.md", f"---\n{block}\n---\n")
    assert ("a" in tree.snapshot().summaries) == valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("---\r\n{}\r\n---\r\n", True),
        ("---\n{}\r\n---\nbody", True),
        ("\ufeff---\n{}\n---\n", False),
        ("\n---\n{}\n---\n", False),
        ("---\n{}\n---", False),
        ("---\n{}\n--- \n", False),
        ("---\n{}\n  ---\n", False),
    ],
)
def test_summary_frontmatter_must_begin_the_file(tree: Tree, text: str, valid: bool) -> None:
    tree.note("a/n.md", "Quokka")
    tree.file("a/_index.md", text.format("type: summary\ncondensation_order: 1"))
    assert ("a" in tree.snapshot().summaries) == valid


def test_context_file_represents_its_folder(tree: Tree) -> None:
    tree.file("auth/jwt/context.md", "# About\nquokka", days=3)
    tree.file("auth/context.md", "# Auth", days=3)
    tree.notes(40)
    made = tree.search("quokka", profile=ALL)
    direct = next(hit for hit in made.hits if hit.origin is Origin.TEXT)
    assert (direct.path, direct.title, direct.kind, direct.file) == (
        "auth/jwt", "About", "summary", "auth/jwt/context.md",
    )  # fmt: skip
    assert {path: hit.score for path, hit in lifted(made).items()} == {
        "auth": pytest.approx(direct.text.relevance * 0.55 + 0.1)
    }


def test_folder_may_appear_twice(tree: Tree) -> None:
    tree.file("auth/context.md", "# About\nquokka", days=3)
    tree.note("auth/n.md", "Quokka", "quokka", days=3)
    tree.notes(40)
    twice = [(hit.title, hit.origin.value) for hit in tree.search("quokka", profile=ALL).hits if hit.path == "auth"]
    assert sorted(twice) == [("About", "text"), ("auth", "propagated")]


def test_context_file_without_a_heading_has_the_title_context(tree: Tree) -> None:
    tree.file("auth/context.md", "quokka", days=3)
    tree.notes(40)
    assert tree.search("quokka").hits[0].title == "context"


def test_stubs_lift_only_archive_folders(tree: Tree) -> None:
    tree.file("_archived/auth/jwt/o.stub.md", "# Quokka\nquokka", days=3)
    tree.note("auth/jwt/n.md", "Other")
    for folder in ("auth", "auth/jwt", "_archived", "_archived/auth", "_archived/auth/jwt"):
        tree.summary(folder)
    tree.notes(40)
    assert set(lifted(tree.search("quokka", profile=ALL))) == {"_archived", "_archived/auth", "_archived/auth/jwt"}


def test_summaries_and_notes_share_the_limit(deep: Tree) -> None:
    deep.note("other/m.md", "Thing", "quokka", days=30)
    everything = deep.search("quokka", profile=ALL)
    order = [(hit.path, hit.score) for hit in everything.hits]
    assert [score for _, score in order] == sorted((score for _, score in order), reverse=True)
    cut = deep.search("quokka", limit=2, profile=ALL)
    assert [(hit.path, hit.score) for hit in cut.hits] == order[:2]
    trimmed = [miss for miss in cut.near_misses if miss.reason == "pushed out by folder summaries"]
    assert [miss.path for miss in trimmed] == [path for path, _ in order[2:] if path == "other/m.md"]


def test_summaries_displace_notes_past_the_limit(tree: Tree) -> None:
    tree.note("auth/jwt/n.md", "Quokka", "quokka", days=3)
    tree.note("other/m.md", "Thing", "quokka", days=60)
    for folder in ("auth", "auth/jwt"):
        tree.signals[tree.summary(folder)] = stored(importance=100, maturity="core")
    tree.notes(40)
    made = tree.search("quokka", limit=2, profile=ALL)
    assert "other/m.md" not in paths(made)
    assert [(miss.path, miss.reason) for miss in made.near_misses[:1]] == [
        ("other/m.md", "pushed out by folder summaries")
    ]
    assert made.total_found == 2


def test_docs_profile_propagates_the_score(deep: Tree) -> None:
    made = deep.search("quokka", profile=changed(DOCS, search={"gap_ratio": 0.0}))
    score = hit_of(made, "auth/jwt/keys/n.md").score
    assert lifted(made)["auth/jwt"].score == pytest.approx(score * 0.55**2, rel=1e-14)


def test_folders_without_indexed_files_are_unreachable(tree: Tree) -> None:
    tree.summary("derived", "quokka")
    tree.note("a/n.md", "Other")
    assert tree.search("derived").outcome == "no_match"
    assert "derived" not in tree.snapshot().hierarchy.by_path
