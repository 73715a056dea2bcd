"""Edits notes as text: fields, problems, merges, new notes, archive stubs. Pure functions, no I/O."""
