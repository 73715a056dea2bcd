"""Queries: when which is asked, how the engine that is chosen answers, and what is asked about the answer."""
