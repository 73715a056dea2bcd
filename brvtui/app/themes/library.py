"""Every theme there is: Textual's, our own, and the user's, which go before both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from textual.theme import BUILTIN_THEMES, Theme

from brvtui.app.themes.reading import ThemeError, read_theme
from brvtui.store.folders import config_folder
from brvtui.wording import nearest

OURS = ("brv-dark", "brv-light", "brv-contrast")
DEFAULT = OURS[0]
_FOLDER = "themes"
_OURS = Path(__file__).parents[2] / _FOLDER
_ENDING = ".toml"


@dataclass(frozen=True, slots=True)
class Library:
    """Themes by name, where the user's own come from, and what is wrong with files of his that are left out."""

    themes: dict[str, Theme]
    files: dict[str, Path]
    problems: dict[Path, str]

    def keeping(self, old: Library) -> Library:
        """These themes; a file that is broken now stands for the theme that it held in ``old``."""
        kept = {name: file for name, file in old.files.items() if file in self.problems and name not in self.files}
        themes = self.themes | {name: old.themes[name] for name in kept}
        return Library(themes, self.files | kept, self.problems)


def user_folder() -> Path:
    """Where the user's theme files are, whether or not there are any."""
    return config_folder() / _FOLDER


@cache
def our_theme(name: str) -> Theme:
    """Our own theme ``name``."""
    return read_theme(_OURS / f"{name}{_ENDING}")


def read_library() -> Library:
    """All themes as they are on disk now. A file that cannot be used is told of in ``problems``."""
    themes = {**BUILTIN_THEMES, **{name: our_theme(name) for name in OURS}}
    files: dict[str, Path] = {}
    problems: dict[Path, str] = {}
    for file in _user_files():
        try:
            theme = read_theme(file)
        except ThemeError as error:
            problems[file] = str(error)
            continue
        if theme.name in files:
            problems[file] = f"{file}: the name {theme.name} is taken by {files[theme.name].name}"
            continue
        themes[theme.name] = theme
        files[theme.name] = file
    return Library(themes, files, problems)


def no_such_theme(name: str, place: str, themes: Iterable[str]) -> list[str]:
    """The line that says that ``themes`` has no ``name``, which is set at ``place``; none when it has."""
    known = list(themes)
    if name in known:
        return []
    where = f"{place}: " if place else ""
    return [f"{where}theme = {name!r}: there is no such theme{nearest(name, known)}"]


def _user_files() -> list[Path]:
    try:
        return sorted(file for file in user_folder().iterdir() if file.suffix == _ENDING and file.name[0] != ".")
    except OSError:
        return []
