"""The simulated cache as lines: look-ups, entries with what changed since, and the fingerprint that is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.engines.byterover.sections import CacheEntry
from brvtui.paint.bars import draining
from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.text import cut_left, number, plural, seconds, wrap
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.engines.byterover.route.tree_changes import CacheNow

_BAR = 6
_WIDE = 56
_ROOMY = 30
_TITLE = 24
_SIMULATED = 34
_NAMED = 3
"""Files that are named of those that changed since an answer."""


def cache_title(shown: CacheNow | None, width: int) -> str:
    """How full it is; and that it is simulated."""
    amount = f" {len(shown.look.entries)}/{shown.look.capacity}" if shown else ""
    if width >= _SIMULATED:
        return f"Cache{amount} · SIMULATED by brv-tui"
    return f"Cache{amount if width >= _TITLE else ''} SIMULATED"


def cache_lines(shown: CacheNow | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Both look-ups, entries newest first, fingerprint."""
    if shown is None:
        return _calm("empty: the answer to a query is cached when it is run", width)
    made = _lookups(shown, width, glyphs) if shown.look.key and shown.look.entries else []
    if not shown.look.entries:
        made += _calm("no entries: a run adds its answer", width)
    for entry in reversed(shown.look.entries):
        made += _entry(entry, width, glyphs)
        made += _since(entry, shown, width, glyphs)
    made.append(rule(width, "fingerprint of the tree", dash=glyphs.dash))
    state = shown.fingerprint
    made.append(line(f" {state.value[:16]} ", "text").add(plural(state.files, "file"), "muted").cut(width))
    text = f"held {seconds(state.age_s)}, {seconds(state.left_s)} left" if state.held else "the next run computes it"
    made.append(line(f" {text}", "muted").cut(width))
    if state.value != state.current:
        made.append(line(f" {glyphs.warn} the tree is now {state.current[:16]}", "warn").cut(width))
        made += _warned(f"old answers are given for {seconds(state.left_s)} more, until it is computed again", width)
    if shown.index_left_s > 0:
        made += _warned(f"for {seconds(shown.index_left_s)} a search may still use the earlier index", width)
    return [*made, *hanging(line(" simulated by brv-tui: the engine keeps its own", "faint"), width, 1)]


def _calm(text: str, width: int) -> list[Line]:
    return [line(f" {part}", "muted") for part in wrap(text, width - 2)]


def _lookups(shown: CacheNow, width: int, glyphs: Glyphs) -> list[Line]:
    made = [line(" if it were asked now:", "faint").cut(width)]
    look = shown.look
    for name, state, why in (("exact", look.exact.value, look.exact_why), ("fuzzy", look.fuzzy.value, look.fuzzy_why)):
        head = line(f" {glyphs.state[state]} {name} {STATE_WORDS[state]} ", STATE_ROLES[state])
        made += hanging(head.add(why, "muted"), width, 3)
    return made


def _entry(entry: CacheEntry, width: int, glyphs: Glyphs) -> list[Line]:
    state = entry.state.value
    role = STATE_ROLES[state]
    alive = entry.left_s > 0 and entry.fingerprint_match
    cells = _BAR if width >= _ROOMY else _BAR - 2
    bar = draining(entry.left_s, entry.left_s + entry.age_s, cells, glyphs)
    made = line(f" {glyphs.state[state]} ", role).add(f"t{entry.tier} ", f"tier-{entry.tier}")
    made.add(bar, "accent" if alive else "faint").add(f" {seconds(entry.left_s):>5}", "text" if alive else "faint")
    same = glyphs.check if entry.fingerprint_match else glyphs.cross
    made.add(f" fp{same}", "ok" if entry.fingerprint_match else "bad")
    shared = f"{entry.shared_tokens}/{entry.union_tokens} "
    right = Line().add(shared if width >= _ROOMY else "", "muted")
    right.add(number(entry.similarity), "text" if alive else "faint")
    second = line("   ").add(entry.key, "muted" if alive else "faint")
    if width >= _WIDE:
        first = made.add(f" age {seconds(entry.age_s):>5} ", "muted").add(f" {entry.key}", "muted")
        return [first.right(width, right)]
    return [made.right(width, right), second.cut(width), *_why(entry, width)]


def _warned(text: str, width: int) -> list[Line]:
    return [line(f"   {part}", "warn") for part in wrap(text, width - 4)]


def _since(entry: CacheEntry, shown: CacheNow, width: int, glyphs: Glyphs) -> list[Line]:
    """The changes of the tree since the entry was answered, with a warning if it is still served."""
    changes = shown.changes.get(entry.key)
    if changes is None:
        return []
    kinds = ((changes.changed, "changed"), (changes.added, "new"), (changes.removed, "gone"))
    named = [(path, kind) for paths, kind in kinds for path in paths]
    served = entry.fingerprint_match and entry.left_s > 0
    role = "warn" if served else "muted"
    made = _warned(f"{glyphs.warn} still given, though the tree changed", width) if served else []
    for path, kind in named[:_NAMED]:
        made.append(line("   ").add(cut_left(visible(path), width - len(kind) - 4), role).add(f" {kind}", role))
    if len(named) > _NAMED:
        made.append(line(f"   and {plural(len(named) - _NAMED, 'file')} more", role))
    return made


def _why(entry: CacheEntry, width: int) -> list[Line]:
    shared = "" if width >= _ROOMY else f"{entry.shared_tokens}/{entry.union_tokens} words · "
    text = f"{seconds(entry.age_s)} old · {shared}{entry.why}"
    return [line(f"   {part}", "faint") for part in wrap(text, width - 4)[:1]]
