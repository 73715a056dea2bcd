"""Plain search: a baseline with which the other engines are compared (``docs/reference/baseline.md``)."""
