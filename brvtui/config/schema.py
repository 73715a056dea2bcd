"""Defines every setting: name, type, default, range and summary.

The parser, environment variables, documentation and settings screen are derived from this schema.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, get_args

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
    personal: bool = True
    """True if only the user can set this. A project's file may be written by anyone, so it can change how the project
    is read and shown, but not the user's consent, keys, cost limits, addresses, programs or records.
    """
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


def _about(summary: str, **more: Any) -> dict[str, Any]:
    return {"summary": summary, **more}


class EditorSettings(NamedTuple):
    """Settings for editing notes."""

    keep_mtime: Annotated[bool, _about(
        "keep a note's modification time, and so its recency, when saving, unless you choose otherwise in the editor",
        personal=False, of_app=True,
    )] = False  # fmt: skip
    command: Annotated[str, _about(
        "the program that opens notes from the app, with its arguments; empty: `$VISUAL`, then `$EDITOR`", of_app=True
    )] = ""  # fmt: skip


_Model = Annotated[str, _about("the model; if empty, none is used")]
_Url = Annotated[
    str, _about("an OpenAI-compatible service that runs it (extra `[llm]`); empty: a local model (extra `[vectors]`)")
]
_KeyEnv = Annotated[str, _about("the environment variable that holds the service's key")]


class Service(NamedTuple):
    """A model, local or at an address. Its key is never in a file: ``key_env`` names the variable that contains it."""

    model: _Model = ""
    url: _Url = ""
    key_env: _KeyEnv = ""


class EmbeddingService(NamedTuple):
    """A model that turns texts into vectors."""

    model: _Model = ""
    url: _Url = ""
    key_env: _KeyEnv = ""
    provider: Annotated[str, _about(
        "the provider; `openai` and `voyage` set the address, default model and key variable",
        choices=EMBEDDING_PROVIDERS,
    )] = "compatible"  # fmt: skip
    batch_size: Annotated[int, _about(
        "the maximum number of texts in one request; 0: the provider's own limit", most=10_000
    )] = 0  # fmt: skip
    input_type: Annotated[str, _about(
        "the kind of text that `voyage` optimizes vectors for", choices=("none", "document", "query")
    )] = "none"  # fmt: skip


class Services(NamedTuple):
    """The settings of the models that engines may use for searching."""

    embedder: EmbeddingService = EmbeddingService(key_env="BRV_TUI_EMBEDDER_KEY")
    reranker: Service = Service(key_env="BRV_TUI_RERANKER_KEY")


class Llm(NamedTuple):
    """The language model for tiers 3 and 4; ``key_env`` names the variable that contains its key."""

    protocol: Annotated[str, _about(
        "the protocol of the service; `openai`: also Ollama, LM Studio, vLLM, OpenRouter", choices=PROTOCOLS
    )] = "openai"  # fmt: skip
    model: Annotated[str, _about("the model; if empty, no model is called")] = ""
    url: Annotated[str, _about("the service's address; empty: OpenAI's or Anthropic's own")] = ""
    key_env: Annotated[str, _about(
        "the environment variable that holds the key of the model's service"
    )] = "BRV_TUI_LLM_KEY"  # fmt: skip
    allowed: Annotated[bool, _about("let runs call the model without asking for permission in each session")] = False
    timeout: Annotated[int, _about(
        "seconds without output after which the service is considered to have failed", least=1, most=3600
    )] = 120  # fmt: skip
    sent_cents: Annotated[int, _about("the price of a million tokens sent, in cents; 0: unknown", most=1_000_000)] = 0
    received_cents: Annotated[int, _about(
        "the price of a million tokens received, in cents; 0: unknown", most=1_000_000
    )] = 0  # fmt: skip
    answer_tokens: Annotated[int, _about(
        "the total number of tokens that one answer may send and receive", least=1_000, most=1_000_000_000
    )] = 400_000  # fmt: skip
    answer_cents: Annotated[int, _about(
        "the maximum cost of one answer, in cents, if prices are set; 0: no limit", most=1_000_000
    )] = 200  # fmt: skip


class Signals(NamedTuple):
    """The settings that determine the sources of notes' signals."""

    frontmatter: Annotated[str, _about(
        "read signals from frontmatter, which ByteRover ignores; `auto`: as in the profile, off in `brv-3`",
        choices=_SWITCH, personal=False, restart=True,
    )] = AUTO  # fmt: skip


