"""Each kind of finding: one note with the defect, and one that only looks like it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui.lab.health.finding import Confidence, Finding, FindingKind, HealthReport
from brvtui.session import Session
from brvtui.session.health import HealthCheckCancelled
from brvtui.tree.engine_files.query_log import OURS
from tests.support.trees import DAY_MS, NOW_MS, Tree

RING = 24
FRONT = "---\ntitle: {title}\n---\n"
SUMMARY = "---\ntype: summary\ncondensation_order: 1\ntoken_count: {tokens}\n---\n# Area\n\nA summary of this area.\n"
LINKED = "\n## Relations\n@base/area/n00.md\n"


def word(number: int) -> str:
    """A made-up word without digits."""
    letters = "bdfgklmnprst"
    return "".join(letters[number // 12**place % 12] + "aeiou"[(number + place) % 5] for place in range(4))


def base(tree: Tree) -> None:
    """Linked notes, each about something else."""
    for number in range(RING):
        own = [word(number * 20 + place + 500) for place in range(14)]
        title = f"{own[0].capitalize()} {own[1]}"
        text = f"The {own[0]} {own[1]} needs {' '.join(own[2:8])} first. Then {' '.join(own[8:])} follows."
        following = f"@base/area/n{(number + 1) % RING:02d}.md"
        tree.note(f"base/area/n{number:02d}.md", title, f"{text}\n\n## Relations\n{following}", days=1)


def log(tree: Tree, entries: list[tuple[str, list[str], bool]]) -> None:
    """A copy of the engine's log in the project: query, found notes, and whether they cover it."""
    folder = tree.root / ".brv" / "query-log"
    folder.mkdir()
    for number, (query, paths, is_covered) in enumerate(entries):
        at = int(NOW_MS - DAY_MS - number * 60_000)
        found = len(paths) if is_covered else 0
        value = {
            "query": query,
            "startedAt": at,
            "status": "completed",
            "tier": 2 if is_covered else 4,
            "matchedDocs": [{"path": path, "score": 1.0} for path in paths],
            "searchMetadata": {"resultCount": found, "totalFound": found, "topScore": 1.0},
        }
        (folder / f"qry-{at}.json").write_text(json.dumps(value))


