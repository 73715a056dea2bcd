"""``brv-tui code`` lists the code relevant to a task, and the notes that mention it."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brvtui.app.project.opening import Opening
from brvtui.tree.history import git as runner
from tests.cli.conftest import Run
from tests.corpus.code.making import write
from tests.support.trees import Tree

FILES = {
    "src/tokens.py": "class TokenStore:\n    def rotate(self): self.revoke()\n    def revoke(self): pass\n",
    "src/web.py": "from tokens import TokenStore\ndef refresh():\n    TokenStore.rotate()\n",
    "src/billing.py": "def round_cents(): pass\n",
    "broken.py": "def x(:\n",
}


ONE_OF = "pass a task, --files with file names, or --diff with revisions; only --without-note needs none of these"
PATCH = "--- a/src/tokens.py\n+++ b/src/tokens.py\n@@ -1 +1 @@\n-x\n+y\n--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-x\n+y\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path / "shop", FILES)


def test_symbols_for_a_task_are_listed_with_reasons(run: Run, repository: Path) -> None:
    code, out, err = run("code", "rotate the TokenStore", "--repo", str(repository), inside=False)
    assert code == 0
    assert "TokenStore  (type, src/tokens.py:1)" in out
    assert "rotate  (method, src/tokens.py:2)" in out
    assert "found by name (place " in out
    assert err == "brv-tui: broken.py: it has syntax errors; only its valid parts are read\n"


@pytest.mark.parametrize("form", ["text", "json"])
def test_git_that_hangs_is_reported(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    subprocess.run(["git", "-C", str(repository), "config", "include.path", str(repository / "pipe")], check=True)
    os.mkfifo(repository / "pipe")
    monkeypatch.setattr(runner, "_PATIENCE_S", 2)
    code, _, err = run("code", "rotate the TokenStore", "--repo", str(repository), "--format", form, inside=False)
    assert code == 0
    assert "brv-tui: commit times are not used: git log took more than 2 seconds; is a file in .git," in err


def test_help_explains_the_exit_code_of_an_empty_answer(run: Run, repository: Path) -> None:
    assert run("code", "zzzqqq", "--repo", str(repository), inside=False)[0] == 1
    assert "The exit code is 1 if the answer is empty" in " ".join(run("code", "--help", inside=False)[1].split())


def test_cache_command_shows_and_removes_the_code_index(run: Run, repository: Path) -> None:
    where = ("--repo", str(repository))
    assert "nothing is saved yet" in run("cache", "info", *where, inside=False)[1]
    run("code", "rotate tokens", *where, inside=False)
    assert re.search(r"code\.json\.gz: [\d.]+ kB\n", run("cache", "info", *where, inside=False)[1])
    assert re.fullmatch(r"removed [\d.]+ kB\n", run("cache", "clear", *where, inside=False)[1])
    assert "nothing was stored" in run("cache", "clear", *where, inside=False)[1]


def test_symbols_found_by_the_walk_show_their_path(run: Run, repository: Path) -> None:
    _, out, _ = run("code", "refresh", "--repo", str(repository), inside=False)
    assert "reached over web.py.refresh calls → tokens.py.TokenStore.rotate" in out


def test_agent_formats_contain_the_found_symbols(run: Run, repository: Path) -> None:
    for form, begins in (("json", "{"), ("xml", "<context"), ("markdown", "# Context")):
        code, out, _ = run("code", "rotate tokens", "--repo", str(repository), "--format", form, inside=False)
        assert code == 0
        assert out.startswith(begins)
        assert "src/tokens.py.TokenStore.rotate" in out


def test_symbols_fit_into_the_token_budget(run: Run, repository: Path) -> None:
    arguments = ("code", "rotate tokens", "--repo", str(repository), "--format", "json", "--budget", "30")
    held = json.loads(run(*arguments, inside=False)[1])
    assert held["symbols"]
    assert held["tokens_used"] <= 30


def test_notes_that_mention_a_symbol_are_shown_with_it(run: Run, project: Tree, repository: Path) -> None:
    project.note("auth/jwt/code.md", "Where it is", "`TokenStore.rotate` is called by src/web.py.", 1)
    _, out, _ = run("code", "rotate", "--repo", str(repository), "--project", str(project.root), inside=False)
    assert out.endswith("this code:\nauth/jwt/code.md mentions TokenStore.rotate, src/web.py: #1, #4\n")
    project.note("auth/jwt/code.md", "Where it is", "See `TokenStore.rotate`.", 1)
    _, out, _ = run("code", "rotate", "--repo", str(repository), "--project", str(project.root), inside=False)
    assert out.endswith("mentions TokenStore.rotate: #1\n\n1 of its files has no note:\nsrc/web.py\n")


def test_repository_with_an_empty_brv_folder_can_be_queried(run: Run, repository: Path) -> None:
    (repository / ".brv").mkdir()
    code, out, err = run("code", "rotate", "--repo", str(repository), inside=False)
    assert (code, "TokenStore" in out) == (0, True)
    assert "brv-tui: answering without notes: " in err
    assert run("code", "rotate", "--repo", str(repository), "--project", "nowhere", inside=False)[0] == 3


def test_path_through_a_note_shows_both_edge_directions(run: Run, project: Tree, repository: Path) -> None:
    project.note("auth/jwt/code.md", "Why", "`TokenStore.rotate` is called by `refresh`, never by `round_cents`.", 1)
    _, out, _ = run("code", "rotate", "--repo", str(repository), "--project", str(project.root), inside=False)
    assert "reached over tokens.py.TokenStore.rotate ← documents code.md documents → billing.py.round_cents\n" in out


def test_explain_command_gives_the_reason_for_a_symbols_presence_or_absence(run: Run, repository: Path) -> None:
    arguments = ("code", "rotate", "--repo", str(repository), "--why")
    code, out, _ = run(*arguments, "TokenStore.rotate", inside=False)
    assert code == 0
    assert "TokenStore.rotate  (method): rank 1 of 4" in out
    assert "  found by     name (exact), a seed of the walk" in out
    parts = [float(text.split()[-1]) for text in out.splitlines() if re.search(r" [+-]\d\.\d{4}$", text)]
    assert sum(parts) == pytest.approx(float(out.split()[-1]), abs=1e-3)
    code, out, _ = run(*arguments, "round_cents", inside=False)
    assert (code, "round_cents  (function): not among the 4 ranked symbols" in out) == (1, True)
    assert run(*arguments, "no_such", inside=False)[::2] == (
        3, "brv-tui: broken.py: it has syntax errors; only its valid parts are read\n"
        "brv-tui: no symbol in this code has no_such in its name\n",
    )  # fmt: skip
    assert run(*arguments, "rotate", "--notes", inside=False)[0] == 2


@pytest.mark.parametrize("sign", ["\x1b]0;title\x07", "\x1b[31m", "\u202e", "\x9b2J", "\r"])
def test_symbol_names_are_printed_without_escapes(run: Run, repository: Path, sign: str) -> None:
    """The repository's folder is part of each symbol's name.

    Files whose names contain escapes are reported, not read.
    """
    folder = repository.rename(repository.parent / f"sh{sign}op")
    write(folder, {f"src/a{sign}b.py": "def rotate_all(): pass\n"})
    arguments = ("code", "rotate", "--repo", str(folder))
    for more, code in (((), 0), (("--why", "TokenStore.rotate"), 0), (("--why", f"none{sign}"), 3)):
        result, out, err = run(*arguments, *more, inside=False)
        assert result == code
        assert "its name has unprintable characters" in err
        assert sign not in (out + err).replace("\r\n", "\n")


def test_explanation_of_a_symbol_found_by_text_names_the_reason(run: Run, repository: Path) -> None:
    fields = "".join(f"class Field{number}:\n    def form(self):\n        pass\n\n\n" for number in range(20))
    (repository / "src" / "fields.py").write_text(fields, encoding="utf-8")
    body = 'def read_all(stream):\n    """Parse the body of a form."""\n'
    (repository / "src" / "intake.py").write_text(body, encoding="utf-8")
    _, out, _ = run("code", "parse the form body", "--repo", str(repository), "--why", "read_all", inside=False)
    assert re.search(
        r"  found by     text only; not a seed: (candidate \d+ of \d+, after the candidates in|below the \d+ cand)", out
    ), out


def test_files_without_a_note_are_listed(run: Run, project: Tree, repository: Path) -> None:
    project.note("auth/jwt/code.md", "Where it is", "`TokenStore.rotate` is called by src/web.py.", 1)
    arguments = ("--without-note", "--repo", str(repository), "--project", str(project.root))
    assert run("code", *arguments, inside=False)[:2] == (0, "broken.py\nsrc/billing.py\n")


def test_files_include_their_symbols_and_callers(run: Run, repository: Path) -> None:
    code, out, err = run("code", "--files", "tokens.py", "nothing.py", "--repo", str(repository), inside=False)
    assert code == 0
    assert "rotate  (method, src/tokens.py:2)\n    in these files, with 1 call to it" in out
    assert "refresh  (function, src/web.py:2)\n    it uses them: web.py.refresh calls → tokens.py.TokenStore" in out
    assert "round_cents" not in out
    assert "brv-tui: no single source file in the repository matches: nothing.py\n" in err
    missing = run("code", "--files", "nothing.py", "--repo", str(repository), inside=False)
    assert missing[:2] == (3, "")
    assert missing[2].endswith("brv-tui: none of these files is a source file that brv-tui reads in this repository\n")


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_patch_includes_the_symbols_it_touches(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, PATCH)
    code, out, err = run("code", "--diff", "-", "--repo", str(repository), inside=False)
    assert code == 0
    assert "of 8000 tokens" in out
    assert "rotate  (method, src/tokens.py:2)\n    in the changed files" in out
    assert "refresh  (function, src/web.py:2)\n    reached over tokens.py.TokenStore" in out
    assert "no single source file in the repository matches: b/x.md\n" in err
    feed(monkeypatch, PATCH.replace("src/tokens.py", "gone.py"))
    code, out, _ = run("code", "--diff", "-", "--repo", str(repository), inside=False)
    assert (code, out) == (1, "none of these files contains a symbol that fits into the budget\n")
    feed(monkeypatch, "no patch")
    code, _, err = run("code", "--diff", "-", "--repo", str(repository), inside=False)
    assert (code, err) == (
        2,
        "brv-tui: there is no patch on standard input: pipe the output of git diff into brv-tui\n",
    )


def test_notes_about_touched_code_are_listed(
    run: Run, project: Tree, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.note("auth/jwt/code.md", "Where it is", "`TokenStore.rotate` is called by src/web.py.", 1)
    project.note("auth/jwt/all.md", "All", "See src/tokens.py and `round_cents`.", 1)
    feed(monkeypatch, PATCH)
    arguments = ("--repo", str(repository), "--project", str(project.root))
    code, out, _ = run("code", "--diff", "-", "--notes", *arguments, inside=False)
    assert code == 0
    assert out.splitlines() == [
        "auth/jwt/all.md mentions src/tokens.py: #1, #2, #3",
        "auth/jwt/code.md mentions TokenStore.rotate, src/web.py: #1, #4",
    ]
    code, out, err = run("code", "round cents", "--without-note", *arguments, inside=False)
    assert (code, out, err.splitlines()[-1]) == (1, "", "every file in the answer is mentioned in a note")
    code, out, _ = run("code", "round cents", "--without-note", "--repo", str(repository), inside=False)
    assert (code, out) == (0, "src/billing.py\n")
    code, out, _ = run("code", "round cents", "--notes", "--repo", str(repository), inside=False)
    assert (code, out) == (1, "no note mentions this code (1 symbol)\n")


def test_without_note_option_reports_missing_source_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "readme.txt").write_text("no source")
    code, out, err = run("code", "--without-note", "--repo", str(tmp_path / "notes"), inside=False)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == "no source file was read, so no note can mention one"


def test_first_run_shows_progress_only_on_a_terminal(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {f"src/m{n}.py": "x = 1\n" for n in range(60)})
    monkeypatch.setattr("brvtui.cli.code._is_watched", lambda: True)
    arguments = ("code", "rotate tokens", "--repo", str(repository))
    err = run(*arguments, inside=False)[2]
    assert err.startswith("\rreading the code: 50 of 64 files")
    assert "reading the code" not in run(*arguments, inside=False)[2], "nothing is read anew"
    monkeypatch.undo()


def test_second_run_parses_only_changed_files(run: Run, repository: Path) -> None:
    arguments = ("code", "rotate tokens", "--repo", str(repository))
    first = run(*arguments, inside=False)
    kept = next((repository.parent / "cache").rglob("code.json.gz"))

    def written() -> tuple[int, ...]:  # everything except the access time, which a second run changes
        now = kept.stat()
        owner = (now.st_mode, now.st_uid, now.st_gid, now.st_nlink)
        return (*owner, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)

    before = written()
    assert run(*arguments, inside=False) == first
    assert written() == before
    write(repository, {"src/more.py": "def rotate_all_tokens(): pass\n"})
    assert "rotate_all_tokens" in run(*arguments, inside=False)[1]
    assert written() != before


def test_edit_that_keeps_size_and_modification_time_is_read(run: Run, repository: Path) -> None:
    file = write(repository, {"src/edited.py": "def alpha_one(): pass\n"}) / "src/edited.py"
    where = ("--repo", str(repository))
    for command in ("code", "query", "find"):
        assert "alpha_one" in run(command, "alpha_one", *where, inside=False)[1]
    before = file.stat()
    with file.open("r+") as opened:
        opened.write("def gamma_two(): pass\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    for command in ("code", "query", "find"):
        assert "gamma_two" in run(command, "gamma_two", *where, inside=False)[1]
        code, out, _ = run(command, "alpha_one", *where, inside=False)
        assert (code, "edited.py" in out) == (1, False)


def test_unwritable_cache_is_reported(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.parent / "file").write_text("")
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(repository.parent / "file"))
    code, out, err = run("code", "rotate tokens", "--repo", str(repository), inside=False)
    assert (code, "TokenStore" in out) == (0, True)
    assert "the index of the code could not be stored: " in err


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("code",), 2, ONE_OF),
        (("code", "--notes"), 2, ONE_OF),
        (("code", "x", "--diff", "a..b"), 2, ONE_OF),
        (("code", "--diff", "a..b", "--files"), 2, "list the files after --files"),
        (("code", "--files", "--without-note"), 2, ONE_OF),
        (("code", "x", "--notes", "--without-note"), 2, "use only one of --why, --notes and --without-note"),
        (
            ("code", "x", "--notes", "--format", "xml"),
            2,
            "--why, --notes and --without-note print plain text: leave out --format",
        ),
        (("code", "--diff", "a..b", "--repo", "nowhere"), 3, "nowhere: no such folder; choose one with --repo"),
        (("code", "x", "--repo", "nowhere"), 3, "nowhere: no such folder; choose one with --repo"),
    ],
)
def test_unsupported_options_are_refused_in_one_line(
    run: Run, arguments: tuple[str, ...], code: int, line: str
) -> None:
    assert run(*arguments, inside=False) == (code, "", f"brv-tui: {line}\n")


def test_task_without_results_is_a_negative_answer(run: Run, repository: Path) -> None:
    code, out, _ = run("code", "zzzz", "--repo", str(repository), inside=False)
    assert code == 1
    assert out.startswith("no symbol matches this task")


def test_empty_repository_gives_a_negative_answer(run: Run, repository: Path) -> None:
    shutil.rmtree(repository)
    repository.mkdir()
    assert run("code", "rotate", "--repo", str(repository), inside=False)[0] == 1


def test_query_and_show_commands_accept_code(run: Run, repository: Path, tmp_path: Path) -> None:
    saved = tmp_path / "trace.json"
    arguments = ("rotate the TokenStore", "--repo", str(repository))
    code, out, _ = run("query", *arguments, "--save", str(saved), inside=False)
    assert code == 0
    assert "src/tokens.py/TokenStore" in out
    assert run("show", str(saved), inside=False, now=False)[0] == 0
    _, out, _ = run("explain", arguments[0], "src/billing.py/round_cents", *arguments[1:], inside=False)
    assert "no channel found it" in out


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("--engine", "byterover"), 2, "over code, only knowing answers: leave out --engine"),
        (("--project", "."), 2, "use either --project or --repo"),
    ],
)
def test_note_commands_without_code_support_are_refused(
    run: Run, repository: Path, arguments: tuple[str, ...], code: int, line: str
) -> None:
    found = run("query", "x", "--repo", str(repository), *arguments, inside=False)
    assert found == (code, "", f"brv-tui: {line}\n")


def test_app_opens_a_repository(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Opening] = []
    monkeypatch.setattr("brvtui.app.run", lambda opening: opened.append(opening) or 0)
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    run("--repo", str(repository), inside=False)
    run("--corpus", "code", str(repository), inside=False)
    run("--corpus", "code", inside=False)
    assert [opening.start for opening in opened] == [None, repository, None]
    assert [opening.repository for opening in opened] == [repository, repository, Path()]
    assert run("open", str(repository), "--repo", ".", inside=False)[::2] == (
        2, "brv-tui: use either a project or --repo\n",
    )  # fmt: skip
