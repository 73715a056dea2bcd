"""What words find in the command palette, and in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.binding import Binding

from brvtui.app.commands.command import Act, Command, found
from brvtui.app.commands.gathering import NOT_OFFERED, actions
from brvtui.app.keys.owners import owners
from brvtui.app.sieve import Sieve
from brvtui.app.widgets.results import ResultsPane

_COMMANDS = [
    Command("Quit, from anywhere", "everywhere", "^q", Act(Binding("q", "quit", "quit"), object, "")),
    Command("A note about quitting", "life/quit.md", note="life/quit.md"),
    Command("Unquiet", "life/loud.md", note="life/loud.md"),
    Command("Something", "quiet/place.md", note="quiet/place.md"),
]


def titles(text: str) -> list[str]:
    return [command.title for command in found(Sieve.of(text), _COMMANDS)]


def test_words_that_begin_the_titles_words_come_first_then_those_within_then_the_rest() -> None:
    assert titles("qui") == ["Quit, from anywhere", "A note about quitting", "Unquiet", "Something"]


def test_all_words_are_needed_in_any_order_and_case() -> None:
    assert titles("QUIT note") == ["A note about quitting"]
    assert titles("quit zebra") == []


def test_without_words_everything_stays_in_its_order() -> None:
    assert titles(" ") == [command.title for command in _COMMANDS]


@given(st.lists(st.text(st.sampled_from("abc /")), max_size=8), st.text(st.sampled_from("abc ")))
def test_what_is_found_is_what_holds_every_word_each_once(names: list[str], text: str) -> None:
    commands = [Command(name, f"{place}.md") for place, name in enumerate(names)]
    kept = found(Sieve.of(text), commands)
    assert sorted(command.aside for command in kept) == sorted(
        command.aside for command in commands if all(word in command.low for word in text.split())
    )


def test_every_action_is_offered_but_answers_to_dialogs_and_keys_of_fields() -> None:
    offered = [command.act.binding.id for command in actions("query", None, True, {}) if command.act]
    left_out = {binding.id for owner in owners() if issubclass(owner.kind, NOT_OFFERED) for binding in owner.bindings}
    everything = {binding.id for owner in owners() for binding in owner.bindings}
    assert set(offered) == everything - left_out - {"drafts.take"}  # of a pane that stands in a dialog only
    assert len(offered) == len(set(offered))


def test_the_nearest_comes_first() -> None:
    ids = [command.act.binding.id for command in actions("query", ResultsPane, False, {}) if command.act]
    assert ids[0] == "results.open"
    assert ids.index("panes.results") < ids.index("app.quit") < ids.index("retry.take") < ids.index("log.follow")
    assert not any(str(name).startswith("editor.") for name in ids)


def test_the_users_keys_are_shown() -> None:
    keys = {
        command.act.binding.id: command.keys
        for command in actions("query", None, False, {"app.theme": "f12"})
        if command.act
    }
    assert keys["app.theme"] == "F12"
    assert keys["pane.down"] == "j down"
