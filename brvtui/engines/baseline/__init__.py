"""Plain search: a baseline to compare the other engines with (``docs/reference/baseline.md``)."""
