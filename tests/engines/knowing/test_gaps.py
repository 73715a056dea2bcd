"""A configured embedder adds the nearest nodes if words find fewer than five candidates, and a step reports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.contract import Context, Query
from brvtui.engines.knowing.code_answer import SymbolAnswer
from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.gaps import NearNodes, NodeVectors, fill_gap
from brvtui.engines.knowing.model import Graph, Node, symbol
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.sections import GAPS, VECTORS, GraphRetrieval
from brvtui.paint.sentence import plain
from brvtui.services.legs import LegError
from brvtui.services.provided import NoServices
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import find_note
from brvtui.trace import State, Step, Trace, adds_up
from tests.corpus.code.making import write
from tests.support.trees import NOW_MS, Tree
from tests.support.vectors import Letters, WithEmbedder, WronglySet

SEEDS = load_profile().seeds


WORDLESS = "zzebra quagxas"
"""Words that no note or symbol contains."""


MANY = {f"shop/t{number}/order{number}.md": f"# Order{number}\n\nOrders of kind {number}.\n" for number in range(30)}


PLAIN_NOTES = {
    "auth/tokens/rotation.md": "# Token rotation\n\nEach use gives a new one.\n",
    "deploy/rollback.md": "# Rollback\n\nRoll back by the last tag.\n",
    "zoo/stripes.md": "# Zebu quaggas\n\nZebu, zebu: stripes of quaggas.\n",
}


class QueryFails(Letters):
    """An embedder whose answer to a single text is ``answer``."""

    def __init__(self, answer: Sequence[Sequence[float]]) -> None:
        super().__init__()
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.answer if len(texts) == 1 else super().embed(texts)


@pytest.fixture
def plain_snapshot(tree: Tree) -> Snapshot:
    for path, text in PLAIN_NOTES.items():
        tree.file(path, text, 1.0)
    return tree.snapshot()


def context(plain_snapshot: Snapshot, services: Any, profile: str = "") -> Context[Any]:
    return Context(plain_snapshot, load_profile(profile), NOW_MS, services)


def ask_with(plain_snapshot: Snapshot, text: str, services: Any, profile: str = "", **options: Any) -> Trace:
    return Knowing().answer(context(plain_snapshot, services, profile), Query(text, services=True, options=options))


def code_answer(plain_snapshot: Snapshot, text: str, services: Any) -> SymbolAnswer:
    return Knowing().answer_code(context(plain_snapshot, services, ""), Query(text, services=True), ())


def step_of(trace: Trace) -> Step:
    return next(step for step in trace.steps if step.name == GAPS)


@pytest.mark.parametrize("profile", ["knowing", "knowing-code"])
def test_gap_is_filled_from_vectors(plain_snapshot: Snapshot, profile: str) -> None:
    trace = ask_with(plain_snapshot, WORDLESS, WithEmbedder(Letters()), profile)
    assert trace.hits[0].file == "zoo/stripes.md"
    assert all(adds_up(hit) for hit in trace.hits)
    step = step_of(trace)
    assert (step.state, step.checks[0].value, step.checks[0].threshold) == (State.HIT, 0, 5)
    assert "nearest in meaning" in step.summary
    placed = trace.section(GraphRetrieval).placed("zoo/stripes.md")
    assert [found.channel for found in placed.found_by] == [VECTORS]
    assert placed.seed_weight == 1.0, "the nearest weighs as the first candidate does"
    assert "finds its meaning similar" in plain(Knowing().presentation.sentence(trace))
    assert Knowing().presentation.remark(trace, trace.hits[0]).startswith("v1")
    for stage in trace.stages:
        assert stage.came_in - stage.dropped == stage.went_out


def test_without_an_embedder_no_step_is_shown(plain_snapshot: Snapshot) -> None:
    trace = ask_with(plain_snapshot, WORDLESS, NoServices())
    assert not trace.hits
    assert GAPS not in [step.name for step in trace.steps]


def test_embedder_is_not_called_if_words_find_enough(tree: Tree) -> None:
    for path, text in MANY.items():
        tree.file(path, text, 1.0)
    services = WithEmbedder(Letters())
    plain_snapshot = tree.snapshot()
    trace = ask_with(plain_snapshot, "orders of a kind", services)
    step = step_of(trace)
    assert (step.state, step.checks[0].passed) == (State.SKIPPED, False)
    assert services.embedder.texts == []
    assert [hit.score for hit in trace.hits] == [
        hit.score for hit in ask_with(plain_snapshot, "orders of a kind", NoServices()).hits
    ]


def test_at_most_fifteen_candidates_come_from_the_nearest_twenty(tree: Tree) -> None:
    for path, text in MANY.items():
        tree.file(path, text, 1.0)
    trace = ask_with(tree.snapshot(), WORDLESS, WithEmbedder(Letters()))
    assert step_of(trace).summary == "added 15 of the 20 nodes nearest in meaning"
    walk = trace.section(GraphRetrieval).walk
    assert len(walk.seeds) == 15


def test_vectors_are_computed_once_and_stored_for_the_next_process(plain_snapshot: Snapshot) -> None:
    services = WithEmbedder(Letters())
    ask_with(plain_snapshot, WORDLESS, services)
    made = len(services.embedder.texts)
    assert list(services.kept) == ["knowing letters"], "not among the vectors of another engine"
    ask_with(plain_snapshot, WORDLESS, services)
    assert services.embedder.texts[made:] == [WORDLESS], "the query alone"


def test_only_changed_texts_are_embedded_again(tree: Tree, plain_snapshot: Snapshot) -> None:
    services, engine = WithEmbedder(Letters()), Knowing()
    engine.answer(context(plain_snapshot, services), Query(WORDLESS, services=True))
    made = len(services.embedder.texts)
    tree.file("deploy/rollback.md", "# Rollback\n\nNever on Fridays.\n", 2.0)
    engine.answer(context(tree.snapshot(previous=plain_snapshot), services), Query(WORDLESS, services=True))
    first, *others = services.embedder.texts[made:]
    assert "Never on Fridays." in first
    assert others == [WORDLESS]


NUMBERS = [1.0] * 26


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        (Letters(fails=True), "letters is away"),
        (QueryFails([]), "returned 0 vectors for 1 texts"),
        (QueryFails([NUMBERS, NUMBERS]), "returned 2 vectors for 1 texts"),
        (QueryFails([[]]), "returned vectors of unusable lengths: 0"),
        (QueryFails([[1.0, 2.0]]), "the query's vector has 2 dimensions"),
        (QueryFails([[0.0] * 26]), "zero or not finite"),
        (QueryFails([[float("nan"), *NUMBERS[1:]]]), "values are not all numbers"),
    ],
)
def test_failing_embedder_is_reported_and_keeps_the_answer(
    plain_snapshot: Snapshot, embedder: Letters, said: str
) -> None:
    for text in ("rollback", WORDLESS):
        trace = ask_with(plain_snapshot, text, WithEmbedder(embedder))
        assert [(hit.file, hit.score) for hit in trace.hits] == [
            (hit.file, hit.score) for hit in ask_with(plain_snapshot, text, NoServices()).hits
        ]
        assert step_of(trace).state is State.FAILED
        assert any(said in notice for notice in trace.notices)


def test_misconfigured_embedder_is_reported_only_if_needed(plain_snapshot: Snapshot) -> None:
    trace = ask_with(plain_snapshot, "rollback", WronglySet())
    assert trace.hits
    assert step_of(trace).state is State.FAILED
    assert any("localhost is not an address" in notice for notice in trace.notices)


def test_note_without_a_vector_is_counted_and_others_fill_the_gap(tree: Tree) -> None:
    class Tires(Letters):
        """An embedder that fails at its second batch."""

        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            if len(self.texts) == 64 and len(texts) > 1:
                raise LegError("letters is tired")
            return super().embed(texts)

    for number in range(80):
        tree.file(f"shop/t{number}/order{number}.md", f"# Order{number}\n\nOrders of kind {number}.\n", 1.0)
    trace = ask_with(tree.snapshot(), WORDLESS, WithEmbedder(Tires()))
    assert step_of(trace).state is State.HIT
    assert any("16 nodes have no vector: letters is tired" in notice for notice in trace.notices)


def test_preview_never_calls_a_service_over_a_network(plain_snapshot: Snapshot) -> None:
    services = WithEmbedder(Letters())
    services.embedder.is_remote = True
    ask_with(plain_snapshot, WORDLESS, services)
    made = len(services.embedder.texts)
    trace = Knowing().answer(context(plain_snapshot, services), Query(WORDLESS))
    assert step_of(trace).state is State.NOT_RUN
    assert len(services.embedder.texts) == made
    assert not trace.hits
    assert not trace.notices


def test_preview_calls_a_local_model_once_vectors_exist(plain_snapshot: Snapshot) -> None:
    services, engine = WithEmbedder(Letters()), Knowing()
    asked = context(plain_snapshot, services)
    assert step_of(engine.answer(asked, Query(WORDLESS))).state is State.NOT_RUN
    assert services.embedder.texts == []
    run = engine.answer(asked, Query(WORDLESS, run=True))
    preview = engine.answer(asked, Query(WORDLESS))
    assert step_of(run).state is step_of(preview).state is State.HIT
    assert [hit.file for hit in preview.hits] == [hit.file for hit in run.hits]


def test_empty_tree_is_searched_without_calling_the_embedder(tree: Tree) -> None:
    services = WithEmbedder(Letters())
    step = step_of(ask_with(tree.snapshot(), WORDLESS, services))
    assert (step.state, step.summary) == (State.MISSED, "nothing has a vector")
    assert services.embedder.texts == []


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("the of and", {}, "the question has no keyword"),
        ("zoo/stripes.md", {"entry": "files"}, "the question names files"),
        ("zoo/stripes.md", {"entry": "changes"}, "the question names files"),
    ],
)
def test_skipped_step_gives_the_reason(
    plain_snapshot: Snapshot, text: str, options: dict[str, str], words: str
) -> None:
    services = WithEmbedder(Letters())
    step = step_of(ask_with(plain_snapshot, text, services, **options))
    assert (step.state, step.summary) == (State.NOT_RUN, words)
    assert services.embedder.texts == []


def test_gap_is_filled_within_the_scope(plain_snapshot: Snapshot) -> None:
    query = Query(WORDLESS, scope="deploy", services=True)
    trace = Knowing().answer(context(plain_snapshot, WithEmbedder(Letters())), query)
    walk = trace.section(GraphRetrieval).walk
    assert {seed.file for seed in walk.seeds} == {"deploy/rollback.md"}
    outside = Knowing().answer(context(plain_snapshot, WithEmbedder(Letters())), replace(query, scope="nowhere"))
    assert not outside.hits
    assert step_of(outside).state is State.MISSED


def test_why_explains_results_found_by_vectors(plain_snapshot: Snapshot) -> None:
    engine, asked = Knowing(), context(plain_snapshot, WithEmbedder(Letters()))
    trace = engine.answer(asked, Query(WORDLESS, services=True))
    there = engine.why(asked, trace, find_note(plain_snapshot, "zoo/stripes.md"))
    assert there.found
    assert "similar in meaning" in there.use


GRAPH = Graph(
    tuple(
        Node(f"{package}{number}", "function", f"r://{package}/n{number}.f", "f", package)
        for package in ("a", "b", "c", "d", "")
        for number in range(6)
    )
)


NEAREST = tuple((node.id, 1 - place / 100) for place, node in enumerate(GRAPH.nodes))


@pytest.mark.parametrize(
    ("held", "package", "count"),
    [
        ([], "", 15),
        (["a0"], "", 14),
        (["a0", "b0", "c0", "d0"], "", 11),
        (["b0", "a0", "b1"], "b", 4),
        (["a0", "b0", "b1", "a1"], "b", 4),  # the package that first has two nodes wins
        (["0", "1"], "", 13),  # two nodes without a package set no limit
    ],
)
def test_gaps_are_filled_from_the_dominant_package(held: list[str], package: str, count: int) -> None:
    nodes = [node for id_ in held if (node := GRAPH.find(id_)) is not None]
    made = fill_gap(nodes, lambda: NearNodes(NEAREST), lambda id_: True, GRAPH, SEEDS)
    added = [id_ for id_, _ in made.added]
    assert len(added) == count
    assert not set(added) & set(held)
    assert {id_[0] for id_ in added} == {package} or not package
    assert added == [id_ for id_, _ in NEAREST if id_ in added], "nearest first"


def test_five_candidates_are_not_a_gap() -> None:
    def never() -> NearNodes:
        raise AssertionError

    made = fill_gap(GRAPH.nodes[:5], never, lambda id_: True, GRAPH, SEEDS)
    assert (made.state, made.added) == (State.SKIPPED, ())
    with pytest.raises(AssertionError):
        fill_gap(GRAPH.nodes[:4], never, lambda id_: True, GRAPH, SEEDS)


CODE = {
    "src/zoo.py": 'class ZebuQuagga:\n    """Stripes of zebus and quaggas."""\n    def gallop(self): pass\n',
    "src/billing.py": "def round_cents(amount): pass\n",
    "src/double.py": "class MockZoo:\n    def zebu_quagga(self): pass\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path / "shop", CODE)


def test_gaps_in_code_are_filled_from_vectors(root: Path) -> None:
    session = Session.open(now_ms=NOW_MS, repository=root)
    session.load()
    services = WithEmbedder(Letters())
    trace = ask_with(session.snapshot, WORDLESS, services)
    assert trace.hits[0].file == "src/zoo.py/ZebuQuagga"
    assert all(adds_up(hit) for hit in trace.hits)
    assert step_of(trace).state is State.HIT
    *texts, query = services.embedder.texts
    assert query == WORDLESS
    assert not any("zebu quagga" in text for text in texts), "a member of a mock takes no place"
    assert "Stripes of zebus and quaggas. type py Zebu Quagga in package zoo" in texts
    assert "function py round cents in package billing" in texts
    answer = code_answer(session.snapshot, WORDLESS, services)
    assert "ZebuQuagga  (type, src/zoo.py:1)" in answer.lines()[2]
    assert answer.lines()[3] == "    found by vectors (place 1)"
    why = answer.why_lines("ZebuQuagga")
    assert why[0][1].startswith("  found by     vectors")


@pytest.mark.parametrize(
    ("services", "said"), [(WithEmbedder(Letters(fails=True)), "letters is away"), (WronglySet(), "localhost")]
)
def test_code_command_reports_a_failing_embedder(root: Path, services: Any, said: str) -> None:
    session = Session.open(now_ms=NOW_MS, repository=root)
    session.load()
    answer = code_answer(session.snapshot, "round cents", services)
    assert not answer.is_empty
    (notice,) = answer.notices
    assert said in notice


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (symbol("HTMLParser_of", "type"), "type HTML Parser of"),
        (symbol("r://a/b.Store.Get", "method", signature="func (s *Store) Get()"),
         "method Store Get in package b with signature (s *Store) Get()"),
        (symbol("r://a/b.run", "function", signature="()"), "function run in package b"),
        (symbol("r://a/b.run", "function", signature="run()", doc="Runs."), "Runs. function run in package b"),
        (symbol("r://a/Makefile", "file"), "file r://a/Makefile"),
    ],
)  # fmt: skip
def test_embedded_symbol_text_describes_it(node: Node, text: str) -> None:
    embedder = Letters()
    vectors = NodeVectors(Graph((node,)), load_profile().noise, 20)
    search = vectors.search(WithEmbedder(embedder), Query("any", services=True))
    assert search is not None
    assert search().found[0][0] == node.id
    assert embedder.texts == [text, "any"]
