"""Settings layers, and reports of invalid settings."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.config import ConfigError, Configuration, Settings, configure, user_file
from brvtui.config.checking import read_text
from brvtui.config.profile_choice import chosen_profile, why_no_profile, why_not_of_engine
from brvtui.config.schema import Layer, SettingSource, UnusableSetting, ValueKind, entries, entry_of
from brvtui.config.writing import as_plain, default_file
from brvtui.engines import registry
from brvtui.engines.byterover import profile as profiles
from brvtui.engines.profile_files import profiles_of
from brvtui.store.folders import config_folder
from brvtui.typed_tables import ProfileError
from tests.support.settings import own


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".brv").mkdir()
    return tmp_path


def project(root: Path, text: str) -> Path:
    """The project's settings file with this content."""
    file = root / ".brv" / "brv-tui.toml"
    file.write_text(text)
    return file


def read(root: Path | None = None, options: Mapping[str, Any] | None = None, **environ: str) -> Configuration:
    return configure(root, options or {}, environ)


def messages(result: Configuration) -> list[str]:
    return [problem.message for problem in result.problems]


def test_defaults_apply_without_any_settings(root: Path) -> None:
    result = read(root)
    assert result.settings == Settings()
    assert result.problems == ()
    assert {result.source(name).layer for name in entries()} == {Layer.DEFAULT}
    result.check()


def test_each_layer_overrides_the_layers_below(root: Path) -> None:
    mine = own('theme = "a"\nengine = "jeffs_brain"\nhistory = 1\nrecording = true\nprofile = "docs"')
    theirs = project(root, 'theme = "b"\nhistory = 2\nprofile = "combined"')
    result = read(root, {"profile": "brv-3"}, BRV_TUI_HISTORY="3", BRV_TUI_PROFILE="docs")
    settings = result.settings
    assert (settings.recording, settings.engine, settings.theme) == (True, "jeffs_brain", "b")
    assert (settings.history, settings.profile) == (3, "brv-3")
    assert result.source("recording") == SettingSource(Layer.USER, str(mine))
    assert result.source("theme") == SettingSource(Layer.PROJECT, str(theirs))
    assert result.source("history") == SettingSource(Layer.ENVIRONMENT, "BRV_TUI_HISTORY")
    assert result.source("profile") == SettingSource(Layer.OPTION, "--profile")
    assert result.source("watch") == SettingSource(Layer.DEFAULT)


def test_opened_project_stays_the_source_of_its_engine(tmp_path: Path) -> None:
    own('engine = "soleri"\n')
    result = configure(None, {"engine": "byterover_v4", "profile": "docs"}, {}, {"engine": "the space"})
    for one in (result, result.read_again()):
        assert one.source("engine") == SettingSource(Layer.OPENED, "the space")
        assert one.source("profile") == SettingSource(Layer.OPTION, "--profile")


def test_project_settings_cannot_bind_keys(root: Path) -> None:
    own('[keys]\n"panes.back" = "x"\npanes.next = "n"')
    file = project(root, '[keys]\n"panes.back" = "y"\n"dialog.not_now" = "y"')
    result = read(root)
    assert result.settings.keys == {"panes.back": "x", "panes.next": "n"}
    assert result.source("keys.panes.back").layer is Layer.USER
    assert messages(result) == [f"{file}: keys is for your own settings file: a project's file cannot set it"]


_GREEDY = """
[profile.single_call]
max_iterations = 5000
max_tokens = 900000
[profile.agent]
same_calls = 5000
idle_turns = 5000
note_chars = 50000000
[profile.manifest]
contexts = 9000000
chars_per_token = 1e9
[profile.direct]
note_chars = 9000000
min_top = 0.3
[profile.service]
tries = 5000
[profile.limits]
max_files = 0
max_file_bytes = 999999999999
linked_trees = true
"""


def test_project_profile_cannot_raise_built_in_limits(root: Path) -> None:
    project(root, _GREEDY)
    result, built_in = chosen_profile(read(root)), profiles.load()
    assert result == replace(built_in, name="brv-3*", direct=replace(built_in.direct, min_top=0.3))


