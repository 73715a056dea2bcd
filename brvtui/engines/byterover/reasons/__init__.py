"""Reasons why a note is, or is not, in an answer."""
