"""Traces as text for a terminal, as Markdown and as SVG. Reads traces, and computes nothing."""
