"""All themes: Textual's, our own, and the user's, which replace others of the same name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from textual.theme import BUILTIN_THEMES, Theme

from brvtui.app.themes.reading import ThemeError, read_theme
from brvtui.store.folders import config_folder
from brvtui.wording import nearest, shortened

OURS = ("brv-dark", "brv-light", "brv-contrast")
DEFAULT = OURS[0]
_FOLDER = "themes"
_OURS = Path(__file__).parents[2] / _FOLDER
_ENDING = ".toml"


class Library(NamedTuple):
    """Themes by name, the files of the user's own, and the problems of files that were left out, line by line."""

    themes: dict[str, Theme]
    files: dict[str, Path]
    problems: dict[Path, tuple[str, ...]]

    def keeping(self, old: Library) -> Library:
        """Returns these themes; for a file that is broken now, the theme that it had in ``old``."""
        kept = {name: file for name, file in old.files.items() if file in self.problems and name not in self.files}
        themes = self.themes | {name: old.themes[name] for name in kept}
        return Library(themes, self.files | kept, self.problems)

    def why_missing(self, name: str, place: str = "") -> tuple[str, ...]:
        """Returns why no theme is called ``name``, as ``place`` sets it, line by line: what is wrong with the file of
        that name, else that there is none. Empty where there is such a theme."""
        if name in self.themes:
            return ()
        where = f"{place}: " if place else ""
        unknown = f"{where}theme = {shortened(name)!r}: there is no such theme{nearest(name, self.themes)}"
        return next((lines for file, lines in self.problems.items() if file.stem == name), (unknown,))


def user_folder() -> Path:
    """Returns the folder for the user's theme files; it need not exist."""
    return config_folder() / _FOLDER


@cache
def our_theme(name: str) -> Theme:
    """Returns our own theme ``name``."""
    return read_theme(_OURS / f"{name}{_ENDING}")


def read_library() -> Library:
    """Reads all themes. A file that cannot be used is in ``problems``."""
    themes = {**BUILTIN_THEMES, **{name: our_theme(name) for name in OURS}}
    files: dict[str, Path] = {}
    problems: dict[Path, tuple[str, ...]] = {}
    for file in _user_files():
        try:
            theme = read_theme(file)
        except ThemeError as error:
            problems[file] = error.args
            continue
        if theme.name in files:
            problems[file] = (f"{file}: the name {theme.name} is taken by {files[theme.name].name}",)
            continue
        themes[theme.name] = theme
        files[theme.name] = file
    return Library(themes, files, problems)


def _user_files() -> list[Path]:
    try:
        return sorted(file for file in user_folder().iterdir() if file.suffix == _ENDING and file.name[0] != ".")
    except OSError:
        return []
