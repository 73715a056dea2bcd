"""Why a note is, or is not, in an answer: one test for each reason, with its numbers and its remedy."""

from __future__ import annotations

import re
from dataclasses import replace

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
    """The explanation, which must give ``reason``; a verified remedy is asked once more here."""
    snapshot = tree.snapshot(profile)

    def ask(other: str) -> Trace:
        return route(Context(snapshot, profile, NOW_MS), CacheContents(), RouteRequest(other))[0]

    named = note if isinstance(note, Named) else find_note(snapshot, note)
    made = explain(Context(snapshot, profile, NOW_MS), named, trace or ask(query), ask)
    assert not made.found
    assert reason_is(made, reason), (made.reason, made.numbers)
    assert made.numbers
    assert made.remedy is not None
    if made.remedy.verified:
        again = ask(made.remedy.query)
        rank = [hit.file for hit in again.hits].index(made.path) + 1
        assert (made.remedy.rank, made.remedy.score) == (rank, again.hits[rank - 1].score)
        assert made.remedy.query != query
        assert f"rank {rank}" in made.remedy.text
    else:
        assert made.remedy.query == ""
    return made


def test_a_note_that_is_found(quokkas: Tree) -> None:
    made = quokkas.session().answers.explain("quokka", "x/n.md")
    assert (made.found, made.rank, made.reason, made.remedy) == (True, 1, None, None)
    assert made.hit is not None
    assert made.detail is not None
    assert made.hit.text is not None
    assert made.detail.score.raw == pytest.approx(made.hit.text.raw, rel=1e-12)
    assert made.use == "quoted to the model"


@pytest.mark.parametrize(
    ("signals", "days", "use"),
    [({}, 300, "under 0.7: not quoted"), (CORE, 0, "quoted in the direct answer")],
)
def test_what_the_router_makes_of_it(tree: Tree, signals: dict[str, object], days: float, use: str) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=days)
    tree.sidecar_file("x/n.md", signals)
    tree.notes(30)
    assert use in tree.session().answers.explain("quokka", "x/n.md").use


def test_beside_a_direct_answer_no_model_is_spoken_of(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "same", **CORE)
    tree.note("x/o.md", "Quokka", "same", days=20)
    tree.notes(30)
    snapshot = tree.snapshot()
    context = Context(snapshot, changed(BRV3, direct={"prefetch": 0.9}), NOW_MS)
    trace = route(context, CacheContents(), RouteRequest("quokka"))[0]
    made = explain(context, find_note(snapshot, "x/o.md"), trace, lambda _: trace)
    assert trace.tier == 2
    assert made.use.endswith(" is under 0.9: not quoted in the direct answer")
    needs_a_model = Remedy("an edit", True, tier=3, is_used=False)
    assert remarks(made, needs_a_model) == ["listed, but the answer does not use it", "the query then needs a model"]
    assert remarks(made, Remedy("an edit", True, tier=2, is_used=True)) == []


def test_a_stub_says_that_its_note_can_be_restored(tree: Tree) -> None:
    tree.file("_archived/x/old.stub.md", "# Old\nquokka")
    tree.file("_archived/x/old.full.md", "# Old\nquokka and more")
    made = tree.session().answers.explain("quokka", "_archived/x/old.stub.md")
    assert made.found
    assert made.use.endswith("; it is the stub of an archived note: restoring that brings its whole text back")


def test_past_the_notes_that_an_answer_uses(tree: Tree) -> None:
    for number in range(4):
        tree.note(f"x/{number}.md", "Quokka", "same", **CORE)
    tree.notes(30)
    snapshot = tree.snapshot()
    few = changed(BRV3, direct={"max_notes": 2})
    trace = route(Context(snapshot, few, NOW_MS), CacheContents(), RouteRequest("quokka"))[0]
    last = find_note(snapshot, trace.hits[3].file)
    made = explain(Context(snapshot, few, NOW_MS), last, trace, lambda _: trace)
    assert made.use == "number 4 of the results that reach 0.7, of which 2 are used"


def test_01_not_in_the_tree(quokkas: Tree) -> None:
    made = why(quokkas, "quokka", Named("x/never.md", None), Loss.NOT_IN_TREE)
    assert made.numbers == "no such file when the tree was read"


