"""Prints a table of metrics for all engines that rank notes, for each question set.

    python -m benchmarks.quality [FOLDER …] [--locomo locomo10.json] [--metric ndcg@10] [--queries 200]

Each FOLDER is a set in BEIR format (``corpus.jsonl``, ``queries.jsonl``, ``qrels``), or contains such sets in
``*/beir``. Documents become notes of a project in a temporary folder, all with the same age and without signals, so
only text retrieval is measured. Prints Markdown: the best mean of each metric is bold, and a star marks engines that
are significantly worse (paired randomisation test, Holm's method, p < 0.05).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.quality.datasets import Dataset, read_beir, read_locomo
from brvtui.engines.contract import Query
from brvtui.lab.engine_comparison import JudgedEngines
from brvtui.lab.evaluation.results import DEFAULT_METRICS, Metric, parse_metric
from brvtui.session import Session
from brvtui.session.diffing import judge_all

_NOW_MS = 1_795_176_000_000


def measured(dataset: Dataset, metrics: tuple[Metric, ...]) -> JudgedEngines:
    """The evaluation of every engine on ``dataset``."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        dataset.write(root)
        session = Session.open(root, now_ms=_NOW_MS)
        session.load()
        try:
            return judge_all(session, dataset.judgments, metrics, Query(""), keep=False)
        finally:
            session.close()


def table(dataset: Dataset, found: JudgedEngines) -> Iterator[str]:
    """Lines of a Markdown table with a row for each metric and a column for each engine."""
    names = [each.engine for each in found.evaluations]
    yield f"\n{dataset.name}: {len(dataset.judgments)} queries, {len(dataset.notes)} notes\n"
    yield "| | " + " | ".join(names) + " |"
    yield "| --- |" + " ---: |" * len(names)
    for metric in found.metrics:
        best = found.best(metric)
        worse = {rival.engine for rival in best.rivals if rival.is_significant} if best is not None else set()
        cells = []
        for each in found.evaluations:
            mean = each.mean(metric)
            text = "–" if mean is None else f"{mean:.4f}"
            is_best = best is not None and each.engine == best.engine
            cells.append(f"**{text}**" if is_best else f"{text}*" if each.engine in worse else text)
        yield f"| {metric} | " + " | ".join(cells) + " |"
    yield "| not covered | " + " | ".join(f"{each.not_covered:.1%}" for each in found.evaluations) + " |"
    yield "| ms a query | " + " | ".join(f"{each.ms:.1f}" for each in found.evaluations) + " |"
    yield from found.problems


def datasets(folders: list[Path], locomo: Path | None) -> Iterator[Dataset]:
    """The question sets below ``folders``, and LoCoMo."""
    for folder in folders:
        places = [folder] if (folder / "corpus.jsonl").exists() else sorted(folder.glob("*/beir"))
        yield from map(read_beir, places)
    if locomo is not None:
        yield read_locomo(locomo)


def main() -> None:
    """Prints a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--metric", action="append", type=parse_metric)
    parser.add_argument("--queries", type=int, default=0, help="only the first so many of each set")
    given = parser.parse_args()
    metrics = tuple(given.metric or (parse_metric("recall@10"), *DEFAULT_METRICS))
    for dataset in datasets(given.folders, given.locomo):
        chosen = dataset.judgments[: given.queries] if given.queries else dataset.judgments
        fewer = replace(dataset, judgments=chosen)
        for line in table(fewer, measured(fewer, metrics)):
            print(line)


if __name__ == "__main__":
    main()
