"""A code repository as a graph: symbols and the relations between them, read with tree-sitter.

``index`` is the way in. ``finding`` lists source files, ``reading`` takes symbols and references out of one file by the
tables of ``languages``, ``linking`` finds what each reference means, ``relations`` and ``similarity`` add what follows
from all files together, and ``documents`` joins notes with code.
"""
