"""An engine from another package, found through its entry point, works everywhere without further changes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.project import Opening
from brvtui.engines import registry
from brvtui.engines.presentation import Presentation
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.hits import ResultRow, near_miss_lines
from brvtui.saved.traces import read
from brvtui.trace import Kind, NearMiss, Scale
from brvtui.typed_tables import ProfileError
from tests.app.driving import HUGE, ask, settled, until
from tests.app.looking import shown, text_of, view
from tests.cli.conftest import Run
from tests.engines.toy import Counted, Rules
from tests.support.engine_packages import declared
from tests.support.trees import NOW_MS, Tree

TOY = ("--engine", "toy")
_ROOT = Path(__file__).parents[2]
_SOURCE = (_ROOT / "tests/engines/toy.py").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The metadata of the engine's package, as if it were installed."""
    with declared(tmp_path, monkeypatch, "toy", "tests.engines.toy:Toy"):
        yield


def test_external_engine_is_listed_after_built_in_ones() -> None:
    ours, first = registry.names(), len(registry._FIRST)
    assert (ours[:first], "toy" in ours) == (registry._FIRST, True)


def test_built_in_engines_are_declared_and_listed_first() -> None:
    points = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]["entry-points"][registry.GROUP]
    folders = {file.parent.name for file in (_ROOT / "brvtui").glob("engines/*/engine.py")}
    assert {point.split(".engine:")[0] for point in points.values()} == {f"brvtui.engines.{name}" for name in folders}
    assert points.keys() == folders >= set(registry._FIRST)


def test_external_engine_cannot_replace_a_built_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with declared(tmp_path / "other", monkeypatch, "soleri", "tests.engines.toy:Toy"):
        assert type(registry.load("soleri")).__module__ == "brvtui.engines.soleri.engine"


def test_engine_that_cannot_be_loaded_is_reported_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.engines.toy.Toy.__init__", lambda self: 1 / 0)
    code, _, err = run("query", "refresh", *TOY)
    assert (code, err.count("\n"), "the engine toy cannot be loaded" in err) == (2, 1, True)


def test_text_output_gives_the_reason_and_lists_the_notes(run: Run) -> None:
    code, out, _ = run("query", "refresh token", *TOY)
    assert code == 0
    said = " ".join(out.split())
    assert said.startswith("TOY “Refresh rotation” is the only result, with 0.75."), said[:80]
    assert "auth/jwt/rotation.md" in out
    assert run("query", "sandwich", *TOY)[0] == 1


def test_json_contains_the_section_of_the_engine(run: Run) -> None:
    trace = json.loads(run("query", "refresh token", *TOY, "--format", "json")[1])["trace"]
    assert (trace["engine"], trace["sections"]) == ("toy", {"counted": {"words": ["refresh", "token"]}})


def test_unknown_engine_option_is_refused(run: Run) -> None:
    code, _, err = run("query", "refresh", *TOY, "--top-k", "3")
    assert (code, "toy has no option top_k" in err) == (2, True)


def test_unreadable_constants_are_reported_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def constants(engine: object, profile: str = "") -> Rules:
        raise ProfileError("plain.toml: least is missing")

    monkeypatch.setattr("tests.engines.toy.Toy.constants", constants)
    code, _, err = run("query", "refresh", *TOY)
    assert (code, err.splitlines()[-1]) == (2, "brv-tui: plain.toml: least is missing")


def test_profile_option_selects_a_profile_of_the_engine(run: Run) -> None:
    for profile, found in (("plain", 1), ("strict", 0)):
        code, out, _ = run("query", "refresh token", *TOY, "--profile", profile, "--format", "json")
        trace = json.loads(out)["trace"]
        assert (code, trace["profile"], trace["total_found"]) == (1 - found, profile, found)
    code, _, err = run("query", "refresh", *TOY, "--profile", "docs")
    assert (code, err.splitlines()[-1]) == (2, "brv-tui: no profile docs of Toy: use plain, strict")


def test_profile_setting_selects_a_profile_of_the_engine(run: Run, project: Tree) -> None:
    project.settings('engine = "toy"\nprofile = "strict"\n')
    assert json.loads(run("query", "refresh", "--format", "json")[1])["trace"]["profile"] == "strict"
    project.settings('profile = "docs"\n')  # this profile is used only for reading the tree
    assert json.loads(run("query", "refresh", *TOY, "--format", "json")[1])["trace"]["profile"] == "plain"
    assert json.loads(run("query", "refresh", "--format", "json")[1])["trace"]["profile"] == "docs"


def test_option_declared_by_the_engine_is_accepted(run: Run) -> None:
    for command in (("query", "refresh token"), ("explain", "refresh token", "auth/jwt/rotation.md")):
        assert run(*command, *TOY, "-o", "whole=true", "--format", "json")[0] == 0
        code, _, err = run(*command, *TOY, "--option", "half=1")
        assert (code, "toy has no option half" in err) == (2, True)
    code, out, _ = run("query", "token refresh", *TOY, "-o", "whole=true", "--format", "json")
    assert (code, json.loads(out)["trace"]["options"]) == (1, {"whole": True})
    assert run("query", "refresh", *TOY, "-o", "whole")[0] == 2
    assert run("ask", "token refresh", *TOY, "-o", "whole=true")[0] == 1


