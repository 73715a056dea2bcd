"""Runs the same queries in an installed engine and in ours, and compares the answers (``docs/how-to/verify.md``)."""
