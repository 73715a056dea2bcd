"""Plain search: a baseline to compare the other engines with (``docs/contributing/engines.md``, "Plain search")."""