NOTES = {
    "dup/a.md": "# Parcel sorter belts\n\nThe sorter belt of hall nine runs at two metres per second. A jam stops "
    "the belt and rings "
    "the foreman. Spare rollers lie in the cage behind the dock. Oil the bearings on the first shift.",
    "dup/b.md": "# How the sorting belts run\n\nThe sorter belt of hall nine runs at two metres per second. A jam "
    "stops the belt and "
    "rings the foreman. Spare rollers lie in the cage behind the dock. Oil the bearings on the first shift of a "
    "week.",
    "dup/near_a.md": "# Kitamaru adapter\n\nThe Kitamaru adapter polls the carrier and writes events. Kitamaru "
    "sends XML "
    "in the night.",
    "dup/near_b.md": "# Pelican adapter\n\nThe Pelican adapter polls the carrier and writes events. Pelican "
    "sends XML in "
    "the night.",
    "old/a.md": "# Gateway handshake timeout\n\nThe gateway waits 30 s for the handshake of a scanner. Ruben chose "
    "that.",
    "old/b.md": "# Gateway handshake timeout (revised)\n\nSince May the gateway waits 45 s for the handshake of a "
    "scanner.",
    "old/near_a.md": "# Harbour crane limits\n\nThe crane lifts 40 tonnes in staging tests of the harbour.",
    "old/near_b.md": "# Harbour crane limits in production\n\nThe crane lifts 65 tonnes in production runs of the "
    "harbour.",
    "junk/template.md": "# Fuel depot plan\n\n## Reason\n\n## Raw Concept\n**Task:**\n\n## Narrative\n### "
    "Structure\nTODO\n",
    "junk/template_near.md": "# Fuel depot plan B\n\n## Reason\n\n## Narrative\nThe depot holds diesel for nine "
    "trucks and is "
    "refilled on demand.\n",
    "junk/chat.md": "# Tyre question\n\nUser: which tyres do the vans need?\n\nAssistant: Let me check the fleet "
    "list.\n",
    "junk/chat_near.md": "# Roles in the booking form\n\n- **User**: the person who books\n- **Agent**: the "
    "clerk who "
    "confirms the booking\n",
    "junk/output.md": "# Build of the scanner app\n\n```\n$ npm test\nPASS src/scan.test.ts\nFAIL src/queue.test.ts\n"
    "    at Object.<anonymous> (src/queue.test.ts:14:3)\nTests: 1 failed, 1 passed, 2 total\n```\n",
    "junk/output_near.md": "# Restart of the label printer\n\nRestart the spooler when labels come out blank, "
    "and tell the "
    "shift lead "
    "before you do it.\n\n```\n$ systemctl restart spooler\n$ lpstat -p\n```\n",
    "junk/links.md": "# Reading list for drivers\n\n- [Rules](https://example.com/rules)\n- "
    "https://example.com/maps\n",
    "junk/links_near.md": "# Sources on winter tyres\n\n- [Norm](https://example.com/norm) defines the tread of "
    "4 mm that our "
    "vans need\n",
    "junk/title.md": "# Drivers park the vans in lane four\n\nDrivers park the vans in lane four.\n",
    "junk/title_near.md": "# Parking the vans\n\nVans are parked in lane four with the key in box two.\n",
    "long/a.md": "# Annual review of routes\n\n" + "Each lorry route was measured again and a driver signed it. "
    "" * 95,
    "long/near.md": "# Annual review of depots\n\n" + "Each small depot was visited again and a clerk signed "
    "it. " * 70,
    "front/a.md": "---\ntitle: [open\n---\n# Seals of containers\n\nSeals carry a number that the guard reads "
    "aloud at "
    "the gate.",
    "front/near.md": "---\n\n# Locks of containers\n\nA rule above a heading is not frontmatter, and guards lock the "
    "gate.",
    "link/a.md": "# Ferry bookings\n\nFerries are booked by noon. See [the desk](gone.md).",
    "link/near.md": "# Ferry refunds\n\nRefunds take nine days. See [bookings](a.md) and [the "
    "line](https://example.com/x.md).",
    "text/latin.md": "# Z\u00f6lle\n\nZ\u00f6lle f\u00fcr Gro\u00dfkunden.".encode("latin-1"),
    "text/mojibake.md": "# Cafe rules\n\n" + "Der Gr\u00f6\u00dfe nach, im Caf\u00e9.".encode().decode("latin-1"),
    "text/near.md": "# Dock languages\n\nCrews speak fran\u00e7ais, espa\u00f1ol, \u65e5\u672c\u8a9e and "
    "\u010desky at "
    "dock nine.",
    "unread/a.txt": "Notes about tolls.",
    "area/_index.md": SUMMARY.format(tokens=90),
    "area2/_index.md": SUMMARY.format(tokens=8),
    "lone/a.md": "# Weighbridge calibration\n\nThe weighbridge is calibrated with four blocks of steel from the "
    "cellar.",
    "broad/a.md": "# Everything\n\nBits about belts, tyres, seals, ferries, tolls, cranes, gates and depots from all "
    "the years.",
}  # fmt: skip
NO_RING = ("lone/a.md", "unread/a.txt", "area/_index.md", "area2/_index.md", "text/latin.md")
BROAD = ["belts speed", "tyres winter", "seals number", "ferries noon", "tolls bridge", "cranes weight"]
POSITIVE = {
    FindingKind.NEAR_DUPLICATE: {"dup/a.md", "dup/b.md"},
    FindingKind.SUPERSEDED: {"old/a.md", "old/b.md"},
    FindingKind.TEMPLATE_ONLY: {"junk/template.md"},
    FindingKind.TRANSCRIPT_LEFTOVER: {"junk/chat.md"},
    FindingKind.TOOL_OUTPUT: {"junk/output.md"},
    FindingKind.LINKS_ONLY: {"junk/links.md"},
    FindingKind.TITLE_ONLY: {"junk/title.md"},
    FindingKind.TOO_BROAD: {"broad/a.md"},
    FindingKind.QUOTE_CUT_OFF: {"long/a.md"},
    FindingKind.NOT_FOUND_BY_TITLE: {"title/a.md"},
    FindingKind.SHADOWED: {"shade/a.md", "shade/b.md"},
    FindingKind.NEVER_FOUND: {"never/a.md"},
    FindingKind.BROKEN_FRONTMATTER: {"front/a.md"},
    FindingKind.BROKEN_LINK: {"link/a.md"},
    FindingKind.BAD_ENCODING: {"text/latin.md"},
    FindingKind.UNREAD_FILE: {"unread/a.txt"},
    FindingKind.ORPHAN: {"lone/a.md"},
    FindingKind.ARCHIVE_CANDIDATE: {"aged/a.md"},
    FindingKind.GENERATED_EDITED: {"area/_index.md"},
}
NEGATIVE = {
    FindingKind.NEAR_DUPLICATE: "dup/near_a.md",
    FindingKind.SUPERSEDED: "old/near_a.md",
    FindingKind.TEMPLATE_ONLY: "junk/template_near.md",
    FindingKind.TRANSCRIPT_LEFTOVER: "junk/chat_near.md",
    FindingKind.TOOL_OUTPUT: "junk/output_near.md",
    FindingKind.LINKS_ONLY: "junk/links_near.md",
    FindingKind.TITLE_ONLY: "junk/title_near.md",
    FindingKind.TOO_BROAD: "base/area/n03.md",
    FindingKind.QUOTE_CUT_OFF: "long/near.md",
    FindingKind.NOT_FOUND_BY_TITLE: "title/near00.md",
    FindingKind.SHADOWED: "base/area/n04.md",
    FindingKind.NEVER_FOUND: "base/area/n05.md",
    FindingKind.BROKEN_FRONTMATTER: "front/near.md",
    FindingKind.BROKEN_LINK: "link/near.md",
    FindingKind.BAD_ENCODING: "text/near.md",
    FindingKind.UNREAD_FILE: "base/area/n06.md",
    FindingKind.ORPHAN: "base/area/n07.md",
    FindingKind.ARCHIVE_CANDIDATE: "aged/near.md",
    FindingKind.GENERATED_EDITED: "area2/_index.md",
}


