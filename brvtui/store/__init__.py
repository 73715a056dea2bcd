"""The tool's own files: overlay, drafts, logs, history, stored index, vectors. No scores, no UI."""
