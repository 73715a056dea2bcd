"""The neighbourhood of one place of a trace's map, for the drawing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from brvtui.engines.knowing.sections import GraphLink, GraphPlace, GraphResult, GraphRetrieval, ToldWay
from brvtui.engines.knowing.tracing_words import stops_of, told_way
from brvtui.paint.neighbourhood import Neighbour, Neighbourhood, WayTold


def neighbourhood(section: GraphRetrieval, place: str) -> Neighbourhood | None:
    """What the trace tells of the links at ``place``, the heaviest first; None for a place that its map lacks."""
    places = {one.id: one for one in section.map.places}
    centre = places.get(place)
    if centre is None:
        return None
    placed = section.placed(centre.file) if centre.file else None
    shares = _shares(placed.ways, place) if placed is not None else {}
    links: dict[str, GraphLink] = {}
    for link in section.map.links:
        if place in (link.source, link.target):
            other = link.target if link.source == place else link.source
            if other not in links or link.weight > links[other].weight:
                links[other] = link
    ranks = {one.hit.file: rank for rank, one in enumerate(section.ranking, 1)}
    found = [
        _neighbour(places[other], link, place, ranks.get(other, 0), shares.get(other, 0.0))
        for other, link in links.items()
    ]
    found.sort(key=lambda one: (-one.weight, -one.share, -places[one.id].walk, one.title))
    ways = _ways(placed, centre, places) if placed is not None else ()
    return Neighbourhood(
        place, centre.title, centre.is_seed, _about(centre, ranks.get(place, 0)), tuple(found), ways,
        "" if place in section.map.centres else "only its links to the first results are told",
    )  # fmt: skip


def _neighbour(other: GraphPlace, link: GraphLink, centre: str, rank: int, share: float) -> Neighbour:
    leads_away = link.source == centre
    words = link.forwards if leads_away else link.backwards
    kind = "" if other.file else other.kind
    return Neighbour(
        other.id, other.title, kind, other.file, words, leads_away, link.weight, other.is_seed, rank, share
    )


def _ways(placed: GraphResult, centre: GraphPlace, places: Mapping[str, GraphPlace]) -> tuple[WayTold, ...]:
    """The ways to the centre, from place to place; those that only go from it and come back count with all others."""
    if not placed.ways:
        return ()
    made: dict[str, WayTold] = {}
    others = placed.other_ways
    for way in placed.ways:
        if not way.steps:
            made[""] = WayTold(way.share, told_way(way, centre.title), "", "")
        elif way.seed_place == centre.id:
            others += way.share
        else:
            text = " → ".join([*stops_of(way), "here"])
            share = way.share + (made[text].share if text in made else 0.0)
            start = places.get(way.seed_place)
            made[text] = WayTold(share, text, start.id if start else "", start.file if start else "")
    ways = sorted(made.values(), key=lambda way: -way.share)
    return (*ways, WayTold(others, "over all other ways", "", ""))


def _shares(ways: tuple[ToldWay, ...], centre: str) -> dict[str, float]:
    """The share that came over each neighbour: the last place of a way before it comes to the centre for good."""
    made: dict[str, float] = defaultdict(float)
    for way in ways:
        before = [place for place in (way.seed_place, *(step.place for step in way.steps)) if place != centre]
        if before:
            made[before[-1]] += way.share
    return made


def _about(centre: GraphPlace, rank: int) -> str:
    """Its rank, and how the walk has it."""
    kind = f"result {rank}" if rank else "no result" if centre.file else centre.kind
    walk = f"walk {centre.walk:.0%} of the best" if centre.walk else ""
    return " · ".join(filter(None, (kind, "seed" if centre.is_seed else "", walk)))
