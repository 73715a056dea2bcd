"""The files changed by a patch of any origin, or between git revisions, without running a repository's programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from brvtui.corpus.code.commits import DiffError, files_between, files_of_patch
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.git import git as run_git
from tests.corpus.code.making import write

NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PATCH = r"""diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py	2026-11-22 10:00:00
@@ -1,3 +1,2 @@
 kept
--- a/inside.py
-gone
+++ b/inside.py
@@ -9 +8 @@
-x
+y
\ No newline at end of file
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
diff --git a/removed.py b/removed.py
--- a/removed.py
+++ /dev/null
@@ -1 +0,0 @@
-x
--- /dev/null
+++ "b/caf\303\251 \"1\"\t.py"
@@ -0,0 +1 @@
+x
"""


def test_patch_files_come_only_from_its_headers() -> None:
    assert files_of_patch(PATCH) == ["b/src/a.py", "b/new.py", "a/removed.py", 'b/café "1"\t.py']
    assert files_of_patch(PATCH.replace("\n", "\r\n"))[:2] == ["b/src/a.py", "b/new.py\r".strip()]


@pytest.mark.parametrize(
    "text", ["", "no diff\n", "+++ \n", "@@ -1,99999999999 +1,99999999999 @@\n+++ b/x\n", "\0" * 99]
)
def test_text_that_is_not_a_patch_names_no_file(text: str) -> None:
    assert files_of_patch(text) == []


def test_long_patches_are_parsed_quickly() -> None:
    started = time.process_time()
    files_of_patch("+++ b/x\n@@ -1 +1 @@\n" * 100_000 + '+++ "' + "\\" * 300_000 + '"')
    assert time.process_time() - started < 2


def git(root: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(("git", *who, *words), cwd=root, env=environment, check=True, capture_output=True, timeout=30)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = write(tmp_path / "repo", {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n", "other/c.py": "c = 1\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    write(root, {"src/b.py": "b = 2\n", "other/é d.py": "d = 1\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "two")
    return root


@NEEDS_GIT
def test_revisions_are_compared_from_any_subfolder(repository: Path) -> None:
    assert files_between(repository, "HEAD~1..HEAD") == ["other/é d.py", "src/b.py"]
    assert files_between(repository / "src", "HEAD~1...HEAD") == ["b.py"]
    assert files_between(repository, "HEAD..HEAD") == []


@NEEDS_GIT
@pytest.mark.parametrize("revisions", ["HEAD", "none..HEAD", "--output=x..HEAD", "-..", "..", "..a"])
def test_failed_git_comparison_is_reported_in_one_line(repository: Path, revisions: str) -> None:
    with pytest.raises(DiffError) as raised:
        files_between(repository, revisions)
    assert str(raised.value).startswith(f"{revisions}: ")
    assert "\n" not in str(raised.value)
    assert not (repository / "x..HEAD").exists()


@NEEDS_GIT
def test_comparing_revisions_runs_no_configured_program(repository: Path, tmp_path: Path) -> None:
    """Settings and attributes of a repository can name programs, which git would run."""
    for key in ("diff.external", "core.fsmonitor", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean"):
        git(repository, "config", key, f"touch {tmp_path}/ran; false")
    write(repository, {".gitattributes": "* diff=evil filter=evil\n", "src/a.py": "a = 3\n"})
    assert files_between(repository, "HEAD~1..HEAD") == ["other/é d.py", "src/b.py"]
    assert not (tmp_path / "ran").exists()


@NEEDS_GIT
@pytest.mark.parametrize("url", ["file://{source}", "ext::touch {mark}"])
def test_comparing_revisions_of_a_partial_clone_fetches_nothing(repository: Path, tmp_path: Path, url: str) -> None:
    """git would fetch a missing blob from an address, and with a program, that the clone configures."""
    mark, clone = tmp_path / "ran", tmp_path / "clone"
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository}", str(clone))
    pack = tmp_path / "pack"
    pack.write_text(f'#!/bin/sh\ntouch {mark}\nexec git-upload-pack "$@"\n')
    pack.chmod(0o755)
    for key, value in (
        ("remote.origin.url", url.format(source=repository, mark=mark)), ("remote.origin.uploadpack", str(pack)),
        ("protocol.allow", "always"), ("protocol.ext.allow", "always"), ("protocol.file.allow", "always"),
    ):  # fmt: skip
        git(clone, "config", key, value)
    with pytest.raises(RevisionError):
        run_git(clone, "cat-file", "blob", "HEAD:src/b.py", most=1_000)
    assert not mark.exists()
    with suppress(subprocess.CalledProcessError):
        git(clone, "cat-file", "blob", "HEAD:src/b.py")  # shows that the trap works if nothing prevents it
    assert mark.exists()


@NEEDS_GIT
def test_folder_outside_git_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DiffError, match=r"^a\.\.b: there is no git repository here; "):
        files_between(tmp_path, "a..b")


def test_missing_git_is_reported_with_advice_to_give_a_patch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DiffError, match="git is not installed; give the patch itself"):
        files_between(tmp_path, "a..b")