def test_project_profile_cannot_raise_the_users_limits(root: Path) -> None:
    own("[profile.single_call]\nmax_iterations = 7\n[profile.agent]\nidle_turns = 80")
    project(root, _GREEDY)
    result = chosen_profile(read(root))
    assert (result.single_call.max_iterations, result.agent.idle_turns) == (7, profiles.load().agent.idle_turns)
    assert chosen_profile(read()).agent.idle_turns == 80, "the user's own profile is the user's"


@pytest.mark.parametrize("mine", ["jeffs_brain", "/no/such/file.toml"])
def test_user_profile_for_another_engine_limits_nothing(root: Path, mine: str) -> None:
    own(f'profile = "{mine}"')
    project(root, 'profile = "docs"')
    assert chosen_profile(read(root)) == profiles.load("docs")


def test_project_profile_must_be_inside_the_project(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "mine.toml"
    outside.write_text("[agent]\nidle_turns = 2")
    (root / "link.toml").symlink_to(outside)
    for wanted in (str(outside), f"../../{outside.parent.name}/mine.toml", "../link.toml", "/dev/zero"):
        project(root, f'profile = "{wanted}"')
        with pytest.raises(ConfigError, match="must be inside the project"):
            chosen_profile(read(root))
    for wanted in (str(outside), "/dev/zero"):
        project(root, f'[profile]\nextends = "{wanted}"')
        with pytest.raises(ConfigError, match="a project can extend"):
            chosen_profile(read(root))
    (root / "near.toml").write_text("[agent]\nidle_turns = 2")
    project(root, 'profile = "../near.toml"')
    assert chosen_profile(read(root)).agent.idle_turns == 2


def test_personal_settings_are_read_only_in_a_browser() -> None:
    here, served = read(), read(BRV_TUI_SERVED="1")
    for name, entry in entries().items():
        assert bool(served.why_read_only(name)) == entry.personal
        assert bool(here.why_read_only(name)) == entry.by_hand == (name == "key_variables")
    assert served.why_read_only("keys.panes.back")
    assert not here.why_read_only("keys.panes.back")


def test_api_keys_come_only_from_listed_variables() -> None:
    own('key_variables = "OPENAI_API_KEY, OTHER_KEY"')
    settings = read().settings
    assert settings.may_read_key("OPENAI_API_KEY")
    assert settings.may_read_key("OTHER_KEY")
    assert not any(map(settings.may_read_key, ("HOME", "", "AWS_SECRET")))
    assert not Settings().may_read_key("")
    for name in ("BRV_TUI_LLM_KEY", "BRV_TUI_EMBEDDER_KEY", "BRV_TUI_RERANKER_KEY"):
        assert Settings().may_read_key(name)


def test_every_setting_except_keys_has_a_variable() -> None:
    values = {ValueKind.TRUTH: "yes", ValueKind.NUMBER: "1000", ValueKind.TEXT: "some text", ValueKind.PROFILE: "docs"}
    for name, entry in entries().items():
        if entry.kind is ValueKind.KEYS:
            assert entry.variable == ""
            continue
        result = read(**{entry.variable: entry.choices[-1] if entry.choices else values[entry.kind]})
        assert result.problems == ()
        assert result.source(name) == SettingSource(Layer.ENVIRONMENT, entry.variable)


def test_older_variables_keep_their_meaning() -> None:
    result = read(
        BRV_TUI_ASCII="1",
        BRV_TUI_EMBEDDER_MODEL="m",
        BRV_TUI_EMBEDDER_URL="http://localhost/v1",
        BRV_TUI_EMBEDDER_KEY="secret",
        BRV_TUI_RERANKER_MODEL="r",
    ).settings
    assert result.ascii == "on"
    assert (result.services.embedder.model, result.services.embedder.url) == ("m", "http://localhost/v1")
    assert (result.services.embedder.key_env, result.services.reranker.model) == ("BRV_TUI_EMBEDDER_KEY", "r")
    assert read(BRV_TUI_ASCII="0").settings.ascii == "off"
    assert read(BRV_TUI_ASCII="").settings.ascii == "auto"
    assert "secret" not in str(as_plain(read(BRV_TUI_EMBEDDER_KEY="secret")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thme = 'x'", "unknown key thme; did you mean theme?"),
        ("keep_mtime = true", "unknown key keep_mtime; did you mean editor.keep_mtime?"),
        ("[editr]\nkeep_mtime = true", "unknown key editr; did you mean editor?"),
        ("[editor]\nkeep_mtim = true", "unknown key editor.keep_mtim; did you mean editor.keep_mtime?"),
        ("[services.embeder]\nmodel = 'x'", "unknown key services.embeder; did you mean services.embedder?"),
        ("[theme.x]\ny = 1", "theme = {'x': {'y': 1}} must be text"),
        ("editor = 3", "[editor] must be a table"),
        ("theme = 3", "theme = 3 must be text"),
        ("watch = 1", "watch = 1 must be true or false"),
        ("history = true", "history = true must be a whole number from 0 to 10000"),
        ("history = -1", "history = -1 must be a whole number from 0 to 10000"),
        ("history = 1.5", "history = 1.5 must be a whole number from 0 to 10000"),
        ("animations = 'of'", "animations = 'of' must be one of auto, on, off; did you mean off?"),
        ("animations = 1", "animations = 1 must be auto, on, off"),
        ("profile = 1979-05-27", "profile = datetime.date(1979, 5, 27) must name a profile or be a table"),
        ("keys = 'x'", "keys = 'x' must be a table"),
        ("[keys]\nquit = 3", 'keys."quit" = 3 must list keys, as in "ctrl+r" or "j,down"'),
        ("[keys]\nquit = 'a,,b'", "keys.\"quit\" = 'a,,b' must list keys"),
        ("theme = ", "cannot be read as settings (Invalid value (at end of document))"),
        (b"theme = '\xff'", "cannot be read as settings ('utf-8' codec can't decode byte 0xff"),
        ("a = " + "[" * 5000, "cannot be read as settings (nested too deeply)"),
        ("a = " + "1" * 5000, "cannot be read as settings (Exceeds the limit"),
        ("a = 'x'\n" * 2, "cannot be read as settings (Cannot overwrite a value"),
    ],
)  # fmt: skip
def test_problem_in_a_settings_file_names_the_file(text: str | bytes, message: str) -> None:
    file = own(text)
    result = read()
    (problem,) = messages(result)
    assert problem.startswith(f"{file}: {message}")
    assert "\n" not in problem
    assert result.settings == Settings()
    entry = entry_of(result.problems[0].name)
    if entry is not None and entry.of_app:
        result.check()
        return
    with pytest.raises(ConfigError) as caught:
        result.check()
    assert str(caught.value) == problem


def test_invalid_variable_is_reported_by_name() -> None:
    assert messages(read(BRV_TUI_WATCH="maybe")) == ["BRV_TUI_WATCH: watch = 'maybe' must be true or false"]
    assert messages(read(BRV_TUI_HISTORY="9" * 5000))[0].startswith("BRV_TUI_HISTORY: history = '999")
    assert messages(read(BRV_TUI_HISTORY="²")) == [
        "BRV_TUI_HISTORY: history = '²' must be a whole number from 0 to 10000"
    ]


@pytest.mark.parametrize("number", ["-1", "+10001", " 20000 "])
def test_out_of_range_number_is_refused_in_every_source(number: str) -> None:
    own(f"history = {number}")
    message = f"history = {int(number)} must be a whole number from 0 to 10000"
    assert messages(read()) == [f"{user_file()}: {message}"]
    own("")
    assert messages(read(BRV_TUI_HISTORY=number)) == [f"BRV_TUI_HISTORY: {message}"]
    with pytest.raises(ConfigError) as caught:
        read_text(entries()["history"], number)
    assert str(caught.value) == message


def test_one_invalid_setting_keeps_the_others() -> None:
    own('theme = "x"\nhistory = "many"\n[keys]\nquit = "Q"')
    result = read()
    assert (result.settings.theme, result.settings.history, result.settings.keys) == ("x", 500, {"quit": "Q"})
    assert len(result.problems) == 1


@pytest.mark.parametrize("name", [name for name, entry in entries().items() if entry.personal])
def test_project_file_cannot_set_personal_settings(root: Path, name: str) -> None:
    table, _, key = name.rpartition(".")
    file = project(root, f'[{table}]\n{key} = "x"' if table else f'{key} = "x"')
    result = read(root)
    assert messages(result) == [f"{file}: {name} is for your own settings file: a project's file cannot set it"]
    assert result.settings == Settings()
    assert {other for other, entry in entries().items() if not entry.personal} == {
        "theme", "animations", "ascii", "engine", "profile", "watch", "history", "signals.frontmatter",
        "editor.keep_mtime",
    }  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipe_or_folder_is_not_a_settings_file(root: Path) -> None:
    os.mkfifo(root / ".brv" / "brv-tui.toml")
    user_file().mkdir(parents=True)
    assert [message.partition(": ")[2] for message in messages(read(root))] == [
        "cannot be read as settings (not a regular file)"
    ] * 2


def test_symlinked_settings_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("history = 9")
    user_file().parent.mkdir(parents=True)
    user_file().symlink_to(tmp_path / "dotfiles.toml")
    assert read().settings.history == 9


def test_settings_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert config_folder() == Path(os.environ["BRV_TUI_DATA_DIR"]) / "config"
    monkeypatch.setenv("BRV_TUI_CONFIG_DIR", str(tmp_path))
    assert user_file() == tmp_path / "config.toml"
    monkeypatch.delenv("BRV_TUI_CONFIG_DIR")
    monkeypatch.delenv("BRV_TUI_DATA_DIR")
    assert config_folder().name == "brv-tui"


def test_profile_beside_the_user_settings_is_found_by_name(root: Path) -> None:
    own('profile = "low"')
    (user_file().parent / "low.toml").write_text('extends = "docs"\nname = "low"\n[search]\nlimit = 3\n')
    (user_file().parent / "other.toml").write_text('extends = "soleri"\n')
    (user_file().parent / "broken.toml").write_text("extends =")
    assert profiles_of("byterover") == ("brv-3", "docs", "combined", "low")
    assert profiles_of("soleri") == ("soleri", "soleri-code", "other")
    assert (chosen_profile(read()).name, chosen_profile(read()).search.limit) == ("low", 3)
    project(root, 'profile = "low"')
    assert chosen_profile(read(root)).search.limit == 3
    own('profile = "wrong"')
    (user_file().parent / "wrong.toml").write_text('extends = "docs"\n[search]\nnonsense = 3\n')
    with pytest.raises(UnusableSetting, match=r"unknown key search\.nonsense") as closed:
        chosen_profile(read())
    assert (closed.value.problem.name, closed.value.problem.source) == ("profile", read().source("profile"))
    own('profile = "other"')
    assert chosen_profile(read()).name == "brv-3"
    assert why_not_of_engine(read()).endswith("other belongs to soleri")
    assert registry.load("soleri").constants("other").name == "other"
    assert chosen_profile(read(options={"profile": "low"})).search.limit == 3


def test_profile_path_is_relative_to_the_settings_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".brv" / "mine.toml").write_text("[direct]\nmin_top = 0.1")
    project(root, 'profile = "mine.toml"')
    monkeypatch.chdir("/")
    assert chosen_profile(read(root)).direct.min_top == 0.1
    with pytest.raises(ProfileError, match=r"no profile mine\.toml"):
        chosen_profile(read(root, {"profile": "mine.toml"}))


