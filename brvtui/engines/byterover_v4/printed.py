"""The output of V4's scripts for a search: hits, snippets, and the citation block for an agent."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from brvtui.engines.byterover_v4.corpus import SpaceCorpus
from brvtui.engines.byterover_v4.profile import CitationRules, HitRules, V4Profile
from brvtui.engines.byterover_v4.search import FoundTopic, SpaceSearch
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.tree.reading.javascript import trim
from brvtui.tree.spaces.topic_html import is_element_id

HIGH, MEDIUM, LOW = "high", "medium", "low"
_LEADING = re.compile(r"^[a-z]{1,4}[^A-Za-z]?\s+")
_SMALL = re.compile(r"^[a-z]")
_UNRESERVED = "!'()*-._~"
_ID_PREFIX = "bve-"
_HEADING = "\U0001f4da From ByteRover:"


@dataclass(frozen=True, slots=True)
class PrintedHit:
    """One hit as V4 prints it, and the values for its citation."""

    path: str
    title: str
    score: float
    confidence: str
    snippet: str
    element: str
    """The id of the best document's element; empty for a whole topic."""
    kind: str
    """The tag of the best document's element; empty if V4 finds none."""
    others: tuple[str, ...]
    """The ids of the topic's secondary elements."""
    access_count: float
    attributes: Mapping[str, str]
    """The attributes of the topic; empty if V4 finds none."""

    def plain(self) -> dict[str, Any]:
        """The hit as plain data under V4's names. A score that is not a number becomes None."""
        fields: dict[str, Any] = {
            "confidence": self.confidence,
            "path": self.path,
            "score": None if math.isnan(self.score) else self.score,
            "snippet": self.snippet,
            "title": self.title,
        }
        if self.element:
            fields["topElementId"] = self.element
        if self.kind:
            fields["topElementType"] = self.kind
        if self.others:
            fields["additionalElementIds"] = list(self.others)
        return fields


@dataclass(frozen=True, slots=True)
class CitedSpace:
    """The values needed to cite a space: the space's id (may be empty), and the app's port (0 if unknown)."""

    id: str
    port: int = 0


def printed_hits(
    found: SpaceSearch, topics: Sequence[FoundTopic], corpus: SpaceCorpus, profile: V4Profile
) -> list[PrintedHit]:
    """The printed hits for ``topics``, in the same order."""
    hits = []
    for topic in topics:
        best = topic.best.document
        ranked = corpus.by_path.get(topic.path)
        known_topic = ranked.topic if ranked is not None else None
        # for a whole topic, V4 looks up the text by the shown path, which may not be that of a topic
        text = best.text if best.kind else known_topic.body if known_topic else ""
        hits.append(
            PrintedHit(
                topic.path,
                known_topic.attribute("title") if known_topic else "",
                topic.score,
                confidence(topic.score, profile.results),
                snippet(text, found.words.cleaned, profile.results),
                best.element,
                best.kind,
                tuple(one.document.element for one in topic.secondary),
                topic.signals.stored.access_count,
                known_topic.attributes if known_topic else {},
            )
        )
    return hits


def confidence(score: float, rules: HitRules) -> str:
    """V4's confidence in a hit with the given score."""
    return HIGH if score >= rules.high else MEDIUM if score >= rules.medium else LOW


def snippet(text: str, cleaned: str, rules: HitRules) -> str:
    """The part of ``text`` around the first query word in ``cleaned``. Lengths are in UTF-16 units."""
    word = cleaned.split(" ", 1)[0].lower()
    units, lowered, wanted = (_units(value) for value in (text, text.lower(), word))
    place = _find(lowered, wanted) if wanted else 0
    start = place - rules.snippet_before if place > rules.snippet_before else 0
    return _text(units[2 * start : 2 * (start + rules.snippet_units)])


def should_cite(hits: Sequence[PrintedHit], space: CitedSpace) -> bool:
    """True if V4 tells the agent to cite, because a hit has more than low confidence and the space has an id."""
    return bool(space.id) and any(hit.confidence != LOW for hit in hits)


def cited_hits(hits: Sequence[PrintedHit], space: CitedSpace, rules: CitationRules) -> tuple[PrintedHit, ...]:
    """The first hits with more than low confidence, which the agent must cite; none without a space id."""
    return tuple(hit for hit in hits if hit.confidence != LOW)[: rules.most] if space.id else ()


def citation_block(cited: Sequence[PrintedHit], space: CitedSpace, now_ms: float, rules: CitationRules) -> str:
    """The citation block for the ``cited`` hits, which V4 asks the agent to repeat; empty if nothing is cited."""
    if not cited:
        return ""
    lines = [_HEADING]
    for hit in cited:
        lines.append(_heading(hit, space, rules))
        quoted = _quoted(hit.snippet, rules.quote_units)
        if quoted:
            lines.append(f'    "{quoted}"')
        updated = _updated(hit.attributes, now_ms, rules.days)
        if updated:
            lines.append(f"    {updated}")
    return "\n".join(lines)


def _heading(hit: PrintedHit, space: CitedSpace, rules: CitationRules) -> str:
    name = hit.title if hit.title.strip() else hit.path
    if hit.kind:
        name += f" ({hit.kind.removeprefix('bv-')})"
    recalled = hit.access_count + 1
    if recalled >= rules.recalled_from:
        name += f"  ·  Recalled {recalled:.0f}×"
    if not space.port:
        return f"- {name}"
    segments = "/".join(quote(part, safe=_UNRESERVED) for part in hit.path.split("/"))
    ids = [one for one in (hit.element, *hit.others) if is_element_id(one)]
    anchor = f"#{_ID_PREFIX}{','.join(one.removeprefix(_ID_PREFIX) for one in ids)}" if ids else ""
    escaped = re.sub(r"([\\\[\]])", r"\\\1", name)
    return f"- [{escaped}](http://127.0.0.1:{space.port}/v/topic/{space.id}/context-tree/{segments}{anchor})"


def _quoted(text: str, limit: int) -> str:
    trimmed = trim(text)
    cut, replaced = _LEADING.subn("…", trimmed, count=1)
    if not replaced and _SMALL.match(trimmed):
        cut = f"…{trimmed}"
    units = _units(cut)
    if len(units) // 2 > limit:
        return f"{_text(units[: 2 * (limit - 1)]).rstrip()}…"
    return cut


def _updated(attributes: Mapping[str, str], now_ms: float, max_days: int) -> str:
    by, at = attributes.get("updatedby", ""), attributes.get("updatedat", "")
    if not by or not at:
        return ""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return ""
    updated_ms = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000
    days = math.floor((now_ms - updated_ms) / MS_PER_DAY)
    if days >= max_days:
        return ""
    ago = "today" if days <= 0 else "yesterday" if days == 1 else f"{days}d ago"
    return f"Updated by {by} · {ago}"


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _text(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


def _find(units: bytes, wanted: bytes) -> int:
    """The first position of ``wanted`` in ``units``, in UTF-16 units; -1 if ``units`` does not contain it."""
    place = units.find(wanted)
    while place % 2 == 1 and place >= 0:
        place = units.find(wanted, place + 1)
    return place // 2 if place >= 0 else -1