def plant(tree: Tree) -> None:
    """Writes notes with every defect, and the log."""
    base(tree)
    for number, (path, content) in enumerate(NOTES.items()):
        is_plain = path in NO_RING or isinstance(content, bytes) or path.startswith("junk/t") or "links" in path
        tree.file(path, content if is_plain else f"{content}\n{LINKED}", 40 - number * 0.5)
    for number in range(12):
        text = f"Deliveries overview: the overview of deliveries in week {word(number)} says {word(number + 40)}."
        tree.note(f"title/near{number:02d}.md", "Deliveries overview", f"{text}\n{LINKED}", days=1)
    tree.note(
        "title/a.md", "Deliveries", f"Ships, carts and porters carried crates for the {word(7)}.\n{LINKED}", days=80
    )
    shade = "quay lantern wick"
    text = f"The {shade} is trimmed. Check the {shade} weekly; a {shade} that smokes is replaced, and the "
    "{shade} stays dry."
    tree.note("shade/b.md", "Quay lantern wick", f"{text}\n{LINKED}", days=1)
    tree.note(
        "shade/a.md",
        "Quay lantern wick",
        f"The quay lantern is weekly replaced and its wick trimmed.\n{LINKED}",
        days=90,
    )
    tree.note("never/a.md", "Stapler for the archive room", f"The stapler jams on thick files.\n{LINKED}", days=1)
    dated = (
        "---\nupdatedAt: '{date}T10:00:00.000Z'\n---\n# {title}\n\nThe {title} was planned by the night crew.\n"
        + LINKED
    )
    tree.file("aged/a.md", dated.format(date="2025-01-02", title="Barge mooring rota"), 1)
    tree.file("aged/near.md", dated.format(date="2026-11-15", title="Tugboat rope order"), 1)
    notes = [
        path for path in [*NOTES, *(f"base/area/n{number:02d}.md" for number in range(RING))] if path.endswith(".md")
    ]
    others = [path for path in notes if path not in ("broad/a.md", "never/a.md")]
    entries = [(f"{word(number + 900)} {word(number + 940)}", [path], True) for number, path in enumerate(others)]
    entries += [(query, [f"base/area/n{number:02d}.md", "broad/a.md"], True) for number, query in enumerate(BROAD)]
    entries += [
        (text, [], False) for text in ("terraform state locking", "how does terraform locking work", "thanks for that")
    ]
    log(tree, entries)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session over :func:`plant`."""
    folder = tmp_path_factory.mktemp("health")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRV_TUI_DATA_DIR", str(folder / "data"))
        tree = Tree(folder / "project")
        plant(tree)
        yield tree.session()


@pytest.fixture(scope="module")
def report(planted: Session) -> HealthReport:
    """The report on the planted tree."""
    return planted.health.report()


def of_kind(report: HealthReport, kind: FindingKind) -> list[Finding]:
    return [finding for finding in report.findings if finding.kind is kind]


@pytest.mark.parametrize("kind", POSITIVE, ids=str)
def test_defect_is_found(report: HealthReport, kind: FindingKind) -> None:
    assert POSITIVE[kind] in [set(finding.notes) for finding in of_kind(report, kind)]


@pytest.mark.parametrize("kind", NEGATIVE, ids=str)
def test_similar_note_without_the_defect_is_not_reported(report: HealthReport, kind: FindingKind) -> None:
    assert all(NEGATIVE[kind] not in finding.notes for finding in of_kind(report, kind))


def test_own_runs_prove_nothing(tree: Tree) -> None:
    tree.note("a/one.md", "Parcel sorter", "The sorter belt of hall nine runs.")
    log(tree, [("zebra quagga crossing", [], False)])
    session = tree.session()
    before = session.health.report()
    for query in ("zebra quagga crossing", "yak herding permit"):
        session.logbook.add(session.preview(query), NOW_MS, 1.0)
    assert "zebra quagga crossing" in [entry.query for entry in session.logbook.read(9) if entry.who == OURS]
    assert session.health.report() == before


def test_gaps_are_clusters_of_uncovered_queries(report: HealthReport) -> None:
    found = {frozenset(finding.queries): finding for finding in of_kind(report, FindingKind.GAP)}
    gap = found[frozenset({"terraform state locking", "how does terraform locking work"})]
    assert gap.notes == ()
    assert gap.confidence is Confidence.HIGH
    assert "terraform" in gap.sentence


def test_superseded_names_the_older_note_first(report: HealthReport) -> None:
    [finding] = [one for one in of_kind(report, FindingKind.SUPERSEDED) if "old/a.md" in one.notes]
    assert finding.notes == ("old/a.md", "old/b.md")
    assert "30 s" in finding.sentence
    assert "45 s" in finding.sentence
    assert finding.cost


def test_worst_findings_come_first_and_have_a_sentence(report: HealthReport) -> None:
    weights = [finding.weight for finding in report.findings]
    assert weights == sorted(weights, reverse=True)
    assert all(finding.sentence and "\n" not in finding.sentence for finding in report.findings)


def test_report_is_the_same_in_a_second_run_and_in_another_process(planted: Session, report: HealthReport) -> None:
    assert planted.health.report() == report
    other = Session.open(planted.project.root, now_ms=NOW_MS)
    other.load()
    assert other.health.report() == report
    other.close()


def test_ignored_findings_are_listed_apart(planted: Session, report: HealthReport) -> None:
    finding = of_kind(report, FindingKind.ORPHAN)[0]
    planted.health.ignore(finding)
    after = planted.health.report()
    planted.health.restore(finding)
    assert finding not in after.findings
    assert after.ignored == (finding,)
    assert planted.health.report() == report


def test_edit_changes_only_the_findings_about_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "project")
    plant(tree)
    session = tree.session()
    before = session.health.report()
    tree.file("link/a.md", f"# Ferry bookings\n\nFerries are booked by noon at the desk of hall two.\n{LINKED}", 10)
    session.refresh()
    after = session.health.report()
    assert {finding.notes for finding in of_kind(before, FindingKind.BROKEN_LINK)} == {("link/a.md",)}
    assert not of_kind(after, FindingKind.BROKEN_LINK)
    other = Tree(tmp_path / "copy")
    plant(other)
    other.file("link/a.md", f"# Ferry bookings\n\nFerries are booked by noon at the desk of hall two.\n{LINKED}", 10)
    assert [finding.notes for finding in other.session().health.report().findings] == [
        one.notes for one in after.findings
    ]


def test_cancelled_check_raises(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    base(tree)
    with pytest.raises(HealthCheckCancelled):
        tree.session().health.report(cancelled=lambda: True)


def test_empty_memory_has_no_findings(tmp_path: Path) -> None:
    report = Tree(tmp_path).session().health.report()
    assert (report.findings, report.notes) == ((), 0)


def test_memory_without_words_can_be_checked(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for name in ("one", "two"):
        tree.file(f"a/b/{name}.md", "12 34 56", 10)
    assert tree.session().health.report().notes == 2


def test_damaged_store_is_ignored(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    base(tree)
    session = tree.session()
    before = session.health.report()
    [store] = Path(session.health._ignored._path).parents[2].glob("**/answers/health*")
    store.write_bytes(b"damaged")
    assert tree.session().health.report() == before
