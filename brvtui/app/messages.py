"""What workers tell the app, and panes their screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from brvtui.app.news import News
from brvtui.app.splits import Layout
from brvtui.app.states import NoteText, Overview, SimilarNotes
from brvtui.config.schema import Value
from brvtui.trace import Detail, Explanation, Trace

if TYPE_CHECKING:
    from brvtui.app import clipboard
    from brvtui.app.ask import Ask
    from brvtui.app.keys.checking import Checked
    from brvtui.app.standings import Standings
    from brvtui.app.themes.library import Library
    from brvtui.config import Configuration
    from brvtui.engines.byterover.counterfactuals.levers import Takes
    from brvtui.engines.byterover.route.tree_changes import CacheNow
    from brvtui.lab.about import About, Around
    from brvtui.lab.log_summary import Compared, LogSummary
    from brvtui.saved.traces import Saved
    from brvtui.session import Session
    from brvtui.trace.events import Event
    from brvtui.tree.engine_files.logged_query import LoggedQuery


@dataclass
class Opened(News):
    """The project was found; its notes are about to be read."""

    session: Session


@dataclass
class Progressed(News):
    """So many files of the tree are read."""

    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest progress matters."""
        return isinstance(message, Progressed)


@dataclass
class Loaded(News):
    """A snapshot was published."""

    overview: Overview
    history: list[str]
    by_the_run: bool = False
    """Whether the run itself made it, by recording access hits: then its answer stays."""


@dataclass
class Reopened(News):
    """A trace was read from a file, to be shown without its project."""

    saved: Saved
    trace: Trace
    overview: Overview


@dataclass
class Failed(News):
    """The project cannot be opened or read; ``what`` says why and what to do."""

    what: str


@dataclass
class WatchBegun(News):
    """Whether changes on disk are noticed, and if not, or only by polling every so many seconds, why."""

    active: bool
    why: str
    poll_s: float = 0.0


@dataclass
class FilesSeen(News):
    """How the files of some notes stand to what is known of them, by path, where they are not as they were read."""

    astray: Mapping[str, str]


@dataclass
class Changed(News):
    """Something changed on disk."""

    def can_replace(self, message: Message) -> bool:
        """A burst of changes is one."""
        return isinstance(message, Changed)


@dataclass
class Traced(News):
    """A query was probed or run. ``number`` orders requests: older answers are dropped."""

    number: int
    trace: Trace
    took_ms: float
    detail: Detail | None = None
    """Of the first hit."""
    history: list[str] | None = None
    problem: str = ""
    serves: bool = False
    """Whether a run answered that went on beside a probe of the same request."""


@dataclass
class Logged(News):
    """A run was logged, or could not be."""

    problem: str


@dataclass
class PermissionWanted(News):
    """A run comes to a model that may not be asked yet; nothing was run. ``trace`` is its probe."""

    ask: Ask
    model: str
    trace: Trace


@dataclass
class Asking(News):
    """Something happened while a model answers request ``number``."""

    number: int
    event: Event


@dataclass
class AnswerEnded(News):
    """A model has answered, or has not: then ``why`` says what kept it."""

    number: int
    trace: Trace
    why: str = ""
    cancelled: bool = False


@dataclass
class Refused(News):
    """The chosen engine cannot be asked as it is set; ``what`` says why and what to do."""

    what: str


@dataclass
class Prepared(News):
    """So many of the wanted vectors are made; ``wanted`` is 0 when none was missing."""

    made: int
    wanted: int
    done: bool = False


@dataclass
class Detailed(News):
    """The term × field detail of one note under one trace."""

    trace: Trace
    detail: Detail


@dataclass
class Explained(News):
    """Why one note is, or is not, in the answer of one trace."""

    trace: Trace
    explanation: Explanation


@dataclass
class TakesFound(News):
    """What it would take that the query of one trace needs no model."""

    trace: Trace
    takes: Takes


@dataclass
class NoteRead(News):
    """The text of one note."""

    note: NoteText


@dataclass
class PageRead(News):
    """What is known of one file by itself."""

    page: About


@dataclass
class AroundRead(News):
    """What surrounds one file."""

    around: Around


@dataclass
class SimilarFound(News):
    """The notes that are most like one."""

    similar: SimilarNotes


@dataclass
class CacheSeen(News):
    """The simulated cache at this moment."""

    query: str
    shown: CacheNow


@dataclass
class NoteWanted(Message):
    """The text of a note is wanted."""

    file: str


@dataclass
class LinkFollowed(Message):
    """A link to a note or folder was followed."""

    path: str


@dataclass
class Stood(Message):
    """Where every note stands on a day was worked out."""

    standings: Standings


@dataclass
class DayWanted(Message):
    """The forecast of a day, counted from today, is wanted."""

    day: int

    def can_replace(self, message: Message) -> bool:
        """A drag may want many; the last one counts."""
        return isinstance(message, DayWanted)


@dataclass
class TimesWanted(Message):
    """What so many hits more, or less, would make of a note is wanted."""

    step: int


@dataclass
class LineWanted(Message):
    """A place in the text that is being edited is wanted; line and column count from 0."""

    line: int
    column: int


@dataclass
class ProfileSwitched(News):
    """Queries are answered with the constants of another profile from now on."""

    name: str
    summary: str


@dataclass
class Copied(News):
    """What became of a text that was to be copied."""

    done: clipboard.Copied


@dataclass
class LayoutChanged(Message):
    """The user changed how the panes of a screen are shared."""

    layout: Layout

    def can_replace(self, message: Message) -> bool:
        """Only the newest is remembered."""
        return isinstance(message, LayoutChanged)


@dataclass
class LayoutsRead(News):
    """What is remembered of the project's layouts, by the screen's title."""

    layouts: dict[str, Layout]


@dataclass
class LogRead(News):
    """Both logs were read, newest first."""

    entries: list[LoggedQuery]
    summary: LogSummary
    problem: str = ""


@dataclass
class LogCompared(News):
    """A logged query was asked again."""

    compared: Compared


@dataclass
class EngineAnswered(News):
    """The engine logged queries, oldest first."""

    entries: list[LoggedQuery]


@dataclass
class ThemesChanged(Message):
    """Something changed in the user's folder of themes."""

    def can_replace(self, message: Message) -> bool:
        """A burst of changes is one."""
        return isinstance(message, ThemesChanged)


@dataclass
class ThemesRead(Message):
    """The themes as they are on disk now."""

    library: Library


@dataclass
class SettingKept(Message):
    """A setting was written into the user's file; ``configuration`` is what holds now."""

    name: str
    value: Value | None
    configuration: Configuration


@dataclass
class SettingLost(Message):
    """A setting could not be written; ``why`` is one line."""

    name: str
    why: str


@dataclass
class KeysChecked(Message):
    """The user's ``keys`` were compared with all bindings."""

    keys: Mapping[str, str]
    checked: Checked


@dataclass
class SettingChosen(Message):
    """Another setting is under the cursor."""

    name: str


@dataclass
class SettingSought(Message):
    """A setting is to be changed: by ``step`` among its values, by typing, or, with neither, back to its default."""

    name: str
    step: int
    type_it: bool = False
