"""Notes as text to edit: fields, problems, merges, new notes and archive stubs. Pure functions, no I/O."""
