"""Builds and updates the graph of a snapshot's notes (``docs/reference/knowing.md``, "Notes as a graph")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from scipy.sparse import csr_array

from brvtui.engines.knowing.model import EXTERNAL, Edge, Graph, Node
from brvtui.engines.knowing.note_reading import NotePiece, read_piece
from brvtui.engines.knowing.profile import NoteGraphRules
from brvtui.snapshot import Note, Parsed, Snapshot
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.links import LinkState, Names

DOMAIN, TOPIC, KEYWORD, TAG, FILE = "domain", "topic", "keyword", "tag", "file"
_SIMILAR = "similar_to"
_WRITTEN = "author"
_DERIVED = "derived"


@dataclass(frozen=True, eq=False)
class KnownPiece:
    """The nodes and references that a note adds to the graph, and the note's parsed file."""

    parsed: Parsed | None
    """The parsed file; None if the note must be read again because it is being edited or could not be read."""
    piece: NotePiece


@dataclass(frozen=True, eq=False)
class NoteGraph:
    """The graph of one snapshot, and its parts."""

    graph: Graph
    known: Mapping[str, KnownPiece]
    similar: Mapping[str, tuple[tuple[NotePiece, ...], tuple[Edge, ...]]]
    """For each folder, the pieces of notes that were compared, and the edges between similar ones."""
    unread: tuple[str, ...]
    """The paths of notes that could not be read. Only their names are searchable."""

    def piece(self, path: str) -> NotePiece:
        """The nodes and references that the note at ``path`` adds to the graph. Raises KeyError if there is no
        such note.
        """
        return self.known[path].piece


def note_graph(snapshot: Snapshot, rules: NoteGraphRules, before: NoteGraph | None = None) -> NoteGraph:
    """The graph of all searchable notes in ``snapshot``, in path order.

    ``before`` is an earlier graph with the same rules. Notes whose files have not changed since then are not read
    again. Stubs of archived notes are left out, because their text would be counted twice.
    """
    known: dict[str, KnownPiece] = {}
    unread = []
    for note in sorted(snapshot.notes, key=lambda note: note.path):
        if note.role is Role.STUB:
            continue
        parsed = None if note.path in snapshot.edited else snapshot.parsed.get(note.path)
        last = before.known.get(note.path) if before is not None else None
        if last is not None and parsed is not None and last.parsed is parsed:
            known[note.path] = last
            continue
        try:
            text = snapshot.text(note.path)
        except OSError:
            unread.append(note.path)
            text, parsed = "", None
        known[note.path] = KnownPiece(parsed, read_piece(note, text, _updated(snapshot, note), rules))
    pieces = [one.piece for one in known.values()]
    similar = _similar(pieces, rules, before.similar if before is not None else {})
    graph = _assembled(pieces, _names(snapshot), chain.from_iterable(edges for _, edges in similar.values()), rules)
    return NoteGraph(graph, known, similar, tuple(unread))


def _updated(snapshot: Snapshot, note: Note) -> float | None:
    parsed = snapshot.parsed.get(note.path)
    return parsed.updated_ms if parsed is not None else None


def _names(snapshot: Snapshot) -> dict[str, Names]:
    files: dict[str, list[str]] = {}
    for parsed in snapshot.parsed.values():
        files.setdefault(parsed.alias, []).append(parsed.file)
    return {alias: Names(paths) for alias, paths in files.items()}


def _assembled(
    pieces: Sequence[NotePiece], names: Mapping[str, Names], similar: Iterable[Edge], rules: NoteGraphRules
) -> Graph:
    nodes = {node.id: node for piece in pieces for node in piece.nodes}
    edges = list(_within_notes(pieces, rules))
    edges += _folders(pieces, nodes, rules)
    edges += _links(pieces, names, nodes, rules)
    edges += _connectors(pieces, nodes, rules)
    edges += similar
    return Graph(tuple(nodes.values()), tuple(dict.fromkeys(edges)))


def _edge(source: str, target: str, type_: str, rules: NoteGraphRules, provenance: str = _WRITTEN) -> Edge:
    return Edge(source, target, type_, rules.confidences.get(type_, rules.other_confidence), provenance)


def _within_notes(pieces: Sequence[NotePiece], rules: NoteGraphRules) -> Iterator[Edge]:
    down, up = (rules.confidences.get(type_, rules.other_confidence) for type_ in ("contains", "member_of"))
    for piece in pieces:
        note, *sections = piece.nodes
        for section in sections:
            yield Edge(note.id, section.id, "contains", down, _WRITTEN)
            yield Edge(section.id, note.id, "member_of", up, _WRITTEN)


