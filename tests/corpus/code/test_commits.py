"""Commit times of lines, and restrictions of git."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from brvtui.corpus.code import commits
from brvtui.corpus.code.commits import CommitTimes
from brvtui.session import Session
from brvtui.tree.history import git as runner
from brvtui.tree.history import repository as checked
from tests.corpus.code.making import write

NOW = 1.8e9
DAY = 86_400
OLD = "def old_job(): pass\n"


def git(root: Path, *arguments: str, days: float = 0) -> None:
    when = f"{int(NOW - days * DAY)} +0000"
    person = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True, env=os.environ | person | dates
    )


def commit(root: Path, files: dict[str, str], days: float) -> None:
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more", days=days)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    result = tmp_path / "shop"
    result.mkdir()
    git(result, "init", "-q")
    commit(result, {"jobs.py": OLD, "still.py": "def still(): pass\n"}, days=90)
    commit(result, {"jobs.py": OLD + "def month_job(): pass\n"}, days=20)
    commit(result, {"jobs.py": OLD + "def month_job(): pass\ndef week_job(): pass\n"}, days=3)
    commit(
        result, {"jobs.py": "def new_job(): pass\n" + OLD + "def month_job(): pass\ndef week_job(): pass\n"}, days=0.5
    )
    return result


def ages(root: Path, now: float = NOW) -> list[float | None]:
    times = CommitTimes(root)
    times.look(now)
    found = [times.of_line("jobs.py", line, now) for line in range(1, 5)]
    return [None if when is None else round((now - when) / DAY, 3) for when in found]


def test_each_line_has_the_age_of_its_last_commit(root: Path) -> None:
    result = ages(root)
    assert result[0] == 0.5
    assert result[1] is None or result[1] > 30
    assert result[2:] == [20, 3]


@pytest.mark.parametrize("setting", [("i18n.logOutputEncoding", "UTF-16"), ("log.showRoot", "false")])
def test_repository_settings_hide_no_commit_times(tmp_path: Path, setting: tuple[str, str]) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", *setting)
    commit(tmp_path, {"jobs.py": OLD}, days=3)
    assert ages(tmp_path)[0] == 3


def test_uncommitted_lines_are_new_and_moved_lines_keep_their_age(root: Path) -> None:
    text = (root / "jobs.py").read_text()
    (root / "jobs.py").write_text("def draft(): pass\n" + text)
    assert ages(root)[:2] == [0, 0.5]


def test_files_outside_git_have_no_commit_times(root: Path, tmp_path: Path) -> None:
    write(root, {"fresh.py": "def fresh(): pass\n"})
    times = CommitTimes(root)
    times.look(NOW)
    assert times.of_line("fresh.py", 1, NOW) is None
    assert times.of_line("still.py", 1, NOW) is None, "it did not change for 90 days"
    assert times.of_line("../shop/jobs.py", 1, NOW) is None
    assert ages(write(tmp_path / "plain", {"jobs.py": OLD})) == [None] * 4


def test_commit_times_are_missing_if_git_is_not_installed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert ages(root) == [None] * 4


def test_new_commit_is_found_at_the_next_check(root: Path) -> None:
    times = CommitTimes(root)
    times.look(NOW)
    assert times.of_line("still.py", 1, NOW) is None
    commit(root, {"still.py": "def still(): return 1\n"}, days=0)
    times = CommitTimes(root)
    times.look(NOW)
    assert times.of_line("still.py", 1, NOW) == NOW


def test_subfolder_of_a_repository_uses_its_own_paths(root: Path) -> None:
    commit(root, {"inside/part.py": "def part(): pass\n"}, days=2)
    times = CommitTimes(root / "inside")
    times.look(NOW)
    assert times.of_line("part.py", 1, NOW) == NOW - 2 * DAY


def test_reading_commit_times_runs_no_configured_program(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.x.command",
                "core.sshCommand", "gpg.program", "core.pager"):  # fmt: skip
        git(root, "config", key, f"touch {mark}")
    git(root, "config", "log.showSignature", "true")
    write(root, {".gitattributes": "* filter=x diff=x\n"})
    assert ages(root)[0] == 0.5
    assert not mark.exists()


def test_reading_commit_times_ends_after_a_time_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "_SECONDS", -1.0)
    assert ages(root) == [None] * 4


@pytest.mark.parametrize("hostile", ["", "author-time x\n\ta", "a b c\n\tq", "0" * 40 + " 1 1\nauthor-time -5\n\tb"])
def test_invalid_git_output_means_a_time_long_ago(hostile: str) -> None:
    assert all(when == 0.0 for _, when in commits._committed(hostile))


def test_commit_recency_is_a_part_of_the_score(root: Path) -> None:
    session = Session.open(now_ms=NOW * 1000, repository=root)
    session.load()
    hits = {hit.title: hit for hit in session.preview("run the job").hits}
    messages = {title: [part.value for part in hit.parts if part.name == "change"] for title, hit in hits.items()}
    assert messages == {"new_job": [0.05], "week_job": [0.03], "month_job": [0.01], "old_job": []}
    for hit in hits.values():
        assert hit.score == pytest.approx(sum(part.value for part in hit.parts), abs=1e-9)


def test_git_that_hangs_is_called_only_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_PATIENCE_S", 0.5)
    git(root, "config", "include.path", str(root / "pipe"))
    os.mkfifo(root / "pipe")
    times = CommitTimes(root)
    times.look(NOW)
    assert times.problem.startswith("commit times are not used: git log took more than 0.5 seconds; is a file ")
    monkeypatch.setattr(runner, "_PATIENCE_S", 60.0)
    began = time.monotonic()
    times.look(NOW)
    assert time.monotonic() - began < 5
    assert times.of_line("jobs.py", 1, NOW) is None


@pytest.mark.parametrize("name", ["alternates", "http-alternates"])
def test_commit_times_return_after_the_repository_is_repaired(root: Path, name: str) -> None:
    borrowed = root / ".git" / "objects" / "info" / name
    borrowed.write_text("/elsewhere\n")
    checked._checked.cache_clear()
    times = CommitTimes(root)
    times.look(NOW)
    assert "uses objects from another repository" in times.problem
    borrowed.unlink()
    checked._checked.cache_clear()
    times.look(NOW)
    assert times.problem == ""
    assert times.of_line("jobs.py", 1, NOW) is not None
