"""Reasons why a note is, or is not, in an answer: one test for each reason, with its numbers and its remedy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from brvtui.engines.advice import NOTHING_HELPS, remarks
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.reasons.why_not import Loss, as_in_notes, explain, unpunctuated
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, keep, route
from brvtui.engines.byterover.sections import Search
from brvtui.notes.signals import SignalTarget
from brvtui.snapshot.naming import Named, find_note
from brvtui.trace import Answer, Explanation, Reason, Remedy, State, Trace
from tests.support.trees import BRV3, NOW_MS, Tree, changed, paths, stored

CORE = {"importance": 100.0, "maturity": "core"}


def reason_is(made: Explanation, loss: Loss) -> bool:
    return made.reason == Reason(loss.number, loss.value)


def why(
    tree: Tree, query: str, note: str | Named, reason: Loss, profile: Profile = BRV3, trace: Trace | None = None
) -> Explanation:
    """The explanation, which must have ``reason``. A verified remedy is run again here."""
    snapshot = tree.snapshot(profile)

    def ask(other: str) -> Trace:
        return route(Context(snapshot, profile, NOW_MS), CacheContents(), RouteRequest(other))[0]

    named = note if isinstance(note, Named) else find_note(snapshot, note)
    made = explain(Context(snapshot, profile, NOW_MS), named, trace or ask(query))
    assert not made.found
    assert reason_is(made, reason), (made.reason, made.numbers)
    assert made.numbers
    if made.remedy.verified:
        again = ask(made.remedy.query)
        rank = [hit.file for hit in again.hits].index(made.path) + 1
        assert (made.remedy.rank, made.remedy.score) == (rank, again.hits[rank - 1].score)
        assert made.remedy.query != query
        assert f"rank {rank}" in made.remedy.text
    else:
        assert made.remedy.query == ""
    return made


def test_found_note_has_no_reason_and_no_remedy(quokkas: Tree) -> None:
    made = quokkas.session().explainer.explain("quokka", "x/n.md")
    assert (made.found, made.rank, made.reason, made.remedy) == (True, 1, None, None)
    assert made.detail.score.raw == pytest.approx(made.hit.text.raw, rel=1e-12)
    assert made.use == "quoted to the model"


@pytest.mark.parametrize(
    ("signals", "days", "use"),
    [({}, 300, "under 0.7: not quoted"), (CORE, 0, "quoted in the direct answer")],
)
def test_explanation_says_how_the_answer_uses_a_note(
    tree: Tree, signals: dict[str, object], days: float, use: str
) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=days)
    tree.sidecar_file("x/n.md", signals)
    tree.notes(30)
    assert use in tree.session().explainer.explain("quokka", "x/n.md").use


def test_explanation_of_a_direct_answer_mentions_no_model(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "same", **CORE)
    tree.note("x/o.md", "Quokka", "same", days=20)
    tree.notes(30)
    snapshot = tree.snapshot()
    context = Context(snapshot, changed(BRV3, direct={"prefetch": 0.9}), NOW_MS)
    trace = route(context, CacheContents(), RouteRequest("quokka"))[0]
    made = explain(context, find_note(snapshot, "x/o.md"), trace)
    assert trace.tier == 2
    assert made.use.endswith(" is under 0.9: not quoted in the direct answer")
    needs_a_model = Remedy("an edit", True, tier=3, is_used=False)
    assert remarks(made, needs_a_model) == ["listed, but the answer does not use it", "the query then needs a model"]
    assert remarks(made, Remedy("an edit", True, tier=2, is_used=True)) == []


def test_explanation_of_a_stub_offers_to_restore_its_note(tree: Tree) -> None:
    tree.file("_archived/x/old.stub.md", "# Old\nquokka")
    tree.file("_archived/x/old.full.md", "# Old\nquokka and more")
    made = tree.session().explainer.explain("quokka", "_archived/x/old.stub.md")
    assert made.found
    assert made.use.endswith("; it is the stub of an archived note; restoring the note brings back its full text")


def test_notes_beyond_the_answers_limit_are_reported_as_unused(tree: Tree) -> None:
    for number in range(4):
        tree.note(f"x/{number}.md", "Quokka", "same", **CORE)
    tree.notes(30)
    snapshot = tree.snapshot()
    few = changed(BRV3, direct={"max_notes": 2})
    trace = route(Context(snapshot, few, NOW_MS), CacheContents(), RouteRequest("quokka"))[0]
    last = find_note(snapshot, trace.hits[3].file)
    made = explain(Context(snapshot, few, NOW_MS), last, trace)
    assert made.use == "number 4 of the results that score at least 0.7; only 2 are quoted"


LINES = "filler\n" * 2000
UNITS = "filler " * 300
FOLDER = r".*the score that x/n\.md gives its folder is too low: 0\.\d{4} is below the floor 0\.\d{4}"
LIFT = changed(BRV3, search={"lift_factor": 0.1})
OLD = {"_archived/x/old.stub.md": "# Old\nstub", "_archived/x/old.full.md": "# Old\nquokka"}
SHOWN = r".*_archived/x/old\.stub\.md.*"
BOTH = {f"y/both{number}.md": ("Both", "quokka wallaby", 2) for number in range(3)}
WORK = {f"ops/m{number}.md": ("Quokka at work", "quokka", 2) for number in range(3)}
LISTED = {f"ops/n{number}.md": (f"Note {number}", "", 2) for number in range(8)}
ALIKE = {f"x/n{number:02d}.md": ("Quokka", "quokka", 2) for number in range(40)}
MANY = changed(BRV3, out_of_domain={"min_notes": 1000})
THREE = changed(BRV3, limits={"max_files": 3})
ZEBRA = {"x/m.md": ("Zebra", "zebra", 2)}
OTHER = {"x/m.md": ("Other", "nothing of it", 2)}
UNASKED = {"quokka/m.md": ("Other", "nothing of it", 2), "x/facts.md": ("Facts of the quokka", "quokka", 2)}
NO_TOKEN = {"x/！.md": "# ！\n？"}
VERIFIED = r".*\brank \d+, .*"
PADS = {f"pad/q{number}.md": "filler" for number in range(30)}


REASONS: list[tuple[Any, ...]] = [
    (Loss.NOT_IN_TREE, "quokka", "x/never.md", "there was no such file when the tree was read", None, {}, BRV3),
    (Loss.DERIVED, "quokka", "x/_index.md", ".*does not read it as a summary.*", None, {"x/_index.md": "quokka"}, BRV3),
    (Loss.DERIVED, "quokka", "x/n.abstract.md", ".*abstract files.*", None, {"x/n.abstract.md": "quokka"}, BRV3),
    (Loss.DERIVED, "quokka", "x/n.overview.md", ".*overview files.*", None, {"x/n.overview.md": "quokka"}, BRV3),
    (Loss.PAST_FILES, "quokka", "x/n.md", "past the 3 files that the engine reads",
     "keep at most 3 files in the tree: the engine does not read more", {}, THREE),
    (Loss.ARCHIVED, "quokka", "_archived/x/old.full.md", SHOWN, None, OLD, BRV3),
    (Loss.ARCHIVED, "quokka", "x/old.md", SHOWN, None, OLD, BRV3),
    (Loss.ARCHIVED, "quokka", "x/old", SHOWN, None, OLD, BRV3),
    (Loss.UNREADABLE, "quokka", "x/binary.md", ".*NUL byte.*", None, {"x/binary.md": b"\0"}, BRV3),
    (Loss.UNREADABLE, "quokka", "x/cut.md", ".*byte 4096.*", None,
     {"x/cut.md": b"a" * 4095 + "é".encode() + b"b"}, BRV3),
    (Loss.UNREADABLE, "quokka", "x/.dot.md", ".*dot.*", None, {"x/.dot.md": b"quokka"}, BRV3),
    (Loss.UNREADABLE, "quokka", "x/UPPER.MD", r".*\.md in lower case.*", None, {"x/UPPER.MD": b"quokka"}, BRV3),
    (Loss.UNREADABLE, "quokka", "x/latin.md", ".*not UTF-8.*", None, {"x/latin.md": b"caf\xe9"}, BRV3),
    (Loss.UNREADABLE, "quokka", "x/odd.md", ".*control characters.*", None,
     {"x/odd.md": b"\x01" * 50 + b"a" * 50}, BRV3),
    (Loss.CUT_OFF, "bilby", "x/lines.md", "the engine does not read \\d+ lines after line 2000.*", None,
     {"x/lines.md": f"# Lines\n{LINES}bilby\n"}, BRV3),
    (Loss.CUT_OFF, "bilby", "x/units.md", ".* the end of 1 line of more than 2000 UTF-16 units", ".*first 2000 lines.*",
     {"x/units.md": f"# Units\n{UNITS}bilby\n"}, BRV3),
    (Loss.PATH, "quokka", "x/facts.md", "quokka names quokka", VERIFIED, UNASKED, BRV3),
    (Loss.PATH, "x/m.md", "x/n.md", r"x/m\.md names x/m\.md", VERIFIED, OTHER, BRV3),
    (Loss.SCOPE, "ops quokka", "x/n.md", ".*the note is not in ops.*", VERIFIED, WORK, BRV3),
    (Loss.NO_WORDS, "who where", "x/m.md", ".+", VERIFIED, ZEBRA, BRV3),
    (Loss.NO_WORDS, "the", "x/m.md", ".+", VERIFIED, ZEBRA, BRV3),
    (Loss.NO_WORDS, "?!", "x/m.md", ".+", VERIFIED, ZEBRA, BRV3),
    (Loss.NO_WORDS, "", "x/m.md", ".+", VERIFIED, ZEBRA, BRV3),
    (Loss.NO_TERM, "wallaby", "x/n.md", "tokens searched: wallaby", ".*Quokka.*: rank .*", {}, BRV3),
    (Loss.NO_TERM, "wallaby", "x/！.md", ".+", NOTHING_HELPS, NO_TOKEN, BRV3),
    (Loss.NO_TERM, "quokka", "x/context.md", f"tokens searched: quokka{FOLDER}", None,
     {"x/context.md": ("Marsupials", "of all kinds", 1)}, LIFT),
    (Loss.AND, "quokka wallaby", "x/n.md", "it matches 1 of 2 terms; 3 notes match all",
     "leave out “wallaby”.*: rank .*", BOTH, BRV3),
    (Loss.UNMATCHED_WORD, "kubernetes? zz", "x/n.md",
     r".*none of the best matches contains “kubernetes\?”.*is under 0\.85.*", r"remove the \?: rank 1, .*",
     {"x/n.md": ("Cluster", "kubernetes cluster", 20), **PADS}, BRV3),
    (Loss.LIMIT, "quokka", "x/n39.md", "(rank 4[01], but )?the search keeps only 5", None,
     ALIKE, MANY),
    (Loss.LIMIT, "ops", "ops/n7.md", "the folder's result list ends after 5 results", VERIFIED, LISTED, BRV3),
]  # fmt: skip


@pytest.mark.parametrize(("loss", "query", "path", "numbers", "remedy", "files", "profile"), REASONS)
def test_missing_note_gets_reason_numbers_and_remedy(
    quokkas: Tree,
    loss: Loss,
    query: str,
    path: str,
    numbers: str,
    remedy: str | None,
    files: dict[str, str | bytes | tuple[str, str, float]],
    profile: Profile,
) -> None:
    """``numbers`` and ``remedy`` are patterns. Every remedy with a rank must be verified."""
    for name, content in files.items():
        if isinstance(content, tuple):
            quokkas.note(name, *content)
        else:
            quokkas.file(name, content, days=2)
    made = why(quokkas, query, path if loss is not Loss.NOT_IN_TREE else Named(path, None), loss, profile)
    assert re.fullmatch(numbers, made.numbers, re.DOTALL), made.numbers
    assert loss not in (Loss.NO_WORDS, Loss.NO_TERM) or made.hit is None
    assert loss is not Loss.AND or made.hit is not None
    if remedy is not None:
        assert re.fullmatch(remedy, made.remedy.text), made.remedy.text
        assert made.remedy.verified == ("rank" in remedy)


def test_01_note_removed_since_loading_is_reported(quokkas: Tree) -> None:
    session = quokkas.session()
    (quokkas.tree / "x" / "n.md").unlink()
    made = session.explainer.explain("zebra", "x/n.md")
    assert (made.reason, made.numbers) == (
        Reason(1, Loss.NOT_IN_TREE.value),
        "the file has been removed since it was read",
    )


def test_02_folder_summary_depends_on_the_notes_below_it(quokkas: Tree) -> None:
    quokkas.file("x/_index.md", "---\ntype: summary\ncondensation_order: 1\n---\nx")
    nothing = why(quokkas, "wombat", "x", Loss.DERIVED)
    assert nothing.numbers == "its folder is a result only if a note in the folder is found by its words, and none is"
    quokkas.file("_index.md", "---\ntype: summary\ncondensation_order: 1\n---\nall")
    quokkas.file("y/_index.md", "a title, and no frontmatter")
    assert why(quokkas, "quokka", "_index.md", Loss.DERIVED).numbers.endswith(
        "notes do not pass their relevance up to the whole tree"
    )
    quokkas.note("y/m.md", "Quokkas", "quokka")
    assert why(quokkas, "quokka", "y/_index.md", Loss.DERIVED).numbers.endswith(
        "the engine does not read it as a summary: its frontmatter needs type: summary and a condensation_order"
    )
    lifted = quokkas.session().explainer.explain("quokka", "x/_index.md")
    assert lifted.use.endswith("; its score comes from x/n.md, which is in its folder")
    little = why(quokkas, "quokka", "x", Loss.DERIVED, LIFT)
    assert re.fullmatch(FOLDER.removeprefix(".*"), little.numbers), little.numbers


def test_03_word_before_the_limit_is_found(quokkas: Tree) -> None:
    quokkas.file("x/lines.md", "# Lines\nbilby\n" + "filler\n" * 2000 + "bilby\n", days=1)
    assert quokkas.session().explainer.explain("bilby", "x/lines.md").found


def test_03_broken_tree_is_the_reason(quokkas: Tree) -> None:
    quokkas.file("context.md", "# Root")
    made = why(quokkas, "quokka", "x/n.md", Loss.ENGINE_FAILS)
    assert "context.md at the root" in made.numbers
    session = quokkas.session()
    trace = session.preview("quokka")
    (domain,) = (step for step in trace.steps if step.name == "out_of_domain")
    assert (domain.state, domain.summary, domain.checks[-1].passed) == (State.SKIPPED, "the search failed", None)
    assert next(step.summary for step in trace.steps if step.name == "entity_search") == "the search failed"
    takes = session.explainer.counterfactuals(trace)
    assert {way.text for way in takes.ways} == {Loss.ENGINE_FAILS.value}


def test_04_file_newer_than_the_index_is_the_reason(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=1)
    made = session.explainer.explain("bilby", "x/n.md")
    assert reason_is(made, Loss.INDEX_OLDER)
    assert "5 s" in made.remedy.text
    session.load()
    assert session.explainer.explain("bilby", "x/n.md").found


def test_05_cached_answer_is_the_reason(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka facts", "quokka facts here", **CORE)
    tree.note("x/more.md", "More", "quokka facts", days=60)
    tree.notes(30)
    session = tree.session()
    assert session.run("quokka facts here").answer.sources == ("x/top.md",)
    made = session.explainer.explain("quokka facts", "x/more.md")
    assert (made.found, reason_is(made, Loss.CACHED)) == (False, True)
    assert made.numbers == "tier 1 answered with “quokka facts here”, given 0 s earlier"
    assert made.remedy.text == (
        "wait until the answer expires, 60 s after it was given, or change a note: a new search finds it at rank 2"
    )
    session.engines.clear_caches()
    assert session.explainer.explain("quokka facts", "x/more.md").found


def test_note_quoted_by_a_similar_cached_answer_counts_as_found(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts here")
    made = session.explainer.explain("quokka facts", "x/n.md")
    assert (made.trace.tier, made.found, made.rank) == (1, True, 1)
    assert made.use == (
        "quoted in the answer that came from the cache, given 0 s earlier; its rank and score are from a new search"
    )


def test_note_named_by_a_cached_model_answer_counts_as_found(quokkas: Tree) -> None:
    snapshot = quokkas.snapshot()
    context = Context(snapshot, BRV3, NOW_MS)
    first = route(context, CacheContents(), RouteRequest("quokka facts here"))[0]
    written = replace(first, answer=Answer("model", "As `x/n.md` says.", None, "", ("x/n.md",)))
    cached = route(context, keep(CacheContents(), context, written, NOW_MS), RouteRequest("quokka facts"))[0]
    made = explain(context, find_note(snapshot, "x/n.md"), cached)
    assert (cached.tier, made.found) == (1, True)
    assert made.use == (
        "quoted in the answer that came from the cache, given 0 s earlier; its rank and score are from a new search"
    )


def test_edited_note_quoted_by_a_cached_answer_counts_as_found(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts")
    quokkas.note("x/n.md", "Quokka", "all about the quokka, and more", days=1)
    session.load()
    assert session.explainer.explain("quokka facts", "x/n.md").use == (
        "quoted in the answer that came from the cache, given 0 s earlier; its rank and score are from a new search"
    )
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=1)
    session.load()
    made = session.explainer.explain("quokka facts", "x/n.md")
    assert (made.trace.tier, made.found, reason_is(made, Loss.NO_TERM)) == (0, False, True)
    assert made.use == "quoted in the answer that came from the cache, given 0 s earlier; a new search does not find it"


def test_05_remedy_waits_until_a_stale_cache_expires(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts here")
    quokkas.note("x/more.md", "More", "quokka quokka", days=1)
    session.load()
    made = session.explainer.explain("quokka facts", "x/more.md")
    assert reason_is(made, Loss.CACHED)
    assert made.remedy.text == (
        "wait until the cache notices the changed notes, at most 30 s after the change: a new search finds it at rank 2"
    )


def test_05_note_raised_by_new_signals_is_not_in_the_cached_answer(tree: Tree) -> None:
    """Changed signals with an unchanged file time keep the fingerprint and therefore the cached answer."""
    tree.read_frontmatter()
    tree.file("x/n.md", "---\nimportance: 90\nmaturity: core\n---\n# Quokka facts\n\nquokka facts\n", 1)
    tree.file("x/more.md", "# More facts\n\nquokka facts\n", 60)
    session = tree.session()
    first = session.run("quokka facts")
    assert (first.tier, first.answer.sources) == (2, ("x/n.md",))
    session.notes.apply(
        session.notes.plan_signals("x/more.md", stored(importance=100, maturity="core"), SignalTarget.FRONTMATTER)
    )
    session.load()
    made = session.explainer.explain("quokka facts", "x/more.md")
    assert reason_is(made, Loss.CACHED)
    assert "a new search finds it at rank 2" in made.remedy.text
    assert session.explainer.explain("quokka facts", "x/n.md").use == (
        "quoted in the answer that came from the cache, given 0 s earlier; its rank and score are from a new search"
    )
    session.engines.clear_caches()
    assert session.explainer.explain("quokka facts", "x/more.md").use == "quoted in the direct answer"


def test_05_note_missing_from_a_new_search_is_reported(quokkas: Tree) -> None:
    quokkas.note("y/bilby.md", "Bilby", "all about the bilby", days=1)
    session = quokkas.session()
    session.run("quokka facts here")
    made = session.explainer.explain("quokka facts", "y/bilby.md")
    assert reason_is(made, Loss.CACHED)
    assert made.numbers == (
        "tier 1 answered with “quokka facts here”, given 0 s earlier; a new search does not find it either: "
        "no word of the query matches it, tokens searched: quokka, facts"
    )
    assert made.remedy.query == "quokka facts Bilby"


def test_exact_cache_hit_is_explained_as_the_original_answer(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts")
    made = session.explainer.explain("quokka facts", "x/n.md")
    assert made.found
    assert made.use.endswith("that answer came from the cache, given 0 s earlier")
    quokkas.note("y/bilby.md", "Bilby", "all about the bilby", days=1)
    session.load()
    # the tree has changed in the meantime
    assert not reason_is(session.explainer.explain("quokka facts", "y/bilby.md"), Loss.NO_TERM)
    session.engines.clear_caches()
    session.run("quokka facts")
    assert reason_is(session.explainer.explain("quokka facts", "y/bilby.md"), Loss.NO_TERM)


@pytest.mark.parametrize(
    ("query", "remedy", "asked"),
    [
        ("sharpening", "write sharpening as sharpen: rank 1, ", "sharpen"),
        ("Sharpening?", "write Sharpening? as sharpen: rank 1, ", "sharpen"),
        ("sharpening tools", "write sharpening as sharpen: rank ", "sharpen tools"),
        ("sharpening-tools", "write sharpening-tools as sharpen tools: rank ", "sharpen tools"),
        ("sharpening or sharpening", "write sharpening as sharpen: rank 1, ", "sharpen or sharpen"),
    ],
)
def test_word_in_another_form_is_shown_as_in_the_note(tree: Tree, query: str, remedy: str, asked: str) -> None:
    tree.note("a/pruning.md", "Pruning", "sharpen in march")
    tree.note("a/b.md", "Tools", "tools")
    tree.notes(60)
    found = tree.session().explainer.explain(query, "a/pruning.md").remedy
    assert (found.query, found.text.startswith(remedy)) == (asked, True)


def test_words_matched_in_another_form_are_shown_as_the_notes_spell_them(tree: Tree) -> None:
    tree.note("a/pruning.md", "Pruning", "sharpen in march")
    wordings = [change.query for change in as_in_notes(tree.session().preview("Sharpening, marched marched!"))]
    assert wordings[0] == "sharpen marched marched!"
    assert wordings[-1] == "sharpen march march"
    for asked, written in (("resharpening sharpening", "resharpening sharpen"), ("a sharpening", "a sharpen")):
        assert [change.query for change in as_in_notes(tree.session().preview(asked))] == [written]


def test_other_wordings_keep_a_word_that_names_a_folder(tree: Tree) -> None:
    tree.note("mobile/pruning.md", "Pruning", "rates in march")
    trace = tree.session().preview("mobile rates?")
    assert trace.section(Search).scope.path == "mobile"
    assert [change.query for change in unpunctuated(trace)] == ["mobile rates", "mobile rates"]
    assert list(unpunctuated(tree.session().preview("mobile rates"))) == []


def test_11_score_below_the_floor_is_the_reason(tree: Tree) -> None:
    tree.note("x/n.md", "Thing", "quokka " + "word " * 300, days=400)
    tree.notes(60)
    profile = changed(BRV3, out_of_domain={"floor": 0.6})
    made = why(tree, "quokka", "x/n.md", Loss.FLOOR, profile)
    assert f"is below 0.6; this note has {made.hit.score:.2f}" in made.numbers


def test_13_score_below_the_gap_is_the_reason(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka", "quokka", **CORE)
    for number in range(3):
        tree.note(f"x/mid{number}.md", "Quokka", "quokka", **CORE)
    tree.note("x/low.md", "Thing", "quokka " + "word " * 300, days=200, importance=0)
    tree.notes(30)
    made = why(tree, "quokka", "x/low.md", Loss.GAP)
    floor = made.trace.section(Search).floor
    assert floor is not None
    assert made.hit is not None
    below, short = made.numbers.split(" by ")
    assert below.endswith(f"is below {floor:.4f}")
    assert float(short) == pytest.approx(floor - float(below.split()[0]), abs=1.1e-4)
    assert made.remedy.verified


def test_14_rank_past_the_limit_is_the_reason(tree: Tree) -> None:
    for number in range(8):
        tree.note(f"x/n{number}.md", f"Quokka {chr(97 + number) * 6}", "quokka", days=2)
    tree.notes(30)
    order = [miss.file for miss in tree.ask("quokka").section(Search).near_misses]
    made = why(tree, "quokka", order[1], Loss.LIMIT)
    assert made.numbers == "rank 7, but the search keeps only 5"
    assert made.remedy.verified


def test_15_note_displaced_by_summaries_is_the_reason(tree: Tree) -> None:
    tree.note("auth/jwt/n.md", "Quokka", "quokka", days=3)
    tree.note("other/m.md", "Thing", "quokka", days=60)
    for folder in ("auth", "auth/jwt"):
        tree.signals[tree.summary(folder)] = stored(**CORE)
    tree.notes(40)
    for number in range(3):
        tree.note(f"auth/jwt/k{number}.md", "Quokka", "quokka", days=3)
    profile = changed(BRV3, search={"gap_ratio": 0.0})
    made = why(tree, "quokka", "other/m.md", Loss.TRIMMED, profile)
    assert "pushed out by folder summaries among the 5" in made.numbers
    assert made.remedy.verified


def test_note_found_by_an_entity_search_is_explained(tree: Tree) -> None:
    tree.note("x/both.md", "Thing", "banana apple", days=3)
    tree.note("y/banana.md", "Banana", "banana", days=3)
    tree.notes(30)
    made = tree.session().explainer.explain("banana apple", "y/banana.md")
    assert made.found
    assert made.rank is not None
    assert "y/banana.md" not in paths(made.trace.section(Search))
    assert "y/banana.md" in paths(made.trace)


def test_every_reason_has_a_test() -> None:
    numbered = {name.split("_")[1] for name in globals() if name.startswith("test_") and name.split("_")[1].isdigit()}
    assert numbered | {f"{row[0].number:02d}" for row in REASONS} == {f"{reason.number:02d}" for reason in Loss}
    assert [reason.number for reason in Loss] == [1, 2, 2, 3, 3, 3, 3, *range(4, 16)]
