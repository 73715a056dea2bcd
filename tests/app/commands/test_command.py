"""Ranking in the command palette."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.commands.palette import ALSO, NOT_OFFERED, Act, Command, found, offered
from brvtui.app.keys.bindings import own_bindings
from brvtui.app.query.results import ResultsPane
from brvtui.app.widgets.outline import WordFilter

_COMMANDS = [
    Command("Quit, from anywhere", "everywhere", "^q", Act(ACTIONS["app.quit"], "")),
    Command("A note about quitting", "life/quit.md", note="life/quit.md"),
    Command("Unquiet", "life/loud.md", note="life/loud.md"),
    Command("Something", "quiet/place.md", note="quiet/place.md"),
]


def titles(text: str) -> list[str]:
    return [command.title for command in found(WordFilter.of(text), _COMMANDS)]


def test_matches_at_word_starts_rank_first() -> None:
    assert titles("qui") == ["Quit, from anywhere", "A note about quitting", "Unquiet", "Something"]


def test_commands_must_contain_all_words_in_any_order_and_case() -> None:
    assert titles("QUIT note") == ["A note about quitting"]
    assert titles("quit zebra") == []


def test_empty_search_keeps_the_order_of_commands() -> None:
    assert titles(" ") == [command.title for command in _COMMANDS]


@given(st.lists(st.text(st.sampled_from("abc /")), max_size=8), st.text(st.sampled_from("abc ")))
def test_search_returns_exactly_the_commands_with_all_words(names: list[str], text: str) -> None:
    commands = [Command(name, f"{place}.md") for place, name in enumerate(names)]
    kept = found(WordFilter.of(text), commands)
    assert sorted(command.aside for command in kept) == sorted(
        command.aside for command in commands if all(word in command.low for word in text.split())
    )


def names(commands: list[Command]) -> list[str]:
    return [command.act.action.name for command in commands if command.act is not None]


def test_common_synonyms_find_actions_with_other_names() -> None:
    everything = offered("query", (), True, {})
    for name, words in ALSO.items():
        for word in words.split():
            assert name in names(found(WordFilter.of(word), everything)), (name, word)
    titled = found(WordFilter.of("remove"), everything)
    assert "remove" in titled[0].title.lower(), "what is called so comes first"


def test_synonyms_are_matched_by_prefix() -> None:
    everything = offered("query", (), True, {})
    assert "note.redo" in names(found(WordFilter.of("do again"), everything))
    assert "app.screenshot" in names(found(WordFilter.of("exp pict"), everything))
    assert "app.screenshot" not in names(found(WordFilter.of("xport"), everything))


def test_every_action_is_offered_except_dialog_answers_and_field_keys() -> None:
    found = names(offered("query", (), True, {}))
    left_out = {action.name for place in PLACES if place.kind in NOT_OFFERED for action in place.actions}
    assert set(found) == ACTIONS.keys() - left_out - {
        "drafts.take",
        "migrated.back",
        "migration.take",
        "remedies.tab",
        "remedies.take",
    }  # their panes exist only in dialogs
    assert len(found) == len(set(found))


def test_focused_pane_actions_come_first() -> None:
    near = {binding.id or "" for binding in own_bindings(ResultsPane)}
    found = names(offered("query", near, False, {}))
    assert found[0] == "results.open"
    order = ("panes.results", "app.quit", "retry.take", "log.follow")
    assert list(order) == sorted(order, key=found.index)
    assert not any(name.startswith("editor.") for name in found)


def test_palette_shows_keys_set_by_the_user() -> None:
    found = offered("query", (), False, {"app.theme": "f10"})
    keys = {command.act.action.name: command.keys for command in found if command.act is not None}
    assert keys["app.theme"] == "F10"
    assert keys["pane.down"] == "j Down"