def test_user_settings_may_contain_a_table_of_constants() -> None:
    own('[profile]\nextends = "docs"\n[profile.direct]\nmin_top = 0.2')
    result = chosen_profile(read())
    assert (result.name, result.direct.min_top) == ("docs*", 0.2)


@pytest.mark.parametrize(
    ("text", "name", "reads"),
    [
        ("", "brv-3", False),
        ("[signals]\nfrontmatter = 'auto'", "brv-3", False),
        ("[signals]\nfrontmatter = false", "brv-3", False),
        ("[signals]\nfrontmatter = true", "brv-3*", True),
        ("signals.frontmatter = 'on'", "brv-3*", True),
        ("profile = 'docs'", "docs", True),
        ("profile = 'combined'\n[signals]\nfrontmatter = 'on'", "combined", True),
        ("profile = 'docs'\n[signals]\nfrontmatter = 'off'", "docs*", False),
        ("[profile.signals]\nfrontmatter = true", "brv-3*", True),
        ("[profile.signals]\nfrontmatter = true\n[signals]\nfrontmatter = false", "brv-3*", False),
    ],
)
def test_frontmatter_setting_controls_reading_of_signals(root: Path, text: str, name: str, reads: bool) -> None:
    project(root, text)
    result = chosen_profile(read(root))
    assert (result.name, result.signals.frontmatter) == (name, reads)


