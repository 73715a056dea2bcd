"""Variants: states with one or more replaced parts, for running queries. Nothing is written to disk."""
