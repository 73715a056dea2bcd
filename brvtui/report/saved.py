"""A saved trace as text, JSON, Markdown and SVG, and written to a file."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from rich.console import RenderableType

from brvtui import faults
from brvtui.disk import writing
from brvtui.report.markdown import markdown_report
from brvtui.report.query import trace_report
from brvtui.report.svg import WIDTH, svg_report
from brvtui.saved.traces import SavedTrace, as_json
from brvtui.text.visible import visible
from brvtui.tree.reading.project import is_context_tree


class Form(StrEnum):
    """The form of a file; its value is the file's ending."""

    JSON = "json"
    MARKDOWN = "md"
    SVG = "svg"


class ExportError(ValueError):
    """A trace cannot be written to a file; the message names the file, the reason and what to do."""


class InTheWayError(ExportError):
    """The file exists already."""


def write_report(file: Path, data: bytes, trees: Sequence[Path]) -> None:
    """Writes ``data`` to ``file``, whole or not at all.

    Raises :class:`ExportError`, also for a file inside one of ``trees`` or another project's context tree.
    """
    try:
        place = file.expanduser().absolute()
        _check_outside(file, place, trees)
        if not place.parent.is_dir():
            raise no_folder(file, place)
        writing.write(place, data, private=False)
    except (OSError, RuntimeError) as error:
        raise _not_written(file, error) from error


def _check_outside(file: Path, place: Path, trees: Sequence[Path]) -> None:
    """Raises :class:`ExportError` for a ``file`` whose ``place`` is in one of ``trees`` or a project's context tree."""
    there = place.resolve()
    if any(there.is_relative_to(tree) for tree in trees) or any(
        is_context_tree(folder) for folder in (*place.parents, *there.parents)
    ):
        raise ExportError(f"{file}: inside a context tree, where a .md would become a note; save it elsewhere")


def no_folder(file: Path, place: Path) -> ExportError:
    """The error for a ``file`` to be saved at ``place``, whose folder does not exist."""
    return ExportError(f"{file}: there is no folder {place.parent}; make it, or save elsewhere")


def text_report(saved: SavedTrace, width: int, whole: bool = False) -> RenderableType:
    """The trace for reading in ``width`` columns; ``whole`` adds the term x field detail of every hit."""
    trace = saved.trace
    shown = {hit.file: saved.detail[hit.file] for hit in trace.hits[: None if whole else 1] if hit.file in saved.detail}
    return trace_report(trace, shown, width)


def rendered(saved: SavedTrace, form: Form) -> bytes:
    """The content of a file of this form, in UTF-8."""
    if form is Form.JSON:
        return as_json(saved)
    if form is Form.MARKDOWN:
        return markdown_report(saved).encode()
    return svg_report(text_report(saved, WIDTH), visible(saved.trace.query)).encode()


def form_of(file: Path) -> Form:
    """The form that the ending of ``file`` asks for. Raises :class:`ExportError` for any other ending."""
    try:
        return Form(file.suffix.lower().removeprefix("."))
    except ValueError:
        endings = ", ".join(f".{form}" for form in Form)
        raise ExportError(f"{file}: a trace is saved as {endings}; give the file one of these endings") from None


def _not_written(file: Path, error: Exception) -> ExportError:
    return ExportError(f"{file}: cannot be written ({faults.reason(error)}): save it elsewhere")


def export(saved: SavedTrace, file: Path, trees: Sequence[Path] = (), replace: bool = True) -> Path:
    """Writes ``saved`` to ``file`` in the form of its ending, whole or not at all, and returns where that is.

    Raises :class:`InTheWayError` for a file that is there and not to be ``replace`` d, :class:`ExportError` for another
    ending, for a file inside one of ``trees`` or another project's context tree, and for one that cannot be written.
    """
    form = form_of(file)
    try:
        place = file.expanduser().absolute()
        _check_outside(file, place, trees)
        if place.exists() and not place.is_file():
            raise ExportError(f"{file}: not a file; save it elsewhere")
        if not place.parent.is_dir():
            raise no_folder(file, place)
        if place.exists() and not replace:
            raise InTheWayError(f"{file}: already exists")
        writing.write(place, rendered(saved, form), private=False)
    except (OSError, RuntimeError) as error:
        raise _not_written(file, error) from error
    return place