def test_frontmatter_setting_applies_to_every_profile(root: Path) -> None:
    own("[signals]\nfrontmatter = true")
    assert chosen_profile(read(root)).signals.frontmatter
    project(root, "[signals]\nfrontmatter = false")
    assert not chosen_profile(read(root, {"profile": "docs"})).signals.frontmatter
    assert chosen_profile(read(root, BRV_TUI_SIGNALS_FRONTMATTER="yes")).signals.frontmatter


def test_invalid_project_profile_setting_is_refused(root: Path) -> None:
    own("profile = 3")
    assert chosen_profile(read(root)).name == "brv-3"
    project(root, "theme = 3")
    assert chosen_profile(read(root)).name == "brv-3"
    for text in ("profile = 3", "junk", "signals.frontmatter = 3"):
        project(root, text)
        with pytest.raises(UnusableSetting, match=r"brv-tui\.toml: ") as closed:
            chosen_profile(read(root))
        assert closed.value.problem in read(root).problems


def test_printed_file_contains_every_default() -> None:
    own(default_file())
    result = read()
    assert result.problems == ()
    assert result.settings == Settings()
    names = {name for name in entries() if name in result.values}
    assert names == set(entries())
    assert all(entry.summary in default_file().replace("\n# ", " ") for entry in entries().values())


