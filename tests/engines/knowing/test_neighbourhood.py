"""The links around a result, and the nearest nodes if words find fewer than five candidates."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.sections import GraphRetrieval, WalkPath, WayStep
from brvtui.engines.knowing.tracing_words import stops_of
from brvtui.paint.glyphs import ASCII, UNICODE
from brvtui.paint.neighbourhood import Neighbourhood, drawn
from brvtui.report.neighbourhood_svg import neighbourhood_svg
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from tests.corpus.code.making import write
from tests.engines.knowing.test_engine import ASKED, NOTES, ask
from tests.support.trees import Tree

STORE, ROTATION, HANDOVER = "auth/sessions/store.md", "auth/tokens/rotation.md", "ops/handover.md"


@pytest.fixture
def snapshot(tree: Tree) -> Snapshot:
    for path, text in NOTES.items():
        tree.file(path, text, 1.0)
    return tree.snapshot()


@pytest.fixture
def trace(snapshot: Snapshot) -> Trace:
    return ask(snapshot, ASKED)


def around(trace: Trace, place: str) -> Neighbourhood:
    made = Knowing().presentation.neighbourhood(trace, place)
    assert made is not None
    return made


def lines(shown: Neighbourhood, width: int, rows: int = 30, letters: bool = False) -> list[str]:
    return [line.plain.rstrip() for line, _ in drawn(shown, width, rows, ASCII if letters else UNICODE)]


def test_heaviest_links_come_first_and_seeds_are_marked(trace: Trace) -> None:
    shown = around(trace, STORE)
    told = {one.title: one for one in shown.neighbours}
    assert (told["Token rotation"].words, told["Token rotation"].leads_away) == ("related from", False)
    assert told["Token rotation"].is_seed
    assert told["Token rotation"].weight == 1
    assert told["Token rotation"].rank
    assert (told["Handover"].words, told["Handover"].leads_away) == ("related", True)
    assert told["rotate.py"].kind == "file"
    weights = [one.weight for one in shown.neighbours]
    assert weights == sorted(weights, reverse=True)
    assert len({one.id for one in shown.neighbours}) == len(shown.neighbours)
    assert STORE not in {one.id for one in shown.neighbours}


def test_share_of_a_link_is_the_sum_of_the_paths_over_it(trace: Trace) -> None:
    placed = trace.section(GraphRetrieval).placed(HANDOVER)
    shown = around(trace, HANDOVER)
    shares = {one.id: one.share for one in shown.neighbours}
    from_elsewhere = [way for way in placed.ways if {way.seed_place, *(step.place for step in way.steps)} != {HANDOVER}]
    assert from_elsewhere
    assert sum(shares.values()) == pytest.approx(sum(way.share for way in from_elsewhere))
    assert shares[STORE] == max(shares.values()) > 0
    assert sum(way.share for way in shown.ways) == pytest.approx(1)


def test_every_link_can_be_followed_back(trace: Trace) -> None:
    section = trace.section(GraphRetrieval)
    for place in section.map.places:
        for one in around(trace, place.id).neighbours:
            back = {other.id: other for other in around(trace, one.id).neighbours}
            assert back[place.id].weight == one.weight
            assert back[place.id].leads_away != one.leads_away


def test_missing_result_lists_the_unknown_facts(trace: Trace) -> None:
    assert around(trace, ROTATION).lacks == ""
    assert "only its links to the first results" in around(trace, "keyword://redis").lacks
    assert Knowing().presentation.neighbourhood(trace, "nowhere.md") is None


def test_number_of_own_neighbours_is_limited(tree: Tree) -> None:
    for number in range(30):
        tree.file(f"many/n{number}.md", f"# Leaf {number}\n\nA leaf.\n")
    links = ", ".join(f"many/n{number}.md" for number in range(30))
    tree.file("many/hub.md", f"---\nrelated: [{links}]\n---\n# Walrus\n\nWalrus things.\n")
    trace = ask(tree.snapshot(), "walrus")
    section = trace.section(GraphRetrieval)
    # every leaf among the first results is also a centre, so its link to the hub is shown
    leaves = {one.id for one in around(trace, "many/hub.md").neighbours}
    assert len(section.map.centres) <= 40
    assert leaves - set(section.map.centres) <= {one.id for one in section.map.places}
    assert len(leaves) <= len(section.map.centres) + 8


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("width", [20, 44, 48, 60, 84, 120, 200])
def test_drawing_fits_the_width_and_shows_every_neighbour(trace: Trace, width: int, letters: bool) -> None:
    for place in trace.section(GraphRetrieval).map.places:
        shown = around(trace, place.id)
        made = drawn(shown, width, 20, ASCII if letters else UNICODE)
        assert all(cell_len(line.plain) <= width for line, _ in made)
        keys = {key for _, key in made if key}
        assert {one.id for one in shown.neighbours} <= keys <= shown.ends.keys()


def test_drawing_shows_weights_and_seeds_without_colour(trace: Trace) -> None:
    rows = lines(around(trace, STORE), 110)
    heavy, medium, light = (next(row for row in rows if text in row) for text in ("Token rot", "rotate.py", "(keyw"))
    assert "◂━ related from ━" in heavy
    assert "◆ Token rotation" in heavy
    assert "── mentions file ─▸   rotate.py (file)" in medium
    assert "┄┄ has keyword ┄" in light
    assert "◆" not in light
    plain = "\n".join(lines(around(trace, STORE), 110, letters=True))
    assert "<= related from =" in plain
    assert "* Token rotation" in plain
    assert plain.replace("·", "").isascii()


def test_narrow_drawing_is_a_list_of_paths(trace: Trace) -> None:
    made = lines(around(trace, HANDOVER), 44)
    assert made.index(next(row for row in made if "paths to it" in row)) < made.index(
        next(row for row in made if "its links" in row)
    )
    assert "Session store → related → here" in " ".join(" ".join(made).split())


def test_empty_neighbourhood_is_reported(trace: Trace) -> None:
    shown = around(trace, STORE)._replace(neighbours=(), ways=())
    for width in (30, 60, 100):
        assert any("it has no links" in row for row in lines(shown, width))
    assert "<svg" in neighbourhood_svg(shown)


def test_picture_is_complete_and_heavy_links_are_thick(trace: Trace) -> None:
    shown = around(trace, STORE)
    root = ET.fromstring(neighbourhood_svg(shown))
    space = "{http://www.w3.org/2000/svg}"
    curves = root.findall(f"{space}path")
    assert len(curves) == len(shown.neighbours)
    thick = sorted((float(curve.attrib["stroke-width"]) for curve in curves), reverse=True)
    assert thick[0] == 7
    assert thick[-1] < 2
    assert sum("stroke-dasharray" in curve.attrib for curve in curves) == sum(
        one.weight < 0.3 for one in shown.neighbours
    )
    text = " ".join(root.itertext())
    assert all(one.title.split()[0] in text for one in shown.neighbours)
    boxes = [(float(one.attrib["x"]), float(one.attrib["y"])) for one in root.findall(f"{space}rect")[1:]]
    assert len(boxes) == len(set(boxes))
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    for one in root.findall(f"{space}rect")[1:]:
        assert 0 <= float(one.attrib["x"]) <= width - float(one.attrib["width"])
        assert 0 <= float(one.attrib["y"]) <= height - float(one.attrib["height"])


def test_titles_are_text_in_the_picture(trace: Trace) -> None:
    shown = around(trace, STORE)
    strange = shown.neighbours[0]._replace(title='<script>alert("x")</script>\x1b[31m &amp;')
    root = ET.fromstring(neighbourhood_svg(shown._replace(neighbours=(strange,), title="a < b\x00")))
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")
    assert "<script>" in " ".join(root.itertext())


def test_row_of_a_result_without_words_shows_its_path(trace: Trace) -> None:
    hit = next(hit for hit in trace.hits if hit.file == HANDOVER)
    shown = Knowing().presentation
    assert shown.remark(trace, hit).startswith("from ")
    assert ": " in shown.remark(trace, hit)
    assert shown.remark(trace, hit).endswith("related")
    assert shown.remark(trace, next(hit for hit in trace.hits if hit.file == ROTATION)).startswith("n1")
    bare = replace(hit, file="unknown.md")
    assert shown.remark(trace, bare) == "linked"


def test_row_names_notes_instead_of_their_sections() -> None:
    steps = (
        WayStep("in", "Seed", True, "seed.md"),
        WayStep("related", "Middle › Facts", True, "middle.md"),
        WayStep("in", "Middle", False, "middle.md"),
        WayStep("linked from", "End › Rules", False, "end.md"),
        WayStep("in", "End", False, "end.md"),
    )
    assert stops_of(WalkPath("Seed › Narrative", "seed.md", steps, 0.5)) == ["Seed", "related", "Middle", "linked from"]
    assert stops_of(WalkPath("Seed › Narrative", "seed.md", steps[:1], 0.5)) == ["Seed"]
    assert stops_of(WalkPath("Seed", "seed.md", (), 0.5)) == ["Seed"]


CODE = {
    "src/zoo.py": 'class ZebuQuagga:\n    """Stripes of zebus and quaggas."""\n    def gallop(self): pass\n',
    "src/billing.py": "def round_cents(amount): pass\n",
    "src/double.py": "class MockZoo:\n    def zebu_quagga(self): pass\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path / "shop", CODE)
