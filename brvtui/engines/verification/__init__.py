"""Runs the same queries in the engine that is installed on this machine, and compares the answers
(``docs/verify.md``).
"""
