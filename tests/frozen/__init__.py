"""Digests of the answers of every engine, and a script that compares the answers of two commits."""