def test_explain_command_gives_reasons_for_presence_and_absence(run: Run) -> None:
    code, out, _ = run("explain", "refresh token", "auth/jwt/rotation.md", *TOY)
    assert (code, "sum" in out) == (0, True)
    code, out, _ = run("explain", "refresh token", "deploy/rollback.md", *TOY)
    assert (code, "no word" in out) == (1, True)


def test_replay_command_runs_an_external_engine(run: Run, tmp_path: Path) -> None:
    listed = tmp_path / "listed.json"
    listed.write_text('["refresh token", "sandwich"]')
    lines = [json.loads(line) for line in run("replay", "--queries", str(listed), *TOY)[1].splitlines()]
    assert [line["covered"] for line in lines] == [True, False]
    steps = tmp_path / "steps.json"
    steps.write_text('[{"query": "refresh token"}, {"query": "cents", "wait": 60}]')
    lines = [json.loads(line) for line in run("replay", "--sequence", str(steps), *TOY)[1].splitlines()]
    assert [line["results"][0]["path"] for line in lines] == ["auth/jwt/rotation.md", "billing/invoices/rounding.md"]


def test_trace_is_saved_and_read_again(run: Run, tmp_path: Path) -> None:
    file, shown = tmp_path / "kept.json", tmp_path / "kept.md"
    assert run("query", "refresh token", *TOY, "--save", str(file), "--save", str(shown))[0] == 0
    assert "is the only result" in shown.read_text()
    saved = read(file)
    trace = saved.trace
    assert saved.detail.keys() == {hit.file for hit in trace.hits}
    assert (trace.engine, trace.section(Counted).words) == ("toy", ("refresh", "token"))


def test_external_engine_run_is_logged(project: Tree) -> None:
    session = project.session()
    trace = session.run("refresh token", engine="toy")
    session.logbook.add(trace, NOW_MS, 1.0)
    (entry, *_) = session.logbook.read(9)
    assert (entry.query, entry.engine, entry.paths[0]) == ("refresh token", "toy", "auth/jwt/rotation.md")
    assert session.explainer.compare_logged(entry).differences == ()


def test_engine_provides_the_wording_of_near_misses() -> None:
    missed = NearMiss("a.md", "a.md", "A", Kind.CONTEXT, "", 4, 0.5, "behind the others by a word", 0.25)
    row = ResultRow("A", "", Presentation().lack(missed, UNICODE)[1], "")
    assert "−0.250" in near_miss_lines(missed, row, Scale(), 60, UNICODE)[0].plain
    shown = registry.presentation("jeffs_brain").lack(replace(missed, short=3), UNICODE)[1]
    assert shown == "rank 4"


async def test_every_pane_shows_an_external_engine(project: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_PANES", "all")
    project.settings('engine = "toy"\n')
    app = BrvTui(Opening(project.root, None, NOW_MS))
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token")
        await settled(pilot)
        assert re.search(r"TOY +“.+” is (first of \d|the only result)", shown(pilot))
        for pane, text in (
            ("#results", "Refresh rotation"),
            ("#score", "sum ✓"),
            ("#route", "least score"),
            ("#answer", "Toy only retrieves"),
            ("#cache", "does not cache answers"),
        ):
            assert text in text_of(pilot, pane), pane
        await pilot.press("escape", "p")
        await until(pilot, lambda: view(pilot).engine.profile == "strict")
        await until(pilot, lambda: "Refresh rotation" not in text_of(pilot, "#results"))
        await pilot.press("p")
        await until(pilot, lambda: "Refresh rotation" in text_of(pilot, "#results"))
        await pilot.press("w")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        assert view(pilot).answer.trace.engine == "toy"  # type: ignore[union-attr]


_PIECES = ("detail", "why", "constants", "modes", "presentation")


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """mypy's messages about the whole engine, and about the engine without each member, keyed by the member's name."""
    folder = tmp_path_factory.mktemp("checked")
    for missing in ("", *_PIECES):
        pattern = rf"^    (def )?{missing}(?=[(:= ])"
        source = re.sub(pattern, r"    \1another", _SOURCE, flags=re.MULTILINE) if missing else _SOURCE
        wanted = "from brvtui.engines.contract import Engine\nENGINE: Engine[Rules] = Toy()\n"
        (folder / f"toy_{missing}.py").write_text(f"{source}\n{wanted}")
    files = sorted(str(file) for file in folder.iterdir())
    kept = str(_ROOT / ".mypy_cache")
    mypy = [sys.executable, "-m", "mypy"]  # in a separate process, since mypy raises Python's recursion limit
    ran = subprocess.run(
        [*mypy, *files, "--strict", "--cache-dir", kept, "--no-error-summary"],
        capture_output=True, text=True, check=False, cwd=_ROOT,
    )  # fmt: skip
    assert not ran.stderr
    said = dict.fromkeys(("", *_PIECES), "")
    for line in ran.stdout.splitlines():
        place, _, text = line.partition(": ")
        said[Path(place.partition(":")[0]).stem.removeprefix("toy_")] += f"{text}\n"
    return said


@pytest.mark.parametrize("missing", _PIECES)
def test_type_checker_reports_a_missing_engine_member(checked: dict[str, str], missing: str) -> None:
    found = rf'"Toy" is missing following "Engine" protocol member:\nnote: +{missing}$'
    assert re.search(found, checked[missing].rstrip())


def test_type_checker_accepts_a_complete_engine(checked: dict[str, str]) -> None:
    assert checked[""] == ""