def test_01_gone_since_it_was_read(quokkas: Tree) -> None:
    session = quokkas.session()
    (quokkas.tree / "x" / "n.md").unlink()
    made = session.answers.explain("zebra", "x/n.md")
    assert (made.reason, made.numbers) == (Reason(1, Loss.NOT_IN_TREE.value), "the file is gone since it was read")


@pytest.mark.parametrize(
    ("path", "numbers"),
    [("x/_index.md", "summary files"), ("x/n.abstract.md", "abstract files"), ("x/n.overview.md", "overview files")],
)
def test_02_derived(quokkas: Tree, path: str, numbers: str) -> None:
    quokkas.file(path, "quokka")
    made = why(quokkas, "quokka", path, Loss.DERIVED)
    assert numbers in made.numbers


def test_02_the_summary_of_a_folder_says_what_its_notes_pass_up(quokkas: Tree) -> None:
    quokkas.file("x/_index.md", "---\ntype: summary\ncondensation_order: 1\n---\nx")
    nothing = why(quokkas, "wombat", "x", Loss.DERIVED)
    assert nothing.numbers.endswith("; its folder is a result when a note in it is one by its words: none is")
    quokkas.file("_index.md", "---\ntype: summary\ncondensation_order: 1\n---\nall")
    quokkas.file("y/_index.md", "a title, and no frontmatter")
    assert why(quokkas, "quokka", "_index.md", Loss.DERIVED).numbers.endswith(
        "; no note passes its relevance up to the whole tree"
    )
    quokkas.note("y/m.md", "Quokkas", "quokka")
    assert why(quokkas, "quokka", "y/_index.md", Loss.DERIVED).numbers.endswith(
        "; the engine takes it for no summary: its frontmatter needs type: summary and a condensation_order"
    )
    lifted = quokkas.session().answers.explain("quokka", "x/_index.md")
    assert lifted.use.endswith("; its score comes from x/n.md, which is below it")
    strict = changed(BRV3, search={"lift_factor": 0.1})
    little = why(quokkas, "quokka", "x", Loss.DERIVED, strict)
    made = "summary files are made from notes and are not searched"
    told = r"; its folder gets too little from x/n\.md: 0\.\d{4} is below the floor 0\.\d{4}"
    assert re.fullmatch(made + told, little.numbers), little.numbers


def test_09_a_note_that_stands_for_its_folder_says_what_is_passed_up_to_it(quokkas: Tree) -> None:
    quokkas.note("x/context.md", "Marsupials", "of all kinds", days=1)
    made = why(quokkas, "quokka", "x/context.md", Loss.NO_TERM, changed(BRV3, search={"lift_factor": 0.1}))
    told = r"tokens searched: quokka; its folder gets too little from x/n\.md: 0\.\d{4} is below the floor 0\.\d{4}"
    assert re.fullmatch(told, made.numbers), made.numbers


def test_02_past_the_files_that_are_read(quokkas: Tree) -> None:
    profile = changed(BRV3, limits={"max_files": 3})
    made = why(quokkas, "quokka", "x/n.md", Loss.PAST_FILES, profile)
    assert made.remedy is not None
    assert made.remedy.text == "leave at most 3 files in the tree: the engine reads no more"
    assert made.numbers == "past the 3 files that the engine reads"


@pytest.mark.parametrize("named", ["_archived/x/old.full.md", "x/old.md", "x/old"])
def test_03_archived(quokkas: Tree, named: str) -> None:
    quokkas.file("_archived/x/old.stub.md", "# Old\nstub")
    quokkas.file("_archived/x/old.full.md", "# Old\nquokka")
    made = why(quokkas, "quokka", named, Loss.ARCHIVED)
    assert "_archived/x/old.stub.md" in made.numbers


