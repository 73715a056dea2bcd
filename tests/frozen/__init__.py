"""Digests of every engine's answers, and a script that compares the answers at two commits."""
