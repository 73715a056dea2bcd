"""Chooses the project that a session opens, with its settings and constants."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from brvtui.config import Configuration, configure
from brvtui.config.profile_choice import chosen_profile, profile_of_engine
from brvtui.config.schema import SettingProblem, UnusableSetting
from brvtui.engines import registry
from brvtui.engines.contract import KeepsQueries
from brvtui.engines.profile_files import TreeProfile, profiles_of
from brvtui.logbook import EngineQueries, QueryLogFolder
from brvtui.publishing.publisher import Publisher, SnapshotKeeper, SpacePublisher, StoredSignals
from brvtui.store.kept_index import KeptIndex
from brvtui.store.overlay import Overlay
from brvtui.tree.engine_files.sidecar import project_data, signals_folder
from brvtui.tree.reading.kinds import CODE
from brvtui.tree.reading.project import FoundProject, ProjectError, find_project

if TYPE_CHECKING:
    from brvtui.tree.spaces.project import NamedSpace


def parts_of(
    project: FoundProject, signals_file: Path | None, overlay: Overlay
) -> tuple[SnapshotKeeper[Any], EngineQueries, Path]:
    """The parts of a session that depend on the kind of ``project``.

    These are its snapshot publisher, the engine's query log, and the folder in which the engine stores signals.
    """
    if project.kind.is_html:
        from brvtui.tree.spaces.locating import signals_of_tree

        engine, sidecar = registry.load(project.kind.native), signals_of_tree(project.tree)
        assert isinstance(engine, KeepsQueries)
        return SpacePublisher(project, signals_file, sidecar), engine.kept_queries(project), sidecar
    data = project_data(project.root)
    queries, sidecar = QueryLogFolder(data, project.root / ".brv" / "query-log"), signals_folder(data)
    if project.kind.has_files:
        stored = StoredSignals(signals_file, overlay, sidecar)
        return Publisher(project, stored, KeptIndex(project.tree)), queries, sidecar
    from brvtui.publishing.repository import RepositoryPublisher

    return RepositoryPublisher(project), queries, sidecar


class ProjectChoice(NamedTuple):
    """A project, with the settings and profiles for opening it."""

    project: FoundProject
    configuration: Configuration
    profile: TreeProfile
    """ByteRover's constants for reading the tree."""
    profiles_of_engines: Mapping[str, str]
    """The non-default profiles of engines, keyed by engine."""


def choose_project(
    start: Path | None,
    *,
    profile: str | None,
    tolerant: bool,
    engine: str,
    repository: Path | None,
    space: NamedSpace | None,
    alone: bool,
    given_by: Mapping[str, str],
) -> ProjectChoice:
    """The ``repository``, else the ``space``, else the project at or above ``start``, with its settings and profile.

    A ``start`` of None is the working folder. ``profile`` belongs to ``engine`` or, if that is empty, to the configured
    engine. ``given_by`` names the source of ``engine`` and ``profile`` if they are not command-line options. ``alone``
    leaves out shared sources. ``tolerant`` ignores unusable settings, except those that choose the profile.

    Raises :class:`brvtui.tree.reading.project.ProjectError` if there is no project, or none that ``engine`` ranks;
    :class:`brvtui.config.ConfigError` for settings, or its subclass :class:`brvtui.config.schema.UnusableSetting` for a
    setting that is needed even with ``tolerant``; and :class:`brvtui.typed_tables.ProfileError` for the ``profile``.
    """
    if repository is not None:
        engine, given_by = CODE.engine, {**given_by, "engine": "the repository"}
    project = _asked_for(start, engine, repository, space)
    values = {"engine": engine, "profile": profile}
    options = {name: value for name, value in values.items() if value}
    configuration = configure(project.root, options, given_by=given_by)
    if registry.kind_of(configuration.settings.engine).engine not in ("", project.kind.engine):
        project = _space_that_is_set(start, configuration)
    if project.kind.engine and not engine:
        configuration = settings_of_space(project, options, given_by)
    if alone and project.sources:
        project = replace(project, sources=())
    if not tolerant:
        configuration.check()
    in_use, own = configuration.settings.engine, ""
    if not registry.reads_trees(in_use):
        own = profile_of_engine(configuration, profiles_of(in_use))
    read_with = chosen_profile(configuration, own)
    return ProjectChoice(project, configuration, read_with, {in_use: own} if own else {})


def unusable_engine(start: Path | None, configuration: Configuration) -> SettingProblem | None:
    """The reason why the engine of ``configuration`` cannot rank the project at or above ``start``; None if it can."""
    if registry.kind_of(configuration.settings.engine).engine:
        try:
            _space_that_is_set(start, configuration)
        except UnusableSetting as error:
            return error.problem
    return None


def settings_of_space(space: FoundProject, options: Mapping[str, str], given_by: Mapping[str, str]) -> Configuration:
    """The settings for the project of ``space``. Their engine is the only one that ranks spaces."""
    of_space = {**options, "engine": space.kind.engine}
    return configure(space.root, of_space, given_by={**given_by, "engine": "the space"})


def _asked_for(start: Path | None, engine: str, repository: Path | None, space: NamedSpace | None) -> FoundProject:
    """The ``repository``, or else the ``space``, or else the project at or above ``start``. Raises ProjectError."""
    if repository is not None:
        from brvtui.publishing.repository import find_repository

        return find_repository(repository)
    if space is None:
        return _found(start, engine)
    from brvtui.tree.spaces.project import find_named_space

    project = find_named_space(space, start)
    _check_ranks(engine, project, project.tree)
    return project


def _space_that_is_set(start: Path | None, configuration: Configuration) -> FoundProject:
    """The space that the ``engine`` setting requires. Raises UnusableSetting if there is none."""
    source, engine = configuration.source("engine"), configuration.settings.engine
    try:
        return _found(start, engine)
    except ProjectError as error:
        message = f"{source.place}: engine = {engine} needs a space, but there is none"
        message = f"{message}; --engine {registry.DEFAULT} opens the notes instead ({error})"
        raise UnusableSetting(SettingProblem("engine", message, source)) from error


def _found(start: Path | None, engine: str) -> FoundProject:
    """The project at or above ``start`` that ``engine`` (empty: any) ranks: a context tree, or else a space.

    Raises :class:`brvtui.tree.reading.project.ProjectError`.
    """
    ranks_notes = not registry.kind_of(engine).engine
    if ranks_notes:
        with suppress(ProjectError):  # there may be a space; if not, the error is raised again
            return find_project(start)
    from brvtui.tree.spaces.project import find_any_project, find_space_project  # not needed for a context tree

    project = find_any_project(start) if ranks_notes else find_space_project(start)
    if project.kind.engine:
        _check_ranks(engine, project, start or Path.cwd())
    return project


def _check_ranks(engine: str, space: FoundProject, where: Path) -> None:
    """Raises :class:`brvtui.tree.reading.project.ProjectError` if ``engine`` is not the engine of ``space``."""
    if engine not in ("", space.kind.engine):
        raise ProjectError(f"{where}: this is a space of ByteRover V4, which {engine} cannot rank")
