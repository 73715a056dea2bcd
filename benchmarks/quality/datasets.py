"""Question sets as projects: documents become notes of a context tree, relevance judgments its judgments file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment, new_id
from brvtui.tree.reading.project import find_project

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_TURN = re.compile(r"D(\d+):\d+")
_SESSION = re.compile(r"session_(\d+)")
_HIGHEST = 3


class DatasetError(ValueError):
    """A data set that cannot be read; the message is one line."""


@dataclass(frozen=True)
class Dataset:
    """Notes keyed by path, and judged queries."""

    name: str
    notes: Mapping[str, str] = field(default_factory=dict)
    judgments: tuple[Judgment, ...] = ()

    def write(self, root: Path) -> None:
        """Writes the dataset as a project to the new folder ``root``."""
        tree = root / ".brv" / "context-tree"
        tree.mkdir(parents=True)
        (root / ".brv" / "config.json").write_text("{}")
        for path, text in self.notes.items():
            place = tree / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        JudgmentsFile.of(find_project(root)).change(lambda _: self.judgments)


def read_beir(folder: Path) -> Dataset:
    """Reads a set in BEIR format: ``corpus.jsonl``, ``queries.jsonl``, and ``qrels.tsv`` or ``qrels/*.tsv``.

    Raises :class:`DatasetError`.
    """
    corpus = {str(row["_id"]): row for row in _rows(folder / "corpus.jsonl")}
    paths = {name: f"notes/{_UNFIT.sub('_', name.removesuffix('.md'))}.md" for name in corpus}
    if len(set(paths.values())) < len(paths):
        raise DatasetError(f"{folder}: two documents would have the same file name")
    notes = {paths[name]: f"# {row.get('title') or name}\n\n{row['text']}\n" for name, row in corpus.items()}
    texts = {str(row["_id"]): str(row["text"]) for row in _rows(folder / "queries.jsonl")}
    grades: dict[str, dict[str, int]] = {}
    for file in [folder / "qrels.tsv", *sorted((folder / "qrels").glob("*.tsv"))]:
        if not file.exists():
            continue
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            query, document, grade = line.split("\t")
            if document in paths:
                grades.setdefault(query, {})[paths[document]] = max(0, min(_HIGHEST, int(grade)))
    return Dataset(folder.parent.name, notes, tuple(_judgments(texts, grades)))


def read_locomo(file: Path) -> Dataset:
    """Reads LoCoMo's JSON (Maharana and others, 2024); each session of a conversation becomes a note.

    The expected results of a question are the sessions that contain its evidence, out of the sessions of all
    conversations. Questions without evidence are left out. Raises :class:`DatasetError`.
    """
    try:
        samples = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetError(f"{file}: cannot be read as JSON ({error})") from error
    if not isinstance(samples, list):
        raise DatasetError(f"{file}: must hold a list of conversations, as locomo10.json does")
    notes: dict[str, str] = {}
    judgments: dict[str, Judgment] = {}
    for number, sample in enumerate(samples, start=1):
        try:
            folder = _UNFIT.sub("_", str(sample.get("sample_id", f"conversation-{number}")))
            own = dict(_sessions(folder, sample["conversation"]))
            for judgment in _questions(folder, sample["qa"], own, judgments):
                judgments[judgment.id] = judgment
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DatasetError(f"{file}, conversation {number}: not as LoCoMo writes it ({error!r})") from error
        notes.update(own)
    return Dataset(file.stem, notes, tuple(judgments.values()))


def _sessions(folder: str, conversation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The path and the text of each session's note."""
    for name, turns in conversation.items():
        if not _SESSION.fullmatch(name) or not isinstance(turns, list):
            continue
        when = conversation.get(f"{name}_date_time", "")
        lines = [f"# {folder}, {name.replace('_', ' ')}: {when}", ""]
        for turn in turns:
            caption = f" (a picture: {turn['blip_caption']})" if turn.get("blip_caption") else ""
            lines += [f"{turn['speaker']}: {turn['text']}{caption}", ""]
        yield f"{folder}/{name}.md", "\n".join(lines)


def _questions(
    folder: str, questions: Sequence[Mapping[str, Any]], notes: Mapping[str, str], taken: Mapping[str, Judgment]
) -> Iterator[Judgment]:
    known = set(taken)
    for asked in questions:
        evidence = asked.get("evidence") or []
        found = {number for each in evidence for number in _TURN.findall(str(each))}
        paths = [path for number in sorted(found, key=int) if (path := f"{folder}/session_{number}.md") in notes]
        if not paths:
            continue
        name = new_id(f"{folder} {asked['question']}", known)
        known.add(name)
        documents = tuple(JudgedDocument(path, 1) for path in paths)
        comment = f"category {asked.get('category')}"
        yield Judgment(name, " ".join(str(asked["question"]).split()), "", "", comment, documents)


def _judgments(texts: Mapping[str, str], grades: Mapping[str, Mapping[str, int]]) -> Iterator[Judgment]:
    taken: set[str] = set()
    for name, text in texts.items():
        own = new_id(name, taken)
        taken.add(own)
        documents = tuple(JudgedDocument(path, grade) for path, grade in grades.get(name, {}).items())
        yield Judgment(own, " ".join(text.split()), documents=documents)


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise DatasetError(f"{file}: cannot be read ({error})") from error
