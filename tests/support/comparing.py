"""Compares two snapshots of a tree, which must have equal notes and identical numbers."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import numpy as np

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.manifest import manifest_of
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.lab.backlinks import LinkReader
from brvtui.snapshot import Snapshot
from brvtui.snapshot.records import NoteColumns
from tests.support.generated import query
from tests.support.trees import BRV3, NOW_MS, changed

WIDE = changed(BRV3, out_of_domain={"min_notes": 10_000}, search={"gap_ratio": 0.0})
"""A profile whose searches keep every match."""


def same(again: Snapshot, fresh: Snapshot, pick: random.Random, now_ms: float = NOW_MS) -> None:
    assert again.notes == fresh.notes
    assert again.signals == fresh.signals
    assert again.files == fresh.files
    assert again.unseen == fresh.unseen
    assert again.summaries == fresh.summaries
    assert again.summary_signals == fresh.summary_signals
    assert again.fingerprint == fresh.fingerprint
    assert again.covered_count == fresh.covered_count
    assert again.by_path == fresh.by_path
    assert again.domains == fresh.domains
    assert [*again.hierarchy.walk()] == [*fresh.hierarchy.walk()]
    assert (again.overlay_count, again.frontmatter_count) == (fresh.overlay_count, fresh.frontmatter_count)
    for column in fields(NoteColumns):
        one, other = (getattr(snapshot.columns, column.name) for snapshot in (again, fresh))
        assert one.dtype == other.dtype, column.name
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), column.name
    assert again.postings.averages == fresh.postings.averages
    assert len(again.postings.vocabulary) == len(fresh.postings.vocabulary)
    for _ in range(6):
        text = query(pick)
        one, two = (search(Context(snapshot, WIDE, now_ms), text, SearchOptions(50)) for snapshot in (again, fresh))
        assert [(hit.path, hit.title) for hit in one.hits] == [(hit.path, hit.title) for hit in two.hits]
        assert [hit.score for hit in one.hits] == [hit.score for hit in two.hits]
        raws = [[hit.text.raw for hit in found.hits if hit.text] for found in (one, two)]
        assert raws[0] == raws[1]


def same_around(again: Snapshot, fresh: Snapshot, reader: LinkReader) -> None:
    """True if the links read by ``reader``, the manifest, and the data that readers may have requested are equal."""
    one, other = reader.index(again), LinkReader().index(fresh)
    assert one.links == other.links
    places = {*(note.path for note in fresh.notes), *(note.path.rpartition("/")[0] for note in fresh.notes)}
    for path in sorted(places):
        assert one.links_of(path) == other.links_of(path)
        assert one.backlinks(path) == other.backlinks(path)
    assert again.abstracts == fresh.abstracts
    assert again.summary_files == fresh.summary_files
    assert again.notices == fresh.notices
    assert again.engine_failure == fresh.engine_failure
    manifests = [manifest_of(snapshot, BRV3.manifest) for snapshot in (again, fresh)]
    assert manifests[0].entries == manifests[1].entries
    assert manifests[0].lanes == manifests[1].lanes


def same_answers(again: Snapshot, fresh: Snapshot, profile: Profile, pick: random.Random, now_ms: float) -> None:
    """Checks that the router gives both snapshots the same answers to random queries, on an empty cache."""
    for _ in range(6):
        asked = RouteRequest(query(pick))
        one, other = (
            route(Context(snapshot, profile, now_ms), CacheContents(), asked)[0] for snapshot in (again, fresh)
        )
        assert replace(one, snapshot=other.snapshot, timings={}) == replace(other, timings={})