def _folders(pieces: Sequence[NotePiece], nodes: dict[str, Node], rules: NoteGraphRules) -> Iterator[Edge]:
    """Adds nodes for domains and topics to ``nodes``, and yields their edges."""
    for piece in pieces:
        tree = piece.note.path.removesuffix(piece.note.file)
        folders = piece.note.file.split("/")[:-1]
        below = piece.nodes[0].id
        for depth in range(len(folders), 0, -1):
            path = "/".join(folders[:depth])
            id_ = f"{tree}{path}"
            is_new = id_ not in nodes
            if is_new:
                kind = DOMAIN if depth == 1 else TOPIC
                name, package = folders[depth - 1], f"{tree}{'/'.join(folders[:depth])}"
                nodes[id_] = Node(
                    id_, kind, f"brv://{id_}.{name}", name, package, f"{tree}{folders[0]}", path=id_, is_result=False
                )
            yield _edge(id_, below, "holds", rules, _DERIVED)
            yield _edge(below, id_, "held_by", rules, _DERIVED)
            if not is_new:
                break
            below = id_


def _links(
    pieces: Sequence[NotePiece], names: Mapping[str, Names], nodes: dict[str, Node], rules: NoteGraphRules
) -> Iterator[Edge]:
    """Yields an edge for each link in a note. A missing target becomes a node outside the corpus."""
    for piece in pieces:
        note = piece.note
        tree = note.path.removesuffix(note.file)
        for mention in piece.mentions:
            resolved = names[note.alias].resolve(mention.link, note.file)
            target = f"{tree}{resolved.path}"
            if resolved.state in (LinkState.NOTE, LinkState.FOLDER) and target in nodes:
                if target != mention.source:
                    yield _edge(mention.source, target, mention.type, rules)
            elif resolved.state is LinkState.BROKEN and mention.type != "mentions_note":
                id_ = f"external://{tree}{mention.link.target}"
                nodes.setdefault(id_, Node(id_, EXTERNAL, id_, mention.link.target, is_connector=True, is_result=False))
                yield _edge(mention.source, id_, mention.type, rules)


def _connectors(pieces: Sequence[NotePiece], nodes: dict[str, Node], rules: NoteGraphRules) -> Iterator[Edge]:
    """Yields the edges from notes to keywords, tags and files, and adds nodes for these to ``nodes``. Those that too
    many notes share are left out.
    """
    for kind, type_, pairs in (
        (KEYWORD, "has_keyword", [(piece.nodes[0].id, word) for piece in pieces for word in piece.keywords]),
        (TAG, "has_tag", [(piece.nodes[0].id, word) for piece in pieces for word in piece.tags]),
        (FILE, "mentions_file", [pair for piece in pieces for pair in piece.files]),
    ):
        counts = Counter(word for _, word in pairs)
        for source, word in pairs:
            if counts[word] > rules.connector_most:
                continue
            id_ = f"{kind}://{word}"
            if id_ not in nodes:
                name = word.rpartition("/")[2] if kind == FILE else word
                path = word if kind == FILE else ""
                nodes[id_] = Node(id_, kind, id_, name, path=path, is_connector=True, is_result=False)
            yield _edge(source, id_, type_, rules, _DERIVED)


def _similar(
    pieces: Sequence[NotePiece],
    rules: NoteGraphRules,
    before: Mapping[str, tuple[tuple[NotePiece, ...], tuple[Edge, ...]]],
) -> dict[str, tuple[tuple[NotePiece, ...], tuple[Edge, ...]]]:
    groups: dict[str, list[NotePiece]] = {}
    for piece in pieces:
        groups.setdefault(piece.nodes[0].package, []).append(piece)
    result = {}
    for package, group in groups.items():
        last = before.get(package)
        if last is not None and len(last[0]) == len(group) and all(map(_is_same, last[0], group)):
            result[package] = last
        else:
            result[package] = tuple(group), tuple(_similar_edges(group, rules))
    return result


def _is_same(one: NotePiece, other: NotePiece) -> bool:
    return one is other


def _similar_edges(group: Sequence[NotePiece], rules: NoteGraphRules) -> Iterator[Edge]:
    """Yields edges between notes in the same folder whose titles and summaries share many words (Jaccard)."""
    if not 2 <= len(group) <= rules.similar_group:
        return
    words: dict[str, int] = {}
    columns, starts = [], [0]
    for piece in group:
        columns += [words.setdefault(word, len(words)) for word in sorted(piece.words)]
        starts.append(len(columns))
    matrix = csr_array(([1] * len(columns), columns, starts), shape=(len(group), max(1, len(words))))
    shared = (matrix @ matrix.T).tocoo()
    near: dict[int, list[tuple[float, int]]] = {}
    for one, other, count in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        if one >= other:
            continue
        share = count / (len(group[one].words) + len(group[other].words) - count)
        if share > rules.similar_above:
            near.setdefault(one, []).append((-share, other))
            near.setdefault(other, []).append((-share, one))
    pairs = {
        (min(one, other), max(one, other)): -share
        for one, neighbours in near.items()
        for share, other in sorted(neighbours)[: rules.similar_most]
    }
    for (one, other), share in sorted(pairs.items()):
        yield Edge(group[one].nodes[0].id, group[other].nodes[0].id, _SIMILAR, share, _DERIVED)
