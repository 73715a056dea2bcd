"""Random queries without a direct answer, and the changes that would lead to one, each made on disk."""

from __future__ import annotations

import math
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from brvtui.engines.byterover.counterfactuals.case import Case
from brvtui.engines.byterover.counterfactuals.find import find_counterfactuals
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.changes import (
    Change,
    Combined,
    Reworded,
    SignalsSet,
    TimeSet,
    TitleSet,
    accessed,
    retitled,
)
from brvtui.engines.counterfactuals import Counterfactual, Counterfactuals, Lever
from brvtui.loading import load
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from brvtui.trace.routing import Outcome, Route
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers
from tests.support.generated import generated, query
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree

_QUERIES_A_TREE = 30
_LARGE = 60
_SMALL = 24
_LATER_DAYS = 20
_NS_PER_MS = 1_000_000
_MANY_HITS = 50
_ALIEN = "xylophone"
"""A word that no note contains. By itself, or in a large tree, it can leave a query without an answer."""


@dataclass(frozen=True)
class EngineRequest:
    """A query of a tree at ``now_ms``."""

    tree: Tree
    snapshot: Snapshot
    profile: Profile
    now_ms: float
    trace: Trace


@dataclass(frozen=True)
class Taken(EngineRequest):
    """A query without a direct answer, and the changes that would lead to one."""

    takes: Counterfactuals

    @property
    def case(self) -> Case:
        position = self.snapshot.by_path[self.takes.path]
        return Case(Context(self.snapshot, self.profile, self.now_ms), self.trace, position, lambda: False)


def asked(snapshot: Snapshot, profile: Profile, text: str, now_ms: float) -> Trace:
    return route(Context(snapshot, profile, now_ms), CacheContents(), RouteRequest(text))[0]


def taken(folder: Path, seed: int, most: int, profile: Profile = BRV3) -> Iterator[Taken]:
    """Yields at most ``most`` cases over the tree of ``seed``, which is up to two months older than the query.

    One in three trees is large enough for queries to be out of domain.
    """
    pick = random.Random(seed)
    tree = generated(folder, seed, _LARGE if seed % 3 == 0 else _SMALL)
    now_ms = NOW_MS + seed % 4 * _LATER_DAYS * DAY_MS
    snapshot = tree.snapshot(profile, now_ms=now_ms)
    found = 0
    for _ in range(_QUERIES_A_TREE):
        text = _ALIEN if pick.random() < 0.1 else query(pick) + pick.choice(("", "", "", f" {_ALIEN}"))
        trace = asked(snapshot, profile, text, now_ms)
        if trace.section(Route).outcome is Outcome.DIRECT:
            continue
        result = find_counterfactuals(Context(snapshot, profile, now_ms), trace)
        if result is not None and not result.path:  # nothing matches, so any note can be used
            result = find_counterfactuals(Context(snapshot, profile, now_ms), trace, pick.choice(snapshot.notes).path)
        assert result is not None
        yield Taken(tree, snapshot, profile, now_ms, trace, result)
        found += 1
        if found == most:
            return


def answered(taken: EngineRequest, change: Change, copy: Path) -> Trace:
    """The answer after ``change`` was made in a copy of the tree on disk, which is then read from scratch."""
    shutil.copytree(taken.tree.root, copy)
    tree = copy / ".brv" / "context-tree"
    stored, text = dict(taken.tree.signals), taken.trace.query
    match change:
        case Reworded(query):
            text = query
        case SignalsSet(path, signals):
            stored[path] = signals
        case TimeSet(path, mtime_ms):
            os.utime(tree / path, ns=(mtime_ms * _NS_PER_MS,) * 2)
        case Combined(SignalsSet(path, signals), TimeSet(_, mtime_ms)):
            stored[path] = signals
            os.utime(tree / path, ns=(mtime_ms * _NS_PER_MS,) * 2)
        case TitleSet(path, title, mtime_ms):
            data = (tree / path).read_bytes()
            (tree / path).write_bytes(retitled(data, path.rpartition("/")[2], title, taken.profile.limits))
            os.utime(tree / path, ns=(mtime_ms * _NS_PER_MS,) * 2)
    snapshot = load(find_project(copy), taken.profile, taken.now_ms, SignalLayers((stored,)))
    assert snapshot is not None
    shutil.rmtree(copy)
    return asked(snapshot, taken.profile, text, taken.now_ms)


def smaller(taken: Taken, way: Counterfactual) -> Iterator[Change]:
    """Yields every smaller change with the same lever; if the change of ``way`` is impossible, changes over the whole
    range.
    """
    case, found = taken.case, way.amount
    own, path = case.signals, case.note.path
    match way.lever:
        case Lever.HITS:
            for number in range(1, int(found) if found else _MANY_HITS):
                then = own
                for _ in range(number):
                    then = accessed(then, taken.profile.signals)
                yield SignalsSet(path, replace(own, importance=then.importance, maturity=then.maturity))
        case Lever.IMPORTANCE:
            above = range(int(own.importance) + 1, 101 if found is None else int(found))
            yield from (SignalsSet(path, replace(own, importance=float(value))) for value in above)
        case Lever.MATURITY:
            above = LEVELS[LEVELS.index(own.maturity) + 1 :]
            levels = [level for level in above if found is None or LEVELS.index(level) < found]
            yield from (SignalsSet(path, replace(own, maturity=level)) for level in levels)
        case Lever.AGE:
            youngest = 0.0 if found is None else found + 0.1
            ages = {youngest, *(youngest + (case.days - youngest) * part / 24 for part in range(24))}
            if not case.is_monotonic:  # in this case, only whole days are tried
                first = 0 if found is None else math.floor(found) + 1
                ages = {float(day) for day in range(first, math.floor(case.days) + 1)}
            for days in ages if youngest <= case.days else ():
                mtime_ms = math.ceil(taken.now_ms) - max(1, round(days * DAY_MS))
                yield TimeSet(path, mtime_ms)
