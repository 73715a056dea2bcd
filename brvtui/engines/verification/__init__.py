"""Runs the same queries in the installed and in our engine, and compares the answers (``docs/how-to/verify.md``)."""
