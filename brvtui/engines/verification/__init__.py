"""Asks the engine that is installed on this machine the same questions, and compares (``docs/how-to/verify.md``)."""
