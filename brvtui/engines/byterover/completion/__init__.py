"""Answers written by a model: the agent loop, its tools, and the form of an answer."""
