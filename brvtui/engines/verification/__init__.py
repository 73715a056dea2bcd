"""Runs the same queries in the installed engine and in ours, and compares the answers (``docs/how-to/verify.md``)."""