@pytest.mark.parametrize(
    ("path", "content", "numbers"),
    [
        ("x/binary.md", b"\0", "NUL byte"),
        ("x/cut.md", b"a" * 4095 + "é".encode() + b"b", "byte 4096"),
        ("x/.dot.md", b"quokka", "dot"),
        ("x/UPPER.MD", b"quokka", ".md in lower case"),
        ("x/latin.md", b"caf\xe9", "not UTF-8"),
        ("x/odd.md", b"\x01" * 50 + b"a" * 50, "control characters"),
    ],
)
def test_03_unreadable(quokkas: Tree, path: str, content: bytes, numbers: str) -> None:
    quokkas.file(path, content)
    assert numbers in why(quokkas, "quokka", path, Loss.UNREADABLE).numbers


def test_03_the_words_stand_beyond_the_cut(quokkas: Tree) -> None:
    quokkas.file("x/lines.md", "# Lines\n" + "filler\n" * 2000 + "bilby\n")
    quokkas.file("x/units.md", "# Units\n" + "filler " * 300 + "bilby\n")
    assert "lines past line 2000 are not read" in why(quokkas, "bilby", "x/lines.md", Loss.CUT_OFF).numbers
    made = why(quokkas, "bilby", "x/units.md", Loss.CUT_OFF)
    assert made.numbers == "1 lines past unit 2000 are not read"
    assert made.remedy is not None
    assert "line 2000" in made.remedy.text


def test_03_not_when_the_word_is_also_before_it(quokkas: Tree) -> None:
    quokkas.file("x/lines.md", "# Lines\nbilby\n" + "filler\n" * 2000 + "bilby\n", days=1)
    assert quokkas.session().answers.explain("bilby", "x/lines.md").found


def test_03_every_search_fails(quokkas: Tree) -> None:
    quokkas.file("context.md", "# Root")
    made = why(quokkas, "quokka", "x/n.md", Loss.ENGINE_FAILS)
    assert "context.md at the root" in made.numbers
    session = quokkas.session()
    trace = session.probe("quokka")
    (domain,) = (step for step in trace.steps if step.name == "out_of_domain")
    assert (domain.state, domain.summary, domain.checks[-1].passed) == (State.SKIPPED, "the search failed", None)
    takes = session.answers.counterfactuals(trace)
    assert takes is not None
    assert {way.text for way in takes.ways} == {Loss.ENGINE_FAILS.value}


def test_04_the_index_is_older_than_the_file(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=1)
    made = session.answers.explain("bilby", "x/n.md")
    assert reason_is(made, Loss.INDEX_OLDER)
    assert made.remedy is not None
    assert "5 s" in made.remedy.text
    session.load()
    assert session.answers.explain("bilby", "x/n.md").found


