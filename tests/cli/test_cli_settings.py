"""``config``, and reports of unusable settings by other commands."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from brvtui.config import layers, user_file
from brvtui.config.schema import entries
from brvtui.wording import MOST_PROBLEMS
from tests.cli.conftest import Run
from tests.support.settings import own
from tests.support.trees import Tree


@pytest.fixture(autouse=True)
def mine() -> None:
    own('history = 7\n[keys]\n"app.theme" = "ctrl+t"\n')


def test_space_engine_is_refused_without_a_space(run: Run, project: Tree) -> None:
    own('engine = "byterover_v4"\n')
    code, out, error = run("config", "--project", str(project.root), inside=False)
    row = next(line for line in out.splitlines() if line.startswith("engine "))
    assert (code, "cannot be used" in row) == (2, True)
    assert "engine = byterover_v4 needs a space, but there is none" in error


def test_config_command_shows_values_and_their_sources(run: Run, project: Tree) -> None:
    (project.root / ".brv" / "brv-tui.toml").write_text('[profile]\nextends = "docs"\n')
    code, out, err = run("config", "--project", str(project.root), inside=False)
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in out.splitlines() if len(line.split()) > 1}
    assert (code, err) == (0, "")
    assert set(entries()) - {"keys"} <= set(lines)
    assert lines["history"].split() == ["7", "user's", "file"]
    assert lines["profile"].split() == ["a", "table", "based", "on", "docs", "project's", "file"]
    assert lines['keys."app.theme"'].split() == ["ctrl+t", "user's", "file"]
    assert lines["watch"].split() == ["true", "default"]


def test_config_command_runs_without_a_project(run: Run, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    code, out, _ = run("config", "--format", "json", inside=False)
    answer = json.loads(out)
    assert code == 0
    assert answer["project_file"] is None
    assert {"name": "history", "value": 7, "default": 500, "layer": "user", "place": str(user_file())} in answer[
        "settings"
    ]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:SECRET@host.example/v1", "https://…@host.example/v1"),
        ("https://host.example/v1?api_key=SECRET", "https://host.example/v1?…"),
        ("https://host.example/v1#SECRET", "https://host.example/v1?…"),
        ("https://me:a?SECRET@host.example", "https://…"),
        ("https://host.example?mail=a@b&key=SECRET", "https://…"),
        ("me:SECRET@host.example", "…@host.example"),
    ],
)
def test_config_command_masks_secrets_in_addresses(
    run: Run, project: Tree, form: str, address: str, shown: str
) -> None:
    own(f'[llm]\nurl = "{address}"\n[services.reranker]\nurl = "{address}"\n')
    _, out, err = run("config", "--project", str(project.root), "--format", form, inside=False)
    assert "SECRET" not in out + err
    assert out.count(shown) == 2


def test_config_command_cuts_long_values(run: Run, project: Tree) -> None:
    (project.root / ".brv" / "brv-tui.toml").write_text(f'theme = "{"x" * 900_000}"\n')
    own(f'[keys]\n"app.theme" = "{"y" * 400_000}"\n')
    code, out, err = run("config", "--project", str(project.root), inside=False)
    assert (code, "x" * 900 in out, len(out) + len(err) < 100_000) == (2, True, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_profile_that_is_not_a_regular_file_is_reported_as_such(run: Run, project: Tree) -> None:
    os.mkfifo(project.root / ".brv" / "pipe.toml")
    for name in ("pipe.toml", "context-tree"):
        (project.root / ".brv" / "brv-tui.toml").write_text(f'profile = "{name}"\n')
        assert f"profile = '{name}': it is not a regular file; use" in run("query", "x")[2]
        assert "it is not a regular file: use" in run("query", "x", "--profile", str(project.root / ".brv" / name))[2]


def test_config_command_reports_an_unknown_profile_and_engine(run: Run) -> None:
    own('profile = "doc"\nengine = "soler"\n')
    code, _, err = run("config", inside=False)
    assert code == 2
    assert "profile = 'doc': no such file; use brv-3, docs, combined or the path of a file; did you mean docs?" in err
    assert "no engine soler; did you mean soleri?" in err
    own('profile = "soleri"\nengine = "soleri"\n')
    assert run("config", inside=False)[0] == 0


def test_config_command_refuses_a_missing_project(run: Run) -> None:
    code, _, err = run("config", "--project", "/nowhere/at/all", inside=False)
    assert code == 3
    assert "no such folder" in err


def test_config_command_prints_a_file_with_all_defaults(run: Run) -> None:
    code, out, _ = run("config", "--print", inside=False)
    assert code == 0
    assert tomllib.loads(out)["history"] == 500
    assert json.loads(run("config", "--print", "--format", "json", inside=False)[1]) == tomllib.loads(out)


def test_unusable_settings_end_every_command_with_code_2(run: Run) -> None:
    own("thme = 1\nhistory = 'x'\n")
    code, out, err = run("config", inside=False)
    assert code == 2
    assert "unknown key thme; did you mean theme?" in err
    assert "history = 'x' must be a whole number from 0 to 10000" in err
    assert "brv-dark" in out
    for command in (("query", "refresh"), ("explain", "refresh", "rotation"), ("replay", "--queries", "none.json")):
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert err == f"brv-tui: {user_file()}: unknown key thme; did you mean theme?\n"


@pytest.mark.parametrize(
    "text",
    ['[keys]\n"panes.results" = ""', '[keys]\nquit = "Q"', 'watch = "maybe"', "theme = 3", "[editor]\ncommand = 1"],
)
def test_faulty_app_settings_do_not_stop_other_commands(run: Run, text: str) -> None:
    own(f"{text}\n")
    assert run("query", "refresh")[::2] == (0, "")
    code, _, err = run("config", inside=False)
    assert (code, err.count("; ignored\n")) == (2, 1)
    assert run("keys", inside=False)[2].count("; ignored\n") == text.count("[keys]")


def test_config_command_names_the_faulty_file_and_the_valid_keys(run: Run, project: Tree) -> None:
    own(
        '[signals]\nfrontmatter = "maybe"\n[keys]\n"results.nxt" = "ctrl+j"\n"results.why" = "y"\n"app.theme" = "f13"\n'
    )
    (project.root / ".brv" / "brv-tui.toml").write_text("[signals]\nfrontmatter = true\n")
    out = run("config", "--project", str(project.root), inside=False)[1]
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in out.splitlines() if len(line.split()) > 1}
    assert lines["signals.frontmatter"].endswith("project's file; ignored: user's file")
    assert lines['keys."results.nxt"'].endswith("user's file: cannot be used")
    assert lines['keys."results.why"'].endswith("user's file: cannot be used")
    assert lines['keys."app.theme"'].endswith("user's file")


@pytest.mark.parametrize("text", ["histroy = 20", '[signals]\nfrontmatter = "maybe"', "junk"])
def test_config_command_reports_settings_refused_by_other_commands(run: Run, text: str) -> None:
    own(f"{text}\n")
    (line,) = run("config", inside=False)[2].splitlines()
    message = line.removesuffix("; ignored here, but commands such as query refuse it")
    assert message != line
    assert run("query", "refresh") == (2, "", f"{message}\n")


def test_engine_that_is_not_installed_is_reported(run: Run) -> None:
    own('engine = "jefs_brain"\n')
    code, _, err = run("query", "refresh")
    assert code == 2
    assert "no engine jefs_brain; did you mean jeffs_brain?" in err


def test_configured_engine_answers_the_query(run: Run) -> None:
    own('engine = "jeffs_brain"\n')
    assert json.loads(run("query", "refresh", "--format", "json")[1])["engine"] == "jeffs_brain"
    assert "pipeline" not in json.loads(run("query", "refresh", "--format", "json", "--engine", "byterover")[1])


@pytest.mark.parametrize(
    ("engine", "profile"), [("soleri", "soleri-code"), ("soleri", "docs"), ("byterover", "soleri-code")]
)
def test_commands_ignore_a_profile_for_another_engine(run: Run, engine: str, profile: str) -> None:
    own(f'engine = "{engine}"\nprofile = "{profile}"\n')
    for command in (("query", "refresh"), ("maturity",), ("migrate", "--dry-run", "refresh")):
        code, _, err = run(*command)
        assert (code < 2, err) == (True, ""), command
    for asked in ("byterover", "soleri", "knowing"):
        assert run("query", "refresh", "--engine", asked)[::2] == (0, "")
    used = json.loads(run("query", "refresh", "--engine", "byterover", "--format", "json")[1])["trace"]["profile"]
    assert used == ("docs" if profile == "docs" else "brv-3")


# Keys


def test_keys_command_lists_default_and_user_bindings(run: Run) -> None:
    code, out, err = run("keys", inside=False)
    assert (code, err) == (0, "")
    line = next(line for line in out.splitlines() if " app.theme " in line)
    assert line.split()[0] == "^t"
    assert "panes.back" in out
    answer = json.loads(run("keys", "--format", "json", inside=False)[1])
    assert next(key for key in answer["keys"] if key["name"] == "app.theme")["default"] == ["t"]


def test_keys_command_reports_an_unreadable_file(run: Run) -> None:
    file = own('[keys]\n"app.theme" = "ctrl+t"\nbroken\n')
    code, _, err = run("keys", inside=False)
    assert code == 2
    assert err.startswith(f"brv-tui: {file}: cannot be read as settings")


def test_keys_command_prints_default_bindings_as_toml(run: Run) -> None:
    code, out, _ = run("keys", "--toml", inside=False)
    assert code == 0
    assert tomllib.loads(out)["keys"]["app.theme"] == "t"


def test_config_command_reports_unknown_bindings_and_themes(run: Run) -> None:
    file = own('theme = "nrod"\n[keys]\nquit = "Q"\n')
    code, _, err = run("config", inside=False)
    assert code == 2
    assert f'{file}: keys."quit": there is no such binding; did you mean app.quit?' in err
    assert f"{file}: theme = 'nrod': there is no such theme; did you mean nord?" in err
    code, _, err = run("keys", inside=False)
    assert (code, "there is no such binding" in err) == (2, True)


@pytest.mark.parametrize(
    ("value", "last"), [('"a"', "30 more unknown bindings"), ("1", "30 more unusable bindings")], ids=["name", "value"]
)
def test_many_unknown_bindings_are_counted_cheaply(
    run: Run, monkeypatch: pytest.MonkeyPatch, value: str, last: str
) -> None:
    own("[keys]\n" + "".join(f'"x.y{number}" = {value}\n' for number in range(MOST_PROBLEMS + 30)))
    read: list[Path] = []
    parse = layers.read_tables
    monkeypatch.setattr(layers, "read_tables", lambda file, **named: read.append(file) or parse(file, **named))
    for command in ("config", "keys"):
        code, out, err = run(command, inside=False)
        lines = err.splitlines()
        assert (code, len(lines)) == (2, MOST_PROBLEMS + 1)
        assert last in lines[-1]
        assert out.count("x.y") <= MOST_PROBLEMS + 1
    assert len(read) < MOST_PROBLEMS