def test_plain_data_contains_each_value_and_its_source(root: Path) -> None:
    mine = own('theme = "x"\nbad = 1\n[profile]\nextends = "docs"')
    plain = as_plain(read(root))
    by_name = {setting["name"]: setting for setting in plain["settings"]}
    assert list(by_name) == list(entries())
    assert by_name["theme"] == {
        "name": "theme", "value": "x", "default": "brv-dark", "layer": "user", "place": str(mine),
    }  # fmt: skip
    assert by_name["profile"]["value"] == {"extends": "docs"}
    assert plain["user_file"] == str(mine)
    assert plain["project_file"] == str(root / ".brv" / "brv-tui.toml")
    assert tomllib.loads(default_file())["history"] == by_name["history"]["default"]


def test_one_invalid_key_keeps_the_other_bindings() -> None:
    own('[keys]\n"app.theme" = "ctrl+g"\n"app.themes" = 5\n')
    result = configure(environ={})
    assert result.settings.keys == {"app.theme": "ctrl+g"}
    assert ['keys."app.themes" = 5' in problem.message for problem in result.problems] == [True]


def test_every_invalid_key_is_reported() -> None:
    own('[keys]\n"app.theme" = 5\n"note.edit" = 7\n"panes.back" = "x"\n')
    result = configure(environ={})
    assert result.settings.keys == {"panes.back": "x"}
    messages = [problem.message for problem in result.problems]
    assert [name in message for name, message in zip(("app.theme", "note.edit"), messages, strict=True)] == [True, True]


def test_broken_engine_does_not_hide_an_unknown_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {**registry._places(), "acme": "no_such_package:Engine"}
    monkeypatch.setattr(registry, "_places", lambda: places)
    registry.names.cache_clear()
    try:
        message = why_no_profile("nope", SettingSource(Layer.USER, "config.toml"))
    finally:
        registry.names.cache_clear()
    assert "no such file" in message
