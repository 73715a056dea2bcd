"""Every remedy has the promised effect on disk. If no edit is offered, saving does not help."""

from __future__ import annotations

import html
import math
import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.advice import NOTHING_HELPS, with_remedies
from brvtui.ranking.decay import just_before_ms
from brvtui.session import Session
from brvtui.trace import Explanation, Remedy, RemedyKind, Trace
from brvtui.tree.spaces.contents import topic_source
from brvtui.tree.spaces.topic_html import parse_topic
from tests.support.recorded import milliseconds
from tests.support.spaces import SPACE_ID, recorded_space, small_space, unpack_space

DATA = Path(__file__).parents[2] / "data" / "byterover_v4"
NOW = 1_763_640_000_000.0
FEW, MANY = 12, 40
SAVED = "change and save it"
FOR_REASON = "save it now"
"""The remedies for words that are not searched, which ``test_engine.py`` tries."""


@dataclass(frozen=True)
class Case:
    """A query, a topic, and the remedies for it."""

    folder: Path
    now_ms: float
    trace: Trace
    explanation: Explanation
    offered: tuple[Remedy, ...]

    @property
    def file(self) -> Path:
        (tree,) = self.folder.glob("data/projects/*/context-tree")
        return tree / self.explanation.path

    def ask(self, query: str = "", scope: str | None = None, **options: object) -> Trace:
        """The answer from a new session, which has read nothing yet."""
        asked = self.trace
        scope = asked.scope_option if scope is None else scope
        return opened(self.folder, self.now_ms).preview(
            query or asked.query, scope, options={**asked.options, **options}
        )


def opened(folder: Path, now_ms: float) -> Session:
    session = Session.open(folder / "project", now_ms=now_ms)
    session.load()
    return session


def unpacked(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    recorded = recorded_space(DATA / name)
    unpack_space(recorded, folder)
    monkeypatch.setenv("BRV_DATA_DIR", str(folder / "data"))
    return recorded


def cases(folder: Path, recorded: dict[str, Any], seed: int, most: int) -> Iterator[Case]:
    """Recorded queries with their options, and topics: lower results, and files that are not topics."""
    pick = random.Random(seed)
    now_ms = milliseconds(recorded["now"])
    session = opened(folder, now_ms)
    for asked in pick.sample([one for one in recorded["cases"] if not one.get("argv")], most):
        options = {name.replace("-", "_"): value for name, value in (asked.get("options") or {}).items()}
        trace = session.preview(asked["query"], options.pop("scope", ""), options=options)
        lower = [hit.file for hit in trace.hits[1:] if hit.file in session.snapshot.by_path]
        path = pick.choice(lower) if lower and pick.random() < 0.7 else pick.choice(session.snapshot.notes).path
        explanation = session.explainer.explain(trace.query, path, trace=trace)
        offered = session.explainer.remedies(explanation)
        assert offered is not None
        yield Case(folder, now_ms, trace, explanation, offered)


@contextmanager
def saved(file: Path, now_ms: float, title: str = "") -> Iterator[None]:
    """Saves ``file`` now, with another ``title``, and restores it afterwards."""
    data, state = file.read_bytes(), file.stat()
    if title:
        attribute = f'<bv-topic title="{html.escape(title)}"'  # if an attribute occurs twice, only the first one counts
        text = re.sub("<bv-topic", lambda _: attribute, topic_source(file.parent, file.name), count=1, flags=re.I)
        assert parse_topic(text).attribute("title") == title
        file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(just_before_ms(now_ms) * 10**6,) * 2)
    yield
    file.write_bytes(data)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def carried_out(case: Case, remedy: Remedy) -> Trace:
    """The answer after a user has followed ``remedy``."""
    if remedy.kind is RemedyKind.WORDING:
        return case.ask(remedy.query)
    if remedy.kind is None and (more := re.match(r"ask for (\d+) results", remedy.text)):
        return case.ask(limit=int(more[1]))
    if remedy.kind is None:
        assert remedy.text == "run the query without the scope and the element filter"
        return case.ask(scope="", element_tag="", element_attr="", element_value="")
    with saved(case.file, case.now_ms, remedy.title):
        return case.ask()


def rank_of(trace: Trace, path: str) -> float:
    return next((rank for rank, hit in enumerate(trace.hits, start=1) if hit.file == path), math.inf)


def check(case: Case) -> None:
    """Applies each offered change on disk; if no edit is offered, saves the topic anyway."""
    path, before = case.explanation.path, case.explanation.rank or math.inf
    ranks = [remedy.rank or math.inf for remedy in case.offered]
    assert ranks == sorted(ranks)
    kinds = [remedy.kind for remedy in case.offered]
    assert kinds.count(RemedyKind.WORDING) <= 2
    assert kinds.count(RemedyKind.TITLE) <= 1
    for remedy in case.offered:
        assert (remedy.rank or math.inf) < before
        assert (remedy.verified, remedy.tier) == (True, None)
        if remedy.how != FOR_REASON:
            after = carried_out(case, remedy)
            assert rank_of(after, path) == remedy.rank, (case.trace.query, path, remedy)
            assert after.hits[(remedy.rank or 0) - 1].score == remedy.score
    if all(remedy.how != SAVED for remedy in case.offered):
        with saved(case.file, case.now_ms):
            assert rank_of(case.ask(), path) >= before, (case.trace.query, path)


def check_all(made: Iterator[Case]) -> set[RemedyKind | None]:
    """Checks every case, and returns the kinds of remedies that were offered."""
    kinds: set[RemedyKind | None] = set()
    for case in made:
        check(case)
        kinds |= {remedy.kind for remedy in case.offered}
    return kinds


