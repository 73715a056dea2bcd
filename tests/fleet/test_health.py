"""Across memories: near-duplicates equal a comparison of all pairs, and different facts are found."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

from brvtui.fleet.answering import Asker
from brvtui.fleet.comparing import NotePlace
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.health import fleet_health
from brvtui.lab.health.likeness import likeness, shingle_hashes
from brvtui.report.fleet import health_markdown
from tests.support.fleets import HereAsks
from tests.support.trees import NOW_MS, Tree

HERE = Asker(HereAsks(), NOW_MS)


FACTS = "# {title}\n\n{text}\n\n## Facts\n- **port**: {port} [convention]\n- **owner**: ops\n"


def words(pick: random.Random, count: int) -> list[str]:
    return [f"w{pick.randrange(400)}" for _ in range(count)]


def test_near_duplicates_match_a_comparison_of_all_pairs(tmp_path: Path) -> None:
    pick = random.Random(5)
    texts: dict[NotePlace, str] = {}
    members = []
    bases = [words(pick, 80) for _ in range(12)]
    for number in range(5):
        tree = Tree(tmp_path / f"m{number}")
        for count in range(10):
            body = list(pick.choice(bases))
            for _ in range(pick.choice((0, 0, 1, 2, 4, 9))):
                body[pick.randrange(len(body))] = "changed"
            path, title = f"a/b/n{number}_{count}.md", f"Note {number} {count}"
            text = f"# {title}\n\n{' '.join(body)}\n"
            tree.file(path, text, 10)
            texts[NotePlace(f"m{number}", path, title)] = text
        members.append(Member(f"m{number}", str(tree.root)))
    hashes = {place: shingle_hashes(text) for place, text in texts.items()}
    expected: set[frozenset[NotePlace]] = set()
    group = {place: place for place in texts}

    def root(place: NotePlace) -> NotePlace:
        return place if group[place] == place else root(group[place])

    for one, other in combinations(texts, 2):
        if likeness(hashes[one], hashes[other]) >= 0.8:
            group[root(one)] = root(other)
    for place in texts:
        together = frozenset(other for other in texts if root(other) == root(place))
        if len({other.member for other in together}) > 1:
            expected.add(together)
    found = fleet_health(HERE, members)
    assert {frozenset(one.notes) for one in found.alike} == expected
    assert expected
    assert all(0.8 <= one.likeness <= 1 for one in found.alike)
    assert {place for one in found.alike for place in one.notes}.isdisjoint(found.alone)


def test_health_reports_every_kind_of_problem(tmp_path: Path) -> None:
    members = []
    for name, port, days, profile in (("one", 80, 10, ""), ("two", 81, 300, ""), ("three", 80, 10, "docs")):
        tree = Tree(tmp_path / name)
        tree.file(
            "net/web/proxy.md", FACTS.format(title="The proxy", text=f"written by the team of {name}", port=port), days
        )
        tree.note("net/web/own.md", f"Only {name} has this", f"said by {name}", days=1)
        members.append(Member(name, str(tree.root), profile=profile, owner=f"team {name}"))
    members.append(Member("gone", str(tmp_path / "gone")))
    found = fleet_health(HERE, members)
    pairs = [(one.first.member, one.second.member, one.same, one.other_statements) for one in found.contradictions]
    assert pairs == [("one", "two", "title", 1), ("two", "three", "title", 1)]
    assert [(one.only_first, one.only_second) for one in found.contradictions] == [(1, 1), (1, 1)]
    assert [(one.note.member, round(one.days)) for one in found.stale] == [("two", 300)]
    assert [one.path for one in found.alone] == ["net/web/own.md"] * 3
    assert [one.is_usual for one in found.members] == [True, True, False]
    assert [one.why for one in found.missing] == [f"{tmp_path}/gone: no such folder"]
    text = health_markdown(found, "shop", "2026-11-20")
    assert "| one: net/web/proxy.md | two: net/web/proxy.md | title | 1 | 1 and 1 |" in text
    assert "## Stale notes" in text


def test_copies_within_one_member_are_not_reported_as_unique(tmp_path: Path) -> None:
    trees = [Tree(tmp_path / "one"), Tree(tmp_path / "two")]
    for path in ("a/first.md", "a/second.md"):
        trees[0].file(path, f"# {path}\n\n{' '.join(words(random.Random(1), 80))}\n", 10)
    trees[1].note("a/other.md", "Other", "something else entirely", 10)
    report = fleet_health(HERE, [Member(tree.root.name, str(tree.root)) for tree in trees])
    text = health_markdown(report, "all", "2026-11-20")
    assert "0 groups of near-duplicates in several members" in text
    assert "| only here |" in text
    assert "unique" not in text
