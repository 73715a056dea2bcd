"""What is on disk: notes, hierarchy, signals, fingerprint, watching; no scores, no UI."""
