"""Defines every setting: name, type, default, range and summary.

The parser, environment variables, documentation and settings screen are derived from this schema.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from brvtui.engines.registry import DEFAULT, DEFAULT_PROFILE, PROFILES
from brvtui.text.visible import masked_address

# Sources of settings, and their problems.


class Layer(StrEnum):
    """The layers of settings. A later layer replaces values in earlier ones."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    OPENED = "opened"
    """The opened project: a space, which only one engine can rank, or an entry of a fleet."""
    OPTION = "option"


class SettingSource(NamedTuple):
    """The source of a value: its layer, and the file, variable, option or opened project (empty for a default)."""

    layer: Layer
    place: str = ""


class SettingProblem(NamedTuple):
    """A problem with a setting that cannot be used.

    ``name`` is the setting's dotted name, or empty if a whole file cannot be used. ``message`` is one line. ``source``
    is where the problem is.
    """

    name: str
    message: str
    source: SettingSource


class LeftOutSetting(NamedTuple):
    """A setting that is ignored."""

    problem: SettingProblem
    line: str
    """The problem and its effect, for the user."""


class ConfigError(ValueError):
    """Raised if settings cannot be used. The message contains the file or variable, the key and the problem."""


class UnusableSetting(ConfigError):
    """Raised if a setting in a file or the environment prevents a project from opening. ``problem`` is the reason."""

    def __init__(self, problem: SettingProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


Value = bool | int | str | Mapping[str, Any]
"""The types of a setting's value."""
PREFIX = "BRV_TUI_"
KEY_VARIABLES = ("BRV_TUI_LLM_KEY", "BRV_TUI_EMBEDDER_KEY", "BRV_TUI_RERANKER_KEY")
"""Environment variables for the keys of services."""
PROTOCOLS = ("openai", "anthropic")
EMBEDDING_PROVIDERS = ("compatible", "openai", "voyage")
AUTO, ON, OFF = "auto", "on", "off"
_SWITCH = (AUTO, ON, OFF)
FEW, ALL = "few", "all"


class ValueKind(StrEnum):
    """The kinds of values, with their names in messages and in the documentation."""

    TRUTH = "true or false"
    NUMBER = "a whole number"
    CHOICE = "one of a list"
    TEXT = "text"
    KEYS = "a table"
    PROFILE = f"{', '.join(PROFILES)}, a TOML file, or a table"


class Entry(NamedTuple):
    """One setting. ``name`` is dotted (``editor.keep_mtime``); ``variable`` is empty if there is none."""

    name: str
    kind: ValueKind
    default: Value
    variable: str
    summary: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    personal: bool = False
    """True if only the user can set this, so that :class:`ProjectSettings` does not contain it."""
    by_hand: bool = False
    """True if the setting can only be changed by editing the file, not in the app."""
    restart: bool = False
    """True if a change takes effect only after a restart of the app."""
    of_app: bool = False
    """True if only the app reads the setting, so that commands ignore problems with it."""

    @property
    def table(self) -> str:
        """The setting's table; empty for the top level."""
        return self.name.rpartition(".")[0]

    @property
    def allowed(self) -> str:
        """The setting's allowed values, in words."""
        if self.choices:
            return ", ".join(self.choices)
        return f"{self.least} to {self.most}" if self.kind is ValueKind.NUMBER else self.kind.value


def _setting(default: Any, summary: str, **about: Any) -> Any:
    return field(default=default, metadata={"summary": summary, **about})


@dataclass(frozen=True, slots=True)
class Saving:
    """Settings for saving notes."""

    keep_mtime: bool = _setting(
        False,
        "keep a note's modification time, and so its recency, when saving, unless you choose otherwise in the editor",
        of_app=True,
    )


@dataclass(frozen=True, slots=True)
class EditorSettings(Saving):
    """Settings for editing notes."""

    command: str = _setting(
        "",
        "the program that opens notes from the app, with its arguments; empty: `$VISUAL`, then `$EDITOR`",
        of_app=True,
    )


@dataclass(frozen=True, slots=True)
class Service:
    """A model, local or at an address. Its key is never in a file: ``key_env`` names the variable that contains it."""

    model: str = _setting("", "the model; if empty, none is used")
    url: str = _setting(
        "",
        "an OpenAI-compatible service that runs it (extra `[llm]`); empty: a local model (extra `[vectors]`)",
    )
    key_env: str = _setting("", "the environment variable that holds the service's key")


@dataclass(frozen=True, slots=True)
class EmbeddingService(Service):
    """A model that turns texts into vectors."""

    provider: str = _setting(
        "compatible",
        "the provider; `openai` and `voyage` set the address, default model and key variable",
        choices=EMBEDDING_PROVIDERS,
    )
    batch_size: int = _setting(
        0, "the maximum number of texts in one request; 0: the provider's own limit", most=10_000
    )
    input_type: str = _setting(
        "none", "the kind of text that `voyage` optimizes vectors for", choices=("none", "document", "query")
    )


@dataclass(frozen=True, slots=True)
class Services:
    """The settings of the models that engines may use for searching."""

    embedder: EmbeddingService = field(default=EmbeddingService(key_env="BRV_TUI_EMBEDDER_KEY"))
    reranker: Service = field(default=Service(key_env="BRV_TUI_RERANKER_KEY"))


@dataclass(frozen=True, slots=True)
class Llm:
    """The language model for tiers 3 and 4; ``key_env`` names the variable that contains its key."""

    protocol: str = _setting(
        "openai", "the protocol of the service; `openai`: also Ollama, LM Studio, vLLM, OpenRouter", choices=PROTOCOLS,
    )  # fmt: skip
    model: str = _setting("", "the model; if empty, no model is called")
    url: str = _setting("", "the service's address; empty: OpenAI's or Anthropic's own")
    key_env: str = _setting("BRV_TUI_LLM_KEY", "the environment variable that holds the key of the model's service")
    allowed: bool = _setting(False, "let runs call the model without asking for permission in each session")
    timeout: int = _setting(
        120, "seconds without output after which the service is considered to have failed", least=1, most=3600,
    )  # fmt: skip
    sent_cents: int = _setting(0, "the price of a million tokens sent, in cents; 0: unknown", most=1_000_000)
    received_cents: int = _setting(0, "the price of a million tokens received, in cents; 0: unknown", most=1_000_000)
    answer_tokens: int = _setting(
        400_000, "the total number of tokens that one answer may send and receive", least=1_000, most=1_000_000_000
    )
    answer_cents: int = _setting(
        200, "the maximum cost of one answer, in cents, if prices are set; 0: no limit", most=1_000_000
    )


@dataclass(frozen=True, slots=True)
class Signals:
    """The settings that determine the sources of notes' signals."""

    frontmatter: str = _setting(
        AUTO, "read signals from frontmatter, which ByteRover ignores; `auto`: as in the profile, off in `brv-3`",
        choices=_SWITCH, restart=True,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The settings that a project's file may contain.

    Such a file comes with the project and may be written by anyone. It can change how the project is read and shown,
    but not the user's consent, keys, cost limits, addresses, programs or records.
    """

    theme: str = _setting(
        "brv-dark",
        "colour theme: one of ours, Textual's or your own (`brv-tui themes` says where yours are)",
        of_app=True,
    )
    animations: str = _setting(
        AUTO, "whether the app is animated; `auto`: off over ssh and in tmux", choices=_SWITCH, of_app=True
    )
    ascii: str = _setting(
        AUTO,
        "replace symbols with letters, even in names, but not in help, Markdown or `ask`; `auto`: unless output is "
        "UTF-8",
        choices=_SWITCH,
        restart=True,
    )
    engine: str = _setting(DEFAULT, "the memory system whose retrieval answers queries", restart=True)
    profile: str | Mapping[str, Any] = _setting(
        DEFAULT_PROFILE, "the engine's constants; a table changes individual ones", restart=True
    )
    watch: bool = _setting(True, "follow changes on disk", restart=True, of_app=True)
    history: int = _setting(
        500, "the number of past queries to remember for each project", most=10_000, restart=True, of_app=True
    )
    signals: Signals = field(default=Signals())
    editor: Saving = field(default=Saving())


@dataclass(frozen=True, slots=True)
class Settings(ProjectSettings):
    """All settings, merged from all layers. Without arguments, every setting has its default."""

    panes: str = _setting(
        FEW, "the panes that the Query screen shows until you change them: `few` means results and score",
        choices=(FEW, ALL), restart=True, of_app=True,
    )  # fmt: skip
    recording: bool = _setting(False, "record runs' access hits from the start, in the tool's own overlay")
    keys: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}),
        metadata={
            "summary": "your own keys for actions, by the binding's name; `brv-tui keys` lists the names",
            "of_app": True,
        },
    )
    key_variables: str = _setting(
        "", "environment variables that `key_env` may name besides our own, separated by commas; the app never"
        " changes this", by_hand=True,
    )  # fmt: skip
    hook_seconds: int = _setting(
        6, "seconds after which your agent's hook stops waiting for an answer (`brv-tui delivery`)", least=1, most=3600,
    )  # fmt: skip
    editor: EditorSettings = field(default=EditorSettings())
    llm: Llm = field(default=Llm())
    services: Services = field(default=Services())

    def may_read_key(self, variable: str) -> bool:
        """True if the key of a service may be read from the environment variable ``variable``."""
        return bool(variable) and variable in (*KEY_VARIABLES, *map(str.strip, self.key_variables.split(",")))


_KINDS: Mapping[Any, ValueKind] = {
    bool: ValueKind.TRUTH,
    int: ValueKind.NUMBER,
    str: ValueKind.TEXT,
    Mapping[str, str]: ValueKind.KEYS,
    str | Mapping[str, Any]: ValueKind.PROFILE,
}


@cache
def entries() -> Mapping[str, Entry]:
    """Returns all settings by dotted name: first those outside tables, then table by table."""
    of_projects = {entry.name for entry in _walk(ProjectSettings())}
    found = (entry._replace(personal=entry.name not in of_projects) for entry in _walk(Settings()))
    return MappingProxyType({entry.name: entry for entry in found})


def entry_of(name: str) -> Entry | None:
    """Returns the setting ``name``, or the table of keys for ``keys.<binding>``; None if there is no such setting."""
    return entries().get("keys" if name.startswith("keys.") else name)


def _walk(tables: Any, above: str = "") -> Iterator[Entry]:
    hints = typing.get_type_hints(type(tables))
    for one in sorted(dataclasses.fields(tables), key=lambda one: dataclasses.is_dataclass(getattr(tables, one.name))):
        name, default = f"{above}{one.name}", getattr(tables, one.name)
        if dataclasses.is_dataclass(default):
            yield from _walk(default, f"{name}.")
            continue
        kind = ValueKind.CHOICE if "choices" in one.metadata else _KINDS[hints[one.name]]
        variable = "" if kind is ValueKind.KEYS else PREFIX + name.removeprefix("services.").replace(".", "_").upper()
        yield Entry(name, kind, default, variable, **one.metadata)


def assemble(values: Mapping[str, Value]) -> Settings:
    """Creates settings from checked ``values`` by dotted name; all others have defaults."""
    made: Settings = _with(Settings(), values, "")
    return made


def _with(tables: Any, values: Mapping[str, Value], above: str) -> Any:
    assembled: dict[str, Any] = {}
    for one in dataclasses.fields(tables):
        name, held = f"{above}{one.name}", getattr(tables, one.name)
        assembled[one.name] = (
            _with(held, values, f"{name}.") if dataclasses.is_dataclass(held) else values.get(name, held)
        )
    return type(tables)(**assembled)


def shown_value(name: str, value: Value) -> Value:
    """Returns ``value``, the value of the setting ``name``, without secrets that an address may contain."""
    return masked_address(value) if name.endswith(".url") and isinstance(value, str) else value


def value_text(name: str, value: Value) -> str:
    """Formats the value of the setting ``name`` for display."""
    value = shown_value(name, value)
    if isinstance(value, Mapping):
        extends = value.get("extends", "")
        return f"a table based on {extends}" if extends else "a table"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or "–"