def test_05_an_earlier_answer_came_from_the_cache(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka facts", "quokka facts here", **CORE)
    tree.note("x/more.md", "More", "quokka facts", days=60)
    tree.notes(30)
    session = tree.session()
    assert session.run("quokka facts here").answer.sources == ("x/top.md",)
    made = session.answers.explain("quokka facts", "x/more.md")
    assert (made.found, reason_is(made, Loss.CACHED)) == (False, True)
    assert made.numbers == "tier 1 answered with “quokka facts here”, given 0 s before"
    assert made.remedy is not None
    assert made.remedy.text == (
        "wait until the answer expires, 60 s after it was given, or change a note: a new search has it at rank 2"
    )
    session.engines.clear_caches()
    assert session.answers.explain("quokka facts", "x/more.md").found


def test_a_note_that_an_answer_like_it_quotes_is_in_the_cached_answer(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts here")
    made = session.answers.explain("quokka facts", "x/n.md")
    assert (made.trace.tier, made.found, made.rank) == (1, True, 1)
    assert made.use == (
        "quoted in the answer that came from the cache, given 0 s before; rank and score are those of a new search"
    )


def test_a_note_that_a_cached_answer_of_a_model_names_outside_a_list_is_in_it(quokkas: Tree) -> None:
    snapshot = quokkas.snapshot()
    context = Context(snapshot, BRV3, NOW_MS)
    first = route(context, CacheContents(), RouteRequest("quokka facts here"))[0]
    written = replace(first, answer=Answer("model", "As `x/n.md` says.", None, "", ("x/n.md",)))
    cached = route(context, keep(CacheContents(), BRV3, written, NOW_MS), RouteRequest("quokka facts"))[0]
    made = explain(context, find_note(snapshot, "x/n.md"), cached, lambda _: cached)
    assert (cached.tier, made.found) == (1, True)
    assert made.use == (
        "quoted in the answer that came from the cache, given 0 s before; rank and score are those of a new search"
    )


def test_an_edited_note_that_the_cached_answer_quotes_is_in_it(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts")
    quokkas.note("x/n.md", "Quokka", "all about the quokka, and more", days=1)
    session.load()
    assert session.answers.explain("quokka facts", "x/n.md").use == (
        "quoted in the answer that came from the cache, given 0 s before; rank and score are those of a new search"
    )
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=1)
    session.load()
    made = session.answers.explain("quokka facts", "x/n.md")
    assert (made.trace.tier, made.found, reason_is(made, Loss.NO_TERM)) == (0, False, True)
    assert made.use == "quoted in the answer that came from the cache, given 0 s before; a new search does not find it"


def test_05_a_cache_that_has_not_seen_the_change_yet_is_waited_for(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts here")
    quokkas.note("x/more.md", "More", "quokka quokka", days=1)
    session.load()
    made = session.answers.explain("quokka facts", "x/more.md")
    assert reason_is(made, Loss.CACHED)
    assert made.remedy is not None
    assert made.remedy.text == (
        "wait until the cache sees that notes have changed, at most 30 s after the change: "
        "a new search has it at rank 2"
    )


def test_05_a_note_that_new_signals_raised_is_not_in_the_cached_answer(tree: Tree) -> None:
    """A change of signals that keeps the file's time leaves the fingerprint, and so the cached answer, as it was."""
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
    made = session.answers.explain("quokka facts", "x/more.md")
    assert reason_is(made, Loss.CACHED)
    assert made.remedy is not None
    assert "a new search has it at rank 2" in made.remedy.text
    assert session.answers.explain("quokka facts", "x/n.md").use == (
        "quoted in the direct answer; that answer came from the cache, given 0 s before"
    )
    session.engines.clear_caches()
    assert session.answers.explain("quokka facts", "x/more.md").use == "quoted in the direct answer"


def test_05_a_new_search_does_not_find_it_either(quokkas: Tree) -> None:
    quokkas.note("y/bilby.md", "Bilby", "all about the bilby", days=1)
    session = quokkas.session()
    session.run("quokka facts here")
    made = session.answers.explain("quokka facts", "y/bilby.md")
    assert reason_is(made, Loss.CACHED)
    assert made.numbers == (
        "tier 1 answered with “quokka facts here”, given 0 s before; a new search does not find it either: "
        "no word of the query matches it, tokens searched: quokka, facts"
    )
    assert made.remedy is not None
    assert made.remedy.query == "quokka facts Bilby"


def test_what_an_exact_look_up_gave_again_is_explained_as_the_answer_that_it_is(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka facts")
    made = session.answers.explain("quokka facts", "x/n.md")
    assert made.found
    assert made.use.endswith("that answer came from the cache, given 0 s before")
    quokkas.note("y/bilby.md", "Bilby", "all about the bilby", days=1)
    session.load()
    # the tree is another one now
    assert not reason_is(session.answers.explain("quokka facts", "y/bilby.md"), Loss.NO_TERM)
    session.engines.clear_caches()
    session.run("quokka facts")
    assert reason_is(session.answers.explain("quokka facts", "y/bilby.md"), Loss.NO_TERM)


def test_06_taken_as_a_path(quokkas: Tree) -> None:
    quokkas.note("quokka/m.md", "Other", "nothing of it", days=2)
    quokkas.note("x/facts.md", "Facts of the quokka", "quokka", days=2)
    made = why(quokkas, "quokka", "x/facts.md", Loss.PATH)
    assert made.numbers == "quokka names quokka"
    assert made.remedy is not None
    assert made.remedy.verified


def test_06_a_note_of_that_name(quokkas: Tree) -> None:
    quokkas.note("x/m.md", "Other", "nothing of it", days=2)
    made = why(quokkas, "x/m.md", "x/n.md", Loss.PATH)
    assert made.numbers == "x/m.md names x/m.md"
    assert made.remedy is not None
    assert made.remedy.verified


def test_07_taken_as_a_scope(quokkas: Tree) -> None:
    for number in range(3):
        quokkas.note(f"ops/m{number}.md", "Quokka at work", "quokka", days=2)
    made = why(quokkas, "ops quokka", "x/n.md", Loss.SCOPE)
    assert "the note is not in ops" in made.numbers
    assert made.remedy is not None
    assert made.remedy.verified


@pytest.mark.parametrize("query", ["who where", "the", "?!", ""])
def test_08_no_words(quokkas: Tree, query: str) -> None:
    quokkas.note("x/m.md", "Zebra", "zebra", days=2)
    made = why(quokkas, query, "x/m.md", Loss.NO_WORDS)
    assert made.hit is None
    assert made.remedy is not None
    assert made.remedy.verified


def test_09_no_term_matches(quokkas: Tree) -> None:
    made = why(quokkas, "wallaby", "x/n.md", Loss.NO_TERM)
    assert made.numbers == "tokens searched: wallaby"
    assert made.hit is None
    assert made.remedy is not None
    assert (made.remedy.verified, "Quokka" in made.remedy.text) == (True, True)


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
def test_a_word_in_another_form_is_written_as_in_the_note(tree: Tree, query: str, remedy: str, asked: str) -> None:
    tree.note("a/pruning.md", "Pruning", "sharpen in march")
    tree.note("a/b.md", "Tools", "tools")
    tree.notes(60)
    found = tree.session().answers.explain(query, "a/pruning.md").remedy
    assert found is not None
    assert (found.query, found.text.startswith(remedy)) == (asked, True)


def test_every_word_in_another_form_is_written_as_notes_have_it(tree: Tree) -> None:
    tree.note("a/pruning.md", "Pruning", "sharpen in march")
    wordings = [change.query for change in as_in_notes(tree.session().probe("Sharpening, marched marched!"))]
    assert wordings[0] == "sharpen marched marched!"
    assert wordings[-1] == "sharpen march march"
    for asked, written in (("resharpening sharpening", "resharpening sharpen"), ("a sharpening", "a sharpen")):
        assert [change.query for change in as_in_notes(tree.session().probe(asked))] == [written]


def test_a_word_that_names_a_folder_stays_in_other_wordings(tree: Tree) -> None:
    tree.note("mobile/pruning.md", "Pruning", "rates in march")
    trace = tree.session().probe("mobile rates?")
    assert trace.section(Search).scope.path == "mobile"
    assert [change.query for change in unpunctuated(trace)] == ["mobile rates", "mobile rates"]
    assert list(unpunctuated(tree.session().probe("mobile rates"))) == []


def test_10_other_notes_had_all_the_words(quokkas: Tree) -> None:
    for number in range(3):
        quokkas.note(f"y/both{number}.md", "Both", "quokka wallaby", days=2)
    made = why(quokkas, "quokka wallaby", "x/n.md", Loss.AND)
    assert made.numbers == "it matches 1 of 2 terms; 3 notes match all"
    assert made.hit is not None
    assert made.remedy is not None
    assert (made.remedy.verified, made.remedy.text.startswith("leave out “wallaby”")) == (True, True)


def test_11_below_the_floor(tree: Tree) -> None:
    tree.note("x/n.md", "Thing", "quokka " + "word " * 300, days=400)
    tree.notes(60)
    profile = changed(BRV3, out_of_domain={"floor": 0.6})
    made = why(tree, "quokka", "x/n.md", Loss.FLOOR, profile)
    assert made.hit is not None
    assert f"is below 0.6; this note: {made.hit.score:.2f}" in made.numbers


def test_12_the_unmatched_word_rule(tree: Tree) -> None:
    tree.note("x/n.md", "Cluster", "kubernetes cluster", days=20)
    tree.notes(60)
    made = why(tree, "kubernetes? zz", "x/n.md", Loss.UNMATCHED_WORD)
    assert "none of the best matches has “kubernetes?”" in made.numbers
    assert "is under 0.85" in made.numbers
    assert made.remedy is not None
    assert made.remedy.verified
    assert made.remedy.text.startswith("remove the ?: rank 1, ")
    assert made.remedy.query == "kubernetes zz"


def test_13_below_the_gap(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka", "quokka", **CORE)
    for number in range(3):
        tree.note(f"x/mid{number}.md", "Quokka", "quokka", **CORE)
    tree.note("x/low.md", "Thing", "quokka " + "word " * 300, days=200, importance=0)
    tree.notes(30)
    made = why(tree, "quokka", "x/low.md", Loss.GAP)
    floor = made.trace.section(Search).floor
    assert floor is not None
    assert made.hit is not None
    below, short = made.numbers.split(", short ")
    assert below.endswith(f"is below {floor:.4f}")
    assert float(short) == pytest.approx(floor - float(below.split()[0]), abs=1.1e-4)
    assert made.remedy is not None
    assert made.remedy.verified


def test_14_past_the_limit(tree: Tree) -> None:
    for number in range(8):
        tree.note(f"x/n{number}.md", f"Quokka {chr(97 + number) * 6}", "quokka", days=2)
    tree.notes(30)
    order = [miss.file for miss in tree.ask("quokka").section(Search).near_misses]
    made = why(tree, "quokka", order[1], Loss.LIMIT)
    assert made.numbers == "rank 7, the search keeps 5"
    assert made.remedy is not None
    assert made.remedy.verified


def test_14_far_past_the_limit(tree: Tree) -> None:
    for number in range(40):
        tree.note(f"x/n{number:02d}.md", "Quokka", "quokka", days=2)
    profile = changed(BRV3, out_of_domain={"min_notes": 1000})
    made = why(tree, "quokka", "x/n39.md", Loss.LIMIT, profile)
    assert made.numbers in ("past the 5 that the search keeps", "rank 40, the search keeps 5")


def test_14_past_the_end_of_a_listing(tree: Tree) -> None:
    for number in range(8):
        tree.note(f"ops/n{number}.md", f"Note {number}", days=2)
    made = why(tree, "ops", "ops/n7.md", Loss.LIMIT)
    assert made.numbers == "the folder's listing ends after 5"
    assert made.remedy is not None
    assert made.remedy.verified


def test_15_trimmed_after_propagation(tree: Tree) -> None:
    tree.note("auth/jwt/n.md", "Quokka", "quokka", days=3)
    tree.note("other/m.md", "Thing", "quokka", days=60)
    for folder in ("auth", "auth/jwt"):
        tree.signals[tree.summary(folder)] = stored(**CORE)
    tree.notes(40)
    for number in range(3):
        tree.note(f"auth/jwt/k{number}.md", "Quokka", "quokka", days=3)
    profile = changed(BRV3, search={"gap_ratio": 0.0})
    made = why(tree, "quokka", "other/m.md", Loss.TRIMMED, profile)
    assert "folder summaries took its place among the 5" in made.numbers
    assert made.remedy is not None
    assert made.remedy.verified


def test_every_reason_has_its_test() -> None:
    numbered = {name.split("_")[1] for name in globals() if name.startswith("test_") and name.split("_")[1].isdigit()}
    assert numbered == {f"{reason.number:02d}" for reason in Loss}
    assert [reason.number for reason in Loss] == [1, 2, 2, 3, 3, 3, 3, *range(4, 16)]


def test_a_remedy_that_does_not_help_is_not_offered(quokkas: Tree) -> None:
    """A note whose title holds no token cannot be brought in by it."""
    quokkas.file("x/！.md", "# ！\n？", days=2)
    made = why(quokkas, "wallaby", "x/！.md", Loss.NO_TERM)
    assert made.remedy is not None
    assert (made.remedy.verified, made.remedy.text) == (False, NOTHING_HELPS)


def test_a_note_that_an_entity_search_brought(tree: Tree) -> None:
    tree.note("x/both.md", "Thing", "banana apple", days=3)
    tree.note("y/banana.md", "Banana", "banana", days=3)
    tree.notes(30)
    made = tree.session().answers.explain("banana apple", "y/banana.md")
    assert made.found
    assert made.rank is not None
    assert "y/banana.md" not in paths(made.trace.section(Search))
    assert "y/banana.md" in paths(made.trace)
