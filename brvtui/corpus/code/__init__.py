"""A code repository as a graph of symbols and relations, parsed with tree-sitter.

``index`` is the entry point. ``finding`` lists source files. ``reading`` extracts symbols and references from one file
with the tables in ``languages``, and ``linking`` resolves the references. ``relations`` and ``memory`` add relations
that depend on several files, and ``documents`` links notes to code.
"""
