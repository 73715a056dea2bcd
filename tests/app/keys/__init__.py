"""Tests of the keys as a whole."""