@pytest.mark.long
def test_applied_remedies_reach_the_promised_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = unpacked(tmp_path, "space-21.json.gz", monkeypatch)
    assert check_all(cases(tmp_path, recorded, 1, FEW)) >= {RemedyKind.WORDING, RemedyKind.EDIT, RemedyKind.TITLE}


@pytest.mark.long
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("name", ["space-21.json.gz", "space-22.json.gz"])
def test_remedies_for_random_cases_reach_the_promised_rank(
    name: str, half: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = unpacked(tmp_path, name, monkeypatch)
    kinds = check_all(islice(cases(tmp_path, recorded, 2, MANY), half, None, 2))
    assert kinds >= {RemedyKind.WORDING, RemedyKind.EDIT, RemedyKind.TITLE}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a space of three topics."""
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return small_space(tmp_path, NOW).rename(tmp_path / "project").parent


def offered(folder: Path, query: str, path: str, **options: object) -> tuple[Remedy, ...]:
    session = opened(folder, NOW)
    explanation = session.explainer.explain(query, path, trace=session.preview(query, options=options))
    found = session.explainer.remedies(explanation)
    assert found is not None
    return found


def test_first_topic_needs_no_remedy(folder: Path) -> None:
    assert offered(folder, "refresh", "auth/jwt.html") == ()


def test_file_that_is_not_a_topic_has_no_remedy(folder: Path) -> None:
    (folder / "data" / "projects" / SPACE_ID / "context-tree" / "old.abstract.html").write_text("<p>quokka</p>")
    assert offered(folder, "quokka", "old.abstract.html") == ()


def test_cancelled_remedy_search_returns_remedies_found_until_then(folder: Path) -> None:
    session = opened(folder, NOW)
    explanation = session.explainer.explain("refresh", "ops/deploy.html")
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) > 1

    whole = session.explainer.remedies(explanation)
    found = session.explainer.remedies(explanation, cancelled)
    assert whole
    assert found is not None
    assert {one.text for one in found} <= {one.text for one in whole}


def test_remedy_for_the_reason_is_listed_once(folder: Path) -> None:
    found = offered(folder, "rollout", "ops/deploy.html")
    assert [(one.text, one.how) for one in found] == [
        ("add rollout to the topic's keywords", FOR_REASON),
        ("“rollout deploys”: add “deploys”", "use this wording"),
    ]
    found = offered(folder, "refresh token", "ops/deploy.html", limit=1)
    assert [(one.text, one.rank) for one in found] == [
        ("“refresh token deploys”: add “deploys”", 1),
        ("“token” added to its title, and the topic saved today", 1),
        ("ask for 2 results (brv-tui query -o limit=2)", 2),
    ]


def test_failing_space_offers_only_its_repair(folder: Path) -> None:
    (folder / "data" / "projects" / SPACE_ID / "context-tree" / "old.md").write_text("# old")
    found = offered(folder, "refresh", "ops/deploy.html")
    assert [(one.text, one.kind, one.rank) for one in found] == [
        ("migrate old.md, or move it out of the tree", None, 2)
    ]


def test_helpful_title_replaces_the_nothing_helps_remedy(folder: Path) -> None:
    topic = folder / "data" / "projects" / SPACE_ID / "context-tree" / "plain.html"
    topic.write_text('<bv-topic keywords="of"><p>of</p></bv-topic>')
    session = opened(folder, NOW)
    explanation = session.explainer.explain("zebra", "plain.html")
    assert explanation.remedy == Remedy(NOTHING_HELPS, False)
    (retitled,) = session.explainer.remedies(explanation) or ()
    assert (retitled.kind, retitled.title, retitled.rank) == (RemedyKind.TITLE, "zebra", 1)
    assert with_remedies(explanation, (retitled,)).remedy == retitled


def test_new_title_can_move_a_topic_outside_the_filter(folder: Path) -> None:
    filtered = {"element_tag": "bv-topic", "element_attr": "title", "element_value": "Deploys"}
    tree = folder / "data" / "projects" / SPACE_ID / "context-tree"
    (tree / "other.html").write_text('<bv-topic title="Deploys" summary="refresh"><p>Refresh.</p></bv-topic>')
    os.utime(tree / "other.html", (NOW / 1000 - 172_800,) * 2)
    unfiltered, kept = (
        offered(folder, "refresh", "ops/deploy.html"),
        offered(folder, "refresh", "ops/deploy.html", **filtered),
    )
    assert RemedyKind.TITLE in {one.kind for one in unfiltered}
    assert RemedyKind.TITLE not in {one.kind for one in kept}


def test_only_other_wordings_help_a_topic_in_another_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = unpacked(tmp_path, "space-21.json.gz", monkeypatch)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "cloud"))
    (tmp_path / "elsewhere").mkdir()
    session = Session.open(tmp_path / "elsewhere", now_ms=milliseconds(recorded["now"]), engine="byterover_v4")
    session.load()
    kinds: set[RemedyKind | None] = set()
    for asked in recorded["aggregate"]:
        trace = session.preview(asked["query"])
        for hit in trace.hits[1:]:
            if hit.shared_source:
                explanation = session.explainer.explain(asked["query"], hit.file, trace=trace)
                for remedy in session.explainer.remedies(explanation) or ():
                    kinds.add(remedy.kind)
                    again = session.preview(remedy.query)
                    assert rank_of(again, hit.file) == remedy.rank
    assert kinds == {RemedyKind.WORDING}
