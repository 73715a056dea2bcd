"""Stores the vectors of a tree's texts, one file per model (``docs/reference/jeffs-brain.md``, "Vectors")."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brvtui.disk import writing
from brvtui.disk.sealing import read_sealed, sealed
from brvtui.store.folders import tree_cache

_BROKEN = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_DIGEST = 16
_LARGEST = 1 << 30


class VectorStore:
    """Vectors in the tool's cache folder, keyed by the digests of their texts.

    Creates nothing before the first write.
    """

    def __init__(self, tree: Path, model: str) -> None:
        """Manages the vectors that ``model`` computed for texts of ``tree``. The file need not exist."""
        digest = hashlib.sha256(model.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        self.path = tree_cache(tree) / "vectors" / f"{digest}.npz"

    def read(self) -> dict[str, NDArray[np.float32]]:
        """Returns the stored vectors; empty if the file is missing or broken."""
        try:
            with np.load(io.BytesIO(read_sealed(self.path, _LARGEST)), allow_pickle=False) as file:
                names, matrix = file["names"], file["vectors"]
        except _BROKEN:
            return {}
        if not isinstance(names, np.ndarray) or not isinstance(matrix, np.ndarray):  # bytes, not an array
            return {}
        if names.ndim != 1 or matrix.ndim != 2 or len(names) != len(matrix) or matrix.dtype != np.float32:
            return {}
        if not np.isfinite(matrix).all():
            return {}
        return dict(zip(map(str, names.tolist()), matrix, strict=True))

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the stored vectors in one step. Raises OSError if the cache folder is not writable."""
        names = sorted(vectors)
        matrix = np.stack([vectors[name] for name in names]) if names else np.zeros((0, 0), dtype=np.float32)
        buffer = io.BytesIO()
        np.savez(buffer, names=np.asarray(names, dtype=np.str_), vectors=matrix.astype(np.float32, copy=False))
        writing.write(self.path, sealed(buffer.getvalue()))


def vector_files(tree: Path) -> list[Path]:
    """Returns the files with the vectors of all models for texts of ``tree``."""
    with suppress(OSError):
        return [file for file in (tree_cache(tree) / "vectors").iterdir() if file.suffix == ".npz"]
    return []
