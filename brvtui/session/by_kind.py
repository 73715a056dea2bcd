"""The parts of a session that depend on what is open: notes, topics of a space, or code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.logbook import EngineQueries, QueryLogFolder
from brvtui.publishing.publisher import Publisher, StoredSignals
from brvtui.store.kept_index import KeptIndex
from brvtui.tree.engine_files.sidecar import project_data, signals_folder
from brvtui.tree.reading.project import FoundProject

if TYPE_CHECKING:
    from brvtui.publishing.repository import RepositoryPublisher


def publisher_of(project: FoundProject, stored: StoredSignals, is_code: bool) -> Publisher | RepositoryPublisher:
    """What publishes snapshots of ``project``."""
    if not is_code:
        return Publisher(project, stored, KeptIndex(project.tree))
    from brvtui.publishing.repository import RepositoryPublisher

    return RepositoryPublisher(project)


def engine_queries_of(project: FoundProject) -> EngineQueries:
    """What the engine of ``project`` keeps of the queries that it answered."""
    if not project.is_space:
        return QueryLogFolder(project_data(project.root))
    from brvtui.engines.byterover_v4.pending_rows import PendingRows
    from brvtui.tree.spaces.locating import is_of_folder
    from brvtui.tree.spaces.project import SpaceProject

    assert isinstance(project, SpaceProject)
    first, ids = project.spaces[0], (space.id for space in project.spaces)
    return PendingRows(first.data, ids, project.root if is_of_folder(first, project.root) else None)


def sidecar_of(project: FoundProject) -> Path:
    """The folder in which the engine keeps the signals of ``project``."""
    if not project.is_space:
        return signals_folder(project_data(project.root))
    from brvtui.tree.spaces.locating import signals_of_tree

    return signals_of_tree(project.tree)
