"""Traces as text made for reading in a terminal: tables and bars (rich). Reads traces, computes nothing."""
