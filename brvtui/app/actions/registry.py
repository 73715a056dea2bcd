"""The registry of actions, from which the palette, the settings and docs/reference/keys.md are generated.

To add an action, add it to its place, and add a method ``action_…`` to the class that has this place.
"""

from __future__ import annotations

from brvtui.app.actions import dialogs, everywhere, panes, screens
from brvtui.app.actions.action import Action, Place

PLACES: tuple[Place, ...] = (
    everywhere.APP,
    everywhere.EVERY_SCREEN,
    screens.EDIT_SCREEN,
    screens.FLEET_SCREEN,
    screens.HEALTH_SCREEN,
    screens.LAB_SCREEN,
    screens.LOG_SCREEN,
    screens.MATURITY_SCREEN,
    screens.NOTES_SCREEN,
    screens.QUERY_SCREEN,
    screens.SETTINGS_SCREEN,
    everywhere.EVERY_PANE,
    panes.ABOUT,
    panes.AGEING,
    panes.ANSWER,
    panes.MIGRATED,
    panes.DRAFTS,
    everywhere.FILTER,
    panes.FIND,
    panes.FINDINGS,
    panes.MIGRATION,
    panes.GRAPH,
    panes.JUDGED,
    panes.LOG_LIST,
    panes.COLUMN,
    panes.FLEET_MEMBERS,
    panes.NOTE,
    panes.OPTIONS,
    panes.PROBLEMS,
    panes.QUERY_FIELD,
    panes.FLEET_FIELD,
    panes.RESULTS,
    panes.FLEET_RESULTS,
    panes.RETRY,
    panes.ROUTE,
    panes.SETTINGS_LIST,
    panes.TERMS,
    panes.TEXT,
    panes.NOTES_TREE,
    panes.SCOPE_TREE,
    panes.TREE,
    panes.WHAT_IF,
    panes.REMEDIES,
    dialogs.CHANGES,
    dialogs.VARIANTS,
    dialogs.COMMANDS,
    dialogs.CONFLICT,
    dialogs.DAMAGE,
    dialogs.DIALOG,
    dialogs.DRAFT,
    dialogs.EARLIER_ANSWER,
    dialogs.FIELD,
    dialogs.GONE,
    dialogs.GRADE,
    dialogs.VERSIONS,
    dialogs.JUMP,
    dialogs.LEAVING,
    dialogs.MEMORY,
    dialogs.MERGE,
    dialogs.MESSAGE,
    dialogs.NEW_NOTE,
    dialogs.PERMISSION,
    dialogs.PLAN,
    dialogs.SWEEP,
)
"""All places, ordered by kind and title."""

ACTIONS: dict[str, Action] = {action.name: action for place in PLACES for action in place.actions}
"""All actions, keyed by name."""
