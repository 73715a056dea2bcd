"""Profiles in TOML: constants, and messages about invalid ones."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.config import ConfigError, configure
from brvtui.config.profile_choice import chosen_profile
from brvtui.engines import registry
from brvtui.engines.byterover.profile import Profile, load
from brvtui.engines.registry import PROFILES
from brvtui.store.folders import config_folder
from brvtui.typed_tables import ProfileError, overlay
from tests.support.recorded import REPOSITORY, SHARED
from tests.support.trees import BRV3, DOCS


def constants(profile: Profile) -> dict[str, Any]:
    """Every constant by its dotted name."""
    found: dict[str, Any] = {}

    def walk(value: Any, where: str) -> None:
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            name = f"{where}{field.name}"
            if dataclasses.is_dataclass(inner):
                walk(inner, f"{name}.")
            else:
                found[name] = inner

    walk(profile, "")
    return found


def test_built_in_profiles_have_their_names() -> None:
    assert [load(name).name for name in PROFILES] == ["brv-3", "docs", "combined"]
    assert load() == BRV3


def test_docs_profile_differs_only_in_the_listed_constants() -> None:
    one, other = constants(BRV3), constants(DOCS)
    assert {name: value for name, value in other.items() if value != one[name]} == {
        "name": "docs",
        "summary": DOCS.summary,
        "limits.failures": False,
        "limits.fingerprint_derived": True,
        "score.local_bonus": 0.0,
        "score.cap": 1.15,
        "score.decimals": 17,
        "decay.stored_recency": False,
        "search.lift_local_bonus": False,
        "search.lift_source": "score",
        "search.lift_signals": False,
        "search.lift_contexts": False,
        "out_of_domain.compare": "tokens",
        "out_of_domain.matched_results": 0,
        "paths.leave_scope": False,
        "cache.ttl_inclusive": False,
        "entities.before_out_of_domain": False,
        "entities.min_words": 1,
        "manifest.contexts_by": "importance",
        "pruning.draft_days": 0.0,
        "pruning.validated_days": 0.0,
        "signals.frontmatter": True,
        "signals.skip_validated": False,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text.k", 1.2),
        ("text.b", 0.7),
        ("text.d", 0.5),
        ("text.boost", {"title": 3, "content": 1, "path": 1.5}),
        ("text.prefix_weight", 0.375),
        ("text.prefix_slope", 0.3),
        ("text.fuzzy_weight", 0.45),
        ("text.fuzzy_ratio", 0.2),
        ("text.fuzzy_max", 6),
        ("score.boost", {"draft": 0.85, "validated": 1.0, "core": 1.15}),
        ("score.local_bonus", 0.1),
        ("search.gap_ratio", 0.7),
        ("search.lift_factor", 0.55),
        ("search.limit", 10),
        ("router.limit", 5),
        ("out_of_domain.min_notes", 50),
        ("out_of_domain.floor", 0.45),
        ("out_of_domain.escape", 0.85),
        ("direct.min_top", 0.85),
        ("direct.sure_top", 0.93),
        ("direct.min_gap", 0.08),
        ("direct.prefetch", 0.7),
        ("cache.capacity", 50),
        ("cache.ttl_seconds", 60),
        ("cache.fingerprint_seconds", 30),
        ("cache.min_similarity", 0.6),
        ("limits.max_files", 10_000),
        ("limits.max_file_bytes", 10_485_760),
        ("decay.importance_base", 0.995),
        ("decay.recency_days", 30),
        ("manifest.summaries", 2000),
        ("manifest.contexts", 4000),
        ("manifest.stubs", 500),
        ("single_call.max_tokens", 1024),
        ("agentic_loop.temperature", 0.5),
    ],
)
def test_constants_equal_the_fact_sheet(name: str, value: Any) -> None:
    assert attrgetter(name)(BRV3) == value


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"needs the word lists beside the repository: no {SHARED}")
def test_stop_words_equal_the_word_list() -> None:
    listed = json.loads((SHARED / "spec" / "data" / "stopwords-eng.json").read_text())
    assert sorted(BRV3.query.stop_words) == sorted(listed)


def test_entity_stop_words_equal_the_documented_list() -> None:
    listed = (
        "a about an and by did do does for from how in is my of or our that the their this to was were what when "
        "where which who with"
    )
    assert sorted(BRV3.entities.stop_words) == sorted(listed.split())


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_user_profile_overrides_constants(tmp_path: Path) -> None:
    result = load(written(tmp_path, "[direct]\nmin_top = 0.9\n[score.boost]\ncore = 2\n"))
    assert (result.name, result.direct.min_top, result.direct.sure_top) == ("mine", 0.9, 0.93)
    assert result.score.boost == {"draft": 0.85, "validated": 1.0, "core": 2.0}


@pytest.mark.parametrize("name", PROFILES)
def test_changed_profile_with_a_built_in_name_gets_an_asterisk(tmp_path: Path, name: str) -> None:
    changed = f'name = "{name}"\n[direct]\nmin_top = 0.9\n'
    assert load(str(written(tmp_path, changed))).name == f"{name}*"
    file = written(tmp_path, "[direct]\nmin_top = 0.9\n").rename(tmp_path / f"{name}.toml")
    assert load(str(file)).name == f"{name}*"
    same = written(tmp_path, f'extends = "{name}"\nname = "{name}"\n')
    assert load(str(same)) == load(name)
    project_file(tmp_path, "[profile]\n" + changed.replace("[direct]", "[profile.direct]"))
    assert chosen(tmp_path).name == f"{name}*"
    project_file(tmp_path, f'[profile]\nextends = "{name}"\nname = "{name}"\n')
    assert chosen(tmp_path) == load(name)


def test_user_profile_can_extend_docs(tmp_path: Path) -> None:
    result = load(str(written(tmp_path, 'extends = "docs"\nname = "own"\n[search]\nlimit = 3\n')))
    assert (result.name, result.score.local_bonus, result.search.limit) == ("own", 0.0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("direct = 3", r"\[direct\] must be a table"),
        ("[direct]\nmin_topp = 1", r"unknown key direct\.min_topp; did you mean min_top\?"),
        ("[zzz]\na = 1", "unknown key zzz"),
        ("[direct]\nmin_top = 'x'", r"direct\.min_top = 'x' must be of type float"),
        ("[direct]\nmin_top = true", "must be of type float"),
        ("[direct]\nmax_notes = 1.5", "must be of type int"),
        ("[search]\nlift_local_bonus = 1", "must be of type bool"),
        ("[query]\nstop_words = 'the'", "stop_words"),
        ("[query]\nstop_words = [1]", "stop_words"),
        ("[search]\nlift_source = 'luck'", "must be one of relevance, score"),
        ("[text]\nrelevance = 'google'", "must be one of"),
        ("[score.boost]\nsilver = 1", "must list exactly"),
        ("[text]\nboost = { title = 1 }", None),
        ("[search]\nlimit = 0", "must be at least 1"),
        ("[cache]\ncapacity = 0", "must be at least 1"),
        ("[decay]\nrecency_days = 0", "above 0"),
        ("[decay]\nrecency_days = nan", "above 0"),
        ("[decay]\nrecency_days = inf", "above 0"),
        ("[manifest]\nchars_per_token = 0", "above 0"),
        ("[score]\nimportance_scale = 0", "above 0"),
        ("[router]\nexpected = ['x']", "must have 5 strings"),
        ("[decay]\nimportance_base = 0", "importance_base must be a number above 0, at most 1"),
        ("[decay]\nimportance_base = 1.5", "importance_base must be a number above 0, at most 1"),
        ("[score]\ndecimals = 18", "decimals must be from 0 to 17"),
        ("[search]\nexcerpt_break = nan", "excerpt_break must be from 0 to 1"),
        ("[direct]\nmin_top = -1", "min_top must be a number of 0 or more"),
        ("[direct]\nmin_top = inf", "min_top must be a number of 0 or more"),
        ("[service]\ntries = 0", "tries must be at least 1"),
        ("[score]\nboost = { core = -1 }", r"score\.boost\.core must be a number of 0 or more"),
        ("extends = 'mine'", "only brv-3, docs, combined can be extended"),
        ("extends = 3", "can be extended"),
        ("not toml", "cannot be read as a profile"),
    ],
)
def test_faulty_profile_is_reported(tmp_path: Path, text: str, message: str | None) -> None:
    file = written(tmp_path, text)
    if message is None:
        assert load(file).text.boost["content"] == 1
        return
    with pytest.raises(ProfileError, match=message) as caught:
        load(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("name", ["nothing", "", ".", "/nowhere/at/all.toml"])
def test_missing_profile_is_reported(name: str) -> None:
    with pytest.raises(ProfileError, match="no profile"):
        load(name)


def test_profile_outside_utf8_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ProfileError, match="cannot be read"):
        load(file)


NUMBERS = [name for name, value in constants(BRV3).items() if isinstance(value, float)]


@given(
    st.sampled_from(NUMBERS),
    st.one_of(st.floats(), st.text(max_size=3), st.booleans(), st.none(), st.lists(st.integers(), max_size=2)),
)
def test_any_override_gives_a_profile_or_a_profile_error(name: str, value: Any) -> None:
    table, _, key = name.rpartition(".")
    try:
        result = overlay(BRV3, {table: {key: value}}, "test")
    except ProfileError:
        return
    assert attrgetter(name)(result) == value


def test_default_profile_equals_its_file() -> None:
    text = (REPOSITORY / "brvtui/engines/byterover/profiles/brv-3.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    for name, value in constants(BRV3).items():
        table: Any = tables
        for key in name.split("."):
            table = table[key]
        assert value == (tuple(table) if isinstance(table, list) else table)


# Profiles of a project


def project_file(folder: Path, text: str | bytes) -> Path:
    (folder / ".brv").mkdir(exist_ok=True)
    file = folder / ".brv" / "brv-tui.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def chosen(folder: Path, wanted: str = "") -> Profile:
    return chosen_profile(configure(folder, {"profile": wanted} if wanted else {}))


def test_default_profile_applies_without_settings(tmp_path: Path) -> None:
    assert chosen(tmp_path) == BRV3
    assert chosen(tmp_path, "docs") == DOCS


def test_project_constants_apply_over_the_extended_profile(tmp_path: Path) -> None:
    project_file(tmp_path, '[profile]\nextends = "docs"\n[profile.direct]\nmin_top = 0.5\n')
    result = chosen(tmp_path)
    assert (result.name, result.direct.min_top, result.score.local_bonus) == ("docs*", 0.5, 0.0)
    assert chosen(tmp_path, "brv-3") == BRV3


def test_project_can_select_a_profile_without_constants(tmp_path: Path) -> None:
    project_file(tmp_path, '[profile]\nextends = "docs"\n')
    assert chosen(tmp_path) == DOCS
    project_file(tmp_path, "")
    assert chosen(tmp_path) == BRV3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile = 3", "must name a profile or be a table"),
        ("profile = ''", "must name a profile or be a table"),
        ("[profile]\nextends = 3", "must name a profile"),
        ("[profile]\nextends = 'zzz'", "no profile zzz"),
        ("[profile.direct]\nmin_topp = 1", "did you mean min_top"),
        ("junk", "cannot be read as settings"),
        (b"\xff", "cannot be read as settings"),
    ],
)
def test_invalid_profile_settings_are_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    project_file(tmp_path, text)
    with pytest.raises((ConfigError, ProfileError), match=message):
        chosen(tmp_path)


def test_file_in_the_working_folder_never_takes_the_place_of_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_folder().mkdir(parents=True)
    (config_folder() / "mine.toml").write_text('extends = "brv-3"\n[search]\nlimit = 7\n')
    for name in ("mine", "other"):
        (tmp_path / name).write_text('extends = "brv-3"\n[search]\nlimit = 3\n')
    (tmp_path / "docs").write_text("top_k = 3\n")
    monkeypatch.chdir(tmp_path)
    assert load("mine").search.limit == 7
    assert load("./mine").search.limit == 3
    with pytest.raises(ProfileError, match="no profile other"):
        load("other")
    with pytest.raises(ProfileError, match="no profile docs"):
        registry.load("baseline").constants("docs")