class Settings(NamedTuple):
    """All settings, merged from all layers. Without arguments, every setting has its default."""

    theme: Annotated[str, _about(
        "colour theme: one of ours, Textual's or your own (`brv-tui themes` says where yours are)",
        personal=False, of_app=True,
    )] = "brv-dark"  # fmt: skip
    animations: Annotated[str, _about(
        "whether the app is animated; `auto`: off over ssh and in tmux", choices=_SWITCH, personal=False, of_app=True
    )] = AUTO  # fmt: skip
    ascii: Annotated[str, _about(
        "replace symbols with letters, even in names, but not in help, Markdown or `ask`; `auto`: unless output is "
        "UTF-8", choices=_SWITCH, personal=False, restart=True,
    )] = AUTO  # fmt: skip
    engine: Annotated[str, _about(
        "the memory system whose retrieval answers queries", personal=False, restart=True
    )] = DEFAULT  # fmt: skip
    profile: Annotated[str | Mapping[str, Any], _about(
        "the engine's constants; a table changes individual ones", personal=False, restart=True
    )] = DEFAULT_PROFILE  # fmt: skip
    watch: Annotated[bool, _about("follow changes on disk", personal=False, restart=True, of_app=True)] = True
    history: Annotated[int, _about(
        "the number of past queries to remember for each project",
        most=10_000, personal=False, restart=True, of_app=True,
    )] = 500  # fmt: skip
    signals: Signals = Signals()
    editor: EditorSettings = EditorSettings()
    panes: Annotated[str, _about(
        "the panes that the Query screen shows until you change them: `few` means results and score",
        choices=(FEW, ALL), restart=True, of_app=True,
    )] = FEW  # fmt: skip
    recording: Annotated[bool, _about("record runs' access hits from the start, in the tool's own overlay")] = False
    keys: Annotated[Mapping[str, str], _about(
        "your own keys for actions, by the binding's name; `brv-tui keys` lists the names", of_app=True
    )] = MappingProxyType({})  # fmt: skip
    key_variables: Annotated[str, _about(
        "environment variables that `key_env` may name besides our own, separated by commas; the app never"
        " changes this", by_hand=True,
    )] = ""  # fmt: skip
    hook_seconds: Annotated[int, _about(
        "seconds after which your agent's hook stops waiting for an answer (its timeout, which this does not change);"
        " later answers count as timed out in `brv-tui delivery` and the Log", least=1, most=3600
    )] = 6  # fmt: skip
    llm: Llm = Llm()
    services: Services = Services()

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
    return MappingProxyType({entry.name: entry for entry in _walk(Settings())})


def entry_of(name: str) -> Entry | None:
    """Returns the setting ``name``, or the table of keys for ``keys.<binding>``; None if there is no such setting."""
    return entries().get("keys" if name.startswith("keys.") else name)


def _walk(tables: Any, above: str = "") -> Iterator[Entry]:
    hints = type(tables).__annotations__
    for part, default in sorted(tables._asdict().items(), key=lambda one: _is_table(one[1])):
        name = f"{above}{part}"
        if _is_table(default):
            yield from _walk(default, f"{name}.")
            continue
        shape, about = get_args(hints[part])
        kind = ValueKind.CHOICE if "choices" in about else _KINDS[shape]
        variable = "" if kind is ValueKind.KEYS else PREFIX + name.removeprefix("services.").replace(".", "_").upper()
        yield Entry(name, kind, default, variable, **about)


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple)


def assemble(values: Mapping[str, Value]) -> Settings:
    """Creates settings from checked ``values`` by dotted name; all others have defaults."""
    made: Settings = _with(Settings(), values, "")
    return made


def _with(tables: Any, values: Mapping[str, Value], above: str) -> Any:
    return tables._make(
        _with(held, values, f"{above}{name}.") if _is_table(held) else values.get(f"{above}{name}", held)
        for name, held in tables._asdict().items()
    )


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
