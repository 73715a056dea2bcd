"""One module per pipeline: each turns (snapshot, query, profile) into ranked hits and a trace; no tiers, no UI."""
